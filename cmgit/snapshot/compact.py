"""Compaction: few segments, mostly of rows that the tree has.

Each commit adds small segments, and rows of blobs that are gone stay masked. A small segment costs a reader 1 ms and
the disk 4 KB beside its rows, for each kind. So when a kind has too many, its smallest are merged (the big old one is
left alone as long as it can be, as in an LSM tree), and one that is mostly masked is written anew without the masked
rows. A first index of a large tree writes a number of big segments: those are settled, and stay as they are. Merging
them would save a reader a few per cent, and cost the commit that it falls to more than all its other work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.snapshot.manifest import FILE_KINDS, FileTable, Manifest
from cmgit.snapshot.opened import OpenSegments, live_rows, wanted_keys
from cmgit.store.segments import (
    EDGES,
    FACTS,
    TERMS,
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

MAX_SEGMENTS = 8
SMALL = 64
"""Masked rows of segments with fewer rows than this are not worth a rewrite of their own."""

SETTLED_ROWS, SETTLED_SHARE = 256, 32
"""A segment of files with so many rows, and more than this part of all of its kind, is settled. So there are never
many of them."""


@dataclass(frozen=True, slots=True)
class _Live:
    """A segment by its index in the manifest, and the rows that the tree has."""

    index: int
    rows: npt.NDArray[np.int64]
    total: int


def compact(store: SegmentStore, manifest: Manifest, max_segments: int = MAX_SEGMENTS) -> Manifest:
    """The same tree over fewer segments; the very same manifest when nothing is to be done.

    Segments are written, none is removed: that is the collector's job once the new manifest is published. Rows with
    another recipe are never merged.

    Raises:
        SegmentDamaged, CmgitError: as reading and writing segments; the manifest given is still good.
    """
    opened = OpenSegments(store, manifest.segments)
    files, dropped, added = manifest.files, set[int](), list[SegmentRef]()
    columns: dict[str, npt.NDArray[Any]] = {}
    for kind in FILE_KINDS:
        live = live_rows(files, kind)
        for group in _groups(manifest, kind, live, max_segments, settle=True):
            ref = store.write(manifest.segments[group[0].index].recipe, _merged(opened, kind, group))
            _move(columns, files, kind, group, len(manifest.segments) + len(added))
            added.append(ref)
            dropped |= {part.index for part in group}
        dropped |= {index for index, _ in manifest.of_kind(kind)} - set(live)
    live = _live_vectors(opened, manifest)
    for group in _groups(manifest, VECTORS, live, max_segments):
        merged = VectorsSegment.merged((opened.vectors_at(part.index), part.rows.tolist()) for part in group)
        added.append(store.write(manifest.segments[group[0].index].recipe, merged))
        dropped |= {part.index for part in group}
    dropped |= {index for index, rows in live.items() if not len(rows)}
    if not dropped:
        return manifest
    return _renumbered(manifest, files.with_columns(columns), dropped, added)


def _groups(
    manifest: Manifest, kind: str, live: dict[int, npt.NDArray[np.int64]], max_segments: int, settle: bool = False
) -> list[list[_Live]]:
    """What to merge into one segment each, recipe by recipe. settle: large segments may be settled."""
    groups = []
    parts = [_Live(i, live[i], ref.rows) for i, ref in manifest.of_kind(kind) if len(live.get(i, ()))]
    for recipe in sorted({manifest.segments[part.index].recipe for part in parts}):
        group = _chosen(
            [part for part in parts if manifest.segments[part.index].recipe == recipe], max_segments, settle
        )
        if group:
            groups.append(group)
    return groups


def _chosen(parts: Sequence[_Live], max_segments: int, settle: bool) -> list[_Live]:
    """The mostly masked ones; when there are too many, also the smallest, until half of the number allowed is left."""
    chosen = [part for part in parts if part.total >= SMALL and 2 * len(part.rows) < part.total]
    least = max(SETTLED_ROWS, sum(len(part.rows) for part in parts) // SETTLED_SHARE)
    settled = [p for p in parts if p not in chosen and len(p.rows) >= least] if settle else []
    # The biggest one is no more than what small ones are merged beside; more of them take part of the room.
    allowed = max_segments - min(max(len(settled) - 1, 0), max_segments // 2)
    loose = sorted((p for p in parts if p not in chosen and p not in settled), key=lambda p: (len(p.rows), p.index))
    if len(loose) + len(chosen) + bool(settled) > allowed:
        room = max(1, allowed // 2)
        total = sum(len(part.rows) for part in chosen)
        for place, part in enumerate(loose):
            # A segment no larger than what is merged anyway is taken along: each row is rewritten a few times in all.
            if len(loose) - place + 1 + bool(settled) <= room and len(part.rows) > total:
                break
            chosen.append(part)
            total += len(part.rows)
    return sorted(chosen, key=lambda part: part.index)


def _merged(
    opened: OpenSegments, kind: str, group: Sequence[_Live]
) -> FactsSegment | TermsSegment | TextsSegment | EdgesSegment:
    rows = [(part.index, part.rows.tolist()) for part in group]
    if kind == FACTS:
        return FactsSegment.merged((opened.facts(index), chosen) for index, chosen in rows)
    if kind == TERMS:
        return TermsSegment.merged((opened.terms(index), chosen) for index, chosen in rows)
    if kind == TEXTS:
        return TextsSegment.merged((opened.texts(index), chosen) for index, chosen in rows)
    assert kind == EDGES
    return EdgesSegment.merged((opened.edges(index), chosen) for index, chosen in rows)


def _move(
    columns: dict[str, npt.NDArray[Any]], files: FileTable, kind: str, group: Sequence[_Live], target: int
) -> None:
    """Point the files of the merged segments to their rows in the new one."""
    segment = columns.setdefault(f"{kind}_segment", files.segment(kind).copy())
    row = columns.setdefault(f"{kind}_row", files.row(kind).copy())
    first = 0
    for part in group:
        mine = files.segment(kind) == part.index
        row[mine] = first + np.searchsorted(part.rows, files.row(kind)[mine])
        segment[mine] = target
        first += len(part.rows)


def _live_vectors(opened: OpenSegments, manifest: Manifest) -> dict[int, npt.NDArray[np.int64]]:
    """Of each segment of vectors the rows whose text the tree has. Vectors are asked for by key, not by file."""
    parts = manifest.of_kind(VECTORS)
    if not parts:
        return {}
    wanted = wanted_keys(opened, manifest.files)
    found = {}
    for index, _ in parts:
        rows = opened.vectors_at(index).find(wanted)
        found[index] = np.sort(rows[rows >= 0])
        wanted = wanted[rows < 0]
    return found


def _renumbered(manifest: Manifest, files: FileTable, dropped: set[int], added: Sequence[SegmentRef]) -> Manifest:
    """Indices without the dropped segments. The same content may be there already: then it is named once."""
    segments: list[SegmentRef] = []
    place = np.full(len(manifest.segments) + len(added) + 1, NONE, np.int64)  # the last entry answers for NONE
    for index, ref in enumerate([*manifest.segments, *added]):
        if index in dropped:
            continue
        if ref not in segments:
            segments.append(ref)
        place[index] = segments.index(ref)
    columns = {f"{kind}_segment": place[files.segment(kind)] for kind in FILE_KINDS}
    return replace(manifest, files=files.with_columns(columns), segments=tuple(segments), generation=0, lease=None)
