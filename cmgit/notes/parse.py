"""One file's bytes → one note."""

from __future__ import annotations

from functools import lru_cache

from cmgit.git.disk import blob_oid
from cmgit.notes.front import cut, read_front
from cmgit.notes.model import (
    ID,
    LINK,
    NOTES,
    ORDINARY_WEIGHT,
    STATUSES,
    WEIGHTS,
    Anchor,
    Head,
    Note,
    Unreadable,
    text_of,
)
from cmgit.notes.uri import read_uri
from cmgit.notes.yaml_door import BadYaml

LARGEST = 16_000_000  # bytes: what is larger is no note


@lru_cache(maxsize=8_192)
def parse_head(path: str, data: bytes, object_format: str) -> Head | Unreadable:
    """As `parse_note`, without the body: what a resident process keeps."""
    found = parse_note(path, data, object_format)
    return found.head if isinstance(found, Note) else found


def parse_note(path: str, data: bytes, object_format: str) -> Note | Unreadable:
    """A note, whatever stands in the file. Never raises.

    The file's name is its id; where it is none, the front matter's counts, so that files written by hand work.
    """
    if len(data) > LARGEST:
        return Unreadable(path, f"larger than {LARGEST} bytes")
    text = text_of(data)
    try:
        parts = cut(text)
        front = read_front(parts.yaml)
    except BadYaml as error:
        return Unreadable(path, str(error))
    stem, written = path[len(NOTES) : -len(".md")], front.values.get("id", "")
    problems = list(front.problems)
    if ID.fullmatch(stem):
        ident = stem
        if written and written != stem:
            problems.append(f"its id says {written[:40]!r}, its file name {stem}; the file name counts")
    elif ID.fullmatch(written):
        ident = written
    else:
        return Unreadable(path, "neither its name nor its id is five characters 0-9 a-z")
    status = front.values.get("status", "") or "current"
    if status not in STATUSES:
        problems.append(f"unknown status {status[:40]!r}, taken for draft")
        status = "draft"
    anchors = tuple(dict.fromkeys(_anchor(row, problems) for row in front.anchors))
    if not anchors:
        problems.append("it has no anchor")
    if not front.values.get("summary", "").strip():
        problems.append("it has no summary")
    body = text[parts.body :]
    head = Head(
        id=ident,
        path=path,
        oid=blob_oid(data, object_format),
        summary=" ".join(front.values.get("summary", "").split()),
        status=status,
        created=front.values.get("created", ""),
        updated=front.values.get("updated", ""),
        anchors=anchors,
        links=tuple(dict.fromkeys(LINK.findall(body))),
        problems=tuple(problems),
    )
    return Note(head, body)


def body_of(data: bytes) -> str:
    """What stands below the front matter of something that was a note before; "" where it is none."""
    text = text_of(data)
    try:
        return text[cut(text).body :]
    except BadYaml:
        return ""


def _anchor(row: tuple[str, str, str], problems: list[str]) -> Anchor:
    uri, weight, digest = row
    if read_uri(uri) is None:
        problems.append(f"{uri[:80]!r} is no anchor")
    if weight and weight not in WEIGHTS:
        problems.append(f"unknown weight {weight[:40]!r}, taken for {ORDINARY_WEIGHT}")
    return Anchor(uri, weight if weight in WEIGHTS else ORDINARY_WEIGHT, digest)
