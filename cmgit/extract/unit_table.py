"""Unit rows under construction."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from cmgit.core.codes import UnitKind
from cmgit.core.facts import NONE, UnitColumns
from cmgit.extract.lines import Lines
from cmgit.extract.strings import Interner


@dataclass(slots=True)
class UnitRow:
    """One unit while it is made; `owner` is the index of another row in order of making, NONE for the file."""

    kind: UnitKind
    name: str
    qualname: str
    owner: int
    start: int
    end: int
    name_start: int
    body_start: int
    doc_start: int
    doc_end: int
    flags: int


class UnitTable:
    """Rows in order of making; `columns` puts them in document order."""

    __slots__ = ("node_rows", "rows")

    def __init__(self) -> None:
        self.rows: list[UnitRow] = []
        self.node_rows: dict[int, int] = {}

    def add(self, row: UnitRow) -> int:
        self.rows.append(row)
        return len(self.rows) - 1

    def columns(self, strings: Interner, lines: Lines) -> tuple[UnitColumns, dict[int, int]]:
        """The columns in document order, outer before inner, and the map from declaring node ids to their rows."""
        rows = self.rows
        order = sorted(range(len(rows)), key=lambda i: (rows[i].start, -rows[i].end, i))
        # The file comes first even where something starts and ends with it.
        order.remove(0)
        order.insert(0, 0)
        place = [0] * len(rows)
        for new, old in enumerate(order):
            place[old] = new
        sorted_rows = [rows[old] for old in order]
        line_of = lines.line_of
        columns = UnitColumns(
            kind=array("i", (row.kind for row in sorted_rows)),
            name=array("i", (strings.id(row.name) for row in sorted_rows)),
            qualname=array("i", (strings.id(row.qualname) for row in sorted_rows)),
            owner=array("i", (NONE if row.owner == NONE else place[row.owner] for row in sorted_rows)),
            start=array("i", (row.start for row in sorted_rows)),
            end=array("i", (row.end for row in sorted_rows)),
            start_line=array("i", (line_of(row.start) for row in sorted_rows)),
            end_line=array("i", (line_of(max(row.start, row.end - 1)) for row in sorted_rows)),
            name_start=array("i", (row.name_start for row in sorted_rows)),
            name_line=array("i", (line_of(row.name_start) for row in sorted_rows)),
            body_start=array("i", (row.body_start for row in sorted_rows)),
            doc_start=array("i", (row.doc_start for row in sorted_rows)),
            doc_end=array("i", (row.doc_end for row in sorted_rows)),
            flags=array("i", (row.flags for row in sorted_rows)),
        )
        return columns, {node: place[row] for node, row in self.node_rows.items()}
