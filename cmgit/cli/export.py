"""`git cm export`: the view as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from cmgit.cli.options import rev_option
from cmgit.cli.output import place_json, print_json_lines
from cmgit.core.errors import UsageError
from cmgit.core.facts import NONE, UnitKind
from cmgit.core.tables import Confidence, EdgeStatus

if TYPE_CHECKING:
    from cmgit.view.view import View


@click.command(name="export")
@rev_option
@click.option("--units", is_flag=True, help="One unit a line.")
@click.option("--edges", is_flag=True, help="One reference, import or containment a line, undecided ones too.")
@click.option("--json", "as_json", is_flag=True, help="Accepted as everywhere; the output is always JSON lines.")
def command(rev: str | None, units: bool, edges: bool, as_json: bool) -> None:
    """Write all units or all edges of the view to stdout, one JSON object a line."""
    from cmgit.cli.reading import reading

    del as_json
    if units == edges:
        raise UsageError("say what to export", "git cm export --units, or git cm export --edges")
    with reading(rev, no_vectors=True, exact=lambda _: True) as (view, _):
        print_json_lines(unit_rows(view) if units else edge_rows(view))


def unit_rows(view: View) -> Iterator[dict[str, object]]:
    for row in range(len(view.units)):
        unit = view.unit(row)
        yield place_json(unit) | {"exported": unit.exported}


def edge_rows(view: View) -> Iterator[dict[str, object]]:
    """References and imports in path and document order, then what contains what."""
    table, units = view.edges, view.units
    name_line = units.column("name_line")
    for row in range(len(table)):
        edge = table.edge(row)
        target = edge.target_unit
        if target != NONE:
            target_path, target_name = view.files[int(units.file[target])].path, view.unit(target).name
            target_line: int | None = int(name_line[target])
        else:
            target_path = view.files[edge.target_file].path if edge.target_file != NONE else ""
            target_name, target_line = edge.name, None
        yield {
            "kind": edge.kind,
            "path": edge.path,
            "line": edge.line,
            "start_byte": edge.start_byte,
            "end_byte": edge.end_byte,
            "name_byte": edge.name_byte if edge.name_byte >= 0 else None,
            "name": edge.name,
            "caller": view.unit(edge.source_unit).qualname,
            "target_path": target_path or None,
            "target_name": target_name if target_path else None,
            "target_line": target_line,
            "confidence": edge.confidence if edge.status is EdgeStatus.RESOLVED else None,
            "rule": edge.rule,
            "status": edge.status.name.lower(),
        }
    yield from containment(view)


def containment(view: View) -> Iterator[dict[str, object]]:
    units = view.units
    column = units.column
    for row, owner in enumerate(units.owner.tolist()):
        if owner == NONE or int(column("kind")[row]) == UnitKind.FILE:
            continue
        outer, inner = view.unit(owner), view.unit(row)
        yield {
            "kind": "contains",
            "path": inner.path,
            "line": outer.start_line,
            "start_byte": outer.start_byte,
            "end_byte": outer.end_byte,
            "name_byte": int(column("name_start")[owner]),
            "name": outer.name,
            "caller": outer.qualname,
            "target_path": inner.path,
            "target_name": inner.name,
            "target_line": int(column("name_line")[row]),
            "confidence": Confidence.PROVEN.label,
            "rule": "syntax",
            "status": "resolved",
        }
