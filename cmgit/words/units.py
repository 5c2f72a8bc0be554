"""Terms of a blob's units, by field.

Tokens are read by patterns over the bytes and belong to the innermost unit that holds them: a class does not repeat the
bodies of its methods, and the file keeps only what no other unit holds. A blob without facts gives no terms, so nothing
is found by the reason why it was skipped (sourcegraph/sourcegraph-public-snapshot#15581).
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from functools import lru_cache
from itertools import chain

from cmgit.core.facts import NONE, BlobFacts, ImportKind, UnitKind
from cmgit.core.tables import FIELD_BITS, BlobTerms
from cmgit.words.split import identifier_terms, is_stop_word, tokens

NAME, OWNER, DOC, STRING, BODY = range(5)

KEYWORDS = frozenset(
    """abstract any as async await bigint boolean break case catch class const constructor continue debugger declare
    default delete do else enum export extends false finally for from function get if implements import in instanceof
    interface is keyof let namespace never new null number object of override private protected public readonly require
    return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void
    while with yield""".split()  # noqa: SIM905
)

# A run of bytes that can be an identifier; bytes above 127 are sorted out when the token is decoded.
_TOKEN = re.compile(rb"(?:[A-Za-z0-9_$\x80-\xff]|\\u(?:\{[0-9A-Fa-f]{1,6}\}|[0-9A-Fa-f]{4}))+")
# Strings end on their line, so an apostrophe in JSX text cannot swallow the rest of a file.
_LITERAL = re.compile(
    rb"""(/\*.*?(?:\*/|\Z)|//[^\n\r]*|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'|`(?:[^`\\]|\\.)*`)""", re.DOTALL
)
MOST_KNOWN = 1 << 17
LONGEST_LITERAL = 4_000  # a larger one is data, and only its beginning says what it is


class _Terms(dict[bytes, tuple[str, ...]]):
    """Terms of runs of bytes, each worked out once: a dictionary is asked by `map` without a call of Python's."""

    __slots__ = ("_code",)

    def __init__(self, *, code: bool) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, raw: bytes) -> tuple[str, ...]:
        if len(self) >= MOST_KNOWN:
            self.clear()
        terms = self[raw] = _token_terms(raw, self._code)
        return terms


def _token_terms(raw: bytes, code: bool) -> tuple[str, ...]:
    """Terms of one run of bytes. code: drop keywords; otherwise drop stop words."""
    text = raw.decode("utf-8", "ignore")
    if text.isascii() and "\\" not in text:
        if (text in KEYWORDS) if code else is_stop_word(text):
            return ()
        terms = identifier_terms(text)
        return terms if len(terms) > 1 or (terms and len(terms[0]) > 1) else ()
    return tuple(
        term
        for token in tokens(text)
        if not (code and token in KEYWORDS) and (code or not is_stop_word(token))
        for term in identifier_terms(token)
    )


_CODE_TERMS, _PROSE_TERMS = _Terms(code=True), _Terms(code=False)


class _Fields:
    """Occurrences by (unit, field) while a blob is read."""

    def __init__(self, units: int) -> None:
        self.counts: list[list[Counter[str] | None]] = [[None] * 5 for _ in range(units)]

    def add_terms(self, unit: int, field: int, terms: tuple[str, ...]) -> None:
        counter = self.counts[unit][field]
        if counter is None:
            counter = self.counts[unit][field] = Counter()
        for term in terms:
            counter[term] += 1

    def add_bytes(self, unit: int, field: int, text: bytes) -> None:
        found = _TOKEN.findall(text)
        if not found:
            return
        counter = self.counts[unit][field]
        if counter is None:
            counter = self.counts[unit][field] = Counter()
        known = _CODE_TERMS if field == BODY else _PROSE_TERMS
        counter.update(chain.from_iterable(map(known.__getitem__, found)))


def _silent_ranges(facts: BlobFacts) -> list[tuple[int, int]]:
    """Import and re-export statements: they name what stands elsewhere."""
    imports = facts.imports
    ranges = {
        (imports.start[row], imports.end[row])
        for row in range(len(imports))
        if imports.kind[row] in (ImportKind.ES, ImportKind.REEXPORT) and imports.end[row] > imports.start[row]
    }
    return sorted(ranges)


def _painted(facts: BlobFacts, size: int) -> list[tuple[int, int, int, bool]]:
    """Disjoint (start, end, unit, doc) in order: which unit holds which bytes, and where its doc comment stands."""
    units = facts.units
    spans: list[tuple[int, int, int, bool]] = []
    for row in range(len(units)):
        start, end = (0, size) if row == 0 else (max(units.start[row], 0), min(units.end[row], size))
        spans.append((start, end, row, False))
        if units.doc_end[row] > units.doc_start[row]:
            spans.append((units.doc_start[row], min(units.doc_end[row], size), row, True))
    spans.extend((start, min(end, size), NONE, False) for start, end in _silent_ranges(facts))
    spans.sort(key=lambda span: (span[0], -span[1], span[2]))
    painted: list[tuple[int, int, int, bool]] = []
    open_spans: list[tuple[int, int, bool]] = []  # (end, unit, doc) from outer to inner
    position = 0

    def paint(until: int) -> None:
        nonlocal position
        while open_spans and position < until:
            end, unit, doc = open_spans[-1]
            stop = min(end, until)
            if stop > position and unit != NONE:
                painted.append((position, stop, unit, doc))
            position = max(position, stop)
            if end > until:
                return
            open_spans.pop()
        position = max(position, until)

    for start, end, unit, doc in spans:
        paint(start)
        while open_spans and open_spans[-1][0] <= start:
            open_spans.pop()
        if end > start:
            open_spans.append((end, unit, doc))
    paint(size)
    return painted


def _read_code(fields: _Fields, unit: int, code: bytes) -> None:
    pieces = _LITERAL.split(code)
    fields.add_bytes(unit, BODY, b" ".join(pieces[0::2]))
    comments: list[bytes] = []
    strings: list[bytes] = []
    for literal in pieces[1::2]:
        (comments if literal[:1] == b"/" else strings).append(literal[:LONGEST_LITERAL])
    if comments:
        fields.add_bytes(unit, DOC, b" ".join(comments))
    if strings:
        fields.add_bytes(unit, STRING, b" ".join(strings))


@lru_cache(maxsize=1 << 14)
def _name_terms(text: str) -> tuple[str, ...]:
    found = tokens(text)
    if len(found) > 1:
        return tuple(term for token in found if not is_stop_word(token) for term in identifier_terms(token))
    return tuple(term for token in found for term in identifier_terms(token))


def _add_names(fields: _Fields, facts: BlobFacts) -> None:
    units = facts.units
    for row in range(1, len(units)):
        if name := facts.name(row):
            fields.add_terms(row, NAME, _name_terms(name))
        owner = units.owner[row]
        while owner != NONE and units.kind[owner] != UnitKind.FILE:
            if name := facts.name(owner):
                fields.add_terms(row, OWNER, _name_terms(name))
            owner = units.owner[owner]


def blob_terms(source: bytes, facts: BlobFacts) -> BlobTerms:
    """Terms of all units of one blob: a pure function of its bytes and its facts."""
    units = len(facts.units)
    fields = _Fields(units)
    if units:
        _add_names(fields, facts)
        for start, end, unit, doc in _painted(facts, len(source)):
            if doc:
                fields.add_bytes(unit, DOC, source[start:end])
            else:
                _read_code(fields, unit, source[start:end])
    return _columns(fields)


def _columns(fields: _Fields) -> BlobTerms:
    rows: dict[str, list[int]] = {}  # unit, counts, unit, counts, …
    lengths = array("i", [0]) * len(fields.counts)
    for unit, by_field in enumerate(fields.counts):
        merged: dict[str, int] = {}
        get = merged.get
        for counter, (shift, most) in zip(by_field, FIELD_BITS, strict=True):
            if counter is not None:
                lengths[unit] += sum(counter.values())
                for term, times in counter.items():
                    merged[term] = get(term, 0) | (times if times < most else most) << shift
        for term, packed in merged.items():
            if term in rows:
                rows[term] += (unit, packed)
            else:
                rows[term] = [unit, packed]
    terms = sorted(rows)
    starts, unit_column, counts = array("i", [0]), array("i"), array("I")
    for term in terms:
        row = rows[term]
        unit_column.extend(row[0::2])
        counts.extend(row[1::2])
        starts.append(len(unit_column))
    return BlobTerms(terms=tuple(terms), starts=starts, unit=unit_column, counts=counts, lengths=lengths)
