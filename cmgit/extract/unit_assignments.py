"""Assignments that declare: `exports.x =`, `module.exports =`, `X.prototype.m =`, `this.x =`, `x.y =`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.extract.nodes import pair_parts, sides
from cmgit.extract.unit_calls import is_require, wrapped_function
from cmgit.extract.unit_syntax import FUNCTIONS, function_flags, unquote, unwrap
from cmgit.extract.unit_values import declare_value, mark_exported
from cmgit.extract.unit_walk import Scope, Walk

_MODULE = re.compile(r"(?:module\.exports|exports)\Z")
_SPACE = re.compile(r"\s+")
_LONGEST_OWNER = 80
# What these values say is said elsewhere: an alias is no data.
_ALIASES = frozenset({"identifier", "member_expression", "undefined", "null", "assignment_expression"})


def assigns_unit(walk: Walk, node: Node) -> bool:
    """Whether a top-level assignment gives a unit of its own."""
    while node.type == "assignment_expression":
        left, right = sides(node)
        right = unwrap(right)
        if left is None or right is None:
            return False
        if right.type in FUNCTIONS or right.type == "class":
            return not _is_variable_key(left) and left.type in (
                "member_expression",
                "subscript_expression",
                "identifier",
            )
        if _exported_name(walk, left) is not None and right.type not in _ALIASES:
            return not _is_plain_list(right) and not is_require(walk, right)
        node = right
    return False


def assigned_value(walk: Walk, name: str, value: Node | None) -> Node | None:
    """The value of `const name = exports.name = module.exports = value`, and what it says about exports.

    Assignments to other names are left alone: those are declarations of their own.
    """
    while value is not None and value.type == "assignment_expression":
        left, right = sides(value)
        right = unwrap(right)
        if left is None or right is None:
            break
        exported = _exported_name(walk, left)
        if exported not in ("", name) and walk.text(left) != "exports":
            break
        if exported is not None:
            mark_exported(walk, name, exported in ("", "default"))
        value = right
    return value


def on_assignment(walk: Walk, node: Node, scope: Scope, outer: Node | None = None) -> None:
    """An assignment expression, in a statement of its own (`outer`) or anywhere else."""
    left, right = sides(node)
    right = unwrap(right)
    around, inner = outer or node, scope.inside()
    if left is None or right is None:
        walk.push_children(node, scope.inside())
        return
    if _is_variable_key(left) or right.id in walk.bound:
        # `handlers[key] = () => …` names nothing; `const f = exports.f = () => …` has its name already.
        pass
    elif right.type in FUNCTIONS or right.type == "class":
        _declare(walk, node, left, right, scope, around)
    elif (exported := _exported_name(walk, left)) is not None and not scope.local:
        inner = _on_exported_value(walk, node, left, right, scope, around, exported)
    elif right.type == "object":
        name = _assigned_name(walk, left)[1].removesuffix(".prototype")
        walk.bind(right, scope.named(name) if name else scope)
    if right.type == "assignment_expression":
        # `exports = module.exports = …` stands at top level as a whole.
        walk.push_one(right, scope)
        walk.push_one(left, inner)
        return
    walk.push_children(node, inner)


def _is_variable_key(left: Node) -> bool:
    """`a[key]`; but `a["key"]` and `a[Symbol.iterator]` are names."""
    if left.type != "subscript_expression":
        return False
    index = left.child_by_field_name("index")
    return index is None or index.type not in ("string", "member_expression")


@dataclass(frozen=True, slots=True)
class _Target:
    """What an assignment declares. local: whether only the function around can reach it."""

    kind: UnitKind
    name: str
    qualname: str
    flags: int
    local: bool


def _declare(walk: Walk, node: Node, left: Node, right: Node, scope: Scope, outer: Node) -> None:
    """A function or class gets the name that it is assigned to."""
    target = _target(walk, left, right, scope)
    is_class = right.type == "class"
    row = walk.declare(
        UnitKind.CLASS if is_class else target.kind,
        target.name,
        scope,
        outer,
        node=node,
        name_node=_name_node(walk, left, right.child_by_field_name("name")),
        body=right.child_by_field_name("body"),
        flags=target.flags | (0 if is_class else function_flags(right)),
        qualname=target.qualname,
        local=target.local,
    )
    inner = walk.member_scope(scope, row) if is_class else walk.body_scope(scope, row, right)
    walk.bind(right, inner, row)


def _target(walk: Walk, left: Node, right: Node, scope: Scope) -> _Target:
    exported = _exported_name(walk, left)
    if exported == "":
        # `module.exports = function name() {}`
        own = right.child_by_field_name("name")
        name = walk.text(own) if own is not None else ""
        return _Target(UnitKind.FUNCTION, name, name, int(UnitFlag.EXPORTED | UnitFlag.DEFAULT), scope.local)
    if exported is not None:
        flags = UnitFlag.EXPORTED | (UnitFlag.DEFAULT if exported == "default" else 0)
        return _Target(UnitKind.FUNCTION, exported, exported, int(flags), scope.local)
    name, qualname, is_member = _assigned_name(walk, left)
    if not is_member:
        return _Target(UnitKind.FUNCTION, name, scope.prefix + name, 0, scope.local)
    flags = UnitFlag.FIELD | (UnitFlag.COMPUTED if name.startswith("[") else 0)
    local = scope.local
    if qualname == f"this.{name}":
        # A member of the instance, whichever method or constructor function assigns it.
        prefix, local = scope.this or (scope.prefix, local)
        qualname = prefix + name
    return _Target(UnitKind.METHOD, name, qualname, int(flags), local)


def _assigned_name(walk: Walk, left: Node) -> tuple[str, str, bool]:
    """Last name, dotted name without `prototype`, and whether it is a member."""
    if left.type == "identifier":
        name = walk.text(left)
        return name, name, False
    owner_node = left.child_by_field_name("object")
    owner = ""
    if owner_node is not None and owner_node.end_byte - owner_node.start_byte <= _LONGEST_OWNER:
        owner = _SPACE.sub("", walk.text(owner_node)).removesuffix(".prototype")
        owner = owner if re.fullmatch(r"[\w$#.]+", owner) else ""
    key = left.child_by_field_name("property") or left.child_by_field_name("index")
    if key is None:
        return "", "", False
    name = walk.text(key)
    if left.type == "subscript_expression":
        name = unquote(name) if key.type == "string" else f"[{name}]"
    return name, f"{owner}.{name}" if owner else name, True


def _name_node(walk: Walk, left: Node, own: Node | None) -> Node:
    if own is not None and _exported_name(walk, left) == "":
        return own
    return left.child_by_field_name("property") or left.child_by_field_name("index") or left


def _exported_name(walk: Walk, left: Node) -> str | None:
    """`x` of `exports.x` and `module.exports.x`, "" of `module.exports`, None for every other target."""
    if left.type not in ("member_expression", "subscript_expression"):
        return None
    if left.end_byte - left.start_byte > _LONGEST_OWNER:
        return None
    if walk.text(left) == "module.exports":
        return ""
    owner = left.child_by_field_name("object")
    if owner is None or not _MODULE.match(walk.text(owner)):
        return None
    name = _assigned_name(walk, left)[0]
    return None if name.startswith("[") else name


def _on_exported_value(
    walk: Walk, node: Node, left: Node, right: Node, scope: Scope, outer: Node, exported: str
) -> Scope:
    """What a value that is exported declares; gives the scope of what stands in it."""
    if right.type == "identifier":
        mark_exported(walk, walk.text(right), exported in ("", "default"))
        return scope.inside()
    if exported == "" and right.type == "object":
        for child in right.named_children:
            if child.type == "shorthand_property_identifier":
                mark_exported(walk, walk.text(child))
            elif child.type == "pair":
                value = pair_parts(child)[1]
                if value is not None and value.type == "identifier":
                    mark_exported(walk, walk.text(value))
    if not scope.top or right.type in _ALIASES or _is_plain_list(right) or is_require(walk, right):
        return scope.inside()
    if exported == "":
        inner = declare_value(walk, outer, right, scope, int(UnitFlag.EXPORTED | UnitFlag.DEFAULT))
        if right.type == "object":
            walk.bound[right.id].is_exported = True
        return inner
    function = wrapped_function(walk, right)
    row = walk.declare(
        UnitKind.VARIABLE,
        exported,
        scope,
        outer,
        node=node,
        name_node=_name_node(walk, left, None),
        body=right,
        flags=UnitFlag.EXPORTED | (UnitFlag.DEFAULT if exported == "default" else 0),
        qualname=exported,
    )
    if function is not None:
        walk.bind(function, walk.body_scope(scope, row, function), row)
    elif right.type == "object":
        walk.bind(right, walk.member_scope(scope, row), row)
    return scope.of(row)


def _is_plain_list(value: Node) -> bool:
    """`{ a, b: c }`: names that are declared elsewhere."""
    if value.type != "object":
        return False
    for child in value.named_children:
        if child.type == "pair":
            inner = pair_parts(child)[1]
            if inner is None or inner.type not in ("identifier", "member_expression"):
                return False
        elif child.type not in ("shorthand_property_identifier", "comment", "spread_element"):
            return False
    return True
