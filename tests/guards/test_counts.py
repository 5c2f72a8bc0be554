"""Cost follows the change, by counts: blobs parsed, files linked, bytes written, segments opened, calls of git."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.git import process
from cmgit.git.locate import locate
from cmgit.index import plan
from cmgit.index.build import build
from cmgit.index.report import BuildReport
from cmgit.retrieve.retrieve import retrieve
from cmgit.store import segment_file, terms_segment
from cmgit.store.segments import SegmentStore
from cmgit.view import supply
from cmgit.view.open import open_view
from cmgit.view.vectors import missing_keys
from tests.conftest import GitRepo

FEW, MANY = 12, 60


@pytest.fixture
def config() -> Config:
    return Config(cache_dir=str(Path(os.environ["XDG_CACHE_HOME"]) / "cmgit"), vectors=False)


def sources(count: int) -> dict[str, str]:
    """Files in a chain: each uses its predecessor; words of their own."""
    return {
        f"src/part{i}/unit{i}.ts": (
            (f"import {{ run{i - 1} }} from '../part{i - 1}/unit{i - 1}'\n" if i else "")
            + f"/** Handles topic{i}. */\n"
            + f"export function run{i}(a: number) {{ return {f'run{i - 1}(a)' if i else 'a'} }}\n"
            + f"export class Keeper{i} {{ keep() {{ return run{i}({i}) }} }}\n"
        )
        for i in range(count)
    }


def build_head(repo: GitRepo, config: Config) -> BuildReport:
    return build(locate(str(repo.path)), repo.tree("HEAD"), config, no_progress, pytest.fail)


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[Any]:
    """Calls of a function, by their arguments."""
    seen: list[Any] = []
    real: Callable[..., Any] = getattr(owner, name)

    def count(*args: Any, **kwargs: Any) -> Any:
        seen.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, count)
    return seen


def bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def one_file_commit(repo: GitRepo, config: Config, count: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What a commit costs that changes the body of one function."""
    files = sources(count)
    repo.commit(files)
    build_head(repo, config)
    last = f"src/part{count - 1}/unit{count - 1}.ts"
    repo.commit({last: files[last].replace("return run", "return 1 + run")})
    with monkeypatch.context() as patch:
        segments = counted(patch, SegmentStore, "write")
        spawned = counted(patch, process.os, "posix_spawnp")
        before = bytes_below(repo.path / ".git" / "cm" / "segments")
        report = build_head(repo, config)
    return {
        "parsed": report.parsed,
        "segments written": len(segments),
        "processes": len(spawned),
        "bytes of segments": bytes_below(repo.path / ".git" / "cm" / "segments") - before,
    }


def test_a_commit_costs_the_same_in_a_repository_five_times_as_large(
    tmp_path: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = one_file_commit(GitRepo(tmp_path / "few"), config, FEW, monkeypatch)
    many = one_file_commit(GitRepo(tmp_path / "many"), config, MANY, monkeypatch)
    assert few["parsed"] == many["parsed"] == 1
    assert few["segments written"] == many["segments written"] == 3  # facts, terms, texts; no edge differs
    assert few["processes"] == many["processes"] <= 11
    assert abs(many["bytes of segments"] - few["bytes of segments"]) < 200
    assert many["bytes of segments"] < 17_000  # Lance's own frame takes nearly 4 KB of each


def test_a_plan_is_taken_over_and_only_the_changed_file_is_looked_at(
    repo: GitRepo, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sources(FEW)
    repo.commit(files)
    build_head(repo, config)
    repo.commit({"src/part3/unit3.ts": files["src/part3/unit3.ts"] + "// more\n"})
    asked = counted(monkeypatch, plan, "role_of")
    build_head(repo, config)
    assert [path for path, *_ in asked] == ["src/part3/unit3.ts"]


def test_a_plan_is_made_anew_where_attributes_differ(repo: GitRepo, config: Config) -> None:
    repo.commit(sources(3))
    build_head(repo, config)
    repo.commit({".gitattributes": "src/part1/** linguist-generated\n"})
    build_head(repo, config)
    view = open_view(locate(str(repo.path)), config, None, no_progress, pytest.fail)
    assert [file.role.label for file in view.files if file.path.endswith(".ts")] == ["source", "generated", "source"]


def test_a_question_reads_the_blocks_of_its_own_words_only(
    repo: GitRepo, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms_segment, "BLOCK", 8)
    monkeypatch.setattr(terms_segment, "READ_WHOLE", 0)
    repo.commit(sources(MANY))
    build_head(repo, config)
    view = open_view(locate(str(repo.path)), config, None, no_progress, pytest.fail)
    blocks = counted(monkeypatch, terms_segment, "_decode_block")
    retrieve(view, "where is topic7 handled", config, "search", "normal", None, None)
    assert 0 < len(blocks) <= 12  # of more than a hundred


def test_a_question_opens_each_segment_once_and_lance_never(
    repo: GitRepo, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(sources(FEW))
    build_head(repo, config)
    asked_lance = counted(monkeypatch, segment_file.SegmentFile, "_ask")
    opened = counted(monkeypatch, SegmentStore, "_open")
    decoded: list[str] = []
    real = segment_file.SegmentFile.tables
    monkeypatch.setattr(
        segment_file.SegmentFile, "tables", lambda self, names: decoded.extend(names) or real(self, names)
    )
    view = open_view(locate(str(repo.path)), config, None, no_progress, pytest.fail)
    retrieve(view, "change run3", config, "named", "normal", None, None)
    assert len(opened) == 4
    assert asked_lance == []
    assert not {"depends"} & set(decoded)  # what relinking needs, a reader does not


def test_opening_a_view_of_a_clean_tree_calls_git_a_fixed_number_of_times(
    repo: GitRepo, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(sources(FEW))
    build_head(repo, config)
    spawned = counted(monkeypatch, process.os, "posix_spawnp")
    location = locate(str(repo.path))
    view = open_view(location, config, None, no_progress, pytest.fail)
    retrieve(view, "change run3", config, "named", "normal", None, None)
    assert len(spawned) <= 5


def test_what_is_pending_is_known_without_reading_a_text_key(
    repo: GitRepo, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(sources(FEW))
    build_head(repo, config)
    wanting = dataclasses.replace(config, vectors=True)
    view = open_view(locate(str(repo.path)), wanting, None, no_progress, pytest.fail)
    with monkeypatch.context() as patch:
        patch.setattr(supply, "missing_keys", lambda *_: pytest.fail("read"))
        pending = view.pending.vectors
    assert pending == len(missing_keys(view.wanted_texts, [])) > FEW
