"""Notes as JSON documents, in one shape for the command line and for MCP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cmgit.notes.memory import Memory
from cmgit.notes.model import STATUSES, WEIGHTS, Head, Note
from cmgit.notes.search import Hit, is_ubiquitous
from cmgit.notes.uri import read_uri

if TYPE_CHECKING:
    from cmgit.notes.anchors import Checker, State

Document = dict[str, object]
LONGEST_BODY = 100_000  # characters: what is longer is cut, and says so


def line(head: Head) -> Document:
    return {"id": head.id, "summary": head.summary, "status": head.status}


def hit(found: Hit) -> Document:
    return {"weight": found.weight, "met": list(found.met), "by_text": found.by_text, "score": round(found.score, 6)}


def state(one: State) -> Document:
    found: Document = {"uri": one.anchor.uri, "weight": one.anchor.weight, "status": one.status}
    if one.target:
        found["target"] = one.target
    if one.candidates:
        found["candidates"] = list(one.candidates)
    if one.why:
        found["why"] = one.why
    if not one.confirmed:
        found["confirmed"] = False
    return found


def states(found: Iterable[State]) -> list[Document]:
    return [state(one) for one in found]


def stale(found: Sequence[State]) -> list[Document]:
    """Only what a list needs to mark a note."""
    return [{"uri": one.anchor.uri, "status": one.status} for one in found]


def unreadable(memory: Memory | None) -> list[Document]:
    return [{"path": one.path, "reason": one.reason} for one in memory.unreadable()] if memory is not None else []


def whole(note: Note, found: Sequence[State], linked: Sequence[tuple[str, Head | None]]) -> Document:
    head = note.head
    grouped = {
        weight: [state(one) for one in found if one.anchor.weight == weight]
        for weight in WEIGHTS
        if any(one.anchor.weight == weight for one in found)
    }
    document = line(head) | {
        "path": head.path,
        "version": head.oid,
        "created": head.created,
        "updated": head.updated,
        "anchors": grouped,
        "links": [
            line(other) if other is not None else {"id": ident, "summary": "", "status": "missing"}
            for ident, other in linked
        ],
        "body": note.body[:LONGEST_BODY],
        "problems": list(head.problems),
    }
    if len(note.body) > LONGEST_BODY:
        document["cut"] = len(note.body) - LONGEST_BODY
    return document


def stats(memory: Memory, heads: Sequence[Head], checker: Checker | None) -> Document:
    kinds: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    anchors: Counter[str] = Counter()
    having: Counter[str] = Counter()
    without_entity = without_code = 0
    for head in heads:
        uris = [read_uri(anchor.uri) for anchor in head.anchors]
        of_note = {uri.kind for uri in uris if uri is not None}
        kinds.update(uri.kind if uri is not None else "other" for uri in uris)
        weights.update(anchor.weight for anchor in head.anchors)
        having.update({anchor.uri for anchor in head.anchors})
        if checker is not None:
            anchors.update(one.status for one in checker.states(head))
        without_entity += "entity" not in of_note
        without_code += not of_note & {"file", "symbol"}
    ids = {head.id for head in heads}
    return {
        "notes": {status: sum(head.status == status for head in heads) for status in STATUSES},
        "anchors": dict(sorted(kinds.items())),
        "weights": {weight: weights[weight] for weight in WEIGHTS},
        "anchor_status": {key: anchors[key] for key in ("ok", "changed", "moved", "gone", "unknown")},
        "entities": len(memory.entities),
        "unused_entities": sorted(name for name in memory.entities if f"entity:{name}" not in having),
        "ubiquitous_files": sorted(uri for uri, count in having.items() if is_ubiquitous(uri, count, len(heads))),
        "without_entity": without_entity,
        "without_code": without_code,
        "broken_links": sum(link not in ids for head in heads for link in head.links),
        "with_problems": sum(bool(head.problems) for head in heads),
        "unreadable": unreadable(memory),
    }
