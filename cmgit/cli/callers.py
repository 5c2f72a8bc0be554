"""`git cm callers`: who uses a name, proven and likely apart, and what could not be decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import pending_json, print_json, print_text

if TYPE_CHECKING:
    from cmgit.core.records import UnitView
    from cmgit.view.edges import EdgeView
    from cmgit.view.view import View

LISTED = 5


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
        answers = [Answer(view.unit(unit), view.callers(unit), view.imports_of(unit)) for unit in units]
        if as_json:
            print_json(document(view, name, answers, undecided))
            return
        for answer in answers:
            print_answer(view, answer, undecided, last)


@dataclass(frozen=True, slots=True)
class Answer:
    """A unit with the references that are bound to it, and the imports that bring it in."""

    unit: UnitView
    callers: list[EdgeView]
    imports: list[EdgeView]


def document(view: View, name: str, answers: list[Answer], undecided: list[EdgeView]) -> dict[str, object]:
    return {
        "tree": view.tree,
        "dirty": view.dirty,
        "name": name,
        "units": [
            {
                "path": answer.unit.path,
                "qualname": answer.unit.qualname,
                "kind": answer.unit.kind,
                "start_line": answer.unit.start_line,
                "end_line": answer.unit.end_line,
                "callers": [edge_json(view, edge) for edge in answer.callers],
                "imports": [{"path": edge.path, "line": edge.line} for edge in answer.imports],
            }
            for answer in answers
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


def print_answer(view: View, answer: Answer, undecided: list[EdgeView], last: str) -> None:
    unit = answer.unit
    print_text(f"{unit.kind} {unit.qualname}  {unit.path}:{unit.start_line}-{unit.end_line}")
    for confidence in ("proven", "likely"):
        chosen = [edge for edge in answer.callers if edge.confidence == confidence]
        if chosen:
            print_text(f"  {confidence}, {len(chosen)}:")
        for edge in chosen:
            caller = view.unit(edge.source_unit).qualname
            print_text(f"    {edge.path}:{edge.line}  {edge.kind} in {caller} ({edge.rule})")
    if answer.imports and not answer.callers:
        print_text(f"  no call was found, but it is imported and may be passed on: {places(answer.imports)}")
    elif not answer.callers:
        print_text("  no call was found, but not known to be unused:" if undecided else "  no call was found")
    if undecided:
        print_text(f"  undecided uses of a `{last}`, {len(undecided)}: {places(undecided)}")


def places(edges: list[EdgeView]) -> str:
    """The first few places and how many more."""
    more = f", and {len(edges) - LISTED} more" if len(edges) > LISTED else ""
    return ", ".join(f"{edge.path}:{edge.line}" for edge in edges[:LISTED]) + more
