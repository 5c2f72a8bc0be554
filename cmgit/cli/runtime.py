"""Where resident readers listen, which of them is ours, and how one is started. Standard library only.

Reads the environment, so that nobody else does.
"""

# pathlib costs a hook 5 ms:
# ruff: noqa: PTH116, PTH118
from __future__ import annotations

import os
import sys
from contextlib import suppress

import cmgit

TYPE_CHECKING = False  # importing `typing` would cost a prompt 2 ms
if TYPE_CHECKING:
    from cmgit.agents.where import Where
    from cmgit.git.locate import Location

LONGEST_FOLDER = 70
"""Bytes: a socket's path may have 103 on macOS, of which its name takes 26."""

THRIFTY = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "16777216"}
"""For glibc: otherwise each thread has an arena of its own with what was freed in it, and large arrays leave holes."""

TELLING = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")
"""Beside GIT_CONFIG*: the variables that say which settings, and so which answer."""


def serve_wanted() -> bool:
    """Whether a resident reader may be asked or started: `CMGIT_SERVE=off` keeps it out."""
    return os.environ.get("CMGIT_SERVE", "").lower() not in ("off", "0", "false", "no")


def runtime_dir() -> str:
    """The user's folder for sockets; it need not exist. One of the system's, which it empties when the user leaves,
    else one for the user's number among the temporary files."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")  # noqa: PTH111
        return os.path.join(local, "cmgit", "run")
    user = os.geteuid()
    candidates = [os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"]
    for folder in candidates:
        if folder and len(os.fsencode(folder)) + len("/cmgit") <= LONGEST_FOLDER and _is_mine(folder, user):
            return os.path.join(folder, "cmgit")
    shared = os.environ.get("TMPDIR", "") if sys.platform == "darwin" else ""
    if not shared or len(os.fsencode(shared)) + 20 > LONGEST_FOLDER:
        shared = "/tmp"
    return os.path.join(shared, f"cmgit-{user}")


def _is_mine(folder: str, user: int) -> bool:
    try:
        seen = os.stat(folder)
    except OSError:
        return False
    return seen.st_uid == user and not seen.st_mode & 0o022 and os.access(folder, os.W_OK | os.X_OK)


def version() -> str:
    """What the reader must share with who asks it: this very installation, and the settings that both see.

    A file's identity and times stand for the installation: an upgrade in place writes all of it anew.
    """
    from cmgit.view.resident import digest

    package = os.path.realpath(cmgit.__file__)
    parts = [package, sys.version]
    with suppress(OSError):
        seen = os.stat(package)
        parts.append(f"{seen.st_ino} {seen.st_mtime_ns} {seen.st_size}")
    telling = [name for name in os.environ if name in TELLING or name.startswith("GIT_CONFIG")]
    parts.extend(f"{name}={os.environ[name]}" for name in sorted(telling))
    return digest("\0".join(parts))


def start_reader(location: Location | Where) -> bool:
    """Start the reader of a worktree in the background, unless one runs or none is wanted. Does not wait for it."""
    from cmgit.view.resident import socket_path

    if not serve_wanted() or location.top is None:
        return False
    if is_taken(socket_path(location.git_dir, runtime_dir())):
        return False
    from cmgit.agents.program import interpreter

    python, flag = interpreter()
    argv = [python, flag, "-m", "cmgit.cli.serve_job", location.top]
    if not hasattr(os, "posix_spawn"):
        return _start_on_windows(argv)
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        _started.append(os.posix_spawn(python, argv, os.environ | THRIFTY, file_actions=null))
    except OSError:
        return False
    return True


_started: list[int] = []


def reap_readers() -> None:
    """For who stays long: a reader that it started and that has left is not kept as a zombie."""
    for pid in list(_started):
        try:
            gone = os.waitpid(pid, os.WNOHANG)[0] == pid
        except OSError:
            gone = True
        if gone:
            _started.remove(pid)


def _start_on_windows(argv: list[str]) -> bool:  # pragma: no cover
    """Without a console, and not in the caller's group: closing that ends nothing here."""
    import subprocess

    detached, own_group = 0x00000008, 0x00000200
    none = subprocess.DEVNULL
    try:
        subprocess.Popen(argv, stdin=none, stdout=none, stderr=none, creationflags=detached | own_group)
    except OSError:
        return False
    return True


def is_taken(path: str) -> bool:
    """Whether a reader holds the lock beside this socket."""
    if sys.platform == "win32":
        return os.path.exists(path)  # noqa: PTH110
    import fcntl

    try:
        fd = os.open(path.removesuffix(".sock") + ".lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
