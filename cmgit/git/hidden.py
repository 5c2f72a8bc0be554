"""Edits that git has been told not to look for: assume-unchanged and skip-worktree.

`git status` calls such a file clean whatever is on disk. An answer about the code as it is now may not
(libgit2/libgit2#5813): what is on disk is compared by content. An absent skip-worktree file is one that a sparse
checkout left out, and counts as unchanged.
"""

# Bytes paths and descriptors, and pathlib costs 5 ms of a cold start:
# ruff: noqa: PTH115, PTH118, PTH208
from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cmgit.core.records import ChangeKind, path_text
from cmgit.git.disk import blob_oid, clean_oid
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

# A tag in lower case: assume-unchanged; S or s: skip-worktree.
_FLAGGED = re.compile(rb"(?:\A|(?<=\0))([a-zS]) ([^\0]+)")
_LINK = "120000"
_GITLINK = "160000"


def hidden_changes(location: Location, flags: bytes, known: Mapping[bytes, ChangeKind]) -> dict[bytes, ChangeKind]:
    """The changes among flagged entries that status did not list.

    Args:
        flags: what `git ls-files -v -z` wrote.
        known: the paths that status did list.
    """
    if location.top is None or flags.count(b"\0H ") + flags.startswith(b"H ") == flags.count(b"\0"):
        return {}  # every entry has the tag of an ordinary one
    found: dict[bytes, ChangeKind] = {}
    present: list[bytes] = []
    folders = _Folders(os.fsencode(location.top))
    for tag, path in _FLAGGED.findall(flags):
        if path in known or path.endswith(b"/"):
            continue
        if path in folders:
            present.append(path)
        elif tag not in b"Ss":
            found[path] = ChangeKind.DELETED
    if present or found:
        index = _index(location)
        found = {path: kind for path, kind in found.items() if index[path][0] != _GITLINK}
        for path in _edited(location, present, index):
            found[path] = ChangeKind.MODIFIED
    return found


def _edited(location: Location, present: Iterable[bytes], index: Mapping[bytes, tuple[str, str]]) -> list[bytes]:
    """Those whose content on disk is not what the index names."""
    edited: list[bytes] = []
    files: list[bytes] = []
    for path in present:
        mode, oid = index[path]
        on_disk = os.path.join(os.fsencode(location.top or ""), path)
        try:
            is_link = stat.S_ISLNK(os.lstat(on_disk).st_mode)
            if mode == _GITLINK:
                continue
            if is_link != (mode == _LINK):
                edited.append(path)
            elif not is_link:
                files.append(path)
            elif blob_oid(os.readlink(on_disk), location.object_format) != oid:
                edited.append(path)
        except OSError:
            continue  # gone meanwhile
    oids = clean_oid(location, [path_text(path) for path in files])
    edited += [path for path, oid in zip(files, oids, strict=True) if oid != index[path][1]]
    return edited


def _index(location: Location) -> dict[bytes, tuple[str, str]]:
    """Mode and id of every index entry."""
    entries: dict[bytes, tuple[str, str]] = {}
    for record in run_git(location, ["-c", "core.fsmonitor=false", "ls-files", "-s", "-z"]).split(b"\0"):
        head, _, path = record.partition(b"\t")
        if head:
            mode, oid, _ = head.decode().split(" ")
            entries[path] = (mode, oid)
    return entries


class _Folders:
    """Which paths exist, one listing for each folder: a sparse checkout has very many flagged entries in few places."""

    def __init__(self, top: bytes) -> None:
        self._top = top
        self._names: dict[bytes, frozenset[bytes]] = {}

    def __contains__(self, path: bytes) -> bool:
        folder, _, name = path.rpartition(b"/")
        return name in self._listed(folder)

    def _listed(self, folder: bytes) -> frozenset[bytes]:
        names = self._names.get(folder)
        if names is None:
            try:
                exists = not folder or folder in self
                names = frozenset(os.listdir(os.path.join(self._top, folder))) if exists else frozenset()
            except OSError:
                names = frozenset()
            self._names[folder] = names
        return names
