"""Files that are whole or absent: write beside, sync, rename, sync the folder.

A rename alone is not enough: after a power cut the name may point at a file without content (tenequm/pond#110 found
its newest manifest at zero bytes). So the file is synced before it gets its name, and the folder afterwards.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from cmgit.core.errors import CmgitError

TEMP_PREFIX = ".tmp-"
"""Names that begin so are being written; what a dead writer left is removed by the collector."""

_counter = 0


def temp_name(suffix: str = "") -> str:
    """A file name that no other writer, dead or alive, uses."""
    global _counter
    _counter += 1
    return f"{TEMP_PREFIX}{os.getpid()}-{_counter}-{os.urandom(4).hex()}{suffix}"


def write_atomic(path: Path, data: bytes) -> None:
    """Give `path` exactly these bytes, or leave it as it was. The folder is made when it is missing.

    Raises:
        CmgitError: the disk is full, read-only or closed to this user; nothing is left behind.
    """
    with storage_errors(path):
        make_folder(path.parent)
        temp = path.parent / temp_name()
        try:
            _write_synced(temp, data)
            temp.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temp.unlink()
            raise
        sync_folder(path.parent)


def _write_synced(path: Path, data: bytes) -> None:
    # An unbuffered descriptor: a full disk shows in write or fsync, never later in a destructor.
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: Path) -> None:
    """Make a folder and its parents, and make their names last."""
    if path.is_dir():
        return
    missing = [path, *(parent for parent in path.parents if not parent.is_dir())]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync_folder(folder.parent)


def sync_file(path: Path) -> None:
    """Bring a file's bytes to the disk."""
    flags = os.O_RDWR if os.name == "nt" else os.O_RDONLY  # Windows flushes only what may be written
    fd = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: Path) -> None:
    """Bring a folder's names to the disk, where the system can do that (Windows cannot open a folder)."""
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    except OSError as error:
        # Some network and FUSE file systems refuse to sync a folder; the rename is then as safe as they make it.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP, errno.EBADF}:
            raise
    finally:
        os.close(fd)


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn the failures of a disk into a message and a hint; other errors pass."""
    try:
        yield
    except OSError as error:
        stated = _stated(path, error)
        if stated is None:
            raise
        raise stated from error


def _stated(path: Path, error: OSError) -> CmgitError | None:
    where = printable(path.parent)
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return CmgitError(
                f"no space left to write in {where}",
                "free some space or run `git cm gc`; the last good snapshot still answers",
            )
        case errno.EROFS:
            return CmgitError(
                f"{where} is on a read-only file system", "reading goes on; run `git cm index` where it can be written"
            )
        case errno.EACCES | errno.EPERM:
            return CmgitError(f"no permission to write in {where}", "check the owner and the mode of that folder")
        case errno.ENOTDIR | errno.EEXIST | errno.EISDIR:
            return CmgitError(
                f"{printable(path)} is not what it should be: {error.strerror}", "remove it and try again"
            )
        case errno.EIO:
            return CmgitError(f"the disk failed while writing in {where}", "check the disk; nothing was published")
        case _:
            return None


def printable(path: Path) -> str:
    """A path for a message; bytes that are not text are shown as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
