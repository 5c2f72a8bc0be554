"""A small store with manifests whose counts are true."""

from __future__ import annotations

from collections.abc import Sequence

from store_samples import edges, facts, terms, text_key, texts, vectors

from cmgit.core.records import BlobKey, Role
from cmgit.snapshot.lock import try_lock
from cmgit.snapshot.manifest import Counts, FileRow, FileTable, Manifest, Recipes
from cmgit.snapshot.opened import count
from cmgit.snapshot.publish import publish
from cmgit.store.segments import SegmentRef, SegmentStore

RECIPES = Recipes(facts="facts1", texts="texts1", vectors="vectors1", snapshot="0123456789abcdef")


def tree_id(number: int) -> str:
    return f"{number:040x}"


def blob(number: int) -> BlobKey:
    return BlobKey(f"{number:040x}", "typescript")


def write_blobs(store: SegmentStore, numbers: Sequence[int]) -> dict[str, SegmentRef]:
    """One segment of each kind for these blobs; a blob's content follows from its number."""
    keys = [blob(number) for number in numbers]
    typed = [(key, facts(number * 7 + 1)) for key, number in zip(keys, numbers, strict=True)]
    wanted = sorted({key for number in numbers for key in texts(number).key})
    known = {text_key(i): i for i in range(50)}
    return {
        "facts": store.write_facts(RECIPES.facts, typed),
        "terms": store.write_terms(RECIPES.snapshot, [(k, terms(n)) for k, n in zip(keys, numbers, strict=True)]),
        "texts": store.write_texts(RECIPES.texts, [(k, texts(n)) for k, n in zip(keys, numbers, strict=True)]),
        "edges": store.write_edges(RECIPES.snapshot, [(f"src/f{n}\udcfe.ts", edges(n)) for n in numbers]),
        "vectors": store.write_vectors(RECIPES.vectors, *vectors([known[key] for key in wanted])),
    }


def manifest_of(store: SegmentStore, tree: str, batches: Sequence[Sequence[int]], live: Sequence[int]) -> Manifest:
    """A manifest over one segment of each kind for each batch, with the files of the blobs in `live`."""
    segments: list[SegmentRef] = []
    places: dict[int, dict[str, int]] = {}
    for numbers in batches:
        refs = write_blobs(store, numbers)
        for kind, ref in refs.items():
            if ref not in segments:
                segments.append(ref)
            for row, number in enumerate(numbers):
                if kind != "vectors":
                    places.setdefault(number, {}).update({f"{kind}_segment": segments.index(ref), f"{kind}_row": row})
    rows = [
        FileRow(f"src/f{n}\udcfe.ts", blob(n).oid, 0o100644, "typescript", int(Role.SOURCE), 0, n * 10, **places[n])
        for n in sorted(live)
    ]
    rows.append(FileRow("package.json", "f" * 40, 0o100644, "", int(Role.CONFIG), -1, 33))
    files = FileTable.of(rows)
    return Manifest(tree, RECIPES, files, tuple(segments), count(store, files, segments))


def small_store(cm_dir: str, trees: int = 3) -> list[Manifest]:
    """Trees 1, 2, … each one batch of blobs more than the one before; published, oldest first."""
    store = SegmentStore(cm_dir)
    made = []
    with try_lock(cm_dir) or _busy():
        for tree in range(1, trees + 1):
            batches = [range(b * 4, b * 4 + 4) for b in range(tree)]
            made.append(publish(cm_dir, manifest_of(store, tree_id(tree), batches, range(tree * 4))))
    return made


def _busy() -> object:
    raise AssertionError("the store is locked")


def empty_manifest(tree: str) -> Manifest:
    return Manifest(tree, RECIPES, FileTable.of([]), (), Counts())
