"""`git cm symbols`: what a file declares."""

from __future__ import annotations

import click

from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import one_line, pending_json, place_json, print_json, print_text
from cmgit.cli.paths import repository_path
from cmgit.core.errors import CmgitError
from cmgit.core.facts import BlobStatus


@click.command(name="symbols")
@rev_option
@json_option
@click.argument("path")
def command(rev: str | None, as_json: bool, path: str) -> None:
    """List what the file PATH declares, in document order."""
    from cmgit.cli.reading import reading
    from cmgit.cli.session import open_session

    session = open_session()
    wanted = repository_path(session.location, path)
    with reading(rev, no_vectors=True, session=session, exact=lambda name: name in (wanted, path)) as (view, _):
        index = view.file_index(wanted)
        if index is None and view.file_index(path) is not None:
            index = view.file_index(path)  # as other commands print it: from the top of the repository
        if index is None and any(file.path.startswith(wanted.rstrip("/") + "/") for file in view.files):
            raise CmgitError(f"{path} is a folder", "name a file in it")
        if index is None:
            raise CmgitError(
                f"{path} is not in the index",
                "only JavaScript and TypeScript that git does not ignore is; `git cm status` tells what was skipped",
            )
        file = view.files[index]
        units = [view.unit(file.first_unit + i) for i in range(file.unit_count)]
        status = BlobStatus(file.status).label
        if as_json:
            rows = [place_json(unit) | {"exported": unit.exported} for unit in units]
            print_json(
                {
                    "tree": view.tree,
                    "path": file.path,
                    "language": file.language,
                    "role": file.role.label,
                    "status": status,
                    "symbols": rows,
                    "pending": pending_json(view.pending),
                }
            )
            return
        print_text(f"{one_line(file.path)}  {file.language}, {file.role.label}, {status}")
        for unit in units[1:]:
            depth = unit.qualname.count(".")
            mark = "export " if unit.exported else ""
            print_text(
                f"{unit.start_line:6d}-{unit.end_line:<6d} {'  ' * depth}{mark}{unit.kind} {one_line(unit.qualname)}"
            )
