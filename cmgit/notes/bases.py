"""What a tree's notes are, found without reading them: the pack of that very `.memory`, or a near one and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError, ObjectUnreadable
from cmgit.notes.model import ENTITIES, FOLDER, Head, Unreadable, is_note_path
from cmgit.notes.packs import Pack, PackFolder, Words, make_pack, make_words, read_pack_bytes, read_words_bytes

if TYPE_CHECKING:
    from cmgit.git.locate import Location
    from cmgit.git.objects import Objects

FEW = 64
"""So many notes may differ from a pack before another one is made."""
NO_MEMORY = "-"


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
        blobs = self._git().read_blobs([head.oid for head in heads])
        rows: list[tuple[int, dict[str, tuple[int, int]]]] = []
        for row, (head, (_, data)) in enumerate(zip(heads, blobs, strict=True)):
            if isinstance(data, bytes):
                rows.append((row, note_terms(head, body_of(data))))
        made = make_words(rows)
        self._packs.write_words(pack.name, made)
        words = read_words_bytes(made)
        assert words is not None
        return words
