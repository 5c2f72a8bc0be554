"""The blobs (or paths) that the rows of a segment belong to: the first table of each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cmgit.core.records import BlobKey
from cmgit.store.columns import decode_digests, decode_ints, decode_texts, encode_digests, encode_ints, encode_texts

KEY_COLUMNS = ("key_oid", "key_language", "key_languages")


def encode_keys(keys: Sequence[BlobKey]) -> dict[str, bytes]:
    """Object ids as raw bytes, languages as indices of a small table."""
    import numpy as np

    languages = sorted({key.language for key in keys})
    index = {language: i for i, language in enumerate(languages)}
    return {
        "key_oid": encode_digests([key.oid for key in keys]),
        "key_language": encode_ints(np.array([index[key.language] for key in keys], np.int64)),
        "key_languages": encode_texts(languages),
    }


def decode_keys(stored: Mapping[str, memoryview]) -> list[BlobKey]:
    """The keys in row order."""
    languages = decode_texts(stored["key_languages"])
    rows = decode_ints(stored["key_language"]).tolist()
    return [BlobKey(oid, languages[row]) for oid, row in zip(decode_digests(stored["key_oid"]), rows, strict=True)]
