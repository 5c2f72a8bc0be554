"""Errors that a user can act on.

Every library error is turned into one of these at the door of its folder; the boundary in `cmgit/cli` prints the
message and the hint and leaves with the exit code. Anything else that reaches the boundary is a bug.
"""

from __future__ import annotations


class CmgitError(Exception):
    """A stated failure: what is wrong, and what to do about it.

    Args:
        message: one sentence, without a trailing full stop.
        hint: what the user can do; empty when there is nothing to add.
        lines: to copy from the screen; text of this program's own, shown as it is.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "", lines: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.lines = lines


class UsageError(CmgitError):
    """The command was called in a way that it cannot answer."""

    exit_code = 2


class NotARepository(CmgitError):
    """No git repository here, or one that git itself refuses to open."""


class UnknownRevision(CmgitError):
    """A revision that does not name a tree of this repository."""


class ObjectUnreadable(CmgitError):
    """A git object is missing or damaged (partial clone, pruned, corrupted)."""


class SegmentDamaged(CmgitError):
    """A segment is missing, cut short or fails its checksum: it counts as absent and is made anew."""


class ManifestDamaged(CmgitError):
    """A manifest is cut short or fails its checksum: the one before it is used."""


class FormatMismatch(CmgitError):
    """The store was written by a version with another on-disk format: never guessed at."""


class ModelUnavailable(CmgitError):
    """The embedding model cannot be loaded: words and the graph still answer."""
