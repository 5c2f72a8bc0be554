"""One of several processes that build, read and collect at once: `crowd_worker.py WORKTREE EXPECTED SECONDS SEED`.

Each has a worktree of its own, whose HEAD it moves; all share one store. EXPECTED names a JSON file:
`{"cm": folder, "witness": file, "answers": {tag: [[arguments, answer], …]}}`. Prints one JSON document,
`{"done": {what: count}, "wrong": [text, …]}`; a wrong answer is told by the lines in which it differs.
"""

from __future__ import annotations

import difflib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from cmgit.cli.boundary import run_guarded
from cmgit.cli.main import cli
from cmgit.snapshot import lock


def call(*arguments: str) -> tuple[int, bytes, str]:
    """Exit code, what was printed, what was said on stderr."""
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    kept = os.dup(1), os.dup(2)
    streams = sys.stdout, sys.stderr
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        # A test runner that captures has put other streams in the place of these two.
        sys.stdout, sys.stderr = (open(fd, "w", encoding="utf-8", closefd=False) for fd in (1, 2))  # noqa: SIM115
        try:
            code = run_guarded(lambda: cli.main(args=list(arguments), prog_name="git-cm", standalone_mode=False))
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            sys.stdout, sys.stderr = streams
            for fd, old in enumerate(kept, 1):
                os.dup2(old, fd)
                os.close(old)
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read().decode(errors="replace")


def differing(answer: str, wanted: str) -> str:
    return "\n".join(list(difflib.unified_diff(wanted.splitlines(), answer.splitlines(), "cold", "here", n=0))[:120])


def watch_the_lock(witness: Path, cm_dir: str, wrong: list[str]) -> None:
    """A file that only the holder of the builder's lock may make: two holders at once would meet it."""
    take, leave = lock.BuilderLock.__init__, lock.BuilderLock.close

    def taken(self: lock.BuilderLock, fd: int, folder: str) -> None:
        take(self, fd, folder)
        if folder == cm_dir:
            try:
                os.close(os.open(witness, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                wrong.append("two builders at once")

    def left(self: lock.BuilderLock) -> None:
        if self._fd >= 0 and self.cm_dir == cm_dir:
            witness.unlink(missing_ok=True)
        leave(self)

    lock.BuilderLock.__init__ = taken  # type: ignore[method-assign]
    lock.BuilderLock.close = left  # type: ignore[method-assign]


WEIGHTS = {"move": 2, "read": 4, "read a revision": 3, "build": 3, "build a revision": 1, "gc": 2, "verify": 1}
LEAST = 6
"""Things that each of them does, however slow the machine is."""


def main() -> None:
    worktree, expected, seconds, seed = sys.argv[1:]
    os.chdir(worktree)
    given = json.loads(Path(expected).read_text())
    answers, tags = given["answers"], sorted(given["answers"])
    rng, done, wrong = random.Random(int(seed)), Counter[str](), list[str]()
    watch_the_lock(Path(given["witness"]), given["cm"], wrong)
    here = ""
    call(*answers[tags[0]][0][0], "--rev", tags[0])  # what is loaded once is loaded before the clock starts
    end = time.monotonic() + float(seconds)
    while (time.monotonic() < end or sum(done.values()) < LEAST) and len(wrong) < 3:
        kind = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0] if here else "move"
        tag, wanted = here if kind == "read" else rng.choice(tags), None
        if kind == "move":
            subprocess.run(["git", "checkout", "-q", "--detach", tag], check=True)
            here = tag
            continue
        if kind.startswith("read"):
            arguments, wanted = rng.choice(answers[tag])
            arguments = arguments if kind == "read" else [*arguments, "--rev", tag]
        elif kind.startswith("build"):
            arguments = ["index"] if kind == "build" else ["index", "--rev", tag]
        else:
            arguments = [kind]
        code, out, err = call(*arguments)
        done[kind] += 1
        answer = out.decode(errors="replace")
        if code != 0 or (wanted is not None and answer != wanted):
            wrong.append(f"{arguments} at {tag}: exit {code}, {err[-1500:]} {differing(answer, wanted or '')}")
    print(json.dumps({"done": done, "wrong": wrong}))


if __name__ == "__main__":
    main()
