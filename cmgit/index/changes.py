"""What a tree's index needs over that of an earlier tree: the entries that are new or differ, and the rows that go.

An earlier snapshot spares a build to list the tree, to plan it and to make a table of it. Without one all is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cmgit.core.errors import ObjectUnreadable
from cmgit.core.facts import CONFIG_LANGUAGE, BlobStatus
from cmgit.core.record import record
from cmgit.core.records import FileEntry, Role, TreeEntry
from cmgit.git.objects import Objects, TreeDifference
from cmgit.index.plan import ATTRIBUTES, Plan, is_attributes, plan_files
from cmgit.snapshot.manifest import FileTable, Manifest


@record
class Changes:
    """plan: the entries that are new or differ. gone: rows of the earlier snapshot's table that have no place in the
    tree's: of paths that are gone, and of those in `plan`."""

    plan: Plan
    gone: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self.plan.files or self.plan.skipped or self.gone)


def changes_since(
    base: Manifest | None, objects: Objects, tree: str, read: Callable[[TreeEntry], bytes | None]
) -> Changes:
    """What differs between a snapshot's tree and another one.

    Args:
        base: made by these very rules. None where there is none.
        read: content of an entry, None where it cannot be had, see `plan_files`.

    Raises:
        ObjectUnreadable: the tree, or one below it, is missing or damaged.
    """
    if base is None:
        return Changes(plan_files(objects.list_tree(tree), read), ())
    if BlobStatus.UNREADABLE in base.files.status:  # it may have been attributes
        return by_listing(base.files, objects.list_tree(tree), read)
    try:
        differing = objects.diff_trees(base.tree, tree) if base.tree != tree else []
    except ObjectUnreadable:  # the earlier tree may have been pruned
        return by_listing(base.files, objects.list_tree(tree), read)
    if any(side is not None and is_attributes(side) for found in differing for side in sides(found)):
        return by_listing(base.files, objects.list_tree(tree), read)
    return by_difference(base.files, differing, read)


def sides(found: TreeDifference) -> tuple[TreeEntry | None, TreeEntry | None]:
    """The entries before and after."""
    old = TreeEntry(found.path, found.old_mode, found.old_oid) if found.old_mode else None
    return old, TreeEntry(found.path, found.mode, found.oid) if found.mode else None


def by_difference(
    table: FileTable, differing: Sequence[TreeDifference], read: Callable[[TreeEntry], bytes | None]
) -> Changes:
    """Plans what git says of two trees with the same attributes."""
    present = [after for _, after in map(sides, differing) if after is not None]
    plan = plan_files(present, read, beside=attributes_in(table)) if present else Plan((), ())
    rows = (table.find_sorted(found.path) for found in differing)
    return Changes(plan, tuple(row for row in rows if row is not None))


def attributes_in(table: FileTable) -> list[TreeEntry]:
    """The `.gitattributes` files of a snapshot's tree."""
    if CONFIG_LANGUAGE not in table.languages:
        return []
    configs = np.flatnonzero(table.language_index == table.languages.index(CONFIG_LANGUAGE)).tolist()
    rows = [row for row in configs if table.path[row].endswith(ATTRIBUTES)]
    entries = [TreeEntry(table.path[row], int(table.mode[row]), table.oid_rows[row].tobytes().hex()) for row in rows]
    return [entry for entry in entries if is_attributes(entry)]


def by_listing(table: FileTable, listed: Iterable[TreeEntry], read: Callable[[TreeEntry], bytes | None]) -> Changes:
    """Plans the whole tree, and leaves out what a snapshot's table has."""
    plan = plan_files(listed, read)
    roles, known = tuple(Role), {}
    columns = (table.mode, table.role, table.status)
    for row, (path, oid, language, mode, role, status) in enumerate(
        zip(table.path, table.oid, table.language, *(column.tolist() for column in columns), strict=True)
    ):
        if status != BlobStatus.UNREADABLE:
            known[FileEntry(path, oid, mode, language, roles[role] if language else Role.SOURCE)] = row
    kept = {known[entry] for entry in (*plan.files, *(skipped.entry for skipped in plan.skipped)) if entry in known}
    files = tuple(entry for entry in plan.files if entry not in known)
    skipped = tuple(one for one in plan.skipped if one.entry not in known)
    return Changes(Plan(files, skipped), tuple(row for row in range(len(table)) if row not in kept))
