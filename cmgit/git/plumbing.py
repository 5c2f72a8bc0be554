"""Running git itself, and nothing else: where the processes are started, with which environment, how pipes are drained.

`os.posix_spawn` instead of `subprocess`: two calls cost 8 ms of a cold start against 21, most of it the import. The
environment is git's own, less the variables that would point it at another repository (a hook in a linked worktree has
GIT_DIR and GIT_INDEX_FILE set, j178/prek#2505), plus what keeps git from taking locks, asking questions or using the
network. No shell is involved anywhere.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cmgit.core.errors import CmgitError

if TYPE_CHECKING:
    from cmgit.git.locate import Location

# `git rev-parse --local-env-vars`, less GIT_CONFIG_PARAMETERS and GIT_CONFIG_COUNT: these hold what the user gave with
# `git -c`, or a container's safe.directory; git keeps them too when it enters a submodule. Beyond that list: variables
# that change what the commands here mean.
_DROPPED = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_ATTR_SOURCE",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
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

_CHUNK = 1 << 18
_SIGPIPE = 13
_F_SETPIPE_SZ = 1031  # Linux


class GitFailed(CmgitError):
    """git left with a failure. code: its exit code (negative: minus the signal). stderr: what it said."""

    def __init__(self, message: str, hint: str = "", *, code: int = 128, stderr: str = "") -> None:
        super().__init__(message, hint)
        self.code = code
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class GitCall:
    """One call of git. argv: everything after `git`. env: variables on top of the cleared environment."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class GitDone:
    code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """The first line that git wrote to stderr as an error, else the first line, else ""."""
        lines = [line for line in self.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        for line in lines:
            if line.startswith(("fatal: ", "error: ")):
                return line.split(": ", 1)[1]
        return lines[0] if lines else ""


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of every git that cmgit starts: the process's own, cleared of what names another repository."""
    env = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    env.update(_ADDED)
    if extra:
        env.update(extra)
    return env


def place(where: Location | str) -> tuple[str, ...]:
    """The leading arguments that tell git where to work: a folder to discover from, or the exact directories.

    With a `Location` nothing is discovered again, so that neither a hook's variables nor a nested repository mislead.
    """
    if isinstance(where, str):
        return ("-C", where)
    if where.top is None:
        return ("-C", where.git_dir, f"--git-dir={where.git_dir}")
    return ("-C", where.top, f"--git-dir={where.git_dir}", f"--work-tree={where.top}")


def run_git(
    where: Location | str,
    args: Sequence[str],
    stdin: bytes = b"",
    *,
    env: Mapping[str, str] | None = None,
    ok: Iterable[int] = (0,),
) -> bytes:
    """What git writes to stdout.

    Args:
        where: a location, or a folder to discover the repository from.
        args: the subcommand and its arguments.
        stdin: given to git whole; any size.
        env: variables on top of the cleared environment (another index file or object directory).
        ok: exit codes that are no failure.

    Raises:
        GitFailed: git is not there, or left with another code.
    """
    (done,) = run_calls([GitCall((*place(where), *args), stdin, env)])
    if done.code not in tuple(ok):
        raise failure(args, done)
    return done.stdout


def failure(args: Sequence[str], done: GitDone) -> GitFailed:
    """The error for a call that failed, in git's own words."""
    command = next((arg for arg in args if not arg.startswith("-") and "=" not in arg), "git")
    reason = done.complaint or (f"killed by signal {-done.code}" if done.code < 0 else f"exit code {done.code}")
    return GitFailed(f"git {command}: {reason}", code=done.code, stderr=done.stderr.decode("utf-8", "replace"))


def run_calls(calls: Sequence[GitCall]) -> list[GitDone]:
    """Run calls side by side and wait for all of them. Failures are results here, except a git that cannot start."""
    if not hasattr(os, "posix_spawn"):
        return [_run_by_subprocess(call) for call in calls]
    running: list[_Running] = []
    try:
        for call in calls:
            running.append(_Running(call))
        _drain(running)
        return [job.wait() for job in running]
    finally:
        for job in running:
            job.end()


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


class _Running:
    """A started git: its pipes, and what came out so far."""

    def __init__(self, call: GitCall) -> None:
        self.pid = 0
        self.code: int | None = None
        self.fds: dict[int, list[bytes]] = {}
        self.stdin = -1
        self.rest = memoryview(call.stdin)
        child_in: int | None = None
        opened: list[int] = []
        try:
            out, child_out = pipe()
            opened += [out, child_out]
            err, child_err = pipe()
            opened += [err, child_err]
            if call.stdin:
                child_in, self.stdin = pipe()
                opened += [child_in, self.stdin]
                os.set_blocking(self.stdin, False)
            self.pid = spawn(call.argv, git_environment(call.env), child_in, child_out, child_err)
        except BaseException:
            for fd in opened:
                os.close(fd)
            raise
        self.out: list[bytes] = []
        self.err: list[bytes] = []
        self.fds = {out: self.out, err: self.err}
        os.close(child_out)
        os.close(child_err)
        if child_in is not None:
            os.close(child_in)

    def read(self, fd: int) -> bool:
        """Take what is there; False at the end."""
        data = os.read(fd, _CHUNK)
        if data:
            self.fds[fd].append(data)
            return True
        del self.fds[fd]
        os.close(fd)
        return False

    def write(self) -> bool:
        """Give what fits; False when all is given or git wants no more."""
        try:
            written = os.write(self.stdin, self.rest[:_CHUNK])
        except BlockingIOError:
            return True
        except BrokenPipeError:
            written = len(self.rest)
        self.rest = self.rest[written:]
        if len(self.rest):
            return True
        os.close(self.stdin)
        self.stdin = -1
        return False

    def wait(self) -> GitDone:
        stderr = b"".join(self.err)
        try:
            self.code = reap(self.pid)
        except ChildProcessError:
            # A caller that ignores SIGCHLD has its children reaped by the kernel; git's own words must do.
            self.code = 128 if stderr.startswith((b"fatal:", b"error:")) else 0
        return GitDone(self.code, b"".join(self.out), stderr)

    def end(self) -> None:
        """Close what is open; a git that still runs (an interrupt, another that could not start) is ended."""
        for fd in self.fds:
            os.close(fd)
        self.fds = {}
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1
        if self.pid and self.code is None:
            end_process(self.pid)
            self.code = -15


def end_process(pid: int) -> None:
    """End a child that we started and reap it."""
    try:
        os.kill(pid, 15)
        reap(pid)
    except (ProcessLookupError, ChildProcessError):
        pass


def _drain(running: Sequence[_Running]) -> None:
    """Move bytes until every pipe is at its end: neither large input nor large output can block the other."""
    owners: dict[int, _Running] = {}
    poll = select.poll()
    for job in running:
        for fd in job.fds:
            owners[fd] = job
            poll.register(fd, select.POLLIN)
        if job.stdin >= 0:
            owners[job.stdin] = job
            poll.register(job.stdin, select.POLLOUT)
    while owners:
        for fd, _ in poll.poll():
            job = owners[fd]
            if not (job.write() if fd == job.stdin else job.read(fd)):
                poll.unregister(fd)
                del owners[fd]


def _run_by_subprocess(call: GitCall) -> GitDone:
    """Where posix_spawn does not exist (Windows)."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", *call.argv], input=call.stdin, capture_output=True, check=False, env=git_environment(call.env)
        )
    except FileNotFoundError:
        raise GitFailed("git was not found", "install git 2.31 or newer and put it on PATH", code=127) from None
    return GitDone(done.returncode, done.stdout, done.stderr)
