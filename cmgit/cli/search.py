"""`git cm search`: ranked units, one line each."""

from __future__ import annotations

import click

from cmgit.cli.options import json_option, no_vectors_option, rev_option
from cmgit.cli.output import one_line, pending_json, place_json, print_json, print_text, read_prompt


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
        units = [view.unit(result.unit) for result in ranked]
        if as_json:
            results = [
                {
                    "rank": rank,
                    "score": round(result.score, 6),
                    **place_json(unit),
                    "why": {signal: round(share, 6) for signal, share in result.why},
                }
                for rank, (result, unit) in enumerate(zip(ranked, units, strict=True), 1)
            ]
            print_json(
                {"tree": view.tree, "dirty": view.dirty, "results": results, "pending": pending_json(view.pending)}
            )
            return
        if not units:
            print_text("Nothing found.")
        for result, unit in zip(ranked, units, strict=True):
            place = f"{one_line(unit.path)}:{unit.start_line}-{unit.end_line}"
            print_text(f"{result.score:6.3f}  {place}  {unit.kind} {one_line(unit.qualname)}")
