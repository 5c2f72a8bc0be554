"""Where a folder belongs, as git would say, without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cmgit.agents.where import find
from cmgit.git.locate import locate
from tests.conftest import GitRepo


def same_as_git(folder: Path) -> None:
    found, said = find(str(folder)), locate(str(folder))
    assert found is not None
    assert (found.top, found.git_dir, found.common_dir) == (said.top, said.git_dir, said.common_dir)
    assert found.cm_dir == said.cm_dir


def test_it_says_what_git_says(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"packages/a/src/x.ts": "1", "packages/a/package.json": "{}", "package.json": "{}"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    inner = GitRepo(repo.path / "vendor" / "inner")
    inner.commit({"src/y.ts": "1"})
    apart = GitRepo(tmp_path / "apart", f"--separate-git-dir={tmp_path / 'elsewhere.git'}")
    apart.commit({"a.ts": "1"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.path), "sub")
    folders = [
        repo.path, repo.path / "packages/a/src", tmp_path / "linked", tmp_path / "linked/packages", inner.path / "src",
        apart.path, repo.path / "sub", repo.path / "sub/src",
    ]  # fmt: skip
    for folder in folders:
        same_as_git(folder)


def test_a_link_to_a_folder_counts_as_the_folder(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"src/x.ts": "1"})
    (tmp_path / "link").symlink_to(repo.path / "src")
    found = find(str(tmp_path / "link"))
    assert found is not None
    assert (found.top, found.folder) == (os.path.realpath(repo.path), "src")


def test_the_package_is_the_innermost_one_below_the_top(repo: GitRepo) -> None:
    repo.commit(
        {"packages/a/src/deep/x.ts": "1", "packages/a/package.json": "{}", "package.json": "{}", "tools/y.ts": ""}
    )
    for folder, package in (
        ("packages/a/src/deep", "packages/a"),
        ("packages/a", "packages/a"),
        ("tools", ""),
        ("", ""),
    ):
        found = find(str(repo.path / folder))
        assert found is not None
        assert found.package == package


def test_outside_in_a_bare_one_and_inside_of_git_there_is_nothing(repo: GitRepo, tmp_path: Path) -> None:
    bare = GitRepo(tmp_path / "bare.git", "--bare")
    embedded = GitRepo(repo.path / "fixtures" / "evil.git", "--bare")
    for folder in (tmp_path, bare.path, bare.path / "refs", repo.path / ".git", repo.path / ".git/refs", embedded.path):
        assert find(str(folder)) is None, folder


@pytest.mark.parametrize("cwd", ["", ".", "src", "\0", "/no/such/folder", "/etc/passwd", "~", "/" + "x" * 5000])
def test_what_is_no_folder_is_nowhere(cwd: str) -> None:
    assert find(cwd) is None


@pytest.mark.parametrize(
    "text", ["", "gitdir: ", "gitdir: /no/such", "gitdir: .", "nonsense", "gitdir: \0", "x" * 9_000]
)
def test_a_broken_link_to_a_git_directory_is_passed_by(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert find(str(tmp_path)) is None
