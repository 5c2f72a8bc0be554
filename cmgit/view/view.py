"""The view: files, units, words, edges and vectors of the code as it is now, behind one class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.errors import CmgitError
from cmgit.core.facts import NONE, BlobFacts, BlobStatus, UnitFlag, UnitKind
from cmgit.core.history import History
from cmgit.core.record import record
from cmgit.core.records import BlobKey, Change, Pending, UnitView
from cmgit.core.tables import EdgeStatus
from cmgit.git.locate import Location
from cmgit.store.segments import EdgesSegment, FactsSegment, TermsSegment, TextsSegment
from cmgit.view.aliases import Aliases
from cmgit.view.edges import IMPORT_KIND, EdgeTable, EdgeView
from cmgit.view.layout import FilePlace, IntArray, Units, ViewFile, distinct
from cmgit.view.past import Past
from cmgit.view.sources import Reader, Source
from cmgit.view.supply import Supply
from cmgit.view.terms import Postings
from cmgit.view.vectors import UnitVectors, WantedTexts, unit_vectors, wanted_texts

KIND_LABELS = tuple(kind.label for kind in UnitKind)


@record
class Segments:
    """Opened segments, from disk or in memory, in the order that `FilePlace` counts them."""

    facts: Sequence[FactsSegment]
    terms: Sequence[TermsSegment]
    texts: Sequence[TextsSegment]
    edges: Sequence[EdgesSegment]


class View:
    """Code as it is now. Rows of units are counted over all files in path order.

    Args:
        tree: id of the tree that the view was laid over. dirty: files that differ from it.
        places: files in the order of their raw path bytes. max_blob_bytes: limit for files that are parsed anew.
        supply: gives the vectors; None where the user wants none.

    location, changes: the repository, and what differs from the tree in its working tree (None: the tree itself is
    shown); set by whoever opens the view, for notes.
    pending_files: files that differ from what this view shows, set by whoever answers before a newer view is there.
    closed: files of the working tree that cannot be read; they are pending for as long as that is so.
    """

    def __init__(
        self,
        tree: str,
        dirty: int,
        places: Sequence[FilePlace],
        segments: Segments,
        reader: Reader,
        max_blob_bytes: int,
        supply: Supply | None,
    ) -> None:
        self.tree, self.dirty, self.supply = tree, dirty, supply
        self.places, self.segments = tuple(places), segments
        self._reader, self._max_blob_bytes = reader, max_blob_bytes
        self.units = Units(self.places, segments.facts)
        self._sources: dict[int, Source | None] = {}
        self._vectors: UnitVectors | None = None
        self.pending_files = 0
        self.closed: tuple[str, ...] = ()
        self.location: Location | None = None
        self.changes: Sequence[Change] | None = None
        self.past: Past | None = None
        self.warn: Callable[[str], None] = lambda _: None
        self.past_unread = False

    def renew(self) -> None:
        """Ready for another question: files are read anew, and vectors that came short are looked for again."""
        self._sources = {}
        if self.supply is not None and self.supply.is_short:
            self._vectors = None
        if self.past_unread or (self.past is not None and self.past.is_short):
            self.__dict__.pop("_history", None)

    @cached_property
    def files(self) -> tuple[ViewFile, ...]:
        first = self.units.first.tolist()
        return tuple(
            ViewFile(p.path, p.oid, p.language, p.role, p.status, p.size, first[i], first[i + 1] - first[i])
            for i, p in enumerate(self.places)
        )

    @cached_property
    def _index(self) -> dict[str, int]:
        return {place.path: i for i, place in enumerate(self.places)}

    def file_index(self, path: str) -> int | None:
        return self._index.get(path)

    def unit(self, unit: int) -> UnitView:
        return self._unit_view(unit)

    def _unit_view(self, unit: int) -> UnitView:
        column = self.units.column
        file = int(self.units.file[unit])
        path = self.places[file].path
        kind = int(column("kind")[unit])
        name = self.units.name(unit) or implied_name(path)
        return UnitView(
            unit=unit,
            path=path,
            name=path.rsplit("/", 1)[-1] if kind == UnitKind.FILE else name,
            qualname=path if kind == UnitKind.FILE else (self.units.qualname(unit) or name),
            kind=KIND_LABELS[kind],
            start_line=int(column("start_line")[unit]),
            end_line=int(column("end_line")[unit]),
            start_byte=int(column("start")[unit]),
            end_byte=int(column("end")[unit]),
            exported=bool(int(column("flags")[unit]) & UnitFlag.EXPORTED),
        )

    def units_named(self, name: str) -> list[int]:
        """Units of exactly this name, ascending: declared under it, exported under it, or the anonymous default export
        of a file of that name."""
        return sorted({*self.units.named(name), *self._implied.get(name, ()), *self._aliases.units(name)})

    def names(self) -> list[str]:
        """The glossary: every name that a unit has, sorted."""
        return sorted({*self.units.by_name, *self._implied})

    @cached_property
    def _implied(self) -> dict[str, list[int]]:
        flags = self.units.column("flags")
        found: dict[str, list[int]] = {}
        for unit in np.flatnonzero(flags & int(UnitFlag.DEFAULT)).tolist():
            if not self.units.name(unit):
                found.setdefault(implied_name(self.places[int(self.units.file[unit])].path), []).append(unit)
        return found

    @cached_property
    def _aliases(self) -> Aliases:
        return Aliases(self.places, self.units, self.segments.facts, self.edges)

    @cached_property
    def _postings(self) -> Postings:
        return Postings(self.places, self.units, self.segments.terms)

    def postings(self, term: str) -> tuple[IntArray, npt.NDArray[np.uint32]]:
        return self._postings.postings(term)

    @property
    def lengths(self) -> IntArray:
        return self._postings.lengths

    @cached_property
    def edges(self) -> EdgeTable:
        return EdgeTable(self.places, self.units, self.segments.facts, self.segments.edges)

    def callers(self, unit: int) -> list[EdgeView]:
        """References (not imports) that are bound to this unit."""
        return [e for e in map(self.edges.edge, self.edges.into(unit).tolist()) if e.kind != "import"]

    def imports_of(self, unit: int) -> list[EdgeView]:
        """Imports and re-exports that bring in this unit: it may be passed on from there without being called."""
        return [e for e in map(self.edges.edge, self.edges.into(unit).tolist()) if e.kind == "import"]

    def callees(self, unit: int) -> list[EdgeView]:
        """References that stand in this unit and are bound to units of the tree."""
        rows = [e for e in self.edges.out_of(unit).tolist() if int(self.edges.target[e]) != NONE]
        return [e for e in map(self.edges.edge, rows) if e.kind != "import"]

    def undecided(self, name: str) -> list[EdgeView]:
        """References that end in this identifier and could not be bound: "unknown" is never "none"."""
        rows = self.edges.named(name)
        keep = (self.edges.status[rows] == EdgeStatus.UNKNOWN) & (self.edges.kind[rows] != IMPORT_KIND)
        return [self.edges.edge(row) for row in rows[keep].tolist()]

    def imports(self, file: int) -> list[int]:
        """Files that this file imports, ascending."""
        table = self.edges
        chosen = (table.file == file) & (table.is_import == 1) & (table.target_file != NONE)
        return [int(target) for target in distinct(table.target_file[chosen])]

    @cached_property
    def wanted_texts(self) -> WantedTexts:
        return wanted_texts(self.places, self.units, self.segments.texts)

    @property
    def vector_bytes(self) -> int:
        """What its vectors take; 0 while they are not all there."""
        whole = self._vectors is not None and self.supply is not None and not self.supply.is_short
        return self._vectors.matrix.nbytes if whole and self._vectors is not None else 0

    def vectors(self) -> UnitVectors | None:
        """Vectors of all units, made on the spot where some are missing; None where the user wants none."""
        if self.supply is None:
            return None
        if self._vectors is None:
            self._vectors = unit_vectors(self.wanted_texts, self.supply.complete(self))
        return self._vectors

    def history(self) -> History | None:
        """What the commits before this state say; None where there are none, or git cannot tell, which `pending` then
        says."""
        return self._history

    @cached_property
    def _history(self) -> History | None:
        self.past_unread = False
        try:
            return self.past.complete() if self.past is not None else None
        except CmgitError as error:
            self.past_unread = True
            self.warn(f"earlier commits cannot be read, the answer does without them: {error.message}")
            return None

    @property
    def pending(self) -> Pending:
        """What a complete view would have more than this one has now."""
        files = self.pending_files + len(self.closed) + self.unreadable
        if self.supply is None:
            vectors = 0
        elif self._vectors is None:
            vectors = self.supply.pending(self)
        else:
            vectors = self._vectors.missing if self.supply.is_short else 0
        return Pending(files, vectors, int(self._lacks_history()))

    def _lacks_history(self) -> bool:
        """It was asked for, and came short."""
        asked = self.__dict__.get("_history", self) is None
        return asked and (self.past_unread or (self.past is not None and self.past.is_short))

    @cached_property
    def unreadable(self) -> int:
        """Files whose blob git could not give."""
        return sum(place.status == BlobStatus.UNREADABLE for place in self.places)

    def text_keys(self, file: int) -> list[bytes]:
        """Keys of the texts that a file's units want."""
        segment, row = self.places[file].texts
        return list(self.segments.texts[segment].texts(row).key) if segment != NONE else []

    def blob_facts(self, key: BlobKey) -> BlobFacts:
        """Facts of a blob of this view."""
        file = self._blob_index[key]
        facts = self.facts(file)
        assert facts is not None
        return facts

    @cached_property
    def _blob_index(self) -> dict[BlobKey, int]:
        return {BlobKey(p.oid, p.language): i for i, p in enumerate(self.places) if p.facts[0] != NONE}

    def facts(self, file: int) -> BlobFacts | None:
        segment, row = self.places[file].facts
        return self.segments.facts[segment].facts(row) if segment != NONE else None

    def source(self, file: int) -> Source | None:
        """The file as it is at the first time of asking: read, hashed, and parsed anew if it is not what the view was
        built from. None where it is not there any more, or has no facts."""
        if file not in self._sources:
            self._sources[file] = self._read_source(file)
        return self._sources[file]

    def _read_source(self, file: int) -> Source | None:
        place = self.places[file]
        known = self.facts(file)
        found = self._reader.read(place.path, place.oid)
        if found is None or known is None:
            return None
        data, oid, checked_out = found
        if oid == place.oid:
            return Source(data, oid, known, True, checked_out)
        from cmgit.index.blobs import process_blob  # a clean file loads no parser

        facts = process_blob(BlobKey(oid, place.language), data, self._max_blob_bytes).facts
        return Source(data, oid, facts, False, checked_out)

    def locate(self, unit: int, source: Source) -> UnitView | None:
        """A unit in these bytes; by its qualified name and kind where the file is no longer the one of the view."""
        seen = self._unit_view(unit)
        if source.fresh:
            return seen
        kind, qualname = int(self.units.column("kind")[unit]), self.units.qualname(unit)
        same = [
            row
            for row in range(len(source.facts.units))
            if source.facts.units.kind[row] == kind and source.facts.qualname(row) == qualname
        ]
        if not same:
            return None
        before = [
            u
            for u in range(int(self.units.first[self.units.file[unit]]), unit)
            if int(self.units.column("kind")[u]) == kind and self.units.qualname(u) == qualname
        ]
        row = same[min(len(before), len(same) - 1)]
        columns = source.facts.units
        return UnitView(
            unit,
            seen.path,
            seen.name,
            seen.qualname,
            seen.kind,
            columns.start_line[row],
            columns.end_line[row],
            columns.start[row],
            columns.end[row],
            seen.exported,
        )


def implied_name(path: str) -> str:
    """The name that a file gives to its anonymous default export: its own, or its folder's for an index file."""
    parts = path.split("/")
    stem = parts[-1].split(".", 1)[0]
    return parts[-2] if stem == "index" and len(parts) > 1 else stem
