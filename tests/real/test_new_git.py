"""What only a git of 2.54 or newer can do: reference tables, hooks in settings. CMGIT_TEST_NEW_GIT names one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, log_lines, new_git, run, settle
from tests.hooks.test_hooks import head_is_published

pytestmark = pytest.mark.real


@pytest.fixture(autouse=True)
def git_of_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    program = new_git()
    if program is None:
        pytest.skip("no git 2.54 here")
    monkeypatch.setenv("PATH", f"{Path(program).parent}:{os.environ['PATH']}")


@pytest.mark.parametrize(
    "options",
    [["--ref-format=reftable"], ["--ref-format=reftable", "--object-format=sha256"], ["--object-format=sha256"]],
    ids=" ".join,
)
def test_reference_tables_and_long_ids_are_indexed_by_hooks_in_settings(
    options: list[str], tmp_path: Path, cm: Cm
) -> None:
    """Ataraxy-Labs/sem#451, libgit2/pygit2#1411"""
    repo = GitRepo(tmp_path / "repo", *options)
    repo.git("config", "cm.vectors", "false")
    repo.commit({"a.ts": CODE})
    cm(repo.path, "index").ok()
    settings = (repo.path / ".git/config").read_bytes()
    cm(repo.path, "install", "git", "--yes").ok()
    assert b"cm-pre-commit" in (repo.path / ".git/config").read_bytes()
    repo.write({"b.ts": "import { first } from './a'\nexport const second = first(1)\n"})
    repo.git("add", ".")
    done = run(repo.path, "commit", "-qm", "two")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(repo.path / ".git")
    assert head_is_published(repo), log_lines(repo.path / ".git")
    assert "b.ts:2" in cm(repo.path, "callers", "first").ok().out
    other = tmp_path / "other"
    assert run(repo.path, "worktree", "add", "-q", "-b", "side", str(other)).returncode == 0
    (other / "a.ts").write_text(CODE.replace("first", "renamed"))
    assert run(other, "commit", "-qam", "side").returncode == 0
    settle(repo.path / ".git")
    assert repo.tree("side") in (repo.path / ".git/cm/heads/linked-other").read_text()
    cm(other, "gc").ok()
    assert '"name":"renamed"' in cm(other, "export", "--units").ok().out
    assert '"name":"first"' in cm(repo.path, "export", "--units").ok().out
    run(repo.path, "pack-refs", "--all")
    assert run(repo.path, "commit", "-q", "--amend", "-m", "again").returncode == 0
    settle(repo.path / ".git")
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert (repo.path / ".git/config").read_bytes() == settings


def test_a_repository_with_two_kinds_of_ids_is_read(tmp_path: Path, cm: Cm) -> None:
    repo = GitRepo(tmp_path / "repo", "--object-format=sha256")
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.compatObjectFormat", "sha1")
    if run(repo.path, "config", "cm.vectors", "false").returncode:
        pytest.skip("this git was built without what two kinds of ids need")
    repo.commit({"a.ts": CODE})
    assert '"name":"first"' in cm(repo.path, "export", "--units").ok().out


def test_a_rebase_beside_husky_starts_ours_at_each_pick_and_ends_in_one_build(repo: GitRepo, cm: Cm) -> None:
    """Where core.hooksPath is set, post-commit stays in the settings: correct, only slower."""
    repo.git("config", "cm.vectors", "false")
    repo.git("config", "core.hooksPath", ".husky/_")
    repo.commit({"a.ts": CODE})
    cm(repo.path, "index").ok()
    repo.git("checkout", "-q", "-b", "topic")
    for number in range(5):
        repo.commit({f"t{number}.ts": f"export const t{number} = 1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"m.ts": "export const m = 1\n"})
    repo.git("checkout", "-q", "topic")
    cm(repo.path, "install", "git", "--yes").ok()
    assert "cm-post-commit" in (repo.path / ".git/config").read_text()
    assert run(repo.path, "rebase", "-q", "main").returncode == 0
    settle(repo.path / ".git")
    assert sum(" published: " in line for line in log_lines(repo.path / ".git")) == 1
    assert head_is_published(repo)
