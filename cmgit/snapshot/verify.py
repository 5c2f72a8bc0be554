"""Check every checksum of a store, and every count against the rows.

A count that only repeats what was meant to be written hides a lost batch (DeusData/codebase-memory-mcp#334), so units,
edges and vectors are counted again from the segments, and each file's row must belong to its blob.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from cmgit.core.errors import CmgitError, FormatMismatch, ManifestDamaged, SegmentDamaged
from cmgit.snapshot.manifest import FILE_KINDS, Manifest
from cmgit.snapshot.opened import OpenSegments, count
from cmgit.snapshot.publish import check_format, head_files, load_entry, published, read_head
from cmgit.store.segments import EDGES, FACTS, TERMS, SegmentRef, SegmentStore


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: a file below `cm/`, and what."""

    file: str
    what: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at and what is wrong. unreferenced: files below `cm/` that no manifest names; no fault, `gc`
    removes them. bytes: of all segments and manifests."""

    manifests: int
    segments: int
    bytes: int
    faults: tuple[Fault, ...]
    unreferenced: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


def verify(cm_dir: str) -> VerifyReport:
    """Read and check everything; writes nothing, so it works on a read-only folder and beside a builder."""
    faults: list[Fault] = []
    root = Path(cm_dir)
    try:
        there = check_format(cm_dir)
    except CmgitError as error:
        return VerifyReport(0, 0, 0, (Fault("format", error.message),), ())
    names = {f"trees/{entry.file_name}" for entry in published(cm_dir)}
    if not there and names:
        faults.append(Fault("format", "missing"))
    # Manifests first: as long as they are held, the collector leaves their segments.
    manifests = list(_manifests(cm_dir, faults))
    store = SegmentStore(cm_dir)
    listing = store.listing()
    faults += [Fault(f"segments/{name}", what) for name, what in listing.damaged]
    whole = {ref.name: ref for ref in listing.refs}
    for name, manifest in manifests:
        faults += [Fault(name, what) for what in _manifest_faults(store, manifest, whole)]
    _check_heads(cm_dir, faults)
    named = {f"segments/{ref.file_name}" for _, manifest in manifests for ref in manifest.segments}
    named |= names | {fault.file for fault in faults}
    unreferenced = [name for name in _files(root, "segments", "trees") if name not in named]
    total = sum((root / name).stat().st_size for name in _files(root, "segments", "trees") if (root / name).exists())
    ordered = sorted(set(faults), key=lambda fault: (fault.file, fault.what))
    return VerifyReport(
        len(names), len(listing.refs) + len(listing.damaged), total, tuple(ordered), tuple(unreferenced)
    )


def _manifests(cm_dir: str, faults: list[Fault]) -> Iterable[tuple[str, Manifest]]:
    for entry in published(cm_dir):
        name = f"trees/{entry.file_name}"
        try:
            manifest = load_entry(cm_dir, entry)
        except (ManifestDamaged, FormatMismatch) as error:
            faults.append(Fault(name, error.message))
            continue
        if manifest is not None:
            yield name, manifest


def _manifest_faults(store: SegmentStore, manifest: Manifest, whole: dict[str, SegmentRef]) -> list[str]:
    faults = []
    for ref in manifest.segments:
        if ref.name not in whole:
            faults.append(f"segment {ref.name} ({ref.kind}) is missing or damaged")
        elif whole[ref.name] != ref:
            faults.append(f"segment {ref.name} is not what the manifest says of it")
    if faults:
        return faults
    try:
        faults += _row_faults(OpenSegments(store, manifest.segments), manifest)
        if not faults:
            faults += _count_faults(store, manifest)
    except (SegmentDamaged, ValueError, IndexError) as error:
        faults.append(f"its rows cannot be read: {error}")
    return faults


def _row_faults(opened: OpenSegments, manifest: Manifest) -> list[str]:
    """Each file's rows exist and belong to its blob (or, for edges, to its path)."""
    faults = []
    files = manifest.files
    for kind in FILE_KINDS:
        segments, rows = files.segment(kind).tolist(), files.row(kind).tolist()
        for i, (index, row) in enumerate(zip(segments, rows, strict=True)):
            if index == -1:
                continue
            if not 0 <= index < len(manifest.segments) or manifest.segments[index].kind != kind:
                faults.append(f"{files.path[i]!r}: no segment {index} of {kind}")
            elif not 0 <= row < manifest.segments[index].rows or not _belongs(opened, kind, index, row, manifest, i):
                faults.append(f"{files.path[i]!r}: row {row} of segment {index} does not hold its {kind}")
    return faults[:20]


def _belongs(opened: OpenSegments, kind: str, index: int, row: int, manifest: Manifest, i: int) -> bool:
    files = manifest.files
    if kind == EDGES:
        return opened.edges(index).paths[row] == files.path[i]
    segment = opened.facts(index) if kind == FACTS else opened.terms(index) if kind == TERMS else opened.texts(index)
    key = segment.keys[row]
    return key.oid == files.oid[i] and key.language == files.language[i]


def _count_faults(store: SegmentStore, manifest: Manifest) -> list[str]:
    found = count(store, manifest.files, manifest.segments)
    return [
        f"{field.name}: {getattr(manifest.counts, field.name)} stated, {getattr(found, field.name)} found"
        for field in fields(found)
        if getattr(manifest.counts, field.name) != getattr(found, field.name)
    ]


def _check_heads(cm_dir: str, faults: list[Fault]) -> None:
    for path in head_files(cm_dir):
        try:
            read_head(path)
        except (ManifestDamaged, OSError, ValueError):
            faults.append(Fault(f"heads/{path.name}", "damaged; it is written anew by the next `git cm index`"))


def _files(root: Path, *folders: str) -> list[str]:
    return sorted(
        f"{folder}/{path.name}" for folder in folders if (root / folder).is_dir() for path in (root / folder).iterdir()
    )
