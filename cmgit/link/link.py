"""Facts of a tree to its edges. Pure: the same files give the same edges, in whatever order they were extracted."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from cmgit.core.facts import NONE
from cmgit.core.tables import Confidence, EdgeStatus, FileEdges
from cmgit.link.configs import ConfigFile, read_configs
from cmgit.link.evaluate import Evaluator
from cmgit.link.modules import Modules
from cmgit.link.targets import OUTSIDE, UNKNOWN, Edge, Targets
from cmgit.link.tree import File, LinkFile
from cmgit.link.values import EXTERNAL, MODULE, UNIT


@dataclass(slots=True)
class _Columns:
    """Columns of one file's edges under construction."""

    paths: dict[str, int]
    rules: dict[str, int]
    is_import: array[int]
    source: array[int]
    target_path: array[int]
    target_unit: array[int]
    confidence: array[int]
    rule: array[int]
    status: array[int]

    @staticmethod
    def new() -> _Columns:
        return _Columns({}, {}, *(array("i") for _ in range(7)))

    def add(self, is_import: int, source: int, path: str | None, edge: Edge) -> None:
        self.is_import.append(is_import)
        self.source.append(source)
        self.target_path.append(NONE if path is None else self.paths.setdefault(path, len(self.paths)))
        self.target_unit.append(edge.unit)
        self.confidence.append(edge.confidence)
        self.rule.append(self.rules.setdefault(edge.rule, len(self.rules)))
        self.status.append(edge.status)

    def finish(self) -> FileEdges:
        return FileEdges(
            tuple(self.paths), tuple(self.rules), self.is_import, self.source, self.target_path, self.target_unit,
            self.confidence, self.rule, self.status,
        )  # fmt: skip


def link(files: Sequence[LinkFile], configs: Sequence[ConfigFile]) -> list[FileEdges]:
    """Edges of every file, in the order of `files`.

    Each reference and each import has at least one row: resolved, external or unknown.
    """
    modules = Modules([file.path for file in files], read_configs(configs))
    # Evaluation is cut off somewhere in types without end, and where depends on what is known already: one order.
    order = sorted(range(len(files)), key=lambda index: files[index].path)
    evaluator = Evaluator([files[index] for index in order], modules)
    targets = Targets(evaluator)
    edges = {index: _file_edges(file, evaluator, targets) for index, file in zip(order, evaluator.files, strict=True)}
    return [edges[index] for index in range(len(files))]


def _file_edges(file: File, evaluator: Evaluator, targets: Targets) -> FileEdges:
    columns = _Columns.new()
    rows: list[tuple[int, int, int, str | None, Edge]] = []
    refs, imports = file.facts.refs, file.facts.imports
    files = evaluator.files
    for row, (kind, start, value) in enumerate(zip(refs.kind, refs.start, refs.value, strict=True)):
        for edge in targets.reference(file, kind, value):
            rows.append((start, 0, row, files[edge.file].path if edge.file >= 0 else None, edge))
    for row, start in enumerate(imports.start):
        path, edge = _import_edge(file, row, evaluator)
        rows.append((start, 1, row, path, edge))
    rows.sort(key=lambda item: item[:3])
    for _, is_import, row, path, edge in rows:
        columns.add(is_import, row, path, edge)
    return columns.finish()


def _import_edge(file: File, row: int, evaluator: Evaluator) -> tuple[str | None, Edge]:
    """The module that an import requests, and the unit that it brings in, if there is one."""
    target = evaluator.target_file(file, row)
    if target is None:
        return None, UNKNOWN
    if target < 0:
        return None, OUTSIDE
    imports = file.facts.imports
    evaluator.start(file, 0)
    value = None
    if imports.imported[row] >= 0 and file.strings[imports.imported[row]] != "*":
        value = evaluator.imported(file, row, False)
        if value is None or value[0] != UNIT:
            value = evaluator.imported(file, row, True) or value
    path = evaluator.files[target].path
    edge = Edge(EdgeStatus.RESOLVED, target, NONE, Confidence.PROVEN, "import")
    if value is not None and value[0] == UNIT:
        return evaluator.files[value[1]].path, edge._replace(file=value[1], unit=value[2])
    return path, edge


__all__ = ["EXTERNAL", "MODULE", "ConfigFile", "LinkFile", "link"]
