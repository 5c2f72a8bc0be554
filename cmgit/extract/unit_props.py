"""What is known of each unit: members, base, results, parameters, types. Written to PropColumns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.codes import ValueOp
from cmgit.core.facts import NONE
from cmgit.extract.bindings import CLASSES, Binding, ClassScope, Function, Member, Scope
from cmgit.extract.functions import (
    _parameter_parts,
    context_row,
    function_props,
    return_row,
    type_parameter_props,
    written_parameter,
)
from cmgit.extract.lower import Lowering
from cmgit.extract.lower_types import type_members, type_row

if TYPE_CHECKING:
    from tree_sitter import Node

_SIGNATURES = frozenset(
    {
        "function_signature", "method_signature", "abstract_method_signature", "call_signature", "construct_signature",
        "function_type", "constructor_type",
    }
)  # fmt: skip


def write_unit_props(low: Lowering) -> None:
    """Adds the rows of every unit of the blob."""
    _functions(low)
    for cls in low.binder.classes.values():
        if cls.unit is not None:
            _class(low, cls, cls.unit)
    for unit, node, scope in low.binder.interfaces:
        _interface(low, unit, node, scope)
    for unit, node, scope in low.binder.aliases:
        row = type_row(low, node.child_by_field_name("value"), scope)
        if row:
            low.values.prop(unit, ":", row)
        _rows(low, unit, type_parameter_props(low, node, scope))
    for binding in low.binder.variables:
        _variable(low, binding)
    _typed_literals(low)
    for unit, scope in low.binder.namespaces:
        for name, bound in [*scope.values.items(), *scope.types.items()]:
            if bound.kind != "typeparam":
                row = low.binding(bound)
                if row:
                    low.values.prop(unit, name, row, 1)


def _typed_literals(low: Lowering) -> None:
    """Object literals that are written for a type: they may be its only implementation."""
    for node, scope in low.binder.typed_literals:
        typed = context_row(low, node.id)
        if typed:
            value = low.expr(node, scope)
            low.values.prop(0, "{:}", low.values.row(ValueOp.DECLARED, typed, value))


def _rows(low: Lowering, unit: int, props: list[tuple[str, int, int]]) -> None:
    for name, value, static in props:
        low.values.prop(unit, name, value, static)


def _functions(low: Lowering) -> None:
    signatures: dict[int, list[Function]] = {}
    bodies: list[Function] = []
    for made in low.binder.functions.values():
        if made.unit is None or made.unit in low.binder.wrapped:
            continue
        if made.node.type in _SIGNATURES:
            signatures.setdefault(made.unit, []).append(made)
        else:
            bodies.append(made)
    for made in bodies:
        unit = made.unit
        assert unit is not None
        overloads = signatures.pop(unit, None)
        if overloads:
            _overloaded(low, unit, overloads)
        else:
            _rows(low, unit, function_props(low, made))
    for unit, overloads in signatures.items():
        if len(overloads) > 1:
            _overloaded(low, unit, overloads)
        else:
            _rows(low, unit, function_props(low, overloads[0]))


def _overloaded(low: Lowering, unit: int, overloads: list[Function]) -> None:
    """A call may mean any of the signatures: results and parameters are unions."""
    values = low.values
    results = [row for row in (return_row(low, made) for made in overloads[:8]) if row]
    if results:
        values.prop(unit, "()", values.union(results))
    for index in range(max(len(made.parameters) for made in overloads)):
        rows: list[int] = []
        for made in overloads[:8]:
            row = written_parameter(low, made, index)
            if row and not _parameter_parts(made.parameters[index])[2]:
                rows.append(row)
        if rows:
            values.prop(unit, f"({index})", values.union(rows))
    listed: list[tuple[str, int, int]] = []
    for made in overloads[:8]:
        listed.extend(type_parameter_props(low, made.node, made.scope))
    _rows(low, unit, [(f"<{index}>", row, 0) for index, (_, row, _) in enumerate(listed)])


# -- classes --------------------------------------------------------------------------------------


def _class(low: Lowering, cls: ClassScope, unit: int) -> None:
    values = low.values
    assigned = low.instance_assignments.get(unit, {})
    seen: dict[tuple[str, bool], list[int]] = {}
    for member in cls.members:
        row = _member(low, member)
        if member.kind == "setter" and (member.name, member.static) in seen:
            continue
        seen.setdefault((member.name, member.static), [])
        if row:
            rows = seen[member.name, member.static]
            if member.kind == "signature" and row in rows:
                continue
            rows.append(row)
    for (name, static), declared in seen.items():
        rows = assigned.get(name, []) if not declared and not static else declared
        values.prop(unit, name, values.union(rows) if rows else 0, int(static))
    for name, rows in assigned.items():
        if (name, False) not in seen and rows:
            values.prop(unit, name, values.union(rows))
    if cls.base is not None:
        row = low.expr(cls.base, cls.scope)
        arguments = low.type_arguments(cls.base_arguments, cls.scope)
        if arguments == NONE and low.binder.javascript and (doc := low.binder.docs.get(cls.node.id)) is not None:
            from cmgit.extract.jsdoc import tag_type

            typed = tag_type(low, doc, "extends", cls.scope)
            if typed and values.op[typed] == ValueOp.TYPE_NAME:
                arguments = values.b[typed]
        if arguments != NONE:
            row = values.row(ValueOp.INSTANTIATE, row, arguments)
        values.prop(unit, "<", row)
    for node in cls.implements:
        row = type_row(low, node, cls.scope)
        if row:
            values.prop(unit, "<<", row)
    _rows(low, unit, type_parameter_props(low, cls.node, cls.scope))


def _member(low: Lowering, member: Member) -> int:
    values, node = low.values, member.node
    if member.kind == "field":
        value = node.child_by_field_name("value")
        annotation = node.child_by_field_name("type")
        if member.unit is not None:
            typed = type_row(low, annotation, member.scope) if annotation is not None else 0
            if typed:
                values.prop(member.unit, ":", typed)
            return values.row(ValueOp.UNIT, member.unit)
        if annotation is not None:
            typed = type_row(low, annotation, member.scope)
            initial = low.expr(value, member.scope)
            return values.row(ValueOp.DECLARED, typed, initial) if typed and initial else typed or initial
        if low.binder.javascript and (doc := low.binder.docs.get(node.id)) is not None:
            from cmgit.extract.jsdoc import cast_type

            typed = cast_type(low, doc, member.scope)
            if typed:
                return typed
        row = low.expr(value, member.scope)
        return 0 if values.is_null(row) else row
    if member.kind == "parameter":
        annotation = node.child_by_field_name("type")
        if annotation is not None:
            return type_row(low, annotation, member.scope)
        return low.expr(node.child_by_field_name("value"), member.scope)
    row = values.row(ValueOp.UNIT, member.unit) if member.unit is not None else 0
    if member.kind == "getter" and row:
        return values.row(ValueOp.GETTER, row)
    if member.kind == "setter":
        return 0
    return row


def _interface(low: Lowering, unit: int, node: Node, scope: Scope) -> None:
    if node.type in CLASSES:
        return
    body = node.child_by_field_name("body")
    if body is not None:
        _rows(low, unit, type_members(low, body, scope))
    for child in node.named_children:
        if child.type == "extends_type_clause":
            for base in child.named_children:
                row = type_row(low, base, scope)
                if row:
                    low.values.prop(unit, "<", row)
    _rows(low, unit, type_parameter_props(low, node, scope))


def _variable(low: Lowering, binding: Binding) -> None:
    unit, values = binding.unit, low.values
    if unit is None:
        return
    typed = low.declared_type(binding)
    if typed:
        values.prop(unit, ":", typed)
    source = binding.source
    row = low.source(source) if source is not None else 0
    own = values.row(ValueOp.UNIT, unit)
    if (not row or values.is_null(row)) and binding.assigned and not typed:
        rows = [r for r in (low.source(s) for s in binding.assigned[:12]) if r]
        row = values.union(rows) if rows else row
    if row and row != own:
        values.prop(unit, "=", row)
    if source is not None and source.kind != "value":
        values.prop(unit, "{}", 0)
    if not binding.constant and not low.binder.javascript:
        values.prop(unit, "{=}", 0)
    # what is assigned to a function or class is its own, not its instances'
    static = int(source is not None and low.binder.hold(None, source.node) is not None)
    for name, node, scope in binding.expandos:
        values.prop(unit, name, low.expr(node, scope), static)
