"""`git cm symbols`: what a file declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import one_line, pending_json, place_json, print_json, print_text
from cmgit.cli.paths import repository_path
from cmgit.core.errors import CmgitError
from cmgit.core.facts import BlobStatus

if TYPE_CHECKING:
    from cmgit.view.view import View


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
        index = file_of(view, wanted, path)
        if as_json:
            print_json(symbols_json(view, index))
            return
        file = view.files[index]
        status = BlobStatus(file.status).label
        print_text(f"{one_line(file.path)}  {file.language}, {file.role.label}, {status}")
        for unit in (view.unit(file.first_unit + i) for i in range(1, file.unit_count)):
            depth = unit.qualname.count(".")
            mark = "export " if unit.exported else ""
            print_text(
                f"{unit.start_line:6d}-{unit.end_line:<6d} {'  ' * depth}{mark}{unit.kind} {one_line(unit.qualname)}"
            )


def file_of(view: View, wanted: str, typed: str) -> int:
    """The file of a view by its path in the repository, or as it was typed.

    Raises:
        CmgitError: there is no such file in the index.
    """
    index = view.file_index(wanted)
    if index is None:
        index = view.file_index(typed)  # as other commands print it: from the top of the repository
    if index is not None:
        return index
    if any(file.path.startswith(wanted.rstrip("/") + "/") for file in view.files):
        raise CmgitError(f"{typed} is a folder", "name a file in it")
    raise CmgitError(
        f"{typed} is not in the index",
        "only JavaScript and TypeScript that git does not ignore is; `git cm status` tells what was skipped",
    )


def symbols_json(view: View, index: int) -> dict[str, object]:
    file = view.files[index]
    units = [view.unit(file.first_unit + i) for i in range(file.unit_count)]
    return {
        "tree": view.tree,
        "path": file.path,
        "language": file.language,
        "role": file.role.label,
        "status": BlobStatus(file.status).label,
        "symbols": [place_json(unit) | {"exported": unit.exported} for unit in units],
        "pending": pending_json(view.pending),
    }
