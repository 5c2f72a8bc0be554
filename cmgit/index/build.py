"""The build: a tree → its published snapshot. The stages in order, on one page.

    plan → gather (parse what is new) → link → publish → embed what is new → publish again

The first publication answers by words and graph; vectors are new segments and a new generation. Everything that is
written before a kill is found by the next build, so an interrupted first index goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from cmgit.core.config import Config
from cmgit.core.errors import ModelUnavailable, SegmentDamaged
from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts, BlobStatus
from cmgit.core.records import BlobKey, Pending, Progress, ProgressCallback
from cmgit.git.locate import Location
from cmgit.git.objects import Objects, open_objects
from cmgit.index.catalog import Catalog, read_catalog
from cmgit.index.changes import Changes, changes_since
from cmgit.index.entries import reader
from cmgit.index.gather import Gathered, gather_blobs, key_of
from cmgit.index.kept_history import KeptHistory
from cmgit.index.linking import link_changes
from cmgit.index.plan import Plan
from cmgit.index.pool import allowed_processors
from cmgit.index.recipes import Recipes, current_recipes
from cmgit.index.report import BuildReport, Stopwatch
from cmgit.index.retention import collect_garbage
from cmgit.index.tables import assemble_manifest, distinct_sources, entries_with, source_rows, with_vectors
from cmgit.index.tables import wanted_keys as text_keys
from cmgit.index.vectors import FLUSH_VECTORS, embed_texts, missing_texts
from cmgit.snapshot.compact import compact
from cmgit.snapshot.lock import BuilderLock, LockOwner, wait_lock
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments, counted, wanted_keys
from cmgit.snapshot.publish import ensure_format, load, load_all, publish, set_head
from cmgit.store.segments import FACTS, VECTORS, FactsSegment, SegmentStore
from cmgit.store.texts_segment import KeyMatrix

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    """What every stage of one build shares."""

    location: Location
    tree: str
    config: Config
    recipes: Recipes
    store: SegmentStore
    progress: ProgressCallback
    warn: Warn
    watch: Stopwatch
    past: KeptHistory
    on_demand: bool


def build(
    location: Location,
    tree: str,
    config: Config,
    progress: ProgressCallback,
    warn: Warn,
    *,
    on_demand: bool = False,
) -> BuildReport:
    """Make sure that the snapshot of a tree exists, with vectors unless the config says no.

    Args:
        on_demand: for `--rev`; kept for a day beyond the ordinary retention.

    Raises:
        CmgitError: the store cannot be written, git refuses, or another version wrote the store.
    """
    recipes = current_recipes(config)
    store = SegmentStore(location.cm_dir)
    past = KeptHistory(location, tree, wanted=not on_demand)
    job = Job(location, tree, config, recipes, store, progress, warn, Stopwatch(), past, on_demand)
    ready = load(location.cm_dir, tree, recipes.snapshot, lambda name: warn(f"{name} is damaged and is made anew"))
    if ready is not None and complete(ready, job) and intact(ready, store):
        with job.watch.stage("history"):
            job.past.keep()
        return done_already(ready, job)

    def waiting(owner: LockOwner | None) -> None:
        warn(f"waiting for another build{f' (process {owner.pid})' if owner else ''}")

    with wait_lock(location.cm_dir, "build", waiting) as lock:  # type: ignore[union-attr] # no timeout: never None
        assert lock is not None
        ensure_format(location.cm_dir)
        return build_locked(job, lock)


def build_locked(job: Job, lock: BuilderLock) -> BuildReport:
    """All that a builder does; the caller holds its lock."""
    with open_objects(job.location) as objects:
        base = earlier_snapshot(job)
        try:
            manifest, gathered, embedded = run_stages(job, objects, base)
        except SegmentDamaged:
            if base is None:
                raise
            manifest, gathered, embedded = run_stages(job, objects, None)
    with job.watch.stage("history"):
        job.past.keep(manifest)
    with job.watch.stage("tidy"):
        manifest = tidy(job, lock, manifest)
    return report(job, gathered, manifest, embedded)


def run_stages(job: Job, objects: Objects, base: Manifest | None) -> tuple[Manifest, Gathered, int]:
    """The snapshot of a tree, out of an earlier one and what differs; what was parsed; how many texts were embedded.

    Raises:
        SegmentDamaged: among others, where what the earlier snapshot names cannot be read.
    """
    with job.watch.stage("read"):
        job.progress(Progress("read", 0, 0))
        changes = changes_since(base, objects, job.tree, reader(objects))
        first = base.segments if base is not None else ()
        catalog = read_catalog(job.store, job.recipes, with_vectors=job.config.vectors, first=first)
    with job.watch.stage("parse"):
        files = changes.plan.files
        gathered = gather_blobs(files, objects, job.store, catalog, job.recipes, job.config, job.progress)
    job.past.begin()
    manifest = link_and_publish(job, base, changes, gathered, catalog)
    embedded = 0
    if job.config.vectors:
        manifest, embedded = embed_and_publish(job, objects, catalog, manifest)
    for name in catalog.damaged:
        job.warn(f"segment {name} is damaged and is made anew")
    return manifest, gathered, embedded


def earlier_snapshot(job: Job) -> Manifest | None:
    """What a build starts from: the tree's own snapshot, else the newest of this recipe, where its segments are whole;
    with those of its vectors that are wanted."""
    own = load(job.location.cm_dir, job.tree, job.recipes.snapshot)
    for manifest in chain([own] if own is not None else [], load_all(job.location.cm_dir)):
        same = manifest.recipes.snapshot == job.recipes.snapshot
        if same and all(job.store.whole(ref) for ref in manifest.segments if ref.kind != VECTORS):
            kept = job.config.vectors and manifest.recipes.vectors == job.recipes.vectors
            refs = {ref for ref in manifest.segments if ref.kind == VECTORS and kept and job.store.whole(ref)}
            return with_vectors(manifest, refs, job.recipes.vectors if kept else "")
    return None


def facts_reader(store: SegmentStore, catalog: Catalog, gathered: Gathered) -> Callable[[BlobKey], BlobFacts | None]:
    """Facts of any blob of the tree: just parsed, or from its segment."""
    opened: dict[str, FactsSegment] = {}

    def read(key: BlobKey) -> BlobFacts | None:
        if key in gathered.facts:
            return gathered.facts[key]
        place = catalog.find(FACTS, key)
        if place is None:
            return None
        ref, row = place
        if ref.name not in opened:
            opened[ref.name] = store.open_facts(ref)
        return opened[ref.name].facts(row)

    return read


def link_and_publish(
    job: Job, base: Manifest | None, changes: Changes, gathered: Gathered, catalog: Catalog
) -> Manifest:
    """Edges of the whole tree; only the files whose edges the earlier snapshot has not are written."""
    known = load(job.location.cm_dir, job.tree, job.recipes.snapshot)
    if known is not None and not changes and intact(known, job.store) and not catalog.damaged:
        return known
    opened = OpenSegments(job.store, base.segments if base is not None else ())
    with job.watch.stage("link"):
        job.progress(Progress("link", 0, 0))
        facts_of = facts_reader(job.store, catalog, gathered)
        linked = link_changes(changes, facts_of, base, opened)
    with job.watch.stage("write"):
        job.progress(Progress("write", 0, 0))
        edges = dict(linked.kept)
        if linked.fresh:
            ref = job.store.write_edges(job.recipes.snapshot, linked.fresh)
            edges.update({path: (ref, row) for row, (path, _) in enumerate(linked.fresh)})
        manifest = assemble_manifest(job.tree, job.recipes, base, changes, catalog, edges, job.store, opened)
        return publish_for(job, manifest)


def publish_for(job: Job, manifest: Manifest) -> Manifest:
    published = publish(job.location.cm_dir, replace(manifest, on_demand=job.on_demand))
    if not job.on_demand:
        set_head(job.location.cm_dir, job.location.worktree_id, published)
    return published


def embed_and_publish(job: Job, objects: Objects, catalog: Catalog, manifest: Manifest) -> tuple[Manifest, int]:
    """Vectors that no segment has, as new segments and a new generation of the manifest."""
    with job.watch.stage("embed"):
        opened = OpenSegments(job.store, manifest.segments)
        wanted = wanted_keys(opened, manifest.files)
        refs, lacking = catalog.vectors.find(wanted)
        embedded = 0
        if lacking.any():
            texts = lacking_texts(job, objects, catalog, manifest, opened, wanted[lacking])
            embedded = embed_missing(job, catalog, texts) if texts else 0
            refs, _ = catalog.vectors.find(wanted)
    with job.watch.stage("write"):
        if not complete(manifest, job) or {ref for ref in manifest.segments if ref.kind == VECTORS} != {*refs}:
            changed = with_vectors(manifest, {*refs}, job.recipes.vectors)
            manifest = publish_for(job, replace(changed, counts=counted(job.store, changed, opened)))
    return manifest, embedded


def lacking_texts(
    job: Job, objects: Objects, catalog: Catalog, manifest: Manifest, opened: OpenSegments, lacking: KeyMatrix
) -> dict[bytes, str]:
    """The texts that have no vector, in the order in which they are to be embedded. lacking: their keys, sorted."""
    plan = Plan(entries_with(manifest.files, opened, lacking), ())
    recent = job.past.recent_changes() if len(lacking) >= FLUSH_VECTORS else {}
    roles = {key_of(entry): int(entry.role) for entry in reversed(plan.files)}
    facts = facts_reader(job.store, catalog, Gathered())

    def facts_of(key: BlobKey) -> BlobFacts:
        found = facts(key)
        assert found is not None
        return found

    keys = {row.tobytes() for row in lacking}
    return missing_texts(
        text_keys(plan, catalog, job.store, recent),
        lambda key: key not in keys,
        lambda key: objects.read_blob(key.oid),
        facts_of,
        roles.__getitem__,
    )


def embed_missing(job: Job, catalog: Catalog, texts: dict[bytes, str]) -> int:
    """Embed and write; without a model words and the graph have to do, said once."""
    from cmgit.embed.model import load_model

    job.progress(Progress("model", 0, 0))
    try:
        model = load_model(job.config.cache_dir, job.config.model_dir, job.warn)
    except ModelUnavailable as error:
        job.warn(f"no vectors, words and the graph answer alone: {error.message} ({error.hint})")
        return 0
    embed_texts(texts, model, job.store, catalog, job.recipes.vectors, allowed_processors(), job.progress)
    return len(texts)


def tidy(job: Job, lock: BuilderLock, manifest: Manifest) -> Manifest:
    """Merge segments that have become many, then drop what nothing needs."""
    merged = compact(job.store, manifest)
    if merged is not manifest:
        manifest = publish_for(job, merged)
    collect_garbage(job.location, job.config, lock)
    return manifest


def intact(manifest: Manifest, store: SegmentStore) -> bool:
    """Every segment's checksum is right, and no blob is missing for a reason that may have passed."""
    return all(store.whole(ref) for ref in manifest.segments) and (BlobStatus.UNREADABLE not in manifest.files.status)


def complete(manifest: Manifest, job: Job) -> bool:
    if not job.config.vectors:
        return True
    return manifest.recipes.vectors == job.recipes.vectors and manifest.counts.vectors == manifest.counts.vectors_wanted


def report(job: Job, gathered: Gathered, manifest: Manifest, embedded: int) -> BuildReport:
    made = {key for key in (*gathered.facts, *gathered.unreadable) if key.language != CONFIG_LANGUAGE}
    return summary(job, manifest, gathered.parsed, distinct_sources(manifest.files) - len(made), embedded)


def done_already(manifest: Manifest, job: Job) -> BuildReport:
    if not job.on_demand:
        set_head(job.location.cm_dir, job.location.worktree_id, manifest)
    return summary(job, manifest, 0, distinct_sources(manifest.files), 0)


def skipped_files(manifest: Manifest) -> dict[str, int]:
    """Files of the tree that gave no facts, by reason, whoever found it out and when."""
    status = manifest.files.status
    counts = np.bincount(status[status >= 0], minlength=len(BlobStatus)).tolist()
    return {
        reason.label: counts[reason]
        for reason in BlobStatus
        if counts[reason] and reason not in (BlobStatus.PARSED, BlobStatus.PARTIAL, BlobStatus.CONFLICTED)
    }


def summary(job: Job, manifest: Manifest, parsed: int, reused: int, embedded: int) -> BuildReport:
    sizes = {
        kind: sum(ref.size for ref in manifest.segments if (ref.kind == "vectors") == kind) for kind in (True, False)
    }
    sources = source_rows(manifest.files)
    counts = manifest.counts
    pending = counts.vectors_wanted - counts.vectors if job.config.vectors else 0
    return BuildReport(
        tree=manifest.tree,
        recipe=manifest.recipes.snapshot,
        files=int(sources.sum()),
        units=counts.units,
        edges=counts.edges,
        vectors=counts.vectors,
        parsed=parsed,
        reused=reused,
        skipped=skipped_files(manifest),
        embedded=embedded,
        vectors_reused=counts.vectors - embedded if job.config.vectors else 0,
        source_bytes=int(manifest.files.size[sources].sum()),
        snapshot_bytes=sizes[False],
        vector_bytes=sizes[True],
        pending=Pending(vectors=pending),
        seconds=job.watch.finish(),
    )
