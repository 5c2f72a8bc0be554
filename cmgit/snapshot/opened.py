"""The segments that a manifest names, opened when they are first used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.snapshot.manifest import Counts, FileTable, Manifest
from cmgit.store.segments import (
    EDGES,
    FACTS,
    TEXTS,
    VECTORS,
    EdgesSegment,
    FactsSegment,
    SegmentRef,
    SegmentStore,
    TermsSegment,
    TextsSegment,
    VectorsSegment,
)
from cmgit.store.texts_segment import KeyMatrix, distinct_keys

Segment = TypeVar("Segment")


class OpenSegments:
    """Segments by their index in a manifest; each file is checked and opened once.

    Args:
        like: segments that are open already are taken from there.
    """

    def __init__(self, store: SegmentStore, segments: Sequence[SegmentRef], like: OpenSegments | None = None) -> None:
        self.store = store
        self.refs = tuple(segments)
        self._facts: dict[int, FactsSegment] = {}
        self._terms: dict[int, TermsSegment] = {}
        self._texts: dict[int, TextsSegment] = {}
        self._edges: dict[int, EdgesSegment] = {}
        self._vectors: dict[int, VectorsSegment] = {}
        if like is not None:
            self._take_over(like)

    def _take_over(self, other: OpenSegments) -> None:
        place = {ref.name: index for index, ref in enumerate(self.refs)}
        moved = {old: place[ref.name] for old, ref in enumerate(other.refs) if ref.name in place}
        _move(other._facts, self._facts, moved)
        _move(other._terms, self._terms, moved)
        _move(other._texts, self._texts, moved)
        _move(other._edges, self._edges, moved)
        _move(other._vectors, self._vectors, moved)

    def facts(self, index: int) -> FactsSegment:
        if index not in self._facts:
            self._facts[index] = self.store.open_facts(self.refs[index])
        return self._facts[index]

    def terms(self, index: int) -> TermsSegment:
        if index not in self._terms:
            self._terms[index] = self.store.open_terms(self.refs[index])
        return self._terms[index]

    def texts(self, index: int) -> TextsSegment:
        if index not in self._texts:
            self._texts[index] = self.store.open_texts(self.refs[index])
        return self._texts[index]

    def edges(self, index: int) -> EdgesSegment:
        if index not in self._edges:
            self._edges[index] = self.store.open_edges(self.refs[index])
        return self._edges[index]

    def vectors_at(self, index: int) -> VectorsSegment:
        if index not in self._vectors:
            self._vectors[index] = self.store.open_vectors(self.refs[index])
        return self._vectors[index]

    @property
    def vectors(self) -> list[VectorsSegment]:
        """All segments of vectors, in the manifest's order."""
        return [self.vectors_at(i) for i, ref in enumerate(self.refs) if ref.kind == VECTORS]


def _move(theirs: dict[int, Segment], mine: dict[int, Segment], moved: dict[int, int]) -> None:
    mine.update({moved[index]: segment for index, segment in theirs.items() if index in moved})


def live_rows(files: FileTable, kind: str) -> dict[int, npt.NDArray[np.int64]]:
    """Of each segment of a kind (by index), the rows that the tree has: ascending, each once."""
    segment, row = files.segment(kind), files.row(kind)
    used = np.flatnonzero(np.bincount(segment[segment != NONE])).tolist()
    return {index: np.flatnonzero(np.bincount(row[segment == index])) for index in used}


def wanted_keys(opened: OpenSegments, files: FileTable) -> KeyMatrix:
    """The distinct text keys of a tree, sorted: uint8[n, 16]."""
    parts = []
    for index, rows in live_rows(files, TEXTS).items():
        texts = opened.texts(index)
        live = np.zeros(len(texts), np.bool_)
        live[rows] = True
        parts.append(texts.matrix[np.repeat(live, np.diff(texts.offsets))])
    return distinct_keys(parts)


def count(
    store: SegmentStore, files: FileTable, segments: Sequence[SegmentRef], like: OpenSegments | None = None
) -> Counts:
    """The counts of a tree, from the rows themselves. The builder states them, `verify` counts again.

    Args:
        like: see `OpenSegments`.

    Raises:
        SegmentDamaged: a segment cannot be read.
    """
    opened = OpenSegments(store, segments, like)
    units = _sum(files, FACTS, {i: np.diff(opened.facts(i).offsets("units")) for i in live_rows(files, FACTS)})
    edges = _sum(files, EDGES, {i: np.diff(opened.edges(i).offsets) for i in live_rows(files, EDGES)})
    wanted = wanted_keys(opened, files)
    lacking = np.ones(len(wanted), np.bool_)
    for vectors in opened.vectors:
        lacking[lacking] = vectors.find(wanted[lacking]) < 0
    return Counts(len(files), units, edges, len(wanted) - int(lacking.sum()), len(wanted))


def counted(store: SegmentStore, manifest: Manifest, like: OpenSegments | None = None) -> Counts:
    """`count` of what a manifest names. like: see `OpenSegments`."""
    return count(store, manifest.files, manifest.segments, like)


def _sum(files: FileTable, kind: str, lengths: dict[int, npt.NDArray[np.int64]]) -> int:
    """The lengths of the rows of all files: a blob that two files share counts twice."""
    segment, row = files.segment(kind), files.row(kind)
    return sum(int(length[row[segment == index]].sum()) for index, length in lengths.items())
