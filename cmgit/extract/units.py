"""Units of one syntax tree: declarations, named callbacks, blocks."""

from __future__ import annotations

from functools import cache

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.core.facts import NONE, UnitColumns
from cmgit.extract.lines import Lines
from cmgit.extract.parse import ERROR_KIND, load_grammar
from cmgit.extract.strings import Interner
from cmgit.extract.unit_assignments import on_assignment
from cmgit.extract.unit_calls import on_call
from cmgit.extract.unit_declarations import on_class, on_function_expression
from cmgit.extract.unit_members import on_field, on_method, on_object, on_pair
from cmgit.extract.unit_statements import DECLARATIONS, Declaration, container, on_export, on_expression_statement
from cmgit.extract.unit_table import UnitRow
from cmgit.extract.unit_walk import Handler, Scope, Walk, descend, descend_if_loud

# Nothing in these is a unit. Types are long in some files and hold none.
_CLOSED = (
    "type_annotation",
    "type_arguments",
    "type_parameters",
    "type_identifier",
    "predefined_type",
    "union_type",
    "object_type",
    "function_type",
    "generic_type",
    "conditional_type",
    "literal_type",
    "lookup_type",
    "import_statement",
    "import_alias",
    "identifier",
    "property_identifier",
    "private_property_identifier",
    "shorthand_property_identifier",
    "statement_identifier",
    "string",
    "number",
    "regex",
    "true",
    "false",
    "null",
    "undefined",
    "this",
    "super",
    "jsx_text",
    "hash_bang_line",
    "html_comment",
    "empty_statement",
    "asserts",
    "type_predicate",
    "type_predicate_annotation",
    "asserts_annotation",
    "adding_type_annotation",
    "omitting_type_annotation",
    "opting_type_annotation",
    "implements_clause",
    "extends_type_clause",
    "accessibility_modifier",
    "override_modifier",
    "optional_chain",
    "meta_property",
    "jsx_closing_element",
    "break_statement",
    "continue_statement",
    "debugger_statement",
    "namespace_export",
    "export_clause",
    "index_signature",
    "property_signature",
)

# Units stand in these only where functions, classes, objects, assignments or comments do.
_EXPRESSIONS = (
    "arguments", "array", "array_pattern", "augmented_assignment_expression", "await_expression", "binary_expression",
    "formal_parameters", "jsx_attribute", "jsx_element", "jsx_expression", "jsx_opening_element",
    "jsx_self_closing_element", "member_expression", "new_expression", "non_null_expression", "object_pattern",
    "parenthesized_expression", "return_statement", "sequence_expression", "spread_element", "subscript_expression",
    "template_string", "template_substitution", "ternary_expression", "throw_statement", "unary_expression",
    "update_expression", "yield_expression",
)  # fmt: skip

_HANDLERS: dict[str, Handler] = {
    "export_statement": on_export,
    "expression_statement": on_expression_statement,
    "class": on_class,
    "method_definition": on_method,
    "method_signature": on_method,
    "abstract_method_signature": on_method,
    "field_definition": on_field,
    "public_field_definition": on_field,
    "pair": on_pair,
    "object": on_object,
    "assignment_expression": on_assignment,
    "call_expression": on_call,
    "arrow_function": on_function_expression,
    "function_expression": on_function_expression,
    "generator_function": on_function_expression,
}


@cache
def _handlers(grammar: str) -> dict[int, Handler | None]:
    """Handlers of all kinds of nodes by their ids; several ids may share a name."""
    language = load_grammar(grammar)
    by_name: dict[str, Handler | None] = {
        **dict.fromkeys(_CLOSED),
        **dict.fromkeys(_EXPRESSIONS, descend_if_loud),
        **_HANDLERS,
    }
    by_name.update({name: _as_handler(declaration) for name, declaration in DECLARATIONS.items()})
    by_name["comment"] = _on_comment
    table: dict[int, Handler | None] = {ERROR_KIND: _on_error}
    for kind in range(language.node_kind_count):
        name = language.node_kind_for_id(kind) or ""
        table[kind] = by_name.get(name, descend) if language.node_kind_is_named(kind) else None
    return table


def _as_handler(declaration: Declaration) -> Handler:
    def handler(walk: Walk, node: Node, scope: Scope) -> None:
        declaration(walk, node, scope, None, 0)

    return handler


def _on_comment(walk: Walk, node: Node, _: Scope) -> None:
    walk.comment(node.start_byte, node.end_byte)


def _on_error(walk: Walk, node: Node, scope: Scope) -> None:
    """What the parser kept inside an error is as good as outside of it."""
    if scope.top:
        container(walk, node, scope)
    else:
        walk.push_children(node, scope)


def collect_units(
    root: Node, grammar: str, source: bytes, start: int, strings: Interner, lines: Lines
) -> tuple[UnitColumns, dict[int, int]]:
    """The units of a tree and the rows of their declaring nodes.

    Args:
        source: the text that was parsed; offsets are the outer file's.
        start: where the file's own text begins, past a byte-order mark.
    """
    walk = Walk(source, _handlers(grammar))
    flags = UnitFlag.PARTIAL if root.has_error else 0
    size = len(source)
    walk.table.add(UnitRow(UnitKind.FILE, "", "", NONE, start, size, start, start, 0, 0, int(flags)))
    walk.table.node_rows[root.id] = 0
    container(walk, root, Scope(0, top=True))
    walk.run()
    for row in walk.table.rows:
        if row.name in walk.exported and row.qualname == row.name and row.kind not in _NEVER_EXPORTED:
            row.flags |= walk.exported[row.name]
    return walk.table.columns(strings, lines)


_NEVER_EXPORTED = frozenset({UnitKind.FILE, UnitKind.CALLBACK, UnitKind.BLOCK, UnitKind.METHOD})
