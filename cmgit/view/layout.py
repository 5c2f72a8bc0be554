"""How the rows of several segments become the rows of one view.

A view is a list of files in path order; each file points at a row of a facts, a terms, a texts and an edges segment.
Segments come from disk or are made in memory (dirty files): nothing below this line knows the difference. A unit has
one number in the view, its row: the units of the first file come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.core.records import Role
from cmgit.store.segments import FactsSegment

IntArray = npt.NDArray[np.int64]

UNIT_COLUMNS = (
    "kind",
    "flags",
    "start",
    "end",
    "start_line",
    "end_line",
    "name_start",
    "name_line",
    "body_start",
    "doc_start",
    "doc_end",
)


@dataclass(frozen=True, slots=True)
class FilePlace:
    """One file and where its rows stand. (segment, row) pairs; NONE for both where there is none.

    status: a `BlobStatus`. size: bytes of the blob that was indexed.
    """

    path: str
    oid: str
    mode: int
    language: str
    role: Role
    status: int
    size: int
    facts: tuple[int, int] = (NONE, NONE)
    terms: tuple[int, int] = (NONE, NONE)
    texts: tuple[int, int] = (NONE, NONE)
    edges: tuple[int, int] = (NONE, NONE)


@dataclass(frozen=True, slots=True)
class ViewFile:
    """A file of a view with its units' rows [first_unit, first_unit + unit_count)."""

    path: str
    oid: str
    language: str
    role: Role
    status: int
    size: int
    first_unit: int
    unit_count: int


def spread(starts: IntArray, counts: IntArray) -> IntArray:
    """The concatenated ranges [start, start+count) as one array."""
    total = int(counts.sum())
    if total == 0:
        return np.zeros(0, np.int64)
    ends = np.cumsum(counts)
    out: IntArray = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - counts), counts)
    return out


class Units:
    """Columns of all units of a view, one numpy array for each, gathered when first asked for (int64, view order).

    Beside the columns of `UnitColumns`: `file` (index of the view's file), `owner` (view row or NONE), `first` (view
    row of each file's first unit, one more entry at the end).
    """

    def __init__(self, places: Sequence[FilePlace], segments: Sequence[FactsSegment]) -> None:
        self._segments = segments
        bases = np.cumsum([0] + [len(s.units) for s in segments], dtype=np.int64)
        starts = np.zeros(len(places), np.int64)
        counts = np.zeros(len(places), np.int64)
        for index, place in enumerate(places):
            segment, row = place.facts
            if segment != NONE:
                offsets = segments[segment].units.offsets
                starts[index] = bases[segment] + int(offsets[row])
                counts[index] = int(offsets[row + 1]) - int(offsets[row])
        self.first: IntArray = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        self._take = spread(starts, counts)
        self.file: IntArray = np.repeat(np.arange(len(places), dtype=np.int64), counts)
        self._cache: dict[str, IntArray] = {}

    def __len__(self) -> int:
        return len(self._take)

    def column(self, name: str) -> IntArray:
        """One of `UNIT_COLUMNS` as int64 of shape (units,)."""
        if name not in self._cache:
            gathered: IntArray = self._joined(name)[self._take]
            self._cache[name] = gathered
        return self._cache[name]

    def _joined(self, name: str) -> IntArray:
        parts = [np.asarray(getattr(s.units, name), np.int64) for s in self._segments]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    @cached_property
    def owner(self) -> IntArray:
        """View row of each unit's owner, NONE for file units."""
        local = self._joined("owner")[self._take]
        owner: IntArray = np.where(local == NONE, NONE, local + self.first[:-1][self.file])
        return owner

    @property
    def kind(self) -> IntArray:
        return self.column("kind")

    @property
    def flags(self) -> IntArray:
        return self.column("flags")

    @property
    def start(self) -> IntArray:
        return self.column("start")

    @property
    def end(self) -> IntArray:
        return self.column("end")

    @property
    def start_line(self) -> IntArray:
        return self.column("start_line")

    @property
    def end_line(self) -> IntArray:
        return self.column("end_line")

    @property
    def body_start(self) -> IntArray:
        return self.column("body_start")

    @cached_property
    def _string_base(self) -> IntArray:
        sizes = [len(s.units.strings) for s in self._segments]
        base = np.cumsum([0, *sizes], dtype=np.int64)
        return np.repeat(base[:-1], [len(s.units) for s in self._segments])[self._take]

    @cached_property
    def _pool(self) -> list[str]:
        pool: list[str] = []
        for segment in self._segments:
            pool.extend(segment.units.strings)
        return pool

    @cached_property
    def name_id(self) -> IntArray:
        """Index of each unit's name in a pool of strings; equal names may have several indices."""
        ids: IntArray = self._joined("name")[self._take] + self._string_base
        return ids

    @cached_property
    def qualname_id(self) -> IntArray:
        return self._joined("qualname")[self._take] + self._string_base

    def name(self, unit: int) -> str:
        return self._pool[int(self.name_id[unit])]

    def qualname(self, unit: int) -> str:
        return self._pool[int(self.qualname_id[unit])]

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Every unit name of the view → its units, ascending."""
        ids, pool = self.name_id, self._pool
        order = np.argsort(ids, kind="stable")
        distinct, firsts = np.unique(ids[order], return_index=True)
        groups = np.split(order, firsts[1:])
        found: dict[str, list[int]] = {}
        for string, group in zip(distinct.tolist(), groups, strict=False):
            name = pool[string]
            if name:
                found[name] = sorted(found[name] + group.tolist()) if name in found else group.tolist()
        return found
