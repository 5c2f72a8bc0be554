"""Handlers of members: classes' and object literals'."""

from __future__ import annotations

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.extract.nodes import pair_parts
from cmgit.extract.unit_syntax import FUNCTIONS, function_flags, member_flags, property_name, unwrap
from cmgit.extract.unit_table import UnitRow
from cmgit.extract.unit_walk import Scope, Walk


def enter_class(walk: Walk, node: Node, scope: Scope) -> None:
    """Visit a class's heritage and members; `scope` is that of its members."""
    for child in reversed(node.named_children):
        if child.type == "class_body":
            _push_members(walk, child, scope)
        else:
            walk.push_one(child, scope)


def _push_members(walk: Walk, body: Node, scope: Scope) -> None:
    # A method's decorators are its siblings, before it (tree-sitter-typescript#309): its range begins at the first.
    pending: int | None = None
    children = body.named_children
    for child in children:
        if child.type == "decorator":
            pending = child.start_byte if pending is None else pending
        elif child.type != "comment":
            if pending is not None:
                walk.decorated[child.id] = pending
            pending = None
    walk.push(children, scope)


def on_method(walk: Walk, node: Node, scope: Scope) -> None:
    """A method, constructor, getter or setter of a class or an object literal; also its signature."""
    name_node = node.child_by_field_name("name")
    if name_node is None or name_node.is_missing:
        walk.push_children(node, scope.inside())
        return
    name, flags = property_name(name_node, walk.text(name_node))
    flags |= UnitFlag.EXPORTED if scope.is_exported else 0
    flags |= member_flags(node, walk.source)
    parent_is_class = node.type != "method_definition" or not scope.is_object
    if name == "constructor" and parent_is_class and not flags & UnitFlag.STATIC:
        flags |= UnitFlag.CONSTRUCTOR
    start = walk.decorated.pop(node.id, None)
    if node.type != "method_definition":
        _signature(walk, node, name_node, scope, name, flags, start)
        return
    body = node.child_by_field_name("body")
    row = walk.declare(
        UnitKind.METHOD, name, scope, node, node=node, name_node=name_node, body=body, flags=flags, start=start
    )
    walk.push_children(node, walk.body_scope(scope, row, node))


def _signature(walk: Walk, node: Node, name_node: Node, scope: Scope, name: str, flags: int, start: int | None) -> None:
    if node.type == "abstract_method_signature":
        flags |= UnitFlag.ABSTRACT
    flags |= UnitFlag.BODILESS | (UnitFlag.LOCAL if scope.local else 0)
    begin = node.start_byte if start is None else start
    doc_start, doc_end = walk.doc_before(begin)
    row = UnitRow(
        UnitKind.METHOD,
        name,
        scope.prefix + name,
        scope.owner,
        begin,
        node.end_byte,
        name_node.start_byte,
        node.end_byte,
        doc_start,
        doc_end,
        int(flags),
    )
    walk.signature(UnitKind.METHOD, row, node)


def on_field(walk: Walk, node: Node, scope: Scope) -> None:
    """A class field: a unit where it holds a function."""
    name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
    _on_property(walk, node, name_node, node.child_by_field_name("value"), scope, member_flags(node, walk.source))


def on_pair(walk: Walk, node: Node, scope: Scope) -> None:
    """A property of an object literal: a unit where it holds a function."""
    if walk.is_quiet(node):
        return
    key, value = pair_parts(node)
    _on_property(walk, node, key, value, scope, 0)


def _on_property(walk: Walk, node: Node, name_node: Node | None, value: Node | None, scope: Scope, flags: int) -> None:
    value = unwrap(value)
    start = walk.decorated.pop(node.id, None)
    if value is None or name_node is None:
        walk.push_children(node, scope.inside())
        return
    name, name_flags = property_name(name_node, walk.text(name_node))
    flags |= UnitFlag.EXPORTED if scope.is_exported else 0
    if value.type in FUNCTIONS:
        row = walk.declare(
            UnitKind.METHOD,
            name,
            scope,
            node,
            node=node,
            name_node=name_node,
            body=value.child_by_field_name("body"),
            flags=flags | name_flags | UnitFlag.FIELD | function_flags(value),
            start=start,
        )
        walk.bind(value, walk.body_scope(scope, row, value), row)
    elif value.type in ("object", "class"):
        walk.bind(value, scope.named(name))
    walk.push_children(node, scope.inside())


def on_object(walk: Walk, node: Node, scope: Scope) -> None:
    """An object literal: its members are named after what names it."""
    inner = walk.bound.pop(node.id, None) or scope.inside()
    if not inner.is_object:
        is_exported = inner.is_exported
        inner = inner.of(inner.owner)
        inner.is_object, inner.is_exported = True, is_exported
    walk.push_children(node, inner)


def holds_functions(node: Node) -> bool:
    """Whether an object literal has methods or function-valued properties of its own."""
    for child in node.named_children:
        if child.type == "method_definition":
            return True
        if child.type == "pair":
            value = unwrap(pair_parts(child)[1])
            if value is not None and value.type in FUNCTIONS:
                return True
    return False
