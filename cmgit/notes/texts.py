"""What an anchor's hash is: git's id of a file, a digest of a unit's text. Line ends of a checkout do not count."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from cmgit.core.facts import BlobFacts, UnitFlag, UnitKind
from cmgit.git.disk import blob_oid

BLOB = "blob:"
TEXT = "text:"


def lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def file_hashes(data: bytes, object_format: str) -> tuple[str, ...]:
    """The hashes that these bytes answer to: as they are, and as git keeps them where it converts line ends."""
    exact = BLOB + blob_oid(data, object_format)
    return (exact, BLOB + blob_oid(lf(data), object_format)) if b"\r\n" in data else (exact,)


def unit_hash(data: bytes, facts: BlobFacts, rows: Iterable[int]) -> str:
    """The hash of all units of one name in a file (a getter and its setter, say), in whatever order they stand.

    The doc comment before a unit does not count; the signatures of an overloaded one do.
    """
    units = facts.units
    digests = []
    for row in rows:
        start = units.start[row]
        if units.flags[row] & UnitFlag.OVERLOADED and units.doc_end[row]:
            start = min(start, units.doc_start[row])
        digests.append(hashlib.sha256(lf(data[start : units.end[row]])).digest())
    joined = digests[0] if len(digests) == 1 else hashlib.sha256(b"".join(sorted(digests))).digest()
    return TEXT + joined.hex()[:32]


def rows_by_name(facts: BlobFacts) -> dict[str, list[int]]:
    """Rows of each qualified name; files and blocks of statements have none."""
    found: dict[str, list[int]] = {}
    for row in range(len(facts.units)):
        if facts.units.kind[row] not in (UnitKind.FILE, UnitKind.BLOCK):
            name = facts.qualname(row)
            if name:
                found.setdefault(name, []).append(row)
    return found


def rows_named(named: dict[str, list[int]], name: str) -> tuple[str, list[int]] | None:
    """A name's rows; else those of the one qualified name that ends in it (`Money.add` in a namespace `shop`)."""
    if name in named:
        return name, named[name]
    longer = [key for key in named if key.endswith("." + name)]
    return (longer[0], named[longer[0]]) if len(longer) == 1 else None
