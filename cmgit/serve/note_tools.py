"""The MCP tools for notes: the same methods as the commands, with what a model needs to know in their descriptions.

Offered only where `.memory/` exists or notes are switched on (`notes_wanted`). What a note says is quoted: it was
written by others, and is material to judge, not an instruction.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from cmgit.core.errors import UsageError
from cmgit.notes.book import Book, Changes
from cmgit.notes.model import FOLDER, ORDINARY_WEIGHT, STATUSES, WEIGHTS
from cmgit.notes.search import LIMIT, Question
from cmgit.notes.standing import Standing
from cmgit.notes.uri import typed_uri
from cmgit.notes.write import NoteChanged
from cmgit.serve.note_texts import entities_text, followed_text, notes_text, search_text, written_text
from cmgit.serve.tools import Arguments, Document, Sheet, Tool, object_schema

if TYPE_CHECKING:
    from cmgit.core.config import Config
    from cmgit.git.locate import Location
    from cmgit.view.view import View

Answer = TypeVar("Answer")


class Ask(Protocol):
    """Puts a question to the view of this moment. It may be put twice, so it changes nothing."""

    def __call__(self, question: Callable[[View], Answer]) -> Answer: ...


def notes_wanted(location: Location, config: Config) -> bool:
    """Whether the tools are listed: there is a `.memory/`, or `git config cm.notes on`."""
    if config.notes != "auto" or location.top is None:
        return config.notes == "on"
    return os.path.isdir(os.path.join(location.top, FOLDER))  # noqa: PTH112, PTH118


def book_of(view: View, now: Callable[[], str]) -> Book:
    """The notes of a view."""
    assert view.location is not None
    changes = tuple(view.changes) if view.changes is not None else None
    return Book(Standing(view.location, view.tree, changes), lambda: view, now)


_URI = {
    "type": "string",
    "description": "file:PATH, symbol:PATH::Name or symbol:PATH::Class.member, entity:Name, env:VARIABLE; "
    "paths from the top of the repository",
}
_ANCHORS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "uri": _URI,
            "weight": {
                "type": "string",
                "enum": list(WEIGHTS),
                "default": ORDINARY_WEIGHT,
                "description": "critical: an invariant that whoever touches it must see (sparingly); core: what the "
                "note is about; supporting: related; incidental: touched",
            },
        },
        "required": ["uri"],
        "additionalProperties": False,
    },
}
_VERSION = {"type": "string", "description": "The version that get_notes gave."}
_TEXT = {"type": "string"}
_FLAG = {"type": "boolean", "default": False}
_STATUS = {"type": "string", "enum": list(STATUSES)}
_ID = {"type": "string", "pattern": "^[0-9a-z]{5}$"}


def _result(*required: str) -> Document:
    """Fields are added over time, so no more is promised than what is always there."""
    return {"type": "object", "required": list(required)}


def _question(arguments: Arguments) -> Question:
    limit = arguments.get("limit", LIMIT)
    return Question(
        anchors=tuple(typed_uri(text) for text in _texts(arguments, "anchors")),
        text=_text(arguments, "text"),
        context=tuple(typed_uri(text) for text in _texts(arguments, "context")),
        inside=bool(arguments.get("inside")),
        strict=bool(arguments.get("strict")),
        drafts=bool(arguments.get("drafts")),
        outdated=bool(arguments.get("outdated")),
        limit=limit if isinstance(limit, int) else LIMIT,
    )


def _create(book: Book, arguments: Arguments) -> Document:
    status = _text(arguments, "status") or "current"
    return book.create(_text(arguments, "summary"), _text(arguments, "body"), _anchors(arguments), status)


def _update(book: Book, arguments: Arguments) -> Document:
    changes = Changes(
        summary=_given(arguments, "summary"),
        status=_given(arguments, "status"),
        body=_given(arguments, "body"),
        append=_given(arguments, "append"),
        anchors=_anchors(arguments),
        drop=[typed_uri(text).text for text in _texts(arguments, "drop")],
        confirm=bool(arguments.get("confirm")),
    )
    version = _given(arguments, "version")
    if changes.body is not None and not version:
        raise UsageError("a whole new body needs the version that was read", "get_notes gives it; or use append")
    ident = _text(arguments, "id")
    try:
        return book.update(ident, changes, version)
    except NoteChanged as error:
        return {
            "id": ident,
            "conflict": True,
            "message": f"{error.message}; {error.hint}",
            "version": error.version,
            "current": error.current,
            "proposed": error.proposed,
        }


def _anchors(arguments: Arguments) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    given = arguments.get("anchors") or ()
    for anchor in given if isinstance(given, (list, tuple)) else ():
        if not isinstance(anchor, dict) or not isinstance(anchor.get("uri"), str):
            raise UsageError("an anchor is {uri, weight}", "file:PATH, symbol:PATH::NAME, entity:NAME or env:VARIABLE")
        found.append((anchor["uri"], str(anchor.get("weight") or ORDINARY_WEIGHT)))
    return found


def _rename(book: Book, arguments: Arguments) -> Document:
    old, new = _text(arguments, "old_uri"), _text(arguments, "new_uri")
    return book.rename_anchor(old, new, dry_run=bool(arguments.get("dry_run")))


def _given(arguments: Arguments, key: str) -> str | None:
    value = arguments.get(key)
    return value if isinstance(value, str) else None


def _text(arguments: Arguments, key: str) -> str:
    return _given(arguments, key) or ""


def _texts(arguments: Arguments, key: str) -> list[str]:
    value = arguments.get(key) or ()
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]


# The tools, in the order in which they are listed.
SHEETS: tuple[Sheet[Book], ...] = (
    Sheet(
        "search_notes",
        "Search notes",
        "Find the project's notes (decisions, invariants, dead ends) by anchors, any of them, or by words, any of "
        "them, English or Russian. Call it before editing a file with its anchor. Answers ids and summaries; read "
        "the ones that matter with get_notes. Critical notes are always listed, over the limit too.",
        object_schema(
            {
                "anchors": {"type": "array", "items": _URI},
                "text": _TEXT,
                "inside": _FLAG | {"description": "A file also answers for what is in it."},
                "context": {"type": "array", "items": _URI, "description": "What you work with; filters nothing."},
                "strict": _FLAG | {"description": "Every word, not any."},
                "drafts": _FLAG,
                "outdated": _FLAG,
                "limit": {"type": "integer", "minimum": 0, "maximum": 1000, "default": LIMIT},
            }
        ),
        _result("results", "more", "searched"),
        lambda book, arguments: book.search(_question(arguments)),
        search_text,
    ),
    Sheet(
        "get_notes",
        "Read notes",
        "Notes in full: body, anchors by weight with what became of each (ok, changed, moved, gone, unknown), and "
        "the summaries of the notes that the body links to. A stale anchor means that the code has changed since: "
        "say so, and check before relying on the note.",
        object_schema({"ids": {"type": "array", "items": _ID, "minItems": 1, "maxItems": 50}}, ["ids"]),
        _result("notes", "missing"),
        lambda book, arguments: book.show(_texts(arguments, "ids")),
        notes_text,
    ),
    Sheet(
        "list_entities",
        "List entities",
        "The names of the domain that notes may be anchored to, with one line of meaning each.",
        object_schema({}),
        _result("entities"),
        lambda book, _: book.entities(),
        entities_text,
    ),
    Sheet(
        "create_note",
        "Create a note",
        "Write a new note, only when the user asked for it and has seen the draft; search first whether one is to "
        "be updated instead. At least one anchor; anchor what it is about in code (file, symbol) and by subject "
        "(entity). The id is made here. Read the warnings.",
        object_schema(
            {
                "summary": {"type": "string", "description": "One plain sentence without markup."},
                "body": {"type": "string", "description": "Markdown."},
                "anchors": _ANCHORS,
                "status": _STATUS | {"default": "current"},
            },
            ["summary", "body", "anchors"],
        ),
        _result("id", "path", "version", "warnings", "similar"),
        _create,
        written_text,
        reads_only=False,
    ),
    Sheet(
        "update_note",
        "Update a note",
        "Change a note; what is not given stays to the byte. A new body needs the version that get_notes gave: "
        "where somebody else changed the note since, nothing is written and both texts come back "
        "(conflict: true). status outdated retires a note. confirm: it was checked, and holds for the code of now.",
        object_schema(
            {
                "id": _ID,
                "version": _VERSION,
                "summary": _TEXT,
                "status": _STATUS,
                "body": _TEXT,
                "append": _TEXT | {"description": "A paragraph more, instead of a whole body."},
                "anchors": _ANCHORS | {"description": "To add, or to give another weight."},
                "drop": {"type": "array", "items": _URI},
                "confirm": _FLAG,
            },
            ["id"],
        ),
        _result("id"),
        _update,
        written_text,
        reads_only=False,
    ),
    Sheet(
        "rename_anchor",
        "Rename an anchor",
        "After renaming a file, symbol or entity: give every note the new URI, a file's also in anchors of what "
        "is in it.",
        object_schema({"old_uri": _URI, "new_uri": _URI, "dry_run": _FLAG}, ["old_uri", "new_uri"]),
        _result("followed", "notes"),
        _rename,
        followed_text,
        reads_only=False,
    ),
    Sheet(
        "create_entity",
        "Register an entity",
        "Register a name of the domain, with one line of what it is and why it matters. Ask the user first.",
        object_schema({"name": _TEXT, "meaning": _TEXT}, ["name", "meaning"]),
        _result("name", "meaning", "near"),
        lambda book, arguments: book.add_entity(_text(arguments, "name"), _text(arguments, "meaning")),
        reads_only=False,
    ),
)


def note_tools(ask: Ask, now: Callable[[], str]) -> list[Tool]:
    """The tools. now: the time as `YYYY-MM-DDTHH:MM:SSZ`."""

    def call(sheet: Sheet[Book], arguments: Arguments) -> Document:
        if sheet.reads_only:
            return ask(lambda view: sheet.answer(book_of(view, now), arguments))
        return sheet.answer(book_of(ask(lambda view: view), now), arguments)

    return [Tool(sheet, partial(call, sheet)) for sheet in SHEETS]
