"""What `git cm search` does, apart from its command line, see `retrieving`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cmgit.cli.output import one_line, pending_json, place_json, print_json, print_text, read_prompt
from cmgit.core.errors import UsageError

if TYPE_CHECKING:
    from cmgit.cli.session import Session
    from cmgit.core.records import RankedUnit
    from cmgit.view.view import View

RESULTS, MOST_RESULTS = 10, 1000


def run_search(
    query: str, rev: str | None = None, count: int = RESULTS, no_vectors: bool = False, as_json: bool = False
) -> None:
    """Rank units for a query and print one line each; the arguments are the command's."""
    from cmgit.cli.asking import ask_reader
    from cmgit.cli.session import open_session

    text = read_prompt(query)
    if not text.strip():
        raise UsageError("the query is empty", 'say what to look for: git cm search "retry with backoff"')
    session = open_session()
    document = ask_reader(session.location, rev, "search", query=text, count=count, no_vectors=no_vectors)
    if document is None:
        document = search_here(session, rev, text, count, no_vectors=no_vectors)
    if as_json:
        print_json(document)
        return
    if not document["results"]:
        print_text("Nothing found.")
    for unit in document["results"]:
        place = f"{one_line(unit['path'])}:{unit['start_line']}-{unit['end_line']}"
        print_text(f"{unit['score']:6.3f}  {place}  {unit['kind']} {one_line(unit['qualname'])}")


def search_here(session: Session, rev: str | None, text: str, count: int, *, no_vectors: bool) -> dict[str, Any]:
    from cmgit.cli.ahead import Ahead

    with Ahead.of(session, rev) as ahead:
        if not no_vectors:
            from cmgit.retrieve.prompt import read_prompt as parse

            ahead.embed(parse(text), session.config, named_too=True)
        from cmgit.cli.reading import query_embedder, reading
        from cmgit.retrieve.retrieve import search

        with reading(rev, no_vectors=no_vectors, session=session, ahead=ahead) as (view, current):
            return search_json(view, search(view, text, count, query_embedder(current, ahead)))


def search_json(view: View, ranked: Sequence[RankedUnit]) -> dict[str, Any]:
    results = [
        {
            "rank": rank,
            "score": round(result.score, 6),
            **place_json(view.unit(result.unit)),
            "why": {signal: round(share, 6) for signal, share in result.why},
        }
        for rank, result in enumerate(ranked, 1)
    ]
    return {"tree": view.tree, "dirty": view.dirty, "results": results, "pending": pending_json(view.pending)}
