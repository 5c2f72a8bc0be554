"""What linking part of a tree needs of a tree that was linked before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
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
