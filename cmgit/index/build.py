"""The build: a tree → its published snapshot. The stages in order, on one page.

    plan → gather (parse what is new) → link → publish → embed what is new → publish again

The first publication answers by words and graph; vectors are new segments and a new generation. Everything that is
written before a kill is found by the next build, so an interrupted first index goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, ModelUnavailable, SegmentDamaged
from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts, BlobStatus
from cmgit.core.records import BlobKey, FileEntry, Pending, Progress, ProgressCallback
from cmgit.git.locate import Location
from cmgit.git.objects import Objects, open_objects
from cmgit.git.past import commit_of
from cmgit.index.catalog import Catalog, Place, read_catalog
from cmgit.index.entries import known_entries, reader
from cmgit.index.gather import Gathered, gather_blobs, key_of
from cmgit.index.history import history_at
from cmgit.index.linking import Linked, link_entries, relink_entries
from cmgit.index.plan import GITLINK_MODE, Plan, plan_files
from cmgit.index.pool import allowed_processors
from cmgit.index.recipes import Recipes, current_recipes
from cmgit.index.report import BuildReport, Stopwatch
from cmgit.index.retention import collect_garbage
from cmgit.index.tables import assemble_manifest, wanted_keys
from cmgit.index.vectors import FLUSH_VECTORS, embed_texts, missing_texts
from cmgit.snapshot.compact import compact
from cmgit.snapshot.lock import BuilderLock, LockOwner, wait_lock
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments, counted
from cmgit.snapshot.publish import ensure_format, load, load_all, publish, set_head
from cmgit.store.segments import VECTORS, FactsSegment, SegmentRef, SegmentStore

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
    job = Job(location, tree, config, recipes, store, progress, warn, Stopwatch(), on_demand)
    ready = load(location.cm_dir, tree, recipes.snapshot, lambda name: warn(f"{name} is damaged and is made anew"))
    if ready is not None and complete(ready, job) and intact(ready, store):
        keep_history(job)
        return done_already(ready, job)

    def waiting(owner: LockOwner | None) -> None:
        warn(f"waiting for another build{f' (process {owner.pid})' if owner else ''}")

    with wait_lock(location.cm_dir, "build", waiting) as lock:  # type: ignore[union-attr] # no timeout: never None
        assert lock is not None
        ensure_format(location.cm_dir)
        return build_locked(job, lock)


def build_locked(job: Job, lock: BuilderLock) -> BuildReport:
    """The stages; the caller holds the builder's lock."""
    with open_objects(job.location) as objects:
        with job.watch.stage("read"):
            job.progress(Progress("read", 0, 0))
            listed = objects.list_tree(job.tree)
            plan = plan_files(listed, reader(objects), entries_before(job))
            catalog = read_catalog(job.store, job.recipes, with_vectors=job.config.vectors)
        for name in catalog.damaged:
            job.warn(f"segment {name} is damaged and is made anew")
        with job.watch.stage("parse"):
            gathered = gather_blobs(plan.files, objects, job.store, catalog, job.recipes, job.config, job.progress)
        manifest = link_and_publish(job, plan, gathered, catalog)
        embedded = 0
        if job.config.vectors:
            manifest, embedded = embed_and_publish(job, plan, objects, catalog, manifest)
    keep_history(job, {entry.path: entry.oid for entry in listed if entry.mode != GITLINK_MODE})
    with job.watch.stage("tidy"):
        manifest = tidy(job, lock, manifest)
    return report(job, plan, gathered, manifest, embedded)


def entries_before(job: Job) -> list[FileEntry]:
    """What the newest plan chose that followed the same rules."""
    for manifest in load_all(job.location.cm_dir):
        if manifest.recipes.snapshot == job.recipes.snapshot:
            return known_entries(manifest)
    return []


def keep_history(job: Job, blobs: Mapping[str, str] | None = None) -> None:
    """What the commits before HEAD say, so that no question has to wait for it. Part of no snapshot: it is the
    commit's, and a tree may have several."""
    if job.on_demand:
        return
    with job.watch.stage("history"), suppress(CmgitError):  # who asks a question is told
        commit = commit_of(job.location, "HEAD")
        if commit is not None and commit.tree == job.tree:
            history_at(job.location, commit.oid, blobs=blobs)


def facts_reader(store: SegmentStore, catalog: Catalog, gathered: Gathered) -> Callable[[BlobKey], BlobFacts | None]:
    """Facts of any blob of the tree: just parsed, or from its segment."""
    opened: dict[str, FactsSegment] = {}

    def read(key: BlobKey) -> BlobFacts | None:
        if key in gathered.facts:
            return gathered.facts[key]
        place = catalog.facts.get(key)
        if place is None:
            return None
        ref, row = place
        if ref.name not in opened:
            opened[ref.name] = store.open_facts(ref)
        return opened[ref.name].facts(row)

    return read


def link_and_publish(job: Job, plan: Plan, gathered: Gathered, catalog: Catalog) -> Manifest:
    """Edges of the whole tree; only the files whose edges no earlier snapshot has are written."""
    known = load(job.location.cm_dir, job.tree, job.recipes.snapshot)
    if known is not None and intact(known, job.store) and not catalog.damaged:
        return known
    earlier = newest_whole(job)
    with job.watch.stage("link"):
        job.progress(Progress("link", 0, 0))
        facts_of = facts_reader(job.store, catalog, gathered)
        try:
            linked = link_over(plan, facts_of, earlier, job.store)
        except SegmentDamaged:
            linked = link_over(plan, facts_of, None, job.store)
    with job.watch.stage("write"):
        job.progress(Progress("write", 0, 0))
        places: dict[str, Place] = {}
        if earlier is not None and linked.kept:
            segments, rows = earlier.files.edges_segment.tolist(), earlier.files.edges_row.tolist()
            places = {path: (earlier.segments[segments[i]], rows[i]) for path, i in linked.kept.items()}
        if linked.fresh:
            ref = job.store.write_edges(job.recipes.snapshot, linked.fresh)
            places.update({path: (ref, row) for row, (path, _) in enumerate(linked.fresh)})
        manifest = assemble_manifest(job.tree, job.recipes, plan, catalog, places, job.store)
        return publish_for(job, manifest)


def link_over(
    plan: Plan, facts_of: Callable[[BlobKey], BlobFacts | None], earlier: Manifest | None, store: SegmentStore
) -> Linked:
    if earlier is None:
        return Linked(link_entries(plan.files, facts_of), {})
    return relink_entries(plan.files, facts_of, earlier, OpenSegments(store, earlier.segments))


def newest_whole(job: Job) -> Manifest | None:
    """The newest snapshot of this recipe whose segments are all there."""
    for manifest in load_all(job.location.cm_dir):
        same = manifest.recipes.snapshot == job.recipes.snapshot
        if same and all(job.store.whole(ref) for ref in manifest.segments if ref.kind != VECTORS):
            return manifest
    return None


def publish_for(job: Job, manifest: Manifest) -> Manifest:
    published = publish(job.location.cm_dir, replace(manifest, on_demand=job.on_demand))
    if not job.on_demand:
        set_head(job.location.cm_dir, job.location.worktree_id, published)
    return published


def embed_and_publish(
    job: Job, plan: Plan, objects: Objects, catalog: Catalog, manifest: Manifest
) -> tuple[Manifest, int]:
    """Vectors that no segment has, as new segments and a new generation of the manifest."""
    with job.watch.stage("embed"):
        wanted = wanted_keys(plan, catalog, job.store)
        if sum(key not in catalog.vectors for _, keys in wanted for key in keys) >= FLUSH_VECTORS:
            wanted = wanted_keys(plan, catalog, job.store, recent_changes(job))
        roles = {key_of(entry): int(entry.role) for entry in reversed(plan.files)}
        facts = facts_reader(job.store, catalog, Gathered())

        def facts_of(key: BlobKey) -> BlobFacts:
            found = facts(key)
            assert found is not None
            return found

        texts = missing_texts(
            wanted,
            catalog.vectors.__contains__,
            lambda key: objects.read_blob(key.oid),
            facts_of,
            roles.__getitem__,
        )
        embedded = embed_missing(job, catalog, texts) if texts else 0
    with job.watch.stage("write"):
        keys = {key for _, blob_keys in wanted for key in blob_keys}
        have = [key for key in keys if key in catalog.vectors]
        refs = {catalog.vectors[key] for key in have}
        if not complete(manifest, job) or {ref for ref in manifest.segments if ref.kind == VECTORS} != refs:
            manifest = publish_for(job, with_vectors(manifest, refs, job))
    return manifest, embedded


def recent_changes(job: Job) -> dict[str, int]:
    """Path → how many of the commits that count ago it was changed last; empty where HEAD is another tree."""
    history = None
    with suppress(CmgitError):
        commit = None if job.on_demand else commit_of(job.location, "HEAD")
        history = history_at(job.location, commit.oid) if commit is not None and commit.tree == job.tree else None
    recent: dict[str, int] = {}
    if history is not None:
        for row, path in zip(history.changed_commit.tolist(), history.changed_path.tolist(), strict=True):
            name = history.paths[path]
            recent[name] = min(row, recent.get(name, row))
    return recent


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


def with_vectors(manifest: Manifest, refs: set[SegmentRef], job: Job) -> Manifest:
    segments = tuple(ref for ref in manifest.segments if ref.kind != VECTORS)
    recipes = replace(manifest.recipes, vectors=job.recipes.vectors)
    changed = replace(manifest, recipes=recipes, segments=(*segments, *sorted(refs)))
    return replace(changed, counts=counted(job.store, changed))


def tidy(job: Job, lock: BuilderLock, manifest: Manifest) -> Manifest:
    """Merge segments that have become many, then drop what nothing needs."""
    merged = compact(job.store, manifest)
    if merged is not manifest:
        manifest = publish_for(job, merged)
    collect_garbage(job.location, job.config, lock)
    return manifest


def intact(manifest: Manifest, store: SegmentStore) -> bool:
    """Every segment's checksum is right, and no blob is missing for a reason that may have passed."""
    return all(store.whole(ref) for ref in manifest.segments) and (
        BlobStatus.UNREADABLE not in manifest.files.status.tolist()
    )


def complete(manifest: Manifest, job: Job) -> bool:
    if not job.config.vectors:
        return True
    return manifest.recipes.vectors == job.recipes.vectors and manifest.counts.vectors == manifest.counts.vectors_wanted


def report(job: Job, plan: Plan, gathered: Gathered, manifest: Manifest, embedded: int) -> BuildReport:
    keys = {key_of(entry) for entry in plan.files if entry.language != CONFIG_LANGUAGE}
    reused = sum(key not in gathered.facts and key not in gathered.unreadable for key in keys)
    return summary(job, manifest, gathered.parsed, reused, embedded)


def done_already(manifest: Manifest, job: Job) -> BuildReport:
    table = manifest.files
    rows = zip(table.oid, table.language, table.facts_row.tolist(), strict=True)
    sources = len({oid for oid, language, row in rows if row >= 0 and language != CONFIG_LANGUAGE})
    if not job.on_demand:
        set_head(job.location.cm_dir, job.location.worktree_id, manifest)
    return summary(job, manifest, 0, sources, 0)


def skipped_files(manifest: Manifest) -> dict[str, int]:
    """Files of the tree that gave no facts, by reason, whoever found it out and when."""
    counts = Counter(manifest.files.status.tolist())
    return {
        status.label: counts[status]
        for status in BlobStatus
        if counts[status] and status not in (BlobStatus.PARSED, BlobStatus.PARTIAL, BlobStatus.CONFLICTED)
    }


def summary(job: Job, manifest: Manifest, parsed: int, reused: int, embedded: int) -> BuildReport:

    sizes = {
        kind: sum(ref.size for ref in manifest.segments if (ref.kind == "vectors") == kind) for kind in (True, False)
    }
    counts = manifest.counts
    pending = counts.vectors_wanted - counts.vectors if job.config.vectors else 0
    return BuildReport(
        tree=manifest.tree,
        recipe=manifest.recipes.snapshot,
        files=sum(1 for language in manifest.files.language if language not in ("", CONFIG_LANGUAGE)),
        units=counts.units,
        edges=counts.edges,
        vectors=counts.vectors,
        parsed=parsed,
        reused=reused,
        skipped=skipped_files(manifest),
        embedded=embedded,
        vectors_reused=counts.vectors - embedded if job.config.vectors else 0,
        source_bytes=int(
            sum(
                size
                for size, language in zip(manifest.files.size.tolist(), manifest.files.language, strict=True)
                if language not in ("", CONFIG_LANGUAGE)
            )
        ),
        snapshot_bytes=sizes[False],
        vector_bytes=sizes[True],
        pending=Pending(vectors=pending),
        seconds=job.watch.finish(),
    )
