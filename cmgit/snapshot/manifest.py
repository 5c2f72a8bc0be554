"""The manifest of one tree: its files with the rows that hold what is known about each, and the segments named.

On disk: a magic line with the format's number; the length and the bytes of a JSON header (tree, recipes, generation,
segments, counts, where each column begins); the columns of the file table, each packed with zstd; and the BLAKE2b of
everything before. A column is unpacked when it is first asked for.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cmgit.core.errors import FormatMismatch, ManifestDamaged
from cmgit.core.facts import NONE
from cmgit.core.record import record
from cmgit.core.records import path_bytes
from cmgit.store.columns import (
    Code,
    Column,
    IntArray,
    decode_digest_rows,
    decode_digests,
    decode_table,
    decode_texts,
    encode_digest_rows,
    encode_digests,
    encode_table,
    encode_texts,
)
from cmgit.store.refs import EDGES, FACTS, TERMS, TEXTS, SegmentRef

if TYPE_CHECKING:
    import numpy.typing as npt

MANIFEST_FORMAT = 2
_MAGIC = b"cmgit manifest "
_DIGEST = 16
_LEVEL = 3

FILE_KINDS = (FACTS, TERMS, TEXTS, EDGES)
"""Segment kinds of which a file has a row."""

NUMBERS = (
    Column("mode", Code.PLAIN),
    Column("language", Code.PLAIN),
    Column("role", Code.PLAIN),
    Column("status"),
    Column("size", Code.PLAIN, dtype="int64"),
    *(column for kind in FILE_KINDS for column in (Column(f"{kind}_segment"), Column(f"{kind}_row", Code.DELTA))),
)


@record
class FileRow:
    """One file of a tree. language "" for a config file. status: BlobStatus, or NONE for a config file.

    size: bytes of the blob. Of each kind: which of the manifest's segments (NONE where absent) and which row of it.
    """

    path: str
    oid: str
    mode: int
    language: str
    role: int
    status: int
    size: int
    facts_segment: int = NONE
    facts_row: int = NONE
    terms_segment: int = NONE
    terms_row: int = NONE
    texts_segment: int = NONE
    texts_row: int = NONE
    edges_segment: int = NONE
    edges_row: int = NONE


@record
class Counts:
    """What a tree holds. vectors_wanted: distinct text keys of its units; vectors: those that a segment has."""

    files: int = 0
    units: int = 0
    edges: int = 0
    vectors: int = 0
    vectors_wanted: int = 0


@record
class Recipes:
    """What made the rows: hashes of everything that changes an output. vectors "" where none were asked for."""

    facts: str
    texts: str
    vectors: str
    snapshot: str


class FileTable:
    """The files of a tree, sorted by path as the caller gives them; columns are unpacked when asked for."""

    def __init__(self, length: int, stored: Mapping[str, bytes]) -> None:
        self._length = length
        self._stored = stored
        self._numbers: dict[str, Any] = {}

    @classmethod
    def of(cls, rows: Sequence[FileRow]) -> FileTable:
        """A table in memory."""
        languages = sorted({row.language for row in rows})
        index = {language: i for i, language in enumerate(languages)}
        names = [column.name for column in NUMBERS if column.name != "language"]
        values = zip(*map(attrgetter(*names), rows), strict=True) if rows else [()] * len(names)
        numbers = {name: np.array(column, np.int64) for name, column in zip(names, values, strict=True)}
        numbers["language"] = np.array([index[row.language] for row in rows], np.int64)
        stored = encode_table(NUMBERS, numbers) | {
            "path": encode_texts([row.path for row in rows]),
            "oid": encode_digests([row.oid for row in rows]),
            "languages": encode_texts(languages),
        }
        return cls(len(rows), {name: _pack(raw) for name, raw in stored.items()})

    def edited(self, gone: Collection[int], rows: Sequence[FileRow]) -> FileTable:
        """This table without some rows and with others; both sorted by raw path bytes.

        The same bytes as a table of all rows made anew. Columns that stay as they are keep theirs, the rest is numpy's
        work: a commit in a large tree costs little more than in a small one.
        """
        added = FileTable.of(sorted(rows, key=lambda row: path_bytes(row.path)))
        if len(gone) == len(self) or not len(added) + len(gone):
            return added if len(gone) == len(self) else self
        kept = np.delete(np.arange(len(self)), np.fromiter(gone, np.int64, len(gone)))
        old = [self.path[i] for i in kept.tolist()]
        places = [bisect_left(old, path_bytes(path), key=path_bytes) for path in added.path]
        order = np.insert(kept, np.array(places, np.int64), np.arange(len(self), len(self) + len(added)))
        columns = {c.name: np.concatenate([self._number(c.name), added._number(c.name)])[order] for c in NUMBERS}
        languages = self._languages_with(added, columns["language"], order)
        changed = {name: column for name, column in columns.items() if not np.array_equal(column, self._number(name))}
        stored = encode_table([column for column in NUMBERS if column.name in changed], changed)
        if languages != self.languages:
            stored["languages"] = encode_texts(languages)
        if len(added):
            digests = np.concatenate([self.oid_rows, added.oid_rows])[order]
        else:
            digests = self.oid_rows[order]
        stored["oid"] = encode_digest_rows(digests)
        both = [*self.path, *added.path]
        paths = [both[i] for i in order.tolist()]
        if paths != self.path:
            stored["path"] = encode_texts(paths)
        table = FileTable(len(order), {**self._stored, **{name: _pack(raw) for name, raw in stored.items()}})
        table._numbers = {column.name: columns[column.name] for column in NUMBERS}
        table.path = paths
        return table

    def _languages_with(
        self, added: FileTable, column: npt.NDArray[Any], order: npt.NDArray[np.int64]
    ) -> tuple[str, ...]:
        """The languages of the rows that stay of both tables; `column` is made to index them."""
        theirs = order >= len(self)
        used = {self.languages[i] for i in np.flatnonzero(np.bincount(column[~theirs])).tolist()}
        languages = tuple(sorted(used | {*added.languages}))
        for rows, names in ((~theirs, self.languages), (theirs, added.languages)):
            number = np.array([languages.index(name) if name in languages else NONE for name in names], column.dtype)
            column[rows] = number[column[rows]]
        return languages

    def with_columns(self, columns: Mapping[str, npt.NDArray[Any]]) -> FileTable:
        """The same files with some number columns replaced."""
        chosen = [column for column in NUMBERS if column.name in columns]
        packed = {name: _pack(raw) for name, raw in encode_table(chosen, columns).items()}
        table = FileTable(self._length, {**self._stored, **packed})
        table._numbers = {name: column for name, column in self._numbers.items() if name not in columns}
        table.path = self.path
        return table

    @property
    def stored(self) -> Mapping[str, bytes]:
        """The packed columns, as they are written."""
        return self._stored

    def __len__(self) -> int:
        return self._length

    @cached_property
    def path(self) -> list[str]:
        return decode_texts(_unpack(self._stored["path"]))

    @cached_property
    def oid(self) -> list[str]:
        return decode_digests(_unpack(self._stored["oid"]))

    @cached_property
    def oid_rows(self) -> npt.NDArray[np.uint8]:
        """The raw object ids: uint8[n, 20 or 32]."""
        return decode_digest_rows(_unpack(self._stored["oid"]))

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """What the numbers of `language_index` mean."""
        return tuple(decode_texts(_unpack(self._stored["languages"])))

    @cached_property
    def language(self) -> list[str]:
        names = self.languages
        return [names[i] for i in self._number("language").tolist()]

    @cached_property
    def language_index(self) -> IntArray:
        column: IntArray = self._number("language")
        return column

    @cached_property
    def mode(self) -> IntArray:
        column: IntArray = self._number("mode")
        return column

    @cached_property
    def role(self) -> IntArray:
        column: IntArray = self._number("role")
        return column

    @cached_property
    def status(self) -> IntArray:
        column: IntArray = self._number("status")
        return column

    @cached_property
    def size(self) -> npt.NDArray[np.int64]:
        column: npt.NDArray[np.int64] = self._number("size")
        return column

    @cached_property
    def _places(self) -> dict[str, tuple[IntArray, IntArray]]:
        return {kind: (self._number(f"{kind}_segment"), self._number(f"{kind}_row")) for kind in FILE_KINDS}

    def segment(self, kind: str) -> IntArray:
        """For each file the index in the manifest's segments, NONE where the file has no row of that kind."""
        return self._places[kind][0]

    def row(self, kind: str) -> IntArray:
        """For each file its row in the segment of that kind, NONE where it has none."""
        return self._places[kind][1]

    @property
    def facts_segment(self) -> IntArray:
        return self.segment(FACTS)

    @property
    def facts_row(self) -> IntArray:
        return self.row(FACTS)

    @property
    def edges_segment(self) -> IntArray:
        return self.segment(EDGES)

    @property
    def edges_row(self) -> IntArray:
        return self.row(EDGES)

    @cached_property
    def _by_path(self) -> dict[str, int]:
        return {path: i for i, path in enumerate(self.path)}

    def find(self, path: str) -> int | None:
        """The row of a path."""
        return self._by_path.get(path)

    def find_sorted(self, path: str) -> int | None:
        """The row of a path, without a table of all: for few questions. The rows are sorted by raw path bytes."""
        row = bisect_left(self.path, path_bytes(path), key=path_bytes)
        return row if row < self._length and self.path[row] == path else None

    def record(self, row: int) -> FileRow:
        """One row."""
        numbers: dict[str, Any] = {column.name: int(self._number(column.name)[row]) for column in NUMBERS}
        numbers |= {"oid": self.oid_rows[row].tobytes().hex(), "language": self.languages[numbers["language"]]}
        return FileRow(self.path[row], **numbers)

    def rows(self) -> list[FileRow]:
        """The whole table as records; for tests and small jobs."""
        numbers = [self._number(column.name).tolist() for column in NUMBERS]
        names = [column.name for column in NUMBERS]
        out = []
        for i, values in enumerate(zip(*numbers, strict=True)):
            row: dict[str, Any] = dict(zip(names, values, strict=True))
            row |= {"path": self.path[i], "oid": self.oid[i], "language": self.languages[row["language"]]}
            out.append(FileRow(**row))
        return out

    def _number(self, name: str) -> Any:
        found = self._numbers.get(name)
        if found is None:
            column = next(column for column in NUMBERS if column.name == name)
            found = self._numbers[name] = decode_table([column], {name: memoryview(_unpack(self._stored[name]))})[name]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileTable) and self.rows() == other.rows()

    __hash__ = None  # type: ignore[assignment]


class Lease(Protocol):
    """Holds a published manifest and its segments against the collector until it is closed."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Manifest:
    """A snapshot of one tree. Immutable once published.

    generation: number of the publication in this store, counted up over all trees; 0 before. on_demand: made for
    `--rev`, kept for a day. lease: held by `load`; let it live as long as the segments are read.
    """

    tree: str
    recipes: Recipes
    files: FileTable
    segments: tuple[SegmentRef, ...]
    counts: Counts
    generation: int = 0
    on_demand: bool = False
    lease: Lease | None = field(default=None, compare=False, repr=False)

    def of_kind(self, kind: str) -> list[tuple[int, SegmentRef]]:
        """The segments of a kind with their index in `segments`."""
        return [(i, ref) for i, ref in enumerate(self.segments) if ref.kind == kind]


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes of a manifest file; the same for the same content."""
    columns, places, position = [], {}, 0
    for name, packed in sorted(manifest.files.stored.items()):
        places[name] = [position, len(packed)]
        columns.append(packed)
        position += len(packed)
    header = {
        "tree": manifest.tree,
        "recipes": _record(manifest.recipes),
        "generation": manifest.generation,
        "on_demand": manifest.on_demand,
        "segments": [_record(ref) for ref in manifest.segments],
        "counts": _record(manifest.counts),
        "files": len(manifest.files),
        "columns": places,
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    body = b"".join([b"%s%d\n" % (_MAGIC, MANIFEST_FORMAT), len(text).to_bytes(4, "little"), text, *columns])
    return body + hashlib.blake2b(body, digest_size=_DIGEST).digest()


def decode_manifest(data: bytes, lease: Lease | None = None) -> Manifest:
    """A manifest from its file's bytes.

    Raises:
        ManifestDamaged: cut short, or other bytes than those that were written.
        FormatMismatch: whole, but of another format.
    """
    view = memoryview(data)
    body = view[:-_DIGEST]
    if len(data) < _DIGEST or hashlib.blake2b(body, digest_size=_DIGEST).digest() != data[-_DIGEST:]:
        raise ManifestDamaged("a manifest fails its checksum", "run `git cm index`: it is made anew")
    line_end = data.find(b"\n")
    if data[:line_end] != b"%s%d" % (_MAGIC, MANIFEST_FORMAT):
        raise FormatMismatch(
            f"a manifest has another format than {MANIFEST_FORMAT}", "use the version of cmgit that wrote it"
        )
    start = line_end + 5
    header_end = start + int.from_bytes(view[line_end + 1 : start], "little")
    header = json.loads(data[start:header_end])
    stored = {
        name: bytes(body[header_end + first : header_end + first + length])
        for name, (first, length) in header["columns"].items()
    }
    return Manifest(
        tree=header["tree"],
        recipes=Recipes(**header["recipes"]),
        files=FileTable(header["files"], stored),
        segments=tuple(_segment_ref(ref) for ref in header["segments"]),
        counts=Counts(**header["counts"]),
        generation=header["generation"],
        on_demand=header["on_demand"],
        lease=lease,
    )


def _record(record: Recipes | SegmentRef | Counts) -> dict[str, object]:
    return {f.name: getattr(record, f.name) for f in fields(record)}


def _segment_ref(said: dict[str, Any]) -> SegmentRef:
    places = tuple((name, tuple(where)) for name, where in said.pop("places"))
    return SegmentRef(**said, places=places)


def _pack(raw: bytes) -> bytes:
    import zstandard

    return bytes(zstandard.ZstdCompressor(level=_LEVEL).compress(raw))


def _unpack(packed: bytes) -> bytes:
    import zstandard

    return bytes(zstandard.ZstdDecompressor().decompress(packed))
