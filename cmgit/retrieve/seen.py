"""What a conversation was shown before: it is not sent again while it is the same, a short pointer stands for it.

The choice of what belongs to an answer does not depend on it, so a prompt that is repeated brings pointers and nothing
else: what comes after the first choice is worth less than its place.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.core.digests import digest_of
from cmgit.core.record import record


@record
class Seen:
    """ranges: by path, (object id of the file then, first byte, end). pieces: path and digest of what was shown."""

    ranges: Mapping[str, tuple[tuple[str, int, int], ...]]
    pieces: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, rows: object) -> Seen:
        """From rows of JSON, [path, object id, first byte, end, digest]; a row of another shape is left out."""
        ranges: dict[str, list[tuple[str, int, int]]] = {}
        pieces: set[tuple[str, str]] = set()
        for row in rows if isinstance(rows, (list, tuple)) else ():
            match row:
                case [str(path), str(oid), int(start), int(end), str(digest)]:
                    ranges.setdefault(path, []).append((oid, start, end))
                    pieces.add((path, digest))
        return cls({path: tuple(sorted(found)) for path, found in ranges.items()}, frozenset(pieces))

    def has(self, path: str, oid: str, data: bytes, start: int, end: int) -> bool:
        """Whether data[start:end] of a file, which is this very object now, was shown: this piece, or all of it."""
        known = self.ranges.get(path)
        if known is None or end <= start:
            return False
        position = start
        for then, low, high in known:
            if then == oid and low <= position < high:
                position = high
        return position >= end or (path, digest_of(data[start:end])) in self.pieces


NOTHING_SEEN = Seen({})
