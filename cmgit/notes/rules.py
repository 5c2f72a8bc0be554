"""What a note must be before it is written. What is refused says what to do; what is only doubtful is a warning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from cmgit.core.errors import UsageError
from cmgit.notes.entities import near_names
from cmgit.notes.memory import Memory
from cmgit.notes.model import LINK, STATUSES, WEIGHTS, Anchor
from cmgit.notes.uri import read_uri, typed_uri

if TYPE_CHECKING:
    from cmgit.notes.anchors import Checker

LONGEST_SUMMARY = 240
LARGEST_BODY = 1_000_000
_DEBRIS = r"\b(?:function_calls?|tool_(?:calls?|use|result)|antml|invoke name|parameter name)\b"
_HIDDEN = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
_MARKUP = (
    (re.compile(r"[\r\n\u2028\u2029\x85]"), "several lines"),
    (re.compile(_HIDDEN), "control characters"),
    (re.compile(r"</|(?<!\w)<[A-Za-z!?|/]|\|>|&lt;|<\|"), "a tag"),
    (re.compile(r"`"), "back-ticks"),
    (re.compile(r"\*\*|__\w|~~|\]\(|^\s*(?:#{1,6}\s|[-*+]\s|>\s|\d+\.\s)"), "Markdown"),
    (re.compile(r"[{\[]\s*\"|\"\s*[:,]\s*[\"{\[]|\"\s*[}\]]|\\n|\\\""), "pieces of JSON"),
    (re.compile(_DEBRIS, re.IGNORECASE), "pieces of a tool call"),
)


def check_summary(text: str) -> str:
    """The summary as it is written.

    Raises:
        UsageError: it is empty, too long, or holds markup or the debris of a tool call.
    """
    cleaned = text.strip()
    if not cleaned:
        raise UsageError("a note has a summary", "one plain sentence that makes somebody open the note, or pass on")
    for pattern, what in _MARKUP:
        if pattern.search(cleaned):
            raise UsageError(
                f"the summary holds {what}", "write one plain sentence; code and markup belong in the body"
            )
    if len(cleaned) > LONGEST_SUMMARY:
        raise UsageError(f"the summary is longer than {LONGEST_SUMMARY} characters", "the rest belongs in the body")
    return cleaned


def check_status(text: str) -> str:
    if text not in STATUSES:
        raise UsageError(f"unknown status {text!r}", f"one of {', '.join(STATUSES)}")
    return text


def check_weight(text: str) -> str:
    if text not in WEIGHTS:
        raise UsageError(f"unknown weight {text!r}", f"one of {', '.join(WEIGHTS)}")
    return text


def check_body(text: str) -> str:
    """A body that can be written and read back.

    Raises:
        UsageError: it is too large, or no text.
    """
    if len(text) > LARGEST_BODY:
        raise UsageError(f"the body is longer than {LARGEST_BODY} characters", "a note is read whole: say it shorter")
    if "\0" in text or any(0xD800 <= ord(c) < 0xE000 for c in text):
        raise UsageError("the body is no text", "it is Markdown in UTF-8")
    return text


def check_anchors(anchors: Iterable[tuple[str, str]], memory: Memory | None) -> list[Anchor]:
    """Anchors as they are written: (uri, weight) with the URI in its one form, each once.

    Raises:
        UsageError: there is none, one is no anchor or has no such weight, or its entity is not registered.
    """
    found: dict[str, Anchor] = {}
    for text, weight in anchors:
        uri = typed_uri(text)
        check_weight(weight)
        if uri.kind == "entity":
            check_registered(uri.name, memory)
        found[uri.text] = Anchor(uri.text, weight)
    if not found:
        raise UsageError(
            "a note has at least one anchor, or nobody finds it",
            "add file:PATH, symbol:PATH::NAME, entity:NAME or env:VARIABLE",
        )
    return list(found.values())


def check_registered(name: str, memory: Memory | None) -> None:
    entities = list(memory.entities.values()) if memory is not None else []
    if any(entity.name == name for entity in entities):
        return
    near = near_names(name, entities)
    known = f"did you mean {', '.join(near)}? Otherwise" if near else "if it is a thing of its own,"
    raise UsageError(
        f"the entity {name} is not registered", f"{known} register it: git cm entity add {name!r} --meaning …"
    )


def warnings_for(anchors: Sequence[Anchor], body: str, memory: Memory | None, checker: Checker | None) -> list[str]:
    """What is doubtful about a note."""
    found: list[str] = []
    kinds = {uri.kind for anchor in anchors if (uri := read_uri(anchor.uri)) is not None}
    if "entity" not in kinds:
        found.append("no entity: nobody who looks by subject finds this note (git cm entity list)")
    if not kinds & {"file", "symbol", "env"}:
        found.append("no file and no symbol: whoever edits the code does not see this note")
    if checker is not None:
        for anchor in anchors:
            state = checker.state(anchor)
            uri = read_uri(anchor.uri)
            if state.is_stale and uri is not None and uri.is_code:
                near = _near(uri.path, uri.name, checker)
                found.append(f"{anchor.uri} is not there" + (f"; near: {', '.join(near)}" if near else ""))
    for link in dict.fromkeys(LINK.findall(body)):
        if memory is None or memory.row_of(link) is None:
            found.append(f"[[{link}]] leads to no note")
    return found


def _near(path: str, name: str, checker: Checker) -> list[str]:
    file = checker.file(path)
    if file is not None:
        return [f"symbol:{path}::{near}" for near in get_close_matches(name, file.named, 3, 0.6)]
    paths = [place.path for place in checker.view.places]
    base = path.rsplit("/", 1)[-1]
    same = [other for other in paths if other.rsplit("/", 1)[-1] == base][:3]
    return same or get_close_matches(path, paths, 2, 0.7)
