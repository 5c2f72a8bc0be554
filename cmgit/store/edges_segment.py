"""Edges that start in a file of a tree: path → FileEdges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.core.tables import FileEdges
from cmgit.store.bundle import pack_bundle, unpack_bundle
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

_NAMES = ("paths", "targets", "rules")


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class _Names:
    paths: list[str]
    targets: tuple[str, ...]
    rules: tuple[str, ...]


class EdgesSegment:
    """Edges of some files, from a file or made in memory."""

    def __init__(self, names: Callable[[], _Names], arrays: Callable[[], EdgeArrays]) -> None:
        self._load_names, self._load_arrays = names, arrays

    @classmethod
    def of(cls, items: Sequence[tuple[str, FileEdges]]) -> EdgesSegment:
        """A segment in memory."""
        edges = [edge for _, edge in items]
        columns = {c.name: flatten(getattr(edge, c.name) for edge in edges) for c in COLUMNS}
        lengths = np.array([len(edge) for edge in edges], np.int64)
        return cls._interned(
            [path for path, _ in items], lengths, columns, [(edge.paths, edge.rules) for edge in edges], lengths
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
        return cls._interned(paths, lengths, columns, names, np.array([len(pick) for pick in picks], np.int64))

    @classmethod
    def _interned(
        cls,
        paths: list[str],
        lengths: npt.NDArray[np.int64],
        columns: dict[str, AnyArray],
        names: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],
        spread: npt.NDArray[np.int64],
    ) -> EdgesSegment:
        """names: (paths, rules) of each part; spread: how many of the flat rows belong to each part."""
        targets, columns["target_path"] = _merge_names([part[0] for part in names], columns["target_path"], spread)
        rules, columns["rule"] = _merge_names([part[1] for part in names], columns["rule"], spread)
        typed = {name: column.astype(np.int32, copy=False) for name, column in columns.items()}
        arrays = EdgeArrays(offsets_of(lengths), targets, rules, **typed)
        return cls(lambda: _Names(paths, targets, rules), lambda: arrays)

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

        def arrays() -> EdgeArrays:
            known = segment._names
            with file.decoding():
                stored = unpack_bundle(base()["edges"], ["file_edges", *(column.name for column in COLUMNS)])
                offsets = offsets_of(decode_ints(stored["file_edges"]))
                return EdgeArrays(offsets, known.targets, known.rules, **decode_table(COLUMNS, stored))

        segment = cls(names, arrays)
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
        return {"names": pack_bundle(names), "edges": pack_bundle(lengths | columns)}

    @cached_property
    def _names(self) -> _Names:
        return self._load_names()

    @property
    def paths(self) -> list[str]:
        """The file of each row."""
        return self._names.paths

    @cached_property
    def arrays(self) -> EdgeArrays:
        """The edges of all files."""
        return self._load_arrays()

    def __len__(self) -> int:
        return len(self.paths)

    def edges(self, row: int) -> FileEdges:
        """The edges of one file; `paths` and `rules` are the segment's own tuples, the columns are lists."""
        arrays = self.arrays
        first, last = int(arrays.offsets[row]), int(arrays.offsets[row + 1])
        columns = {column.name: getattr(arrays, column.name)[first:last].tolist() for column in COLUMNS}
        return FileEdges(paths=arrays.strings, rules=arrays.rules, **columns)


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
