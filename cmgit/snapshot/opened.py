"""The segments that a manifest names, opened when they are first used."""

from __future__ import annotations

from collections.abc import Sequence

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
from cmgit.store.texts_segment import KEY_BYTES, KeyMatrix, as_words


class OpenSegments:
    """Segments by their index in a manifest; each file is checked and opened once."""

    def __init__(self, store: SegmentStore, segments: Sequence[SegmentRef]) -> None:
        self.store = store
        self.refs = tuple(segments)
        self._facts: dict[int, FactsSegment] = {}
        self._terms: dict[int, TermsSegment] = {}
        self._texts: dict[int, TextsSegment] = {}
        self._edges: dict[int, EdgesSegment] = {}
        self._vectors: dict[int, VectorsSegment] = {}

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


def live_rows(files: FileTable, kind: str) -> dict[int, npt.NDArray[np.int64]]:
    """Of each segment of a kind (by index), the rows that the tree has: ascending, each once."""
    segment, row = files.segment(kind), files.row(kind)
    used = np.unique(segment[segment != NONE]).tolist()
    return {index: np.unique(row[segment == index]).astype(np.int64) for index in used}


def wanted_keys(opened: OpenSegments, files: FileTable) -> KeyMatrix:
    """The distinct text keys of a tree, sorted: uint8[n, 16]."""
    parts = []
    for index, rows in live_rows(files, TEXTS).items():
        texts = opened.texts(index)
        live = np.zeros(len(texts), np.bool_)
        live[rows] = True
        parts.append(texts.matrix[np.repeat(live, np.diff(texts.offsets))])
    if not parts:
        return np.zeros((0, KEY_BYTES), np.uint8)
    keys = np.concatenate(parts)
    _, first = np.unique(as_words(keys), return_index=True)
    distinct: KeyMatrix = keys[first]
    return distinct


def count(store: SegmentStore, files: FileTable, segments: Sequence[SegmentRef]) -> Counts:
    """The counts of a tree, from the rows themselves. The builder states them, `verify` counts again.

    Raises:
        SegmentDamaged: a segment cannot be read.
    """
    opened = OpenSegments(store, segments)
    units = _sum(files, FACTS, {i: np.diff(opened.facts(i).offsets("units")) for i in live_rows(files, FACTS)})
    edges = _sum(files, EDGES, {i: np.diff(opened.edges(i).arrays.offsets) for i in live_rows(files, EDGES)})
    wanted = wanted_keys(opened, files)
    found = np.zeros(len(wanted), np.bool_)
    for vectors in opened.vectors:
        found |= vectors.find(wanted) >= 0
    return Counts(len(files), units, edges, int(found.sum()), len(wanted))


def counted(store: SegmentStore, manifest: Manifest) -> Counts:
    """`count` of what a manifest names."""
    return count(store, manifest.files, manifest.segments)


def _sum(files: FileTable, kind: str, lengths: dict[int, npt.NDArray[np.int64]]) -> int:
    """The lengths of the rows of all files: a blob that two files share counts twice."""
    segment, row = files.segment(kind), files.row(kind)
    return sum(int(length[row[segment == index]].sum()) for index, length in lengths.items())
