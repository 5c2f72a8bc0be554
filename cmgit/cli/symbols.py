"""`git cm symbols`: what a file declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import one_line, pending_json, place_json, print_json, print_text
from cmgit.cli.paths import repository_path
from cmgit.core.errors import CmgitError
from cmgit.core.facts import BlobStatus

if TYPE_CHECKING:
    from cmgit.cli.session import Session
    from cmgit.view.view import View

NEAR = 3


@click.command(name="symbols")
@rev_option
@json_option
@click.argument("path")
def command(rev: str | None, as_json: bool, path: str) -> None:
    """List what the file PATH declares, in document order."""
    from cmgit.cli.asking import ask_reader
    from cmgit.cli.session import open_session

    session = open_session()
    wanted = repository_path(session.location, path)
    found = ask_reader(session.location, rev, "symbols", path=wanted, typed=path)
    if found is None:
        found = symbols_here(session, rev, wanted, path)
    if as_json:
        print_json(found)
        return
    print_text(f"{one_line(found['path'])}  {found['language']}, {found['role']}, {found['status']}")
    for unit in found["symbols"][1:]:
        depth = unit["qualname"].count(".")
        mark = "export " if unit["exported"] else ""
        lines = f"{unit['start_line']:6d}-{unit['end_line']:<6d}"
        print_text(f"{lines} {'  ' * depth}{mark}{unit['kind']} {one_line(unit['qualname'])}")


def symbols_here(session: Session, rev: str | None, wanted: str, typed: str) -> dict[str, Any]:
    from cmgit.cli.reading import reading

    with reading(rev, no_vectors=True, session=session, exact=lambda name: name in (wanted, typed)) as (view, _):
        return symbols_json(view, file_of(view, wanted, typed))


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
    near = near_paths(view, wanted)
    raise CmgitError(
        f"{typed} is not in the index",
        f"did you mean {', '.join(near)}?"
        if near
        else "only JavaScript and TypeScript that git does not ignore is; `git cm status` tells what was skipped",
    )


def near_paths(view: View, wanted: str) -> list[str]:
    """Files that have the same name elsewhere; else those whose path is nearly the same."""
    from difflib import get_close_matches  # only a path that is nowhere pays for it

    base = wanted.rsplit("/", 1)[-1].casefold()
    paths = [file.path for file in view.files]
    same = [path for path in paths if path.rsplit("/", 1)[-1].casefold() == base]
    return same[:NEAR] or get_close_matches(wanted, paths, NEAR, 0.85)


def symbols_json(view: View, index: int) -> dict[str, Any]:
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
