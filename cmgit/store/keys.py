"""The blobs (or paths) that the rows of a segment belong to: the first table of each segment."""

from __future__ import annotations

from collections.abc import Sequence

from cmgit.core.records import BlobKey
from cmgit.store.bundle import pack_bundle, unpack_bundle
from cmgit.store.columns import decode_digests, decode_ints, decode_texts, encode_digests, encode_ints, encode_texts

KEY_COLUMNS = ("oid", "language", "languages")


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


def decode_keys(table: memoryview) -> list[BlobKey]:
    """The keys in row order."""
    stored = unpack_bundle(table, KEY_COLUMNS)
    languages = decode_texts(stored["languages"])
    rows = decode_ints(stored["language"]).tolist()
    return [BlobKey(oid, languages[row]) for oid, row in zip(decode_digests(stored["oid"]), rows, strict=True)]
