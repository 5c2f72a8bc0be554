"""Law 3: no lock is taken and no byte of the repository changes, whatever is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cmgit.git.disk import clean_oid, read_file
from cmgit.git.locate import Location, locate, probe
from cmgit.git.objects import open_objects
from cmgit.git.removals import changed_between
from cmgit.git.revisions import branch_tips, head_tree, tree_of, worktree_heads
from cmgit.git.settings import read_settings
from cmgit.git.worktree import changes
from tests.conftest import GitRepo
from tests.git.helpers import fingerprint


def read_objects(location: Location) -> None:
    tree = tree_of(location, "HEAD")
    with open_objects(location) as objects:
        oids = [entry.oid for entry in objects.list_tree(tree)]
        assert len(list(objects.read_blobs(oids))) == len(objects.blob_sizes(oids)) == 3
        assert objects.find_entry(tree, "none") is None
        objects.diff_trees(tree, tree_of(location, "HEAD~1"))


READS: dict[str, Callable[[Location], object]] = {
    "locate": lambda at: locate(at.top or ""),
    "probe": lambda at: probe(at.top or "", with_changes=True),
    "changes": changes,
    "objects": read_objects,
    "revisions": lambda at: (head_tree(at), branch_tips(at), worktree_heads(at)),
    "settings": read_settings,
    "disk": lambda at: (read_file(at.top or "", "a.ts"), clean_oid(at, ["a.ts", "b.ts", "new.ts"])),
}


@pytest.mark.parametrize("name", READS)
def test_reading_writes_nothing_even_where_git_would_refresh_the_index(repo: GitRepo, name: str) -> None:
    repo.git("config", "core.untrackedCache", "true")
    repo.git("config", "filter.id.clean", "cat")
    repo.commit({"a.ts": "a", "b.ts": "b", ".gitattributes": "b.ts filter=id"})
    repo.commit({"a.ts": "second"})
    repo.git("status")
    os.utime(repo.path / "a.ts", (2, 2))  # `git status` would refresh the index now
    repo.write({"new.ts": "n"})
    location = locate(str(repo.path))
    before = fingerprint(repo.path)
    READS[name](location)
    assert fingerprint(repo.path) == before


def test_no_reading_runs_the_program_that_the_repository_names_for_watching(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a", "b.ts": "b", "new.ts": "n"})
    repo.commit({"a.ts": "second"})
    location, mark = locate(str(repo.path)), repo.path / "ran"
    repo.git("config", "core.fsmonitor", f"touch '{mark}';")
    repo.git("status")
    assert mark.exists()
    mark.unlink()
    for read in READS.values():
        read(location)
    assert changed_between(location, "HEAD~1", None) == ["a.ts"]
    assert not mark.exists()


def test_the_guard_sees_what_git_itself_would_write(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a"})
    repo.git("status")
    os.utime(repo.path / "a.ts", (2, 2))
    before = fingerprint(repo.path)
    repo.git("status")
    assert fingerprint(repo.path) != before


@pytest.mark.skipif(not Path("/proc").exists() or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_git_folder_is_read(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a"})
    for folder in [repo.path / ".git", *(path for path in (repo.path / ".git").rglob("*") if path.is_dir())]:
        folder.chmod(0o555)
    try:
        assert probe(str(repo.path), with_changes=True).changes == ()
    finally:
        for folder in [repo.path / ".git", *(path for path in (repo.path / ".git").rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
