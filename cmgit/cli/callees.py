"""`git cm callees`: what a function uses."""

from __future__ import annotations

import click

from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import one_line, pending_json, print_json, print_text


@click.command(name="callees")
@rev_option
@json_option
@click.argument("name")
def command(rev: str | None, as_json: bool, name: str) -> None:
    """List what NAME (a name, Owner.member, or path:name) calls and refers to in this repository."""
    from cmgit.cli.callers import edge_json
    from cmgit.cli.naming import typed_name, units_for
    from cmgit.cli.reading import reading
    from cmgit.cli.session import open_session

    session = open_session()
    name = typed_name(session.location, name)
    with reading(rev, no_vectors=True, session=session) as (view, _):
        answers = [(view.unit(unit), view.callees(unit)) for unit in units_for(view, name)]
        if as_json:
            rows = [
                {
                    "path": unit.path,
                    "qualname": unit.qualname,
                    "kind": unit.kind,
                    "start_line": unit.start_line,
                    "end_line": unit.end_line,
                    "callees": [
                        edge_json(view, edge)
                        | {
                            "target_path": view.unit(edge.target_unit).path,
                            "target_name": view.unit(edge.target_unit).qualname,
                            "target_line": view.unit(edge.target_unit).start_line,
                        }
                        for edge in edges
                    ],
                }
                for unit, edges in answers
            ]
            print_json({"tree": view.tree, "dirty": view.dirty, "name": name, "units": rows,
                        "pending": pending_json(view.pending)})  # fmt: skip
            return
        for unit, edges in answers:
            print_text(
                f"{unit.kind} {one_line(unit.qualname)}  {one_line(unit.path)}:{unit.start_line}-{unit.end_line}"
            )
            for edge in edges:
                target = view.unit(edge.target_unit)
                what = f"{edge.kind} {one_line(target.qualname)}  {one_line(target.path)}:{target.start_line}"
                print_text(f"  {edge.line:6d}  {what}  {edge.confidence} ({edge.rule})")
            if not edges:
                print_text("  nothing in this repository")
