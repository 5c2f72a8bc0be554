"""Facts of a tree → its edges: of the whole tree, or of what differs from a snapshot. The one place that knows how
files, config files and earlier edges reach `link`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import CONFIG_LANGUAGE, NONE, BlobFacts, config_text
from cmgit.core.records import BlobKey, FileEntry, Role, path_bytes
from cmgit.core.tables import DependKind, FileEdges
from cmgit.index.changes import Changes
from cmgit.index.plan import ATTRIBUTES
from cmgit.link.earlier import Asked, Tree
from cmgit.link.link import ConfigFile, LinkFile, link
from cmgit.link.relink import relink
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.store.edges_segment import EdgesSegment
from cmgit.store.refs import SegmentRef

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
    edited: dict[str, BlobFacts] = {}
    for entry in entries:
        if entry.language == CONFIG_LANGUAGE:
            continue
        row = table.find(entry.path)
        if row is not None and known[row] and oids[row] == entry.oid and languages[row] == entry.language:
            if entry.path in snapshot.rows:
                keys[entry.path] = entry
            continue
        facts = facts_of(BlobKey(entry.oid, entry.language))
        if facts is not None and len(facts.units):
            keys[entry.path] = entry
            edited[entry.path] = facts
    before = snapshot.configs
    fresh = _relink(
        snapshot, keys.keys(), edited, lambda: read_configs(entries, facts_of), config_blobs(entries) != before
    )
    kept = {path: snapshot.rows[path] for path in keys if path not in fresh}
    return Linked([(path, fresh[path]) for path in keys if path in fresh], kept)


@dataclass(frozen=True, slots=True)
class LinkedChanges:
    """Edges of a tree, over those of an earlier snapshot. fresh: of files whose edges no earlier segment has, in path
    order. kept: of the files in the changes those that keep their edges, with the place of these."""

    fresh: list[tuple[str, FileEdges]]
    kept: dict[str, tuple[SegmentRef, int]]


def link_changes(changes: Changes, facts_of: FactsOf, base: Manifest | None, opened: OpenSegments) -> LinkedChanges:
    """The edges of a tree that differ from those of an earlier snapshot; all of them where there is none.

    Args:
        changes: what the tree needs over the snapshot. facts_of: called for the blobs of these entries.
        opened: the snapshot's segments.
    """
    if base is None:
        return LinkedChanges(link_entries(changes.plan.files, facts_of), {})
    snapshot = LinkedSnapshot(base, opened)
    edited: dict[str, BlobFacts] = {}
    for entry in changes.plan.files:
        facts = None if entry.language == CONFIG_LANGUAGE else facts_of(BlobKey(entry.oid, entry.language))
        if facts is not None and len(facts.units):
            edited[entry.path] = facts
    table = base.files
    gone = {table.path[row] for row in changes.gone}
    lost = (gone - edited.keys()) & snapshot.rows.keys()
    paths: Collection[str] = snapshot.rows.keys()
    if lost or edited.keys() - paths:
        paths = (paths | edited.keys()) - lost

    def configs() -> list[ConfigFile]:
        kept = [entry for entry in snapshot.config_entries if entry.path not in gone]
        present = [*kept, *(entry for entry in changes.plan.files if entry.language == CONFIG_LANGUAGE)]
        return read_configs(sorted(present, key=lambda entry: path_bytes(entry.path)), facts_of)

    before = config_blobs([entry for entry in snapshot.config_entries if entry.path in gone])
    fresh = _relink(snapshot, paths, edited, configs, config_blobs(changes.plan.files) != before)
    kept = {path: snapshot.place(path) for path in edited if path not in fresh}
    return LinkedChanges(sorted(fresh.items(), key=lambda item: path_bytes(item[0])), kept)


def _relink(
    snapshot: LinkedSnapshot,
    paths: Collection[str],
    edited: Mapping[str, BlobFacts],
    configs: Callable[[], Sequence[ConfigFile]],
    configs_changed: bool,
) -> dict[str, FileEdges]:
    """Edges that differ from a snapshot's, given the facts of the files that do."""

    def facts_at(path: str) -> BlobFacts:
        return edited[path] if path in edited else snapshot.facts(path)

    found = relink(snapshot, Tree(paths, facts_at, configs), edited.keys(), configs_changed)
    return {path: edges for path, edges in found.edges.items() if not snapshot.has(path, edges)}


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
    """The edges of a published snapshot, and what they depend on, as `cmgit.link.earlier.Earlier`.

    rows: path → row in the table, of the files that have edges.
    """

    def __init__(self, manifest: Manifest, opened: OpenSegments) -> None:
        self.table, self._opened = manifest.files, opened
        table = self.table
        linked = np.flatnonzero(table.edges_segment >= 0)
        paths = table.path
        self.rows: dict[str, int] = {paths[row]: row for row in linked.tolist()}
        self._files: dict[int, npt.NDArray[np.int64]] = {}  # edges segment → of its rows the row in the table, or NONE
        for index in np.flatnonzero(np.bincount(table.edges_segment[linked])).tolist():
            own = linked[table.edges_segment[linked] == index]
            self._files[index] = np.full(opened.refs[index].rows, NONE, np.int64)
            self._files[index][table.edges_row[own]] = own

    @property
    def paths(self) -> Collection[str]:
        return self.rows.keys()

    @cached_property
    def config_entries(self) -> list[FileEntry]:
        """Config files of the tree, those for roles included."""
        table, roles = self.table, tuple(Role)
        if CONFIG_LANGUAGE not in table.languages:
            return []
        rows = np.flatnonzero(table.language_index == table.languages.index(CONFIG_LANGUAGE)).tolist()
        return [
            FileEntry(
                table.path[row], table.oid_rows[row].tobytes().hex(), int(table.mode[row]), CONFIG_LANGUAGE,
                roles[int(table.role[row])],
            )
            for row in rows
        ]  # fmt: skip

    @property
    def configs(self) -> dict[str, str]:
        return config_blobs(self.config_entries)

    def place(self, path: str) -> tuple[SegmentRef, int]:
        """Where the edges of a file stand."""
        row = self.rows[path]
        return self._opened.refs[int(self.table.edges_segment[row])], int(self.table.edges_row[row])

    def facts(self, path: str) -> BlobFacts:
        row = self.rows[path]
        segment = self._opened.facts(int(self.table.facts_segment[row]))
        return segment.facts(int(self.table.facts_row[row]), refs_later=True)

    def edges(self, path: str) -> FileEdges:
        row = self.rows[path]
        segment, at = self._opened.edges(int(self.table.edges_segment[row])), int(self.table.edges_row[row])
        return replace(segment.edges(at), depends=segment.depends(at))

    def has(self, path: str, edges: FileEdges) -> bool:
        """Whether these edges, with what they depend on, are those of the snapshot."""
        if path not in self.rows:
            return False
        known = self.edges(path)
        return same_edges(known, edges) and list(known.depends.rows()) == list(edges.depends.rows())

    def noted(
        self, kinds: Collection[DependKind], files: Collection[str] | None = None
    ) -> Iterator[tuple[str, int, str | None, str, int, int]]:
        wanted = np.array([int(kind) for kind in kinds])
        table = self.table.path
        for segment, rows in self._parts(files):
            arrays = segment.depend_arrays
            chosen = np.flatnonzero(np.isin(arrays.kind, wanted))
            places = rows[_rows_of(arrays.offsets, chosen)]
            chosen, places = chosen[places >= 0], places[places >= 0]
            taken = [column[chosen].tolist() for column in (arrays.kind, arrays.path, arrays.name, arrays.a, arrays.b)]
            strings = arrays.strings
            for at, kind, path, name, a, b in zip(places.tolist(), *taken, strict=True):
                yield table[at], kind, strings[path] if path >= 0 else None, strings[name], a, b

    def readers(self, asked: Collection[Asked]) -> set[str]:
        found: set[str] = set()
        for segment, rows in self._parts():
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
            found.update(self._paths_at(rows, _rows_of(arrays.offsets, np.flatnonzero(hit))))
        return found

    def targeting(self, paths: Collection[str]) -> set[str]:
        found: set[str] = set()
        for segment, rows in self._parts():
            edges, depends = segment.arrays, segment.depend_arrays
            into = [i for i, name in enumerate(edges.strings) if name in paths]
            hit = np.flatnonzero(np.isin(edges.target_path, into))
            found.update(self._paths_at(rows, _rows_of(edges.offsets, hit)))
            of = [i for i, name in enumerate(depends.strings) if name in paths]
            heirs = np.isin(depends.path, of) & np.isin(depends.kind, (DependKind.HEIR, DependKind.LITERAL))
            found.update(self._paths_at(rows, _rows_of(depends.offsets, np.flatnonzero(heirs))))
        return found

    def _parts(self, files: Collection[str] | None = None) -> Iterator[tuple[EdgesSegment, npt.NDArray[np.int64]]]:
        """Segments, with the row in the table of each of their rows; NONE where the tree has it not, or `files` not."""
        chosen = None if files is None else {self.rows[path] for path in files if path in self.rows}
        for index, rows in self._files.items():
            mine = rows
            if chosen is not None:
                mine = np.where(np.isin(rows, np.fromiter(chosen, np.int64, len(chosen))), rows, NONE)
            if (mine >= 0).any():
                yield self._opened.edges(index), mine

    def _paths_at(self, rows: npt.NDArray[np.int64], hit: npt.NDArray[np.int64]) -> list[str]:
        table = self.table.path
        return [table[row] for row in set(rows[hit].tolist()) if row >= 0]


def _rows_of(offsets: npt.NDArray[np.int64], flat: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The rows of a segment that some of its flat entries belong to."""
    found: npt.NDArray[np.int64] = np.searchsorted(offsets, flat, "right") - 1
    return found


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
