"""Blobs of a plan → products in the store. Only what no segment holds is read and parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cmgit.core.config import Config
from cmgit.core.errors import ObjectUnreadable
from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts, BlobStatus
from cmgit.core.records import BlobKey, FileEntry, Progress, ProgressCallback
from cmgit.git.objects import Objects
from cmgit.index.blobs import BlobProducts
from cmgit.index.catalog import Catalog
from cmgit.index.pool import Blob, process_blobs
from cmgit.index.recipes import Recipes
from cmgit.store.segments import SegmentStore

FLUSH_BYTES = 4_000_000
"""Source bytes between two writes: what a killed build keeps, and what memory holds at once."""


@dataclass(slots=True)
class Gathered:
    """facts: of every new blob, for linking. unreadable: blobs that git could not give, tried again next time."""

    facts: dict[BlobKey, BlobFacts] = field(default_factory=dict)
    unreadable: set[BlobKey] = field(default_factory=set)
    parsed: int = 0


def gather_blobs(
    files: Iterable[FileEntry],
    objects: Objects,
    store: SegmentStore,
    catalog: Catalog,
    recipes: Recipes,
    config: Config,
    progress: ProgressCallback,
) -> Gathered:
    """Parse what is new and write it; `catalog` then knows every blob of the plan that could be read."""
    gathered = Gathered()
    missing = list(dict.fromkeys(key for key in map(key_of, files) if not catalog.whole(key)))
    if not missing:
        return gathered
    sizes: dict[BlobKey, int] = {}
    for key, size in zip(missing, objects.blob_sizes(key.oid for key in missing), strict=True):
        if isinstance(size, ObjectUnreadable):
            gathered.unreadable.add(key)
        else:
            sizes[key] = size
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(Progress("parse", done, len(sizes), "files"))

    progress(Progress("parse", 0, len(sizes), "files"))
    batch: list[BlobProducts] = []
    weight = 0
    blobs = read_all(sizes, objects, gathered)
    for products in process_blobs(blobs, sum(sizes.values()), config.max_blob_bytes, config.workers, advance):
        batch.append(products)
        weight += products.facts.size
        note(gathered, products)
        if weight >= FLUSH_BYTES:
            write_products(store, catalog, recipes, batch)
            batch, weight = [], 0
    write_products(store, catalog, recipes, batch)
    return gathered


def key_of(entry: FileEntry) -> BlobKey:
    return BlobKey(entry.oid, entry.language)


def read_all(keys: Iterable[BlobKey], objects: Objects, gathered: Gathered) -> Iterator[Blob]:
    for key in keys:
        try:
            yield key, objects.read_blob(key.oid)
        except ObjectUnreadable:
            gathered.unreadable.add(key)


def note(gathered: Gathered, products: BlobProducts) -> None:
    gathered.facts[products.key] = products.facts
    if products.key.language == CONFIG_LANGUAGE and products.facts.status is BlobStatus.PARSED:
        return  # read, not parsed
    if products.facts.status in (BlobStatus.PARSED, BlobStatus.PARTIAL, BlobStatus.CONFLICTED):
        gathered.parsed += 1


def write_products(store: SegmentStore, catalog: Catalog, recipes: Recipes, batch: list[BlobProducts]) -> None:
    """One segment for each table. Facts come last: a blob counts as known only when all three are there."""
    if not batch:
        return
    keys = [products.key for products in batch]
    catalog.add_blobs(store.write_terms(recipes.terms, [(p.key, p.terms) for p in batch]), keys)
    catalog.add_blobs(store.write_texts(recipes.texts, [(p.key, p.texts) for p in batch]), keys)
    catalog.add_blobs(store.write_facts(recipes.facts, [(p.key, p.facts) for p in batch]), keys)
