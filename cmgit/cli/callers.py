"""`git cm callers`: who uses a name, proven and likely apart, and what could not be decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from cmgit.cli.options import all_option, json_option, limit_option, rev_option
from cmgit.cli.output import one_line, pending_json, print_json, print_text

if TYPE_CHECKING:
    from cmgit.cli.session import Session
    from cmgit.core.records import UnitView
    from cmgit.view.edges import EdgeView
    from cmgit.view.view import View

LISTED = 5
SHOWN = 8
"""Units of one name that are printed for people; --all and --json have the others too."""
CONFIDENCES = ("proven", "likely")


@click.command(name="callers")
@rev_option
@limit_option
@all_option
@json_option
@click.argument("name")
def command(rev: str | None, limit: int, everything: bool, as_json: bool, name: str) -> None:
    """List the places that use NAME: a name, Owner.member, or path:name.

    Sites whose target could not be decided are counted apart: no proven caller is never shown as "unused" while such
    sites exist.
    """
    from cmgit.cli.asking import ask_reader
    from cmgit.cli.naming import typed_name
    from cmgit.cli.session import open_session

    session = open_session()
    name = typed_name(session.location, name)
    found = ask_reader(session.location, rev, "callers", name=name)
    if found is None:
        found = callers_here(session, rev, name)
    if as_json:
        print_json(found)
        return
    print_found(found, None if everything else limit)


def print_found(found: Mapping[str, Any], limit: int | None) -> None:
    """For people. limit: places of each unit, and units beyond the first few by their place only; None for all."""
    units, last = found["units"], found["last"]
    shown = units if limit is None else units[:SHOWN]
    for unit in shown:
        print_unit(unit, limit)
    if len(units) > len(shown):
        print_text(f"{len(units) - len(shown)} more are named {found['name']}: {places(units[len(shown) :])}")
    if len(units) > 1:
        used = max(units, key=lambda unit: len(unit["callers"]))
        print_text(f"One of them alone: git cm callers {one_line(used['path'])}:{last}")
    undecided = found["undecided"]
    if undecided:
        few = LISTED if limit is not None else len(undecided)
        print_text(f"Undecided uses of a `{last}`, {len(undecided)}: {places(undecided, few)}")


def callers_here(session: Session, rev: str | None, name: str) -> dict[str, Any]:
    from cmgit.cli.reading import reading

    with reading(rev, no_vectors=True, session=session) as (view, _):
        return document(view, name, *find_callers(view, name))


@dataclass(frozen=True, slots=True)
class Answer:
    """A unit with the references that are bound to it, and the imports that bring it in."""

    unit: UnitView
    callers: list[EdgeView]
    imports: list[EdgeView]


def find_callers(view: View, name: str) -> tuple[list[Answer], list[EdgeView]]:
    """The units of this name with who uses them, and the uses of such a name that could not be decided.

    Raises:
        CmgitError: nothing has that name.
    """
    from cmgit.cli.naming import standing, units_for

    def sources_first(edges: list[EdgeView]) -> list[EdgeView]:
        return sorted(edges, key=lambda edge: standing(view, edge.path))

    units = units_for(view, name)
    answers = [
        Answer(view.unit(unit), sources_first(view.callers(unit)), sources_first(view.imports_of(unit)))
        for unit in units
    ]
    return answers, sources_first(view.undecided(answers[0].unit.name))


def document(view: View, name: str, answers: list[Answer], undecided: list[EdgeView]) -> dict[str, Any]:
    return {
        "tree": view.tree,
        "dirty": view.dirty,
        "name": name,
        "last": answers[0].unit.name,
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


def edge_json(view: View, edge: EdgeView) -> dict[str, Any]:
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


def print_unit(unit: Mapping[str, Any], limit: int | None) -> None:
    place = f"{one_line(unit['path'])}:{unit['start_line']}-{unit['end_line']}"
    print_text(f"{unit['kind']} {one_line(unit['qualname'])}  {place}")
    callers = sorted(unit["callers"], key=lambda edge: CONFIDENCES.index(edge["confidence"]))
    shown = callers[:limit]
    for confidence in CONFIDENCES:
        count = sum(edge["confidence"] == confidence for edge in callers)
        if count:
            print_text(f"  {confidence}, {count}:")
        for edge in shown:
            if edge["confidence"] == confidence:
                what = f"{edge['kind']} in {one_line(edge['caller'])} ({edge['rule']})"
                print_text(f"    {one_line(edge['path'])}:{edge['line']}  {what}")
    print_rest(len(callers) - len(shown))
    if not callers:
        print_text("  no use was found that is sure to mean it")
    if unit["imports"]:
        few = LISTED if limit is not None else len(unit["imports"])
        print_text(f"  imported in {len(unit['imports'])}: {places(unit['imports'], few)}")


def print_rest(count: int) -> None:
    if count:
        print_text(f"    … {count} more: --all, or --limit N")


def places(rows: Sequence[Mapping[str, Any]], few: int = LISTED) -> str:
    """The first few places of edges or units, and how many more."""
    named = [f"{one_line(row['path'])}:{row['line' if 'line' in row else 'start_line']}" for row in rows[:few]]
    return ", ".join(named) + (f", and {len(rows) - few} more" if len(rows) > few else "")
