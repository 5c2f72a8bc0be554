"""The MCP tools for code: what the commands answer, cut to what a model can use.

Few, with short descriptions: each one hangs in the model's context for the whole session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from cmgit.retrieve.quote import one_line
from cmgit.serve.tools import Arguments, Document, Sheet, Tool, object_schema

Ask = Callable[[str, Arguments], Document]
"""From an operation (`retrieve`, `search`, `callers`, `symbols`) and its arguments to the command's document."""

MOST_SITES = 200
MOST_SYMBOLS = 500
MOST_UNITS = 20
NOTHING = "Nothing in this repository's JavaScript and TypeScript answers that."

_CWD = {"type": "string", "description": "A folder of the repository or worktree meant; the server's own if left out."}
_PLACE = ("path", "kind", "qualname", "start_line", "end_line")
_ITEM = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "kind": {"type": "string"},
        "qualname": {"type": "string"},
        "start_line": {"type": "integer"},
        "end_line": {"type": "integer"},
    },
    "required": list(_PLACE),
}
_SITES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
        "required": ["path", "line"],
    },
}
_PENDING = {
    "type": "object",
    "description": "What the answer does not know yet.",
    "properties": {"files": {"type": "integer"}, "vectors": {"type": "integer"}, "history": {"type": "integer"}},
}


def _answer_schema(properties: dict[str, Any]) -> Document:
    """All of them are there; fields are added over time."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _rows(document: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return list(document[name])


def _pick(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _context(document: Mapping[str, Any]) -> Document:
    return {
        **_pick(document, "text", "route", "tree", "dirty"),
        "items": [_pick(item, "role", *_PLACE) for item in _rows(document, "items")],
        "call_sites": [_pick(site, "of", "path", "line", "caller") for site in _rows(document, "call_sites")],
        **_pick(document, "omitted", "pending"),
    }


def _found(document: Mapping[str, Any]) -> Document:
    rows = [_pick(row, *_PLACE) for row in _rows(document, "results")]
    return {"results": rows, **_pick(document, "tree", "dirty", "pending")}


def _found_text(document: Document) -> str:
    return "\n".join(map(_line, _rows(document, "results"))) or "Nothing found."


def _line(row: Mapping[str, Any]) -> str:
    return f"{one_line(row['path'])}:{row['start_line']}-{row['end_line']}  {row['kind']} {one_line(row['qualname'])}"


def _callers(document: Mapping[str, Any]) -> Document:
    left = MOST_SITES
    units: list[dict[str, Any]] = []
    counts = {"units": 0, "callers": 0, "imports": 0, "undecided": 0}
    for unit in _rows(document, "units"):
        if len(units) == MOST_UNITS:
            counts["units"] += 1
            continue
        row = _pick(unit, *_PLACE)
        for name, fields in (
            ("callers", ("path", "line", "caller", "kind", "confidence", "rule")),
            ("imports", ("path", "line")),
        ):
            sites = unit[name][: max(left, 0)]
            left -= len(sites)
            counts[name] += len(unit[name]) - len(sites)
            row[name] = [_pick(site, *fields) for site in sites]
        units.append(row)
    undecided = _rows(document, "undecided")
    kept = undecided[: max(left, MOST_UNITS)]
    counts["undecided"] = len(undecided) - len(kept)
    return {
        "units": units,
        "undecided": [_pick(site, "path", "line", "caller") for site in kept],
        "more": {name: count for name, count in counts.items() if count},
        **_pick(document, "tree", "dirty", "pending"),
    }


def _callers_text(document: Document) -> str:
    lines: list[str] = []
    for unit in _rows(document, "units"):
        lines.append(_line(unit))
        for site in unit["callers"]:
            told = f"{site['confidence']} {site['kind']} in {one_line(site['caller'])}"
            lines.append(f"  {one_line(site['path'])}:{site['line']}  {told}")
        if not unit["callers"]:
            lines.append("  no use was found that is sure to mean it")
        lines.extend(f"  {one_line(site['path'])}:{site['line']}  import" for site in unit["imports"])
    undecided = _rows(document, "undecided")
    if undecided:
        lines.append("Undecided, may mean another of that name:")
        lines.extend(f"  {one_line(s['path'])}:{s['line']}  in {one_line(s['caller'])}" for s in undecided)
    more = document["more"]
    if isinstance(more, dict) and more:
        lines.append("Left out: " + ", ".join(f"{count} {name}" for name, count in more.items()))
    return "\n".join(lines)


def _symbols(document: Mapping[str, Any]) -> Document:
    rows = _rows(document, "symbols")
    return {
        **_pick(document, "path", "language", "role", "status"),
        "symbols": [_pick(row, *_PLACE, "exported") for row in rows[:MOST_SYMBOLS]],
        "more": max(0, len(rows) - MOST_SYMBOLS),
        **_pick(document, "tree", "pending"),
    }


def _symbols_text(document: Document) -> str:
    lines = [f"{one_line(str(document['path']))}  {document['language']}, {document['role']}, {document['status']}"]
    for row in _rows(document, "symbols")[1:]:
        mark = "export " if row["exported"] else ""
        lines.append(f"{row['start_line']}-{row['end_line']}  {mark}{row['kind']} {one_line(row['qualname'])}")
    if document["more"]:
        lines.append(f"{document['more']} more were left out.")
    return "\n".join(lines)


# The tools, in the order in which they are listed.
SHEETS: tuple[Sheet[Ask], ...] = (
    Sheet(
        "cm_retrieve_context",
        "Retrieve context",
        "The source needed for a task, read from disk now: functions whole, their dependencies, call sites. "
        "Give the task in words, with names and paths where known. detail expanded: wider, for a large change.",
        object_schema(
            {
                "prompt": {"type": "string", "minLength": 1},
                "detail": {"type": "string", "enum": ["normal", "expanded"], "default": "normal"},
                "budget": {"type": "integer", "minimum": 500, "maximum": 60_000, "description": "Bytes of source."},
                "cwd": _CWD,
            },
            ["prompt"],
        ),
        _answer_schema(
            {
                "text": {"type": "string"},
                "route": {"type": "string"},
                "tree": {"type": "string"},
                "dirty": {"type": "integer"},
                "items": {"type": "array", "items": _ITEM},
                "call_sites": _SITES,
                "omitted": {"type": "object"},
                "pending": _PENDING,
            }
        ),
        lambda ask, arguments: _context(ask("retrieve", arguments)),
        lambda document: str(document["text"]) or NOTHING,
    ),
    Sheet(
        "cm_search",
        "Search code",
        "Functions, classes and types ranked for a question in words or names.",
        object_schema(
            {
                "query": {"type": "string", "minLength": 1},
                "count": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
                "cwd": _CWD,
            },
            ["query"],
        ),
        _answer_schema({"results": {"type": "array", "items": _ITEM}, "pending": _PENDING}),
        lambda ask, arguments: _found(ask("search", arguments)),
        _found_text,
    ),
    Sheet(
        "cm_callers",
        "Find callers",
        "Every use of a function, method, class or type: proven, likely, and those that could not be decided.",
        object_schema(
            {
                "name": {"type": "string", "minLength": 1, "description": "NAME, Class.member or path:NAME"},
                "cwd": _CWD,
            },
            ["name"],
        ),
        _answer_schema(
            {
                "units": {"type": "array", "items": _ITEM},
                "undecided": _SITES,
                "more": {"type": "object", "description": "How many were left out."},
                "pending": _PENDING,
            }
        ),
        lambda ask, arguments: _callers(ask("callers", arguments)),
        _callers_text,
    ),
    Sheet(
        "cm_symbols",
        "List symbols",
        "What a file declares, with line ranges.",
        object_schema(
            {"path": {"type": "string", "minLength": 1, "description": "From the top."}, "cwd": _CWD}, ["path"]
        ),
        _answer_schema(
            {
                "path": {"type": "string"},
                "status": {"type": "string"},
                "symbols": {"type": "array", "items": _ITEM},
                "more": {"type": "integer"},
                "pending": _PENDING,
            }
        ),
        lambda ask, arguments: _symbols(ask("symbols", arguments)),
        _symbols_text,
    ),
)


def code_tools(ask: Ask) -> list[Tool]:
    return [Tool(sheet, partial(sheet.answer, ask)) for sheet in SHEETS]
