"""Facts in a form that a test can read."""

from __future__ import annotations

from cmgit.core.facts import NONE, BlobFacts, UnitFlag, UnitKind
from cmgit.extract.extract import extract

MAX_BYTES = 1_000_000


def facts_of(source: str | bytes, language: str = "typescript", max_bytes: int = MAX_BYTES) -> BlobFacts:
    data = source.encode() if isinstance(source, str) else source
    facts = extract(data, language, max_bytes)
    check(data, facts)
    return facts


def check(data: bytes, facts: BlobFacts) -> None:
    """What holds for the units of every blob."""
    units = facts.units
    starts = [0]
    position = 0
    while position < len(data):
        step = 2 if data[position : position + 2] == b"\r\n" else 1
        if data[position : position + 1] in (b"\r", b"\n"):
            starts.append(position + step)
        position += step
    for row in range(len(units)):
        start, end = units.start[row], units.end[row]
        assert 0 <= start <= units.name_start[row] <= end <= len(data)
        assert start <= units.body_start[row] <= end
        assert units.start_line[row] == sum(1 for s in starts if s <= start)
        assert units.end_line[row] == sum(1 for s in starts if s <= max(start, end - 1))
        assert units.name_line[row] == sum(1 for s in starts if s <= units.name_start[row])
        owner = units.owner[row]
        if row == 0:
            assert (owner, units.kind[row]) == (NONE, UnitKind.FILE)
        else:
            assert 0 <= owner < row
            assert units.start[owner] <= start
            assert end <= units.end[owner]
            assert units.start[row - 1] <= start
            assert owner == _innermost(facts, row)
        if units.doc_end[row]:
            assert units.doc_start[row] < units.doc_end[row] <= start


def _innermost(facts: BlobFacts, row: int) -> int:
    """The last unit before a row that holds it and is no twin of it (`const { a, b } = c` gives twins)."""
    units = facts.units
    own = units.start[row], units.end[row]
    for other in range(row - 1, -1, -1):
        range_of_other = units.start[other], units.end[other]
        holds = range_of_other[0] <= own[0] and own[1] <= range_of_other[1]
        if holds and (range_of_other != own or units.owner[row] == other):
            return other
    return NONE


def kinds_and_names(facts: BlobFacts) -> list[str]:
    """`kind qualname` of every unit but the file, in document order."""
    return [f"{UnitKind(facts.units.kind[row]).label} {facts.qualname(row)}" for row in range(1, len(facts.units))]


def row_of(facts: BlobFacts, qualname: str) -> int:
    rows = [row for row in range(len(facts.units)) if facts.qualname(row) == qualname and row]
    assert len(rows) == 1, f"{qualname}: {kinds_and_names(facts)}"
    return rows[0]


def flags_of(facts: BlobFacts, qualname: str) -> UnitFlag:
    return UnitFlag(facts.units.flags[row_of(facts, qualname)])


def text_of(source: str | bytes, facts: BlobFacts, qualname: str) -> str:
    data = source.encode() if isinstance(source, str) else source
    row = row_of(facts, qualname)
    return data[facts.units.start[row] : facts.units.end[row]].decode()


def doc_of(source: str | bytes, facts: BlobFacts, qualname: str) -> str:
    data = source.encode() if isinstance(source, str) else source
    row = row_of(facts, qualname)
    return data[facts.units.doc_start[row] : facts.units.doc_end[row]].decode()
