"""Second pass: expressions to rows of the value graph, lexical scope resolved.

Equal expressions share a row; object literals and functions have a row of their own. Evaluation is lazy and bounded
in depth: what lies deeper is UNKNOWN.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from cmgit.core.codes import ValueOp
from cmgit.core.facts import NONE
from cmgit.extract.binder import Binder
from cmgit.extract.bindings import CLASSES, FUNCTIONS, Binding, Function, Scope, Source
from cmgit.extract.nodes import call_parts, member_parts, sides, subscript_parts
from cmgit.extract.parse import ERROR_KIND, load_grammar
from cmgit.extract.strings import Interner

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 70
_MAX_UNION = 12
_UNKNOWN = 0
_MEMBER = ValueOp.MEMBER
_CALL = ValueOp.CALL

_LITERALS = {
    "string": "string", "template_string": "string", "number": "number", "regex": "RegExp", "true": "boolean",
    "false": "boolean", "null": "null", "undefined": "undefined", "update_expression": "number",
    "jsx_element": "jsx", "jsx_self_closing_element": "jsx", "jsx_fragment": "jsx",
}  # fmt: skip
_NUMERIC = frozenset({"-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>"})


class Values:
    """The value table of a blob under construction."""

    def __init__(self, strings: Interner) -> None:
        self.strings = strings
        self.op = array("i")
        self.a = array("i")
        self.b = array("i")
        self.name = array("i")
        self.args = array("i")
        self.prop_unit = array("i")
        self.prop_name = array("i")
        self.prop_value = array("i")
        self.prop_static = array("i")
        self._rows: dict[tuple[int, int, int, int], int] = {}
        self._lists: dict[tuple[int, ...], int] = {}
        self.row(ValueOp.UNKNOWN)

    def row(self, op: int, a: int = NONE, b: int = NONE, name: int = NONE) -> int:
        """The row of an expression, shared by equal ones."""
        key = (op, a, b, name)
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = len(self.op)
            self.op.append(op)
            self.a.append(a)
            self.b.append(b)
            self.name.append(name)
        return found

    def fresh(self, op: int, a: int = NONE, b: int = NONE, name: int = NONE) -> int:
        """A row of its own."""
        self.op.append(op)
        self.a.append(a)
        self.b.append(b)
        self.name.append(name)
        return len(self.op) - 1

    def literal(self, name: str) -> int:
        return self.row(ValueOp.LITERAL, name=self.strings.id(name))

    def member(self, value: int, name: str) -> int:
        if value == _UNKNOWN:
            return _UNKNOWN
        return self.row(_MEMBER, value, NONE, self.strings.id(name))

    def list_row(self, rows: list[int]) -> int:
        if not rows:
            return NONE
        key = tuple(rows)
        found = self._lists.get(key)
        if found is None:
            found = self._lists[key] = len(self.args)
            self.args.append(len(rows))
            self.args.extend(rows)
        return found

    def union(self, rows: list[int]) -> int:
        distinct = list(dict.fromkeys(rows))
        if len(distinct) > 1:
            kept = [row for row in distinct if not self._nullish(row)]
            distinct = kept or distinct[:1]
        if not distinct:
            return _UNKNOWN
        result = distinct[0]
        for row in distinct[1:_MAX_UNION]:
            result = self.row(ValueOp.UNION, result, row)
        return result

    def _nullish(self, row: int) -> bool:
        return self.op[row] == ValueOp.LITERAL and self.name[row] in self._nulls()

    def _nulls(self) -> tuple[int, ...]:
        return (self.strings.id("null"), self.strings.id("undefined"), self.strings.id("void"))

    def is_null(self, row: int) -> bool:
        return self._nullish(row)

    def props(self, row: int, members: list[tuple[str, int, int]]) -> None:
        """Gives an OBJECT or FUNCTION row its members: (name, value, static)."""
        self.a[row] = len(self.prop_name)
        self.b[row] = len(members)
        for name, value, static in members:
            self.prop(NONE, name, value, static)

    def prop(self, unit: int, name: str, value: int, static: int = 0) -> None:
        self.prop_unit.append(unit)
        self.prop_name.append(self.strings.id(name))
        self.prop_value.append(value)
        self.prop_static.append(static)


class Lowering:
    """Evaluates expressions of one bound blob."""

    def __init__(self, binder: Binder, strings: Interner) -> None:
        self.binder = binder
        self.values = Values(strings)
        self.strings = strings
        self.memo: dict[int, int] = {}
        self.table, self.spread = _kinds(binder.grammar)
        self.depth = 0
        self.type_params = 0
        self.type_memo: dict[int, int] = {}
        self.typedefs: dict[str, tuple[str, int, int, Scope]] = {}
        self.exported: list[tuple[str, Node, Scope, int | None]] = []
        self.instance_values: dict[int, list[tuple[str, Node, Scope]]] = {}
        self.instance_assignments: dict[int, dict[str, list[int]]] = {}
        self.static_values: list[tuple[int, str, Node, Scope]] = []
        self.prototypes: list[tuple[int, Node, Scope]] = []
        self.bases: list[tuple[int, Node | None, Scope]] = []
        self.merged: list[tuple[Any, Node, Scope]] = []
        self.typedef_rows: dict[str, int] = {}
        self.jsdoc_tags: dict[tuple[int, int], list[tuple[str, str, str]]] = {}
        self.jsdoc_memo: dict[tuple[str, int], int] = {}
        self.jsdoc_imports: dict[str, int] = {}

    # -- expressions --------------------------------------------------------------------------------

    def expr(self, node: Node | None, scope: Scope) -> int:
        """The row of an expression; UNKNOWN where nothing is known."""
        if node is None:
            return _UNKNOWN
        key = node.id
        found = self.memo.get(key)
        if found is not None:
            return found
        if self.depth > MAX_DEPTH:
            return _UNKNOWN
        handler = self.table[node.kind_id]
        result = _UNKNOWN
        if handler is not None:
            self.depth += 1
            result = handler(self, node, scope)
            self.depth -= 1
        self.memo[key] = result
        return result

    def arguments(self, node: Node | None, scope: Scope) -> int:
        if node is None or node.type == "template_string":
            return NONE
        rows: list[int] = []
        memo, tokens = self.memo, self.binder.kinds.tokens
        for child in node.children:
            kind = child.kind_id
            if kind in tokens:
                continue
            if kind == self.spread:
                break
            found = memo.get(child.id)
            rows.append(self.expr(child, scope) if found is None else found)
            if len(rows) >= 8:
                break
        while rows and rows[-1] == _UNKNOWN:
            rows.pop()
        return self.values.list_row(rows)

    def type_arguments(self, node: Node | None, scope: Scope) -> int:
        from cmgit.extract.lower_types import type_row

        if node is None:
            return NONE
        return self.values.list_row(
            [type_row(self, child, scope) for child in node.named_children if child.type != "comment"]
        )

    # -- names --------------------------------------------------------------------------------------

    def name(self, text: str, scope: Scope) -> int:
        looked: Scope | None = scope
        while looked is not None:
            binding = looked.values.get(text)
            if binding is not None:
                row = binding.row
                if row is None:
                    return self.binding(binding)
                return _UNKNOWN if row < 0 else row
            looked = looked.parent
        if text == "undefined":
            return self.values.literal("undefined")
        if text == "exports":
            return self.values.row(ValueOp.EXPORTS)
        if text == "arguments":
            return _UNKNOWN
        return self.values.row(ValueOp.GLOBAL, name=self.strings.id(text))

    def binding(self, binding: Binding) -> int:
        """The row of a declared name."""
        row = binding.row
        if row is not None:
            return _UNKNOWN if row < 0 else row
        binding.row = -1
        self.depth += 1
        try:
            row = self._binding(binding) if self.depth <= MAX_DEPTH else _UNKNOWN
        finally:
            self.depth -= 1
        binding.row = row
        return row

    def _binding(self, binding: Binding) -> int:
        kind, values = binding.kind, self.values
        if kind == "import":
            return values.row(ValueOp.IMPORT, binding.unit or 0)
        if kind in ("function", "class", "enum", "namespace", "interface", "alias"):
            if binding.unit is not None:
                return values.row(ValueOp.UNIT, binding.unit)
            if kind == "function" and binding.node is not None:
                return self.expr(binding.node, binding.scope)
            return _UNKNOWN
        if kind == "narrowed":
            return self._narrowed(binding)
        if kind == "parameter":
            known = self.variable_value(binding)
            return values.row(ValueOp.PARAM, known if known else NONE, NONE, self._bound_name(binding))
        if binding.unit is not None and kind in ("variable", "constant"):
            return values.row(ValueOp.UNIT, binding.unit)
        return self.variable_value(binding)

    def _bound_name(self, binding: Binding) -> int:
        node = binding.node
        return self.strings.id(self.binder.text(node)) if node is not None else NONE

    def _narrowed(self, binding: Binding) -> int:
        source = binding.source
        base = binding.scope.value(source.name) if source is not None else None
        if source is None or base is None:
            return _UNKNOWN
        row = self.binding(base)
        test = self.expr(source.node, binding.scope)
        if test == _UNKNOWN:
            return row
        op = ValueOp.NARROWED if source.kind == "instance" else ValueOp.GUARDED
        return self.values.row(op, row, test)

    def declared_type(self, binding: Binding) -> int:
        """The row of a variable's written type, or UNKNOWN."""
        from cmgit.extract.lower_types import type_row

        if binding.annotation is not None:
            return type_row(self, binding.annotation, binding.scope)
        if binding.doc is not None:
            from cmgit.extract.jsdoc import cast_type

            return cast_type(self, binding.doc, binding.scope)
        return _UNKNOWN

    def variable_value(self, binding: Binding) -> int:
        """What a variable or parameter holds: its type, its first value, else what is assigned to it."""
        values = self.values
        typed = self.declared_type(binding)
        source = binding.source
        initial = self.source(source) if source is not None else _UNKNOWN
        if typed:
            result = values.row(ValueOp.DECLARED, typed, initial) if binding.constant and initial else typed
        elif initial and not values.is_null(initial):
            result = initial
        else:
            rows = [row for row in (self.source(s) for s in binding.assigned[:_MAX_UNION]) if row]
            result = values.union(rows) if rows else initial
        return self.extended(result, binding)

    def extended(self, row: int, binding: Binding) -> int:
        """Adds members that are assigned later: `x.f = function () {}`."""
        if not binding.expandos or binding.unit is not None:
            return row
        made = self.values.fresh(ValueOp.OBJECT, 0, 0)
        result = self.values.row(ValueOp.EXTENDED, row, made)
        binding.row = result
        members = [(name, self.expr(node, scope), 0) for name, node, scope in binding.expandos]
        self.values.props(made, members)
        return result

    def source(self, source: Source | None) -> int:
        """The row of where a variable's value comes from."""
        if source is None:
            return _UNKNOWN
        kind, values = source.kind, self.values
        if kind == "value":
            return self.expr(source.node, source.scope) if source.scope is not None else _UNKNOWN
        if kind == "member":
            return values.member(self.source(source.source), source.name)
        if kind == "element":
            row = self.expr(source.node, source.scope) if source.scope is not None else _UNKNOWN
            return values.row(ValueOp.ELEMENT, row) if row else _UNKNOWN
        if kind == "item":
            return values.member(self.source(source.source), str(source.position))
        if kind == "rest":
            return self.source(source.source)
        if kind == "key":
            return values.literal("string")
        if kind == "default":
            first = self.source(source.source)
            second = self.expr(source.node, source.scope) if source.scope is not None else _UNKNOWN
            return values.union([row for row in (first, second) if row])
        if kind == "parameter":
            from cmgit.extract.functions import parameter_row

            return parameter_row(self, source.function, source.position) if source.function is not None else _UNKNOWN
        if kind == "type":
            from cmgit.extract.lower_types import type_row

            return type_row(self, source.node, source.scope) if source.node is not None and source.scope else _UNKNOWN
        return _UNKNOWN

    def this(self, scope: Scope) -> int:
        from cmgit.extract.functions import this_row

        return this_row(self, scope)


# -- handlers -------------------------------------------------------------------------------------

_Handler = Callable[[Lowering, "Node", Scope], int]


def _identifier(low: Lowering, node: Node, scope: Scope) -> int:
    return low.name(low.binder.text(node), scope)


def _member(low: Lowering, node: Node, scope: Scope) -> int:
    target, name = member_parts(node)
    if target is None or name is None:
        return _UNKNOWN
    text = low.binder.text(name)
    of_module = text == "exports" and target.type == "identifier" and low.binder.text(target) == "module"
    if of_module and scope.value("module") is None:
        return low.values.row(ValueOp.EXPORTS)
    return low.values.member(low.expr(target, scope), text)


def _subscript(low: Lowering, node: Node, scope: Scope) -> int:
    target, index = subscript_parts(node)
    row = low.expr(target, scope)
    if row == _UNKNOWN or index is None:
        return _UNKNOWN
    if index.type == "string":
        return low.values.member(row, low.binder.string(index))
    if index.type == "number":
        return low.values.member(row, low.binder.text(index))
    return low.values.row(ValueOp.KEYED, row)


def _call(low: Lowering, node: Node, scope: Scope) -> int:
    values = low.values
    request = low.binder.import_of.get(node.id)
    callee, arguments = call_parts(node)
    if request is not None:
        row = values.row(ValueOp.IMPORT, request)
        return values.row(ValueOp.PROMISE, row) if callee is not None and callee.type == "import" else row
    if callee is None:
        return _UNKNOWN
    row = low.expr(callee, scope)
    if row == _UNKNOWN:
        return _UNKNOWN
    if callee.type == "identifier" and low.binder.text(callee) == "await":
        inner = arguments.named_children if arguments is not None else []
        return values.row(ValueOp.AWAIT, low.expr(inner[0], scope)) if inner else _UNKNOWN
    if len(node.children) > 2:
        types = low.type_arguments(node.child_by_field_name("type_arguments"), scope)
        if types != NONE:
            row = values.row(ValueOp.INSTANTIATE, row, types)
    return values.row(_CALL, row, low.arguments(arguments, scope))


def _new(low: Lowering, node: Node, scope: Scope) -> int:
    values = low.values
    row = low.expr(node.child_by_field_name("constructor"), scope)
    if row == _UNKNOWN:
        return _UNKNOWN
    types = low.type_arguments(node.child_by_field_name("type_arguments"), scope)
    if types != NONE:
        row = values.row(ValueOp.INSTANTIATE, row, types)
    return values.row(ValueOp.NEW, row, low.arguments(node.child_by_field_name("arguments"), scope))


def _function(low: Lowering, node: Node, _scope: Scope) -> int:
    from cmgit.extract.functions import function_props

    made = low.binder.functions.get(node.id)
    if made is None:
        return _UNKNOWN
    if made.unit is not None and made.unit not in low.binder.wrapped:
        return low.values.row(ValueOp.UNIT, made.unit)
    row = low.values.fresh(ValueOp.FUNCTION, 0, 0)
    low.memo[node.id] = row
    low.values.props(row, function_props(low, made))
    return row


def _class(low: Lowering, node: Node, _scope: Scope) -> int:
    made = low.binder.classes.get(node.id)
    if made is None or made.unit is None:
        return _UNKNOWN
    return low.values.row(ValueOp.UNIT, made.unit)


def _object(low: Lowering, node: Node, scope: Scope) -> int:
    from cmgit.extract.functions import object_members

    row = low.values.fresh(ValueOp.OBJECT, 0, 0)
    low.memo[node.id] = row
    low.values.props(row, object_members(low, node, scope))
    return row


def _array(low: Lowering, node: Node, scope: Scope) -> int:
    rows: list[int] = []
    for child in node.named_children[:24]:
        if child.type == "spread_element":
            inner = low.expr(child.named_children[0], scope) if child.named_children else _UNKNOWN
            if inner:
                rows.append(low.values.row(ValueOp.ELEMENT, inner))
        elif child.type != "comment":
            rows.append(low.expr(child, scope))
    known = [row for row in rows if row]
    return low.values.row(ValueOp.ARRAY, low.values.union(known) if known else NONE)


def _first(low: Lowering, node: Node, scope: Scope) -> int:
    inner = node.named_children
    return low.expr(inner[0], scope) if inner else _UNKNOWN


def _parenthesised(low: Lowering, node: Node, scope: Scope) -> int:
    """`(x)`, or a cast by the doc comment before it."""
    result = _first(low, node, scope)
    if low.binder.javascript:
        doc = low.binder.casts.get(node.start_byte)
        if doc is not None:
            from cmgit.extract.jsdoc import cast_type

            low.depth -= 1
            result = cast_type(low, doc, scope) or result
            low.depth += 1
    return result


def _last(low: Lowering, node: Node, scope: Scope) -> int:
    inner = node.named_children
    return low.expr(inner[-1], scope) if inner else _UNKNOWN


def _as(low: Lowering, node: Node, scope: Scope) -> int:
    from cmgit.extract.lower_types import type_row

    inner = node.named_children
    if len(inner) < 2:  # `x as const`
        return low.expr(inner[0], scope) if inner else _UNKNOWN
    typed = type_row(low, inner[1], scope)
    return typed or _UNKNOWN


def _assertion(low: Lowering, node: Node, scope: Scope) -> int:
    inner = node.named_children
    if len(inner) < 2:
        return _UNKNOWN
    from cmgit.extract.lower_types import type_row

    types = inner[0].named_children
    return type_row(low, types[0], scope) if types else _UNKNOWN


def _await(low: Lowering, node: Node, scope: Scope) -> int:
    row = _first(low, node, scope)
    return low.values.row(ValueOp.AWAIT, row) if row else _UNKNOWN


def _inner_scope(low: Lowering, node: Node, scope: Scope) -> Scope:
    return low.binder.scope_of.get(node.id, scope)


def _ternary(low: Lowering, node: Node, scope: Scope) -> int:
    rows = []
    for field in ("consequence", "alternative"):
        part = node.child_by_field_name(field)
        if part is not None:
            rows.append(low.expr(part, _inner_scope(low, part, scope)))
    return low.values.union(rows)


def _binary(low: Lowering, node: Node, scope: Scope) -> int:
    operator = node.child_by_field_name("operator")
    left, right = sides(node)
    if operator is None or left is None or right is None:
        return _UNKNOWN
    word = operator.type
    if word in ("||", "??"):
        return low.values.union([low.expr(left, scope), low.expr(right, scope)])
    if word == "&&":
        return low.expr(right, _inner_scope(low, right, scope))
    if word in _NUMERIC:
        return low.values.literal("number")
    if word == "+":
        return low.values.literal("string")
    return low.values.literal("boolean")


def _assignment(low: Lowering, node: Node, scope: Scope) -> int:
    return low.expr(node.child_by_field_name("right"), scope)


def _augmented(low: Lowering, node: Node, scope: Scope) -> int:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("||=", "??="):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return low.values.union([low.expr(left, scope), low.expr(right, scope)])
    return _UNKNOWN


def _this(low: Lowering, _node: Node, scope: Scope) -> int:
    return low.this(scope)


def _super(low: Lowering, _node: Node, scope: Scope) -> int:
    from cmgit.extract.functions import super_row

    return super_row(low, scope)


def _meta(low: Lowering, _node: Node, _scope: Scope) -> int:
    values = low.values
    return values.row(ValueOp.TYPE_NAME, values.row(ValueOp.GLOBAL, name=low.strings.id("ImportMeta")))


def _unary(low: Lowering, node: Node, _scope: Scope) -> int:
    operator = node.child_by_field_name("operator")
    word = operator.type if operator is not None else ""
    return low.values.literal(
        {"!": "boolean", "typeof": "string", "void": "undefined", "delete": "boolean"}.get(word, "number")
    )


def _instantiation(low: Lowering, node: Node, scope: Scope) -> int:
    inner = node.named_children
    if not inner:
        return _UNKNOWN
    row = low.expr(inner[0], scope)
    types = low.type_arguments(inner[-1], scope) if inner[-1].type == "type_arguments" else NONE
    return low.values.row(ValueOp.INSTANTIATE, row, types) if row and types != NONE else row


def _shorthand(low: Lowering, node: Node, scope: Scope) -> int:
    return low.name(low.binder.text(node), scope)


def string_literal(low: Lowering, node: Node) -> int:
    """A short string as a type of its own: it may choose among the members of an event map."""
    size = node.end_byte - node.start_byte
    if node.type != "string" or not 2 < size <= 34:
        return low.values.literal("string")
    return low.values.literal('"' + low.binder.string(node))


def _string(low: Lowering, node: Node, _scope: Scope) -> int:
    return string_literal(low, node)


def _literal(low: Lowering, node: Node, _scope: Scope) -> int:
    return low.values.literal(_LITERALS[node.type])


_EXPRESSIONS: dict[str, _Handler] = {
    **dict.fromkeys(_LITERALS, _literal),
    "string": _string,
    **dict.fromkeys(FUNCTIONS, _function),
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "function_signature": _function,
    "method_definition": _function,
    **dict.fromkeys(CLASSES, _class),
    "identifier": _identifier,
    "type_identifier": _identifier,
    "jsx_identifier": _identifier,
    "shorthand_property_identifier": _shorthand,
    "member_expression": _member,
    "nested_identifier": _member,
    "subscript_expression": _subscript,
    "call_expression": _call,
    "new_expression": _new,
    "object": _object,
    "array": _array,
    "parenthesized_expression": _parenthesised,
    "satisfies_expression": _first,
    "non_null_expression": _first,
    "sequence_expression": _last,
    "as_expression": _as,
    "type_assertion": _assertion,
    "await_expression": _await,
    "ternary_expression": _ternary,
    "binary_expression": _binary,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "this": _this,
    "super": _super,
    "unary_expression": _unary,
    "meta_property": _meta,
    "instantiation_expression": _instantiation,
}


@cache
def _kinds(grammar: str) -> tuple[dict[int, _Handler | None], int]:
    """The handler of each kind of nodes by its id, None where nothing is known of it; the id of `...x`."""
    language = load_grammar(grammar)
    table = {kind: _EXPRESSIONS.get(language.node_kind_for_id(kind) or "") for kind in range(language.node_kind_count)}
    return {**table, ERROR_KIND: None}, language.id_for_node_kind("spread_element", True) or 0


__all__ = ["Function", "Lowering", "Values"]
