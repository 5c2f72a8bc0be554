"""`git cm hook EVENT` and `cm-hook EVENT`: what a hook calls. Prints nothing, waits for nothing, leaves with 0.

The foreground is hooks/git-hook.sh: this process becomes that shell. The background job is this module again, with
`--job`. Only the standard library is loaded until the job has left git's session.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from cmgit.agents.program import hook_script, interpreter

if TYPE_CHECKING:
    from cmgit.core.config import Config
    from cmgit.git.locate import Location

HANDED_OVER = "CMGIT_HANDED_OVER"
NICE = 10

USAGE = """\
Usage: git cm hook EVENT [what git gave the hook]
       git cm hook CLIENT

  Called by git's hooks: post-commit, post-checkout, post-merge and post-rewrite have HEAD's snapshot published in the
  background, pre-commit has the blobs of the commit in the making parsed and embedded. Prints nothing and always ends
  with exit code 0. What the background did stands in cm/build.log of the git directory; `git cm doctor` shows it.

  With the name of an agent's client (claude, codex, …) it reads that client's event from stdin and prints the context
  for its prompt, or nothing; exit code 0 always. Each event is noted in cm/agent.log.
"""


def hook_main(args: Sequence[str]) -> NoReturn:
    """Run a hook or its background job; never raises, never returns."""
    with suppress(BaseException):  # a hook must not show or break anything; the log has what matters
        if args and args[0] in ("-h", "--help"):
            os.write(1, USAGE.encode())
        elif len(args) == 2 and args[0] == "--job":
            run_job(args[1])
        elif args:
            run_hook(args)
    os._exit(0)


def run_hook(args: Sequence[str]) -> None:
    """Become the shell script that leaves the request and starts the job."""
    other = other_installation()
    quiet()
    if other is not None:
        os.environ[HANDED_OVER] = "1"
        os.execv(other, [other, "hook", *args])
    script = hook_script()
    if script is not None:
        python, flag = interpreter()
        os.execv("/bin/sh", ["sh", script, python, flag, *args])


def quiet() -> None:
    """Nothing of ours reaches the caller's pipes, and nothing of ours keeps them open."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)


def other_installation() -> str | None:
    """The user's own `git-cm`, when this one lives in an environment that pre-commit or prek made.

    Two versions have two recipes: whichever hook ran last would build what the other one built already.
    """
    if not os.environ.get("PRE_COMMIT") or os.environ.get(HANDED_OVER):
        return None
    here = os.path.realpath(sys.prefix) + os.sep
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, "git-cm")  # noqa: PTH118
        # The folder counts, not what the name points to: an environment's scripts may be links.
        foreign = os.path.isabs(folder) and not os.path.realpath(folder).startswith(here)  # noqa: PTH117
        if foreign and os.access(path, os.X_OK) and os.path.isfile(path):  # noqa: PTH113
            return path
    return None


def run_job(cm_dir: str) -> None:
    """Leave git's session, then serve the queue at low priority."""
    detach()
    common = os.path.dirname(cm_dir)  # noqa: PTH120
    link = os.path.join(common, "hooks", "post-commit")  # noqa: PTH118
    if os.path.islink(link) and not os.path.exists(link):  # noqa: PTH110, PTH114
        from cmgit.agents.git_hooks import this_program
        from cmgit.agents.linked_hook import mend_link

        with suppress(Exception):  # the next event tries again
            mend_link(common, this_program)
    try:
        from cmgit.index.hooks import run_queue

        run_queue(cm_dir, config_of)
    except BaseException as error:  # whatever it is, `git cm doctor` shows it
        note_end(cm_dir, f"background job: failed: {type(error).__name__}: {error}")


def note_end(cm_dir: str, text: str) -> None:
    """A line in the log, written by nothing that could be what is broken."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {os.getpid()} {' '.join(text.split())}\n".encode("utf-8", "backslashreplace")
    fd = os.open(os.path.join(cm_dir, "build.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)  # noqa: PTH118
    os.write(fd, line)
    os.close(fd)


def detach() -> None:
    """A session of our own, no descriptor of the caller's, none of git's variables, the lowest useful priority."""
    if os.getpid() != os.getsid(0):
        with suppress(OSError):  # the leader of a group already
            os.setsid()
    quiet()
    os.closerange(3, 1024)
    os.chdir("/")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if hasattr(os, "nice"):
        os.nice(max(0, NICE - os.nice(0)))


def config_of(location: Location) -> Config:
    from cmgit.cli.session import config_from
    from cmgit.git.settings import read_settings

    return config_from(read_settings(location))


if __name__ == "__main__":
    hook_main(sys.argv[1:])
