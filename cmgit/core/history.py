"""What the past of a revision says of its files: words of earlier commit messages, and the lines that each changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.record import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Hunk = tuple[int, int, int, int]
"""First line and count before, first line and count after, as `git diff -U0` writes them."""


@record
class PastChange:
    """What one commit did to one file that is there after it."""

    path: str
    hunks: tuple[Hunk, ...]


@record
class PastCommit:
    """One commit that is no merge, with the sources that it changed."""

    oid: str
    message: str
    changes: tuple[PastChange, ...]


@record
class History:
    """Columns over commits, newest first; a pure function of the ancestors of one commit.

    terms: distinct words of the messages, sorted. first: where the entries of each term begin; one more than terms.
    commit, count: by term, which commit has it and how often. lengths: words of each message.
    paths: distinct paths, sorted. oids: the blob of each at that commit, "" where it is no longer there.
    changed_commit, changed_path: which commit changed which path.
    line_commit, line_path, line: lines of those blobs that a commit wrote, a few of each place.
    """

    terms: tuple[str, ...]
    first: Ints
    commit: Ints
    count: Ints
    lengths: Ints
    paths: tuple[str, ...]
    oids: tuple[str, ...]
    changed_commit: Ints
    changed_path: Ints
    line_commit: Ints
    line_path: Ints
    line: Ints

    # Arrays have no truth: a history is itself and no other.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __len__(self) -> int:
        return len(self.lengths)
