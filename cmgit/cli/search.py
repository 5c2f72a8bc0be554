"""`git cm search`: ranked units, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cmgit.cli.options import json_option, no_vectors_option, rev_option
from cmgit.cli.output import one_line, pending_json, place_json, print_json, print_text, read_prompt

if TYPE_CHECKING:
    from cmgit.core.records import RankedUnit
    from cmgit.view.view import View


@click.command(name="search")
@rev_option
@click.option("-k", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many results.")
@no_vectors_option
@json_option
@click.argument("query")
def command(rev: str | None, count: int, no_vectors: bool, as_json: bool, query: str) -> None:
    """Rank functions, classes and types for QUERY ("-" reads it from stdin)."""
    from cmgit.cli.reading import query_embedder, reading
    from cmgit.retrieve.retrieve import search

    text = read_prompt(query)
    with reading(rev, no_vectors=no_vectors) as (view, session):
        ranked = search(view, text, count, query_embedder(session))
        if as_json:
            print_json(search_json(view, ranked))
            return
        if not ranked:
            print_text("Nothing found.")
        for result in ranked:
            unit = view.unit(result.unit)
            place = f"{one_line(unit.path)}:{unit.start_line}-{unit.end_line}"
            print_text(f"{result.score:6.3f}  {place}  {unit.kind} {one_line(unit.qualname)}")


def search_json(view: View, ranked: Sequence[RankedUnit]) -> dict[str, object]:
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
