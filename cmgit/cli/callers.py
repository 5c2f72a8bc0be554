"""`git cm callers`: who uses a name, proven and likely apart, and what could not be decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import pending_json, print_json, print_text

if TYPE_CHECKING:
    from cmgit.core.records import UnitView
    from cmgit.view.edges import EdgeView
    from cmgit.view.view import View


@click.command(name="callers")
@rev_option
@json_option
@click.argument("name")
def command(rev: str | None, as_json: bool, name: str) -> None:
    """List the places that use NAME: a name, Owner.member, or path:name.

    Sites whose target could not be decided are counted apart: no proven caller is never shown as "unused" while such
    sites exist.
    """
    from cmgit.cli.naming import units_for
    from cmgit.cli.reading import reading

    with reading(rev, no_vectors=True) as (view, _):
        units = units_for(view, name)
        last = view.unit(units[0]).name
        undecided = view.undecided(last)
        answers = [(view.unit(unit), view.callers(unit)) for unit in units]
        if as_json:
            print_json(document(view, name, answers, undecided))
            return
        for unit, edges in answers:
            print_unit(view, unit, edges, undecided, last)


def document(
    view: View, name: str, answers: list[tuple[UnitView, list[EdgeView]]], undecided: list[EdgeView]
) -> dict[str, object]:
    return {
        "tree": view.tree,
        "dirty": view.dirty,
        "name": name,
        "units": [
            {
                "path": unit.path,
                "qualname": unit.qualname,
                "kind": unit.kind,
                "start_line": unit.start_line,
                "end_line": unit.end_line,
                "callers": [edge_json(view, edge) for edge in edges],
            }
            for unit, edges in answers
        ],
        "undecided": [edge_json(view, edge) for edge in undecided],
        "pending": pending_json(view.pending),
    }


def edge_json(view: View, edge: EdgeView) -> dict[str, object]:
    return {
        "kind": edge.kind,
        "path": edge.path,
        "line": edge.line,
        "start_byte": edge.start_byte,
        "end_byte": edge.end_byte,
        "caller": view.unit(edge.source_unit).qualname,
        "confidence": edge.confidence,
        "rule": edge.rule,
    }


def print_unit(view: View, unit: UnitView, edges: list[EdgeView], undecided: list[EdgeView], last: str) -> None:
    print_text(f"{unit.kind} {unit.qualname}  {unit.path}:{unit.start_line}-{unit.end_line}")
    for confidence in ("proven", "likely"):
        chosen = [edge for edge in edges if edge.confidence == confidence]
        if chosen:
            print_text(f"  {confidence}, {len(chosen)}:")
        for edge in chosen:
            caller = view.unit(edge.source_unit).qualname
            print_text(f"    {edge.path}:{edge.line}  {edge.kind} in {caller} ({edge.rule})")
    if not edges and not undecided:
        print_text("  no use in this tree")
    elif not edges:
        print_text("  no proven use, but not known to be unused:")
    if undecided:
        places = ", ".join(f"{edge.path}:{edge.line}" for edge in undecided[:5])
        more = f", and {len(undecided) - 5} more" if len(undecided) > 5 else ""
        print_text(f"  undecided uses of a `{last}`, {len(undecided)}: {places}{more}")
