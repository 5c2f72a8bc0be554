"""`git cm hook` where click is loaded already: help, and a caller that reached the command table."""

from __future__ import annotations

import click


@click.command(
    name="hook", add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """What git's hooks call with EVENT and what git gave them."""
    from cmgit.cli.hook import hook_main

    hook_main(arguments)
