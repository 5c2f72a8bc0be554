"""Anchors checked against the code as it is at this look."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError
from cmgit.core.facts import BlobFacts, BlobStatus
from cmgit.core.record import record
from cmgit.git.disk import read_file
from cmgit.notes.memory import Memory
from cmgit.notes.model import Anchor, Head
from cmgit.notes.texts import BLOB, TEXT, file_hashes, rows_by_name, rows_named, unit_hash
from cmgit.notes.uri import Uri, read_uri

if TYPE_CHECKING:
    from cmgit.notes.moves import Moves
    from cmgit.view.view import View

OK, CHANGED, MOVED, GONE, UNKNOWN = "ok", "changed", "moved", "gone", "unknown"
STALE = (CHANGED, MOVED, GONE)

_ENV_LINE = re.compile(rb"^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=", re.MULTILINE)
_ENV_FILE = re.compile(r"\.env(?:[.-][\w.-]+)?")
_LARGEST_ENV = 1_000_000


@record
class State:
    """What became of an anchor. target: its URI now, for a move that is proven. candidates: where else the same text
    stands, or something of that name; nothing is proven of them. why: in a few words. hash: of what is there now.
    confirmed: there was a hash to compare with."""

    anchor: Anchor
    status: str
    target: str = ""
    candidates: tuple[str, ...] = ()
    why: str = ""
    hash: str = ""
    confirmed: bool = True

    @property
    def is_stale(self) -> bool:
        return self.status in STALE


@record
class _File:
    """An indexed file in the bytes that its facts belong to."""

    data: bytes
    facts: BlobFacts
    named: dict[str, list[int]]


class Checker:
    """Checks anchors of one view. Each file is read once; where a text moved to is looked for only when something is
    gone, and only where `thorough`."""

    def __init__(self, view: View, memory: Memory, *, thorough: bool = True) -> None:
        self.view, self.memory, self.thorough = view, memory, thorough
        assert view.location is not None
        self._location = view.location
        self._files: dict[str, _File | None] = {}
        self._on_disk: dict[str, tuple[str, ...]] = {}
        self._others: dict[str, tuple[str, ...] | None] = {}

    def states(self, head: Head) -> list[State]:
        return [self.state(anchor) for anchor in head.anchors]

    def state(self, anchor: Anchor) -> State:
        uri = read_uri(anchor.uri)
        if uri is None:
            return State(anchor, UNKNOWN, why="this is no anchor")
        match uri.kind:
            case "file":
                return self._file_state(anchor, uri)
            case "symbol":
                return self._symbol_state(anchor, uri)
            case "entity":
                known = uri.name in self.memory.entities
                return State(anchor, OK if known else GONE, why="" if known else "not registered")
            case _:
                return self._env_state(anchor, uri)

    def current_hash(self, uri: Uri) -> str:
        """What an anchor that is confirmed now gets; "" where there is nothing to hash."""
        return self.state(Anchor(uri.text)).hash if uri.is_code else ""

    # Files

    def _file_state(self, anchor: Anchor, uri: Uri) -> State:
        hashes = self.file_hashes(uri.path)
        if hashes is None:
            return self._file_gone(anchor, uri)
        if not anchor.hash.startswith(BLOB):
            return State(anchor, OK, hash=hashes[0], confirmed=False)
        if anchor.hash in hashes or anchor.hash in self._as_on_disk(uri.path):
            return State(anchor, OK, hash=anchor.hash)
        return State(anchor, CHANGED, why="other text", hash=hashes[0])

    def file_hashes(self, path: str) -> tuple[str, ...] | None:
        """The hashes that a file answers to; None where there is none."""
        index = self.view.file_index(path)
        if path not in self._others:
            if index is not None and path not in self._changed_paths:
                self._others[path] = (BLOB + self.view.places[index].oid,)
            else:
                data = self.read(path)
                self._others[path] = file_hashes(data, self._location.object_format) if data is not None else None
        return self._others[path]

    def _as_on_disk(self, path: str) -> tuple[str, ...]:
        """For a note that was confirmed before git converted the line ends."""
        if path not in self._on_disk:
            data = self.read(path)
            self._on_disk[path] = file_hashes(data, self._location.object_format) if data is not None else ()
        return self._on_disk[path]

    @cached_property
    def _changed_paths(self) -> frozenset[str]:
        return frozenset(change.path for change in self.view.changes or ())

    def read(self, path: str) -> bytes | None:
        """Any file, indexed or not, as the view has it."""
        top = self._location.top
        if self.view.changes is not None and top is not None:
            data = read_file(top, path)
            if data is not None or path in self._changed_paths:
                return data
        return self.memory.tree_file(path)

    def _file_gone(self, anchor: Anchor, uri: Uri) -> State:
        if not self.thorough:
            return State(anchor, GONE, why="no such file")
        found = self.moves.file(uri.path, anchor.hash)
        targets = [f"file:{path}" for path in found.paths]
        if len(targets) == 1 and found.proven:
            return State(anchor, MOVED, targets[0], why=found.why)
        return State(
            anchor, MOVED if targets and found.proven else GONE, "", tuple(targets), found.why or "no such file"
        )

    # Units

    def _symbol_state(self, anchor: Anchor, uri: Uri) -> State:
        index = self.view.file_index(uri.path)
        if index is None:
            if self.read(uri.path) is not None:
                return State(anchor, UNKNOWN, why="its language is not indexed")
            return self._symbol_gone(anchor, uri, "no such file")
        status = BlobStatus(self.view.places[index].status)
        file = self.file(uri.path)
        if file is None:
            return self._symbol_gone(anchor, uri, "no such file")
        if not len(file.facts.units):
            reason = "its language is not indexed" if status == BlobStatus.PARSED else f"the file is {status.label}"
            return State(anchor, UNKNOWN, why=reason)
        found = rows_named(file.named, uri.name)
        if found is None:
            return self._symbol_gone(anchor, uri, "nothing of that name in the file")
        now = unit_hash(file.data, file.facts, found[1])
        if not anchor.hash.startswith(TEXT):
            return State(anchor, OK, hash=now, confirmed=False)
        if now == anchor.hash:
            return State(anchor, OK, hash=now)
        return State(anchor, CHANGED, why="other text", hash=now)

    def file(self, path: str) -> _File | None:
        """An indexed file in its bytes of now."""
        if path not in self._files:
            index = self.view.file_index(path)
            try:
                source = self.view.source(index) if index is not None else None
            except CmgitError:
                source = None
            self._files[path] = (
                _File(source.data, source.facts, rows_by_name(source.facts)) if source is not None else None
            )
        return self._files[path]

    def _symbol_gone(self, anchor: Anchor, uri: Uri, why: str) -> State:
        if not self.thorough:
            return State(anchor, GONE, why=why)
        found = self.moves.unit(uri, anchor.hash)
        if len(found.paths) == 1 and found.proven:
            return State(anchor, MOVED, found.paths[0], why=found.why)
        return State(anchor, MOVED if found.proven and found.paths else GONE, "", tuple(found.paths), found.why or why)

    @cached_property
    def moves(self) -> Moves:
        from cmgit.notes.moves import Moves  # most looks find everything where it was

        return Moves(self)

    # Variables

    def _env_state(self, anchor: Anchor, uri: Uri) -> State:
        if self._variables is None:
            return State(anchor, UNKNOWN, why="no .env file at the top of the repository")
        if uri.name in self._variables:
            return State(anchor, OK)
        return State(anchor, GONE, why="in none of the .env files")

    @cached_property
    def _variables(self) -> frozenset[str] | None:
        """Names, never values, of the variables in the root's `.env*` files; None where there is no such file."""
        found: set[str] = set()
        names = self._env_files()
        for name in names:
            data = self.read(name) or b""
            found.update(match[1].decode() for match in _ENV_LINE.finditer(data[:_LARGEST_ENV]))
        return frozenset(found) if names else None

    def _env_files(self) -> Sequence[str]:
        """Those on disk, ignored ones too: only names are taken from them."""
        top = self._location.top
        if self.view.changes is not None and top is not None:
            names = os.listdir(top)  # noqa: PTH208
        else:
            names = [path for path in self.memory.tree_files if "/" not in path]
        return sorted(name for name in names if _ENV_FILE.fullmatch(name))
