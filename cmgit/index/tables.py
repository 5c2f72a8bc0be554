"""From what a build knows to a manifest: file rows, segments, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cmgit.core.facts import BlobStatus
from cmgit.core.records import BlobKey
from cmgit.index.catalog import Catalog, Place
from cmgit.index.gather import key_of
from cmgit.index.plan import Plan
from cmgit.index.recipes import Recipes
from cmgit.snapshot import manifest as snapshot
from cmgit.snapshot.manifest import Counts, FileRow, FileTable, Manifest
from cmgit.snapshot.opened import counted
from cmgit.store.segments import SegmentRef, SegmentStore, TextsSegment

LONG_AGO = 1 << 30


def assemble_manifest(
    tree: str, recipes: Recipes, plan: Plan, catalog: Catalog, edges: dict[str, Place], store: SegmentStore
) -> Manifest:
    """The manifest of a tree without vectors."""
    # By name: a str keeps its hash, a ref's is made of its fields each time.
    segments: dict[str, int] = {}
    refs: list[SegmentRef] = []
    opened: dict[str, tuple[list[int], list[int]]] = {}
    rows: list[FileRow] = []

    def place(found: Place | None) -> tuple[int, int]:
        if found is None:
            return -1, -1
        ref, row = found
        index = segments.get(ref.name)
        if index is None:
            index = segments[ref.name] = len(refs)
            refs.append(ref)
        return index, row

    for entry in plan.files:
        key = key_of(entry)
        facts = catalog.facts.get(key)
        status, size = int(BlobStatus.UNREADABLE), 0
        if facts is not None:
            ref, row = facts
            said = opened.get(ref.name) or opened.setdefault(ref.name, store.open_facts(ref).reasons())
            status, size = said[0][row], said[1][row]
        (fs, fr), (ts, tr), (xs, xr), (es, er) = (
            place(facts),
            place(catalog.terms.get(key)),
            place(catalog.texts.get(key)),
            place(edges.get(entry.path)),
        )
        rows.append(
            FileRow(
                entry.path, entry.oid, entry.mode, entry.language, int(entry.role), status, size,
                fs, fr, ts, tr, xs, xr, es, er,
            )
        )  # fmt: skip
    rows += [FileRow(s.entry.path, s.entry.oid, s.entry.mode, "", 0, int(s.status), 0) for s in plan.skipped]
    rows.sort(key=lambda row: row.path.encode("utf-8", "surrogateescape"))
    manifest = Manifest(
        tree=tree,
        recipes=snapshot.Recipes(recipes.facts, recipes.texts, "", recipes.snapshot),
        files=FileTable.of(rows),
        segments=tuple(refs),
        counts=Counts(),
    )
    return replace(manifest, counts=counted(store, manifest))


def wanted_keys(
    plan: Plan, catalog: Catalog, store: SegmentStore, recent: Mapping[str, int] | None = None
) -> list[tuple[BlobKey, list[bytes]]]:
    """The text keys of each blob of a tree, what is likely to be asked for first, because a build may be cut short:
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
        found = catalog.texts.get(key)
        if found is None or key in wanted:
            continue
        ref, row = found
        segment = opened.get(ref) or opened.setdefault(ref, store.open_texts(ref))
        wanted[key] = list(segment.texts(row).key)
    return list(wanted.items())
