"""Public reports about states of a repository: each with the value that is right."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

A = "export function alpha() {\n  return beta()\n}\n"
B = "export function beta() {\n  return 1\n}\n"
ALPHA = ("retrieve", "--no-vectors", "change `alpha`")


def names(repo: GitRepo, cm: Cm, *args: str) -> set[str]:
    return {unit["name"] for unit in cm(repo.path, "export", "--units", *args).lines if unit["kind"] == "function"}


def config_of(repo: GitRepo) -> bytes:
    return repo.git("config", "--local", "--list")


def test_a_sha256_repository_is_one_like_others(tmp_path: Path, cm: Cm) -> None:
    """libgit2/pygit2#1411: bindings cannot open it."""
    repo = GitRepo(tmp_path / "wide", "--object-format=sha256")
    repo.commit({"a.js": A, "b.js": B})
    report = cm(repo.path, "index", "--no-vectors", "--json").json
    assert (len(report["tree"]), report["tree"], report["files"]) == (64, repo.tree("HEAD"), 2)
    repo.write({"b.js": B.replace("beta", "gamma")})
    assert names(repo, cm) == {"alpha", "gamma"}
    assert names(repo, cm, "--rev", "HEAD") == {"alpha", "beta"}
    context = cm(repo.path, *ALPHA, "--json").json
    assert {len(item["oid"]) for item in context["items"]} == {64}
    assert (context["dirty"], cm(repo.path, "verify").code) == (1, 0)


def test_refs_of_an_unknown_format_are_told_in_one_line(repo: GitRepo, cm: Cm) -> None:
    """Ataraxy-Labs/sem#451: every command died; where this git cannot read them, its words are passed on."""
    repo.commit({"a.js": A})
    for key, value in (("core.repositoryFormatVersion", "1"), ("extensions.refStorage", "no-such-format")):
        repo.git("config", key, value)
    answer = cm(repo.path, *ALPHA)
    assert (answer.code, answer.out) == (1, "")
    assert "cannot open the repository" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("kind", ["sparse index", "cone", "split index"])
def test_no_form_of_the_index_hides_or_deletes_a_file(kind: str, repo: GitRepo, cm: Cm) -> None:
    """libgit2/libgit2#7260 (index forms) and libgit2/libgit2#5813 (files that are not checked out look deleted)."""
    repo.commit({"src/a/a.js": A, "src/b/b.js": B, "top.js": "export function top() {}\n"})
    if kind == "split index":
        repo.git("update-index", "--split-index")
    else:
        repo.git("sparse-checkout", "init", "--cone", *(["--sparse-index"] if kind == "sparse index" else []))
        repo.git("sparse-checkout", "set", "src/a")
        assert not (repo.path / "src/b/b.js").exists()
    before = config_of(repo), (repo.path / ".git/index").read_bytes()
    report = cm(repo.path, "index", "--no-vectors", "--json").json
    assert report["files"] == 3
    assert names(repo, cm) == {"alpha", "beta", "top"}
    assert cm(repo.path, "status", "--json").json["dirty"] == 0
    assert "function beta()" in cm(repo.path, "retrieve", "--no-vectors", "change `beta`").ok().out
    repo.write({"src/a/a.js": A.replace("alpha", "edited")})
    assert names(repo, cm) == {"edited", "beta", "top"}
    assert (config_of(repo), (repo.path / ".git/index").read_bytes()) == before


def test_a_file_that_git_is_told_not_to_check_out_is_answered_from_git_and_says_so(repo: GitRepo, cm: Cm) -> None:
    """libgit2/libgit2#5813: absent and skip-worktree is not deleted."""
    repo.commit({"a.js": A, "b.js": B})
    cm(repo.path, "index", "--no-vectors").ok()
    repo.git("update-index", "--skip-worktree", "b.js")
    (repo.path / "b.js").unlink()
    assert names(repo, cm) == {"alpha", "beta"}
    assert cm(repo.path, "status", "--json").json["dirty"] == 0
    answer = cm(repo.path, "retrieve", "--no-vectors", "change `beta`").ok().out
    assert "function beta()" in answer
    assert "not checked out here" in answer


def test_edits_under_assume_unchanged_are_seen(repo: GitRepo, cm: Cm) -> None:
    """libgit2/libgit2#5813: git is told not to look, a reader must."""
    repo.commit({"a.js": A, "b.js": B})
    cm(repo.path, "index", "--no-vectors").ok()
    repo.git("update-index", "--assume-unchanged", "a.js")
    repo.write({"a.js": A.replace("alpha", "edited")})
    assert names(repo, cm) == {"edited", "beta"}
    assert "function edited()" in cm(repo.path, "retrieve", "--no-vectors", "change `edited`").ok().out


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a folder to someone else")
def test_ownership_follows_the_rule_of_git(
    repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libgit2/pygit2#1156: git worked, the bindings refused; and never the other way round."""
    repo.commit({"a.js": A})
    subprocess.run(["chown", "-R", "12345", str(repo.path)], check=True)
    refused = cm(repo.path, *ALPHA)
    assert (refused.code, refused.out) == (1, "")
    assert "safe.directory" in refused.err
    settings = tmp_path / "gitconfig"
    settings.write_text("[safe]\n\tdirectory = *\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert "function alpha()" in cm(repo.path, *ALPHA).ok().out


def test_answers_are_the_same_after_a_gc_and_a_pruned_tree_is_said_to_be_gone(repo: GitRepo, cm: Cm) -> None:
    """go-git/go-git#2242: a stale list of packs gave "object not found"."""
    lost = repo.commit({"a.js": A, "b.js": B})
    repo.git("commit", "-q", "--amend", "-m", "other", "--allow-empty")
    before = cm(repo.path, *ALPHA).ok().out
    repo.commit({"a.js": A + "// more\n"})
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("repack", "-adq")
    assert cm(repo.path, *ALPHA).ok().out == before
    repo.git("checkout", "-q", "--orphan", "fresh")
    repo.git("rm", "-rfq", ".")
    repo.commit({"c.js": "export function gamma() {}\n"})
    repo.git("branch", "-D", "main")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert repo.git("cat-file", "-t", lost, check=False) == b""
    assert names(repo, cm) == {"gamma"}
    gone = cm(repo.path, *ALPHA, "--rev", "1" * 40)
    assert (gone.code, gone.out) == (1, "")
    pruned = cm(repo.path, *ALPHA, "--rev", lost)
    assert "Traceback" not in pruned.err
    assert pruned.code == 1 or "function alpha()" in pruned.out


COMMANDS = (
    ("index", "--no-vectors"),
    ALPHA,
    ("search", "--no-vectors", "alpha"),
    ("status",),
    ("verify",),
    ("gc",),
    ("export", "--edges"),
)


def test_no_command_takes_or_needs_the_lock_of_the_index(repo: GitRepo, cm: Cm) -> None:
    """pre-commit/pre-commit#3632: a hook refreshed the index, and the next pick of a rebase failed."""
    repo.commit({"a.js": A, "b.js": B})
    repo.write({"b.js": B})
    os.utime(repo.path / "a.js", (1, 1))  # git would refresh this entry
    index = repo.path / ".git/index"
    before = index.read_bytes()
    lock = repo.path / ".git/index.lock"
    lock.touch()
    for args in COMMANDS:
        assert cm(repo.path, *args).code == 0, args
    assert (index.read_bytes(), lock.read_bytes()) == (before, b"")


def test_variables_of_a_hook_lead_to_no_other_repository(
    repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """j178/prek#2505: a hook of a linked worktree has GIT_DIR and GIT_INDEX_FILE in its environment."""
    repo.commit({"a.js": A, "src/b.js": B})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "side", str(linked))
    (linked / "src/b.js").write_text(B.replace("beta", "gamma"))
    other = GitRepo(tmp_path / "other")
    other.commit({"o.js": "export function other() {}\n"})
    indexes = [repo.path / ".git/index", repo.path / ".git/worktrees/linked/index", other.path / ".git/index"]
    before = [index.read_bytes() for index in indexes], config_of(repo), config_of(other)
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git/worktrees/linked"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.path / ".git/worktrees/linked/index"))
    monkeypatch.setenv("GIT_PREFIX", "src/")
    for place in (linked, linked / "src"):
        cm(place, "index", "--no-vectors").ok()
        listed = cm(place, "export", "--units").lines
        assert {unit["name"] for unit in listed if unit["kind"] == "function"} == {"alpha", "gamma"}
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"):
        monkeypatch.delenv(name)
    assert ([index.read_bytes() for index in indexes], config_of(repo), config_of(other)) == before
    assert repo.git("fsck", "--strict") == b""
    assert not (other.path / ".git/cm").exists()


def test_a_stop_in_a_conflict_is_answered_from_the_disk(repo: GitRepo, cm: Cm) -> None:
    """nodegit/nodegit#1345: no tree can be written from an unmerged index."""
    repo.commit({"a.js": A, "b.js": B})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"b.js": B.replace("return 1", "return 2")})
    repo.git("checkout", "-q", "main")
    head = repo.commit({"b.js": B.replace("return 1", "return 3")})
    repo.git("merge", "other", check=False)
    assert b"<<<<<<<" in (repo.path / "b.js").read_bytes()
    assert cm(repo.path, "index", "--no-vectors", "--json").json["tree"] == head
    units = cm(repo.path, "export", "--units").lines
    assert sum(unit["path"] == "b.js" and unit["kind"] == "file" for unit in units) <= 1
    assert names(repo, cm) >= {"alpha", "beta"}
    assert cm(repo.path, "symbols", "--json", "b.js").json["status"] == "conflicted"
    answer = cm(repo.path, "retrieve", "--no-vectors", "change `beta`").ok().out
    assert "return 2" in answer
    assert "return 3" in answer
