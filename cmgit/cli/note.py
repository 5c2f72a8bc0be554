"""`git cm note`: what code does not say about itself, kept beside it."""

from __future__ import annotations

from importlib import import_module

import click

NOTE_COMMANDS: dict[str, tuple[str, str, str]] = {
    "list": ("cmgit.cli.note_read", "list_notes", "Every note, the newest first."),
    "search": ("cmgit.cli.note_read", "search", "Notes for a file, a symbol, an entity, a variable, or for words."),
    "show": ("cmgit.cli.note_read", "show", "Notes in full, each anchor checked."),
    "create": ("cmgit.cli.note_write", "create", "Write a new note."),
    "edit": ("cmgit.cli.note_write", "edit", "Change a note, and nothing else in it."),
    "delete": ("cmgit.cli.note_write", "delete", "Remove a note."),
    "verify": ("cmgit.cli.note_read", "verify", "Which notes speak of code that has changed since."),
    "follow": ("cmgit.cli.note_write", "follow", "Give anchors the new places of code that moved."),
}


class NoteGroup(click.Group):
    """Commands by name, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(NOTE_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in NOTE_COMMANDS:
            return None
        module, name, _ = NOTE_COMMANDS[cmd_name]
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, _, short) in NOTE_COMMANDS.items()])


@click.group(name="note", cls=NoteGroup)
def command() -> None:
    """Notes in .memory/notes/: decisions, invariants and dead ends, anchored to code.

    An anchor is file:PATH, symbol:PATH::NAME, entity:NAME or env:VARIABLE; paths count from the top of the repository,
    with ./ in front from the current folder.
    """
