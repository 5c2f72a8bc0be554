"""Columns give back what was put in, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmgit.store.columns import (
    Around,
    Code,
    Column,
    decode_digests,
    decode_ints,
    decode_table,
    decode_texts,
    encode_digests,
    encode_ints,
    encode_table,
    encode_texts,
    name_bytes,
    offsets_of,
    spans,
)

QUICK = settings(max_examples=50, deadline=None)
int32 = st.integers(-1, 2**30 - 1)


@QUICK
@given(st.lists(st.integers(0, 2**63 - 1)))
def test_any_unsigned_numbers_survive_in_the_narrowest_planes(values: list[int]) -> None:
    stored = encode_ints(np.array(values, np.int64))
    assert decode_ints(stored).astype(np.int64).tolist() == values
    highest = max(values, default=0)
    assert stored[0] == next(w for w in (1, 2, 4, 8) if highest < 1 << 8 * w)


@pytest.mark.parametrize("code", [Code.SHIFTED, Code.SIGNED, Code.DELTA, Code.BASED, Code.NAMED, Code.LOCAL])
@QUICK
@given(data=st.data())
def test_every_code_keeps_absent_and_far_values(code: Code, data: st.DataObject) -> None:
    values = data.draw(st.lists(int32))
    base = data.draw(st.lists(int32, min_size=len(values), max_size=len(values)))
    cut = data.draw(st.integers(0, len(values)))
    around = Around(np.array([0, cut, len(values)], np.int64), name_bytes(["a", "née", "\udcff"]))
    names = data.draw(st.lists(st.integers(-1, 2), min_size=len(values), max_size=len(values)))
    columns = [Column("name"), Column("base"), Column("x", code, "base" if code in {Code.BASED, Code.NAMED} else "")]
    given_values = {"name": np.array(names, np.int32), "base": np.array(base, np.int32)}
    stored = encode_table(columns, given_values | {"x": np.array(values, np.int32)}, around)
    read = decode_table(columns, {name: memoryview(raw) for name, raw in stored.items()}, around)
    assert read["x"].tolist() == values
    assert read["x"].dtype == np.int32


def test_a_negative_number_in_a_plain_column_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        encode_ints(np.array([3, -1]))


@QUICK
@given(st.lists(st.text(st.characters(codec=None)) | st.sampled_from(["", "\0", "\1", "\1\2", "\ud800", "\udcff"])))
def test_any_strings_survive_lone_surrogates_and_nul_included(texts: list[str]) -> None:
    assert decode_texts(encode_texts(texts)) == texts


@pytest.mark.parametrize("width", [40, 64])
def test_object_ids_of_both_formats_survive(width: int) -> None:
    oids = [f"{i * 977:0{width}x}" for i in range(5)]
    assert decode_digests(encode_digests(oids)) == oids
    assert decode_digests(encode_digests([])) == []


def test_object_ids_of_mixed_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths"):
        encode_digests(["0" * 40, "0" * 64])


def test_bytes_that_no_column_has_are_refused() -> None:
    for raw in (b"", b"\x03abc", b"\x04abc"):
        with pytest.raises(ValueError, match="column"):
            decode_ints(raw)
    with pytest.raises(ValueError, match="text"):
        decode_texts(b"zabc")


@QUICK
@given(st.lists(st.integers(0, 4), min_size=1), st.data())
def test_spans_are_the_flat_rows_of_the_chosen_blobs(counts: list[int], data: st.DataObject) -> None:
    offsets = offsets_of(np.array(counts))
    rows = data.draw(st.lists(st.integers(0, len(counts) - 1)))
    expected = [flat for row in rows for flat in range(offsets[row], offsets[row + 1])]
    assert spans(offsets, np.array(rows, np.int64)).tolist() == expected
