"""Edges of a view as arrays: who calls whom, by view rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from cmgit.core.facts import NONE, RefKind
from cmgit.core.record import record
from cmgit.core.tables import Confidence, EdgeStatus
from cmgit.store.segments import EdgesSegment, FactsSegment
from cmgit.view.layout import FilePlace, IntArray, Units, locations, ranges, spread

IMPORT_KIND = len(RefKind)
"""The kind of an import edge, beside the kinds of references."""

EDGE_LABELS = (*(kind.label for kind in RefKind), "import")


@record
class EdgeView:
    """One reference or import as the view sees it. target_unit: view row, NONE where nothing in the tree is meant.

    caller: view row of the innermost unit that the evidence stands in. Bytes are those of the callee expression;
    `name_byte` is its last identifier. rule: how it was bound.
    """

    kind: str
    source_unit: int
    target_unit: int
    target_file: int
    path: str
    line: int
    start_byte: int
    end_byte: int
    name_byte: int
    name: str
    confidence: str
    rule: str
    status: EdgeStatus


class EdgeTable:
    """All edges of a view: `file`, `source` (view row of the unit around it), `target` (view row or NONE),
    `target_file`, `kind`, `status`, `is_import`, each of shape (edges,), in path and document order."""

    def __init__(
        self,
        places: Sequence[FilePlace],
        units: Units,
        facts: Sequence[FactsSegment],
        edges: Sequence[EdgesSegment],
    ) -> None:
        self._places, self._units, self._facts, self._edges = places, units, facts, edges
        self._index = {place.path: i for i, place in enumerate(places)}
        self._bases = np.cumsum([0] + [len(s.arrays) for s in edges], dtype=np.int64)
        starts, counts = ranges(locations([place.edges for place in places]), [s.arrays.offsets for s in edges])
        self._take = spread(starts, counts)
        self.file: IntArray = np.repeat(np.arange(len(places), dtype=np.int64), counts)

    def __len__(self) -> int:
        return len(self._take)

    def _column(self, name: str) -> IntArray:
        parts = [np.asarray(getattr(s.arrays, name), np.int64) for s in self._edges]
        joined = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return joined[self._take]

    @cached_property
    def status(self) -> IntArray:
        return self._column("status")

    @cached_property
    def is_import(self) -> IntArray:
        return self._column("is_import")

    @cached_property
    def row(self) -> IntArray:
        """Row of the evidence in its blob's references or imports."""
        return self._column("source")

    @cached_property
    def target_file(self) -> IntArray:
        """View file of the target, NONE where it is outside or undecided."""
        ids: list[IntArray] = []
        for segment in self._edges:
            lookup = np.array([self._index.get(path, NONE) for path in segment.arrays.strings] + [NONE], np.int64)
            ids.append(lookup[np.asarray(segment.arrays.target_path, np.int64)])
        joined = np.concatenate(ids) if ids else np.zeros(0, np.int64)
        return joined[self._take]

    @cached_property
    def target(self) -> IntArray:
        local = self._column("target_unit")
        file = self.target_file
        bound = (file != NONE) & (local != NONE)
        return np.where(bound, self._units.first[:-1][np.where(bound, file, 0)] + local, NONE)

    def _evidence(self, reference_column: str, import_column: str) -> IntArray:
        """A column of the references (or imports) that the edges come from."""
        out = np.zeros(len(self), np.int64)
        for table, column in (("refs", reference_column), ("imports", import_column)):
            if column:
                chosen, rows = self._rows[table]
                parts = [s.table(table)[column] for s in self._facts]
                out[chosen] = (np.concatenate(parts) if parts else np.zeros(0, np.int64))[rows]
        return out

    @cached_property
    def _rows(self) -> dict[str, tuple[IntArray, IntArray]]:
        """Edges that come from references and from imports, and the row of each, over all segments."""
        found = {}
        for table, is_import in (("refs", 0), ("imports", 1)):
            chosen = np.flatnonzero(self.is_import == is_import)
            first, _ = ranges(self._units.where, [s.offsets(table) for s in self._facts])
            found[table] = chosen, first[self.file[chosen]] + self.row[chosen]
        return found

    @cached_property
    def kind(self) -> IntArray:
        return np.where(self.is_import == 1, IMPORT_KIND, self._evidence("kind", ""))

    @cached_property
    def source(self) -> IntArray:
        """View row of the innermost unit around the evidence."""
        return self._units.first[:-1][self.file] + self._evidence("unit", "unit")

    @cached_property
    def name_id(self) -> IntArray:
        """Index of the evidence's last identifier in the pool of strings, NONE where it has none."""
        local = self._evidence("name", "imported")
        base = np.cumsum([0] + [len(s.strings) for s in self._facts], dtype=np.int64)
        return np.where(local == NONE, NONE, local + base[self._units.where[self.file, 0]])

    def named(self, name: str) -> IntArray:
        """Edges whose evidence ends in this identifier, whatever they are bound to."""
        ids = self.name_id
        hit = np.zeros(len(self), np.bool_)
        base = 0
        for segment in self._facts:
            strings = segment.strings
            place = bisect_left(strings, name)
            if place < len(strings) and strings[place] == name:
                hit |= ids == base + place
            base += len(strings)
        return np.flatnonzero(hit)

    def edge(self, edge: int) -> EdgeView:
        """One edge, read where it stands: no column is made for it that is not there yet."""
        number = int(np.searchsorted(self._bases, self._take[edge], side="right")) - 1
        arrays = self._edges[number].arrays
        own = int(self._take[edge] - self._bases[number])
        file = int(self.file[edge])
        place = self._places[file]
        facts, imported = self._facts[place.facts[0]], bool(arrays.is_import[own])
        table, name_column, byte_column = (
            ("imports", "imported", "start") if imported else ("refs", "name", "name_start")
        )
        rows = facts.table(table)
        at = int(facts.offsets(table)[place.facts[1]]) + int(arrays.source[own])
        target_path, target_unit = int(arrays.target_path[own]), int(arrays.target_unit[own])
        target_file = NONE if target_path == NONE else self._index.get(arrays.strings[target_path], NONE)
        bound = target_file != NONE and target_unit != NONE
        name = int(rows[name_column][at])
        return EdgeView(
            kind=EDGE_LABELS[IMPORT_KIND if imported else int(rows["kind"][at])],
            source_unit=int(self._units.first[file]) + int(rows["unit"][at]),
            target_unit=int(self._units.first[target_file]) + target_unit if bound else NONE,
            target_file=target_file,
            path=place.path,
            line=int(rows["line"][at]),
            start_byte=int(rows["start"][at]),
            end_byte=int(rows["end"][at]),
            name_byte=int(rows[byte_column][at]),
            name=facts.strings[name] if name != NONE else "",
            confidence=Confidence(int(arrays.confidence[own])).label,
            rule=arrays.rules[int(arrays.rule[own])],
            status=EdgeStatus(int(arrays.status[own])),
        )

    def into(self, unit: int) -> IntArray:
        """Edges bound to this unit, in path and document order."""
        return np.flatnonzero(self.target == unit)

    def out_of(self, unit: int) -> IntArray:
        """Edges whose evidence stands directly in this unit."""
        file = int(self._units.file[unit])
        low, high = np.searchsorted(self.file, [file, file + 1])
        return np.flatnonzero(self.source[low:high] == unit) + int(low)
