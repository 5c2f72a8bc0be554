"""What is embedded first: a build may be cut short, and readers answer meanwhile."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.git.locate import locate
from cmgit.index import build as building
from tests.conftest import GitRepo


def source(name: str) -> str:
    return (
        f"export function open{name}(a: number) {{ return hidden{name}(a) }}\n"
        f"function hidden{name}(a: number) {{ return a * 2 }}\n"
    )


def order_of(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: dict[bytes, str] = {}
    monkeypatch.setattr(building, "FLUSH_VECTORS", 1)

    def note(wanted: dict[bytes, str], *_: Any) -> list[Any]:
        published = building.load(location.cm_dir, repo.tree("HEAD"), recipes.snapshot)
        assert published is not None  # words and the graph answer before the first vector is made
        texts.update(wanted)
        return []

    monkeypatch.setattr(building, "embed_texts", note)
    config = Config(cache_dir=str(Path(os.environ["XDG_CACHE_HOME"]) / "cmgit"))
    location, recipes = locate(str(repo.path)), building.current_recipes(config)
    building.build(location, repo.tree("HEAD"), config, no_progress, lambda _: None)
    return [text.split()[1] for text in texts.values()]  # "function openNew …"


def test_sources_before_tests_exported_before_inner_and_what_changed_last_first(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"src/a.ts": source("Old"), "src/b.ts": source("New"), "test/a.test.ts": source("Spec")})
    repo.commit({"src/b.ts": source("New") + "// again\n"})
    assert order_of(repo, monkeypatch) == [
        "openNew", "openOld", "hiddenNew", "hiddenOld", "openSpec", "hiddenSpec",
    ]  # fmt: skip
