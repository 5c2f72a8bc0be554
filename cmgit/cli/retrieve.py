"""`git cm retrieve`: the source that a task needs."""

from __future__ import annotations

import click

from cmgit.cli.options import QuotedCommand, json_option, no_vectors_option, rev_option
from cmgit.cli.retrieving import DETAILS, ROUTES, run_retrieve


@click.command(name="retrieve", cls=QuotedCommand)
@rev_option
@click.option("--budget", type=click.IntRange(0), help="Bytes of source, 6000 unless configured.")
@click.option("--detail", type=click.Choice(DETAILS), help="expanded: more roots, two steps.")
@click.option(
    "--route",
    type=click.Choice(ROUTES),
    default="auto",
    show_default=True,
    help="How to look: one named file, named code, or a search.",
)
@click.option("--explain", is_flag=True, help="Say why each unit was chosen.")
@no_vectors_option
@json_option
@click.argument("prompt")
def command(
    rev: str | None,
    budget: int | None,
    detail: str | None,
    route: str,
    explain: bool,
    no_vectors: bool,
    as_json: bool,
    prompt: str,
) -> None:
    """Print the source that the task PROMPT needs ("-" reads it from stdin), true to the disk, within the budget."""
    run_retrieve(prompt, rev, budget, detail, route, explain, no_vectors, as_json)
