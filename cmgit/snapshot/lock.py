"""One builder at a time for a store.

An advisory lock on `cm/lock`, held by an open descriptor: it vanishes with its process, however that ends, so there is
no stale lock to break and no process id to mistake for another. The file's text only says who holds it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from cmgit.core.atomic import make_folder, storage_errors
from cmgit.core.record import record

LOCK_FILE = "lock"
_TEXT_AT = 1  # byte 0 is what Windows locks; others could not read it
_UNSUPPORTED = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}


@record
class LockOwner:
    """Who holds the lock, as the holder wrote it; for messages, never for decisions."""

    pid: int
    host: str
    purpose: str


class BuilderLock:
    """The held lock. Close it, or leave the `with` block, to give it up."""

    def __init__(self, fd: int, cm_dir: str) -> None:
        self._fd = fd
        self.cm_dir = cm_dir

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            with contextlib.suppress(OSError):
                os.ftruncate(fd, 0)
            _unlock(fd)
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def try_lock(cm_dir: str, purpose: str = "build") -> BuilderLock | None:
    """Take the builder's lock without waiting; None while somebody else has it.

    Raises:
        CmgitError: the folder cannot be written.
    """
    path = Path(cm_dir) / LOCK_FILE
    with storage_errors(path):
        make_folder(path.parent)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if not _lock(fd):
                os.close(fd)
                return None
            owner = json.dumps({"pid": os.getpid(), "host": host_name(), "purpose": purpose})
            with contextlib.suppress(OSError):  # a full disk must not keep the collector from freeing it
                os.ftruncate(fd, 0)
                os.write(fd, b" " * _TEXT_AT + owner.encode() + b"\n")
        except BaseException:
            with contextlib.suppress(OSError):
                os.close(fd)
            raise
    return BuilderLock(fd, cm_dir)


def host_name() -> str:
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket  # readers take no lock: they need not load it

    return socket.gethostname()


def wait_lock(
    cm_dir: str,
    purpose: str = "build",
    waiting: Callable[[LockOwner | None], None] | None = None,
    timeout: float | None = None,
    pause: float = 0.05,
) -> BuilderLock | None:
    """Take the builder's lock, waiting for it.

    Args:
        waiting: called once when the lock is not free, with its owner where known.
        timeout: seconds; None waits for ever. pause: seconds between two tries.

    Returns:
        The lock, or None after the timeout.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    told = False
    while (lock := try_lock(cm_dir, purpose)) is None:
        if not told and waiting is not None:
            waiting(lock_owner(cm_dir))
        told = True
        if deadline is not None and time.monotonic() >= deadline:
            return None
        time.sleep(pause)
    return lock


def lock_owner(cm_dir: str) -> LockOwner | None:
    """Who wrote into the lock file last and has not given it up; None when nobody or unreadable."""
    try:
        with (Path(cm_dir) / LOCK_FILE).open("rb") as stream:
            stream.seek(_TEXT_AT)
            owner = json.loads(stream.read(4096))
        return LockOwner(int(owner["pid"]), str(owner["host"]), str(owner["purpose"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(fd: int) -> bool:
        os.lseek(fd, 0, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        with contextlib.suppress(OSError):
            msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

    def share(fd: int) -> bool:
        """Windows has no shared advisory lock here; a file that is open there cannot be removed anyway."""
        del fd
        return False

    def claim(fd: int) -> bool | None:
        """Whether nobody shares the file; None where locks cannot say."""
        del fd
        return None

else:
    import fcntl

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            return _lock_record(fd)
        return True

    def _lock_record(fd: int) -> bool:
        """Some network file systems have record locks only."""
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EAGAIN}:
                return False
            raise OSError(errno.ENOLCK, "this file system has no locks") from error
        return True

    def _unlock(fd: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)

    def share(fd: int) -> bool:
        """Hold a file against the collector until the descriptor is closed; False where locks do not work."""
        try:
            fcntl.flock(fd, fcntl.LOCK_SH)
        except OSError:
            return False
        return True

    def claim(fd: int) -> bool | None:
        """Whether nobody shares the file (it is then locked by us); None where locks do not work."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True
