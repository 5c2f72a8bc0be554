"""How the commands about notes get them, and how they print them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cmgit.cli.output import note, one_line, print_text
from cmgit.cli.session import current_folder, open_session
from cmgit.core.errors import CmgitError, UsageError
from cmgit.git.locate import probe
from cmgit.git.revisions import tree_of
from cmgit.notes.book import Book
from cmgit.notes.standing import Standing
from cmgit.notes.uri import Uri, typed_uri

if TYPE_CHECKING:
    from cmgit.view.view import View

Document = dict[str, Any]
Command = TypeVar("Command", bound=Callable[..., object])
LARGEST_INPUT = 16_000_000


@contextmanager
def book(rev: str | None = None) -> Iterator[Book]:
    """The notes of the working tree or of a revision. The code is looked at only when a command needs it."""
    from cmgit.cli.output import terminal_progress

    session = open_session()
    location = session.location
    if rev is None:
        if location.top is None:
            raise CmgitError("a bare repository has no working tree", "name a revision: --rev HEAD")
        seen = probe(location.top, with_changes=True)
        standing = Standing(location, seen.head_tree or "", tuple(seen.changes or ()))
    else:
        standing = Standing(location, tree_of(location, rev), None)
    progress, close = terminal_progress()

    def view() -> View:
        from dataclasses import replace

        from cmgit.view.open import open_view

        return open_view(location, replace(session.config, vectors=False), rev, progress, note)

    try:
        yield Book(standing, view, now)
    finally:
        close()


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def anchors_of(**weighted: Sequence[str]) -> list[tuple[str, str]]:
    """(uri, weight) of the options `--critical`, `--core`, …; paths may be typed relative to the current folder."""
    return [(from_here(uri), weight) for weight, uris in weighted.items() for uri in uris]


def from_here(text: str) -> str:
    """`file:./x` and `symbol:./x::N` count from the current folder; everything else from the top of the repository."""
    for kind in ("file", "symbol"):
        if text.startswith((f"{kind}:./", f"{kind}:../")):
            from cmgit.cli.paths import repository_path

            path, mark, name = text[len(kind) + 1 :].partition("::")
            return f"{kind}:{repository_path(open_session().location, path)}{mark}{name}"
    return text


def uris_of(texts: Sequence[str]) -> tuple[Uri, ...]:
    return tuple(typed_uri(from_here(text)) for text in texts)


def text_from(value: str) -> str:
    """A body: the text itself, `-` for stdin, `@FILE` for a file."""
    if value == "-":
        data = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    elif value.startswith("@"):
        try:
            data = (Path(current_folder()) / value[1:]).read_bytes()
        except OSError as error:
            raise UsageError(f"{value[1:]} cannot be read: {error.strerror}") from error
    else:
        return value
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("the body is no UTF-8 text", "a note is Markdown in UTF-8") from error


def weights(command: Command) -> Command:
    """The options that add anchors, one for each weight."""
    texts = {
        "incidental": "Touched, not the point.",
        "supporting": "Substantially related; `--anchor` is the same.",
        "core": "What the note is about.",
        "critical": "An invariant that whoever touches it must see. Sparingly.",
    }
    for weight, text in texts.items():
        names = [f"--{weight}", "--anchor"] if weight == "supporting" else [f"--{weight}"]
        option = click.option(*names, weight, multiple=True, metavar="URI", help=f"An anchor: {text}")
        command = option(command)
    return command


def print_lines(notes: Sequence[Document]) -> None:
    """One line for each note, marked where an anchor is stale."""
    for row in notes:
        marks = [row["status"]] if row["status"] != "current" else []
        if row.get("weight") == "critical":
            marks.append("critical")
        stale = row.get("stale") or ()
        marks += sorted({one["status"] for one in stale})
        print_text(f"{row['id']}  {one_line(row['summary'])}" + (f"  ({', '.join(marks)})" if marks else ""))


def print_states(states: Sequence[Document], indent: str = "  ") -> None:
    for one in states:
        target = f" -> {one_line(one['target'])}" if one.get("target") else ""
        elsewhere = f" ({', '.join(map(one_line, one['candidates']))}?)" if one.get("candidates") else ""
        why = f": {one_line(one['why'])}" if one.get("why") else ""
        print_text(f"{indent}{one['status']:8}{one_line(one['uri'])}{target}{elsewhere}{why}")


def print_written(document: Document) -> None:
    print_text(f"{document['id']}  {one_line(document['path'])}")
    for warning in document.get("warnings", ()):
        note(f"warning: {warning}")
    for other in document.get("similar", ()):
        note(f"on the same code: {other['id']}  {other['summary']}")


def complain_unreadable(document: Document) -> None:
    for one in document.get("unreadable", ()):
        note(f"{one['path']} is no note: {one['reason']}")


PENDING = {"files": 0, "vectors": 0}
