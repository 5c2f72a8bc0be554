"""The commits before a revision, with their messages and the places that they changed.

Merges are left out: what they bring is in the commits of the branch. Objects that a partial clone lacks are not
fetched; git fails there, and so does this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cmgit.core.history import Hunk, PastChange, PastCommit
from cmgit.core.record import record
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

BATCH = 64  # commits in one call, so that the diffs of a large history never stand in memory together
_MARK = re.compile(rb"^(?:@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@|\+\+\+ b/([^\n]*)|diff --git )", re.MULTILINE)
_ENTRY = re.compile(rb"^\x01([0-9a-f]{40,64})\x02", re.MULTILINE)  # lines of a diff begin with + or -
_FORMAT = "--format=%x01%H%x02%B%x03"
# Whatever the user's settings and the attributes of the files on disk are, the answer has one form.
_DIFF = (
    "--no-walk=unsorted", "--stdin", "-p", "-U0", "--inter-hunk-context=0", "--no-renames", "--no-ext-diff",
    "--no-textconv", "--no-color", "--no-indent-heuristic", "--diff-algorithm=myers", "--src-prefix=a/",
    "--dst-prefix=b/", "--ignore-submodules=all", "--encoding=UTF-8", "--no-show-signature", "--no-notes",
    "--full-index", "--root", "--text", "-O/dev/null",
)  # fmt: skip


@record
class Commit:
    oid: str
    tree: str


def commit_of(location: Location, rev: str) -> Commit | None:
    """The commit that a revision names; None for a tree, a blob, a range or nothing.

    Raises:
        GitFailed: git could not say. A name that means nothing is no failure.
    """
    if not rev or rev.startswith(("-", "^")) or ".." in rev or "\0" in rev or "\n" in rev:
        return None
    asked = f"{rev}^{{commit}}\n{rev}^{{commit}}^{{tree}}\n".encode("utf-8", "surrogateescape")
    answer = run_git(location, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked).splitlines()
    named = [line.decode().split(" ")[0] for line in answer if line.endswith((b" commit", b" tree"))]
    return Commit(named[0], named[1]) if len(named) == 2 else None


def ancestors(location: Location, commit: str, limit: int) -> list[str]:
    """The commit itself and those before it, merges left out, in git's own order, at most `limit`."""
    return run_git(location, ["rev-list", "--no-merges", f"--max-count={limit}", commit, "--"]).decode().split()


def read_commits(location: Location, oids: Sequence[str], pathspecs: Sequence[str]) -> Iterator[PastCommit]:
    """Commits in the given order, with their changes below the pathspecs.

    Raises:
        GitFailed: an object is missing.
    """
    for first in range(0, len(oids), BATCH):
        batch = oids[first : first + BATCH]
        answer = run_git(
            location,
            ["-c", "core.quotePath=false", "log", *_DIFF, _FORMAT, "--", *pathspecs],
            "\n".join(batch).encode() + b"\n",
        )
        parts = _ENTRY.split(answer)[1:]
        found = {oid.decode(): _commit(oid.decode(), body) for oid, body in zip(parts[::2], parts[1::2], strict=True)}
        # A commit that changed nothing here is not in the answer.
        yield from (found.get(oid) or PastCommit(oid, "", ()) for oid in batch)


def _commit(oid: str, entry: bytes) -> PastCommit:
    message, _, patch = entry.partition(b"\x03")
    changes: list[PastChange] = []
    path, hunks = "", list[Hunk]()
    for mark in _MARK.finditer(patch):
        if mark[1] is not None:
            before, removed, after, added = (int(part) if part else 1 for part in mark.group(1, 2, 3, 4))
            hunks.append((before, removed, after, added))
        elif mark[5] is None:
            if path:
                changes.append(PastChange(path, tuple(hunks)))
            path, hunks = "", []
        elif not path and not hunks:
            path = mark[5].rstrip(b"\t").decode("utf-8", "surrogateescape")
    if path:
        changes.append(PastChange(path, tuple(hunks)))
    return PastCommit(oid, message.decode("utf-8", "replace"), tuple(changes))
