"""A build keeps the history of HEAD: read by git beside the build's own stages, the same as read by a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmgit.core.errors import CmgitError
from cmgit.git.locate import locate
from cmgit.git.past import Commit, commit_of
from cmgit.index import kept_history
from cmgit.index.history import history_at, place_of
from cmgit.index.kept_history import KeptHistory
from tests.conftest import GitRepo


@pytest.fixture
def head(repo: GitRepo) -> Commit:
    for i in range(3):
        repo.commit({"src/tax.ts": f"export const rate = {i}\n", f"src/{i}.ts": "export const x = 1\n"}, f"rate {i}")
    (repo.path / ".git/cm").mkdir()
    found = commit_of(locate(str(repo.path)), "HEAD")
    assert found is not None
    return found


def test_begun_or_not_what_is_kept_is_the_same(repo: GitRepo, head: Commit) -> None:
    location = locate(str(repo.path))
    kept = []
    for begun in (True, False):
        past = KeptHistory(location, head.tree, wanted=True)
        if begun:
            past.begin()
        past.keep()
        place = place_of(location, head.oid)
        kept.append(place.read_bytes())
        place.unlink()
    assert kept[0] == kept[1]


def test_what_was_changed_last_is_told_by_commits_ago(repo: GitRepo, head: Commit) -> None:
    past = KeptHistory(locate(str(repo.path)), head.tree, wanted=True)
    past.begin()
    assert past.recent_changes() == {"src/tax.ts": 0, "src/2.ts": 0, "src/1.ts": 1, "src/0.ts": 2}


def test_another_tree_than_heads_and_a_build_of_a_revision_keep_nothing(repo: GitRepo, head: Commit) -> None:
    location = locate(str(repo.path))
    earlier = commit_of(location, "HEAD~1")
    assert earlier is not None
    for past in (KeptHistory(location, earlier.tree, wanted=True), KeptHistory(location, head.tree, wanted=False)):
        past.begin()
        past.keep()
        assert past.recent_changes() == {}
    assert not place_of(location, head.oid).parent.exists()


def test_git_that_cannot_tell_stops_no_build_and_a_fault_is_not_hidden(
    repo: GitRepo, head: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(error: Exception) -> None:
        def read(*_: object) -> None:
            raise error

        monkeypatch.setattr(kept_history, "read_past", read)

    location = locate(str(repo.path))
    fail(CmgitError("no such object"))
    past = KeptHistory(location, head.tree, wanted=True)
    past.begin()
    past.keep()
    assert past.recent_changes() == {}
    fail(ZeroDivisionError("oh"))
    past = KeptHistory(location, head.tree, wanted=True)
    past.begin()
    with pytest.raises(ZeroDivisionError):
        past.keep()


def test_a_damaged_history_is_made_anew(repo: GitRepo, head: Commit) -> None:
    location = locate(str(repo.path))
    past = KeptHistory(location, head.tree, wanted=True)
    past.keep()
    place: Path = place_of(location, head.oid)
    good = place.read_bytes()
    place.write_bytes(good[:-3])
    past.begin()
    past.keep()
    assert history_at(location, head.oid, make=False) is not None
