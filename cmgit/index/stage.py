"""Blobs and vectors of a tree that no commit has yet: everything but the links and the manifest."""

from __future__ import annotations

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError
from cmgit.core.facts import BlobFacts
from cmgit.core.records import BlobKey, no_progress
from cmgit.git.locate import Location
from cmgit.git.objects import open_objects
from cmgit.index.build import Job, embed_missing, facts_reader
from cmgit.index.catalog import read_catalog
from cmgit.index.entries import reader
from cmgit.index.gather import gather_blobs
from cmgit.index.kept_history import KeptHistory
from cmgit.index.plan import plan_files
from cmgit.index.recipes import current_recipes
from cmgit.index.report import Stopwatch
from cmgit.index.tables import wanted_keys
from cmgit.index.vectors import missing_texts
from cmgit.snapshot.lock import wait_lock
from cmgit.snapshot.publish import ensure_format, load
from cmgit.store.segments import SegmentStore

LOCK_SECONDS = 60.0


def stage(location: Location, tree: str, objects_dir: str, config: Config) -> str:
    """Parse and embed what the store does not know of a tree; says what was done.

    Args:
        objects_dir: where the trees lie that the repository does not have.

    Raises:
        CmgitError: another build holds the lock for too long, or the store cannot be written.
    """
    recipes = current_recipes(config)
    if load(location.cm_dir, tree, recipes.snapshot) is not None:
        return f"tree {tree} has a snapshot already"
    store = SegmentStore(location.cm_dir)
    warnings: list[str] = []
    past = KeptHistory(location, tree, wanted=False)
    job = Job(location, tree, config, recipes, store, no_progress, warnings.append, Stopwatch(), past, False)
    lock = wait_lock(location.cm_dir, "stage", timeout=LOCK_SECONDS)
    if lock is None:
        raise CmgitError("another build runs", "it is made after the commit")
    with lock, open_objects(location, object_dirs=[objects_dir]) as objects:
        ensure_format(location.cm_dir)
        plan = plan_files(objects.list_tree(tree), reader(objects))
        catalog = read_catalog(store, recipes, with_vectors=config.vectors)
        gathered = gather_blobs(plan.files, objects, store, catalog, recipes, config, no_progress)
        embedded = 0
        if config.vectors:
            facts = facts_reader(store, catalog, gathered)

            def facts_of(key: BlobKey) -> BlobFacts:
                found = facts(key)
                assert found is not None
                return found

            wanted = wanted_keys(plan, catalog, store)
            texts = missing_texts(
                wanted, catalog.vectors.__contains__, lambda key: objects.read_blob(key.oid), facts_of
            )
            embedded = embed_missing(job, catalog, texts) if texts else 0
    said = f"tree {tree} staged: {gathered.parsed} parsed, {embedded} embedded"
    return "; ".join([said, *warnings])
