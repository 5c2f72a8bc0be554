"""`git cm stats`: the state of the notes at a glance."""

from __future__ import annotations

import click

from cmgit.cli.notebook import PENDING, book, complain_unreadable
from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import note, one_line, print_json, print_text


@click.command(name="stats")
@rev_option
@json_option
def command(rev: str | None, as_json: bool) -> None:
    """Count notes, anchors and entities, and what is wrong with them."""
    with book(rev) as notes:
        document = notes.stats()
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    for key, value in document.items():
        if key == "unreadable" or not value or (isinstance(value, dict) and not any(value.values())):
            continue
        if isinstance(value, dict):
            shown = ", ".join(f"{count} {name}" for name, count in value.items() if count)
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        print_text(f"{key.replace('_', ' '):18}{one_line(shown)}")
    if not any(document["notes"].values()):  # type: ignore[attr-defined]
        note("no notes yet; `git cm note create` writes one")
    complain_unreadable(document)
