"""What a build parses, reuses, embeds and survives."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from cmgit.core.config import Config
from cmgit.core.records import BlobKey, no_progress
from cmgit.git.locate import locate
from cmgit.index.build import build
from cmgit.index.pool import process_blobs
from cmgit.index.report import BuildReport
from tests.conftest import Cm, GitRepo

CART = """\
import { taxOf } from './tax'

/** The sum of all lines with tax. */
export function total(lines: number[]): number {
  return lines.reduce((sum, line) => sum + line + taxOf(line), 0)
}

export function count(lines: number[]): number {
  return lines.length
}
"""
TAX = "export function taxOf(amount: number): number {\n  return amount * 0.2\n}\n"


@pytest.fixture
def config() -> Config:
    return Config(cache_dir=str(Path(os.environ["XDG_CACHE_HOME"]) / "cmgit"))


def build_head(repo: GitRepo, config: Config, tree: str) -> BuildReport:
    return build(locate(str(repo.path)), tree, config, no_progress, lambda _: None)


def test_a_commit_parses_the_changed_blob_and_embeds_the_changed_units_only(repo: GitRepo, config: Config) -> None:
    first = build_head(repo, config, repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX}))
    assert (first.parsed, first.reused, first.embedded) == (2, 0, 3)
    second_tree = repo.commit({"src/cart.ts": CART.replace("lines.length", "lines.filter(isVisible).length")})
    second = build_head(repo, config, second_tree)
    assert (second.parsed, second.reused) == (1, 1)
    assert (second.embedded, second.vectors_reused) == (1, 2)
    assert second.vectors == 3


def test_going_back_to_an_earlier_commit_parses_and_embeds_nothing(repo: GitRepo, config: Config) -> None:
    first = repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX})
    build_head(repo, config, first)
    build_head(repo, config, repo.commit({"src/cart.ts": CART.replace("lines.length", "0")}))
    again = build_head(repo, config, first)
    assert (again.parsed, again.embedded) == (0, 0)


def test_a_renamed_folder_parses_and_embeds_nothing(repo: GitRepo, config: Config) -> None:
    build_head(repo, config, repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX}))
    repo.git("mv", "src", "lib")
    renamed = build_head(repo, config, repo.commit())
    assert (renamed.parsed, renamed.embedded, renamed.vectors) == (0, 0, 3)


def test_the_same_text_in_two_files_is_embedded_once(repo: GitRepo, config: Config) -> None:
    report = build_head(repo, config, repo.commit({"a/tax.ts": TAX, "b/tax.ts": "export const other = 1\n\n" + TAX}))
    assert (report.parsed, report.embedded, report.vectors) == (2, 2, 2)


def test_vectors_can_be_left_out_and_come_later_without_parsing(repo: GitRepo, config: Config) -> None:
    tree = repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX})
    without = build_head(repo, dataclasses.replace(config, vectors=False), tree)
    assert (without.parsed, without.vectors, without.embedded) == (2, 0, 0)
    later = build_head(repo, config, tree)
    assert (later.parsed, later.embedded, later.vectors) == (0, 3, 3)


def test_a_damaged_segment_is_made_anew(repo: GitRepo, config: Config) -> None:
    tree = repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX})
    build_head(repo, config, tree)
    for segment in sorted((repo.path / ".git/cm/segments").iterdir()):
        segment.write_bytes(segment.read_bytes()[:-1])
    report = build_head(repo, config, tree)
    assert (report.parsed, report.embedded, report.vectors) == (2, 3, 3)


def test_nothing_but_the_cm_folder_is_written(repo: GitRepo, config: Config) -> None:
    tree = repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX})
    before = set(repo.path.rglob("*"))
    build_head(repo, config, tree)
    new = {path.relative_to(repo.path).parts[:2] for path in set(repo.path.rglob("*")) - before}
    assert new == {(".git", "cm")}
    assert repo.git("status", "--porcelain") == b""


def test_workers_give_what_this_process_gives_in_the_same_order() -> None:
    blobs = [(BlobKey(f"{i:040x}", "typescript"), CART.replace("total", f"total{i}").encode()) for i in range(8)]
    seen: list[int] = []
    inline = list(process_blobs(blobs, 0, 1_000_000, 1, seen.append))
    spread = list(process_blobs(blobs, 10_000_000, 1_000_000, 2, seen.append))
    assert inline == spread
    assert sum(seen) == 16


def test_a_flipped_bit_is_mended_by_the_next_question_or_build(repo: GitRepo, config: Config, cm: Cm) -> None:
    tree = repo.commit({"src/cart.ts": CART, "src/tax.ts": TAX})
    build_head(repo, config, tree)
    expected = cm(repo.path, "export", "--edges").out
    for segment in sorted((repo.path / ".git/cm/segments").iterdir()):
        data = bytearray(segment.read_bytes())
        data[len(data) // 2] ^= 1
        segment.write_bytes(data)
        assert cm(repo.path, "export", "--edges").ok().out == expected
        assert cm(repo.path, "search", "--json", "tax of an amount").json["results"]
        build_head(repo, config, tree)
        assert cm(repo.path, "verify", "--json").json["faults"] == []


def test_a_blob_that_git_lacked_is_parsed_when_it_has_it(repo: GitRepo, config: Config, tmp_path: Path) -> None:
    tree = repo.commit({"src/tax.ts": TAX})
    blob = repo.git("rev-parse", "HEAD:src/tax.ts").decode().strip()
    place = repo.path / ".git/objects" / blob[:2] / blob[2:]
    place.rename(tmp_path / "kept")
    assert build_head(repo, config, tree).skipped == {"unreadable": 1}
    (tmp_path / "kept").rename(place)
    report = build_head(repo, config, tree)
    assert (report.skipped, report.parsed) == ({}, 1)
