"""The notes as a view has them: those of its tree, with the working tree's over them.

Git says which files of `.memory/` differ from the tree (the view asked it anyway); those are read from the disk at
every look, all others are the tree's blobs. So an edit is seen at the next call, another branch has its own notes, and
nothing is watched. Files that git ignores are no notes, as they are no code.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from cmgit.core.errors import CmgitError
from cmgit.git.disk import read_file
from cmgit.git.objects import Objects, open_objects
from cmgit.notes.bases import FEW, Bases, parsed
from cmgit.notes.model import ENTITIES, FOLDER, Head, Note, Unreadable, is_note_path, text_of
from cmgit.notes.packs import MOST_ROWS, Words, pack_posting
from cmgit.notes.standing import Standing, may_have_notes

if TYPE_CHECKING:
    from cmgit.core.records import Change
    from cmgit.git.locate import Location
    from cmgit.notes.entities import Entity

Row = int


class HasNotes(Protocol):
    """What notes need of a view. changes: None where it shows a tree, not the working tree."""

    tree: str
    location: Location | None
    changes: Sequence[Change] | None


def memory_of(view: HasNotes) -> Memory | None:
    """The notes of a view; None where there is no `.memory/`, which costs one look at the disk."""
    if view.location is None:
        return None
    changes = None if view.changes is None else tuple(view.changes)
    return open_memory(Standing(view.location, view.tree, changes))


def open_memory(standing: Standing) -> Memory | None:
    """The notes that stand there; None where there is no `.memory/`."""
    if not may_have_notes(standing.location, standing.changes):
        return None
    memory = Memory(standing)
    return memory if memory.exists else None


class Memory:
    """Notes by row. Rows of the pack come first, those that differ from it behind; a row that is gone is skipped by
    every method here."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self._location = standing.location
        self._objects: Objects | None = None
        self._bases = Bases(standing.location, lambda: self._git)
        self._pack, self._differing = self._bases.of(standing.tree)
        self._loose = self._pack is None and self._take_loose()
        self._data: dict[str, bytes] = {}
        self._heads: dict[Row, Head] = {}

    def close(self) -> None:
        if self._objects is not None:
            self._objects.close()

    # What there is

    @cached_property
    def exists(self) -> bool:
        """Whether there is a `.memory/` at all, with or without notes."""
        if self._pack is not None:
            return True
        return self.standing.changes is not None and may_have_notes(self._location, self.standing.changes)

    @property
    def _git(self) -> Objects:
        if self._objects is None:
            self._objects = open_objects(self._location)
        return self._objects

    def _take_loose(self) -> bool:
        """Whether a pack stands for many notes that were never committed."""
        paths = sorted(path for path in self._changed if is_note_path(path))
        if len(paths) > FEW and self._location.top is not None:
            self._pack = self._bases.loose(self._location.top, paths)
        return self._pack is not None

    # What differs from the pack

    @cached_property
    def _laid_over(self) -> frozenset[str]:
        """Files that are not as the pack has them."""
        return frozenset(path for path in self._changed if not (self._loose and is_note_path(path)))

    @cached_property
    def _changed(self) -> frozenset[str]:
        """Paths below `.memory/` that are not as the tree has them."""
        changes = self.standing.changes or ()
        return frozenset(change.path for change in changes if change.path.startswith(FOLDER + "/"))

    @cached_property
    def _overlay(self) -> tuple[list[Head], list[Unreadable], frozenset[int]]:
        """Notes that differ from the pack, what cannot be read among them, and the pack's rows that they stand for."""
        paths = {path for path in self._laid_over if is_note_path(path)} | set(self._differing)
        heads: list[Head] = []
        unreadable: list[Unreadable] = []
        gone: set[int] = set()
        for path in sorted(paths, key=lambda path: path.encode("utf-8", "surrogateescape")):
            if self._pack is not None:
                gone.update(row for row, _ in self._pack.rows_of(f"path:{path}"))
            data = self.data(path)
            if data is None:
                continue
            found = parsed(path, data, self._location)
            if isinstance(found, Head):
                heads.append(found)
            else:
                unreadable.append(found)
        return heads, unreadable, frozenset(gone)

    def data(self, path: str) -> bytes | None:
        """A file of `.memory/` as the view has it, read once; None where it is not there."""
        if path not in self._data:
            data = self._read(path)
            if data is None:
                return None
            self._data[path] = data
        return self._data[path]

    def _read(self, path: str) -> bytes | None:
        top = self._location.top
        if self.standing.changes is not None and top is not None:
            data = read_file(top, path)
            if data is not None or path in self._changed:
                return data
        if not self.standing.tree:
            return None
        oid = self._differing.get(path)
        if oid is None:
            entry = self._git.find_entry(self.standing.tree, path)
            oid = entry.oid if entry is not None else ""
        try:
            return self._git.read_blob(oid) if oid else None
        except CmgitError:
            return None

    # Rows

    @property
    def _packed(self) -> int:
        return len(self._pack) if self._pack is not None else 0

    def rows(self) -> list[Row]:
        """Every note's row."""
        heads, _, gone = self._overlay
        return [row for row in range(self._packed + len(heads)) if row not in gone]

    def head(self, row: Row) -> Head:
        if self._pack is not None and row < self._packed:
            if row not in self._heads:
                self._heads[row] = self._pack.head(row)
            return self._heads[row]
        return self._overlay[0][row - self._packed]

    def ident(self, row: Row) -> str:
        if self._pack is not None and row < self._packed:
            return self._pack.ident(row)
        return self._overlay[0][row - self._packed].id

    def status(self, row: Row) -> str:
        if self._pack is not None and row < self._packed:
            return self._pack.status(row)
        return self._overlay[0][row - self._packed].status

    def count(self, statuses: frozenset[str]) -> int:
        """How many notes have one of these statuses."""
        heads, _, gone = self._overlay
        letters = {status[0] for status in statuses}
        packed = sum(self._pack.statuses.count(letter) for letter in letters) if self._pack is not None else 0
        packed -= sum(self.status(row) in statuses for row in gone)
        return packed + sum(head.status in statuses for head in heads)

    def unreadable(self) -> list[Unreadable]:
        heads, found, _ = self._overlay
        paths = {head.path for head in heads} | {one.path for one in found} | self._laid_over
        kept = [one for one in self._pack.unreadable if one.path not in paths] if self._pack is not None else []
        return sorted([*kept, *found], key=lambda one: one.path)

    def with_uri(self, uri: str) -> list[tuple[Row, str]]:
        """Rows of the notes that have exactly this anchor, and its weight there."""
        return [pair for key, rows in self.with_prefix(uri, exact=True) if key == uri for pair in rows]

    def with_prefix(self, prefix: str, *, exact: bool = False) -> Iterator[tuple[str, list[tuple[Row, str]]]]:
        """Anchors that begin so, with the notes that have them. One anchor may come twice."""
        heads, _, gone = self._overlay
        if self._pack is not None:
            for key, rows in self._pack.lines(prefix + "\t" if exact else prefix):
                yield key, [(row, weight) for row, weight in rows if row not in gone]
        for number, head in enumerate(heads):
            for anchor in head.anchors:
                if anchor.uri == prefix or (not exact and anchor.uri.startswith(prefix)):
                    yield anchor.uri, [(self._packed + number, anchor.weight)]

    def row_of(self, ident: str) -> Row | None:
        """The row of a note's id; of two files with one id, the first."""
        heads, _, gone = self._overlay
        packed = self._pack.rows_of(f"id:{ident}") if self._pack is not None else []
        found = [row for row, _ in packed if row not in gone]
        found += [self._packed + number for number, head in enumerate(heads) if head.id == ident]
        return min(found, key=lambda row: (self.head(row).path, row)) if found else None

    def note(self, row: Row) -> Note | None:
        """The whole note, read now; None where it has gone since."""
        path = self.head(row).path
        data = self.data(path)
        if data is None:
            return None
        from cmgit.notes.parse import parse_note

        found = parse_note(path, data, self._location.object_format)
        return found if isinstance(found, Note) else None

    def notes(self, rows: Iterable[Row]) -> Iterator[Note]:
        for row in rows:
            found = self.note(row)
            if found is not None:
                yield found

    # Words

    @property
    def size(self) -> int:
        """One more than the last row."""
        return self._packed + len(self._overlay[0])

    def row_statuses(self) -> str:
        """The first letter of each row's status, a blank for a row that is gone."""
        heads, _, gone = self._overlay
        packed = list(self._pack.statuses) if self._pack is not None else []
        for row in gone:
            packed[row] = " "
        return "".join(packed) + "".join(head.status[0] for head in heads)

    def postings(self, term: str, *, prefix: bool = False) -> Iterator[memoryview | array[int]]:
        """Postings (`packs.pack_posting`) of a term, or of every term that begins so; rows that are gone among them."""
        if self._pack is not None:
            for _, rows in self._words.lines(term if prefix else term + "\t"):
                yield rows
        for row, counts in self._overlay_terms:
            for found in counts if prefix else (term,):
                if found in counts and found.startswith(term):
                    yield array("I", [pack_posting(row, *counts[found])])

    @cached_property
    def _overlay_terms(self) -> list[tuple[Row, dict[str, tuple[int, int]]]]:
        from cmgit.notes.terms import note_terms

        rows = range(self._packed, min(self.size, MOST_ROWS))
        return [(row, note_terms(note.head, note.body)) for row in rows if (note := self.note(row)) is not None]

    @cached_property
    def _words(self) -> Words:
        assert self._pack is not None
        return self._bases.words(self._pack)

    # What the tree has beside the notes

    @cached_property
    def tree_files(self) -> dict[str, str]:
        """Every file of the view's tree with its blob."""
        if not self.standing.tree:
            return {}
        return {e.path: e.oid for e in self._git.list_tree(self.standing.tree) if e.mode & 0o170000 == 0o100000}

    def tree_file(self, path: str) -> bytes | None:
        oid = self.tree_files.get(path)
        return self.blob(oid) if oid is not None else None

    def blob(self, oid: str) -> bytes | None:
        try:
            return self._git.read_blob(oid) if oid else None
        except CmgitError:
            return None

    def blob_size(self, oid: str) -> int | None:
        try:
            return self._git.blob_size(oid)
        except CmgitError:
            return None

    @property
    def commit(self) -> str:
        """Where a search in the history begins: HEAD for a working tree; nothing for a tree, which has no history."""
        return "HEAD" if self.standing.changes is not None and self.standing.tree else ""

    # Entities

    @cached_property
    def entities_text(self) -> str:
        if ENTITIES in self._changed:
            data = self.data(ENTITIES)
            return text_of(data) if data is not None else ""
        return self._pack.entities if self._pack is not None else ""

    @cached_property
    def entities(self) -> dict[str, Entity]:
        from cmgit.notes.entities import read_entities

        return {entity.name: entity for entity in read_entities(self.entities_text)}
