"""The background job behind git's hooks: one runner for a repository serves what hooks left in the queue.

Requests that come while it works are found when it looks again, so any number of them costs one more run; during a
rebase, merge, cherry-pick or bisect it waits for the end, and fifty picks end in one build. Nothing relies on it: a
reader answers for the files as they are, with or without a snapshot of HEAD.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError
from cmgit.git.locate import Location, locate
from cmgit.git.operations import operation_in_progress
from cmgit.index.build_log import log_build
from cmgit.index.requests import (
    QUEUE,
    Request,
    StagedIndex,
    hook_is_off,
    leave_request,
    remove_leftovers,
    remove_staged,
    staged_indexes,
    switch_on,
    waiting_requests,
)
from cmgit.snapshot.lock import wait_lock

PATIENCE = 600.0
"""Seconds that a running operation is waited for; after that it is a stop, and HEAD is worth a snapshot."""

RUNNER = "runner"
"""The runner's process id, for hooks that would only start another one."""

ATTEMPTS = "attempts"
MAX_ATTEMPTS = 3
BACKOFF_SECONDS = 3_600.0

ConfigOf = Callable[[Location], Config]
"""Settings of a repository."""


def run_queue(cm_dir: str, config_of: ConfigOf, *, patience: float = PATIENCE) -> int:
    """Serve the queue until it is empty, unless another process does so already.

    Returns:
        How many requests were served.

    Raises:
        CmgitError: the folder cannot be written.
    """
    queue = Path(cm_dir) / QUEUE
    served = 0
    while queue.is_dir():  # else the repository was moved or removed meanwhile: nothing is made in its place
        mark = queue / RUNNER
        lock = wait_lock(str(queue), "hooks", timeout=0.2)
        if lock is None:
            if is_signed(mark):  # by the hook that started us
                mark.unlink(missing_ok=True)
            return served  # whoever holds it looks at the queue once more after it has let go
        with lock:
            try:
                served += drain(cm_dir, config_of, patience)
            finally:
                # First the mark, then the last look: a hook that saw the mark had left its request before.
                mark.unlink(missing_ok=True)
        if not waiting_requests(cm_dir) and not staged_indexes(cm_dir):
            break
    return served


def drain(cm_dir: str, config_of: ConfigOf, patience: float) -> int:
    """Serve until nothing is left: first commits that were made, then those in the making, then those that wait."""
    served = 0
    since: dict[Path, float] = {}
    remove_leftovers(cm_dir)
    mark = Path(cm_dir) / QUEUE / RUNNER
    while True:
        if not is_signed(mark):  # or a hook that started another process wrote that one's id over ours
            mark.write_text(f"{os.getpid()}\n")
        off = hook_is_off(cm_dir)  # first: a rebase leaves its request, then switches the hook off
        requests, staged = waiting_requests(cm_dir), staged_indexes(cm_dir)
        rebasing = any(operation_in_progress(request.git_dir) == "rebase" for request in requests)
        if off and (staged or not rebasing):
            if not rebasing:
                switch_on(cm_dir)
            for index in staged:  # commits that no post-commit hook tells of
                leave_request(cm_dir, "pre-commit", index.git_dir)
            requests = waiting_requests(cm_dir)
        ready = [request for request in requests if may_start(request, since, patience)]
        if ready:
            for index in staged:
                if any(index.git_dir == request.git_dir for request in ready):
                    remove_staged(index)  # that commit was made
            for request in ready:
                since.pop(request.path, None)
                request.path.unlink(missing_ok=True)  # before HEAD is read: what comes now is a new request
                guarded(cm_dir, f"{request.event} in {request.worktree}", partial(serve, request, config_of))
        elif staged:
            for index in staged[1:]:
                remove_staged(index)
            try:
                guarded(cm_dir, "pre-commit", partial(prepare, staged[0], config_of))
            finally:
                remove_staged(staged[0])
        elif requests:
            waited = max(time.monotonic() - since[request.path] for request in requests)
            time.sleep(min(1.0, 0.05 + waited / 10))
            continue
        else:
            return served
        served += max(1, len(ready))


def is_signed(mark: Path) -> bool:
    """Whether the mark holds our process id."""
    try:
        return mark.read_text() == f"{os.getpid()}\n"
    except OSError:
        return False


def may_start(request: Request, since: dict[Path, float], patience: float) -> bool:
    if operation_in_progress(request.git_dir) is None:
        return True
    return time.monotonic() - since.setdefault(request.path, time.monotonic()) >= patience


def guarded(cm_dir: str, what: str, run: Callable[[], str]) -> None:
    """Run one request and write its line into the log. A failure is one line too, and the next request is served."""
    started = time.monotonic()
    try:
        said = run()
    except CmgitError as error:
        said = f"failed: {error.message}" + (f" ({error.hint})" if error.hint else "")
    except Exception as error:  # a bug must not keep the other requests waiting; the log shows it
        said = f"failed: internal error: {type(error).__name__}: {error}"
    log_build(cm_dir, f"{what}: {said} [{time.monotonic() - started:.2f} s]")


def serve(request: Request, config_of: ConfigOf) -> str:
    """Publish the snapshot of a worktree's HEAD; says what was done."""
    from cmgit.core.records import no_progress
    from cmgit.git.revisions import head_tree

    if not Path(request.git_dir).is_dir():
        return "the worktree is gone"
    location = locate(request.git_dir)
    config = config_of(location)
    if not config.hooks:
        return "hooks are switched off by cm.hooks"
    tree = head_tree(location)
    if tree is None:
        return "no commit yet"
    if not worth_trying(location.cm_dir, tree):
        return f"tree {tree} failed {MAX_ATTEMPTS} times and is left alone for an hour; `git cm index` tries at once"
    from cmgit.index.build import build

    warnings: list[str] = []
    report = build(location, tree, config, no_progress, warnings.append)
    succeeded(location.cm_dir)
    if "link" not in report.seconds and not report.embedded:
        return f"tree {tree} has a snapshot already"
    said = f"tree {tree} published: {report.parsed} parsed, {report.reused} reused, {report.embedded} embedded"
    return "; ".join([said, *warnings])


def prepare(staged: StagedIndex, config_of: ConfigOf) -> str:
    """Parse and embed the tree that is about to be committed; its snapshot is then a link away."""
    from cmgit.git.staged import write_tree_aside

    if not Path(staged.git_dir).is_dir():
        return "the worktree is gone"
    location = locate(staged.git_dir)
    config = config_of(location)
    if not config.hooks:
        return "hooks are switched off by cm.hooks"
    staged.objects_dir.mkdir()
    tree = write_tree_aside(location, str(staged.copy), str(staged.objects_dir))
    from cmgit.index.stage import stage

    return stage(location, tree, str(staged.objects_dir), config)


def worth_trying(cm_dir: str, tree: str) -> bool:
    """False for a tree whose build was killed or failed again and again (DeusData/codebase-memory-mcp#1864: a worker
    that ran out of memory daily). Finished blobs are kept, so a few tries do make progress."""
    path = Path(cm_dir) / QUEUE / ATTEMPTS
    tried, when = 0, 0.0
    with contextlib.suppress(OSError, ValueError):
        name, number, seconds = path.read_text().split()
        if name == tree:
            tried, when = int(number), float(seconds)
    now = time.time()
    if tried >= MAX_ATTEMPTS and -60 <= now - when < BACKOFF_SECONDS:
        return False
    with contextlib.suppress(OSError):
        path.write_text(f"{tree} {0 if tried >= MAX_ATTEMPTS else tried + 1} {int(now)}\n")
    return True


def succeeded(cm_dir: str) -> None:
    with contextlib.suppress(OSError):
        (Path(cm_dir) / QUEUE / ATTEMPTS).unlink(missing_ok=True)
