"""Edges of single files of a tree, with what they depend on. Files that nothing asks about are never looked into."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from cmgit.core.facts import NONE, BlobFacts
from cmgit.core.tables import Confidence, DependKind, EdgeStatus, FileDepends, FileEdges
from cmgit.link.base import TooFar
from cmgit.link.edge import OUTSIDE, UNKNOWN, Edge
from cmgit.link.evaluate import Evaluator
from cmgit.link.heirs import Heir, Heirs, heirs_of, unit_name
from cmgit.link.modules import EXTERNAL
from cmgit.link.reads import ANCESTOR, TREE
from cmgit.link.targets import Targets
from cmgit.link.tree import File
from cmgit.link.values import UNIT

Row = tuple[int, int, int, int, Edge]
"""An edge with where its evidence stands: start, is_import, row of the references or imports, target file or NONE."""


def _columns(rows: list[Row], paths: Sequence[str], depends: FileDepends) -> FileEdges:
    """Rows in document order as columns."""
    rows.sort(key=itemgetter(0, 1, 2))
    local = {file: place for place, file in enumerate(dict.fromkeys(row[3] for row in rows if row[3] >= 0))}
    rules = {rule: place for place, rule in enumerate(dict.fromkeys(row[4].rule for row in rows))}
    local[NONE] = NONE
    return FileEdges(
        paths=tuple(paths[file] for file in local if file >= 0),
        rules=tuple(rules),
        is_import=array("i", [row[1] for row in rows]),
        source=array("i", [row[2] for row in rows]),
        target_path=array("i", [local[row[3]] for row in rows]),
        target_unit=array("i", [row[4].unit for row in rows]),
        confidence=array("i", [row[4].confidence for row in rows]),
        rule=array("i", [rules[row[4].rule] for row in rows]),
        status=array("i", [row[4].status for row in rows]),
        depends=depends,
    )


class DependColumns:
    """Columns of what one file's edges depend on, under construction."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._columns: tuple[list[int], ...] = ([], [], [], [], [])

    def add(self, kind: int, path: str | None, name: str, a: int = 0, b: int = 0) -> None:
        names = self._names
        place = NONE if path is None else names.setdefault(path, len(names))
        row = (kind, place, names.setdefault(name, len(names)), a, b)
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def finish(self) -> FileDepends:
        return FileDepends(tuple(self._names), *self._columns)


class Linker:
    """Links files of one tree. Every file's heirs have to be known, found or given, before edges are asked for.

    Args: as for `Evaluator`.
    """

    def __init__(
        self,
        paths: Sequence[str],
        facts: Callable[[int], BlobFacts],
        resolve: Callable[[str, int], str | None],
        declared: Mapping[str, Sequence[tuple[int, int]]],
    ) -> None:
        self.paths = paths
        self.evaluator = Evaluator(paths, facts, resolve, declared)
        self.heirs: Heirs = {}
        self._own_heirs: dict[int, tuple[list[Heir], set[int]]] = {}
        self._targets = Targets(self.evaluator, self.heirs)

    def find_heirs(self, index: int) -> list[Heir]:
        """Finds what the classes, interfaces and literals of a file are for."""
        found = self._own_heirs[index] = heirs_of(self.evaluator.files[index], self.evaluator)
        for heir in found[0]:
            self.add_heir(index, heir)
        return found[0]

    def add_heir(self, index: int, heir: Heir) -> None:
        self.heirs.setdefault((heir.file, heir.number), []).append((heir.kind, index, heir.place))

    def owner_name(self, heir: Heir) -> str:
        return unit_name(self.evaluator.files[heir.file], heir.number)

    def edges(self, index: int) -> FileEdges:
        """Edges of a file, and what they depend on."""
        evaluator, targets = self.evaluator, self._targets
        file = evaluator.files[index]
        rows: list[Row] = []
        refs, imports = file.facts.refs, file.facts.imports
        heirs, reads = self._own_heirs[index]
        evaluator.take_reads()
        for row, (kind, start, value) in enumerate(zip(refs.kind, refs.start, refs.value, strict=True)):
            for edge in targets.reference(file, kind, value):
                rows.append((start, 0, row, edge.file, edge))
        for row, start in enumerate(imports.start):
            target, edge = self._import_edge(file, row)
            rows.append((start, 1, row, target, edge))
        return _columns(rows, self.paths, self._depends(file, heirs, reads | evaluator.take_reads()))

    def _import_edge(self, file: File, row: int) -> tuple[int, Edge]:
        """The module that an import requests, and the unit that it brings in, if there is one."""
        evaluator = self.evaluator
        evaluator.begin()
        target = evaluator.target_file(file, row)
        if target is None:
            return NONE, UNKNOWN
        if target < 0:
            return NONE, OUTSIDE
        imports = file.facts.imports
        value = None
        if imports.imported[row] >= 0 and file.strings[imports.imported[row]] != "*":
            try:
                value = evaluator.imported(file, row, False)
                if value is None or value[0] != UNIT:
                    value = evaluator.imported(file, row, True) or value
            except TooFar:
                value = None
        edge = Edge(EdgeStatus.RESOLVED, target, NONE, Confidence.PROVEN, "import")
        if value is not None and value[0] == UNIT:
            return value[1], edge._replace(file=value[1], unit=value[2])
        return target, edge

    def _depends(self, file: File, heirs: list[Heir], reads: set[int]) -> FileDepends:
        columns = DependColumns()
        strings, specifiers = file.strings, file.facts.imports.specifier
        for name in sorted({strings[specifier] for specifier in specifiers}):
            target = self.evaluator.resolve(name, file.index)
            outside = target == EXTERNAL
            columns.add(DependKind.REQUEST, None if outside else target, name, int(outside))
        for row in file.stars:
            columns.add(DependKind.STAR, None, strings[specifiers[row]])
        for name, rows in file.globals.items():
            for value in rows:
                columns.add(DependKind.GLOBAL, None, name, value)
        for heir in heirs:
            columns.add(heir.kind, self.paths[heir.file], self.owner_name(heir), heir.number, heir.place)
        own = file.index if not file.stars else None
        for index, name in sorted(self.evaluator.reads.tokens(reads)):
            if index != own or name.startswith(ANCESTOR):
                columns.add(DependKind.TOKEN, None if index == TREE else self.paths[index], name)
        return columns.finish()
