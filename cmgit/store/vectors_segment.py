"""Vectors by the hash of their text: int8 with a scale for each row, sorted by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.store.bundle import pack_bundle, unpack_bundle
from cmgit.store.columns import decode_ints, encode_ints
from cmgit.store.segment_file import SegmentFile
from cmgit.store.texts_segment import KEY_BYTES, KeyMatrix, as_words, beginnings, find_keys, key_list, key_matrix

_Rows = tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]


class VectorsSegment:
    """Vectors of some texts, from a file or made in memory. Rows are sorted by key, each key occurs once."""

    def __init__(self, keys: Callable[[], KeyMatrix], rows: Callable[[], _Rows]) -> None:
        self._load_keys, self._load_rows = keys, rows

    @classmethod
    def of(cls, keys: Sequence[bytes], matrix: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]) -> VectorsSegment:
        """A segment in memory.

        Args:
            keys: 16 bytes each, in any order; of a key that occurs twice the first row stays.
            matrix: int8[n, dimensions]. scales: float32[n]; a vector is its row times its scale.
        """
        return cls._sorted(key_matrix(keys), matrix, scales)

    @classmethod
    def _sorted(cls, keys: KeyMatrix, matrix: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]) -> VectorsSegment:
        if not len(keys) == len(matrix) == len(scales):
            raise ValueError("keys, vectors and scales differ in number")
        _, order = np.unique(as_words(keys), return_index=True)
        chosen_keys, chosen = keys[order], (matrix[order], scales[order].astype(np.float32, copy=False))
        return cls(lambda: chosen_keys, lambda: chosen)

    @classmethod
    def merged(cls, parts: Iterable[tuple[VectorsSegment, Sequence[int]]]) -> VectorsSegment:
        """The given rows of several segments as one; a key that occurs in several stays once."""
        chosen = [(segment, np.asarray(rows, np.int64)) for segment, rows in parts]
        return cls._sorted(
            np.concatenate([segment.keys[rows] for segment, rows in chosen]),
            np.concatenate([segment.matrix[rows] for segment, rows in chosen]),
            np.concatenate([segment.scales[rows] for segment, rows in chosen]),
        )

    @classmethod
    def open(cls, file: SegmentFile) -> VectorsSegment:
        """A segment over an open file; nothing is read yet."""

        def keys() -> KeyMatrix:
            table = file.tables(["text_keys"])["text_keys"]
            with file.decoding():
                raw = np.frombuffer(unpack_bundle(table, ["text_key"])["text_key"], np.uint8)
                return np.ascontiguousarray(raw.reshape(KEY_BYTES, -1).T)

        def rows() -> _Rows:
            table = file.tables(["vectors"])["vectors"]
            with file.decoding():
                stored = unpack_bundle(table, ["scale", "vector"])
                scales = decode_ints(stored["scale"]).astype(np.uint32, copy=False).view(np.float32)
                matrix = np.frombuffer(stored["vector"], np.int8)
                return matrix.reshape(len(scales), -1) if len(scales) else matrix.reshape(0, 0), scales

        return cls(keys, rows)

    def encode(self) -> dict[str, bytes]:
        """The tables as they are stored. Keys stand by planes: sorted, their first bytes hardly differ."""
        return {
            "text_keys": pack_bundle({"text_key": np.ascontiguousarray(self.keys.T).tobytes()}),
            "vectors": pack_bundle(
                {"scale": encode_ints(self.scales.view(np.uint32)), "vector": self.matrix.tobytes()}
            ),
        }

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def keys(self) -> KeyMatrix:
        """Text keys, uint8[n, 16], sorted; reads no vector."""
        return self._load_keys()

    @cached_property
    def _numbers(self) -> npt.NDArray[np.uint64]:
        return beginnings(self.keys)

    @cached_property
    def _rows(self) -> _Rows:
        return self._load_rows()

    @property
    def matrix(self) -> npt.NDArray[np.int8]:
        """int8[n, dimensions]."""
        return self._rows[0]

    @property
    def scales(self) -> npt.NDArray[np.float32]:
        """float32[n]."""
        return self._rows[1]

    def find(self, keys: KeyMatrix) -> npt.NDArray[np.int64]:
        """The row of each of these keys, -1 where the segment has none."""
        return find_keys(self.keys, self._numbers, keys)

    def key_list(self) -> list[bytes]:
        """The keys as bytes, sorted."""
        return key_list(self.keys)
