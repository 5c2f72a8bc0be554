"""`git cm note list|search|show|verify`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from cmgit.cli.notebook import PENDING, book, complain_unreadable, print_lines, print_states, uris_of
from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import counted, note, one_line, print_json, print_text
from cmgit.core.errors import CmgitError
from cmgit.notes.model import STATUSES, WEIGHTS
from cmgit.notes.search import LIMIT, Question

if TYPE_CHECKING:
    from cmgit.notes.anchors import Checker
    from cmgit.notes.book import Book
    from cmgit.notes.uri import Uri


@click.command(name="list")
@click.option("--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Only these; current is usual.")
@click.option("--all", "everything", is_flag=True, help="Drafts and outdated notes too.")
@rev_option
@json_option
def list_notes(statuses: Sequence[str], everything: bool, rev: str | None, as_json: bool) -> None:
    """Every note, the newest first."""
    with book(rev) as notes:
        document = notes.listed(frozenset(STATUSES if everything else statuses or ("current",)))
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    print_lines(document["notes"])  # type: ignore[arg-type]
    if not (document["notes"] or document["others"] or document["unreadable"]):
        note("no notes yet; `git cm note create` writes one")
    if document["others"]:
        note(f"{document['others']} more with another status: --all shows them")
    complain_unreadable(document)


@click.command()
@click.option("--anchor", "anchors", multiple=True, metavar="URI", help="Notes that have this anchor; repeat for more.")
@click.option("--inside", is_flag=True, help="A file's anchor also finds the notes of what is in the file.")
@click.option("--context", multiple=True, metavar="URI", help="What you work with: lifts notes, and filters none.")
@click.option("--strict", is_flag=True, help="Every word must be met, not any.")
@click.option("--drafts", is_flag=True, help="Drafts too.")
@click.option("--outdated", is_flag=True, help="Outdated notes too.")
@click.option("--limit", type=click.IntRange(0), default=LIMIT, show_default=True, help="Critical notes are over it.")
@rev_option
@json_option
@click.argument("text", nargs=-1)
def search(
    anchors: Sequence[str],
    inside: bool,
    context: Sequence[str],
    strict: bool,
    drafts: bool,
    outdated: bool,
    limit: int,
    rev: str | None,
    as_json: bool,
    text: Sequence[str],
) -> None:
    """Notes for anchors (any of them), or for the words of TEXT (any of them), in English or Russian."""
    question = Question(uris_of(anchors), " ".join(text), uris_of(context), inside, strict, drafts, outdated, limit)
    with book(rev) as notes:
        document = notes.search(question)
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    print_lines(document["results"])  # type: ignore[arg-type]
    if not document["results"]:
        note("no note answers that")
    if document["more"]:
        note(f"{document['more']} more: --limit shows them")


@click.command()
@rev_option
@json_option
@click.argument("ids", nargs=-1, required=True)
def show(rev: str | None, as_json: bool, ids: Sequence[str]) -> None:
    """Notes in full: body, anchors by weight and what became of them, linked notes."""
    with book(rev) as notes:
        document = notes.show(ids)
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    from cmgit.retrieve.quote import escape_source

    for found in document["notes"]:  # type: ignore[attr-defined]
        print_text(f"{found['id']}  {one_line(found['summary'])}")
        print_text(f"  {found['status']}, created {one_line(found['created'])}, updated {one_line(found['updated'])}")
        for weight in WEIGHTS:
            if weight in found["anchors"]:
                print_text(f"  {weight}")
                print_states(found["anchors"][weight], "    ")
        print_text("\n" + escape_source(found["body"].strip("\r\n"))[0] + "\n")
        if found.get("cut"):
            note(f"{found['cut']} more characters are in {found['path']}")
        for linked in found["links"]:
            print_text(f"[[{linked['id']}]]  {one_line(linked['summary']) or 'no such note'}")
        for problem in found["problems"]:
            note(f"{found['path']}: {problem}")
    if document["missing"]:
        missing = ", ".join(document["missing"])  # type: ignore[arg-type]
        raise CmgitError(f"there is no note {missing}", "`git cm note list --all` shows those that are")


@click.command()
@click.option("--changed", metavar="REV..[REV]", help="What changed since REV (or between two), not since confirming.")
@click.option("--exit-code", is_flag=True, help="Leave with 1 where something is listed.")
@rev_option
@json_option
@click.argument("ids", nargs=-1)
def verify(changed: str | None, exit_code: bool, rev: str | None, as_json: bool, ids: Sequence[str]) -> int:
    """Notes with an anchor that is changed, moved or gone. `note edit ID --confirm` says that it still holds."""
    end = rev
    if changed is not None and ".." in changed and changed.rpartition("..")[2]:
        end = changed.rpartition("..")[2]
    with book(end) as notes:
        touched = _touched(notes, changed.split("..")[0] or "HEAD", end) if changed is not None else None
        document = notes.verify(touched, ids)
    found = document["notes"]
    assert isinstance(found, list)
    code = 1 if exit_code and found else 0
    if as_json:
        print_json(document | {"pending": PENDING})
        return code
    for row in found:
        print_lines([row])
        print_states(row["anchors"])
        for problem in row["problems"]:
            print_text(f"  problem  {one_line(problem)}")
    note(f"{len(found)} of {counted(document['checked'], 'note')}")  # type: ignore[arg-type]
    complain_unreadable(document)
    return code


def _touched(notes: Book, old: str, new: str | None) -> Callable[[Checker, Uri], bool]:
    from cmgit.notes.touched import Touched

    return Touched(notes.standing, old, new).touches
