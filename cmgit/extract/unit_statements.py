"""Handlers of statement lists: what is exported, what is a unit, and the runs of everything else."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.extract import unit_declarations as declarations
from cmgit.extract.unit_assignments import assigns_unit, on_assignment
from cmgit.extract.unit_calls import callback_of, on_call
from cmgit.extract.unit_syntax import first_expression, has_token, unquote, unwrap
from cmgit.extract.unit_values import declare_value, mark_exported
from cmgit.extract.unit_walk import Scope, Walk

Declaration = Callable[[Walk, Node, Scope, Node | None, int], None]

_NO_BLOCK = frozenset({"import_statement", "import_alias", "empty_statement", "hash_bang_line", "html_comment"})


def declare_statement(walk: Walk, node: Node, scope: Scope, outer: Node, flags: int) -> None:
    """A declaration inside `export` or `declare`, which give it their range."""
    handler = DECLARATIONS.get(node.type)
    if handler is not None:
        handler(walk, node, scope, outer, flags)
    else:
        walk.push((node,), scope.inside())


def container(walk: Walk, node: Node, scope: Scope) -> None:
    """The statements of a module or namespace; runs of those that are no units become blocks."""
    later: list[tuple[Node, Scope]] = []
    comments: list[tuple[int, int]] = []
    run: list[Node] = []
    run_comments: list[tuple[int, int]] = []

    def close_run() -> None:
        if run and not all(_is_directive(statement) for statement in run):
            inner = _declare_block(walk, run, scope, run_comments)
            later.extend([(statement, inner) for statement in run])
        else:
            later.extend([(statement, scope.inside()) for statement in run])
        run.clear()

    for child in node.named_children:
        kind = child.type
        if kind == "comment":
            comments.append((child.start_byte, child.end_byte))
            later.append((child, scope))
        elif (
            kind in DECLARATIONS
            or kind in _NO_BLOCK
            or kind in ("export_statement", "ERROR")
            or (kind == "expression_statement" and _is_unit_statement(walk, child))
        ):
            close_run()
            later.append((child, scope))
        else:
            if not run:
                run_comments = list(comments[-50:])
            run.append(child)
    close_run()
    later.sort(key=lambda item: item[0].start_byte)
    for child, inner in reversed(later):
        walk.push_one(child, inner)


def _is_directive(statement: Node) -> bool:
    if statement.type != "expression_statement":
        return False
    only = first_expression(statement)
    return only is not None and only.type == "string"


def _declare_block(walk: Walk, run: list[Node], scope: Scope, comments: list[tuple[int, int]]) -> Scope:
    first, last = run[0], run[-1]
    row = walk.declare(
        UnitKind.BLOCK, "", scope, first, node=first, body=first, end=last.end_byte, qualname="", comments=comments
    )
    for statement in run:
        walk.table.node_rows[statement.id] = row
        if statement.has_error:
            walk.table.rows[row].flags |= UnitFlag.PARTIAL
    return scope.of(row)


def _is_unit_statement(walk: Walk, statement: Node) -> bool:
    if walk.is_quiet(statement) and not walk.source.startswith(b"namespace", statement.start_byte):
        return False
    inner = first_expression(statement)
    if inner is None:
        return False
    if inner.type == "await_expression":
        inner = first_expression(inner) or inner
    if inner.type == "internal_module":
        return True
    if inner.type == "assignment_expression":
        return assigns_unit(walk, inner)
    return inner.type == "call_expression" and callback_of(walk, inner) is not None


def on_expression_statement(walk: Walk, node: Node, scope: Scope) -> None:
    """A statement gives its range to the one assignment, callback or namespace that it holds."""
    if walk.is_quiet(node) and not walk.source.startswith(b"namespace", node.start_byte):
        return
    inner = first_expression(node)
    kind = inner.type if inner is not None else ""
    if inner is not None and kind == "await_expression":
        inner = first_expression(inner)
        kind = inner.type if inner is not None else ""
    if inner is None:
        return
    if len(node.children) > 1:
        walk.push([child for child in node.children if child.type == "comment"], scope)
    if kind == "assignment_expression":
        on_assignment(walk, inner, scope, node)
    elif kind == "call_expression":
        on_call(walk, inner, scope, node)
    elif kind == "internal_module":
        on_namespace(walk, inner, scope, node)
    else:
        walk.push((inner,), scope.inside())


def on_export(walk: Walk, node: Node, scope: Scope) -> None:
    """`export …` in all its forms."""
    is_default = has_token(node, "default")
    flags = UnitFlag.EXPORTED | (UnitFlag.DEFAULT if is_default else 0)
    for child in node.named_children:
        if child.type == "decorator":
            walk.push((child,), scope.inside())
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        declare_statement(walk, declaration, scope, node, int(flags))
        return
    value = node.child_by_field_name("value")
    if value is not None:
        _on_default_value(walk, node, value, scope)
        return
    if has_token(node, "="):
        _on_export_equals(walk, node, scope)
        return
    if node.child_by_field_name("source") is None:
        for clause in node.named_children:
            if clause.type == "export_clause":
                _on_export_clause(walk, clause)


def _on_export_clause(walk: Walk, clause: Node) -> None:
    for specifier in clause.named_children:
        local = specifier.child_by_field_name("name")
        if specifier.type != "export_specifier" or local is None:
            continue
        outer = specifier.child_by_field_name("alias") or local
        mark_exported(walk, walk.text(local), unquote(walk.text(outer)) == "default")


def _on_export_equals(walk: Walk, node: Node, scope: Scope) -> None:
    value = first_expression(node)
    if value is None:
        return
    if value.type == "identifier":
        mark_exported(walk, walk.text(value), True)
        return
    _on_default_value(walk, node, value, scope)


def _on_default_value(walk: Walk, node: Node, value: Node, scope: Scope) -> None:
    """`export default <expression>`: a unit without a name, unless it has one of its own."""
    flags = int(UnitFlag.EXPORTED | UnitFlag.DEFAULT)
    plain = unwrap(value)
    if plain is None:
        return
    if plain.type == "identifier":
        mark_exported(walk, walk.text(plain), True)
        return
    walk.push((value,), declare_value(walk, node, plain, scope, flags))


def on_namespace(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """`namespace A.B {}` gives A and B; `declare module "x" {}` is a block whose declarations are at top level."""
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    around = outer or node
    if name_node is None:
        walk.push_children(node, scope.inside())
        return
    inner = scope
    if name_node.type == "string":
        name = unquote(walk.text(name_node))
        row = walk.declare(
            UnitKind.BLOCK, name, scope, around, node=node, name_node=name_node, body=body, flags=flags, qualname=name
        )
        inner = scope.of(row, top=True)
    else:
        parts = _name_parts(name_node)
        for part in parts:
            is_first = part is parts[0]
            row = walk.declare(
                UnitKind.NAMESPACE,
                walk.text(part),
                inner,
                around,
                node=node,
                name_node=part,
                body=body,
                flags=flags if is_first else UnitFlag.EXPORTED,
                start=None if is_first else part.start_byte,
                end=None if is_first else node.end_byte,
            )
            inner = walk.member_scope(inner, row, top=True)
    if body is not None:
        container(walk, body, inner)


def _name_parts(name_node: Node) -> list[Node]:
    parts: list[Node] = []
    stack = [name_node]
    while stack:
        node = stack.pop()
        if node.type == "nested_identifier":
            stack.extend(reversed(node.named_children))
        else:
            parts.append(node)
    return parts


def on_ambient(walk: Walk, node: Node, scope: Scope, outer: Node | None = None, flags: int = 0) -> None:
    """`declare …`: what is declared, and `declare global {}` as a block whose declarations are at top level."""
    around = outer or node
    if has_token(node, "global"):
        body = next((child for child in node.named_children if child.type == "statement_block"), None)
        row = walk.declare(
            UnitKind.BLOCK, "global", scope, around, node=node, body=body, flags=flags, qualname="global"
        )
        if body is not None:
            container(walk, body, scope.of(row, top=True))
        return
    for child in node.named_children:
        if child.type != "comment":
            declare_statement(walk, child, scope, around, flags)


DECLARATIONS: dict[str, Declaration] = {
    "function_declaration": declarations.on_function,
    "generator_function_declaration": declarations.on_function,
    "function_signature": declarations.on_function_signature,
    "class_declaration": declarations.on_class,
    "abstract_class_declaration": declarations.on_class,
    "lexical_declaration": declarations.on_variables,
    "variable_declaration": declarations.on_variables,
    "using_declaration": declarations.on_variables,
    "interface_declaration": declarations.on_type,
    "type_alias_declaration": declarations.on_type,
    "enum_declaration": declarations.on_type,
    "internal_module": on_namespace,
    "module": on_namespace,
    "ambient_declaration": on_ambient,
}
