"""Options that several commands share, in one wording."""

from __future__ import annotations

import click


class QuotedCommand(click.Command):
    """A command whose one argument is a sentence: who forgets the quotes is told of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            quoted = f'{error.message}. Put the sentence in quotes: git cm {self.name} "…"'
            raise click.UsageError(quoted, ctx) from error


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
rev_option = click.option(
    "--rev", metavar="REV", help="Answer for this commit, tag or tree instead of the working tree."
)
no_vectors_option = click.option(
    "--no-vectors", is_flag=True, help="Make no embeddings: words and the call graph answer alone."
)
limit_option = click.option(
    "--limit", metavar="N", type=click.IntRange(1), default=20, show_default=True,
    help="Print at most N places for each name. --json has all.",
)  # fmt: skip
all_option = click.option("--all", "everything", is_flag=True, help="Print every place.")
