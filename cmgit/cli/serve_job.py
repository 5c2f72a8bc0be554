"""What `git cm serve --background` and the prompt hook start: the reader, apart from whoever started it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

HIGHEST_DESCRIPTOR = 4_096


def main(top: str) -> NoReturn:
    """Serve the worktree at `top`; never raises, never returns."""
    with suppress(BaseException):
        detach()
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        gc.set_threshold(200_000, 50, 100)
        from cmgit.cli.reader import run_reader
        from cmgit.git.locate import locate

        run_reader(locate(top))
    os._exit(0)


def detach() -> None:
    """A session of our own, no descriptor of the caller's, a folder that nobody wants to remove."""
    if hasattr(os, "setsid"):
        with suppress(OSError):  # the leader of a group already
            os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(3, HIGHEST_DESCRIPTOR)
    os.chdir(os.path.abspath(os.sep))  # noqa: PTH100


if __name__ == "__main__":
    main(sys.argv[1])
