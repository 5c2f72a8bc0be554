"""Asking git itself, and nothing else: where it works, how pipes are drained, what a failure says.

`os.posix_spawn` instead of `subprocess`: two calls cost 8 ms of a cold start against 21, most of it the import. No
shell is involved anywhere.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cmgit.core.record import record
from cmgit.git.process import GitFailed, end_process, git_environment, pipe, reap, spawn

if TYPE_CHECKING:
    from cmgit.git.locate import Location

_CHUNK = 1 << 18
_RUN_NOTHING = ("-c", "core.fsmonitor=false")


@record
class GitCall:
    """One call of git. argv: everything after `git`. env: variables on top of the cleared environment."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] | None = None


COMPLAINT_LINES = 4
"""Some messages go on in the next line: "unknown repository extension found:" is followed by its name."""


@record
class GitDone:
    code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """What git wrote to stderr, from its first error on, on one line; "" where it said nothing."""
        lines = [line.strip() for line in self.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        first = next((i for i, line in enumerate(lines) if line.startswith(("fatal: ", "error: "))), None)
        if first is not None:
            lines = [lines[first].split(": ", 1)[1], *lines[first + 1 :]]
        return " ".join(lines[:COMPLAINT_LINES])


def place(where: Location | str) -> tuple[str, ...]:
    """The leading arguments that tell git where to work: a folder to discover from, or the exact directories.

    With a `Location` nothing is discovered again, so that neither a hook's variables nor a nested repository mislead.
    Whatever reads the index may run the program that `core.fsmonitor` names, so that is off in every call.
    """
    if isinstance(where, str):
        return (*_RUN_NOTHING, "-C", where)
    if where.top is None:
        return (*_RUN_NOTHING, "-C", where.git_dir, f"--git-dir={where.git_dir}")
    return (*_RUN_NOTHING, "-C", where.top, f"--git-dir={where.git_dir}", f"--work-tree={where.top}")


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
    return start_calls(calls).answers()


def start_calls(calls: Sequence[GitCall]) -> StartedCalls:
    """Start calls side by side, for whoever has something else to do until they are done: imports, at a cold start."""
    return StartedCalls(calls)


class StartedCalls:
    """Calls of git that run. Whoever takes no answers ends them."""

    def __init__(self, calls: Sequence[GitCall]) -> None:
        self._calls: Sequence[GitCall] = ()
        self._running: list[_Running] = []
        if not hasattr(os, "posix_spawn"):
            self._calls = calls
            return
        try:
            for call in calls:
                self._running.append(_Running(call))
        except BaseException:
            self.end()
            raise

    def answers(self) -> list[GitDone]:
        """Wait for all of them; in the order of the calls. To be asked for once."""
        try:
            _drain(self._running)
            return [job.wait() for job in self._running] or [_run_by_subprocess(call) for call in self._calls]
        finally:
            self.end()

    def end(self) -> None:
        """Those that still run are ended, and nothing stays open."""
        for job in self._running:
            job.end()


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
