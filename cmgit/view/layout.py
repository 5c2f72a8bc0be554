"""How the rows of several segments become the rows of one view.

A view is a list of files in path order; each file points at a row of a facts, a terms, a texts and an edges segment.
Segments come from disk or are made in memory (dirty files): nothing below this line knows the difference. A unit has
one number in the view, its row: the units of the first file come first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.core.record import record
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


@record
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


@record
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


def distinct(values: npt.NDArray[np.integer[Any]]) -> IntArray:
    """The distinct values, ascending. numpy's own `unique` loads masked arrays first: 15 ms of a reader's start."""
    ordered = np.sort(values.astype(np.int64, copy=False))
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered


def locations(pairs: Sequence[tuple[int, int]]) -> IntArray:
    """(segment, row) of each file, int64 (files, 2)."""
    return np.array(pairs, np.int64).reshape(-1, 2)


def ranges(where: IntArray, offsets: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """For each file the first of its rows, counted over all segments one after the other, and how many they are.

    Args:
        where: see `locations`. offsets: of each segment, first flat row of each of its rows, one more at the end.
    """
    have = where[:, 0] != NONE
    if not have.any():
        return np.zeros(len(where), np.int64), np.zeros(len(where), np.int64)
    bases = np.cumsum([0, *(int(o[-1]) for o in offsets)], dtype=np.int64)
    begin = np.cumsum([0, *(len(o) for o in offsets)], dtype=np.int64)
    joined = np.concatenate([np.asarray(o, np.int64) + base for o, base in zip(offsets, bases, strict=False)])
    at = np.where(have, begin[where[:, 0]] + where[:, 1], 0)
    starts = joined[at]
    return np.where(have, starts, 0), np.where(have, joined[at + have] - starts, 0)


class Units:
    """Columns of all units of a view, one numpy array for each, gathered when first asked for (int64, view order).

    Beside the columns of `UnitColumns`: `file` (index of the view's file), `owner` (view row or NONE), `first` (view
    row of each file's first unit, one more entry at the end).
    """

    def __init__(self, places: Sequence[FilePlace], segments: Sequence[FactsSegment]) -> None:
        self._segments = segments
        self.where = locations([place.facts for place in places])
        starts, counts = ranges(self.where, [s.offsets("units") for s in segments])
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
        parts = [np.asarray(s.table("units")[name], np.int64) for s in self._segments]
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
        sizes = [len(s.strings) for s in self._segments]
        base = np.cumsum([0, *sizes], dtype=np.int64)
        return np.repeat(base[:-1], [int(s.offsets("units")[-1]) for s in self._segments])[self._take]

    @cached_property
    def _pool(self) -> list[str]:
        pool: list[str] = []
        for segment in self._segments:
            pool.extend(segment.strings)
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

    def named(self, name: str) -> list[int]:
        """Units that are declared under this very name, ascending; no other name is looked at."""
        found: list[int] = []
        base = 0
        for segment in self._segments:
            strings = segment.strings
            place = bisect_left(strings, name)
            if name and place < len(strings) and strings[place] == name:
                found += np.flatnonzero(self.name_id == base + place).tolist()
            base += len(strings)
        return sorted(found)

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
