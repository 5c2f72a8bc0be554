"""What a tree's notes are, found without reading them: the pack of that very `.memory`, or a near one and the rest."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError, ObjectUnreadable
from cmgit.git.disk import read_file
from cmgit.notes.model import ENTITIES, FOLDER, Head, Unreadable, is_note_path
from cmgit.notes.pack_folder import PackFolder
from cmgit.notes.packs import Pack, Words, make_pack, make_words, read_pack_bytes, read_words_bytes

if TYPE_CHECKING:
    from cmgit.git.locate import Location
    from cmgit.git.objects import Objects

FEW = 64
"""So many notes may differ from a pack before another one is made."""
NO_MEMORY = "-"
LOOSE = "loose-"
RACY = 3_000_000_000
"""Nanoseconds: of a file that was changed so lately the times may not tell the next change."""


def parsed(path: str, data: bytes, location: Location) -> Head | Unreadable:
    from cmgit.notes.parse import parse_head  # notes that are as the tree has them are not parsed

    return parse_head(path, data, location.object_format)


class Bases:
    """Packs of one repository.

    Args:
        git: opens its objects, when they are needed.
    """

    def __init__(self, location: Location, git: Callable[[], Objects]) -> None:
        self._location, self._git = location, git
        self._packs = PackFolder(location.cm_dir)

    def of(self, tree: str) -> tuple[Pack | None, dict[str, str]]:
        """A pack, and the tree's notes that differ from it: path → object, "" where it has none of that name."""
        if not tree:
            return None, {}
        known = self._packs.pointer(tree)
        if known is not None:
            if known[0] == NO_MEMORY:
                return None, {}
            pack = self._packs.pack(known[0])
            if pack is not None:
                return pack, known[1]
        name = self._git().find_tree(tree, FOLDER)
        if name is None:
            self._packs.write_pointer(tree, NO_MEMORY, {})
            return None, {}
        return self._new_base(tree, name)

    def _new_base(self, tree: str, name: str) -> tuple[Pack, dict[str, str]]:
        pack, differing = self._packs.pack(name), {}
        if pack is None:
            listed = {f"{FOLDER}/{e.path}": e.oid for e in self._git().list_tree(name) if e.mode & 0o170000 == 0o100000}
            near = self._packs.newest()
            known = {head.path: head for head in map(near.head, range(len(near)))} if near is not None else {}
            notes = {path: oid for path, oid in listed.items() if is_note_path(path)}
            differing = {path: oid for path, oid in notes.items() if path not in known or known[path].oid != oid}
            differing.update({path: "" for path in known if path not in notes})
            registry = self._text(listed.get(ENTITIES, ""))
            usable = near is not None and registry == near.entities and len(differing) <= FEW
            if usable and near is not None and not near.unreadable:
                pack = near
            else:
                pack, differing = self._make_pack(name, notes, known, registry), {}
        self._packs.write_pointer(tree, pack.name, differing)
        return pack, differing

    def _make_pack(self, name: str, notes: dict[str, str], known: dict[str, Head], registry: str) -> Pack:
        heads = {path: known[path] for path, oid in notes.items() if path in known and known[path].oid == oid}
        unreadable: list[Unreadable] = []
        missing = [path for path in notes if path not in heads]
        for path, (_, data) in zip(missing, self._git().read_blobs([notes[path] for path in missing]), strict=True):
            if isinstance(data, ObjectUnreadable):
                unreadable.append(Unreadable(path, data.message))
                continue
            found = parsed(path, data, self._location)
            if isinstance(found, Head):
                heads[path] = found
            else:
                unreadable.append(found)
        data = make_pack(name, heads.values(), registry, unreadable)
        self._packs.write_pack(name, data)
        made = self._packs.pack(name) or read_pack_bytes(data)  # a read-only repository keeps none
        assert made is not None
        return made

    def loose(self, top: str, paths: Sequence[str]) -> Pack | None:
        """A pack of notes that no commit has, where they are many: named by what the disk says of the files (inode,
        size, times), as git itself tells that a file is as it was; None where one is too young for that."""
        digest = hashlib.blake2b(digest_size=16)
        youngest = time.time_ns() - RACY
        for path in paths:
            try:
                seen = os.lstat(os.path.join(top, path))  # noqa: PTH118
            except OSError:
                return None
            if not stat.S_ISREG(seen.st_mode) or max(seen.st_mtime_ns, seen.st_ctime_ns) > youngest:
                return None
            stamp = (path, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
            digest.update(repr(stamp).encode())
        name = LOOSE + digest.hexdigest()
        kept = self._packs.pack(name)
        if kept is not None:
            return kept
        found = [parsed(path, data, self._location) for path in paths if (data := read_file(top, path)) is not None]
        heads = [one for one in found if isinstance(one, Head)]
        made = make_pack(name, heads, "", [one for one in found if isinstance(one, Unreadable)])
        self._packs.write_pack(name, made)
        return self._packs.pack(name) or read_pack_bytes(made)

    def _text(self, oid: str) -> str:
        if not oid:
            return ""
        try:
            return self._git().read_blob(oid).decode("utf-8", "replace")
        except CmgitError:
            return ""

    def words(self, pack: Pack) -> Words:
        """The terms of a pack's notes, kept beside it from the first question in words on."""
        kept = self._packs.words(pack.name)
        if kept is not None:
            return kept
        from cmgit.notes.parse import body_of
        from cmgit.notes.terms import note_terms

        heads = [pack.head(row) for row in range(len(pack))]
        rows: list[tuple[int, dict[str, tuple[int, int]]]] = []
        for row, (head, data) in enumerate(zip(heads, self._contents(pack, heads), strict=True)):
            if isinstance(data, bytes):
                rows.append((row, note_terms(head, body_of(data))))
        made = make_words(rows)
        self._packs.write_words(pack.name, made)
        words = read_words_bytes(made)
        assert words is not None
        return words

    def _contents(self, pack: Pack, heads: Sequence[Head]) -> Iterable[object]:
        """The bytes of a pack's notes; something else for one that cannot be read."""
        if pack.name.startswith(LOOSE) and self._location.top is not None:
            top = self._location.top
            return (read_file(top, head.path) for head in heads)
        return (data for _, data in self._git().read_blobs([head.oid for head in heads]))
