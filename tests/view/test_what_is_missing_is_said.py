"""An answer that git could not give in full says what it lacks, and is the full one again as soon as git can."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cmgit.view.past import PastSupply
from examples.shop_repo import build_shop_repository
from tests.conftest import Cm

PROMPT = "why does the total of the cart apply a discount twice"
ASK = ("retrieve", "--json", "--no-vectors")
REAL_GIT = shutil.which("git")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    build_shop_repository(tmp_path / "shop")
    return tmp_path / "shop"


def instead_of_git(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """A `git` that runs a line of shell first, then the real one."""
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(f'#!/bin/sh\n{script}\nexec {REAL_GIT} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


DIFFS = "*--no-walk=unsorted*"


@pytest.mark.parametrize("end", ["kill -9 $$", "sleep 0.2; exit 128", "printf half; kill -15 $$"])
@pytest.mark.parametrize("rev", [(), ("--rev", "HEAD")])
def test_a_past_that_cannot_be_read_is_said_and_read_the_next_time(
    shop: Path, cm: Cm, tmp_path: Path, rev: tuple[str, ...], end: str
) -> None:
    cm(shop, "index", "--no-vectors").ok()
    full = cm(shop, *ASK, *rev, PROMPT).json
    shutil.rmtree(shop / ".git/cm/history")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PastSupply, "complete", lambda self: None)
        without = cm(shop, *ASK, *rev, PROMPT).json
    assert full["text"] != without["text"]
    with pytest.MonkeyPatch.context() as patch:
        instead_of_git(patch, tmp_path / "bin", f'case "$*" in {DIFFS}) {end};; esac')
        short = cm(shop, *ASK, *rev, PROMPT)
    assert short.json["pending"] == {"files": 0, "vectors": 0, "history": 1}
    assert "earlier commits cannot be read, the answer does without them" in short.err
    assert short.json["text"] == without["text"]
    again = cm(shop, *ASK, *rev, PROMPT)
    assert again.json["text"] == full["text"]
    assert again.json["pending"] == {"files": 0, "vectors": 0}
    assert again.err == ""


def test_a_git_that_is_killed_once_is_asked_again(shop: Path, cm: Cm, tmp_path: Path) -> None:
    cm(shop, "index", "--no-vectors").ok()
    full = cm(shop, *ASK, PROMPT).json
    shutil.rmtree(shop / ".git/cm/history")
    once = f'case "$*" in {DIFFS}) mkdir "{tmp_path}/once" 2>/dev/null && kill -9 $$;; esac'
    with pytest.MonkeyPatch.context() as patch:
        instead_of_git(patch, tmp_path / "bin", once)
        found = cm(shop, *ASK, PROMPT)
    assert (tmp_path / "once").is_dir()
    assert (found.json["text"], found.json["pending"], found.err) == (full["text"], full["pending"], "")


@pytest.mark.parametrize("left", [0, 15, 16, 24, 200, -1])
def test_a_kept_past_that_was_cut_short_or_taken_away_changes_no_answer(shop: Path, cm: Cm, left: int) -> None:
    cm(shop, "index", "--no-vectors").ok()
    full = cm(shop, *ASK, PROMPT).json
    (kept,) = (shop / ".git/cm/history").iterdir()
    kept.write_bytes(kept.read_bytes()[:left])
    for earlier in ("HEAD~3", "HEAD"):  # each takes what the newest kept file still says
        cm(shop, *ASK, "--rev", earlier, PROMPT).ok()
    assert cm(shop, *ASK, PROMPT).json["text"] == full["text"]
    shutil.rmtree(shop / ".git/cm/history")
    (shop / ".git/cm/history").write_text("no folder")
    found = cm(shop, *ASK, PROMPT)
    assert (found.json["text"], found.json["pending"]) == (full["text"], full["pending"])


def test_a_blob_that_git_does_not_give_is_said(shop: Path, cm: Cm, tmp_path: Path) -> None:
    full = cm(shop, *ASK, "--rev", "HEAD~1", PROMPT).json  # nothing of it is published: the next lays it over HEAD
    shutil.rmtree(shop / ".git/cm")
    cm(shop, "index", "--no-vectors").ok()
    with pytest.MonkeyPatch.context() as patch:
        instead_of_git(patch, tmp_path / "bin", 'case "$*" in *"cat-file --batch") kill -9 $$;; esac')
        short = cm(shop, *ASK, "--rev", "HEAD~1", PROMPT)
    assert short.json["pending"]["files"] > 0
    assert "git cannot give" in short.err
    again = cm(shop, *ASK, "--rev", "HEAD~1", PROMPT)
    assert (again.json["text"], again.json["pending"], again.err) == (full["text"], full["pending"], "")


def test_attributes_on_disk_change_no_history(shop: Path, cm: Cm) -> None:
    cm(shop, "index", "--no-vectors").ok()
    full = cm(shop, *ASK, "--rev", "HEAD", PROMPT).json
    shutil.rmtree(shop / ".git/cm/history")
    (shop / ".git/info").mkdir(exist_ok=True)
    (shop / ".git/info/attributes").write_text("*.ts -diff\n*.js binary\n*.vue diff=odd\n")
    assert cm(shop, *ASK, "--rev", "HEAD", PROMPT).json["text"] == full["text"]


def test_the_variable_that_widens_diffs_changes_no_history(shop: Path, cm: Cm, monkeypatch: pytest.MonkeyPatch) -> None:
    cm(shop, "index", "--no-vectors").ok()
    full = cm(shop, *ASK, PROMPT).json
    shutil.rmtree(shop / ".git/cm/history")
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=30")
    assert cm(shop, *ASK, PROMPT).json["text"] == full["text"]
