"""Edges of a view as arrays: who calls whom, by view rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cmgit.core.facts import NONE, RefKind
from cmgit.core.tables import Confidence, EdgeStatus
from cmgit.store.segments import EdgesSegment, FactsSegment
from cmgit.view.layout import FilePlace, IntArray, Units, spread

IMPORT_KIND = len(RefKind)
"""The kind of an import edge, beside the kinds of references."""

EDGE_LABELS = (*(kind.label for kind in RefKind), "import")


@dataclass(frozen=True, slots=True)
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
    `target_file`, `kind`, `status`, `confidence`, each of shape (edges,), in path and document order."""

    def __init__(
        self,
        places: Sequence[FilePlace],
        units: Units,
        facts: Sequence[FactsSegment],
        edges: Sequence[EdgesSegment],
    ) -> None:
        self._places, self._units, self._facts, self._edges = places, units, facts, edges
        self._index = {place.path: i for i, place in enumerate(places)}
        bases = np.cumsum([0] + [len(s.arrays) for s in edges], dtype=np.int64)
        starts, counts = np.zeros(len(places), np.int64), np.zeros(len(places), np.int64)
        for i, place in enumerate(places):
            segment, row = place.edges
            if segment != NONE:
                offsets = edges[segment].arrays.offsets
                starts[i] = bases[segment] + int(offsets[row])
                counts[i] = int(offsets[row + 1]) - int(offsets[row])
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
    def confidence(self) -> IntArray:
        return self._column("confidence")

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
        for table, column, chosen in (
            ("refs", reference_column, self.is_import == 0),
            ("imports", import_column, self.is_import == 1),
        ):
            if not column:
                continue
            joined, first = self._flat(table, column)
            rows = first[self.file] + self.row
            out[chosen] = joined[rows[chosen]]
        return out

    def _flat(self, table: str, column: str) -> tuple[IntArray, IntArray]:
        """A facts column over all segments, and for each file where its rows begin in it."""
        parts = [np.asarray(s.table(table)[column], np.int64) for s in self._facts]
        bases = np.cumsum([0] + [len(p) for p in parts], dtype=np.int64)
        first = np.zeros(len(self._places), np.int64)
        for i, place in enumerate(self._places):
            segment, row = place.facts
            if segment != NONE:
                first[i] = bases[segment] + int(self._facts[segment].offsets(table)[row])
        return (np.concatenate(parts) if parts else np.zeros(0, np.int64)), first

    @cached_property
    def kind(self) -> IntArray:
        return np.where(self.is_import == 1, IMPORT_KIND, self._evidence("kind", ""))

    @cached_property
    def source(self) -> IntArray:
        """View row of the innermost unit around the evidence."""
        return self._units.first[:-1][self.file] + self._evidence("unit", "unit")

    @cached_property
    def line(self) -> IntArray:
        return self._evidence("line", "line")

    @cached_property
    def start(self) -> IntArray:
        return self._evidence("start", "start")

    @cached_property
    def end(self) -> IntArray:
        return self._evidence("end", "end")

    @cached_property
    def name_start(self) -> IntArray:
        return self._evidence("name_start", "start")

    @cached_property
    def _string_base(self) -> IntArray:
        base = np.cumsum([0] + [len(s.strings) for s in self._facts], dtype=np.int64)
        return np.array([base[p.facts[0]] if p.facts[0] != NONE else 0 for p in self._places] or [0], np.int64)

    @cached_property
    def _pool(self) -> list[str]:
        return [string for segment in self._facts for string in segment.strings]

    @cached_property
    def name_id(self) -> IntArray:
        """Index of the evidence's last identifier in the pool of strings, NONE where it has none."""
        local = self._evidence("name", "imported")
        return np.where(local == NONE, NONE, local + self._string_base[self.file])

    def name(self, edge: int) -> str:
        index = int(self.name_id[edge])
        return self._pool[index] if index != NONE else ""

    def named(self, name: str) -> IntArray:
        """Edges whose evidence ends in this identifier, whatever they are bound to."""
        ids = [i for i, string in enumerate(self._pool) if string == name]
        return np.flatnonzero(np.isin(self.name_id, ids))

    @cached_property
    def _rules(self) -> tuple[list[str], IntArray]:
        pool: list[str] = []
        columns: list[IntArray] = []
        for segment in self._edges:
            columns.append(np.asarray(segment.arrays.rule, np.int64) + len(pool))
            pool.extend(segment.arrays.rules)
        joined = np.concatenate(columns) if columns else np.zeros(0, np.int64)
        return pool, joined[self._take]

    def rule(self, edge: int) -> str:
        pool, column = self._rules
        return pool[int(column[edge])]

    def edge(self, edge: int) -> EdgeView:
        return EdgeView(
            kind=EDGE_LABELS[int(self.kind[edge])],
            source_unit=int(self.source[edge]),
            target_unit=int(self.target[edge]),
            target_file=int(self.target_file[edge]),
            path=self._places[int(self.file[edge])].path,
            line=int(self.line[edge]),
            start_byte=int(self.start[edge]),
            end_byte=int(self.end[edge]),
            name_byte=int(self.name_start[edge]),
            name=self.name(edge),
            confidence=Confidence(int(self.confidence[edge])).label,
            rule=self.rule(edge),
            status=EdgeStatus(int(self.status[edge])),
        )

    def into(self, unit: int) -> IntArray:
        """Edges bound to this unit, in path and document order."""
        return np.flatnonzero(self.target == unit)

    def out_of(self, unit: int) -> IntArray:
        """Edges whose evidence stands directly in this unit."""
        file = int(self._units.file[unit])
        low, high = np.searchsorted(self.file, [file, file + 1])
        return np.flatnonzero(self.source[low:high] == unit) + int(low)
