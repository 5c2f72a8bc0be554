"""Keys of the texts that are embedded for the units of a blob: BlobKey → BlobTexts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.records import BlobKey
from cmgit.core.tables import BlobTexts
from cmgit.store.bundle import pack_bundle, unpack_bundle
from cmgit.store.columns import (
    AnyArray,
    Code,
    Column,
    IntArray,
    decode_ints,
    decode_table,
    encode_ints,
    encode_table,
    flatten,
    offsets_of,
    spans,
)
from cmgit.store.keys import decode_keys, encode_keys
from cmgit.store.segment_file import SegmentFile

KEY_BYTES = 16
_UNIT = (Column("unit", Code.DELTA),)
_COLUMNS = ("blob_texts", "unit", "text_key")

KeyMatrix = npt.NDArray[np.uint8]
_Rows = tuple[npt.NDArray[np.int64], IntArray, KeyMatrix]


class TextsSegment:
    """Text keys of some blobs, from a file or made in memory."""

    def __init__(self, keys: Callable[[], Sequence[BlobKey]], rows: Callable[[], _Rows]) -> None:
        self._load_keys, self._load_rows = keys, rows

    @classmethod
    def of(cls, items: Sequence[tuple[BlobKey, BlobTexts]]) -> TextsSegment:
        """A segment in memory."""
        texts = [text for _, text in items]
        offsets = offsets_of(np.array([len(text.unit) for text in texts], np.int64))
        unit = flatten(text.unit for text in texts).astype(np.int32)
        matrix = key_matrix([key for text in texts for key in text.key])
        return cls(lambda: [key for key, _ in items], lambda: (offsets, unit, matrix))

    @classmethod
    def merged(cls, parts: Iterable[tuple[TextsSegment, Sequence[int]]]) -> TextsSegment:
        """The given rows of several segments as one, in that order."""
        chosen = [(segment, np.asarray(rows, np.int64)) for segment, rows in parts]
        keys = [segment.keys[row] for segment, rows in chosen for row in rows.tolist()]
        picks = [spans(segment.offsets, rows) for segment, rows in chosen]
        counts = [np.diff(segment.offsets)[rows] for segment, rows in chosen]
        offsets = offsets_of(np.concatenate(counts) if counts else np.zeros(0, np.int64))
        empty = np.zeros(0, np.int32)
        unit = np.concatenate([empty, *(s.unit[pick] for (s, _), pick in zip(chosen, picks, strict=True))])
        matrix = np.concatenate([key_matrix([]), *(s.matrix[pick] for (s, _), pick in zip(chosen, picks, strict=True))])
        return cls(lambda: keys, lambda: (offsets, unit, matrix))

    @classmethod
    def open(cls, file: SegmentFile) -> TextsSegment:
        """A segment over an open file; nothing is read yet."""

        @cache
        def base() -> dict[str, memoryview]:
            return file.tables(["keys", "texts"])

        def rows() -> _Rows:
            with file.decoding():
                stored = unpack_bundle(base()["texts"], _COLUMNS)
                unit: AnyArray = decode_table(_UNIT, stored)["unit"]
                matrix = np.frombuffer(stored["text_key"], np.uint8).reshape(-1, KEY_BYTES)
                return offsets_of(decode_ints(stored["blob_texts"])), unit, matrix

        return cls(lambda: decode_keys(base()["keys"]), rows)

    def encode(self) -> dict[str, bytes]:
        """The tables as they are stored."""
        offsets, unit, matrix = self._rows
        columns = {
            "blob_texts": encode_ints(np.diff(offsets)),
            **encode_table(_UNIT, {"unit": unit}),
            "text_key": matrix.tobytes(),
        }
        return {"keys": encode_keys(self.keys), "texts": pack_bundle(columns)}

    @cached_property
    def keys(self) -> Sequence[BlobKey]:
        """The blob of each row."""
        return self._load_keys()

    @cached_property
    def _rows(self) -> _Rows:
        return self._load_rows()

    def __len__(self) -> int:
        return len(self._rows[0]) - 1

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """First flat row of each blob, one more entry at the end."""
        return self._rows[0]

    @property
    def unit(self) -> IntArray:
        """Unit rows, flat over all blobs."""
        return self._rows[1]

    @property
    def matrix(self) -> KeyMatrix:
        """Text keys, flat over all blobs: uint8[n, 16]."""
        return self._rows[2]

    def texts(self, row: int) -> BlobTexts:
        """The texts of one blob's units."""
        offsets, unit, matrix = self._rows
        first, last = int(offsets[row]), int(offsets[row + 1])
        return BlobTexts(unit=unit[first:last].tolist(), key=key_list(matrix[first:last]))


def key_matrix(keys: Sequence[bytes]) -> KeyMatrix:
    """16-byte keys as uint8[n, 16].

    Raises:
        ValueError: a key of another length.
    """
    joined = b"".join(keys)
    if len(joined) != KEY_BYTES * len(keys) or any(len(key) != KEY_BYTES for key in keys):
        raise ValueError("text keys have 16 bytes")
    return np.frombuffer(joined, np.uint8).reshape(-1, KEY_BYTES)


def key_list(matrix: KeyMatrix) -> list[bytes]:
    """The rows of a key matrix as bytes."""
    joined = matrix.tobytes()
    return [joined[i : i + KEY_BYTES] for i in range(0, len(joined), KEY_BYTES)]


def as_words(keys: KeyMatrix) -> npt.NDArray[np.void]:
    """Keys as one comparable value each, in the order of their bytes: numpy searches and sorts these in C."""
    return np.ascontiguousarray(keys).view("V16").reshape(-1)


def beginnings(keys: KeyMatrix) -> npt.NDArray[np.uint64]:
    """The first eight bytes of each key as a number, in the order of the bytes. Keys are digests: hardly any two differ
    in their ends alone, and numbers are sorted and searched ten times as fast as keys."""
    return np.ascontiguousarray(keys[:, :8]).view(">u8").reshape(-1).astype(np.uint64)


def distinct_keys(parts: Sequence[KeyMatrix]) -> KeyMatrix:
    """The keys of some matrices, sorted, each once."""
    keys = np.concatenate([np.zeros((0, KEY_BYTES), np.uint8), *parts])
    numbers = beginnings(keys)
    order = np.argsort(numbers)
    keys, numbers = keys[order], numbers[order]
    fresh = np.ones(len(keys), np.bool_)
    fresh[1:] = numbers[1:] != numbers[:-1]
    again = np.flatnonzero(~fresh)
    if (keys[again] != keys[again - 1]).any():
        _, first = np.unique(as_words(keys), return_index=True)
        return keys[first]
    return keys[fresh]


def find_keys(own: KeyMatrix, numbers: npt.NDArray[np.uint64], wanted: KeyMatrix) -> npt.NDArray[np.int64]:
    """The row of each wanted key in sorted distinct ones, -1 where it is not there. numbers: `beginnings` of these."""
    if not len(own):
        return np.full(len(wanted), -1, np.int64)
    if (numbers[1:] == numbers[:-1]).any():
        words, asked = as_words(own), as_words(wanted)
        rows = np.minimum(np.searchsorted(words, asked), len(own) - 1)
        return np.where(words[rows] == asked, rows, -1)
    rows = np.minimum(np.searchsorted(numbers, beginnings(wanted)), len(own) - 1)
    return np.where((own[rows] == wanted).all(axis=1), rows, -1)
