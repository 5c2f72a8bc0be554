"""From a text to its best tree: what is tried, in which order, when it does not parse."""

from __future__ import annotations

from dataclasses import dataclass

from cmgit.core.facts import BlobStatus
from cmgit.extract.blanks import blank
from cmgit.extract.conflicts import conflict_texts
from cmgit.extract.mends import mended_text
from cmgit.extract.parse import Parsed, Runaway, parse_best
from cmgit.extract.text import Text


@dataclass(frozen=True, slots=True)
class Reading:
    """A tree and the text that it is of. errors: of the blob as it is, before anything was mended."""

    source: bytes
    parsed: Parsed
    status: BlobStatus
    errors: int


def read_tree(text: Text) -> Reading | BlobStatus:
    """The best tree of a text, or why there is none."""
    source = text.source
    parsed = parse_best(source, text.grammars)
    status = BlobStatus.PARSED
    if isinstance(parsed, Parsed) and not parsed.errors:
        return Reading(source, parsed, status, 0)
    errors = parsed.errors if isinstance(parsed, Parsed) else 0
    # Only what does not parse is a conflict: a text about conflicts may hold the markers in a string.
    candidates = conflict_texts(source)
    if candidates:
        status = BlobStatus.CONFLICTED
    else:
        status = BlobStatus.PARTIAL
        mended = mended_text(source)
        candidates = (mended,) if mended is not None else ()
    for candidate in candidates:
        other = parse_best(candidate, text.grammars)
        if isinstance(other, Parsed) and (isinstance(parsed, Runaway) or other.loss < parsed.loss):
            parsed, source = other, candidate
    if isinstance(parsed, Parsed):
        return Reading(source, parsed, status, errors)
    return _read_before(text, parsed.offset) or BlobStatus.RUNAWAY


def _read_before(text: Text, offset: int) -> Reading | None:
    """What stands before the line on which the parser ran away."""
    begin = text.source.rfind(b"\n", 0, offset) + 1
    if not text.source[:begin].strip():
        return None
    shorter = bytearray(text.source)
    blank(shorter, begin, len(shorter))
    parsed = parse_best(bytes(shorter), text.grammars)
    if isinstance(parsed, Runaway):
        return None
    return Reading(bytes(shorter), parsed, BlobStatus.RUNAWAY, parsed.errors + 1)
