from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from cmgit.core.errors import CmgitError
from cmgit.git import disk
from cmgit.git.disk import blob_oid, clean_oid, file_size, read_file
from cmgit.git.locate import locate
from tests.conftest import GitRepo


@pytest.fixture(params=["descriptors", "paths"])
def top(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to read from, by folder descriptors and by the way for systems without them."""
    if request.param == "paths":
        monkeypatch.setattr(disk, "_HAS_DIR_FD", False)
    folder = tmp_path / "top"
    folder.mkdir()
    return folder


def test_a_file_is_read_whole_or_up_to_a_limit(top: Path) -> None:
    (top / "a/b").mkdir(parents=True)
    data = bytes(range(256)) * 10_000
    (top / "a/b/c.ts").write_bytes(data)
    (top / "empty.ts").write_bytes(b"")
    assert read_file(str(top), "a/b/c.ts") == data
    assert read_file(str(top), "a/b/c.ts", limit=10) == data[:10]
    assert read_file(str(top), "a/b/c.ts", limit=0) == b""
    assert read_file(str(top), "empty.ts") == b""
    assert file_size(str(top), "a/b/c.ts") == len(data)


def test_no_link_is_followed_on_the_file_or_on_a_parent(top: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ts").write_text("secret")
    (top / "in").mkdir()
    (top / "in/file.ts").write_text("inside")
    (top / "evil.ts").symlink_to(outside / "secret.ts")
    (top / "loop.ts").symlink_to("loop.ts")
    (top / "self").symlink_to(".")
    (top / "out").symlink_to(outside)
    (top / "same").symlink_to("in")
    (top / "in/up").symlink_to("../..")
    for path in ("evil.ts", "loop.ts", "self/in/file.ts", "out/secret.ts", "same/file.ts", "in/up/outside/secret.ts"):
        assert read_file(str(top), path) is None, path
        assert file_size(str(top), path) is None, path
    assert read_file(str(top), "in/file.ts") == b"inside"


def test_the_worktree_itself_may_be_reached_by_a_link(top: Path, tmp_path: Path) -> None:
    (top / "a.ts").write_text("a")
    (tmp_path / "link").symlink_to(top)
    assert read_file(str(tmp_path / "link"), "a.ts") == b"a"


@pytest.mark.parametrize(
    "path", ["../outside.ts", "a/../../outside.ts", "/etc/passwd", "", ".", "a//b", "./a.ts", "a/", "x\0y"]
)
def test_a_path_that_leaves_the_worktree_is_no_file(top: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.ts").write_text("outside")
    (top / "a").mkdir()
    assert read_file(str(top), path) is None


def test_what_is_no_regular_file_does_not_hang_the_reader(top: Path) -> None:
    os.mkfifo(top / "fifo.ts")
    (top / "folder.ts").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(top)
    try:
        listener.bind("socket.ts")
    finally:
        os.chdir(here)
    for path in ("fifo.ts", "folder.ts", "socket.ts", "missing.ts", "fifo.ts/x", "no/such.ts"):
        assert read_file(str(top), path) is None, path
        assert file_size(str(top), path) is None, path
    listener.close()
    assert read_file(str(top / "gone"), "a.ts") is None


def test_ids_are_those_of_git(repo: GitRepo, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "s", "--object-format=sha256")
    for data in (b"", b"x", b"a\r\n" * 1000):
        for where, name in ((repo, "sha1"), (other, "sha256")):
            expected = where.git("hash-object", "--stdin", "--no-filters", stdin=data).decode().strip()
            assert blob_oid(data, name) == expected


def test_clean_ids_do_not_read_through_links(repo: GitRepo) -> None:
    repo.commit({"d/a.ts": "a"})
    (repo.path / "l.ts").symlink_to("d/a.ts")
    (repo.path / "p").symlink_to("d")
    os.mkfifo(repo.path / "fifo")
    location = locate(str(repo.path))
    assert clean_oid(location, ["l.ts", "p/a.ts", "fifo", "d/a.ts"]) == ["", "", "", blob_oid(b"a", "sha1")]
    assert clean_oid(location, []) == []


def test_a_bare_repository_has_no_files(tmp_path: Path) -> None:
    bare = GitRepo(tmp_path / "b", "--bare")
    with pytest.raises(CmgitError, match="bare"):
        clean_oid(locate(str(bare.path)), ["a.ts"])
