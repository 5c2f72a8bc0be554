"""Where a file or a unit went that is no longer where its anchor says.

Proven: the same text stands in exactly one other place, or git's own measure calls one file of the change that removed
it the renamed one. Several places are shown, and none is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError
from cmgit.core.facts import UnitColumns, UnitKind
from cmgit.git.removals import added_with_removal
from cmgit.notes.texts import BLOB, TEXT, file_hashes, lf, rows_by_name, rows_named, unit_hash
from cmgit.notes.uri import Uri

if TYPE_CHECKING:
    from cmgit.notes.anchors import Checker

SHORTEST_FILE = 16  # bytes: what is shorter is equal to others by chance
SHORTEST_UNIT = 24
ALIKE = 0.5  # git's own limit for a rename
CLEARLY = 0.1
MOST_NAMED = 60
MOST_CANDIDATES = 200
LARGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """paths: files, or URIs of units. proven: they hold what is looked for; else they only have its name."""

    paths: tuple[str, ...] = ()
    proven: bool = False
    why: str = ""


class Moves:
    """Looks through one view; what it reads for one anchor serves the next."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._view, self._memory = checker.view, checker.memory
        assert checker.view.location is not None
        self._location = checker.view.location
        self._files: dict[tuple[str, str], Found] = {}

    # Files

    def file(self, path: str, digest: str) -> Found:
        key = (path, digest)
        if key not in self._files:
            self._files[key] = self._find_file(path, digest)
        return self._files[key]

    def _find_file(self, path: str, digest: str) -> Found:
        oid = digest[len(BLOB) :] if digest.startswith(BLOB) else ""
        equal = self._equal_files(oid) if oid and self._is_telling(oid) else []
        if equal:
            base = path.rsplit("/", 1)[-1]
            same_name = [other for other in equal if other.rsplit("/", 1)[-1] == base]
            chosen = same_name if len(same_name) == 1 else equal
            return Found(tuple(chosen), True, "the same text" + (" in several files" if len(chosen) > 1 else ""))
        renamed = self._renamed(path, oid)
        if renamed is not None:
            return Found((renamed[0],), True, f"renamed, {round(renamed[1] * 100)}% of its lines are the same")
        return Found()

    def _is_telling(self, oid: str) -> bool:
        size = self._memory.blob_size(oid)
        return size is None or size >= SHORTEST_FILE

    def _equal_files(self, oid: str) -> list[str]:
        found = [place.path for place in self._view.places if place.oid == oid]
        if not found:
            found = [path for path, other in self._memory.tree_files.items() if other == oid and self._is_there(path)]
        if not found:
            wanted = BLOB + oid
            for path in self._new_paths:
                data = self._checker.read(path)
                if data is not None and wanted in file_hashes(data, self._location.object_format):
                    found.append(path)
        return sorted(path for path in set(found) if self._is_there(path))

    def _is_there(self, path: str) -> bool:
        """In the view, or beside it on disk or in the tree."""
        return self._view.file_index(path) is not None or self._checker.read(path) is not None

    @cached_property
    def _new_paths(self) -> list[str]:
        """Files of the working tree that its tree does not have."""
        tree = self._memory.tree_files
        return [change.path for change in self._view.changes or () if change.path not in tree]

    def _renamed(self, path: str, oid: str) -> tuple[str, float] | None:
        """The one file among those that came when this one went which most of its lines are in."""
        try:
            last, came = added_with_removal(self._location, self._memory.commit, path)
        except CmgitError:
            last, came = "", []
        if path in self._memory.tree_files:  # removed in the working tree
            last, came = self._memory.tree_files[path], self._new_paths
        before = self._memory.blob(oid or last) if (oid or last) else None
        if before is None and last:
            before = self._memory.blob(last)
        if before is None or len(before) > LARGEST:
            return None
        scored = sorted(
            ((alike(before, data), other) for other, data in self._contents(came) if len(data) <= LARGEST), reverse=True
        )
        if not scored or scored[0][0] < ALIKE or (len(scored) > 1 and scored[0][0] - scored[1][0] < CLEARLY):
            return None
        return scored[0][1], scored[0][0]

    def _contents(self, paths: Iterable[str]) -> Iterable[tuple[str, bytes]]:
        for path in list(paths)[:MOST_CANDIDATES]:
            data = self._checker.read(path)
            if data is not None:
                yield path, data

    # Units

    def unit(self, uri: Uri, digest: str) -> Found:
        """URIs of the units that have this text; else of the unit of that name in the renamed file; else those that
        only have the name."""
        if digest.startswith(TEXT):
            equal = self._equal_units(uri, digest)
            if equal:
                return Found(tuple(equal), True, "the same text" + (" in several places" if len(equal) > 1 else ""))
        if self._view.file_index(uri.path) is None:
            file = self.file(uri.path, "")
            if len(file.paths) == 1 and file.proven and self._rows(file.paths[0], uri.name):
                return Found((f"symbol:{file.paths[0]}::{uri.name}",), True, f"its file was {file.why}")
        named = [self._unit_uri(unit) for unit in self._units_named(uri.name)]
        alike = tuple(dict.fromkeys(text for text in named if text.rpartition("::")[2] == uri.name))[:3]
        return Found(alike, False, "elsewhere only the name is the same" if alike else "")

    def _rows(self, path: str, name: str) -> bool:
        file = self._checker.file(path)
        return file is not None and rows_named(file.named, name) is not None

    def _equal_units(self, uri: Uri, digest: str) -> list[str]:
        """By its name, which stands in its text; a unit without a name of its own is looked for everywhere."""
        paths = dict.fromkeys(
            self._view.places[int(self._view.units.file[u])].path for u in self._units_named(uri.name)
        )
        found = [text for path in paths for text in self._with_hash(path, digest)]
        if not found:
            found = list(self._everywhere.get(digest, ()))
        return sorted(text for text in set(found) if text != uri.text)

    def _units_named(self, name: str) -> list[int]:
        return self._view.units_named(name.rsplit(".", 1)[-1])[:MOST_NAMED]

    def _with_hash(self, path: str, digest: str) -> list[str]:
        file = self._checker.file(path)
        if file is None:
            return []
        return [
            f"symbol:{path}::{name}"
            for name, rows in file.named.items()
            if unit_hash(file.data, file.facts, rows) == digest and self._tells(file.facts.units, rows)
        ]

    def _tells(self, units: UnitColumns, rows: list[int]) -> bool:
        return sum(units.end[row] - units.start[row] for row in rows) >= SHORTEST_UNIT

    @cached_property
    def _everywhere(self) -> dict[str, list[str]]:
        """Every unit's hash, read once when something is gone that its name does not find."""
        found: dict[str, list[str]] = {}
        for index, place in enumerate(self._view.places):
            if place.facts[0] < 0:
                continue
            try:
                source = self._view.source(index)
            except CmgitError:
                continue
            if source is None:
                continue
            for name, rows in rows_by_name(source.facts).items():
                if self._tells(source.facts.units, rows):
                    digest = unit_hash(source.data, source.facts, rows)
                    found.setdefault(digest, []).append(f"symbol:{place.path}::{name}")
        return found

    def _unit_uri(self, unit: int) -> str:
        view = self._view.unit(unit)
        return f"symbol:{view.path}::{view.qualname}" if view.kind != UnitKind.FILE.label else f"file:{view.path}"


def alike(before: bytes, after: bytes) -> float:
    """The share of the bytes of the longer one whose lines the other one has too."""
    old, new = Counter(lf(before).splitlines(keepends=True)), Counter(lf(after).splitlines(keepends=True))
    common = sum(len(line) * min(count, new[line]) for line, count in old.items())
    return common / max(len(lf(before)), len(lf(after)), 1)
