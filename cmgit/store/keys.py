"""The blobs (or paths) that the rows of a segment belong to: the first table of each segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from cmgit.core.records import BlobKey
from cmgit.store.bundle import pack_bundle, unpack_bundle
from cmgit.store.columns import decode_ints, decode_texts, encode_digests, encode_ints, encode_texts

KEY_COLUMNS = ("oid", "language", "languages")
FEW_QUESTIONS = 48
"""So many keys are looked for in the bytes, one by one; for more a table of all is made."""


def encode_keys(keys: Sequence[BlobKey]) -> bytes:
    """The table `keys`: object ids as raw bytes, languages as indices of a small table."""
    import numpy as np

    languages = sorted({key.language for key in keys})
    index = {language: i for i, language in enumerate(languages)}
    columns = {
        "oid": encode_digests([key.oid for key in keys]),
        "language": encode_ints(np.array([index[key.language] for key in keys], np.int64)),
        "languages": encode_texts(languages),
    }
    return pack_bundle(columns)


def decode_keys(table: memoryview) -> BlobKeys:
    """The keys in row order.

    Raises:
        ValueError: bytes that no such table has.
    """
    stored = unpack_bundle(table, KEY_COLUMNS)
    oids, rows, languages = bytes(stored["oid"]), decode_ints(stored["language"]), decode_texts(stored["languages"])
    if len(oids) - 1 != oids[0] * len(rows) or (len(rows) and int(rows.max()) >= len(languages)):
        raise ValueError("not the bytes of a table of keys")
    return BlobKeys(oids[0], oids[1:], rows.tolist() if rows.itemsize > 1 else rows.tobytes(), languages)


class BlobKeys(Sequence[BlobKey]):
    """Keys as they are stored: a record is made of one when it is asked for. A commit in a large tree asks for few.

    Args:
        width: bytes of an object id. oids: raw, one after the other. rows: the language of each key.
    """

    def __init__(self, width: int, oids: bytes, rows: Sequence[int], languages: Sequence[str]) -> None:
        self._width, self._oids, self._rows, self._languages = width, oids, rows, languages
        self._questions = 0
        self._table: dict[tuple[bytes, str], int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, row: int) -> BlobKey: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[BlobKey]: ...
    def __getitem__(self, row: int | slice) -> BlobKey | Sequence[BlobKey]:
        if isinstance(row, slice):
            return list(self)[row]
        language = self._languages[self._rows[row]]
        first = (row if row >= 0 else row + len(self)) * self._width
        return BlobKey(self._oids[first : first + self._width].hex(), language)

    def __iter__(self) -> Iterator[BlobKey]:
        text, width, languages = self._oids.hex(), 2 * self._width, self._languages
        for row, language in enumerate(self._rows):
            yield BlobKey(text[row * width : row * width + width], languages[language])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def find(self, key: BlobKey) -> int | None:
        """The first row of a key."""
        oid = bytes.fromhex(key.oid)
        self._questions += 1
        if self._questions <= FEW_QUESTIONS:
            return self._look_for(oid, key.language)
        if self._table is None:
            self._table = {}
            for row, language in enumerate(self._rows):
                own = self._oids[row * self._width : (row + 1) * self._width]
                self._table.setdefault((own, self._languages[language]), row)
        return self._table.get((oid, key.language))

    def _look_for(self, oid: bytes, language: str) -> int | None:
        at = self._oids.find(oid)
        while at >= 0:
            row, beside = divmod(at, self._width)
            if not beside and len(oid) == self._width and self._languages[self._rows[row]] == language:
                return row
            at = self._oids.find(oid, at + 1)
        return None


def find_key(keys: Sequence[BlobKey], key: BlobKey) -> int | None:
    """The first row of a key, in stored keys or in others."""
    if isinstance(keys, BlobKeys):
        return keys.find(key)
    return keys.index(key) if key in keys else None
