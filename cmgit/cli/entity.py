"""`git cm entity`: the names that notes speak of, with one line of meaning each."""

from __future__ import annotations

import click

from cmgit.cli.notebook import PENDING, book, print_lines
from cmgit.cli.options import json_option, rev_option
from cmgit.cli.output import note, one_line, print_json, print_text


@click.group(name="entity")
def command() -> None:
    """The registry of entities, .memory/entities.md."""


@command.command(name="list")
@rev_option
@json_option
def list_entities(rev: str | None, as_json: bool) -> None:
    """Every entity with its meaning and how many notes have it."""
    with book(rev) as notes:
        document = notes.entities()
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    for row in document["entities"]:  # type: ignore[attr-defined]
        print_text(f"{one_line(row['name'])}: {one_line(row['meaning'])}  ({row['notes']})")


@command.command()
@rev_option
@json_option
@click.argument("name")
def show(rev: str | None, as_json: bool, name: str) -> None:
    """One entity and its notes."""
    with book(rev) as notes:
        document = notes.entity(name)
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    print_text(f"{one_line(name)}: {one_line(str(document['meaning']))}")
    print_lines(document["notes"])  # type: ignore[arg-type]


@command.command()
@click.option("--meaning", required=True, help="One line: what it is, and why it matters.")
@json_option
@click.argument("name")
def add(meaning: str, as_json: bool, name: str) -> None:
    """Register an entity."""
    with book() as notes:
        document = notes.add_entity(name, meaning)
    if as_json:
        print_json(document | {"pending": PENDING})
        return
    print_text(f"{one_line(name)}: {one_line(meaning)}")
    if document["near"]:
        note(f"near names: {', '.join(document['near'])}")  # type: ignore[arg-type]


@command.command()
@click.option("--meaning", help="Another line of meaning.")
@click.option("--name", "new_name", help="Another name; notes that have the old one get it.")
@json_option
@click.argument("name")
def update(meaning: str | None, new_name: str | None, as_json: bool, name: str) -> None:
    """Change an entity."""
    with book() as notes:
        document = notes.update_entity(name, meaning, new_name)
    if as_json:
        print_json(document | {"pending": PENDING})
    else:
        print_text(f"{one_line(str(document['name']))}, {document['notes']} notes renamed")


@command.command()
@json_option
@click.argument("name")
def remove(as_json: bool, name: str) -> None:
    """Take an entity out of the registry; no note may have it."""
    with book() as notes:
        document = notes.remove_entity(name)
    if as_json:
        print_json(document | {"pending": PENDING})
    else:
        print_text(f"{one_line(name)} is removed")
