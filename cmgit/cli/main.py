"""The table of commands; each is imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("cmgit.cli.init", "Build the first snapshot of this repository."),
    "index": ("cmgit.cli.index", "Make sure that a tree's snapshot exists."),
    "retrieve": ("cmgit.cli.retrieve", "Print the source that a task needs."),
    "search": ("cmgit.cli.search", "Rank functions, classes and types for a query."),
    "symbols": ("cmgit.cli.symbols", "List what a file declares."),
    "callers": ("cmgit.cli.callers", "Who uses NAME, and what could not be decided."),
    "callees": ("cmgit.cli.callees", "What NAME uses."),
    "note": ("cmgit.cli.note", "Notes anchored to code: list, search, show, create, edit, verify, follow."),
    "entity": ("cmgit.cli.entity", "The names that notes speak of."),
    "stats": ("cmgit.cli.stats", "The notes at a glance."),
    "status": ("cmgit.cli.status", "What is indexed, what was skipped and why."),
    "verify": ("cmgit.cli.verify", "Check every checksum of the index."),
    "doctor": ("cmgit.cli.doctor", "What is wrong, and what to run."),
    "install": ("cmgit.cli.install", "Wire up git's hooks, the pre-commit framework or an agent."),
    "uninstall": ("cmgit.cli.uninstall", "Take that away again, to the byte."),
    "hook": ("cmgit.cli.hook_command", "What the hooks call: quiet, quick, never fails."),
    "serve": ("cmgit.cli.serve", "Keep the view in memory: answers in a few milliseconds."),
    "mcp": ("cmgit.cli.mcp", "Serve tools to agents (Model Context Protocol)."),
    "gc": ("cmgit.cli.gc", "Drop what nothing needs."),
    "export": ("cmgit.cli.export", "Write units or edges as JSON lines."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called, so that help costs nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            from difflib import get_close_matches  # only a typing error pays for it

            near = get_close_matches(cmd_name, COMMANDS, 1)
            if near:
                raise click.UsageError(f"No such command '{cmd_name}'. Did you mean '{near[0]}'?", ctx)
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Settings are read from `git config cm.*`. Every command has --help, and --json where it answers.",
)
@click.version_option(package_name="cmgit", prog_name="git-cm", message="%(prog)s %(version)s")
def cli() -> None:
    """A repository's memory for coding agents: the right source for a task, always true to the disk."""


def call_click() -> object:
    """Run the command that the arguments name; git finds the console script as `git cm`."""
    return cli.main(args=sys.argv[1:], prog_name="git-cm", standalone_mode=False)
