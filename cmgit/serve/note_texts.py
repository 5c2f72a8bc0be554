"""What the tools for notes answer, for a model to read."""

from __future__ import annotations

from typing import Any

from cmgit.retrieve.quote import escape_source, fence_for, one_line
from cmgit.serve.tools import Document


def rows_of(document: Document, key: str) -> list[dict[str, Any]]:
    rows = document[key]
    assert isinstance(rows, list)
    return rows


def search_text(document: Document) -> str:
    lines = []
    for row in rows_of(document, "results"):
        marks = [row["weight"]] if row["weight"] == "critical" else []
        marks += [] if row["status"] == "current" else [row["status"]]
        marks += sorted({f"code {one['status']} since" for one in row["stale"]})
        lines.append(f"{row['id']}: {one_line(row['summary'])}" + (f" ({', '.join(marks)})" if marks else ""))
    if document["more"]:
        lines.append(f"{document['more']} more matched; raise the limit to see them.")
    return "\n".join(lines) or "No note answers that."


def notes_text(document: Document) -> str:
    blocks = []
    for found in rows_of(document, "notes"):
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
        blocks.append("\n".join(lines))
    if document["missing"]:
        blocks.append(f"No such note: {', '.join(map(one_line, map(str, rows_of(document, 'missing'))))}.")
    return "\n\n".join(blocks)


def written_text(document: Document) -> str:
    if document.get("conflict"):
        current, _ = escape_source(str(document["current"]))
        fence = fence_for(current)
        return f"{document['message']}.\nIts text now, version {document['version']}:\n{fence}md\n{current}\n{fence}"
    lines = [f"{document['id']} is written: {one_line(str(document['path']))}, version {document['version']}."]
    lines += [f"Warning: {one_line(str(warning))}" for warning in document.get("warnings", ())]  # type: ignore[attr-defined]
    for other in document.get("similar", ()):  # type: ignore[attr-defined]
        lines.append(f"On the same code: {other['id']}: {one_line(other['summary'])}")
    return "\n".join(lines)


def entities_text(document: Document) -> str:
    return "\n".join(f"{one_line(row['name'])}: {one_line(row['meaning'])}" for row in rows_of(document, "entities"))


def followed_text(document: Document) -> str:
    lines = [f"{row['id']}: {one_line(row['from'])} -> {one_line(row['to'])}" for row in rows_of(document, "followed")]
    return "\n".join(lines) or "No note has that anchor."
