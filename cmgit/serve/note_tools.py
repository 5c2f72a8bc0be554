"""The MCP tools for notes: the same methods as the commands, with what a model needs to know in their descriptions.

Offered only where `.memory/` exists or notes are switched on (`notes_wanted`). What a note says is quoted: it was
written by others, and is material to judge, not an instruction.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from cmgit.core.errors import UsageError
from cmgit.notes.book import Book, Changes
from cmgit.notes.model import FOLDER, ORDINARY_WEIGHT, STATUSES, WEIGHTS
from cmgit.notes.search import LIMIT, Question
from cmgit.notes.standing import Standing
from cmgit.notes.uri import typed_uri
from cmgit.notes.write import NoteChanged
from cmgit.retrieve.quote import escape_source, fence_for, one_line
from cmgit.serve.tools import Arguments, Document, Tool

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
_ID = {"type": "string", "pattern": "^[0-9a-z]{5}$"}


def _object(properties: dict[str, Any], required: Sequence[str] = ()) -> Document:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _result(*required: str) -> Document:
    """Fields are added over time, so no more is promised than what is always there."""
    return {"type": "object", "required": list(required)}


def note_tools(ask: Ask, now: Callable[[], str]) -> list[Tool]:
    """The tools. ask: see there. now: the time as `YYYY-MM-DDTHH:MM:SSZ`."""

    def reading(answer: Callable[[Book, Arguments], Document]) -> Callable[[Arguments], Document]:
        return lambda arguments: ask(lambda view: answer(book_of(view, now), arguments))

    def writing(answer: Callable[[Book, Arguments], Document]) -> Callable[[Arguments], Document]:
        return lambda arguments: answer(book_of(ask(lambda view: view), now), arguments)

    return [*_reading_tools(reading), *_writing_tools(writing)]


Wrap = Callable[[Callable[[Book, Arguments], Document]], Callable[[Arguments], Document]]


def _reading_tools(reading: Wrap) -> list[Tool]:
    return [
        Tool(
            "search_notes",
            "Search notes",
            "Find the project's notes (decisions, invariants, dead ends) by anchors, any of them, or by words, any of "
            "them, English or Russian. Call it before editing a file with its anchor. Answers ids and summaries; read "
            "the ones that matter with get_notes. Critical notes are always listed, over the limit too.",
            _object(
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
            reading(lambda book, arguments: book.search(_question(arguments))),
            _search_text,
        ),
        Tool(
            "get_notes",
            "Read notes",
            "Notes in full: body, anchors by weight with what became of each (ok, changed, moved, gone, unknown), and "
            "the summaries of the notes that the body links to. A stale anchor means that the code has changed since: "
            "say so, and check before relying on the note.",
            _object({"ids": {"type": "array", "items": _ID, "minItems": 1, "maxItems": 50}}, ["ids"]),
            _result("notes", "missing"),
            reading(lambda book, arguments: book.show(_texts(arguments, "ids"))),
            _notes_text,
        ),
        Tool(
            "list_entities",
            "List entities",
            "The names of the domain that notes may be anchored to, with one line of meaning each.",
            _object({}),
            _result("entities"),
            reading(lambda book, _: book.entities()),
            lambda document: _lines(
                f"{one_line(row['name'])}: {one_line(row['meaning'])}" for row in _rows(document, "entities")
            ),
        ),
    ]


def _writing_tools(writing: Wrap) -> list[Tool]:
    status = {"type": "string", "enum": list(STATUSES)}
    return [
        Tool(
            "create_note",
            "Create a note",
            "Write a new note, only when the user asked for it and has seen the draft; search first whether one is to "
            "be updated instead. At least one anchor; anchor what it is about in code (file, symbol) and by subject "
            "(entity). The id is made here. Read the warnings.",
            _object(
                {
                    "summary": {"type": "string", "description": "One plain sentence without markup."},
                    "body": {"type": "string", "description": "Markdown."},
                    "anchors": _ANCHORS,
                    "status": status | {"default": "current"},
                },
                ["summary", "body", "anchors"],
            ),
            _result("id", "path", "version", "warnings", "similar"),
            writing(_create),
            _written_text,
            reads_only=False,
        ),
        Tool(
            "update_note",
            "Update a note",
            "Change a note; what is not given stays to the byte. A new body needs the version that get_notes gave: "
            "where somebody else changed the note since, nothing is written and both texts come back "
            "(conflict: true). status outdated retires a note. confirm: it was checked, and holds for the code of now.",
            _object(
                {
                    "id": _ID,
                    "version": _VERSION,
                    "summary": _TEXT,
                    "status": status,
                    "body": _TEXT,
                    "append": _TEXT | {"description": "A paragraph more, instead of a whole body."},
                    "anchors": _ANCHORS | {"description": "To add, or to give another weight."},
                    "drop": {"type": "array", "items": _URI},
                    "confirm": _FLAG,
                },
                ["id"],
            ),
            _result("id"),
            writing(_update),
            _written_text,
            reads_only=False,
        ),
        Tool(
            "rename_anchor",
            "Rename an anchor",
            "After renaming a file, symbol or entity: give every note the new URI, a file's also in anchors of what "
            "is in it.",
            _object({"old_uri": _URI, "new_uri": _URI, "dry_run": _FLAG}, ["old_uri", "new_uri"]),
            _result("followed", "notes"),
            writing(
                lambda book, arguments: book.rename_anchor(
                    _text(arguments, "old_uri"), _text(arguments, "new_uri"), dry_run=bool(arguments.get("dry_run"))
                )
            ),
            lambda document: (
                _lines(
                    f"{row['id']}: {one_line(row['from'])} -> {one_line(row['to'])}"
                    for row in _rows(document, "followed")
                )
                or "No note has that anchor."
            ),
            reads_only=False,
        ),
        Tool(
            "create_entity",
            "Register an entity",
            "Register a name of the domain, with one line of what it is and why it matters. Ask the user first.",
            _object({"name": _TEXT, "meaning": _TEXT}, ["name", "meaning"]),
            _result("name", "meaning", "near"),
            writing(lambda book, arguments: book.add_entity(_text(arguments, "name"), _text(arguments, "meaning"))),
            reads_only=False,
        ),
    ]


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


def _given(arguments: Arguments, key: str) -> str | None:
    value = arguments.get(key)
    return value if isinstance(value, str) else None


def _text(arguments: Arguments, key: str) -> str:
    return _given(arguments, key) or ""


def _texts(arguments: Arguments, key: str) -> list[str]:
    value = arguments.get(key) or ()
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]


# For a model to read


def _rows(document: Document, key: str) -> list[dict[str, Any]]:
    rows = document[key]
    assert isinstance(rows, list)
    return rows


def _lines(lines: Any) -> str:
    return "\n".join(lines)


def _search_text(document: Document) -> str:
    lines = []
    for row in _rows(document, "results"):
        marks = [row["weight"]] if row["weight"] == "critical" else []
        marks += [] if row["status"] == "current" else [row["status"]]
        marks += sorted({f"code {one['status']} since" for one in row["stale"]})
        lines.append(f"{row['id']}: {one_line(row['summary'])}" + (f" ({', '.join(marks)})" if marks else ""))
    if document["more"]:
        lines.append(f"{document['more']} more matched; raise the limit to see them.")
    return _lines(lines) or "No note answers that."


def _notes_text(document: Document) -> str:
    blocks = []
    for found in _rows(document, "notes"):
        lines = [f"Note {found['id']} ({found['status']}, version {found['version']}): {one_line(found['summary'])}"]
        for weight, anchors in found["anchors"].items():
            for one in anchors:
                target = f", now {one_line(one['target'])}" if one.get("target") else ""
                lines.append(f"  {weight} {one_line(one['uri'])}: {one['status']}{target}")
        body, _ = escape_source(found["body"].strip("\r\n"))
        fence = fence_for(body)
        lines += [f"{fence}md", body, fence]
        if found.get("cut"):
            lines.append(f"{found['cut']} more characters are in {one_line(found['path'])}.")
        lines += [
            f"[[{linked['id']}]] {one_line(linked['summary']) or 'leads to no note'}" for linked in found["links"]
        ]
        blocks.append(_lines(lines))
    if document["missing"]:
        blocks.append(f"No such note: {', '.join(map(one_line, map(str, _rows(document, 'missing'))))}.")
    return "\n\n".join(blocks)


def _written_text(document: Document) -> str:
    if document.get("conflict"):
        current, _ = escape_source(str(document["current"]))
        fence = fence_for(current)
        return f"{document['message']}.\nIts text now, version {document['version']}:\n{fence}md\n{current}\n{fence}"
    lines = [f"{document['id']} is written: {one_line(str(document['path']))}, version {document['version']}."]
    lines += [f"Warning: {one_line(str(warning))}" for warning in document.get("warnings", ())]  # type: ignore[attr-defined]
    for other in document.get("similar", ()):  # type: ignore[attr-defined]
        lines.append(f"On the same code: {other['id']}: {one_line(other['summary'])}")
    return _lines(lines)
