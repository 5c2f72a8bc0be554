"""References, imports, exports and values of one syntax tree."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Node

# The handlers of node types register themselves with the binder.
from cmgit.core.facts import NONE, ExportColumns, ImportColumns, PropColumns, RefColumns, UnitColumns, ValueColumns
from cmgit.extract import declarations as _declarations
from cmgit.extract import expressions as _expressions
from cmgit.extract.binder import Binder, Site
from cmgit.extract.jsdoc import typedefs
from cmgit.extract.lines import Lines
from cmgit.extract.lower import Lowering
from cmgit.extract.lower_types import qualified
from cmgit.extract.modules import exported_rows, global_rows, prepare, write_assigned
from cmgit.extract.reads import reads_of
from cmgit.extract.strings import Interner
from cmgit.extract.unit_props import write_unit_props

_TYPE_NODES = frozenset({"type_identifier", "nested_type_identifier"})
_WRAPPERS = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
     "instantiation_expression"}
)  # fmt: skip

Scopes = tuple[RefColumns, ImportColumns, ExportColumns, ValueColumns, PropColumns, Sequence[int]]


def collect_scopes(
    root: Node,
    source: bytes,
    units: UnitColumns,
    unit_of_node: Mapping[int, int],
    strings: Interner,
    lines: Lines,
    *,
    javascript: bool = False,
) -> Scopes:
    """References, imports, exports, values, members and arguments; offsets are those of `source`.

    Args:
        unit_of_node: rows of the units by the id of their declaring node.
        javascript: types stand in JSDoc comments.
    """
    binder = Binder(root, source, unit_of_node, javascript)
    binder.run()
    low = Lowering(binder, strings)
    if javascript:
        typedefs(low)
    prepare(low)
    rows = [0] * len(binder.sites)
    for index in range(len(rows) - 1, -1, -1):  # inner calls of a chain first: chains of any length stay shallow
        site = binder.sites[index]
        node = _callee(site.node)
        if node.type in _TYPE_NODES:
            rows[index] = qualified(low, node, site.scope)
        else:
            rows[index] = low.expr(node, site.scope)
    exports = [*exported_rows(low), *global_rows(low)]
    write_assigned(low)
    write_unit_props(low)
    reads, read_rows = reads_of(low, {strings[name] for name in set(units.name) if name >= 0})
    refs = _references(binder, [*binder.sites, *reads], [*rows, *read_rows], strings, lines)
    values = low.values
    ints = _ints
    return (
        refs,
        _imports(binder, strings, lines),
        ExportColumns(
            ints(strings.id(row.name) for row in exports), ints(row.value for row in exports),
            ints(row.row for row in exports),
        ),
        ValueColumns(values.op, values.a, values.b, values.name),
        PropColumns(values.prop_unit, values.prop_name, values.prop_value, values.prop_static),
        values.args,
    )  # fmt: skip


def _callee(node: Node) -> Node:
    """What is called: `f` of `(f as any)`, `f!`, `(0, f)`."""
    while node.type in _WRAPPERS or node.type == "sequence_expression":
        inner = node.named_children
        if not inner:
            break
        node = inner[-1] if node.type == "sequence_expression" else inner[0]
    return node


def _ints(values: Iterable[int]) -> array[int]:
    return array("i", values)


def _maybe(strings: Interner, text: str | None) -> int:
    return NONE if text is None else strings.id(text)


def _references(binder: Binder, sites: list[Site], rows: list[int], strings: Interner, lines: Lines) -> RefColumns:
    order = sorted(range(len(rows)), key=lambda i: (sites[i].node.start_byte, sites[i].node.end_byte, i))
    kind, start, end, name_start, line, name, unit, value = (array("i") for _ in range(8))
    for index in order:
        site = sites[index]
        node = site.node
        first = node.start_byte
        label = _label(node)
        kind.append(site.kind)
        start.append(first)
        end.append(node.end_byte)
        name_start.append(NONE if label is None else label.start_byte)
        line.append(lines.line_of(first))
        name.append(strings.id("" if label is None else _name(binder, label)))
        unit.append(site.unit)
        value.append(rows[index] or NONE)
    return RefColumns(kind, start, end, name_start, line, name, unit, value)


def _label(node: Node) -> Node | None:
    """The last identifier of a callee; None where it ends with none."""
    while True:
        kind = node.type
        if kind in _WRAPPERS:
            inner = node.named_children
            if not inner:
                return None
            node = inner[0]
        elif kind == "sequence_expression":
            node = node.named_children[-1]
        elif kind in ("member_expression", "nested_type_identifier", "nested_identifier"):
            return node.named_children[-1]
        elif kind == "subscript_expression":
            return node.child_by_field_name("index")
        elif kind == "type_assertion":
            node = node.named_children[-1]
        else:
            return node if kind.endswith("identifier") or kind in ("super", "this") else None


def _name(binder: Binder, node: Node) -> str:
    kind = node.type
    if kind == "string":
        return binder.string(node)
    if kind.endswith("identifier") or kind in ("super", "this"):
        return binder.text(node)
    return ""


def _imports(binder: Binder, strings: Interner, lines: Lines) -> ImportColumns:
    rows = binder.imports
    return ImportColumns(
        kind=_ints(row.kind for row in rows),
        specifier=_ints(strings.id(row.specifier) for row in rows),
        imported=_ints(_maybe(strings, row.imported) for row in rows),
        local=_ints(_maybe(strings, row.local) for row in rows),
        start=_ints(row.start for row in rows),
        end=_ints(row.end for row in rows),
        line=_ints(lines.line_of(row.start) for row in rows),
        type_only=_ints(int(row.type_only) for row in rows),
        unit=_ints(row.unit for row in rows),
    )


__all__ = ["Site", "_declarations", "_expressions", "collect_scopes"]
