"""The store: segments of blob-keyed facts, terms, texts, of vectors by text, of edges by path.

A segment is immutable and named by its content, shared by all branches and worktrees of a repository. Rows that a tree
does not have are masked by its manifest. Writers hold the builder's lock (`cmgit.snapshot.lock`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cmgit.core.errors import SegmentDamaged
from cmgit.core.facts import BlobFacts
from cmgit.core.record import record
from cmgit.core.records import BlobKey
from cmgit.core.tables import BlobTerms, BlobTexts, FileEdges
from cmgit.store.edges_segment import EdgeArrays, EdgesSegment
from cmgit.store.facts_segment import FactsSegment, UnitArrays
from cmgit.store.refs import EDGES, FACTS, KINDS, TERMS, TEXTS, VECTORS, SegmentRef
from cmgit.store.segment_file import SegmentFile, check, fingerprint, places_of, read_meta, write_segment
from cmgit.store.terms_segment import Postings, TermsSegment
from cmgit.store.texts_segment import TextsSegment
from cmgit.store.vectors_segment import VectorsSegment

__all__ = [
    "EDGES",
    "FACTS",
    "KINDS",
    "SEGMENT_FILE",
    "TERMS",
    "TEXTS",
    "VECTORS",
    "EdgeArrays",
    "EdgesSegment",
    "FactsSegment",
    "Postings",
    "SegmentRef",
    "SegmentStore",
    "StoreListing",
    "TermsSegment",
    "TextsSegment",
    "UnitArrays",
    "VectorsSegment",
]

SEGMENT_FILE = re.compile(r"([0-9a-f]{32})\.lance")


@record
class StoreListing:
    """What lies in a store. damaged: (file name, what is wrong)."""

    refs: tuple[SegmentRef, ...]
    damaged: tuple[tuple[str, str], ...]


class SegmentStore:
    """The folder `segments/` below a repository's `cm/` folder."""

    def __init__(self, cm_dir: str) -> None:
        self.folder = Path(cm_dir) / "segments"

    def listing(self, known: Iterable[SegmentRef] = ()) -> StoreListing:
        """All whole segments, sorted, and those that are damaged.

        Args:
            known: from manifests; a segment of that name and size is taken at its word (its checksum is still checked
                when it is opened), any other is read through once.
        """
        trusted = {ref.file_name: ref for ref in known}
        refs, damaged = [], []
        for name, size in self._files():
            ref = trusted.get(name)
            if ref is not None and ref.size == size:
                refs.append(ref)
                continue
            try:
                refs.append(self._examine(name))
            except FileNotFoundError:
                continue  # the collector took it meanwhile
            except SegmentDamaged as error:
                damaged.append((name, error.message))
        return StoreListing(tuple(sorted(refs, key=lambda r: (r.kind, r.name))), tuple(damaged))

    def list_refs(
        self, known: Iterable[SegmentRef] = (), report: Callable[[str, str], None] | None = None
    ) -> list[SegmentRef]:
        """The refs of `listing`; `report` is called with the name and the fault of each damaged segment."""
        found = self.listing(known)
        for name, fault in found.damaged:
            if report is not None:
                report(name, fault)
        return list(found.refs)

    def _files(self) -> Iterable[tuple[str, int]]:
        try:
            with os.scandir(self.folder) as entries:
                found = [
                    (e.name, e.stat(follow_symlinks=False).st_size) for e in entries if SEGMENT_FILE.fullmatch(e.name)
                ]
        except FileNotFoundError:
            return []
        return sorted(found)

    def _examine(self, file_name: str) -> SegmentRef:
        path = self.folder / file_name
        try:
            name, crc32, size = fingerprint(path)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise SegmentDamaged(f"{file_name} cannot be read: {error.strerror}") from error
        if name != path.stem:
            raise SegmentDamaged(f"{file_name} does not hold the bytes that its name states")
        kind, recipe, rows = read_meta(path)
        return SegmentRef(name, kind, recipe, rows, size, crc32, places_of(path))

    def path(self, ref: SegmentRef) -> Path:
        return self.folder / ref.file_name

    def has(self, ref: SegmentRef) -> bool:
        """The segment's file is there with the right size (no byte of it is read)."""
        try:
            return self.path(ref).stat().st_size == ref.size
        except OSError:
            return False

    def whole(self, ref: SegmentRef) -> bool:
        """The segment's file is there and its checksum is right (read once in this process)."""
        try:
            check(self.path(ref), ref)
        except SegmentDamaged:
            return False
        return True

    def write_facts(self, recipe: str, items: Sequence[tuple[BlobKey, BlobFacts]]) -> SegmentRef:
        """Row i holds items[i]. The other writers are alike."""
        return self.write(recipe, FactsSegment.of(items))

    def write_terms(self, recipe: str, items: Sequence[tuple[BlobKey, BlobTerms]]) -> SegmentRef:
        return self.write(recipe, TermsSegment.of(items))

    def write_texts(self, recipe: str, items: Sequence[tuple[BlobKey, BlobTexts]]) -> SegmentRef:
        return self.write(recipe, TextsSegment.of(items))

    def write_vectors(
        self, recipe: str, keys: Sequence[bytes], matrix: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]
    ) -> SegmentRef:
        """Rows are sorted by key, so row i need not hold keys[i]."""
        return self.write(recipe, VectorsSegment.of(keys, matrix, scales))

    def write_edges(self, recipe: str, items: Sequence[tuple[str, FileEdges]]) -> SegmentRef:
        return self.write(recipe, EdgesSegment.of(items))

    def write(
        self, recipe: str, segment: FactsSegment | TermsSegment | TextsSegment | VectorsSegment | EdgesSegment
    ) -> SegmentRef:
        """Write a segment that was made in memory.

        Raises:
            CmgitError: the disk is full, read-only or closed to this user; nothing is left behind.
            SegmentDamaged: what was written does not read back.
        """
        if isinstance(segment, TermsSegment):
            tables, blocks = segment.encode()
            return write_segment(self.folder, TERMS, recipe, len(segment), tables, blocks)
        kind = _KIND_OF[type(segment)]
        return write_segment(self.folder, kind, recipe, len(segment), segment.encode())

    def open_facts(self, ref: SegmentRef) -> FactsSegment:
        """Open a segment of facts; the other kinds alike.

        Raises:
            SegmentDamaged: missing, cut short, of another kind, or its checksum is wrong.
        """
        return FactsSegment.open(self._open(ref, FACTS))

    def open_terms(self, ref: SegmentRef) -> TermsSegment:
        return TermsSegment.open(self._open(ref, TERMS))

    def open_texts(self, ref: SegmentRef) -> TextsSegment:
        return TextsSegment.open(self._open(ref, TEXTS))

    def open_vectors(self, ref: SegmentRef) -> VectorsSegment:
        return VectorsSegment.open(self._open(ref, VECTORS))

    def open_edges(self, ref: SegmentRef) -> EdgesSegment:
        return EdgesSegment.open(self._open(ref, EDGES))

    def _open(self, ref: SegmentRef, kind: str) -> SegmentFile:
        if ref.kind != kind:
            raise SegmentDamaged(f"segment {ref.name} holds {ref.kind}, not {kind}")
        return check(self.path(ref), ref)


_KIND_OF: dict[type, str] = {
    FactsSegment: FACTS,
    TextsSegment: TEXTS,
    VectorsSegment: VECTORS,
    EdgesSegment: EDGES,
}
