"""`git cm note create|edit|delete|follow`."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from cmgit.cli.notebook import PENDING, Document, anchors_of, book, from_here, print_written, text_from, weights
from cmgit.cli.options import json_option
from cmgit.cli.output import counted, note, one_line, print_json, print_text
from cmgit.core.errors import CmgitError, UsageError
from cmgit.notes.book import Changes
from cmgit.notes.model import STATUSES
from cmgit.notes.write import NoteChanged

if TYPE_CHECKING:
    from cmgit.notes.book import Book

expect_option = click.option(
    "--expect", metavar="VERSION", help="Refuse where the note is no longer this version (`note show --json`)."
)


@click.command()
@click.option("--summary", required=True, help="One plain sentence: why somebody would open the note.")
@click.option("--body", default="", metavar="TEXT|-|@FILE", help="Markdown; - reads stdin, @FILE a file.")
@click.option("--status", type=click.Choice(STATUSES), default="current", show_default=True)
@weights
@json_option
def create(
    summary: str,
    body: str,
    status: str,
    critical: Sequence[str],
    core: Sequence[str],
    supporting: Sequence[str],
    incidental: Sequence[str],
    as_json: bool,
) -> None:
    """Write a new note. Its id is made here; at least one anchor is needed."""
    anchors = anchors_of(critical=critical, core=core, supporting=supporting, incidental=incidental)
    text = text_from(body)
    with book() as notes:
        document = notes.create(summary, text, anchors, status)
    finish(document, as_json)


@click.command()
@click.option("--summary", help="Another summary.")
@click.option("--status", type=click.Choice(STATUSES), help="`outdated` retires a note without losing it.")
@click.option("--body", metavar="TEXT|-|@FILE", help="Another body.")
@click.option("--append", metavar="TEXT|-|@FILE", help="A paragraph more.")
@weights
@click.option("--drop", multiple=True, metavar="URI", help="Take an anchor away.")
@click.option("--confirm", is_flag=True, help="The note holds for the code as it is now.")
@expect_option
@json_option
@click.argument("ident", metavar="ID")
def edit(
    summary: str | None,
    status: str | None,
    body: str | None,
    append: str | None,
    critical: Sequence[str],
    core: Sequence[str],
    supporting: Sequence[str],
    incidental: Sequence[str],
    drop: Sequence[str],
    confirm: bool,
    expect: str | None,
    as_json: bool,
    ident: str,
) -> None:
    """Change the note ID, and nothing else in it. Without options your editor is opened."""
    changes = Changes(
        summary=summary,
        status=status,
        body=text_from(body) if body is not None else None,
        append=text_from(append) if append is not None else None,
        anchors=anchors_of(critical=critical, core=core, supporting=supporting, incidental=incidental),
        drop=[from_here(uri) for uri in drop],
        confirm=confirm,
    )
    with book() as notes:
        try:
            document = in_editor(notes, ident) if changes.nothing else notes.update(ident, changes, expect)
        except NoteChanged as error:
            if as_json:
                print_json(conflict(ident, error) | {"pending": PENDING})
            else:
                print_text(
                    f"--- as it is now (version {error.version})\n{error.current}--- as you wanted it\n{error.proposed}"
                )
            raise
    finish(document, as_json)


def conflict(ident: str, error: NoteChanged) -> Document:
    return {
        "id": ident,
        "conflict": True,
        "version": error.version,
        "current": error.current,
        "proposed": error.proposed,
    }


def finish(document: dict[str, object], as_json: bool) -> None:
    if as_json:
        print_json(document | {"pending": PENDING})
    else:
        print_written(document)


def in_editor(notes: Book, ident: str) -> dict[str, object]:
    """The note in the user's editor; what another writes meanwhile is not overwritten."""
    memory = notes.memory
    row = memory.row_of(ident) if memory is not None else None
    if memory is None or row is None:
        raise CmgitError(f"there is no note {ident}", "`git cm note list --all` shows those that are")
    head = memory.head(row)
    data = memory.data(head.path)
    editor = os.environ.get("GIT_EDITOR") or os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError("nothing to change, and no editor is named", "give an option (-h lists them), or set EDITOR")
    handle, name = tempfile.mkstemp(suffix=f"-{ident}.md")
    with os.fdopen(handle, "wb") as file:
        file.write(data or b"")
    if click_run([*shlex.split(editor), name]) != 0:
        raise CmgitError("the editor failed", f"your text is in {name}")
    text = Path(name).read_bytes().decode("utf-8", "surrogateescape")
    try:
        document = notes.replace_text(ident, text, head.oid)
    except CmgitError as error:
        error.hint = f"{error.hint}; your text is in {name}".lstrip("; ")
        raise
    Path(name).unlink()
    return document


def click_run(argv: Sequence[str]) -> int:
    import subprocess

    try:
        return subprocess.run(argv, check=False).returncode
    except OSError as error:
        raise CmgitError(f"the editor {argv[0]} cannot be started: {error.strerror}") from error


@click.command()
@expect_option
@json_option
@click.argument("ident", metavar="ID")
def delete(expect: str | None, as_json: bool, ident: str) -> None:
    """Remove the note ID. A decision that was superseded is better kept as `outdated`."""
    with book() as notes:
        document = notes.delete(ident, expect)
    if as_json:
        print_json(document | {"pending": PENDING})
    else:
        print_text(f"{ident} is removed; git has it in its history if it was committed")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be followed.")
@json_option
@click.argument("ids", nargs=-1)
def follow(dry_run: bool, as_json: bool, ids: Sequence[str]) -> None:
    """Show the proven moves of anchored code, and give those anchors their new places. Nothing else is touched."""
    with book() as notes:
        moves = notes.moves(ids)
        if not as_json:
            for head, old, new in moves:
                print_text(f"{head.id}  {one_line(old)} -> {one_line(new)}")
        if dry_run:
            rows = [{"id": head.id, "from": old, "to": new} for head, old, new in moves]
            document: dict[str, object] = {"moves": rows, "followed": [], "notes": 0}
        else:
            document = notes.follow(moves)
    if as_json:
        print_json(document | {"pending": PENDING})
    elif not moves:
        note("nothing has moved that can be proven")
    elif not dry_run:
        note(f"{counted(len(moves), 'anchor')} of {counted(cast(int, document['notes']), 'note')} followed")
