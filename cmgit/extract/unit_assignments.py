"""Assignments that declare: `exports.x =`, `module.exports =`, `X.prototype.m =`, `this.x =`, `x.y =`."""

from __future__ import annotations

import re

from tree_sitter import Node

from cmgit.core.facts import UnitFlag, UnitKind
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
        left, right = node.child_by_field_name("left"), unwrap(node.child_by_field_name("right"))
        if left is None or right is None:
            return False
        if right.type in FUNCTIONS or right.type == "class":
            return left.type in ("member_expression", "subscript_expression", "identifier")
        if _exported_name(walk, left) is not None and right.type not in _ALIASES:
            return not _is_plain_list(right) and not is_require(walk, right)
        node = right
    return False


def on_assignment(walk: Walk, node: Node, scope: Scope, outer: Node | None = None) -> None:
    """An assignment expression, in a statement of its own (`outer`) or anywhere else."""
    left, right = node.child_by_field_name("left"), unwrap(node.child_by_field_name("right"))
    around = outer or node
    if left is None or right is None:
        walk.push_children(node, scope.inside())
        return
    if right.type in FUNCTIONS:
        _declare_function(walk, node, left, right, scope, around)
    elif right.type == "class":
        _declare_class(walk, node, left, right, scope, around)
    elif (exported := _exported_name(walk, left)) is not None and not scope.local:
        _on_exported_value(walk, node, left, right, scope, around, exported)
    elif right.type == "object":
        name = _assigned_name(walk, left)[1]
        walk.bind(right, scope.named(name) if name else scope)
    walk.push_children(node, scope.inside())


def _declare_function(walk: Walk, node: Node, left: Node, right: Node, scope: Scope, outer: Node) -> None:
    name, qualname, flags, kind = _target(walk, left, right, scope)
    own = right.child_by_field_name("name")
    row = walk.declare(
        kind,
        name,
        scope,
        outer,
        node=node,
        name_node=_name_node(walk, left, own),
        body=right.child_by_field_name("body"),
        flags=flags | function_flags(right),
        qualname=qualname,
    )
    prefix = f"{qualname}." if qualname else scope.prefix
    walk.bind(right, Scope(row, prefix, True, calls=scope.calls), row)


def _declare_class(walk: Walk, node: Node, left: Node, right: Node, scope: Scope, outer: Node) -> None:
    name, qualname, flags, _ = _target(walk, left, right, scope)
    own = right.child_by_field_name("name")
    row = walk.declare(
        UnitKind.CLASS,
        name,
        scope,
        outer,
        node=node,
        name_node=_name_node(walk, left, own),
        body=right.child_by_field_name("body"),
        flags=flags,
        qualname=qualname,
    )
    prefix = f"{qualname}." if qualname else scope.prefix
    walk.bind(right, Scope(row, prefix, scope.local, calls=scope.calls), row)


def _target(walk: Walk, left: Node, right: Node, scope: Scope) -> tuple[str, str, int, UnitKind]:
    """Name, qualified name, flags and kind of the function that is assigned."""
    exported = _exported_name(walk, left)
    if exported == "":
        # `module.exports = function name() {}`
        own = right.child_by_field_name("name")
        name = walk.text(own) if own is not None else ""
        return name, name, int(UnitFlag.EXPORTED | UnitFlag.DEFAULT), UnitKind.FUNCTION
    if exported is not None:
        flags = UnitFlag.EXPORTED | (UnitFlag.DEFAULT if exported == "default" else 0)
        return exported, exported, int(flags), UnitKind.FUNCTION
    name, qualname, is_member = _assigned_name(walk, left)
    if left.type == "subscript_expression" and name.startswith("["):
        return name, qualname, int(UnitFlag.FIELD | UnitFlag.COMPUTED), UnitKind.METHOD
    if is_member:
        if qualname.startswith("this."):
            # Inside `Class.constructor.` or `Constructor.`: a member of the instance.
            owner = scope.prefix.removesuffix("constructor.")
            qualname = f"{owner}{qualname[5:]}"
        return name, qualname, int(UnitFlag.FIELD), UnitKind.METHOD
    return name, scope.prefix + name, 0, UnitKind.FUNCTION


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
) -> None:
    if right.type == "identifier":
        mark_exported(walk, walk.text(right), exported in ("", "default"))
        return
    if exported == "" and right.type == "object":
        for child in right.named_children:
            if child.type == "shorthand_property_identifier":
                mark_exported(walk, walk.text(child))
            elif child.type == "pair":
                value = child.child_by_field_name("value")
                if value is not None and value.type == "identifier":
                    mark_exported(walk, walk.text(value))
    if not scope.top or right.type in _ALIASES or _is_plain_list(right) or is_require(walk, right):
        return
    if exported == "":
        declare_value(walk, outer, right, scope, int(UnitFlag.EXPORTED | UnitFlag.DEFAULT))
        return
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
        walk.bind(function, Scope(row, exported + ".", True, calls=scope.calls), row)
    elif right.type in ("object", "class"):
        walk.bind(right, Scope(row, exported + ".", scope.local, calls=scope.calls), row)


def _is_plain_list(value: Node) -> bool:
    """`{ a, b: c }`: names that are declared elsewhere."""
    if value.type != "object":
        return False
    for child in value.named_children:
        if child.type == "pair":
            inner = child.child_by_field_name("value")
            if inner is None or inner.type not in ("identifier", "member_expression"):
                return False
        elif child.type not in ("shorthand_property_identifier", "comment", "spread_element"):
            return False
    return True
