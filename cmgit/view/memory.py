"""What one view of a repository leaves for the next: opened segments, blobs that no segment holds, vectors, the model.

A command's memory lasts for one view. A resident reader keeps it, so that after an edit only what changed is made.
Nothing here decides anything: all of it is named by its content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from cmgit.core.config import Config
from cmgit.core.facts import BlobStatus
from cmgit.core.records import BlobKey, ProgressCallback
from cmgit.git.locate import Location
from cmgit.store.segments import (
    EdgesSegment,
    FactsSegment,
    SegmentRef,
    SegmentStore,
    TermsSegment,
    TextsSegment,
    VectorsSegment,
)

if TYPE_CHECKING:
    from cmgit.embed.model import Model
    from cmgit.index.blobs import BlobProducts
    from cmgit.snapshot.manifest import Manifest
    from cmgit.view.open import Opened


Segment = TypeVar("Segment")


def _once(kept: dict[str, Segment], ref: SegmentRef, make: Callable[[SegmentRef], Segment]) -> Segment:
    if ref.name not in kept:
        kept[ref.name] = make(ref)
    return kept[ref.name]


class KeptStore(SegmentStore):
    """A store that opens each segment once."""

    def __init__(self, cm_dir: str) -> None:
        super().__init__(cm_dir)
        self._facts: dict[str, FactsSegment] = {}
        self._terms: dict[str, TermsSegment] = {}
        self._texts: dict[str, TextsSegment] = {}
        self._edges: dict[str, EdgesSegment] = {}
        self._vectors: dict[str, VectorsSegment] = {}
        self._all: tuple[dict[str, Any], ...] = (self._facts, self._terms, self._texts, self._edges, self._vectors)

    def open_facts(self, ref: SegmentRef) -> FactsSegment:
        return _once(self._facts, ref, super().open_facts)

    def open_terms(self, ref: SegmentRef) -> TermsSegment:
        return _once(self._terms, ref, super().open_terms)

    def open_texts(self, ref: SegmentRef) -> TextsSegment:
        return _once(self._texts, ref, super().open_texts)

    def open_edges(self, ref: SegmentRef) -> EdgesSegment:
        return _once(self._edges, ref, super().open_edges)

    def open_vectors(self, ref: SegmentRef) -> VectorsSegment:
        return _once(self._vectors, ref, super().open_vectors)

    def whole(self, ref: SegmentRef) -> bool:
        """As in every store; what is open was checked, and is in memory whatever becomes of its file."""
        return any(ref.name in kind for kind in self._all) or super().whole(ref)

    def forget_others(self, refs: Sequence[SegmentRef]) -> None:
        """Keep only these segments."""
        names = {ref.name for ref in refs}
        for kind in self._all:
            for name in kind.keys() - names:
                del kind[name]

    def forget_vectors(self) -> None:
        """A view that has joined its vectors holds a copy of its own."""
        self._vectors.clear()


class Build(Protocol):
    """Makes the snapshot of a tree."""

    def __call__(
        self,
        location: Location,
        tree: str,
        config: Config,
        progress: ProgressCallback,
        warn: Callable[[str], None],
        *,
        on_demand: bool = False,
    ) -> object: ...


def build_here(
    location: Location,
    tree: str,
    config: Config,
    progress: ProgressCallback,
    warn: Callable[[str], None],
    *,
    on_demand: bool = False,
) -> object:
    """In this process: what a command does."""
    from cmgit.index.build import build

    return build(location, tree, config, progress, warn, on_demand=on_demand)


class Memory:
    """Everything that may be kept.

    build: makes a snapshot where a view wants one.

    opened: of the base that was laid under the last view. products: of blobs that no segment of a base held, those of
    the last two views. vectors: made in memory.
    """

    def __init__(self, cm_dir: str, build: Build = build_here) -> None:
        self.store = KeptStore(cm_dir)
        self.build = build
        self.products: dict[BlobKey, BlobProducts] = {}
        self._earlier: dict[BlobKey, BlobProducts] = {}
        self.vectors: VectorsSegment | None = None
        self._base: Manifest | None = None
        self._opened: Opened | None = None
        self._models: dict[tuple[str, str], Model] = {}

    def opened(self, base: Manifest | None, make: Callable[[SegmentStore, Manifest | None], Opened]) -> Opened:
        """Where the base's rows stand, worked out once for each base."""
        if self._opened is None or base is not self._base:
            self._opened, self._base = make(self.store, base), base
            self.store.forget_others(base.segments if base is not None else ())
        return self._opened

    def known_product(self, key: BlobKey) -> BlobProducts | None:
        return self.products.get(key) or self._earlier.get(key)

    def keep_products(self, made: dict[BlobKey, BlobProducts]) -> None:
        """Of this view and of the one before: an edit that is taken back, a look at another branch cost nothing."""
        products = {key: product for key, product in made.items() if product.facts.status != BlobStatus.UNREADABLE}
        if products.keys() != self.products.keys():
            self._earlier = self.products
        self.products = products

    def keep_vectors(self, made: VectorsSegment, wanted: set[bytes]) -> VectorsSegment:
        """All vectors that were made in memory and are still wanted, as one segment, with the new ones."""
        if self.vectors is not None and len(self.vectors):
            rows = [row for row, key in enumerate(self.vectors.key_list()) if key in wanted]
            made = VectorsSegment.merged([(made, range(len(made))), (self.vectors, rows)]) if rows else made
        self.vectors = made
        return made

    def has_model(self, config: Config) -> bool:
        return (config.cache_dir, config.model_dir) in self._models

    def model(self, config: Config, warn: Callable[[str], None]) -> Model:
        """The model of these settings, loaded once.

        Raises:
            ModelUnavailable: see `embed.model.load_model`.
        """
        key = (config.cache_dir, config.model_dir)
        if key not in self._models:
            from cmgit.embed.model import load_model

            self._models = {key: load_model(config.cache_dir, config.model_dir, warn)}
        return self._models[key]
