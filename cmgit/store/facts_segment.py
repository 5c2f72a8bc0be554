"""Blob facts as columns: BlobKey → BlobFacts.

Tables stand one beside the other (units, refs, imports, exports, values, props, args), the rows of all blobs flat and
in blob order; `blobs` says how many rows of each table a blob has. String columns index one sorted table of distinct
strings for the whole segment. A table is decoded when it is first asked for: units alone touch no reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import (
    NONE,
    BlobFacts,
    BlobStatus,
    ExportColumns,
    ImportColumns,
    PropColumns,
    RefColumns,
    UnitColumns,
    ValueColumns,
)
from cmgit.core.record import record
from cmgit.core.records import BlobKey
from cmgit.store.bundle import Bundle, pack_bundle, unpack_bundle
from cmgit.store.columns import (
    AnyArray,
    Around,
    Code,
    Column,
    IntArray,
    LazyTable,
    decode_table,
    decode_texts,
    encode_table,
    encode_texts,
    flatten,
    name_bytes,
    offsets_of,
    spans,
    text_bytes,
)
from cmgit.store.keys import decode_keys, encode_keys
from cmgit.store.segment_file import SegmentFile

BLOBS = (
    Column("status", Code.PLAIN),
    Column("errors", Code.PLAIN),
    Column("size", Code.PLAIN, dtype="int64"),
    Column("lines", Code.PLAIN),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "units": (
        Column("kind", Code.PLAIN),
        Column("name", text=True),
        Column("qualname", text=True),
        Column("owner", Code.LOCAL),
        Column("start", Code.DELTA),
        Column("end", Code.BASED, "start"),
        Column("start_line", Code.DELTA),
        Column("end_line", Code.BASED, "start_line"),
        Column("name_start", Code.BASED, "start"),
        Column("name_line", Code.BASED, "start_line"),
        Column("body_start", Code.BASED, "name_start"),
        Column("doc_start"),
        Column("doc_end", Code.BASED, "doc_start"),
        Column("flags", Code.PLAIN),
    ),
    "refs": (
        Column("kind", Code.PLAIN),
        Column("start", Code.DELTA),
        Column("name", text=True),
        Column("name_start", Code.BASED, "start"),
        Column("end", Code.NAMED, "name_start"),
        Column("line", Code.DELTA),
        Column("unit", Code.DELTA),
        Column("value", Code.DELTA),
    ),
    "imports": (
        Column("kind", Code.PLAIN),
        Column("specifier", text=True),
        Column("imported", text=True),
        Column("local", text=True),
        Column("start", Code.DELTA),
        Column("end", Code.BASED, "start"),
        Column("line", Code.DELTA),
        Column("type_only", Code.PLAIN),
        Column("unit", Code.DELTA),
    ),
    "exports": (Column("name", text=True), Column("value", Code.DELTA), Column("import_row", Code.DELTA)),
    "values": (Column("op", Code.PLAIN), Column("a", Code.LOCAL), Column("b", Code.SIGNED), Column("name", text=True)),
    "props": (
        Column("unit", Code.DELTA),
        Column("name", text=True),
        Column("value", Code.DELTA),
        Column("static", Code.PLAIN),
    ),
    "args": (Column("row", Code.DELTA),),
}
_LENGTHS = tuple(Column(name, Code.PLAIN) for name in TABLES)
TEXT_COLUMNS = tuple((table, column.name) for table, columns in TABLES.items() for column in columns if column.text)

Table = Mapping[str, AnyArray]


@record
class UnitArrays:
    """The units of all blobs of a segment, flat, in blob order.

    offsets: first row of each blob and one more at the end (int64). The columns are those of `UnitColumns` as int32.
    strings: what `name` and `qualname` index.
    """

    offsets: npt.NDArray[np.int64]
    strings: tuple[str, ...]
    kind: IntArray
    name: IntArray
    qualname: IntArray
    owner: IntArray
    start: IntArray
    end: IntArray
    start_line: IntArray
    end_line: IntArray
    name_start: IntArray
    name_line: IntArray
    body_start: IntArray
    doc_start: IntArray
    doc_end: IntArray
    flags: IntArray

    def __len__(self) -> int:
        return len(self.kind)


class FactsSegment:
    """Facts of some blobs, from a file or made in memory, with the same methods and the same results."""

    def __init__(
        self,
        keys: Callable[[], Sequence[BlobKey]],
        strings: Callable[[], tuple[str, ...]],
        blobs: Callable[[], tuple[Table, dict[str, npt.NDArray[np.int64]]]],
        table: Callable[[str], Table],
    ) -> None:
        self._load_keys, self._load_strings, self._load_blobs, self._load_table = keys, strings, blobs, table
        self._tables: dict[str, Table] = {}
        self._columns: dict[str, tuple[tuple[str, AnyArray], ...]] = {}  # all of a table, once a blob's facts are made

    @classmethod
    def of(cls, items: Sequence[tuple[BlobKey, BlobFacts]]) -> FactsSegment:
        """A segment in memory."""
        facts = [fact for _, fact in items]
        tables: dict[str, dict[str, AnyArray]] = {}
        offsets: dict[str, npt.NDArray[np.int64]] = {}
        for name, columns in TABLES.items():
            parts = [_columns_of(fact, name) for fact in facts]
            tables[name] = {column.name: flatten(getattr(part, column.name) for part in parts) for column in columns}
            offsets[name] = offsets_of(np.array([len(part) for part in parts], np.int64))
        blobs: dict[str, AnyArray] = {
            "status": flatten([[int(fact.status) for fact in facts]]),
            "errors": flatten([[fact.errors for fact in facts]]),
            "size": flatten([[fact.size for fact in facts]], "q"),
            "lines": flatten([[fact.lines for fact in facts]]),
        }
        bases: dict[int, int] = {}
        pool: list[str] = []
        base_of_blob = np.zeros(len(facts), np.int64)
        for row, fact in enumerate(facts):
            # Facts of one opened segment share one tuple: it goes into the pool once.
            if id(fact.strings) not in bases:
                bases[id(fact.strings)] = len(pool)
                pool.extend(fact.strings)
            base_of_blob[row] = bases[id(fact.strings)]
        strings = _intern(tables, pool, {n: np.repeat(base_of_blob, np.diff(offsets[n])) for n in TABLES})
        return cls._in_memory([key for key, _ in items], strings, blobs, offsets, tables)

    @classmethod
    def _in_memory(
        cls,
        keys: list[BlobKey],
        strings: tuple[str, ...],
        blobs: Table,
        offsets: dict[str, npt.NDArray[np.int64]],
        tables: Mapping[str, Table],
    ) -> FactsSegment:
        return cls(lambda: keys, lambda: strings, lambda: (blobs, offsets), lambda name: tables[name])

    @classmethod
    def open(cls, file: SegmentFile) -> FactsSegment:
        """A segment over an open file; nothing is read yet."""

        @cache
        def base() -> dict[str, memoryview]:
            # One visit for all that every reader needs; the other tables are visited when they are asked for.
            return file.tables(["keys", "strings", "blobs", "units"])

        @cache
        def texts() -> memoryview:
            return unpack_bundle(base()["strings"], ["strings"])["strings"]

        @cache
        def name_lengths() -> npt.NDArray[np.int64]:
            with file.decoding():
                return text_bytes(texts())

        def strings() -> tuple[str, ...]:
            with file.decoding():
                return tuple(decode_texts(texts()))

        def blobs() -> tuple[Table, dict[str, npt.NDArray[np.int64]]]:
            with file.decoding():
                stored = unpack_bundle(base()["blobs"], [*(column.name for column in BLOBS), *TABLES])
                lengths = decode_table(_LENGTHS, stored)
                return decode_table(BLOBS, stored), {name: offsets_of(length) for name, length in lengths.items()}

        def table(name: str) -> Table:
            raw = base()[name] if name == "units" else file.tables([name])[name]
            with file.decoding():
                stored = Bundle(raw, [column.name for column in TABLES[name]])
            return LazyTable(TABLES[name], stored.__getitem__, segment.offsets(name), name_lengths, file.decoding)

        segment = cls(lambda: decode_keys(base()["keys"]), strings, blobs, table)
        return segment

    @classmethod
    def merged(cls, parts: Iterable[tuple[FactsSegment, Sequence[int]]]) -> FactsSegment:
        """The given rows of several segments as one, in that order."""
        chosen = [(segment, np.asarray(rows, np.int64)) for segment, rows in parts]
        pool: list[str] = []
        bases = []
        for segment, _ in chosen:
            bases.append(len(pool))
            pool.extend(segment.strings)
        tables: dict[str, dict[str, AnyArray]] = {}
        offsets: dict[str, npt.NDArray[np.int64]] = {}
        shift: dict[str, npt.NDArray[np.int64]] = {}
        for name, columns in TABLES.items():
            picks = [spans(segment.offsets(name), rows) for segment, rows in chosen]
            tables[name] = {
                column.name: _joined(
                    [s._table(name)[column.name][pick] for (s, _), pick in zip(chosen, picks, strict=True)]
                )
                for column in columns
            }
            offsets[name] = offsets_of(_joined([np.diff(segment.offsets(name))[rows] for segment, rows in chosen]))
            shift[name] = np.repeat(np.array(bases, np.int64), [len(pick) for pick in picks])
        blobs = {c.name: _joined([segment._blobs[0][c.name][rows] for segment, rows in chosen]) for c in BLOBS}
        keys = [segment.keys[row] for segment, rows in chosen for row in rows.tolist()]
        return cls._in_memory(keys, _intern(tables, pool, shift), blobs, offsets, tables)

    def encode(self) -> dict[str, bytes]:
        """The tables as they are stored."""
        lengths = {name: np.diff(self.offsets(name)) for name in TABLES}
        blobs = encode_table(BLOBS, self._blobs[0]) | encode_table(_LENGTHS, lengths)
        out = {
            "keys": encode_keys(self.keys),
            "strings": pack_bundle({"strings": encode_texts(self.strings)}),
            "blobs": pack_bundle(blobs),
        }
        for name, columns in TABLES.items():
            out[name] = pack_bundle(encode_table(columns, self._table(name), self._around(name)))
        return out

    def _around(self, table: str) -> Around:
        wanted = any(column.code is Code.NAMED for column in TABLES[table])
        return Around(self.offsets(table), name_bytes(self.strings if wanted else ()))

    @cached_property
    def keys(self) -> Sequence[BlobKey]:
        """The blob of each row."""
        return self._load_keys()

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """The distinct strings of the segment, sorted by code point."""
        return self._load_strings()

    @cached_property
    def _blobs(self) -> tuple[Table, dict[str, npt.NDArray[np.int64]]]:
        return self._load_blobs()

    def __len__(self) -> int:
        return len(self._blobs[0]["status"])

    def offsets(self, table: str) -> npt.NDArray[np.int64]:
        """First flat row of each blob in one table, one more entry at the end."""
        return self._blobs[1][table]

    def status(self, row: int) -> BlobStatus:
        return BlobStatus(int(self._blobs[0]["status"][row]))

    def size(self, row: int) -> int:
        """Bytes of the blob."""
        return int(self._blobs[0]["size"][row])

    def reasons(self) -> tuple[list[int], list[int]]:
        """Status (`BlobStatus`) and size in bytes of every blob."""
        return self._blobs[0]["status"].tolist(), self._blobs[0]["size"].tolist()

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = self._load_table(name)
        return self._tables[name]

    def table(self, name: str) -> Table:
        """The columns of one table (a key of TABLES), flat over all blobs, see `offsets`."""
        return self._table(name)

    def facts(self, row: int, *, refs_later: bool = False) -> BlobFacts:
        """Everything about one blob; `strings` is the segment's own tuple, the columns are lists.

        Args:
            refs_later: references are read when a column of theirs is asked for. Linking looks into many files for
                what they declare, and at the references of few.
        """
        blobs = self._blobs[0]
        refs = _LaterRefs(self, row) if refs_later else RefColumns(**self._slice("refs", row))
        return BlobFacts(
            language=self.keys[row].language,
            status=self.status(row),
            errors=int(blobs["errors"][row]),
            size=int(blobs["size"][row]),
            lines=int(blobs["lines"][row]),
            strings=self.strings,
            units=UnitColumns(**self._slice("units", row)),
            refs=cast("RefColumns", refs),
            imports=ImportColumns(**self._slice("imports", row)),
            exports=ExportColumns(**self._slice("exports", row)),
            values=ValueColumns(**self._slice("values", row)),
            props=PropColumns(**self._slice("props", row)),
            args=self._slice("args", row)["row"],
        )

    def _slice(self, table: str, row: int) -> dict[str, list[int]]:
        offsets = self.offsets(table)
        first, last = int(offsets[row]), int(offsets[row + 1])
        columns = self._columns.get(table)
        if columns is None:
            columns = self._columns[table] = tuple(self._table(table).items())
        return {name: column[first:last].tolist() for name, column in columns}

    @cached_property
    def units(self) -> UnitArrays:
        """The units of all blobs; decodes no other table."""
        return UnitArrays(self.offsets("units"), self.strings, **self._table("units"))


class _LaterRefs:
    """The references of a blob as `RefColumns`, read when a column is asked for."""

    def __init__(self, segment: FactsSegment, row: int) -> None:
        self._segment, self._row = segment, row
        self._refs: RefColumns | None = None

    def __getattr__(self, name: str) -> Any:
        if self._refs is None:
            self._refs = RefColumns(**self._segment._slice("refs", self._row))
        return getattr(self._refs, name)

    def __len__(self) -> int:
        offsets = self._segment.offsets("refs")
        return int(offsets[self._row + 1] - offsets[self._row])


@record
class _Args:
    """The flat argument column as a table of one column, like the others."""

    row: Sequence[int]

    def __len__(self) -> int:
        return len(self.row)


def _columns_of(
    facts: BlobFacts, table: str
) -> UnitColumns | RefColumns | ImportColumns | ExportColumns | ValueColumns | PropColumns | _Args:
    if table == "args":
        return _Args(facts.args)
    columns: UnitColumns | RefColumns | ImportColumns | ExportColumns | ValueColumns | PropColumns
    columns = getattr(facts, table)
    return columns


def _joined(arrays: Sequence[AnyArray]) -> AnyArray:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)


def _intern(
    tables: dict[str, dict[str, AnyArray]], pool: Sequence[str], shift: Mapping[str, npt.NDArray[np.int64]]
) -> tuple[str, ...]:
    """Turn the string columns into indices of one sorted table of the strings that are used, and give that table.

    pool: the tables of all parts one after the other. shift: for each flat row, where its part begins in the pool.
    """
    absolute = {}
    used = np.zeros(len(pool), np.bool_)
    for table, name in TEXT_COLUMNS:
        local = tables[table][name].astype(np.int64)
        ids = np.where(local == NONE, NONE, local + shift[table])
        absolute[table, name] = ids
        used[ids[ids != NONE]] = True
    rows = np.flatnonzero(used).tolist()
    strings = tuple(sorted({pool[row] for row in rows}))
    index = {text: i for i, text in enumerate(strings)}
    final = np.full(len(pool) + 1, NONE, np.int32)  # the last entry answers for NONE
    for row in rows:
        final[row] = index[pool[row]]
    for (table, name), ids in absolute.items():
        tables[table][name] = final[ids]
    return strings
