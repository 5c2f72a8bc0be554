"""The few questions about commits that notes have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.records import path_text
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location


def added_with_removal(location: Location, commit: str, path: str) -> tuple[str, list[str]]:
    """The last commit that removed a path: the blob that it had, and the files that came with that commit.

    Args:
        commit: where to begin; "" finds nothing.

    Raises:
        CmgitError: git cannot walk the history (a shallow or damaged one ends the walk, that is no error).
    """
    if not commit:
        return "", []
    log = ["--literal-pathspecs", "-c", "log.showSignature=false", "log", "-1", "--format=%H"]
    found = run_git(location, [*log, "--no-renames", "--diff-filter=D", commit, "--", path]).decode().split()
    if not found:
        return "", []
    answer = run_git(
        location,
        [
            "diff-tree",
            "-r",
            "-z",
            "--no-commit-id",
            "--no-renames",
            "--full-index",
            "--raw",
            "-m",
            "--first-parent",
            found[0],
        ],
    )
    fields = answer.split(b"\0")
    oid, added = "", []
    for head, name in zip(fields[0:-1:2], fields[1::2], strict=False):
        _, _, old, _, kind = head[1:].split(b" ")
        if kind == b"A":
            added.append(path_text(name))
        elif kind == b"D" and path_text(name) == path:
            oid = old.decode()
    return oid, added


def changed_between(location: Location, old: str, new: str | None) -> list[str]:
    """Paths in which two commits or trees differ; `new` None: the working tree, tracked files only."""
    sides = [old] if new is None else [old, new]
    command = "diff-tree" if new is not None else "diff-index"
    answer = run_git(location, [command, "-r", "-z", "--no-renames", "--name-only", *sides, "--"])
    return [path_text(name) for name in answer.split(b"\0") if name]
