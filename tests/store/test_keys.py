"""Keys are found in the stored bytes as they are in a list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cmgit.core.records import BlobKey
from cmgit.store import keys as module
from cmgit.store.keys import decode_keys, encode_keys, find_key
from cmgit.store.texts_segment import beginnings, distinct_keys, find_keys, key_matrix

# Few digits, so that an id occurs across the border of two others.
keys = st.builds(
    BlobKey, st.sampled_from(["11" * 20, "12" * 20, "21" * 20, "1112" * 10]), st.sampled_from(["vue", "tsx", "config"])
)


@given(st.lists(keys, max_size=9), st.lists(keys, max_size=60))
def test_stored_keys_answer_as_a_list_does(rows: list[BlobKey], asked: list[BlobKey]) -> None:
    stored = decode_keys(memoryview(encode_keys(rows)))
    assert list(stored) == rows == [stored[row] for row in range(len(stored))]
    assert stored == rows
    expected = [rows.index(key) if key in rows else None for key in asked]
    assert [find_key(stored, key) for key in asked] == expected == [find_key(rows, key) for key in asked]
    assert stored[-1:] == rows[-1:]
    assert module.FEW_QUESTIONS < 60


texts = st.lists(st.sampled_from([bytes([a]) * 8 + bytes([b]) * 8 for a in range(3) for b in range(3)]), max_size=12)


@given(st.lists(texts, max_size=3), texts)
def test_keys_of_texts_are_sorted_and_found_also_where_only_their_ends_differ(
    parts: list[list[bytes]], wanted: list[bytes]
) -> None:
    whole = sorted({key for part in parts for key in part})
    matrix = distinct_keys([key_matrix(part) for part in parts])
    assert [row.tobytes() for row in matrix] == whole
    found = find_keys(matrix, beginnings(matrix), key_matrix(wanted)).tolist()
    assert found == [whole.index(key) if key in whole else -1 for key in wanted]
