"""Edges that start in a file of a tree: path → FileEdges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.core.record import record
from cmgit.core.tables import FileDepends, FileEdges
from cmgit.store.bundle import Bundle, pack_bundle, unpack_bundle
from cmgit.store.columns import (
    AnyArray,
    Code,
    Column,
    IntArray,
    decode_ints,
    decode_table,
    decode_texts,
    encode_ints,
    encode_table,
    encode_texts,
    flatten,
    offsets_of,
    spans,
)
from cmgit.store.segment_file import SegmentFile

COLUMNS = (
    Column("is_import", Code.PLAIN),
    Column("source", Code.DELTA),
    Column("target_path"),
    Column("target_unit"),
    Column("confidence", Code.PLAIN),
    Column("rule", Code.PLAIN),
    Column("status", Code.PLAIN),
)

DEPEND_COLUMNS = (
    Column("kind", Code.PLAIN),
    Column("path"),
    Column("name"),
    Column("a", Code.SIGNED),
    Column("b", Code.SIGNED),
)

_NAMES = ("paths", "targets", "rules")


@record
class EdgeArrays:
    """The edges of all files of a segment, flat, in row order; the columns are those of `FileEdges` as int32.

    offsets: first edge of each file, one more entry at the end (int64). strings: what `target_path` indexes.
    rules: what `rule` indexes.
    """

    offsets: npt.NDArray[np.int64]
    strings: tuple[str, ...]
    rules: tuple[str, ...]
    is_import: IntArray
    source: IntArray
    target_path: IntArray
    target_unit: IntArray
    confidence: IntArray
    rule: IntArray
    status: IntArray

    def __len__(self) -> int:
        return len(self.source)


@record
class DependArrays:
    """What the edges of all files of a segment depend on, flat, in row order; the columns are those of `FileDepends`.

    offsets: first row of each file, one more entry at the end (int64). strings: what `path` and `name` index, sorted.
    """

    offsets: npt.NDArray[np.int64]
    strings: tuple[str, ...]
    kind: IntArray
    path: IntArray
    name: IntArray
    a: IntArray
    b: IntArray

    def __len__(self) -> int:
        return len(self.kind)


@record
class _Names:
    paths: list[str]
    targets: tuple[str, ...]
    rules: tuple[str, ...]


class EdgesSegment:
    """Edges of some files, from a file or made in memory."""

    def __init__(
        self,
        names: Callable[[], _Names],
        arrays: Callable[[], EdgeArrays],
        depend_arrays: Callable[[], DependArrays],
        offsets: Callable[[], npt.NDArray[np.int64]],
    ) -> None:
        self._load_names, self._load_arrays, self._load_depends = names, arrays, depend_arrays
        self._load_offsets = offsets

    @classmethod
    def of(cls, items: Sequence[tuple[str, FileEdges]]) -> EdgesSegment:
        """A segment in memory."""
        edges = [edge for _, edge in items]
        columns = {c.name: flatten(getattr(edge, c.name) for edge in edges) for c in COLUMNS}
        lengths = np.array([len(edge) for edge in edges], np.int64)
        return cls._interned(
            [path for path, _ in items],
            lengths,
            columns,
            [(edge.paths, edge.rules) for edge in edges],
            lengths,
            lambda: _depends_of([edge.depends for edge in edges]),
        )

    @classmethod
    def merged(cls, parts: Iterable[tuple[EdgesSegment, Sequence[int]]]) -> EdgesSegment:
        """The given rows of several segments as one, in that order."""
        chosen = [(segment, np.asarray(rows, np.int64)) for segment, rows in parts]
        picks = [spans(segment.arrays.offsets, rows) for segment, rows in chosen]
        columns = {
            c.name: np.concatenate(
                [getattr(s.arrays, c.name)[pick] for (s, _), pick in zip(chosen, picks, strict=True)]
            )
            for c in COLUMNS
        }
        lengths = np.concatenate([np.diff(segment.arrays.offsets)[rows] for segment, rows in chosen])
        paths = [segment.paths[row] for segment, rows in chosen for row in rows.tolist()]
        names = [(segment.arrays.strings, segment.arrays.rules) for segment, _ in chosen]
        picked = np.array([len(pick) for pick in picks], np.int64)
        return cls._interned(paths, lengths, columns, names, picked, lambda: _merged_depends(chosen))

    @classmethod
    def _interned(
        cls,
        paths: list[str],
        lengths: npt.NDArray[np.int64],
        columns: dict[str, AnyArray],
        names: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],
        spread: npt.NDArray[np.int64],
        depend_arrays: Callable[[], DependArrays],
    ) -> EdgesSegment:
        """names: (paths, rules) of each part; spread: how many of the flat rows belong to each part."""
        targets, columns["target_path"] = _merge_names([part[0] for part in names], columns["target_path"], spread)
        rules, columns["rule"] = _merge_names([part[1] for part in names], columns["rule"], spread)
        typed = {name: column.astype(np.int32, copy=False) for name, column in columns.items()}
        arrays = EdgeArrays(offsets_of(lengths), targets, rules, **typed)
        return cls(lambda: _Names(paths, targets, rules), lambda: arrays, depend_arrays, lambda: arrays.offsets)

    @classmethod
    def open(cls, file: SegmentFile) -> EdgesSegment:
        """A segment over an open file; nothing is read yet."""

        @cache
        def base() -> dict[str, memoryview]:
            return file.tables(["names", "edges"])

        def names() -> _Names:
            with file.decoding():
                stored = unpack_bundle(base()["names"], _NAMES)
                paths, targets, rules = (decode_texts(stored[name]) for name in _NAMES)
                return _Names(paths, tuple(targets), tuple(rules))

        @cache
        def edges() -> Bundle:
            return Bundle(base()["edges"], ["file_edges", *(column.name for column in COLUMNS)])

        def offsets() -> npt.NDArray[np.int64]:
            with file.decoding():
                return offsets_of(decode_ints(edges()["file_edges"]))

        def arrays() -> EdgeArrays:
            known = segment._names
            with file.decoding():
                stored = {column.name: edges()[column.name] for column in COLUMNS}
                return EdgeArrays(segment.offsets, known.targets, known.rules, **decode_table(COLUMNS, stored))

        def depend_arrays() -> DependArrays:
            with file.decoding():
                table = file.tables(["depends"])["depends"]
                stored = unpack_bundle(table, ["file_depends", "strings", *(column.name for column in DEPEND_COLUMNS)])
                offsets = offsets_of(decode_ints(stored["file_depends"]))
                strings = tuple(decode_texts(stored["strings"]))
                return DependArrays(offsets, strings, **decode_table(DEPEND_COLUMNS, stored))

        segment = cls(names, arrays, depend_arrays, offsets)
        return segment

    def encode(self) -> dict[str, bytes]:
        """The tables as they are stored."""
        arrays = self.arrays
        names = {
            "paths": encode_texts(self.paths),
            "targets": encode_texts(arrays.strings),
            "rules": encode_texts(arrays.rules),
        }
        lengths = {"file_edges": encode_ints(np.diff(arrays.offsets))}
        columns = encode_table(COLUMNS, {column.name: getattr(arrays, column.name) for column in COLUMNS})
        noted = self.depend_arrays
        depends = {
            "file_depends": encode_ints(np.diff(noted.offsets)),
            "strings": encode_texts(noted.strings),
            **encode_table(DEPEND_COLUMNS, {column.name: getattr(noted, column.name) for column in DEPEND_COLUMNS}),
        }
        return {"names": pack_bundle(names), "edges": pack_bundle(lengths | columns), "depends": pack_bundle(depends)}

    @cached_property
    def _names(self) -> _Names:
        return self._load_names()

    @property
    def paths(self) -> list[str]:
        """The file of each row."""
        return self._names.paths

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """First edge of each file, one more entry at the end; decodes no edge."""
        return self._load_offsets()

    @cached_property
    def arrays(self) -> EdgeArrays:
        """The edges of all files."""
        return self._load_arrays()

    @cached_property
    def depend_arrays(self) -> DependArrays:
        """What the edges of all files depend on; read apart from the edges."""
        return self._load_depends()

    def __len__(self) -> int:
        return len(self.paths)

    def depends(self, row: int) -> FileDepends:
        """What the edges of one file depend on; `names` is the segment's own tuple, the columns are lists."""
        arrays = self.depend_arrays
        first, last = int(arrays.offsets[row]), int(arrays.offsets[row + 1])
        columns = {column.name: getattr(arrays, column.name)[first:last].tolist() for column in DEPEND_COLUMNS}
        return FileDepends(names=arrays.strings, **columns)

    def edges(self, row: int) -> FileEdges:
        """The edges of one file; `paths` and `rules` are the segment's own tuples, the columns are lists."""
        arrays = self.arrays
        first, last = int(arrays.offsets[row]), int(arrays.offsets[row + 1])
        columns = {column.name: getattr(arrays, column.name)[first:last].tolist() for column in COLUMNS}
        return FileEdges(paths=arrays.strings, rules=arrays.rules, **columns)


def _depends_of(items: Sequence[FileDepends]) -> DependArrays:
    columns = {c.name: flatten(getattr(item, c.name) for item in items) for c in DEPEND_COLUMNS}
    lengths = np.array([len(item) for item in items], np.int64)
    return _interned_depends(lengths, columns, [item.names for item in items], lengths)


def _merged_depends(chosen: Sequence[tuple[EdgesSegment, npt.NDArray[np.int64]]]) -> DependArrays:
    arrays = [(segment.depend_arrays, rows) for segment, rows in chosen]
    picks = [spans(part.offsets, rows) for part, rows in arrays]
    columns: dict[str, AnyArray] = {
        c.name: np.concatenate([getattr(part, c.name)[pick] for (part, _), pick in zip(arrays, picks, strict=True)])
        for c in DEPEND_COLUMNS
    }
    lengths = np.concatenate([np.diff(part.offsets)[rows] for part, rows in arrays])
    picked = np.array([len(pick) for pick in picks], np.int64)
    return _interned_depends(lengths, columns, [part.strings for part, _ in arrays], picked)


def _interned_depends(
    lengths: npt.NDArray[np.int64],
    columns: dict[str, AnyArray],
    tables: Sequence[tuple[str, ...]],
    spread: npt.NDArray[np.int64],
) -> DependArrays:
    both = np.concatenate([columns["path"], columns["name"]])
    strings, both = _merge_names([*tables, *tables], both, np.concatenate([spread, spread]))
    columns["path"], columns["name"] = np.split(both, 2)
    typed = {name: column.astype(np.int32, copy=False) for name, column in columns.items()}
    return DependArrays(offsets_of(lengths), strings, **typed)


def _merge_names(
    tables: Sequence[tuple[str, ...]], column: AnyArray, spread: npt.NDArray[np.int64]
) -> tuple[tuple[str, ...], IntArray]:
    """One sorted table of the names that a column uses, and the column with indices into it."""
    pool = [name for table in tables for name in table]
    bases = offsets_of(np.array([len(table) for table in tables], np.int64))[:-1]
    local = column.astype(np.int64)
    absolute = np.where(local == NONE, NONE, local + np.repeat(bases, spread))
    rows = np.unique(absolute[absolute != NONE]).tolist()
    names = tuple(sorted({pool[row] for row in rows}))
    index = {name: i for i, name in enumerate(names)}
    final = np.full(len(pool) + 1, NONE, np.int32)  # the last entry answers for NONE
    for row in rows:
        final[row] = index[pool[row]]
    return names, final[absolute]
