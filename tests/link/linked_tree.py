"""A linked tree in memory: what a store gives to linking in part, without one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from cmgit.core.facts import BlobFacts
from cmgit.core.tables import DependKind, FileEdges
from cmgit.link.earlier import Asked


class LinkedTree:
    def __init__(self, facts: Mapping[str, BlobFacts], edges: Mapping[str, FileEdges]) -> None:
        self._facts, self._edges = facts, edges

    @property
    def paths(self) -> Collection[str]:
        return self._edges.keys()

    def facts(self, path: str) -> BlobFacts:
        return self._facts[path]

    def edges(self, path: str) -> FileEdges:
        return self._edges[path]

    def noted(
        self, kinds: Collection[DependKind], files: Collection[str] | None = None
    ) -> Iterator[tuple[str, int, str | None, str, int, int]]:
        for file in sorted(self._edges):
            if files is not None and file not in files:
                continue
            for kind, path, name, a, b in self._edges[file].depends.rows():
                if kind in kinds:
                    yield file, kind, path, name, a, b

    def readers(self, asked: Collection[Asked]) -> set[str]:
        wanted = set(asked)
        return {
            file
            for file, _, path, name, _, _ in self.noted((DependKind.TOKEN,))
            if (path, name) in wanted or (path, None) in wanted
        }

    def targeting(self, paths: Collection[str]) -> set[str]:
        wanted = set(paths)
        found = {file for file, edges in self._edges.items() if not wanted.isdisjoint(edges.paths)}
        heirs = self.noted((DependKind.HEIR, DependKind.LITERAL))
        return found | {file for file, _, path, _, _, _ in heirs if path in wanted}
