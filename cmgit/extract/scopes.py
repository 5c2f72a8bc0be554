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

_CALLED_INSIDE = _WRAPPERS | {"sequence_expression"}

Scopes = tuple[RefColumns, ImportColumns, ExportColumns, ValueColumns, PropColumns, Sequence[int]]


def collect_scopes(
    root: Node,
    source: bytes,
    units: UnitColumns,
    unit_of_node: Mapping[int, int],
    strings: Interner,
    lines: Lines,
    grammar: str,
) -> Scopes:
    """References, imports, exports, values, members and arguments; offsets are those of `source`.

    Args:
        unit_of_node: rows of the units by the id of their declaring node.
        grammar: that `root` was parsed with.
    """
    binder = Binder(root, source, unit_of_node, grammar)
    binder.run()
    low = Lowering(binder, strings)
    if binder.javascript:
        typedefs(low)
    prepare(low)
    rows = [0] * len(binder.sites)
    for index in range(len(rows) - 1, -1, -1):  # inner calls of a chain first: chains of any length stay shallow
        _, node, scope, _ = binder.sites[index]
        kind = node.type
        if kind in _CALLED_INSIDE:
            node = _callee(node)
            kind = node.type
        rows[index] = qualified(low, node, scope) if kind in _TYPE_NODES else low.expr(node, scope)
    exports = [*exported_rows(low), *global_rows(low)]
    write_assigned(low)
    write_unit_props(low)
    known = strings.strings()
    reads, read_rows = reads_of(low, {known[name] for name in set(units.name) if name >= 0})
    refs = _references(binder, [*binder.sites, *reads], [*rows, *read_rows], strings, lines)
    values = low.values
    ints = _ints
    imports = _imports(binder, strings, lines)
    binder.module.release()
    return (
        refs,
        imports,
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
    while node.type in _CALLED_INSIDE:
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
    order = [(node.start_byte, node.end_byte, index) for index, (_, node, _, _) in enumerate(sites)]
    order.sort()
    name_start: list[int] = []
    name: list[int] = []
    identify, text = strings.id, binder.text
    for first, _, index in order:
        node = sites[index][1]
        label: Node | None = node
        kind = node.type
        if kind == "member_expression":
            label = node.children[-1]  # no comment ends a node
            kind = label.type
        elif not kind.endswith("identifier") or kind == "nested_type_identifier" or kind == "nested_identifier":
            label = _label(node)
            kind = label.type if label is not None else ""
        if label is None:
            name_start.append(NONE)
            name.append(identify(""))
            continue
        name_start.append(first if label is node else label.start_byte)
        if kind.endswith("identifier") or kind == "super" or kind == "this":
            name.append(identify(text(label)))
        else:
            name.append(identify(binder.string(label) if kind == "string" else ""))
    line_of = lines.line_of
    return RefColumns(
        kind=array("i", [sites[index][0] for _, _, index in order]),
        start=array("i", [start for start, _, _ in order]),
        end=array("i", [end for _, end, _ in order]),
        name_start=array("i", name_start),
        line=array("i", [line_of(start) for start, _, _ in order]),
        name=array("i", name),
        unit=array("i", [sites[index][3] for _, _, index in order]),
        value=array("i", [rows[index] or NONE for _, _, index in order]),
    )


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
