"""Whole repositories with history, from bare clones named OWNER+NAME in the folder CMGIT_REAL_REPOS."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo
from tests.real.test_npm_packages import check_bytes, check_context

pytestmark = pytest.mark.real

REPOSITORIES = ("expressjs+express", "vuejs+core")


def bare_clone(name: str) -> Path:
    folder = os.environ.get("CMGIT_REAL_REPOS")
    if not folder:
        pytest.skip("CMGIT_REAL_REPOS does not name a folder with bare clones")
    for candidate in (Path(folder) / name / "repo", Path(folder) / name, Path(folder) / f"{name}.git"):
        if (candidate / "HEAD").exists():
            return candidate
    pytest.skip(f"{name} is not in {folder}")


@pytest.fixture(params=REPOSITORIES)
def clone(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    source = bare_clone(request.param)
    target = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(source), str(target)], check=True, timeout=600)
    return target


def test_units_and_contexts_hold_the_bytes_on_disk(clone: Path, cm: Cm) -> None:
    cm(clone, "index", "--no-vectors").ok()
    units = cm(clone, "export", "--units").lines
    rng = random.Random(7)
    check_bytes(clone, rng.sample(units, 200))
    names = sorted({u["name"] for u in units if u["exported"] and u["kind"] == "function" and len(u["name"]) > 5})
    for name in rng.sample(names, 10):
        check_context(clone, cm(clone, "retrieve", "--json", "--no-vectors", f"change `{name}`").json)
    assert cm(clone, "verify", "--json").json["faults"] == []


def test_a_one_function_commit_parses_one_blob(clone: Path, cm: Cm) -> None:
    cm(clone, "index", "--no-vectors").ok()
    repo = GitRepo(clone)
    units = cm(clone, "export", "--units").lines
    unit = next(u for u in units if u["kind"] == "function" and u["end_line"] - u["start_line"] > 5)
    path = clone / unit["path"]
    data = path.read_bytes()
    body = data.index(b"{", unit["start_byte"]) + 1
    path.write_bytes(data[:body] + b"\n  console.info('entered once more')\n" + data[body:])
    repo.commit(message="one function")
    report = cm(clone, "index", "--json", "--no-vectors").json
    assert report["blobs"]["parsed"] == 1
    repo.git("checkout", "-q", "HEAD~1")
    assert cm(clone, "index", "--json", "--no-vectors").json["blobs"]["parsed"] == 0


def test_the_text_is_the_same_in_two_clones(clone: Path, cm: Cm, tmp_path: Path) -> None:
    other = tmp_path / "another place" / "clone"
    subprocess.run(["git", "clone", "-q", str(clone), str(other)], check=True, timeout=600)
    for prompt in ("how are errors handled when a value is undefined", "resolve the options of a component"):
        texts = {cm(place, "retrieve", "--no-vectors", prompt).ok().out for place in (clone, other, clone)}
        assert len(texts) == 1
        assert len(texts.pop()) <= 9_000
