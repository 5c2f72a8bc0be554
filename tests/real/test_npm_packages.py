"""Published packages at pinned versions, committed one after another: a real history. Needs npm."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

pytestmark = pytest.mark.real

HISTORIES = {
    "express": ("4.21.2", "5.0.1", "5.1.0"),
    "preact": ("10.24.3", "10.25.4", "10.26.9"),
    "zod": ("3.25.76",),
    "svelte": ("5.38.0",),
    "three": ("0.179.1",),
    "rxjs": ("7.8.2",),
    "@vue/reactivity": ("3.5.18",),
    "@vue/runtime-core": ("3.5.18",),
}
WITH_VECTORS = ("express", "preact")
PROMPTS = {
    "named": "change how `{name}` works and keep its callers right",
    "search": "throw an error when the callback argument is not a function",
}


def unpack(package: str, version: str, target: Path) -> None:
    """The published files of one version, unpacked anew. Tarballs are kept beside the model cache."""
    cache = Path(os.environ["XDG_CACHE_HOME"]) / "npm-packages" / f"{package.replace('/', '+')}-{version}"
    if not list(cache.glob("*.tgz")):
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", f"{package}@{version}"], cwd=cache, check=True, timeout=300,
                       env={**os.environ, "HOME": str(cache)})  # fmt: skip
    for entry in target.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    with tarfile.open(next(cache.glob("*.tgz"))) as archive:
        archive.extractall(target, filter="data")


@pytest.fixture(scope="module", autouse=True)
def npm() -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")


@pytest.mark.parametrize("package", HISTORIES)
def test_a_package_is_indexed_answered_and_verified(package: str, repo: GitRepo, cm: Cm) -> None:
    vectors = [] if package in WITH_VECTORS else ["--no-vectors"]
    trees = []
    for version in HISTORIES[package]:
        unpack(package, version, repo.path)
        trees.append(repo.commit(message=f"{package} {version}"))
        report = cm(repo.path, "index", "--json", *vectors).json
        assert report["files"] > 0
        assert report["pending"] == {"files": 0, "vectors": 0}
    rng = random.Random(package)
    units = cm(repo.path, "export", "--units").lines
    check_bytes(repo.path, rng.sample(units, min(100, len(units))))
    # A package ships builds beside its sources; a name that many units share is searched for, not looked up.
    namesakes = Counter(u["name"] for u in units)
    exported = sorted({u["name"] for u in units if u["exported"] and u["kind"] == "function"})
    rare = [name for name in exported if namesakes[name] <= 3]
    for name in rng.sample(rare, min(3, len(rare))):
        context = cm(repo.path, "retrieve", "--json", *vectors, PROMPTS["named"].format(name=name)).json
        assert context["route"] == "named"
        assert any(item["name"] == name or item["role"] == "whole_file" for item in context["items"]), name
        check_context(repo.path, context)
    context = cm(repo.path, "retrieve", "--json", *vectors, "--route", "search", PROMPTS["search"]).json
    assert context["items"]
    check_context(repo.path, context)
    repo.write({"notes.js": "module.exports = 7\n"})
    assert cm(repo.path, "retrieve", "--json", "tidy notes.js").json["route"] == "direct"
    (repo.path / "notes.js").unlink()
    repo.git("checkout", "-q", "HEAD~" + str(len(trees) - 1))
    again = cm(repo.path, "index", "--json", *vectors).json
    assert (again["tree"], again["blobs"]["parsed"], again["embedded"]) == (trees[0], 0, 0)
    verified = cm(repo.path, "verify", "--json").json
    assert verified["faults"] == []


def check_bytes(top: Path, units: list[dict[str, object]]) -> None:
    """The range of a unit is its text on disk: right lines, and the name inside."""
    for unit in units:
        data = (top / str(unit["path"])).read_bytes()
        start, end = int(str(unit["start_byte"])), int(str(unit["end_byte"]))
        folded = data.replace(b"\r\n", b"\0\n").replace(b"\r", b"\n")
        assert folded[:start].count(b"\n") + 1 == unit["start_line"], unit
        assert folded[: max(start, end - 1)].count(b"\n") + 1 == unit["end_line"], unit
        if unit["kind"] in ("function", "method", "class", "interface", "type", "enum"):
            name = str(unit["name"]).strip("[]#").split(".")[-1].encode()
            assert name in data[start:end] or b"\\u" in data[start:end], unit


def check_context(top: Path, context: dict[str, object]) -> None:
    text = str(context["text"])
    assert len(text) <= 9_000
    items = context["items"]
    assert isinstance(items, list)
    for item in items:
        shown = (top / item["path"]).read_bytes()[item["start_byte"] : item["end_byte"]]
        if not item["masked"]:
            assert shown.decode() in text, json.dumps(item)
