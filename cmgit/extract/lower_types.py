"""Written types to rows: a type is the row of a value of that type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cmgit.core.codes import ValueOp
from cmgit.core.facts import NONE
from cmgit.extract.bindings import Binding, Scope
from cmgit.extract.lower import MAX_DEPTH, Lowering, string_literal

if TYPE_CHECKING:
    from tree_sitter import Node

_UNKNOWN = 0
_MOST_SIGNATURES = 8
_THINGS = frozenset({ValueOp.UNIT, ValueOp.IMPORT, ValueOp.MEMBER})
_OPAQUE = frozenset({"any", "unknown", "object"})


def type_row(low: Lowering, node: Node | None, scope: Scope) -> int:
    """The row of a written type; UNKNOWN for `any`, `unknown` and what is not understood."""
    if node is None:
        return _UNKNOWN
    key = node.id
    found = low.type_memo.get(key)
    if found is not None:
        return found
    if low.depth > MAX_DEPTH:
        return _UNKNOWN
    low.depth += 1
    low.type_memo[key] = _UNKNOWN
    handler = _TYPES.get(node.type)
    result = handler(low, node, scope) if handler is not None else _UNKNOWN
    low.depth -= 1
    low.type_memo[key] = result
    return result


def type_entity(low: Lowering, text: str, scope: Scope) -> int:
    """The row of what a type's name denotes (not yet a value of it)."""
    binding = scope.type(text)
    if binding is None:
        if text in low.typedefs:
            return _UNKNOWN
        if low.binder.javascript:  # JSDoc names a class that was required
            value = scope.value(text)
            if value is not None:
                return low.binding(value)
        return low.values.row(ValueOp.GLOBAL, name=low.strings.id(text))
    if binding.kind in ("constant", "variable"):
        return low.binding(binding)
    if binding.unit is None:
        return _UNKNOWN
    if binding.kind == "import":
        return low.values.row(ValueOp.IMPORT, binding.unit)
    return low.values.row(ValueOp.UNIT, binding.unit)


def named_type(low: Lowering, text: str, scope: Scope, arguments: int = NONE) -> int:
    """The row of a value of the type called `text`."""
    binding = scope.type(text)
    if binding is not None:
        if binding.kind == "typeparam":
            return type_parameter(low, binding)
        if binding.unit is None and binding.node is not None and binding.kind in ("interface", "alias"):
            return _local_type(low, binding)
    elif text in low.typedefs:
        from cmgit.extract.jsdoc import typedef_row

        return typedef_row(low, text)
    entity = type_entity(low, text, scope)
    return low.values.row(ValueOp.TYPE_NAME, entity, arguments) if entity else _UNKNOWN


def _local_type(low: Lowering, binding: Binding) -> int:
    node = binding.node
    if node is None:
        return _UNKNOWN
    part = node.child_by_field_name("value" if binding.kind == "alias" else "body")
    return type_row(low, part, binding.scope)


def type_parameter(low: Lowering, binding: Binding) -> int:
    if binding.row is not None:
        return max(binding.row, _UNKNOWN)
    binding.row = -1
    node = binding.node
    constraint = _UNKNOWN
    text = ""
    if node is not None:
        name = node if node.type == "type_identifier" else node.child_by_field_name("name")
        text = low.binder.text(name) if name is not None else ""
        low.type_params += 1
        number = low.type_params
        row = low.values.fresh(ValueOp.TYPE_PARAM, NONE, number, low.strings.id(text))
        binding.row = row
        bound = node.child_by_field_name("constraint")
        default = node.child_by_field_name("value")
        for part in (bound, default):
            if part is not None and part.named_children and not constraint:
                constraint = type_row(low, part.named_children[0], binding.scope)
        if constraint and constraint != row:
            low.values.a[row] = constraint
        return row
    return _UNKNOWN


def _annotation(low: Lowering, node: Node, scope: Scope) -> int:
    for child in node.named_children:
        if child.type != "comment":
            return type_row(low, child, scope)
    return _UNKNOWN


def _name(low: Lowering, node: Node, scope: Scope) -> int:
    return named_type(low, low.binder.text(node), scope)


def qualified(low: Lowering, node: Node, scope: Scope) -> int:
    """The row of `A.B` in a type position, as an entity."""
    kind = node.type
    if kind in ("identifier", "type_identifier"):
        return type_entity(low, low.binder.text(node), scope)
    if kind == "call_expression":
        request = low.binder.import_of.get(node.id)
        return low.values.row(ValueOp.IMPORT, request) if request is not None else _UNKNOWN
    parts = node.named_children
    if kind in ("nested_type_identifier", "nested_identifier", "member_expression") and len(parts) >= 2:
        return low.values.member(qualified(low, parts[0], scope), low.binder.text(parts[-1]))
    return _UNKNOWN


def _qualified_type(low: Lowering, node: Node, scope: Scope) -> int:
    row = qualified(low, node, scope)
    return low.values.row(ValueOp.TYPE_NAME, row) if row else _UNKNOWN


def _generic(low: Lowering, node: Node, scope: Scope) -> int:
    name = node.child_by_field_name("name")
    if name is None:
        return _UNKNOWN
    arguments = low.type_arguments(node.child_by_field_name("type_arguments"), scope)
    if name.type == "type_identifier":
        return named_type(low, low.binder.text(name), scope, arguments)
    row = qualified(low, name, scope)
    return low.values.row(ValueOp.TYPE_NAME, row, arguments) if row else _UNKNOWN


def _predefined(low: Lowering, node: Node, _scope: Scope) -> int:
    text = low.binder.text(node)
    return _UNKNOWN if text in _OPAQUE else low.values.literal(text)


def _union(low: Lowering, node: Node, scope: Scope) -> int:
    rows: list[int] = []
    work = [node]
    while work:
        part = work.pop()
        if part.type == "union_type":
            work.extend(reversed(part.named_children))
        elif part.type != "comment":
            rows.append(type_row(low, part, scope))
    return low.values.union(rows)


def _intersection(low: Lowering, node: Node, scope: Scope) -> int:
    rows = [type_row(low, child, scope) for child in node.named_children if child.type != "comment"]
    known = [row for row in rows if row]
    if not known:
        return _UNKNOWN
    result = known[0]
    for row in known[1:]:
        result = low.values.row(ValueOp.INTERSECT, result, row)
    return result


def _array(low: Lowering, node: Node, scope: Scope) -> int:
    row = _annotation(low, node, scope)
    return low.values.row(ValueOp.ARRAY, row or NONE)


def _tuple(low: Lowering, node: Node, scope: Scope) -> int:
    rows = []
    for child in node.named_children:
        part = child.child_by_field_name("type") if child.type.endswith("_parameter") else child
        rows.append(type_row(low, part, scope))
    return low.values.row(ValueOp.TUPLE, NONE, low.values.list_row(rows))


def _inner(low: Lowering, node: Node, scope: Scope) -> int:
    return _annotation(low, node, scope)


def _object(low: Lowering, node: Node, scope: Scope) -> int:
    row = low.values.fresh(ValueOp.OBJECT, 0, 0)
    low.type_memo[node.id] = row
    low.values.props(row, type_members(low, node, scope))
    return row


def type_members(low: Lowering, node: Node, scope: Scope) -> list[tuple[str, int, int]]:
    """Members of an interface body or object type."""
    from cmgit.extract.functions import function_props

    members: list[tuple[str, int, int]] = []
    overloads: dict[str, list[int]] = {}
    calls: dict[str, list[int]] = {}
    binder, values = low.binder, low.values
    for child in node.named_children:
        kind = child.type
        name = child.child_by_field_name("name")
        if kind == "property_signature" and name is not None:
            row = type_row(low, child.child_by_field_name("type"), scope)
            members.append((binder.key(name), row, 0))
        elif kind == "method_signature" and name is not None:
            row = _signature_row(low, child)
            first = child.children[0].type
            if first == "get":
                row = values.row(ValueOp.GETTER, row)
            if first != "set":
                overloads.setdefault(binder.key(name), []).append(row)
        elif kind in ("call_signature", "construct_signature"):
            made = binder.functions.get(child.id)
            if made is None:
                continue
            props = function_props(low, made)
            if kind == "construct_signature":
                members.extend(("new", row, 0) for prop, row, _ in props if prop == "()")
            else:
                _add_call(props, calls)
        elif kind == "index_signature":
            row = type_row(low, child.child_by_field_name("type"), scope)
            if row:
                members.append(("[]", row, 0))
    for key, rows in overloads.items():
        members.append((key, values.union(rows), 0))
    members.extend((key, values.union(rows), 0) for key, rows in calls.items())
    return members


def _add_call(props: list[tuple[str, int, int]], calls: dict[str, list[int]]) -> None:
    """A call signature beside others: a call may mean any, so parameters and results are unions."""
    offset = sum(1 for key in calls if key[0] == "<")
    for name, row, _ in props:
        if name[0] == "<":
            name = f"<{offset + int(name[1:-1])}>"  # noqa: PLW2901
        rows = calls.setdefault(name, [])
        if len(rows) < _MOST_SIGNATURES:
            rows.append(row)


def _signature_row(low: Lowering, node: Node) -> int:
    from cmgit.extract.functions import function_props

    made = low.binder.functions.get(node.id)
    if made is None:
        return _UNKNOWN
    if made.unit is not None:
        return low.values.row(ValueOp.UNIT, made.unit)
    row = low.values.fresh(ValueOp.FUNCTION, 0, 0)
    low.values.props(row, function_props(low, made))
    return row


def _function(low: Lowering, node: Node, _scope: Scope) -> int:
    from cmgit.extract.functions import function_props

    made = low.binder.functions.get(node.id)
    if made is None:
        return _UNKNOWN
    row = low.values.fresh(ValueOp.FUNCTION, 0, 0)
    low.type_memo[node.id] = row
    low.values.props(row, function_props(low, made))
    return row


def _constructor(low: Lowering, node: Node, _scope: Scope) -> int:
    made = low.binder.functions.get(node.id)
    if made is None:
        return _UNKNOWN
    result = type_row(low, node.child_by_field_name("type"), made.scope)
    row = low.values.fresh(ValueOp.OBJECT, 0, 0)
    low.values.props(row, [("new", result, 0)] if result else [])
    return row


def _literal(low: Lowering, node: Node, _scope: Scope) -> int:
    inner = node.named_children
    kind = inner[0].type if inner else low.binder.text(node)
    if kind == "string":
        return string_literal(low, inner[0])
    name = {"string": "string", "number": "number", "true": "boolean", "false": "boolean"}.get(kind, kind)
    return low.values.literal(name if name in ("string", "number", "boolean", "null", "undefined") else "number")


def _typeof(low: Lowering, node: Node, scope: Scope) -> int:
    inner = node.named_children
    if not inner:
        return _UNKNOWN
    target = inner[0]
    if target.type in ("member_expression", "call_expression") and "import(" in low.binder.text(target)[:8]:
        return qualified(low, target, scope)
    row = low.expr(target, scope)
    return low.values.row(ValueOp.SIGNATURE, row) if row and low.values.op[row] in _THINGS else row


def _lookup(low: Lowering, node: Node, scope: Scope) -> int:
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) < 2:
        return _UNKNOWN
    base = type_row(low, parts[0], scope)
    if not base:
        return _UNKNOWN
    index = parts[1]
    if index.type == "literal_type" and index.named_children and index.named_children[0].type == "string":
        member = low.values.member(base, low.binder.string(index.named_children[0]))
        return low.values.row(ValueOp.SIGNATURE, member)
    key = type_row(low, index, scope)
    if key:
        return low.values.row(ValueOp.INDEX, base, key)
    return low.values.row(ValueOp.KEYED, base)


def _conditional(low: Lowering, node: Node, scope: Scope) -> int:
    inside = low.binder.scope_of.get(node.id, scope)
    rows: list[int] = []
    for field in ("left", "right", "consequence", "alternative"):
        part = node.child_by_field_name(field)
        rows.append(type_row(low, part, inside) if part is not None else _UNKNOWN)
    return low.values.row(ValueOp.CONDITIONAL, NONE, low.values.list_row(rows)) if any(rows[2:]) else _UNKNOWN


def _infer(low: Lowering, node: Node, scope: Scope) -> int:
    names = node.named_children
    return named_type(low, low.binder.text(names[0]), scope) if names else _UNKNOWN


def _string(low: Lowering, _node: Node, _scope: Scope) -> int:
    return low.values.literal("string")


def _boolean(low: Lowering, _node: Node, _scope: Scope) -> int:
    return low.values.literal("boolean")


def _this(low: Lowering, _node: Node, scope: Scope) -> int:
    return low.this(scope)


_TYPES: dict[str, Callable[[Lowering, Node, Scope], int]] = {
    "type_annotation": _annotation,
    "type_identifier": _name,
    "identifier": _name,
    "nested_type_identifier": _qualified_type,
    "member_expression": _qualified_type,
    "call_expression": _qualified_type,
    "generic_type": _generic,
    "predefined_type": _predefined,
    "union_type": _union,
    "intersection_type": _intersection,
    "array_type": _array,
    "tuple_type": _tuple,
    "readonly_type": _inner,
    "parenthesized_type": _inner,
    "optional_type": _inner,
    "rest_type": _inner,
    "object_type": _object,
    "interface_body": _object,
    "function_type": _function,
    "constructor_type": _constructor,
    "literal_type": _literal,
    "type_query": _typeof,
    "conditional_type": _conditional,
    "infer_type": _infer,
    "lookup_type": _lookup,
    "index_type_query": _string,
    "template_literal_type": _string,
    "type_predicate": _boolean,
    "asserts": _boolean,
    "this_type": _this,
}
