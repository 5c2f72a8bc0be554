"""Texts that no segment has a vector for → vectors, in segments of their own.

Vectors come after a snapshot answers by words and graph; they are new segments and a new generation of its manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from cmgit.core.errors import ObjectUnreadable
from cmgit.core.facts import NONE, BlobFacts, UnitFlag
from cmgit.core.records import BlobKey, Progress, ProgressCallback
from cmgit.embed.texts import text_key, unit_texts

if TYPE_CHECKING:
    from cmgit.embed.model import Model
    from cmgit.index.catalog import Catalog
    from cmgit.store.segments import SegmentRef, SegmentStore, VectorsSegment

FLUSH_VECTORS = 2_000
"""Vectors between two writes: what a killed build keeps."""


def missing_texts(
    wanted: Iterable[tuple[BlobKey, Iterable[bytes]]],
    known: Callable[[bytes], bool],
    read: Callable[[BlobKey], bytes],
    facts: Callable[[BlobKey], BlobFacts],
    group: Callable[[BlobKey], int] = lambda _: 0,
) -> dict[bytes, str]:
    """Texts whose vectors do not exist, each once, in the order in which they are to be embedded: by group, in each
    what is exported first, else in the order of `wanted`. A blob that cannot be read gives none.

    Args:
        wanted: blobs with the keys of their texts.
        known: is there a vector for this key?
        read, facts: content and facts of a blob; asked only for blobs that lack a vector.
    """
    texts: dict[bytes, str] = {}
    ranks: dict[bytes, tuple[int, bool]] = {}
    for blob, keys in wanted:
        lacking = {key for key in keys if not known(key) and key not in texts}
        if not lacking:
            continue
        try:
            data = read(blob)
        except ObjectUnreadable:
            continue
        said = facts(blob)
        for unit, text in unit_texts(data, said):
            key = text_key(text)
            if key in lacking:
                texts[key] = text
                ranks[key] = group(blob), not is_exported(said, unit)
    return {key: texts[key] for key in sorted(texts, key=ranks.__getitem__)}


def is_exported(facts: BlobFacts, unit: int) -> bool:
    """Of the unit itself, or of what it is a member of."""
    while unit != NONE:
        if facts.units.flags[unit] & UnitFlag.EXPORTED:
            return True
        unit = facts.units.owner[unit]
    return False


def embed_texts(
    texts: dict[bytes, str],
    model: Model,
    store: SegmentStore,
    catalog: Catalog,
    recipe: str,
    threads: int,
    progress: ProgressCallback,
) -> list[SegmentRef]:
    """Embed and write in portions; `catalog` knows each vector once its segment is safe on disk."""
    from cmgit.embed.quantize import quantize

    done = 0
    refs: list[SegmentRef] = []
    progress(Progress("embed", 0, len(texts), "units"))
    for portion in portions(list(texts), FLUSH_VECTORS):

        def advance(count: int, base: int = done) -> None:
            progress(Progress("embed", base + count, len(texts), "units"))

        matrix = model.embed_many([texts[key] for key in portion], threads, advance)
        codes, scales = quantize(matrix)
        ref = store.write_vectors(recipe, portion, codes, scales)
        refs.append(ref)
        catalog.vectors.add(ref, portion)
        done += len(portion)
    return refs


def portions(keys: list[bytes], size: int) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def embed_in_memory(
    wanted: Iterable[tuple[BlobKey, Iterable[bytes]]],
    lacking: set[bytes],
    read: Callable[[BlobKey], bytes | None],
    facts: Callable[[BlobKey], BlobFacts],
    model: Model,
    progress: ProgressCallback,
) -> VectorsSegment:
    """Vectors of the lacking keys, as a segment in memory."""
    from cmgit.embed.quantize import quantize
    from cmgit.index.pool import allowed_processors
    from cmgit.store.segments import VectorsSegment

    def read_or_raise(key: BlobKey) -> bytes:
        data = read(key)
        if data is None:
            raise ObjectUnreadable(f"object {key.oid} cannot be read")
        return data

    texts = missing_texts(wanted, lambda key: key not in lacking, read_or_raise, facts)
    keys = list(texts)
    matrix = model.embed_many(
        [texts[key] for key in keys],
        allowed_processors(),
        lambda count: progress(Progress("embed", count, len(keys), "units")),
    )
    codes, scales = quantize(matrix)
    return VectorsSegment.of(keys, codes, scales)
