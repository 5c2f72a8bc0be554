"""Builds link what a commit can have changed, over the snapshot before, and hold what linking all of it gives."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from cmgit.core.config import Config
from cmgit.core.facts import BlobFacts
from cmgit.core.records import BlobKey, no_progress
from cmgit.git.locate import Location, locate
from cmgit.index.build import build
from cmgit.index.entries import entries_of
from cmgit.index.linking import LinkedSnapshot, link_entries, relink_entries
from cmgit.index.recipes import current_recipes
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.snapshot.publish import load
from cmgit.store.segments import SegmentStore
from tests.conftest import GitRepo
from tests.link.edits import EDITS, World, noted, said, texts_below

SHOP = Path(__file__).parents[2] / "examples" / "shop"
CONFIG = Config(vectors=False)


def built(repo: GitRepo, location: Location, tree: str) -> Manifest:
    build(location, tree, CONFIG, no_progress, lambda _: None)
    manifest = load(location.cm_dir, tree, current_recipes(CONFIG).snapshot)
    assert manifest is not None
    return manifest


def commit_texts(repo: GitRepo, texts: dict[str, bytes]) -> str:
    for entry in repo.path.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    return repo.commit(texts)


@pytest.mark.parametrize("seed", range(2))
def test_every_commit_has_the_edges_of_a_whole_link(repo: GitRepo, seed: int) -> None:
    r = random.Random(seed)
    world = World(texts_below(SHOP))
    location = locate(str(repo.path))
    for _ in range(7):
        manifest = built(repo, location, commit_texts(repo, world.texts))
        snapshot = LinkedSnapshot(manifest, OpenSegments(SegmentStore(location.cm_dir), manifest.segments))
        expected = whole_link(location, manifest)
        assert set(snapshot.paths) == expected.keys()
        for path, edges in expected.items():
            assert said(snapshot.edges(path)) == said(edges), path  # type: ignore[arg-type]
            assert noted(snapshot.edges(path)) == noted(edges), path  # type: ignore[arg-type]
        world.read()
        for _ in range(r.choice([1, 1, 3])):
            r.choice(EDITS)(world, r)


def whole_link(location: Location, manifest: Manifest) -> dict[str, object]:
    facts = facts_reader(location, manifest)
    return dict(link_entries(entries_of(manifest), facts))


def facts_reader(location: Location, manifest: Manifest):  # type: ignore[no-untyped-def]
    opened = OpenSegments(SegmentStore(location.cm_dir), manifest.segments)
    table = manifest.files
    places = {
        BlobKey(oid, language): (segment, row)
        for oid, language, segment, row in zip(
            table.oid, table.language, table.facts_segment.tolist(), table.facts_row.tolist(), strict=True
        )
        if segment >= 0
    }

    def facts(key: BlobKey) -> BlobFacts | None:
        return opened.facts(places[key][0]).facts(places[key][1]) if key in places else None

    return facts


def test_a_tree_that_is_the_same_is_not_linked_at_all(repo: GitRepo) -> None:
    location = locate(str(repo.path))
    manifest = built(repo, location, repo.commit({"a.ts": "export const a = () => 1\n", "b.ts": "import './a'\n"}))
    asked: list[BlobKey] = []

    def facts(key: BlobKey) -> BlobFacts | None:
        asked.append(key)
        return None

    opened = OpenSegments(SegmentStore(location.cm_dir), manifest.segments)
    linked = relink_entries(entries_of(manifest), facts, manifest, opened)
    assert (linked.fresh, linked.kept.keys(), asked) == ([], {"a.ts", "b.ts"}, [])
