"""Unit handlers of declarations: functions, variables, classes, types."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.extract.nodes import declarator_parts
from cmgit.extract.unit_assignments import assigned_value
from cmgit.extract.unit_calls import is_require, wrapped_function
from cmgit.extract.unit_members import enter_class, holds_functions
from cmgit.extract.unit_syntax import FUNCTIONS, bound_names, function_flags, unwrap
from cmgit.extract.unit_table import UnitRow
from cmgit.extract.unit_walk import Scope, Walk


def on_function(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """`function name() {}` as a declaration."""
    name_node = node.child_by_field_name("name")
    name = walk.text(name_node) if name_node is not None else ""
    if not name and not flags & UnitFlag.DEFAULT:
        walk.push_children(node, scope.body(node))
        return
    body = node.child_by_field_name("body")
    flags |= function_flags(node)
    row = walk.declare(
        UnitKind.FUNCTION, name, scope, outer or node, node=node, name_node=name_node, body=body, flags=flags
    )
    walk.push_children(node, walk.body_scope(scope, row, node))


def on_function_signature(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """An overload or an ambient function: no body."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    around = outer or node
    doc_start, doc_end = walk.doc_before(around.start_byte)
    flags |= UnitFlag.BODILESS | function_flags(node) | (UnitFlag.LOCAL if scope.local else 0)
    name = walk.text(name_node)
    row = UnitRow(
        UnitKind.FUNCTION,
        name,
        scope.prefix + name,
        scope.owner,
        around.start_byte,
        around.end_byte,
        name_node.start_byte,
        around.end_byte,
        doc_start,
        doc_end,
        int(flags),
    )
    walk.signature(UnitKind.FUNCTION, row, node)


def on_function_expression(walk: Walk, node: Node, scope: Scope) -> None:
    """A function as a value: known to the unit that names it, or by its own name, or part of what surrounds it."""
    bound = walk.bound.pop(node.id, None)
    if bound is None:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            bound = scope.body(node)
        else:
            name, body = walk.text(name_node), node.child_by_field_name("body")
            flags = function_flags(node)
            row = walk.declare(
                UnitKind.FUNCTION, name, scope, node, node=node, name_node=name_node, body=body, flags=flags
            )
            bound = walk.body_scope(scope, row, node)
    walk.push_children(node, bound)


@dataclass(frozen=True, slots=True)
class _Place:
    """The statement around a declarator: what the unit's range and flags come from."""

    outer: Node
    flags: int
    start: int
    end: int


def on_variables(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """`const`, `let`, `var`, `using`: one unit for each declarator that is worth one."""
    if not scope.top and walk.holds_one_sign(node):
        return
    around = outer or node
    children = node.named_children
    declarators = [child for child in children if child.type == "variable_declarator"]
    later: list[tuple[Node, Scope]] = []
    for child in children:
        if child.type != "variable_declarator":
            later.append((child, scope.inside()))
            continue
        start = around.start_byte if child == declarators[0] else child.start_byte
        end = around.end_byte if child == declarators[-1] else child.end_byte
        inner = _on_declarator(walk, child, scope, _Place(around, flags, start, end))
        later.extend([(part, inner) for part in child.children])
    for child, inner in reversed(later):
        walk.push_one(child, inner)


def _on_declarator(walk: Walk, declarator: Node, scope: Scope, place: _Place) -> Scope:
    """Declare what a declarator binds, and give the scope of its value."""
    target, _, raw = declarator_parts(declarator)
    value = unwrap(raw)
    if target is None or target.is_missing:
        return scope.inside()
    if target.type != "identifier":
        if scope.top and not is_require(walk, value):
            for name_node in bound_names(target):
                _declare_variable(walk, UnitKind.VARIABLE, name_node, scope, place, name_node, value)
        return scope.inside()
    if not scope.local:
        value = assigned_value(walk, walk.text(target), value)
    if value is None:
        return _on_data(walk, declarator, target, None, scope, place)
    function = value if value.type in FUNCTIONS else wrapped_function(walk, value)
    if function is not None:
        body = function.child_by_field_name("body")
        flags = function_flags(function)
        row = _declare_variable(walk, UnitKind.FUNCTION, target, scope, place, declarator, body, flags)
        walk.bind(function, walk.body_scope(scope, row, function), row)
        walk.table.node_rows[value.id] = row
        return scope.of(row)
    if value.type == "class":
        body = value.child_by_field_name("body")
        row = _declare_variable(walk, UnitKind.CLASS, target, scope, place, declarator, body)
        walk.bind(value, walk.member_scope(scope, row), row)
        return scope.inside()
    if is_require(walk, value):
        return scope.inside()
    return _on_data(walk, declarator, target, value, scope, place)


def _on_data(walk: Walk, declarator: Node, target: Node, value: Node | None, scope: Scope, place: _Place) -> Scope:
    """A variable that holds data: a unit at top level, and anywhere when it is an object with functions."""
    is_object = value is not None and value.type == "object"
    if scope.top or (value is not None and is_object and holds_functions(value)):
        flags = UnitFlag.BODILESS if place.outer.type == "ambient_declaration" else 0
        row = _declare_variable(walk, UnitKind.VARIABLE, target, scope, place, declarator, value, flags)
        if value is not None and is_object:
            walk.bind(value, walk.member_scope(scope, row), row)
        # What else stands in the value belongs to the variable, but is no member of it.
        return scope.of(row)
    if value is not None and is_object:
        walk.bind(value, scope.named(walk.text(target)))
    return scope.inside()


def _declare_variable(
    walk: Walk,
    kind: UnitKind,
    target: Node,
    scope: Scope,
    place: _Place,
    node: Node,
    body: Node | None,
    flags: int = 0,
) -> int:
    return walk.declare(
        kind,
        walk.text(target),
        scope,
        place.outer,
        node=node,
        name_node=target,
        body=body,
        flags=place.flags | flags,
        start=place.start,
        end=place.end,
    )


_TYPE_KINDS = {
    "interface_declaration": (UnitKind.INTERFACE, "body"),
    "type_alias_declaration": (UnitKind.TYPE, "value"),
    "enum_declaration": (UnitKind.ENUM, "body"),
}


def on_type(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """Interface, type alias, enum. Their members are no units."""
    kind, body_field = _TYPE_KINDS[node.type]
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    body = node.child_by_field_name(body_field)
    row = walk.declare(
        kind, walk.text(name_node), scope, outer or node, node=node, name_node=name_node, body=body, flags=flags
    )
    if kind == UnitKind.ENUM and body is not None:
        walk.push_children(body, scope.of(row))


def on_class(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """A class, declared or as a value."""
    bound = walk.bound.pop(node.id, None)
    if bound is not None:
        enter_class(walk, node, bound)
        return
    name_node = node.child_by_field_name("name")
    if name_node is None and not flags & UnitFlag.DEFAULT:
        enter_class(walk, node, scope.inside())
        return
    if node.type == "abstract_class_declaration":
        flags |= UnitFlag.ABSTRACT
    name = walk.text(name_node) if name_node is not None else ""
    body = node.child_by_field_name("body")
    row = walk.declare(
        UnitKind.CLASS, name, scope, outer or node, node=node, name_node=name_node, body=body, flags=flags
    )
    enter_class(walk, node, walk.member_scope(scope, row))
