"""Two worktrees on two branches share one store: the second one costs its differing blobs, in work and in bytes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from examples.shop_repo import build_shop_repository
from tests.conftest import Cm, GitRepo
from tests.real.test_repositories import bare_clone


def store_bytes(common: Path) -> int:
    return sum(path.stat().st_size for path in (common / "cm").rglob("*") if path.is_file())


def segment_names(common: Path) -> set[str]:
    return {path.name for path in (common / "cm/segments").iterdir()}


def change_some(top: Path, count: int, suffix: str) -> list[str]:
    """Add a function to so many source files of a worktree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=top, check=True, capture_output=True).stdout.decode()
    chosen = [path for path in listed.split("\0") if path.endswith(suffix) and "test" not in path][:count]
    for number, path in enumerate(chosen):
        with (top / path).open("a") as stream:
            stream.write(f"\nfunction onlyHere{number}(value) {{\n  return value + {number}\n}}\n")
    return chosen


def test_the_second_worktree_parses_embeds_and_stores_what_differs(cm: Cm, tmp_path: Path) -> None:
    build_shop_repository(tmp_path / "shop")
    repo = GitRepo(tmp_path / "shop")
    common = repo.path / ".git"
    first = cm(repo.path, "index", "--json").json
    before, segments = store_bytes(common), segment_names(common)
    other = tmp_path / "other"
    repo.git("worktree", "add", "-q", str(other), "-b", "side")
    assert len(change_some(other, 2, ".ts")) == 2
    subprocess.run(["git", "commit", "-qam", "side"], cwd=other, check=True)
    second = cm(other, "index", "--json").json
    assert second["tree"] != first["tree"]
    assert second["blobs"]["parsed"] == 2
    assert second["blobs"]["reused"] == first["blobs"]["parsed"] + first["blobs"]["reused"] - 2
    assert 0 < second["embedded"] <= 4  # two functions, and the two files whose text they are part of
    assert second["vectors_reused"] >= first["vectors"] - 4
    assert segments < segment_names(common)
    assert store_bytes(common) - before < before / 4
    # Neither pulls anything from under the other, and each answers for its own files.
    cm(other, "gc").ok()
    assert cm(repo.path, "index", "--json").json["blobs"]["parsed"] == 0
    for top, count in ((repo.path, 0), (other, 2)):
        units = cm(top, "export", "--units").lines
        assert sum(unit["name"].startswith("onlyHere") for unit in units) == count
        callers = cm(top, "export", "--edges").out
        fresh = tmp_path / f"fresh-{top.name}"
        repo.git("clone", "-q", "--branch", "side" if count else "main", str(repo.path), str(fresh))
        assert cm(fresh, "export", "--edges").out == callers


@pytest.mark.real
@pytest.mark.parametrize("name", ["expressjs+express", "vuejs+core"])
def test_figures_for_a_real_repository(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(bare_clone(name)), str(clone)], check=True, timeout=600)
    first, seconds_first = index(clone)
    before = store_bytes(clone / ".git")
    other = tmp_path / "other"
    subprocess.run(["git", "worktree", "add", "-q", str(other), "-b", "side"], cwd=clone, check=True)
    changed = change_some(other, 5, ".ts" if "vue" in name else ".js")
    subprocess.run(["git", "commit", "-qam", "side"], cwd=other, check=True)
    second, seconds_second = index(other)
    added = store_bytes(clone / ".git") - before
    assert second["blobs"]["parsed"] == len(changed) == 5
    assert second["embedded"] <= 10
    assert added < before / 4
    assert seconds_second < seconds_first / 2
    with capsys.disabled():
        print(
            f"\n{name}: first {first['blobs']['parsed']} parsed, {first['embedded']} embedded, {seconds_first:.1f} s, "
            f"{before} bytes; second 5 parsed, {second['embedded']} embedded, {seconds_second:.2f} s, {added} bytes"
        )


def index(top: Path) -> tuple[Any, float]:
    """The report of a whole process, and its seconds."""
    started = time.perf_counter()
    command = [str(Path(sys.executable).with_name("git-cm")), "index", "--json"]
    done = subprocess.run(command, cwd=top, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout), time.perf_counter() - started
