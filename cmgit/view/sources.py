"""Where a view's bytes come from: the disk, now, or the blobs of a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from cmgit.core.errors import ObjectUnreadable
from cmgit.core.facts import BlobFacts
from cmgit.core.record import record
from cmgit.git.disk import blob_oid, read_file
from cmgit.git.locate import Location

if TYPE_CHECKING:
    from cmgit.git.objects import Objects


@record
class Source:
    """A file as it is at this moment. `facts` belong to exactly these bytes, whatever the view was built from.
    fresh: the bytes are those that the view was built from. checked_out: False for git's copy of a file that a sparse
    checkout keeps off the disk."""

    data: bytes
    oid: str
    facts: BlobFacts
    fresh: bool
    checked_out: bool = True


class Read(NamedTuple):
    """Content of a file, its object id, and whether the file is on disk where it should be."""

    data: bytes
    oid: str
    checked_out: bool = True


class Reader(Protocol):
    """Reads one file of a view."""

    def read(self, path: str, oid: str) -> Read | None:
        """None where the file is not there (any more)."""
        ...


@record
class DiskReader:
    """The working tree. A file that sparse checkout or skip-worktree keeps off the disk is read from git."""

    location: Location
    objects: Callable[[], Objects]

    def read(self, path: str, oid: str) -> Read | None:
        top = self.location.top
        assert top is not None
        data = read_file(top, path)
        if data is not None:
            return Read(data, blob_oid(data, self.location.object_format))
        if not not_checked_out(self.location, path):
            return None
        found = blob(self.objects(), oid)
        return found._replace(checked_out=False) if found is not None else None


def not_checked_out(location: Location, path: str) -> bool:
    """Git itself keeps this tracked file off the disk; every other absent file was deleted."""
    from cmgit.git.listing import is_skip_worktree

    return is_skip_worktree(location, path)


@record
class TreeReader:
    """Blobs of a tree, for `--rev` and bare repositories."""

    objects: Callable[[], Objects]

    def read(self, path: str, oid: str) -> Read | None:  # noqa: ARG002 - the disk reader needs it
        return blob(self.objects(), oid)


def blob(objects: Objects, oid: str) -> Read | None:
    try:
        return Read(objects.read_blob(oid), oid)
    except ObjectUnreadable:
        return None
