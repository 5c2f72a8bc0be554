"""What the store already holds, so that nothing is parsed or embedded twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cmgit.core.errors import SegmentDamaged
from cmgit.core.records import BlobKey
from cmgit.index.recipes import Recipes
from cmgit.snapshot.publish import load_all
from cmgit.store.segments import SegmentRef, SegmentStore

Place = tuple[SegmentRef, int]
"""A row of a segment."""


@dataclass(slots=True)
class Catalog:
    """Where the rows of each blob stand: facts, terms, text keys; and which vectors exist, by segment.

    vectors: key of a text → segment. damaged: names of segments that cannot be trusted; their rows are made anew.
    """

    facts: dict[BlobKey, Place] = field(default_factory=dict)
    terms: dict[BlobKey, Place] = field(default_factory=dict)
    texts: dict[BlobKey, Place] = field(default_factory=dict)
    vectors: dict[bytes, SegmentRef] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)

    def add_blobs(self, ref: SegmentRef, keys: Iterable[BlobKey]) -> None:
        rows: dict[BlobKey, Place] = getattr(self, ref.kind)
        for row, key in enumerate(keys):
            rows.setdefault(key, (ref, row))

    def whole(self, key: BlobKey) -> bool:
        return key in self.facts and key in self.terms and key in self.texts


def read_catalog(store: SegmentStore, recipes: Recipes, *, with_vectors: bool) -> Catalog:
    """Read the keys of every segment of these recipes. Segments of other recipes are left to gc.

    Segments that a manifest names are not hashed to find out what they are: opening one checks it.
    """
    catalog = Catalog()
    wanted = {"facts": recipes.facts, "terms": recipes.terms, "texts": recipes.texts}
    named = [ref for manifest in load_all(str(store.folder.parent)) for ref in manifest.segments]
    for ref in store.list_refs(named):
        try:
            if ref.kind in wanted and ref.recipe == wanted[ref.kind]:
                catalog.add_blobs(ref, open_keyed(store, ref))
            elif ref.kind == "vectors" and ref.recipe == recipes.vectors and with_vectors:
                add_vectors(catalog, store, ref)
        except SegmentDamaged:
            catalog.damaged.append(ref.name)
    return catalog


def open_keyed(store: SegmentStore, ref: SegmentRef) -> list[BlobKey]:
    if ref.kind == "facts":
        return store.open_facts(ref).keys
    if ref.kind == "terms":
        return store.open_terms(ref).keys
    return store.open_texts(ref).keys


def add_vectors(catalog: Catalog, store: SegmentStore, ref: SegmentRef) -> None:
    for key in store.open_vectors(ref).key_list():
        catalog.vectors.setdefault(key, ref)
