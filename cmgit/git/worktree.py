"""The working tree against HEAD, as git itself sees it.

pygit2's index and status are wrong or refuse in sparse, split, skip-worktree and filtered states
(libgit2/libgit2#7260, #5813, isomorphic-git/isomorphic-git#2395), so git is asked. Nothing is refreshed or locked.
"""

# Bytes paths, and pathlib costs 5 ms of a cold start:
# ruff: noqa: PTH118
from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError
from cmgit.core.records import Change, ChangeKind, path_text
from cmgit.git.hidden import hidden_changes
from cmgit.git.plumbing import GitCall, GitDone, failure, place, run_calls

if TYPE_CHECKING:
    from cmgit.git.locate import Location

# What a user's configuration could bend is pinned. No renames: a rename is a deletion and an addition, and finding one
# reads blobs. core.fsmonitor would run a program that the configuration names.
_STATUS = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "status.relativePaths=false",
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
# The entries that git has been told not to look at; a folder of a sparse index stays one entry.
_FLAGS = ("-c", "core.fsmonitor=false", "ls-files", "-v", "-z", "--full-name", "--sparse")
_STAGED = (b"A.", b"M.", b"T.")
_ABSENT = b"000000"
_GITLINK = b"160000"


def changes(location: Location) -> list[Change]:
    """Every path whose file on disk differs from HEAD's tree, sorted by raw path bytes, each once.

    Untracked files that are not ignored count; on an unborn branch every file does. Submodules do not, nor does a
    file that a sparse checkout left out: what is absent and not listed here is to be read from the tree. Edits under
    assume-unchanged and skip-worktree are found. An ADDED or MODIFIED path may be a link on disk. A DELETED path may be
    absent from the tree (git says so of an intent-to-add file that is gone again). A bare repository has no changes.

    Raises:
        CmgitError: git refuses (a damaged index).
    """
    if location.top is None:
        return []
    answers = run_calls(status_calls(location))
    return status_answer(location, answers)[1]


def status_calls(where: Location | str) -> list[GitCall]:
    """The calls that `status_answer` reads; they run side by side."""
    # From a sub-folder ls-files would list that folder only.
    rest = (":/",) if isinstance(where, str) else ()
    return [GitCall((*place(where), *_STATUS)), GitCall((*place(where), *_FLAGS, "--", *rest))]


def status_answer(location: Location, answers: Sequence[GitDone]) -> tuple[str | None, list[Change]]:
    """The commit that git compared with (None when unborn) and the changes."""
    status, flags = answers
    if status.code != 0:
        raise failure(("status",), status)
    commit, kinds, staged = _kinds(status.stdout)
    if flags.code != 0:  # git before 2.35 knows no --sparse
        (flags,) = run_calls([GitCall((*place(location), *_FLAGS[:-1]))])
    if flags.code == 0:
        kinds |= hidden_changes(location, flags.stdout, kinds)
    oids = _not_on_disk(location, flags.stdout, staged) if staged and flags.code == 0 else {}
    return commit, [Change(path_text(path), kinds[path], oids.get(path, "")) for path in sorted(kinds)]


def _not_on_disk(location: Location, flags: bytes, staged: Mapping[bytes, str]) -> dict[bytes, str]:
    """Those of the staged files that a sparse checkout keeps off the disk (a soft reset leaves such): to git they are
    there as the index has them.

    Args:
        flags: what `git ls-files -v -z` wrote; a folder of a sparse index is one entry.
        staged: blob of each index entry that differs from HEAD's and, to git, not from the disk.
    """
    left_out = {entry[2:] for entry in flags.split(b"\0") if entry[:2] in (b"S ", b"s ")}
    top = os.fsencode(location.top or "")
    return {
        path: oid
        for path, oid in staged.items()
        if (path in left_out or any(path[: slash.end()] in left_out for slash in re.finditer(b"/", path)))
        and not os.path.lexists(os.path.join(top, path))
    }


def _kinds(answer: bytes) -> tuple[str | None, dict[bytes, ChangeKind], dict[bytes, str]]:
    """The commit, the kind of each path, and the index's blob of those whose index entry is not HEAD's."""
    commit: str | None = None
    kinds: dict[bytes, ChangeKind] = {}
    staged: dict[bytes, str] = {}
    for path, kind, oid in _records(answer):
        if oid:
            staged[path] = oid
        if kind is None:
            commit = None if path == b"(initial)" else path.decode()
        elif path.endswith(b"/"):
            continue  # a nested repository, listed by its folder
        elif kinds.get(path) is ChangeKind.DELETED:
            kinds[path] = ChangeKind.MODIFIED  # `git rm --cached`: gone from the index, untracked on disk
        else:
            kinds[path] = kind
    return commit, kinds, staged


def _records(answer: bytes) -> Iterator[tuple[bytes, ChangeKind | None, str]]:
    """Path and kind of each record, and the index's blob where that is a file of its own; the commit with kind None."""
    for record in answer.split(b"\0"):
        mark, oid = record[:2], ""
        if mark == b"1 ":
            # 1 XY sub mH mI mW hH hI path
            _, state, _, in_head, _, on_disk, _, blob, path = record.split(b" ", 8)
            oid = blob.decode() if state in _STAGED else ""
            kind = _kind(in_head, on_disk, ChangeKind.MODIFIED)
        elif mark == b"u ":
            # u XY sub m1 m2 m3 mW h1 h2 h3 path; stage 2 is HEAD's side
            _, _, _, _, in_head, _, on_disk, _, _, _, path = record.split(b" ", 10)
            kind = _kind(in_head, on_disk, ChangeKind.CONFLICTED)
        elif mark == b"? ":
            path, kind = record[2:], ChangeKind.ADDED
        elif record.startswith(b"# branch.oid "):
            yield record[13:], None, ""
            continue
        elif mark in (b"", b"# ", b"! "):
            continue
        else:
            raise CmgitError("git status answers in an unknown format", "update cmgit")
        if kind is not None:
            yield path, kind, oid


def _kind(in_head: bytes, on_disk: bytes, both: ChangeKind) -> ChangeKind | None:
    """What an entry means for the file on disk; None where neither side holds a file."""
    was, is_there = in_head not in (_ABSENT, _GITLINK), on_disk not in (_ABSENT, _GITLINK)
    if not is_there:
        return ChangeKind.DELETED if was else None
    if both is ChangeKind.CONFLICTED or was:
        return both
    return ChangeKind.ADDED
