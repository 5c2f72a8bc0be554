"""What hooks leave for the background builder, below `cm/`.

`queue/WORKTREE.request` holds the event and the git directory; a later request of the same worktree takes the place of
an earlier one. `staged/NAME.index` is a copy of the index of a commit in the making, `staged/NAME.ready` its git
directory, written once the copy is whole. hooks/git-hook.sh writes all of them. `hooks/post-commit` is the hook of that
name where it is a link to here; while a rebase runs it has another name.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

QUEUE = "queue"
STAGED = "staged"
SWITCHED_HOOK = "hooks/post-commit"
"""What the post-commit hook is a link to; renamed while a rebase runs, so that git finds no hook at each pick."""
LEFTOVER_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Request:
    """Publish the snapshot of this worktree's HEAD. path: its file."""

    path: Path
    event: str
    git_dir: str

    @property
    def worktree(self) -> str:
        return self.path.stem


@dataclass(frozen=True, slots=True)
class StagedIndex:
    """The index of a commit in the making. written: when, in seconds."""

    copy: Path
    git_dir: str
    written: float

    @property
    def objects_dir(self) -> Path:
        return self.copy.with_suffix(".objects")


def switched_off_path(hook: Path) -> Path:
    """The name that `SWITCHED_HOOK` has meanwhile."""
    return hook.with_name(hook.name + ".off")


def hook_is_off(cm_dir: str) -> bool:
    return switched_off_path(Path(cm_dir) / SWITCHED_HOOK).exists()


def switch_on(cm_dir: str) -> None:
    """Give the post-commit hook its name back."""
    hook = Path(cm_dir) / SWITCHED_HOOK
    with contextlib.suppress(OSError):
        switched_off_path(hook).rename(hook)


def leave_request(cm_dir: str, event: str, git_dir: str) -> None:
    """What hooks/git-hook.sh does for an event."""
    with contextlib.suppress(OSError):
        worktree = "main" if Path(git_dir).samefile(Path(cm_dir).parent) else f"linked-{Path(git_dir).name}"
        (Path(cm_dir) / QUEUE / f"{worktree}.request").write_text(
            f"{event}\n{git_dir}\n", "utf-8", errors="surrogateescape"
        )


def waiting_requests(cm_dir: str) -> list[Request]:
    """Requests in the order of the worktrees' names. One that says nothing (a full disk) is removed."""
    found = []
    for path in sorted((Path(cm_dir) / QUEUE).glob("*.request")):
        try:
            event, _, git_dir = path.read_text("utf-8", "surrogateescape").partition("\n")
        except OSError:
            continue
        if git_dir.removesuffix("\n"):
            found.append(Request(path, event, git_dir.removesuffix("\n")))
        elif age(path) > 1.0:  # younger: it is just being written
            path.unlink(missing_ok=True)
    return found


def staged_indexes(cm_dir: str) -> list[StagedIndex]:
    """Whole copies, the newest first."""
    found = []
    for path in (Path(cm_dir) / STAGED).glob("*.ready"):
        with contextlib.suppress(OSError):
            git_dir = path.read_text("utf-8", "surrogateescape").removesuffix("\n")
            found.append(StagedIndex(path.with_suffix(".index"), git_dir, path.stat().st_mtime))
    return sorted(found, key=lambda staged: (staged.written, staged.copy.name), reverse=True)


def remove_staged(staged: StagedIndex) -> None:
    for suffix in (".ready", ".index", ".index.lock"):
        staged.copy.with_suffix(suffix).unlink(missing_ok=True)
    shutil.rmtree(staged.objects_dir, ignore_errors=True)


def remove_leftovers(cm_dir: str) -> None:
    """Copies that a killed hook or builder left behind."""
    for path in (Path(cm_dir) / STAGED).glob("*"):
        with contextlib.suppress(OSError):
            if age(path) > LEFTOVER_SECONDS:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def age(path: Path) -> float:
    """Seconds since the file was written; a clock that went back makes it old, not young."""
    try:
        seconds = time.time() - path.stat().st_mtime
    except OSError:
        return 0.0
    return seconds if seconds >= 0 else LEFTOVER_SECONDS * 2
