"""Where a view's vectors come from: the snapshot's segments, and what they lack is made when it is first asked for.

Routes that need no vector never come here, so they load no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, ModelUnavailable
from cmgit.core.facts import NONE, BlobStatus
from cmgit.core.record import record
from cmgit.core.records import BlobKey, FileEntry, ProgressCallback
from cmgit.git.locate import Location
from cmgit.index.recipes import Recipes
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.publish import load
from cmgit.store.segments import VECTORS, VectorsSegment
from cmgit.view.memory import Memory
from cmgit.view.vectors import missing_keys

if TYPE_CHECKING:
    from cmgit.view.view import View

PUBLISH_FROM = 200
"""From so many missing vectors of the snapshot's own tree, make them with a build, which keeps them."""


class Supply(Protocol):
    """Gives a view its vectors."""

    @property
    def is_short(self) -> bool:
        """The last `complete` gave less than a complete view has: there was no time."""
        ...

    def pending(self, view: View) -> int: ...

    def complete(self, view: View) -> list[VectorsSegment]: ...


@record
class VectorSupply:
    """unchanged: the view shows exactly the base's tree. read: content of an entry of the view. keeping: the command
    that would keep vectors of this tree."""

    location: Location
    base: Manifest | None
    tree: str
    unchanged: bool
    read: Callable[[FileEntry], bytes | None]
    config: Config
    recipes: Recipes
    progress: ProgressCallback
    warn: Callable[[str], None]
    memory: Memory
    keeping: str = "git cm index"

    @property
    def is_short(self) -> bool:
        return False

    def pending(self, view: View) -> int:
        """How many distinct texts of the view have no vector yet; nothing is made."""
        if self.unchanged and self.base is not None:
            counts = self.base.counts
            return counts.vectors_wanted - (counts.vectors if self.base.recipes.vectors == self.recipes.vectors else 0)
        return len(missing_keys(view.wanted_texts, self.known(self.base)))

    def complete(self, view: View) -> list[VectorsSegment]:
        """Segments with a vector for every text of the view that can be read."""
        segments = self.known(self.base)
        lacking = missing_keys(view.wanted_texts, segments)
        if self.base is not None and self.base.tree == self.tree and len(lacking) >= PUBLISH_FROM:
            segments = self.publish() or segments
            lacking = missing_keys(view.wanted_texts, segments)
        if not lacking:
            return segments
        if len(lacking) >= PUBLISH_FROM:
            self.warn(f"{len(lacking)} vectors are made for this answer and not kept: `{self.keeping}` would keep them")
        made = self.embed(view, lacking)
        wanted = {row.tobytes() for row in view.wanted_texts.keys}
        return [*segments, self.memory.keep_vectors(made, wanted)]

    def known(self, manifest: Manifest | None) -> list[VectorsSegment]:
        if manifest is None or manifest.recipes.vectors != self.recipes.vectors:
            return []
        store = self.memory.store
        segments = [store.open_vectors(ref) for _, ref in manifest.of_kind(VECTORS) if store.whole(ref)]
        return [*segments, self.memory.vectors] if self.memory.vectors is not None else segments

    def publish(self) -> list[VectorsSegment]:
        try:
            self.memory.build(self.location, self.tree, self.config, self.progress, self.warn)
        except CmgitError as error:
            self.warn(f"{error.message}; answering from memory")
            return []
        return self.known(load(self.location.cm_dir, self.tree, self.recipes.snapshot))

    def embed(self, view: View, lacking: set[bytes]) -> VectorsSegment:
        """Vectors in memory: dirty files, or a tree that is laid over another."""
        from cmgit.index.vectors import embed_in_memory

        entries = {
            BlobKey(p.oid, p.language): FileEntry(p.path, p.oid, p.mode, p.language, p.role) for p in view.places
        }

        def wanted() -> Iterable[tuple[BlobKey, Sequence[bytes]]]:
            for index, place in enumerate(view.places):
                if place.texts[0] != NONE and place.status != BlobStatus.UNREADABLE:
                    yield BlobKey(place.oid, place.language), view.text_keys(index)

        try:
            model = self.memory.model(self.config, self.warn)
        except ModelUnavailable as error:
            self.warn(f"no vectors, words and the graph answer alone: {error.message} ({error.hint})")
            raise
        return embed_in_memory(
            wanted(), lacking, lambda key: self.read(entries[key]), view.blob_facts, model, self.progress
        )
