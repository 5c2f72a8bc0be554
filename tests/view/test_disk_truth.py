"""What is shown is what the disk holds: bytes, lines, and nothing that lies outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cmgit.core.config import Config
from cmgit.git.disk import blob_oid
from cmgit.git.locate import locate
from cmgit.git.revisions import head_tree
from cmgit.git.worktree import changes
from cmgit.index.recipes import current_recipes
from cmgit.snapshot.publish import load
from cmgit.view.open import find_target
from tests.conftest import Cm, GitRepo

SOURCE = (
    "/** Doubles. */\nexport function double(n) {\n  return n * 2\n}\n\n"
    "export class Привет {\n  метод() { return 'ж' }\n}"
)

ENCODINGS = {
    "lf": SOURCE.encode(),
    "crlf": SOURCE.replace("\n", "\r\n").encode(),
    "cr": SOURCE.replace("\n", "\r").encode(),
    "bom": b"\xef\xbb\xbf" + SOURCE.encode(),
}


def rows_agree_with(data: bytes, rows: list[dict[str, object]]) -> None:
    text = data.replace(b"\r\n", b"\n\0").replace(b"\r", b"\n").replace(b"\n\0", b"\r\n")
    for row in rows:
        start, end = int(str(row["start_byte"])), int(str(row["end_byte"]))
        assert text[:start].count(b"\n") + 1 == row["start_line"]
        assert text[: end - 1].count(b"\n") + 1 == row["end_line"]


@pytest.mark.parametrize("name", ENCODINGS)
def test_bytes_and_lines_are_those_on_disk(name: str, repo: GitRepo, cm: Cm) -> None:
    data = ENCODINGS[name]
    repo.commit({"a.js": data})
    units = cm(repo.path, "export", "--units").lines
    rows_agree_with(data, units)
    by_name = {unit["name"]: data[unit["start_byte"] : unit["end_byte"]].decode() for unit in units}
    assert by_name["double"].startswith("export function double(n) {")
    assert by_name["метод"] == "метод() { return 'ж' }"
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", "change double").json
    assert context["items"]
    rows_agree_with(data, context["items"])


def test_line_endings_that_git_translates_are_shown_as_on_disk(repo: GitRepo, cm: Cm) -> None:
    repo.commit({".gitattributes": "*.ts text eol=crlf\n", "a.ts": SOURCE})
    (repo.path / "a.ts").unlink()
    repo.git("checkout", "--", "a.ts")
    data = (repo.path / "a.ts").read_bytes()
    assert b"\r\n" in data
    assert repo.git("status", "--porcelain") == b""
    cm(repo.path, "index", "--no-vectors").ok()
    units = cm(repo.path, "export", "--units").lines
    rows_agree_with(data, units)
    found = next(unit for unit in units if unit["name"] == "double")
    assert data[found["start_byte"] : found["end_byte"]] == b"export function double(n) {\r\n  return n * 2\r\n}"
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", "change double").json
    rows_agree_with(data, context["items"])
    shown = b"".join(data[item["start_byte"] : item["end_byte"]] for item in context["items"])
    assert b"export function double(n) {\r\n  return n * 2\r\n}" in shown
    assert context["dirty"] == 0


def test_files_are_ranked_by_the_disk_while_attributes_that_converted_them_are_edited(repo: GitRepo) -> None:
    repo.commit({".gitattributes": "*.ts text eol=crlf\n", "a.ts": SOURCE})
    (repo.path / "a.ts").unlink()
    repo.git("checkout", "--", "a.ts")
    os.utime(repo.path / "a.ts", (1e9, 1e9))  # not written beside the index: git trusts what it noted
    repo.git("update-index", "--refresh")
    repo.write({".gitattributes": "*.js linguist-generated\n"})
    location = locate(str(repo.path))
    changed = changes(location)
    assert [change.path for change in changed] == [".gitattributes"]  # git calls a.ts clean
    target = find_target(location, head_tree(location), changed, None, None, lambda _: False)
    oids = {entry.path: entry.oid for entry in target.entries}
    assert oids["a.ts"] == blob_oid((repo.path / "a.ts").read_bytes(), "sha1")


def test_a_link_is_never_followed_and_is_named_in_status(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    secret = tmp_path / "outside.js"
    secret.write_text("export function outsideSecret() { return 42 }\n")
    (repo.path / "evil.js").symlink_to(secret)
    (repo.path / "loop.js").symlink_to("loop.js")
    repo.commit({"a.js": "export function inside() {}\n"})
    for args in (("export", "--units"), ("retrieve", "--no-vectors", "outsideSecret in evil.js")):
        assert "outsideSecret()" not in cm(repo.path, *args).out
    reasons = {row["path"]: row["reason"] for row in cm(repo.path, "status", "--json").json["skipped"]}
    assert reasons == {"evil.js": "symlink", "loop.js": "symlink"}


def test_a_file_that_becomes_a_link_after_indexing_is_gone(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    outside = tmp_path / "outside.js"
    outside.write_text("export function outsideSecret() { return 42 }\n")
    repo.commit({"a.js": "export function inside() {}\n", "b.js": "export function other() {}\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    (repo.path / "a.js").unlink()
    (repo.path / "a.js").symlink_to(outside)
    assert {unit["path"] for unit in cm(repo.path, "export", "--units").lines} == {"b.js"}


def test_skip_worktree_files_are_answered_from_git(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.js": "export function hidden() {}\n", "b.js": "export function other() {}\n"})
    repo.git("update-index", "--skip-worktree", "a.js")
    (repo.path / "a.js").unlink()
    units = {unit["name"] for unit in cm(repo.path, "export", "--units").lines}
    assert {"hidden", "other"} <= units
    assert "function hidden()" in cm(repo.path, "retrieve", "--no-vectors", "what does `hidden` do").out


def test_a_bare_repository_answers_for_a_revision(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    repo.commit({"a.js": "export function hidden() {}\n"})
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    assert "function hidden()" in cm(bare, "retrieve", "--rev", "HEAD", "--no-vectors", "what does `hidden` do").out
    refused = cm(bare, "retrieve", "--no-vectors", "what does `hidden` do")
    assert refused.code == 1
    assert "--rev HEAD" in refused.err


def test_a_revision_without_a_snapshot_is_answered_without_publishing(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.js": "export function before() {}\n"})
    repo.commit({"a.js": "export function after() {}\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    published = sorted((repo.path / ".git/cm/trees").iterdir())
    names = {unit["name"] for unit in cm(repo.path, "export", "--units", "--rev", "HEAD~1").lines}
    assert "before" in names
    assert "after" not in names
    assert sorted((repo.path / ".git/cm/trees").iterdir()) == published


def shown_oids(repo: GitRepo) -> dict[str, str]:
    """The blobs that a view of the working tree stands on."""
    location = locate(str(repo.path))
    recipe = current_recipes(Config()).snapshot
    tree = head_tree(location)
    assert tree is not None
    base = load(location.cm_dir, tree, recipe)
    target = find_target(location, tree, changes(location), base, None, lambda _: False)
    return {entry.path: entry.oid for entry in target.entries}


def settled(repo: GitRepo, *paths: str) -> None:
    """Written long before the index: git trusts what it noted of them."""
    for path in paths:
        os.utime(repo.path / path, (1e9, 1e9))
    repo.git("update-index", "--refresh", check=False)
    assert repo.git("status", "--porcelain") == b""


@pytest.mark.parametrize("indexed", [True, False])
def test_files_are_those_on_disk_after_attributes_were_committed_away(repo: GitRepo, cm: Cm, indexed: bool) -> None:
    repo.commit({".gitattributes": "a.ts text eol=crlf\n", "a.ts": SOURCE, "b.ts": SOURCE})
    (repo.path / "a.ts").unlink()
    repo.git("checkout", "--", "a.ts")
    settled(repo, "a.ts", "b.ts")
    repo.commit({".gitattributes": "*.js linguist-generated\n"})
    settled(repo)
    if indexed:
        cm(repo.path, "index", "--no-vectors").ok()
    oids = shown_oids(repo)
    assert b"\r\n" in (repo.path / "a.ts").read_bytes()
    for path in ("a.ts", "b.ts"):
        assert oids[path] == blob_oid((repo.path / path).read_bytes(), "sha1")


@pytest.mark.parametrize("setting", [("core.autocrlf", "true"), ("core.eol", "crlf")])
def test_files_are_those_on_disk_where_only_a_setting_converts_them(
    repo: GitRepo, cm: Cm, setting: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({".gitattributes": "*.ts text\n", "a.ts": SOURCE, "b.ts": SOURCE})
    repo.git("config", *setting)
    (repo.path / "a.ts").unlink()
    repo.git("checkout", "--", "a.ts")
    settled(repo, "a.ts", "b.ts")
    cm(repo.path, "index", "--no-vectors").ok()
    data = (repo.path / "a.ts").read_bytes()
    assert b"\r\n" in data
    assert shown_oids(repo)["a.ts"] == blob_oid(data, "sha1") != shown_oids(repo)["b.ts"]
    monkeypatch.setattr("cmgit.view.overlay.MOST_CONVERTED", 10)  # where all of a large tree has other line endings
    assert shown_oids(repo)["a.ts"] == shown_oids(repo)["b.ts"]
    items = cm(repo.path, "retrieve", "--json", "--no-vectors", "change double").json["items"]
    shown = [data[item["start_byte"] : item["end_byte"]] for item in items if item["path"] == "a.ts"]
    assert any(b"export function double(n) {\r\n" in piece for piece in shown)
