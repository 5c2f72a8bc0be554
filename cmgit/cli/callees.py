"""`git cm callees`: what a function uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cmgit.cli.options import all_option, json_option, limit_option, rev_option
from cmgit.cli.output import one_line, pending_json, print_json, print_text

if TYPE_CHECKING:
    from cmgit.view.edges import EdgeView
    from cmgit.view.view import View


@click.command(name="callees")
@rev_option
@limit_option
@all_option
@json_option
@click.argument("name")
def command(rev: str | None, limit: int, everything: bool, as_json: bool, name: str) -> None:
    """List what NAME (a name, Owner.member, or path:name) calls and refers to in this repository."""
    from cmgit.cli.naming import typed_name
    from cmgit.cli.reading import reading
    from cmgit.cli.session import open_session

    session = open_session()
    name = typed_name(session.location, name)
    with reading(rev, no_vectors=True, session=session) as (view, _):
        found = document(view, name)
    if as_json:
        print_json(found)
        return
    for unit in found["units"]:
        print_unit(unit, None if everything else limit)


def document(view: View, name: str) -> dict[str, Any]:
    """As `git cm callees --json`.

    Raises:
        CmgitError: nothing has that name.
    """
    from cmgit.cli.naming import units_for

    rows = []
    for row in units_for(view, name):
        unit = view.unit(row)
        rows.append(
            {
                "path": unit.path,
                "qualname": unit.qualname,
                "kind": unit.kind,
                "start_line": unit.start_line,
                "end_line": unit.end_line,
                "callees": [callee_json(view, edge) for edge in view.callees(row)],
            }
        )
    return {
        "tree": view.tree,
        "dirty": view.dirty,
        "name": name,
        "units": rows,
        "pending": pending_json(view.pending),
    }


def callee_json(view: View, edge: EdgeView) -> dict[str, Any]:
    from cmgit.cli.callers import edge_json

    target = view.unit(edge.target_unit)
    return edge_json(view, edge) | {
        "target_path": target.path,
        "target_name": target.qualname,
        "target_line": target.start_line,
    }


def print_unit(unit: dict[str, Any], limit: int | None) -> None:
    from cmgit.cli.callers import print_rest

    place = f"{one_line(unit['path'])}:{unit['start_line']}-{unit['end_line']}"
    print_text(f"{unit['kind']} {one_line(unit['qualname'])}  {place}")
    callees = unit["callees"]
    for edge in callees[:limit]:
        target = f"{one_line(edge['target_name'])}  {one_line(edge['target_path'])}:{edge['target_line']}"
        print_text(f"  {edge['line']:6d}  {edge['kind']} {target}  {edge['confidence']} ({edge['rule']})")
    if limit is not None:
        print_rest(max(0, len(callees) - limit))
    if not callees:
        print_text("  nothing in this repository")
