"""What the store already holds, so that nothing is parsed or embedded twice.

It is asked, not read: a commit asks for the few blobs that it brings, and no table of all is made for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cmgit.core.errors import SegmentDamaged
from cmgit.core.records import BlobKey
from cmgit.index.recipes import Recipes
from cmgit.snapshot.publish import load_all
from cmgit.store.keys import find_key
from cmgit.store.segments import FACTS, TERMS, TEXTS, VECTORS, SegmentRef, SegmentStore, VectorsSegment
from cmgit.store.texts_segment import KeyMatrix, key_matrix

Place = tuple[SegmentRef, int]
"""A row of a segment."""

BLOB_KINDS = (FACTS, TERMS, TEXTS)
FEW_QUESTIONS = 48
"""So many single keys are looked for in the segments; for more a table of all is made."""


class Vectors:
    """Which texts have vectors, by segment. `damaged` is told of segments that cannot be read."""

    def __init__(self, store: SegmentStore, refs: Iterable[SegmentRef], damaged: list[str]) -> None:
        self._store, self._refs, self._damaged = store, list(refs), damaged
        self._opened: dict[str, VectorsSegment] = {}
        self._questions = 0
        self._table: set[bytes] | None = None

    def add(self, ref: SegmentRef, keys: Iterable[bytes]) -> None:
        """A segment that was written just now."""
        self._refs.append(ref)
        if self._table is not None:
            self._table.update(keys)

    def find(self, wanted: KeyMatrix) -> tuple[list[SegmentRef], npt.NDArray[np.bool_]]:
        """The segments that are needed to have these keys, and which keys none of them has.

        A key that several segments have is taken from the first of them.
        """
        lacking = np.ones(len(wanted), np.bool_)
        used: list[SegmentRef] = []
        for ref, segment in self._segments():
            if not lacking.any():
                break
            found = segment.find(wanted[lacking]) >= 0
            if found.any():
                used.append(ref)
                lacking[lacking] = ~found
        return used, lacking

    def __contains__(self, key: bytes) -> bool:
        self._questions += 1
        if self._questions > FEW_QUESTIONS and self._table is None:
            self._table = {known for _, segment in self._segments() for known in segment.key_list()}
        if self._table is not None:
            return key in self._table
        return not self.find(key_matrix([key]))[1].any()

    def _segments(self) -> Iterator[tuple[SegmentRef, VectorsSegment]]:
        for ref in self._refs:
            if ref.name not in self._opened and ref.name not in self._damaged:
                try:
                    self._opened[ref.name] = self._store.open_vectors(ref)
                except SegmentDamaged:
                    self._damaged.append(ref.name)
            if ref.name in self._opened:
                yield ref, self._opened[ref.name]


@dataclass(slots=True)
class Catalog:
    """Where the rows of each blob stand: facts, terms, text keys; and which vectors exist.

    refs: the segments of these recipes, by kind. damaged: names of segments that cannot be trusted, as far as they were
    looked into; their rows are made anew.
    """

    store: SegmentStore
    refs: dict[str, list[SegmentRef]]
    damaged: list[str] = field(default_factory=list)
    vectors: Vectors = field(init=False)
    _added: dict[str, dict[BlobKey, Place]] = field(default_factory=dict)
    _keys: dict[str, list[tuple[SegmentRef, Sequence[BlobKey]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.vectors = Vectors(self.store, self.refs.get(VECTORS, ()), self.damaged)

    def add_blobs(self, ref: SegmentRef, keys: Iterable[BlobKey]) -> None:
        """A segment that was written just now."""
        rows = self._added.setdefault(ref.kind, {})
        for row, key in enumerate(keys):
            rows.setdefault(key, (ref, row))

    def find(self, kind: str, key: BlobKey) -> Place | None:
        """Where a blob's row of a kind stands; None where no whole segment has one."""
        found = self._added.get(kind, {}).get(key)
        if found is not None:
            return found
        for ref, keys in self._keys_of(kind):
            row = find_key(keys, key)
            if row is not None:
                return ref, row
        return None

    def whole(self, key: BlobKey) -> bool:
        return all(self.find(kind, key) is not None for kind in BLOB_KINDS)

    def _keys_of(self, kind: str) -> list[tuple[SegmentRef, Sequence[BlobKey]]]:
        if kind not in self._keys:
            self._keys[kind] = []
            for ref in self.refs.get(kind, ()):
                try:
                    self._keys[kind].append((ref, open_keyed(self.store, ref)))
                except SegmentDamaged:
                    self.damaged.append(ref.name)
        return self._keys[kind]


def read_catalog(
    store: SegmentStore, recipes: Recipes, *, with_vectors: bool, first: Sequence[SegmentRef] = ()
) -> Catalog:
    """The segments of these recipes that lie in the store. Segments of other recipes are left to gc.

    Segments that a manifest names are not hashed to find out what they are: opening one checks it.

    Args:
        first: segments that are asked before all others; a snapshot's own.
    """
    wanted = {FACTS: recipes.facts, TERMS: recipes.terms, TEXTS: recipes.texts}
    if with_vectors:
        wanted[VECTORS] = recipes.vectors
    named = [ref for manifest in load_all(str(store.folder.parent)) for ref in manifest.segments]
    refs: dict[str, list[SegmentRef]] = {kind: [] for kind in wanted}
    for ref in dict.fromkeys([*first, *store.list_refs(named)]):
        if ref.kind in wanted and ref.recipe == wanted[ref.kind]:
            refs[ref.kind].append(ref)
    return Catalog(store, refs)


def open_keyed(store: SegmentStore, ref: SegmentRef) -> Sequence[BlobKey]:
    """The blobs of a segment's rows.

    Raises:
        SegmentDamaged: it cannot be trusted.
    """
    if ref.kind == FACTS:
        return store.open_facts(ref).keys
    if ref.kind == TERMS:
        return store.open_terms(ref).keys
    return store.open_texts(ref).keys
