from __future__ import annotations

from pathlib import Path

import pytest

from cmgit.core.errors import UnknownRevision
from cmgit.git.locate import locate
from cmgit.git.revisions import branch_tips, head_tree, tree_of, worktree_heads
from cmgit.git.settings import read_settings
from tests.conftest import GitRepo


def test_settings_of_user_and_repository_are_joined_and_the_nearest_and_last_win(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "user").write_text("[cm]\n\tbudget = 1\n\tdetail = expanded\n[other]\n\tx = y\n[cmx]\n\ty = z\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "user"))
    repo.git("config", "--add", "cm.budget", "2")
    repo.git("config", "--add", "cm.budget", "3")
    repo.git("config", "cm.text", "two\nlines = é")
    repo.git("config", "cm.empty", "")
    repo.git("config", "cm.Sub.Case.KEY", "v")
    with (repo.path / ".git/config").open("a") as file:
        file.write("[cm]\n\tvectors\n")
    expected = {
        "cm.budget": "3",
        "cm.detail": "expanded",
        "cm.text": "two\nlines = é",
        "cm.empty": "",
        "cm.Sub.Case.key": "v",
        "cm.vectors": "true",
    }
    assert read_settings(str(repo.path)) == expected
    assert read_settings(locate(str(repo.path))) == expected
    assert read_settings(None) == {"cm.budget": "1", "cm.detail": "expanded"}
    assert read_settings(str(tmp_path)) == {"cm.budget": "1", "cm.detail": "expanded"}


def test_without_settings_there_are_none(repo: GitRepo) -> None:
    repo.commit({".gitconfig": "[cm]\n\tmodel = /evil\n", "config": "[cm]\n\tmodel = /evil\n"})
    assert read_settings(locate(str(repo.path))) == {}


def test_a_setting_given_for_one_command_counts(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'cm.budget'='77'")
    assert read_settings(locate(str(repo.path))) == {"cm.budget": "77"}


def test_whatever_git_understands_as_a_revision_names_a_tree(repo: GitRepo) -> None:
    first = repo.commit({"a/b.ts": "1"})
    repo.git("tag", "-a", "v1", "-m", "one")
    second = repo.commit({"a/b.ts": "2"})
    repo.git("branch", "-q", "--", "HEAD.ts")
    location = locate(str(repo.path))
    assert tree_of(location, "HEAD") == tree_of(location, "main") == tree_of(location, second) == second
    assert tree_of(location, "v1") == tree_of(location, "HEAD~1") == tree_of(location, first[:12]) == first
    assert tree_of(location, "HEAD:a") == repo.git("rev-parse", "HEAD:a").decode().strip()
    assert head_tree(location) == second


@pytest.mark.parametrize(
    "rev", ["nothing", "", "HEAD:a.ts", "--all", "-n", "a b", "x\0y", "HEAD^{blob}", "@{u}", "9" * 40]
)
def test_what_names_no_tree_is_said_to_be_unknown(repo: GitRepo, rev: str) -> None:
    repo.commit({"a.ts": "1"})
    with pytest.raises(UnknownRevision):
        tree_of(locate(str(repo.path)), rev)


def test_an_unborn_branch_has_no_tree_and_no_tips(repo: GitRepo) -> None:
    location = locate(str(repo.path))
    assert head_tree(location) is None
    assert (branch_tips(location), worktree_heads(location)) == ([], [])


def test_tips_of_branches_and_worktrees_are_listed_once(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = repo.commit({"a.ts": "1"})
    repo.git("branch", "old")
    repo.git("branch", "same")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-02-02T03:04:05Z")
    second = repo.commit({"a.ts": "2"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "w\nHEAD x"), "old")
    repo.git("worktree", "add", "-q", "-b", "third", str(tmp_path / "w2"))
    location = locate(str(repo.path))
    assert branch_tips(location) == [second, first]
    assert worktree_heads(location) == [second, first]
    assert worktree_heads(locate(str(tmp_path / "w2"))) == [second, first]
