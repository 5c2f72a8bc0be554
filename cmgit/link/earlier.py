"""What linking part of a tree needs of a tree that was linked before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cmgit.core.facts import BlobFacts
from cmgit.core.tables import DependKind, FileEdges
from cmgit.link.configs import ConfigFile

Asked = tuple[str | None, str | None]
"""A path and what was asked of it (`cmgit.link.reads`); path None: the tree itself; name None: anything."""


class Earlier(Protocol):
    """A linked tree."""

    @property
    def paths(self) -> Collection[str]:
        """The files that were linked."""

    def facts(self, path: str) -> BlobFacts:
        """Their facts at that time."""

    def edges(self, path: str) -> FileEdges:
        """Their edges, with what these depend on."""

    def noted(
        self, kinds: Collection[DependKind], files: Collection[str] | None = None
    ) -> Iterable[tuple[str, int, str | None, str, int, int]]:
        """(file, kind, path, name, a, b) of all rows of some kinds, those of a file together; of some files only."""

    def readers(self, asked: Collection[Asked]) -> set[str]:
        """Files whose edges were read from any of these."""

    def targeting(self, paths: Collection[str]) -> set[str]:
        """Files with edges into any of these, or with heirs of what is declared there."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree to link. facts: of a file by path. configs: its config files, called when a name has to be resolved."""

    paths: Collection[str]
    facts: Callable[[str], BlobFacts]
    configs: Callable[[], Sequence[ConfigFile]]


class LinkedTree:
    """A linked tree in memory."""

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
