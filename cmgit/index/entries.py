"""Between git's entries, a manifest and a plan. Light: readers load it, and it loads no stage."""

from __future__ import annotations

import stat
from collections.abc import Callable
from typing import TYPE_CHECKING

from cmgit.core.errors import ObjectUnreadable
from cmgit.core.facts import BlobStatus
from cmgit.core.records import FileEntry, Role, TreeEntry

if TYPE_CHECKING:
    from cmgit.git.objects import Objects
    from cmgit.snapshot.manifest import Manifest


def reader(objects: Objects) -> Callable[[TreeEntry], bytes | None]:
    def read(entry: TreeEntry) -> bytes | None:
        try:
            return objects.read_blob(entry.oid)
        except ObjectUnreadable:
            return None

    return read


def known_entries(manifest: Manifest) -> list[FileEntry]:
    """The entries that another tree's plan may take over, see `plan_files`; none where something could not be read:
    that may have been attributes."""
    return [] if BlobStatus.UNREADABLE in manifest.files.status.tolist() else entries_of(manifest)


def entries_of(manifest: Manifest) -> list[FileEntry]:
    """The planned entries that a manifest was made of, links and gitlinks left out."""
    table, roles = manifest.files, tuple(Role)
    return [
        FileEntry(path, oid, mode, language, roles[role])
        for path, oid, mode, language, role in zip(
            table.path, table.oid, table.mode.tolist(), table.language, table.role.tolist(), strict=True
        )
        if language and not stat.S_ISLNK(mode)
    ]
