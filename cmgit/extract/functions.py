"""Rows of functions, parameters, `this`, and the members of object literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.codes import ValueOp
from cmgit.core.facts import NONE
from cmgit.extract.binder import Context
from cmgit.extract.bindings import ClassScope, Function, Scope
from cmgit.extract.lower import Lowering
from cmgit.extract.lower_types import type_row
from cmgit.extract.nodes import call_parts, pair_parts

if TYPE_CHECKING:
    from tree_sitter import Node

_UNKNOWN = 0
Prop = tuple[str, int, int]


# -- this -----------------------------------------------------------------------------------------


def _owner(scope: Scope) -> Function:
    function = scope.function
    while function.arrow and function.outer is not None:
        function = function.outer
    return function


def this_row(low: Lowering, scope: Scope) -> int:
    """The row of `this` in a scope; UNKNOWN where it depends on the caller."""
    function = _owner(scope)
    this, values = function.this, low.values
    if this.kind == "written":
        annotation = this.node.child_by_field_name("type") if this.node is not None else None
        return type_row(low, annotation, function.scope) if annotation is not None else _UNKNOWN
    if function.doc is not None and low.binder.javascript:
        from cmgit.extract.jsdoc import tag_type

        typed = tag_type(low, function.doc, "this", function.scope)
        if typed:
            return typed
    if this.kind == "class" and this.owner is not None:
        unit = this.owner.unit
        if unit is None:
            return _UNKNOWN
        return values.row(ValueOp.STATIC_THIS if this.static else ValueOp.THIS, unit)
    if this.kind == "object" and this.scope is not None and this.node is not None:
        literal = low.expr(this.node, this.scope)
        expected = context_row(low, this.node.id)
        return values.row(ValueOp.DECLARED, expected, literal) if expected else literal
    if this.kind == "member" and this.node is not None and this.scope is not None:
        return _assigned_this(low, this.node, this.scope)
    if this.kind == "module":
        return values.row(ValueOp.EXPORTS)
    if function.unit is not None and this.kind == "plain":
        return values.row(ValueOp.THIS, function.unit)
    return _UNKNOWN


def _assigned_this(low: Lowering, target: Node, scope: Scope) -> int:
    """`this` in `target.m = function () {}`."""
    if target.type == "member_expression":
        name = target.child_by_field_name("property")
        if name is not None and low.binder.text(name) == "prototype":
            row = low.expr(target.child_by_field_name("object"), scope)
            if row and low.values.op[row] == ValueOp.UNIT:
                return low.values.row(ValueOp.THIS, low.values.a[row])
            return low.values.row(ValueOp.NEW, row) if row else _UNKNOWN
    return low.expr(target, scope)


def super_row(low: Lowering, scope: Scope) -> int:
    function = _owner(scope)
    owner: ClassScope | None = function.this.owner
    if function.this.kind != "class" or owner is None or owner.unit is None:
        return _UNKNOWN
    return low.values.row(ValueOp.SUPER, owner.unit, 1 if function.this.static else 0)


# -- parameters -----------------------------------------------------------------------------------


def _parameter_parts(node: Node) -> tuple[Node | None, Node | None, bool]:
    """Written type, default value, and whether it is a rest parameter."""
    kind = node.type
    if kind.endswith("_parameter"):
        pattern = node.child_by_field_name("pattern")
        rest = pattern is not None and pattern.type == "rest_pattern"
        return node.child_by_field_name("type"), node.child_by_field_name("value"), rest
    if kind == "assignment_pattern":
        return None, node.child_by_field_name("right"), False
    return None, None, kind == "rest_pattern"


def _parameter_name(low: Lowering, node: Node) -> str:
    kind = node.type
    if kind.endswith("_parameter"):
        node = node.child_by_field_name("pattern") or node
        kind = node.type
    if kind == "assignment_pattern":
        node = node.child_by_field_name("left") or node
    if kind == "rest_pattern" and node.named_children:
        node = node.named_children[0]
    return low.binder.text(node) if node.type == "identifier" else ""


def written_parameter(low: Lowering, made: Function, index: int) -> int:
    """The row of a parameter's written type (annotation or JSDoc), or UNKNOWN."""
    if index >= len(made.parameters):
        return _UNKNOWN
    node = made.parameters[index]
    annotation, _, rest = _parameter_parts(node)
    if annotation is not None:
        return type_row(low, annotation, made.scope)
    if made.doc is not None and low.binder.javascript:
        from cmgit.extract.jsdoc import parameter_type

        row = parameter_type(low, made.doc, _parameter_name(low, node), index, made.scope)
        if row and rest and low.values.op[row] != ValueOp.ARRAY:
            row = low.values.row(ValueOp.ARRAY, row)
        return row
    return _UNKNOWN


def parameter_row(low: Lowering, made: Function, index: int) -> int:
    """What is known of a parameter inside its function: its type, its default, or what the context gives."""
    written = written_parameter(low, made, index)
    if written or index >= len(made.parameters):
        return written
    _, default, rest = _parameter_parts(made.parameters[index])
    rows: list[int] = []
    expected = context_row(low, made.node.id)
    if expected:
        row = low.values.row(ValueOp.CALLBACK_PARAM, expected, -index - 2 if rest else index)
        rows.append(row)
    if default is not None:
        row = low.expr(default, made.scope)
        if row and not low.values.is_null(row):
            rows.append(row)
    return low.values.union(rows) if rows else _UNKNOWN


def context_row(low: Lowering, node_id: int) -> int:
    """The row of what the surroundings of an expression ask for, or UNKNOWN."""
    if low.depth > 60:
        return _UNKNOWN
    context = low.binder.contexts.get(node_id)
    if context is None:
        return _UNKNOWN
    low.depth += 1
    try:
        return _context_row(low, context)
    finally:
        low.depth -= 1


def _context_row(low: Lowering, context: Context) -> int:
    values, kind, node, scope = low.values, context.kind, context.node, context.scope
    if kind == "argument":
        new = node.type == "new_expression"
        callee = node.child_by_field_name("constructor") if new else call_parts(node)[0]
        row = low.expr(callee, scope)
        if not row:
            return _UNKNOWN
        types = low.type_arguments(node.child_by_field_name("type_arguments"), scope)
        if types != NONE:
            row = values.row(ValueOp.INSTANTIATE, row, types)
        else:
            # earlier arguments tell type parameters
            first = _earlier_arguments(low, node, scope, context.position)
            if first != NONE and not new:
                row = values.row(ValueOp.CALL, row, first)
                return values.row(ValueOp.EXPECTED, row, context.position, 0)
        return values.row(ValueOp.NEW_EXPECTED if new else ValueOp.EXPECTED, row, context.position)
    if kind == "property":
        return values.member(context_row(low, node.id), context.name)
    if kind == "type":
        return type_row(low, node, scope)
    if kind == "return":
        return _expected_return(low, context.function)
    if kind == "element":
        outer = context_row(low, node.id)
        return values.row(ValueOp.ELEMENT, outer) if outer else _UNKNOWN
    if kind == "same":
        return context_row(low, node.id)
    if kind == "assigned":
        left = node.child_by_field_name("left")
        return low.expr(left, scope)
    return _UNKNOWN


def _earlier_arguments(low: Lowering, call: Node, scope: Scope, index: int) -> int:
    arguments = call.child_by_field_name("arguments")
    if arguments is None or index == 0:
        return NONE
    rows: list[int] = []
    for child in arguments.named_children:
        if child.type == "comment":
            continue
        if len(rows) >= index or child.type == "spread_element":
            break
        simple = child.type in (
            "string",
            "identifier",
            "member_expression",
            "this",
            "new_expression",
            "call_expression",
        )
        rows.append(low.expr(child, scope) if simple else _UNKNOWN)
    return low.values.list_row(rows) if any(rows) else NONE


def _expected_return(low: Lowering, function: Function | None) -> int:
    if function is None:
        return _UNKNOWN
    values = low.values
    annotation = function.result
    if annotation is not None:
        row = type_row(low, annotation, function.scope)
    else:
        outer = context_row(low, function.node.id)
        row = values.row(ValueOp.RETURNED, outer) if outer else _UNKNOWN
    if row and function.asynchronous:
        return values.row(ValueOp.AWAIT, row)
    return row


# -- functions ------------------------------------------------------------------------------------


def function_props(low: Lowering, made: Function) -> list[Prop]:
    """What is known of a function: result, parameter types, type parameters, predicate."""
    props: list[Prop] = []
    result = return_row(low, made)
    if result:
        props.append(("()", result, 0))
    for index, node in enumerate(made.parameters):
        row = written_parameter(low, made, index)
        if row:
            rest = _parameter_parts(node)[2]
            if rest:
                props.append((f"(...{index})", row, 0))
            else:
                props.append((f"({index})", row, 0))
    props.extend(_type_parameter_props(low, made.type_parameters, made.scope))
    predicate = made.result
    if predicate is not None and predicate.type in ("type_predicate_annotation", "asserts_annotation"):
        props.extend(_predicate(low, made, predicate))
    return props


def _predicate(low: Lowering, made: Function, node: Node) -> list[Prop]:
    while node.named_children and node.type != "type_predicate":
        node = node.named_children[0]
    name, typed = node.child_by_field_name("name"), node.child_by_field_name("type")
    if node.type != "type_predicate" or name is None or typed is None:
        return []
    text = low.binder.text(name)
    for index, parameter in enumerate(made.parameters):
        if _parameter_name(low, parameter) == text:
            row = type_row(low, typed, made.scope)
            return [(f"(?{index})", row, 0)] if row else []
    return []


def type_parameter_props(low: Lowering, node: Node, scope: Scope) -> list[Prop]:
    return _type_parameter_props(low, node.child_by_field_name("type_parameters"), scope)


def _type_parameter_props(low: Lowering, listed: Node | None, scope: Scope) -> list[Prop]:
    if listed is None:
        return []
    props: list[Prop] = []
    for child in listed.named_children:
        name = child.child_by_field_name("name")
        binding = scope.types.get(low.binder.text(name)) if name is not None else None
        if binding is not None:
            from cmgit.extract.lower_types import type_parameter

            props.append((f"<{len(props)}>", type_parameter(low, binding), 0))
    return props


def return_row(low: Lowering, made: Function) -> int:
    """The row of a call's result: the written type, or what the body returns."""
    values = low.values
    node = made.node
    annotation = made.result or (
        node.child_by_field_name("type") if node.type in ("construct_signature", "constructor_type") else None
    )
    if annotation is not None:
        if annotation.type in ("type_predicate_annotation", "asserts_annotation", "asserts", "type_predicate"):
            return values.literal("boolean")
        return type_row(low, annotation, made.scope)
    if made.doc is not None and low.binder.javascript:
        from cmgit.extract.jsdoc import tag_type

        row = tag_type(low, made.doc, "returns", made.scope)
        if row:
            return row
    if made.generator:
        return _UNKNOWN
    if not made.returns:
        return values.row(ValueOp.PROMISE, values.literal("void")) if made.asynchronous else _UNKNOWN
    rows = [low.expr(value, scope) for value, scope in made.returns[:16]]
    result = values.union([row for row in rows if row])
    if result and made.asynchronous:
        return values.row(ValueOp.PROMISE, values.row(ValueOp.AWAIT, result))
    return result


# -- object literals ------------------------------------------------------------------------------


def object_members(low: Lowering, node: Node, scope: Scope) -> list[Prop]:
    """Members of an object literal."""
    members: list[Prop] = []
    binder = low.binder
    for child in node.named_children[:512]:
        kind = child.type
        if kind == "pair":
            key, value = pair_parts(child)
            if key is None or value is None:
                continue
            row = low.expr(value, scope)
            own = binder.unit_of_node.get(child.id)
            if row == _UNKNOWN and own is not None:
                row = low.values.row(ValueOp.UNIT, own)
            members.append((binder.key(key), row, 0))
        elif kind == "method_definition":
            key = child.child_by_field_name("name")
            if key is None:
                continue
            row = low.expr(child, scope)
            first = child.children[0].type
            if first == "get":
                row = low.values.row(ValueOp.GETTER, row)
            elif first == "set":
                continue
            members.append((binder.key(key), row, 0))
        elif kind == "shorthand_property_identifier":
            members.append((binder.text(child), low.expr(child, scope), 0))
        elif kind == "spread_element" and child.named_children:
            row = low.expr(child.named_children[0], scope)
            members.append(("...", row, 0))
    return members
