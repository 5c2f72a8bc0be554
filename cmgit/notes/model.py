"""Notes as records. A note is one Markdown file; what it says of itself stands in its front matter."""

from __future__ import annotations

import re

from cmgit.core.record import record

FOLDER = ".memory"
NOTES = ".memory/notes/"
ENTITIES = ".memory/entities.md"

WEIGHTS = ("critical", "core", "supporting", "incidental")
"""What an anchor means to its note, heaviest first. `critical`: an invariant that whoever touches it must see."""
STATUSES = ("draft", "current", "outdated")
ORDINARY_WEIGHT = "supporting"

ID = re.compile(r"[0-9a-z]{5}")
LINK = re.compile(r"\[\[([0-9a-z]{5})\]\]")


@record
class Anchor:
    """What a note speaks of. uri: see `cmgit.notes.uri`. hash: `blob:<git's id>` of a file or `text:<digest>` of a unit
    when the note was last confirmed; "" where nobody has."""

    uri: str
    weight: str = ORDINARY_WEIGHT
    hash: str = ""


@record
class Head:
    """A note without its body. oid: git's id for the file's exact bytes, which is also the note's version.

    links: ids that the body names as `[[id]]`, in order. problems: what its front matter lacks; such a note is shown.
    """

    id: str
    path: str
    oid: str
    summary: str
    status: str
    created: str
    updated: str
    anchors: tuple[Anchor, ...]
    links: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def weight_of(self, uri: str) -> str | None:
        return next((anchor.weight for anchor in self.anchors if anchor.uri == uri), None)


@record
class Note:
    """head and the Markdown below the front matter."""

    head: Head
    body: str


@record
class Unreadable:
    """A file in the notes' folder that is no note. It is reported, never guessed at."""

    path: str
    reason: str


def is_note_path(path: str) -> bool:
    return path.startswith(NOTES) and path.endswith(".md") and "/" not in path[len(NOTES) :]


def text_of(data: bytes) -> str:
    """Any bytes as text, and back again by `errors="surrogateescape"`."""
    return data.decode("utf-8", "surrogateescape")
