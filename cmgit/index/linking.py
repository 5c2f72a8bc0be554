"""Facts of a tree → its edges: of the whole tree, or of what differs from a snapshot. The one place that knows how
files, config files and earlier edges reach `link`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts, config_text
from cmgit.core.records import BlobKey, FileEntry
from cmgit.core.tables import DependKind, FileEdges
from cmgit.index.plan import ATTRIBUTES
from cmgit.link.earlier import Asked, Tree
from cmgit.link.link import ConfigFile, LinkFile, link
from cmgit.link.relink import relink
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.store.edges_segment import EdgesSegment

FactsOf = Callable[[BlobKey], BlobFacts | None]


@dataclass(frozen=True, slots=True)
class Linked:
    """Edges of a tree. fresh: of files whose edges no earlier segment has, in path order. kept: files that keep those
    of the earlier snapshot, with their row in its file table."""

    fresh: list[tuple[str, FileEdges]]
    kept: dict[str, int]


def link_entries(entries: Sequence[FileEntry], facts_of: FactsOf) -> list[tuple[str, FileEdges]]:
    """Edges of each source file of a tree, in the order of `entries`; files without facts have none.

    Args:
        entries: sources and config files of one tree, in path order.
        facts_of: facts of a blob; None where there are none.
    """
    files: list[LinkFile] = []
    for entry in entries:
        facts = None if entry.language == CONFIG_LANGUAGE else facts_of(BlobKey(entry.oid, entry.language))
        if facts is not None and len(facts.units):
            files.append(LinkFile(entry.path, facts))
    configs = read_configs(entries, facts_of)
    return [(file.path, edges) for file, edges in zip(files, link(files, configs), strict=True)]


def relink_entries(entries: Sequence[FileEntry], facts_of: FactsOf, earlier: Manifest, opened: OpenSegments) -> Linked:
    """The same edges as `link_entries`, of which those are computed that may differ from an earlier snapshot's.

    Args:
        facts_of: called only for the blobs that linking looks into.
        earlier: a snapshot of the same recipe. opened: its segments.
    """
    snapshot = LinkedSnapshot(earlier, opened)
    table = earlier.files
    known, oids, languages = (table.facts_row >= 0).tolist(), table.oid, table.language
    keys: dict[str, FileEntry] = {}
    edited: list[str] = []
    for entry in entries:
        if entry.language == CONFIG_LANGUAGE:
            continue
        row = table.find(entry.path)
        if row is not None and known[row] and oids[row] == entry.oid and languages[row] == entry.language:
            if entry.path in snapshot.rows:
                keys[entry.path] = entry
            continue
        key = BlobKey(entry.oid, entry.language)
        facts = facts_of(key)
        if facts is not None and len(facts.units):
            keys[entry.path] = entry
            edited.append(entry.path)

    def facts_at(path: str) -> BlobFacts:
        facts = facts_of(BlobKey(keys[path].oid, keys[path].language))
        assert facts is not None
        return facts

    tree = Tree(tuple(keys), facts_at, lambda: read_configs(entries, facts_of))
    found = relink(snapshot, tree, edited, config_blobs(entries) != snapshot.configs)
    fresh = {path: edges for path, edges in found.edges.items() if not snapshot.has(path, edges)}
    kept = {path: snapshot.rows[path] for path in keys if path not in fresh}
    return Linked([(path, fresh[path]) for path in keys if path in fresh], kept)


def is_link_config(path: str, language: str) -> bool:
    return language == CONFIG_LANGUAGE and path.rsplit("/", 1)[-1] != ATTRIBUTES


def config_blobs(entries: Sequence[FileEntry]) -> dict[str, str]:
    return {entry.path: entry.oid for entry in entries if is_link_config(entry.path, entry.language)}


def read_configs(entries: Sequence[FileEntry], facts_of: FactsOf) -> list[ConfigFile]:
    configs: list[ConfigFile] = []
    for entry in entries:
        if is_link_config(entry.path, entry.language):
            facts = facts_of(BlobKey(entry.oid, entry.language))
            if facts is not None:
                configs.append(ConfigFile(entry.path, config_text(facts).encode("utf-8", "surrogateescape")))
    return configs


class LinkedSnapshot:
    """The edges of a published snapshot, and what they depend on, as `cmgit.link.earlier.Earlier`."""

    def __init__(self, manifest: Manifest, opened: OpenSegments) -> None:
        self._table, self._opened = manifest.files, opened
        segments, rows = self._table.edges_segment.tolist(), self._table.edges_row.tolist()
        self._segments, self._edge_rows = segments, rows
        self.rows = {path: i for i, path in enumerate(self._table.path) if segments[i] >= 0}
        self._files: dict[int, dict[int, str]] = {}  # edges segment -> its row -> path
        for path, i in self.rows.items():
            self._files.setdefault(segments[i], {})[rows[i]] = path

    @property
    def paths(self) -> Collection[str]:
        return self.rows.keys()

    @cached_property
    def configs(self) -> dict[str, str]:
        table = self._table
        files = zip(table.path, table.language, table.oid, strict=True)
        return {path: oid for path, language, oid in files if is_link_config(path, language)}

    def key(self, row: int) -> BlobKey:
        return BlobKey(self._table.oid[row], self._table.language[row])

    def facts(self, path: str) -> BlobFacts:
        row = self.rows[path]
        return self._opened.facts(int(self._table.facts_segment[row])).facts(int(self._table.facts_row[row]))

    def edges(self, path: str) -> FileEdges:
        row = self.rows[path]
        segment = self._opened.edges(self._segments[row])
        at = self._edge_rows[row]
        return replace(segment.edges(at), depends=segment.depends(at))

    def has(self, path: str, edges: FileEdges) -> bool:
        """Whether these edges, with what they depend on, are those of the snapshot."""
        if path not in self.rows:
            return False
        known = self.edges(path)
        return same_edges(known, edges) and list(known.depends.rows()) == list(edges.depends.rows())

    def noted(self, kinds: Collection[DependKind]) -> Iterator[tuple[str, int, str | None, str, int, int]]:
        wanted = np.array([int(kind) for kind in kinds])
        for segment, files in self._parts():
            arrays = segment.depend_arrays
            chosen = np.flatnonzero(np.isin(arrays.kind, wanted))
            places = _rows_of(arrays.offsets, chosen)
            taken = [column[chosen].tolist() for column in (arrays.kind, arrays.path, arrays.name, arrays.a, arrays.b)]
            strings = arrays.strings
            for at, kind, path, name, a, b in zip(places.tolist(), *taken, strict=True):
                if at in files:
                    yield files[at], kind, strings[path] if path >= 0 else None, strings[name], a, b

    def readers(self, asked: Collection[Asked]) -> set[str]:
        found: set[str] = set()
        for segment, files in self._parts():
            arrays = segment.depend_arrays
            index = {name: i for i, name in enumerate(arrays.strings)}
            pairs: list[int] = []
            anything: list[int] = []
            for path, name in asked:
                place = -1 if path is None else index.get(path)
                if place is None:
                    continue
                if name is None:
                    anything.append(place)
                elif name in index:
                    pairs.append((place + 1) * len(index) + index[name])
            codes = (arrays.path.astype(np.int64) + 1) * len(index) + arrays.name
            hit = (np.isin(codes, pairs) | np.isin(arrays.path, anything)) & (arrays.kind == DependKind.TOKEN)
            found.update(_paths_at(files, _rows_of(arrays.offsets, np.flatnonzero(hit))))
        return found

    def targeting(self, paths: Collection[str]) -> set[str]:
        found: set[str] = set()
        for segment, files in self._parts():
            edges, depends = segment.arrays, segment.depend_arrays
            into = [i for i, name in enumerate(edges.strings) if name in paths]
            found.update(_paths_at(files, _rows_of(edges.offsets, np.flatnonzero(np.isin(edges.target_path, into)))))
            of = [i for i, name in enumerate(depends.strings) if name in paths]
            heirs = np.isin(depends.path, of) & np.isin(depends.kind, (DependKind.HEIR, DependKind.LITERAL))
            found.update(_paths_at(files, _rows_of(depends.offsets, np.flatnonzero(heirs))))
        return found

    def _parts(self) -> Iterator[tuple[EdgesSegment, dict[int, str]]]:
        for index, files in self._files.items():
            yield self._opened.edges(index), files


def _rows_of(offsets: npt.NDArray[np.int64], flat: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The rows of a segment that some of its flat entries belong to."""
    found: npt.NDArray[np.int64] = np.searchsorted(offsets, flat, "right") - 1
    return found


def _paths_at(files: dict[int, str], rows: npt.NDArray[np.int64]) -> list[str]:
    return [files[row] for row in np.unique(rows).tolist() if row in files]


def same_edges(a: FileEdges, b: FileEdges) -> bool:
    """Equal in meaning, whatever the tables of names that the rows index."""
    plain = ("is_import", "source", "target_unit", "confidence", "status")
    if len(a) != len(b) or any(list(getattr(a, name)) != list(getattr(b, name)) for name in plain):
        return False
    return names(a.paths, a.target_path) == names(b.paths, b.target_path) and names(a.rules, a.rule) == names(
        b.rules, b.rule
    )


def names(table: tuple[str, ...], column: Sequence[int]) -> list[str]:
    return [table[i] if i >= 0 else "" for i in column]
