"""Facts of a tree to its edges. Pure: the same files give the same edges, in whatever order they were extracted."""

from __future__ import annotations

from collections.abc import Sequence

from cmgit.core.tables import FileEdges
from cmgit.link.configs import ConfigFile, read_configs
from cmgit.link.linker import Linker
from cmgit.link.modules import Modules
from cmgit.link.tree import LinkFile


def link(files: Sequence[LinkFile], configs: Sequence[ConfigFile]) -> list[FileEdges]:
    """Edges of every file, in the order of `files`, and what they depend on.

    Each reference and each import has at least one row: resolved, external or unknown. Only a VALUE has none where it
    is no unit of the tree.
    """
    order = sorted(range(len(files)), key=lambda index: files[index].path)
    paths = [files[index].path for index in order]
    modules = Modules(paths, read_configs(configs))
    declared: dict[str, list[tuple[int, int]]] = {}
    linker = Linker(
        paths, lambda at: files[order[at]].facts, lambda name, at: modules.resolve(name, paths[at]), declared
    )
    for index in range(len(paths)):
        for name, rows in linker.evaluator.files[index].globals.items():
            declared.setdefault(name, []).extend((index, row) for row in rows)
    for index in range(len(paths)):
        linker.find_heirs(index)
    edges = {place: linker.edges(index) for index, place in enumerate(order)}
    return [edges[index] for index in range(len(files))]


__all__ = ["ConfigFile", "LinkFile", "link"]
