"""Terms of blobs as postings: term → (blob row, unit, counts), and the length of each unit.

The terms of all blobs are one sorted table. Postings are grouped by term and cut into blocks of about BLOCK rows at a
term's border; a block is read without its neighbours, so that a query pays for its own words.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.record import record
from cmgit.core.records import BlobKey
from cmgit.core.tables import BlobTerms
from cmgit.store.bundle import pack_bundle, unpack_bundle
from cmgit.store.columns import (
    AnyArray,
    IntArray,
    decode_ints,
    decode_texts,
    encode_ints,
    encode_texts,
    flatten,
    offsets_of,
)
from cmgit.store.keys import decode_keys, encode_keys
from cmgit.store.segment_file import SegmentFile

BLOCK = 4096
READ_WHOLE = 1 << 20
"""A file of fewer bytes is read in one go: each visit costs more than its blocks."""

_TERMS = ("terms", "term_postings", "counts")
_LENGTHS = ("blob_units", "unit_lengths")
_BLOCK = ("unit", "counts")


@record
class Postings:
    """Occurrences of one term, ascending by blob row and unit. All arrays have one length.

    blob_row: int32. unit: unit row in the blob, int32. counts: uint32, see `core.tables.FIELD_BITS`.
    """

    blob_row: IntArray
    unit: IntArray
    counts: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.blob_row)


@record
class _Index:
    """terms: sorted. starts: first posting of each, one more at the end. first_of_block: first term of each block."""

    terms: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    first_of_block: npt.NDArray[np.int64]

    @classmethod
    def of(cls, terms: tuple[str, ...], counts: AnyArray) -> _Index:
        """A block holds the terms whose first posting lies in one stretch of BLOCK postings."""
        starts = offsets_of(counts)
        return cls(terms, starts, np.flatnonzero(np.diff(starts[:-1] // BLOCK, prepend=-1)))


class TermsSegment:
    """Word statistics of some blobs, from a file or made in memory."""

    def __init__(
        self,
        keys: Callable[[], Sequence[BlobKey]],
        index: Callable[[], _Index],
        lengths: Callable[[], tuple[npt.NDArray[np.int64], IntArray]],
        blocks: Callable[[Sequence[int]], dict[int, Postings]],
    ) -> None:
        self._load_keys, self._load_index, self._load_lengths, self._load_blocks = keys, index, lengths, blocks
        self._blocks: dict[int, Postings] = {}

    @classmethod
    def of(cls, items: Sequence[tuple[BlobKey, BlobTerms]]) -> TermsSegment:
        """A segment in memory."""
        blobs = [terms for _, terms in items]
        terms = tuple(sorted({term for blob in blobs for term in blob.terms}))
        place = {term: i for i, term in enumerate(terms)}
        ids = np.array([place[term] for blob in blobs for term in blob.terms], np.int64)
        runs = _joined([np.diff(np.asarray(blob.starts, np.int64)) for blob in blobs])
        term_of = np.repeat(ids, runs)
        blob_of = np.repeat(np.arange(len(blobs)), [len(blob.unit) for blob in blobs])
        unit = flatten(blob.unit for blob in blobs).astype(np.int32)
        counts = flatten((blob.counts for blob in blobs), "I").astype(np.uint32)
        lengths = flatten(blob.lengths for blob in blobs).astype(np.int32)
        offsets = offsets_of(np.array([len(blob.lengths) for blob in blobs], np.int64))
        return cls._sorted([key for key, _ in items], terms, term_of, blob_of, unit, counts, offsets, lengths)

    @classmethod
    def merged(cls, parts: Iterable[tuple[TermsSegment, Sequence[int]]]) -> TermsSegment:
        """The given rows of several segments as one, in that order."""
        chosen = [(segment, np.asarray(rows, np.int64)) for segment, rows in parts]
        names = sorted({term for segment, _ in chosen for term in segment.terms})
        place = {term: i for i, term in enumerate(names)}
        columns: list[tuple[AnyArray, ...]] = []
        keys: list[BlobKey] = []
        for segment, rows in chosen:
            everything = segment.all_postings()
            target = np.full(len(segment), -1, np.int64)
            target[rows] = np.arange(len(keys), len(keys) + len(rows))
            ids = np.repeat(np.array([place[term] for term in segment.terms], np.int64), np.diff(segment.starts))
            live = target[everything.blob_row] >= 0
            columns.append(
                (ids[live], target[everything.blob_row][live], everything.unit[live], everything.counts[live])
            )
            keys += [segment.keys[row] for row in rows.tolist()]
        term_of, blob_of, unit, counts = (_joined([part[i] for part in columns]) for i in range(4))
        used, term_of = np.unique(term_of, return_inverse=True)
        lengths = [segment.lengths(row) for segment, rows in chosen for row in rows.tolist()]
        offsets = offsets_of(np.array([len(length) for length in lengths], np.int64))
        terms = tuple(names[i] for i in used.tolist())
        flat = _joined(lengths).astype(np.int32)
        return cls._sorted(
            keys, terms, term_of, blob_of, unit.astype(np.int32), counts.astype(np.uint32), offsets, flat
        )

    @classmethod
    def _sorted(
        cls,
        keys: list[BlobKey],
        terms: tuple[str, ...],
        term_of: npt.NDArray[np.int64],
        blob_of: AnyArray,
        unit: IntArray,
        counts: npt.NDArray[np.uint32],
        offsets: npt.NDArray[np.int64],
        lengths: IntArray,
    ) -> TermsSegment:
        order = np.lexsort((unit, blob_of, term_of))
        postings = Postings(blob_of[order].astype(np.int32), unit[order], counts[order])
        index = _Index.of(terms, np.bincount(term_of, minlength=len(terms)))

        def blocks(numbers: Sequence[int]) -> dict[int, Postings]:
            first = index.first_of_block
            borders = [*index.starts[first].tolist(), int(index.starts[-1])]
            return {n: _cut(postings, borders[n], borders[n + 1]) for n in numbers}

        return cls(lambda: keys, lambda: index, lambda: (offsets, lengths), blocks)

    @classmethod
    def open(cls, file: SegmentFile) -> TermsSegment:
        """A segment over an open file; nothing is read yet."""

        @cache
        def base() -> dict[str, memoryview]:
            return file.tables(["keys", "terms", "lengths"])

        @cache
        def terms() -> dict[str, memoryview]:
            return unpack_bundle(base()["terms"], _TERMS)

        @cache
        def words() -> npt.NDArray[np.uint32]:
            return decode_ints(terms()["counts"]).astype(np.uint32, copy=False)

        def index() -> _Index:
            with file.decoding():
                return _Index.of(tuple(decode_texts(terms()["terms"])), decode_ints(terms()["term_postings"]))

        def lengths() -> tuple[npt.NDArray[np.int64], IntArray]:
            with file.decoding():
                stored = unpack_bundle(base()["lengths"], _LENGTHS)
                units = offsets_of(decode_ints(stored["blob_units"]))
                return units, decode_ints(stored["unit_lengths"]).astype(np.int32)

        held: dict[int, memoryview] = {}

        def blocks(numbers: Sequence[int]) -> dict[int, Postings]:
            missing = sorted(set(numbers) - held.keys())
            if missing and file.ref.size <= READ_WHOLE:
                missing = list(range(len(segment._index.first_of_block)))
            held.update(zip(missing, file.blocks(missing), strict=True))
            with file.decoding():
                return {n: _decode_block(held[n], words(), segment.unit_offsets) for n in numbers}

        segment = cls(lambda: decode_keys(base()["keys"]), index, lengths, blocks)
        return segment

    def encode(self) -> tuple[dict[str, bytes], list[bytes]]:
        """The tables as they are stored, and the blocks of postings."""
        offsets, lengths = self._lengths
        postings = self.all_postings()
        if (postings.unit >= np.diff(offsets)[postings.blob_row]).any():
            raise ValueError("a term stands in a unit without a length")
        # Few combinations of counts occur, most of them often: a number by frequency takes half of the bytes.
        words, which, often = np.unique(postings.counts, return_inverse=True, return_counts=True)
        order = np.argsort(-often, kind="stable")
        rank = np.empty(len(words), np.int64)
        rank[order] = np.arange(len(words))
        columns = {
            "terms": encode_texts(self.terms),
            "term_postings": encode_ints(np.diff(self.starts)),
            "counts": encode_ints(words[order]),
        }
        borders = [*self.starts[self._index.first_of_block].tolist(), len(postings)]
        flat = offsets[postings.blob_row] + postings.unit
        blocks = [
            pack_bundle({"unit": encode_ints(_steps(flat[a:b])), "counts": encode_ints(rank[which[a:b]])})
            for a, b in itertools.pairwise(borders)
        ]
        units = {"blob_units": encode_ints(np.diff(offsets)), "unit_lengths": encode_ints(lengths)}
        tables = {"keys": encode_keys(self.keys), "terms": pack_bundle(columns), "lengths": pack_bundle(units)}
        return tables, blocks

    @cached_property
    def keys(self) -> Sequence[BlobKey]:
        """The blob of each row."""
        return self._load_keys()

    def __len__(self) -> int:
        return len(self._lengths[0]) - 1

    @cached_property
    def _index(self) -> _Index:
        return self._load_index()

    @cached_property
    def _lengths(self) -> tuple[npt.NDArray[np.int64], IntArray]:
        return self._load_lengths()

    @property
    def terms(self) -> tuple[str, ...]:
        """The distinct terms, sorted by code point."""
        return self._index.terms

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """First posting of each term, one more entry at the end; the difference is a term's number of units."""
        return self._index.starts

    @property
    def unit_offsets(self) -> npt.NDArray[np.int64]:
        """First entry of each blob in `unit_lengths`, one more at the end."""
        return self._lengths[0]

    @property
    def unit_lengths(self) -> IntArray:
        """Term occurrences of each unit, flat over all blobs."""
        return self._lengths[1]

    def lengths(self, row: int) -> IntArray:
        """Term occurrences of each unit of one blob."""
        offsets, lengths = self._lengths
        return lengths[offsets[row] : offsets[row + 1]]

    def postings(self, term: str) -> Postings | None:
        """Where a term occurs; None when no blob of the segment has it."""
        row = self._find(term)
        if row is None:
            return None
        number = self._number(row)
        base = int(self.starts[self._index.first_of_block[number]])
        return _cut(self._block(number), int(self.starts[row]) - base, int(self.starts[row + 1]) - base)

    def all_postings(self) -> Postings:
        """The postings of all terms, one after the other, see `starts`."""
        numbers = list(range(len(self._index.first_of_block)))
        self._fetch(numbers)
        blocks = [self._blocks[number] for number in numbers]
        return Postings(
            _joined([block.blob_row for block in blocks]).astype(np.int32, copy=False),
            _joined([block.unit for block in blocks]).astype(np.int32, copy=False),
            _joined([block.counts for block in blocks]).astype(np.uint32, copy=False),
        )

    def _find(self, term: str) -> int | None:
        row = bisect_left(self.terms, term)
        return row if row < len(self.terms) and self.terms[row] == term else None

    def _number(self, row: int) -> int:
        return int(np.searchsorted(self._index.first_of_block, row, side="right")) - 1

    def _block(self, number: int) -> Postings:
        self._fetch([number])
        return self._blocks[number]

    def _fetch(self, numbers: Sequence[int]) -> None:
        missing = [number for number in numbers if number not in self._blocks]
        if missing:
            self._blocks |= self._load_blocks(missing)


def _cut(postings: Postings, first: int, last: int) -> Postings:
    return Postings(postings.blob_row[first:last], postings.unit[first:last], postings.counts[first:last])


def _steps(flat: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Units of a block, numbered over the segment, as steps; within a term they ascend, at a border they fall."""
    steps = np.diff(flat, prepend=0)
    stepped: npt.NDArray[np.int64] = (steps << 1) ^ (steps >> 63)
    return stepped


def _decode_block(raw: memoryview, words: npt.NDArray[np.uint32], unit_offsets: npt.NDArray[np.int64]) -> Postings:
    stored = unpack_bundle(raw, _BLOCK)
    steps = decode_ints(stored["unit"]).astype(np.int64)
    flat = np.cumsum((steps >> 1) ^ -(steps & 1))
    blob_row = np.searchsorted(unit_offsets, flat, side="right") - 1
    unit = (flat - unit_offsets[blob_row]).astype(np.int32)
    return Postings(blob_row.astype(np.int32), unit, words[decode_ints(stored["counts"])])


def _joined(arrays: Sequence[AnyArray]) -> AnyArray:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)
