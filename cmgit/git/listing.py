"""What git knows about single paths: may they be shown, and why is one not on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.records import path_bytes
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

_LIST = ("--literal-pathspecs", "-c", "core.fsmonitor=false", "ls-files", "-z", "--full-name")


def is_listed(location: Location, path: str) -> bool:
    """The path is tracked, or untracked and not ignored: it may be shown. Ignored files never are."""
    found = run_git(location, [*_LIST, "--cached", "--others", "--exclude-standard", "--", path])
    return path_bytes(path) in found.split(b"\0")


def hidden_oid(location: Location, path: str) -> str | None:
    """The object of a tracked path that git keeps off the disk, as the index has it; None for every other path."""
    if not is_skip_worktree(location, path):
        return None
    found = run_git(location, [*_LIST, "-s", "--", path])
    entry = found.split(b"\0", 1)[0].split(b"\t", 1)[0].split(b" ")
    return entry[1].decode() if len(entry) == 3 else None


def is_skip_worktree(location: Location, path: str) -> bool:
    """Git keeps this tracked path off the disk (sparse checkout or skip-worktree)."""
    found = run_git(location, [*_LIST, "-t", "--", path])
    return b"S " + path_bytes(path) in found.split(b"\0")
