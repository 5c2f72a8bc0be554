"""Where a reader listens: a folder that only the user enters, one lock and one socket for each worktree.

The lock is an open descriptor: it vanishes with its process, however that ends. Whoever holds it owns the socket's
name, so a socket that a killed reader left is simply taken over, and the locks of others that nobody holds are swept.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from cmgit.core.errors import CmgitError
from cmgit.snapshot.lock import claim
from cmgit.view.resident import is_private

LOCK, SOCKET = ".lock", ".sock"
BACKLOG = 64
TRIES, PAUSE = 5, 0.04
"""A client that only looks whether the lock is taken holds it for a moment."""


@dataclass(slots=True)
class Place:
    """A held place. token: what a client on loopback must say first, empty on a Unix socket."""

    path: Path
    listener: socket.socket
    token: bytes
    _lock: int
    _inode: int

    def is_ours(self) -> bool:
        """Nobody removed or replaced what clients connect to."""
        try:
            return self.path.lstat().st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Stop listening and leave nothing behind. The lock goes last: what it guards is gone by then."""
        self.listener.close()
        if self._lock < 0:
            return
        if self.is_ours():
            self.path.unlink(missing_ok=True)
        self.path.with_suffix(LOCK).unlink(missing_ok=True)
        lock, self._lock = self._lock, -1
        os.close(lock)


def take_place(
    path: Path, about: dict[str, object], *, loopback: bool = not hasattr(socket, "AF_UNIX")
) -> Place | None:
    """Listen for a worktree; None while another reader does.

    Args:
        path: see `view.resident.socket_path`. about: written into the lock file, for people.
        loopback: a port on 127.0.0.1 and a token in a file instead of a Unix socket.

    Raises:
        CmgitError: the folder is not the user's alone, or nothing can be made in it.
    """
    try:
        make_private(path.parent)
        sweep(path.parent)
        lock = hold(path.with_suffix(LOCK))
        if lock is None:
            return None
        try:
            os.ftruncate(lock, 0)
            os.write(lock, json.dumps(about).encode() + b"\n")
            listener, token = listen_on_loopback(path) if loopback else listen(path)
            return Place(path, listener, token, lock, path.lstat().st_ino)
        except BaseException:
            os.close(lock)
            raise
    except OSError as error:
        raise CmgitError(
            f"no reader can listen in {path.parent}: {error.strerror or error}",
            "commands and hooks answer without it; CMGIT_SERVE=off keeps them from trying",
        ) from error


def make_private(folder: Path) -> None:
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    if not is_private(str(folder)):
        raise CmgitError(
            f"{folder} is not this user's alone",
            f"somebody else may listen there; remove it, or `chmod 700 {folder}` if it is yours",
        )


def hold(path: Path) -> int | None:
    """The descriptor of the locked file; None while somebody else has it."""
    for _ in range(TRIES):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
        held = claim(fd)
        if held is not False and still_named(path, fd):
            return fd
        os.close(fd)
        if held is False:
            time.sleep(PAUSE)
    return None


def still_named(path: Path, fd: int) -> bool:
    """The reader that left between our opening and our locking took the file with it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except OSError:
        return False


def sweep(folder: Path) -> None:
    """Remove the sockets and locks of readers that were killed."""
    for lock in folder.glob("*" + LOCK):
        with contextlib.suppress(OSError):
            fd = os.open(lock, os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0))
            try:
                if claim(fd) and still_named(lock, fd):
                    lock.with_suffix(SOCKET).unlink(missing_ok=True)
                    lock.unlink(missing_ok=True)
            finally:
                os.close(fd)


def listen(path: Path) -> tuple[socket.socket, bytes]:
    """A Unix socket, 0600. The caller holds the lock."""
    if path.exists() and not stat.S_ISSOCK(path.lstat().st_mode):
        raise FileExistsError(f"{path} is no socket")
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)  # nobody can connect before `listen`
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener, b""


def listen_on_loopback(path: Path) -> tuple[socket.socket, bytes]:
    """Where there are no Unix sockets (Windows): a port that the system chooses, and a file with it and a token."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind(("127.0.0.1", 0))
        listener.listen(BACKLOG)
        token = secrets.token_hex(32)
        path.unlink(missing_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(f"{listener.getsockname()[1]} {token}\n")
    except BaseException:
        listener.close()
        raise
    return listener, token.encode()
