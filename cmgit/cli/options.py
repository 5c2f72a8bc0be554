"""Options that several commands share, in one wording."""

from __future__ import annotations

import click

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
rev_option = click.option(
    "--rev", metavar="REV", help="Answer for this commit, tag or tree instead of the working tree."
)
no_vectors_option = click.option(
    "--no-vectors", is_flag=True, help="Make no embeddings: words and the call graph answer alone."
)
