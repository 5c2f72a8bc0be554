"""`git cm search`: ranked units, one line each."""

from __future__ import annotations

import click

from cmgit.cli.options import QuotedCommand, json_option, no_vectors_option, rev_option
from cmgit.cli.searching import MOST_RESULTS, RESULTS, run_search


@click.command(name="search", cls=QuotedCommand)
@rev_option
@click.option(
    "-k", "count", type=click.IntRange(1, MOST_RESULTS), default=RESULTS, show_default=True, help="How many results."
)
@no_vectors_option
@json_option
@click.argument("query")
def command(rev: str | None, count: int, no_vectors: bool, as_json: bool, query: str) -> None:
    """Rank functions, classes and types for QUERY ("-" reads it from stdin)."""
    run_search(query, rev, count, no_vectors, as_json)
