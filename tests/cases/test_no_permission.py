"""Files that this user may not read: said, never passed over in silence, and never answered from an older version."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

NOBODY = 65534


@pytest.fixture
def open_repo() -> Iterator[GitRepo]:
    """A repository below a folder that everybody may enter, unlike pytest's."""
    base = Path(tempfile.mkdtemp())
    base.chmod(0o755)
    try:
        yield GitRepo(base / "repo")
    finally:
        os.seteuid(os.getuid())
        shutil.rmtree(base)


def become_nobody(repo: GitRepo) -> None:
    """Root may read everything, so root becomes somebody else, to whom the repository belongs."""
    if os.geteuid() != 0:
        return
    for path in (repo.path, *repo.path.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    os.seteuid(NOBODY)


def test_a_changed_file_and_a_new_one_without_permission_are_named_and_pending(open_repo: GitRepo, cm: Cm) -> None:
    repo = open_repo
    repo.git("config", "cm.vectors", "false")
    repo.commit({"a.ts": "export function alpha() {\n  return 1\n}\n", "b.ts": "export function beta() {}\n"})
    repo.write({"a.ts": "export function changed() {}\n", "c.ts": "export function gamma() {}\n", "d.md": "text"})
    assert cm(repo.path, "retrieve", "--json", "rename `gamma`").json["pending"] == {"files": 0, "vectors": 0}
    for name in ("a.ts", "c.ts", "d.md"):
        (repo.path / name).chmod(0)
    become_nobody(repo)
    answer = cm(repo.path, "retrieve", "--json", "rename `alpha` and `beta`").ok()
    os.seteuid(os.getuid())
    assert answer.json["pending"]["files"] == 2
    assert {item["path"] for item in answer.json["items"]} == {"b.ts"}  # nothing from HEAD in the place of a.ts
    assert "no permission to read a.ts, c.ts" in answer.err


def test_vectors_that_are_made_at_each_question_and_not_kept_are_said(repo: GitRepo, cm: Cm) -> None:
    """openai/codex#27418: the git directory of a sandboxed agent is read-only."""
    repo.commit({"a.js": "".join(f"export function plus{n}(value) {{\n  return value + {n}\n}}\n" for n in range(200))})
    cm(repo.path, "index", "--no-vectors").ok()
    lock = repo.path / ".git/cm/lock"
    lock.unlink()
    lock.mkdir()  # so that nothing can be built, not even by root
    for _ in range(2):
        answer = cm(repo.path, "search", "what adds a number to a value").ok()
        assert "vectors are made for this answer and not kept" in answer.err
        assert "answering from memory" in answer.err
        assert "plus" in answer.out
    lock.rmdir()
    assert "not kept" not in cm(repo.path, "search", "what adds a number to a value").ok().err


def test_the_command_that_would_keep_the_vectors_of_a_revision_is_said(
    repo: GitRepo, cm: Cm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cmgit.view.supply.PUBLISH_FROM", 1)
    repo.commit({"a.js": "export function older(value) {\n  return value + 1\n}\n"})
    repo.commit({"a.js": "export function newer(value) {\n  return value + 2\n}\n"})
    cm(repo.path, "index").ok()
    asked = ("search", "--rev", "HEAD~1", "what adds a number to a value")
    assert "not kept: `git cm index --rev HEAD~1` would keep them" in cm(repo.path, *asked).ok().err
    cm(repo.path, "index", "--rev", "HEAD~1").ok()
    assert cm(repo.path, *asked).ok().err == ""


def test_an_unchanged_file_without_permission_is_said_to_be_left_out(open_repo: GitRepo, cm: Cm) -> None:
    repo = open_repo
    repo.git("config", "cm.vectors", "false")
    repo.commit(
        {"a.ts": "export function alpha() {\n  return 1\n}\n", "b.ts": "import { alpha } from './a'\nalpha()\n"}
    )
    assert "return 1" in cm(repo.path, "retrieve", "rename `alpha`").ok().out
    (repo.path / "a.ts").chmod(0)
    become_nobody(repo)
    answer = cm(repo.path, "retrieve", "rename `alpha`").ok()
    os.seteuid(os.getuid())
    assert "return 1" not in answer.out
    assert "a.ts" in answer.err or "cannot be read" in answer.out, (answer.out, answer.err)
