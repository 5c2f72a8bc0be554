"""From what a build knows to a manifest: file rows, segments, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import CONFIG_LANGUAGE, NONE, BlobStatus
from cmgit.core.records import BlobKey, FileEntry, Role
from cmgit.index.catalog import Catalog, Place
from cmgit.index.changes import Changes
from cmgit.index.gather import key_of
from cmgit.index.plan import GITLINK_MODE, Plan
from cmgit.index.recipes import Recipes
from cmgit.snapshot import manifest as snapshot
from cmgit.snapshot.manifest import FILE_KINDS, Counts, FileRow, FileTable, Manifest
from cmgit.snapshot.opened import OpenSegments, counted, live_rows
from cmgit.store.segments import FACTS, TERMS, TEXTS, VECTORS, FactsSegment, SegmentRef, SegmentStore, TextsSegment
from cmgit.store.texts_segment import KeyMatrix, beginnings, find_keys

LONG_AGO = 1 << 30


class Rows:
    """Rows of a manifest's table, and the segments that they name: those of an earlier manifest first."""

    def __init__(self, catalog: Catalog, store: SegmentStore, refs: tuple[SegmentRef, ...]) -> None:
        self._catalog, self._store = catalog, store
        self.refs = list(refs)
        # By name: a str keeps its hash, a ref's is made of its fields each time.
        self._index = {ref.name: index for index, ref in enumerate(refs)}
        self._facts: dict[str, FactsSegment] = {}

    def of(self, entry: FileEntry, edges: Place | None) -> FileRow:
        """The row of a source or a config file."""
        key = key_of(entry)
        facts = self._catalog.find(FACTS, key)
        status, size = int(BlobStatus.UNREADABLE), 0
        if facts is not None:
            ref, row = facts
            segment = self._facts.get(ref.name) or self._facts.setdefault(ref.name, self._store.open_facts(ref))
            status, size = int(segment.status(row)), segment.size(row)
        found = (facts, self._catalog.find(TERMS, key), self._catalog.find(TEXTS, key), edges)
        places = [number for place in found for number in self._place(place)]
        return FileRow(entry.path, entry.oid, entry.mode, entry.language, int(entry.role), status, size, *places)

    def with_edges(self, row: FileRow, edges: Place) -> FileRow:
        index, at = self._place(edges)
        return replace(row, edges_segment=index, edges_row=at)

    def _place(self, found: Place | None) -> tuple[int, int]:
        if found is None:
            return NONE, NONE
        ref, row = found
        index = self._index.get(ref.name)
        if index is None:
            index = self._index[ref.name] = len(self.refs)
            self.refs.append(ref)
        return index, row


def assemble_manifest(
    tree: str,
    recipes: Recipes,
    base: Manifest | None,
    changes: Changes,
    catalog: Catalog,
    edges: Mapping[str, Place],
    store: SegmentStore,
    opened: OpenSegments | None = None,
) -> Manifest:
    """The manifest of a tree: the rows of an earlier one, of which those are replaced that differ.

    Args:
        base: what `changes` are over. Its vectors stay.
        edges: where the edges of a path stand: of all in `changes` that have some, and of all whose edges are others.
        opened: segments that are open already.
    """
    table = base.files if base is not None else FileTable.of([])
    known = base.segments if base is not None else ()
    rows = Rows(catalog, store, known)
    gone = set(changes.gone)
    fresh = [rows.of(entry, edges.get(entry.path)) for entry in changes.plan.files]
    fresh += [FileRow(s.entry.path, s.entry.oid, s.entry.mode, "", 0, int(s.status), 0) for s in changes.plan.skipped]
    for path in edges.keys() - {row.path for row in fresh}:
        row = table.find_sorted(path)
        assert row is not None
        gone.add(row)
        fresh.append(rows.with_edges(table.record(row), edges[path]))
    manifest = Manifest(
        tree=tree,
        recipes=snapshot.Recipes(
            recipes.facts, recipes.texts, base.recipes.vectors if base is not None else "", recipes.snapshot
        ),
        files=table.edited(gone, fresh),
        segments=tuple(rows.refs),
        counts=Counts(),
    )
    manifest = without_unused(manifest)
    return replace(manifest, counts=counted(store, manifest, opened))


def without_unused(manifest: Manifest) -> Manifest:
    """The manifest without segments that no file has a row of; vectors are not asked for by file."""
    files, used = manifest.files, np.zeros(len(manifest.segments), np.bool_)
    for kind in FILE_KINDS:
        segment = files.segment(kind)
        used |= np.bincount(segment[segment != NONE], minlength=len(used)).astype(np.bool_)
    kept = [ref for ref, named in zip(manifest.segments, used, strict=True) if named or ref.kind not in FILE_KINDS]
    return with_segments(manifest, kept)


def with_vectors(manifest: Manifest, refs: Iterable[SegmentRef], recipe: str) -> Manifest:
    """The manifest with these segments of vectors and no others; its counts stay those of before."""
    kept = [ref for ref in manifest.segments if ref.kind != VECTORS]
    recipes = replace(manifest.recipes, vectors=recipe)
    return replace(with_segments(manifest, [*kept, *sorted(refs)]), recipes=recipes)


def with_segments(manifest: Manifest, refs: Sequence[SegmentRef]) -> Manifest:
    """The manifest with other segments, or the same in another order. All that its files have rows of are in `refs`."""
    index = {ref.name: i for i, ref in enumerate(refs)}
    moved = [index.get(ref.name, NONE) for ref in manifest.segments]
    if moved == list(range(len(moved))):
        return replace(manifest, segments=tuple(refs))
    place = np.array([*moved, NONE], np.int64)  # the last entry answers for NONE
    files = manifest.files
    columns = {f"{kind}_segment": place[files.segment(kind)] for kind in FILE_KINDS}
    return replace(manifest, files=files.with_columns(columns), segments=tuple(refs))


def wanted_keys(
    plan: Plan, catalog: Catalog, store: SegmentStore, recent: Mapping[str, int] | None = None
) -> list[tuple[BlobKey, list[bytes]]]:
    """The text keys of each blob of a plan, what is likely to be asked for first, because a build may be cut short:
    sources before tests and generated files, of each what was changed last, then by path.

    Args:
        recent: path → how many commits ago it was changed last, where that is known.
    """
    opened: dict[SegmentRef, TextsSegment] = {}
    ago = recent or {}
    ordered = sorted(plan.files, key=lambda entry: (int(entry.role), ago.get(entry.path, LONG_AGO)))
    wanted: dict[BlobKey, list[bytes]] = {}
    for entry in ordered:
        key = key_of(entry)
        found = catalog.find(TEXTS, key) if key not in wanted else None
        if found is None:
            continue
        ref, row = found
        segment = opened.get(ref) or opened.setdefault(ref, store.open_texts(ref))
        wanted[key] = list(segment.texts(row).key)
    return list(wanted.items())


def entries_with(files: FileTable, opened: OpenSegments, lacking: KeyMatrix) -> tuple[FileEntry, ...]:
    """The files with a unit whose text has one of these keys (sorted), in path order."""
    hit = np.zeros(len(files), np.bool_)
    numbers = beginnings(lacking)
    for index in live_rows(files, TEXTS):
        texts = opened.texts(index)
        flat = np.flatnonzero(find_keys(lacking, numbers, texts.matrix) >= 0)
        blobs = np.zeros(len(texts), np.bool_)
        blobs[np.searchsorted(texts.offsets, flat, "right") - 1] = True
        own = np.flatnonzero(files.segment(TEXTS) == index)
        hit[own[blobs[files.row(TEXTS)[own]]]] = True
    roles = tuple(Role)
    rows = map(files.record, np.flatnonzero(hit).tolist())
    return tuple(FileEntry(row.path, row.oid, row.mode, row.language, roles[row.role]) for row in rows)


def source_rows(files: FileTable) -> npt.NDArray[np.bool_]:
    """Which files are sources: neither config files nor links."""
    named = np.array([language not in ("", CONFIG_LANGUAGE) for language in files.languages], np.bool_)
    return named[files.language_index] if len(files) else np.zeros(0, np.bool_)


def distinct_sources(files: FileTable) -> int:
    """How many blobs the sources are: the same bytes in another language are another one."""
    found = 0
    for number, language in enumerate(files.languages):
        if language not in ("", CONFIG_LANGUAGE):
            own = files.oid_rows[files.language_index == number]
            raw, width = own.tobytes(), own.shape[1]
            found += len({raw[at : at + width] for at in range(0, len(raw), width)})
    return found


class TableBlobs(Mapping[str, str]):
    """Path → blob id of the files and links of a snapshot's tree that belong in an index; made when it is asked."""

    def __init__(self, files: FileTable) -> None:
        self._files = files

    @cached_property
    def _blobs(self) -> dict[str, str]:
        files = self._files
        found = dict(zip(files.path, files.oid, strict=True))
        for row in np.flatnonzero(files.mode == GITLINK_MODE).tolist():
            del found[files.path[row]]
        return found

    def __getitem__(self, path: str) -> str:
        return self._blobs[path]

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)
