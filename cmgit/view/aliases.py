"""Names under which units are exported: `export { sum as total }`, here or through barrels.

A declaration is found under both names (optave/ops-codegraph-tool#1823). The names are read at once; what one of them
means is looked up only when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from cmgit.core.facts import NONE, ValueOp
from cmgit.store.segments import FactsSegment
from cmgit.view.edges import EdgeTable
from cmgit.view.layout import FilePlace, IntArray, Units


class Aliases:
    def __init__(
        self, places: Sequence[FilePlace], units: Units, facts: Sequence[FactsSegment], edges: EdgeTable
    ) -> None:
        self._places, self._units, self._facts, self._edges = places, units, facts, edges

    @cached_property
    def _files(self) -> dict[tuple[int, int], list[int]]:
        """Files by (segment, row) of their facts."""
        found: dict[tuple[int, int], list[int]] = {}
        for file, place in enumerate(self._places):
            if place.facts[0] != NONE:
                found.setdefault(place.facts, []).append(file)
        return found

    def units(self, name: str) -> list[int]:
        """Units that some file exports under this name, though they are declared under another, ascending."""
        found: set[int] = set()
        for number, segment in enumerate(self._facts):
            strings = segment.strings
            place = bisect_left(strings, name)
            if place == len(strings) or strings[place] != name:
                continue
            exports = segment.table("exports")
            for flat in np.flatnonzero(exports["name"] == place).tolist():
                row = int(np.searchsorted(segment.offsets("exports"), flat, side="right")) - 1
                for file in self._files.get((number, row), ()):
                    found.update(
                        self._meant(file, segment, row, int(exports["value"][flat]), int(exports["import_row"][flat]))
                    )
        return sorted(unit for unit in found if self._units.name(unit) != name)

    def _meant(self, file: int, segment: FactsSegment, row: int, value: int, import_row: int) -> list[int]:
        if value != NONE:
            first = int(segment.offsets("values")[row])
            values = segment.table("values")
            op, operand = int(values["op"][first + value]), int(values["a"][first + value])
            if op == ValueOp.UNIT:
                return [int(self._units.first[file]) + operand]
            if op != ValueOp.IMPORT:
                return []
            import_row = operand
        return self._imported(file, import_row) if import_row != NONE else []

    def _imported(self, file: int, import_row: int) -> list[int]:
        edges = self._edges
        chosen: IntArray = (edges.file == file) & (edges.is_import == 1) & (edges.row == import_row)
        return [int(target) for target in edges.target[np.flatnonzero(chosen)] if target != NONE]
