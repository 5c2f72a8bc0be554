"""The working tree against HEAD, as git itself sees it.

pygit2's index and status are wrong or refuse in sparse, split, skip-worktree and filtered states
(libgit2/libgit2#7260, #5813, isomorphic-git/isomorphic-git#2395), so git is asked. Nothing is refreshed or locked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError
from cmgit.core.records import Change, ChangeKind, path_bytes, path_text
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

# What a user's configuration could bend is pinned. No renames: a rename is a deletion and an addition, and finding one
# reads blobs. core.fsmonitor would run a program that the configuration names.
_PINNED = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "status.relativePaths=false",
    "-c",
    "status.renames=false",
)
_GITLINK = b"160000"


def status_arguments() -> tuple[str, ...]:
    return (
        *_PINNED,
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-ahead-behind",
        "--untracked-files=all",
        "--ignored=no",
        "--no-renames",
        "--ignore-submodules=all",
    )


def changes(location: Location) -> list[Change]:
    """Every path whose file on disk differs from HEAD's tree, sorted by raw path bytes, each once.

    Untracked files that are not ignored count; on an unborn branch every file does. Submodules do not. A bare
    repository has no changes.

    Raises:
        CmgitError: git refuses (a damaged index).
    """
    if location.top is None:
        return []
    return status_answer(run_git(location, status_arguments()))[1]


def status_answer(answer: bytes) -> tuple[str | None, list[Change]]:
    """The commit that git compared with (None when unborn) and the changes."""
    commit: str | None = None
    kinds: dict[bytes, ChangeKind] = {}
    for path, kind in _records(answer):
        if kind is None:
            commit = None if path == b"(initial)" else path.decode()
        elif not path.endswith(b"/"):  # a nested repository is listed by its folder
            kinds[path] = kind
    return commit, [Change(path_text(path), kinds[path]) for path in sorted(kinds)]


def _records(answer: bytes) -> Iterator[tuple[bytes, ChangeKind | None]]:
    """Path and kind of each record; the commit with kind None."""
    for record in answer.split(b"\0"):
        mark = record[:2]
        if mark == b"1 ":
            # 1 XY sub mH mI mW hH hI path
            _, _, _, in_head, in_index, on_disk, _, _, path = record.split(b" ", 8)
            kind = _ordinary(in_head, in_index, on_disk)
            if kind is not None:
                yield path, kind
        elif mark == b"u ":
            # u XY sub m1 m2 m3 mW h1 h2 h3 path
            yield record.split(b" ", 10)[10], ChangeKind.CONFLICTED
        elif mark == b"? ":
            yield record[2:], ChangeKind.ADDED
        elif record.startswith(b"# branch.oid "):
            yield record[13:], None
        elif mark not in (b"", b"# ", b"! "):
            raise CmgitError("git status answers in an unknown format", "update cmgit")


def _ordinary(in_head: bytes, in_index: bytes, on_disk: bytes) -> ChangeKind | None:
    """What an ordinary entry means for the file on disk; None where nothing that can be read has changed."""
    if on_disk == b"000000":
        # Gone from disk; with a tree entry that is a deletion, without one (added, then removed) it is nothing.
        return ChangeKind.DELETED if in_head not in (b"000000", _GITLINK) else None
    if _GITLINK in (on_disk, in_index):
        return ChangeKind.DELETED if in_head not in (b"000000", _GITLINK) else None
    return ChangeKind.ADDED if in_head == b"000000" else ChangeKind.MODIFIED


def disk_paths(found: list[Change]) -> list[bytes]:
    """Raw paths of the changes that have a file on disk."""
    return [path_bytes(change.path) for change in found if change.kind is not ChangeKind.DELETED]
