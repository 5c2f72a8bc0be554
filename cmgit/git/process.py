"""Starting a git process: its environment and its descriptors.

The environment is git's own, less the variables that would point it at another repository (a hook in a linked worktree
has GIT_DIR and GIT_INDEX_FILE set, j178/prek#2505), plus what keeps git from taking locks, asking questions or using
the network.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from cmgit.core.errors import CmgitError

TYPE_CHECKING = False  # importing `typing` would cost a prompt 2 ms
if TYPE_CHECKING:
    from typing import Any

# `git rev-parse --local-env-vars`, less GIT_CONFIG_PARAMETERS and GIT_CONFIG_COUNT: these hold what the user gave with
# `git -c`, or a container's safe.directory; git keeps them too when it enters a submodule. Beyond that list: variables
# that change what the commands here mean.
_DROPPED = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_ATTR_SOURCE",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIFF_OPTS",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_FLUSH",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REDIRECT_STDERR",
        "GIT_REDIRECT_STDIN",
        "GIT_REDIRECT_STDOUT",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
        "LANGUAGE",
    }
)

_ADDED = {
    "GIT_OPTIONAL_LOCKS": "0",  # status must not refresh the index (pre-commit/pre-commit#3632)
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # git 2.45 and newer: a partial clone's missing blob is missing
    "GIT_ALLOW_PROTOCOL": "none",  # older git: the lazy fetch is tried, and no transport is allowed to serve it
    "GIT_NO_REPLACE_OBJECTS": "1",  # an id names its own bytes, as pygit2 sees it too
    "GIT_PAGER": "cat",
    "LC_ALL": "C",  # messages are matched and shown
}

_SIGPIPE = 13


class GitFailed(CmgitError):
    """git left with a failure. code: its exit code (negative: minus the signal). stderr: what it said."""

    def __init__(self, message: str, hint: str = "", *, code: int = 128, stderr: str = "") -> None:
        super().__init__(message, hint)
        self.code = code
        self.stderr = stderr


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of every git that cmgit starts: the process's own, cleared of what names another repository."""
    env = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    env.update(_ADDED)
    if extra:
        env.update(extra)
    return env


def _high(fd: int) -> int:
    """The same descriptor above the standard three: a caller with closed ones would else see them overwritten."""
    if fd > 2:
        return fd
    import fcntl

    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(fd)
    return moved


def pipe() -> tuple[int, int]:
    read, write = os.pipe()
    return _high(read), _high(write)


def spawn(argv: Sequence[str], env: Mapping[str, str], stdin: int | None, stdout: int, stderr: int | None) -> int:
    """Start git with these descriptors (None: the null device) and give its process id, for `reap`."""
    if not hasattr(os, "posix_spawn"):
        return _spawn_by_subprocess(argv, env, stdin, stdout, stderr)
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [(os.POSIX_SPAWN_DUP2, stdout, 1)]
    if stdin is None:
        actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    else:
        actions.append((os.POSIX_SPAWN_DUP2, stdin, 0))
    if stderr is None:
        actions.append((os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))
    else:
        actions.append((os.POSIX_SPAWN_DUP2, stderr, 2))
    try:
        # Python ignores SIGPIPE, and what is ignored stays so in a child: git and its filters expect the default.
        return os.posix_spawnp("git", ["git", *argv], env, file_actions=actions, setsigdef=[_SIGPIPE])
    except FileNotFoundError:
        raise GitFailed("git was not found", "install git 2.31 or newer and put it on PATH", code=127) from None
    except ValueError as error:
        raise GitFailed(f"git cannot be called with these arguments: {error}", code=127) from None


def reap(pid: int) -> int:
    """Wait for a process that `spawn` started and give its exit code.

    Raises:
        ChildProcessError: somebody else has reaped it.
    """
    if pid in _popen:
        return int(_popen.pop(pid).wait())
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


_popen: dict[int, Any] = {}
"""Processes started where posix_spawn does not exist: their handles are what can be waited for."""


def _spawn_by_subprocess(
    argv: Sequence[str], env: Mapping[str, str], stdin: int | None, stdout: int, stderr: int | None
) -> int:
    import subprocess

    none = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            ["git", *argv],
            env=env,
            stdin=none if stdin is None else stdin,
            stdout=stdout,
            stderr=none if stderr is None else stderr,
        )
    except FileNotFoundError:
        raise GitFailed("git was not found", "install git 2.31 or newer and put it on PATH", code=127) from None
    _popen[process.pid] = process
    return process.pid


def end_process(pid: int) -> None:
    """End a child that we started and reap it."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, 15)
        reap(pid)
