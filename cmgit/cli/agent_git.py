"""git asked by the hook: it runs while the hook loads what it needs, and is given up when the time is up."""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress

from cmgit.git.process import git_environment, pipe, reap, spawn

SIGKILL = 9  # as `signal` has it, whose import takes a prompt half a millisecond


class AskedGit:
    """A git that runs. Whoever takes no answer leaves it alone: it ends by itself.

    Args:
        cwd: the folder that it works in.
        argv: the subcommand and its arguments.

    Raises:
        CmgitError: git cannot be started.
    """

    def __init__(self, cwd: str, argv: list[str]) -> None:
        self._out, child_out = pipe()
        try:
            self._pid = spawn(["-C", cwd, *argv], git_environment(), None, child_out, None)
        finally:
            os.close(child_out)

    def answer(self, seconds: float) -> tuple[int, bytes] | None:
        """git's exit code and output; None where it does not answer in time. To be asked for once."""
        data, whole = read_all(self._out, seconds)
        os.close(self._out)
        if not whole:
            with suppress(ProcessLookupError):
                os.kill(self._pid, SIGKILL)  # not waited for: a disk that does not answer holds it
            return None
        code = 0  # a caller that ignores SIGCHLD has its children reaped by the kernel
        with suppress(ChildProcessError):
            code = reap(self._pid)
        return code, data


def ask_settings(cwd: str) -> AskedGit:
    """`git config cm.*` as seen from there."""
    return AskedGit(cwd, ["config", "-z", "--get-regexp", r"^cm\."])


def is_refused(cwd: str, seconds: float) -> bool:
    """Whether git itself works in no repository there; it refuses those of other users, unless it is told to trust."""
    answer = AskedGit(cwd, ["rev-parse", "--git-dir"]).answer(seconds)
    return answer is None or answer[0] != 0


def read_all(fd: int, seconds: float) -> tuple[bytes, bool]:
    """What comes until the end or until the time is up, and whether it was the end."""
    deadline = time.monotonic() + seconds
    parts: list[bytes] = []
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    while poll.poll(max(deadline - time.monotonic(), 0) * 1000):
        part = os.read(fd, 1 << 18)
        if not part:
            return b"".join(parts), True
        parts.append(part)
    return b"".join(parts), False
