"""Files of the working tree, read without ever following a link (DeusData/codebase-memory-mcp#51)."""

# Bytes paths and descriptors, and pathlib costs 5 ms of a cold start:
# ruff: noqa: PTH118
from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError
from cmgit.core.records import path_bytes
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# Non-blocking: opening a FIFO that nobody writes to would wait for ever.
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE |= getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
_HAS_DIR_FD = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def read_file(top: str, path: str, limit: int | None = None) -> bytes | None:
    """The bytes of a regular file below `top` as they are now.

    Args:
        top: root of the worktree; only what is below it is opened without following links.
        path: repository-relative, with `/`.
        limit: read no more than this many bytes.

    Returns:
        None when there is no such file that can be read, when it is anything but a regular file, or when it or one of
        its parents is a link.
    """
    fd = _open(top, path)
    if fd is None:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        return _read(fd, limit)
    except OSError:
        return None
    finally:
        os.close(fd)


def is_closed(top: str, path: str) -> bool:
    """Whether there is a file, or may be one, that `read_file` could not read for want of permission."""
    at = os.path.join(os.fsencode(top), path_bytes(path))
    try:
        return stat.S_ISREG(os.lstat(at).st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


def file_size(top: str, path: str) -> int | None:
    """Size in bytes of what `read_file` would give, None where it would give None."""
    fd = _open(top, path)
    if fd is None:
        return None
    try:
        found = os.fstat(fd)
        return found.st_size if stat.S_ISREG(found.st_mode) else None
    finally:
        os.close(fd)


def blob_oid(data: bytes, object_format: str) -> str:
    """The id that git gives a blob of exactly these bytes (no filters). object_format: "sha1" or "sha256"."""
    digest = hashlib.new(object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def clean_oid(location: Location, paths: Sequence[str]) -> list[str]:
    """The ids that git would give these working files, with end-of-line conversion and clean filters applied.

    Nothing is written into the repository. "" for a path without a regular file to read, one answer for each path.
    """
    if location.top is None:
        raise CmgitError("a bare repository has no working files")
    oids = [""] * len(paths)
    by_line: list[int] = []
    for row, path in enumerate(paths):
        if file_size(location.top, path) is None:
            continue
        if "\n" in path or path.startswith('"'):
            # --stdin-paths reads lines, and a leading quote means a quoted name.
            oids[row] = run_git(location, ["hash-object", "--", path]).decode().strip()
        else:
            by_line.append(row)
    if by_line:
        asked = b"".join(path_bytes(paths[row]) + b"\n" for row in by_line)
        answer = run_git(location, ["hash-object", "--stdin-paths"], asked).decode().split()
        for row, oid in zip(by_line, answer, strict=True):
            oids[row] = oid
    return oids


def _parts(path: str) -> list[str] | None:
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        return None
    if os.sep != "/" and any(os.sep in part or ":" in part for part in parts):
        return None
    return parts


def _open(top: str, path: str) -> int | None:
    """A descriptor of the last part, each part opened inside the one before; None where one is a link or missing."""
    parts = _parts(path)
    if parts is None:
        return None
    if not _HAS_DIR_FD:
        return _open_by_path(top, parts)
    folder = -1
    try:
        folder = os.open(top, _FOLDER & ~os.O_NOFOLLOW)
        for part in parts[:-1]:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _FILE, dir_fd=folder)
    except OSError:
        return None
    finally:
        if folder >= 0:
            os.close(folder)


def _open_by_path(top: str, parts: Sequence[str]) -> int | None:
    """Where there are no folder descriptors (Windows): look at every part, then open."""
    at = top
    try:
        for part in parts:
            at = os.path.join(at, part)
            if stat.S_ISLNK(os.lstat(at).st_mode):
                return None
        return os.open(at, _FILE)
    except OSError:
        return None


def _read(fd: int, limit: int | None) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while left is None or left > 0:
        piece = os.read(fd, 1 << 20 if left is None else min(1 << 20, left))
        if not piece:
            break
        pieces.append(piece)
        if left is not None:
            left -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
