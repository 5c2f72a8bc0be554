"""A segment that was written and opened says what was put in, and what one in memory says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import (
    edges_items,
    edges_said,
    facts_items,
    key,
    said,
    terms_items,
    text_key,
    texts_items,
    vectors,
)

from cmgit.core.errors import CmgitError, SegmentDamaged
from cmgit.core.tables import BlobTerms
from cmgit.store import segment_file
from cmgit.store.lance_door import lance_file
from cmgit.store.segments import (
    EdgesSegment,
    FactsSegment,
    Postings,
    SegmentStore,
    TermsSegment,
    TextsSegment,
    VectorsSegment,
)
from cmgit.store.texts_segment import key_matrix

FEW = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 10_000)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SegmentStore:
    return SegmentStore(str(tmp_path_factory.mktemp("cm")))


@FEW
@given(seeds, st.integers(0, 6))
def test_facts_survive_and_equal_those_in_memory(store: SegmentStore, seed: int, count: int) -> None:
    items = facts_items(seed, count)
    opened, memory = store.open_facts(store.write_facts("r", items)), FactsSegment.of(items)
    assert opened.keys == memory.keys == [key for key, _ in items]
    assert len(opened) == len(memory) == count
    assert opened.strings == memory.strings
    for row, (_, fact) in enumerate(items):
        assert said(opened.facts(row)) == said(memory.facts(row)) == said(fact)
        assert opened.facts(row) == memory.facts(row)
        assert opened.status(row) == fact.status
    for name in ("offsets", "kind", "name", "owner", "start", "end", "flags", "doc_end"):
        assert np.array_equal(getattr(opened.units, name), getattr(memory.units, name)), name


def test_columns_of_facts_are_lists_and_strings_are_shared(store: SegmentStore) -> None:
    segment = store.open_facts(store.write_facts("r", facts_items(3, 4)))
    facts = [segment.facts(row) for row in range(4)]
    assert all(fact.strings is segment.strings for fact in facts)
    assert all(type(fact.units.start) is list and type(fact.args) is list for fact in facts)


def test_references_that_are_read_later_say_the_same(store: SegmentStore) -> None:
    segment = store.open_facts(store.write_facts("r", facts_items(3, 4)))
    for row in range(4):
        later = segment.facts(row, refs_later=True)
        assert len(later.refs) == len(segment.facts(row).refs)
        assert said(later) == said(segment.facts(row))


def test_units_are_read_without_references_or_values(store: SegmentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = store.open_facts(store.write_facts("r", facts_items(4, 4)))
    seen: list[str] = []
    real = segment_file.SegmentFile.tables
    monkeypatch.setattr(segment_file.SegmentFile, "tables", lambda self, names: seen.extend(names) or real(self, names))
    assert len(segment.units) == segment.units.offsets[-1]
    assert set(seen) == {"keys", "blobs", "units", "strings"}


@FEW
@given(seeds, st.data())
def test_merged_facts_are_the_chosen_rows(store: SegmentStore, seed: int, data: st.DataObject) -> None:
    parts = [
        store.open_facts(store.write_facts("r", facts_items(seed, 4))),
        FactsSegment.of(facts_items(seed + 1, 3)),
    ]
    chosen = [(part, data.draw(st.lists(st.integers(0, len(part) - 1), unique=True))) for part in parts]
    merged = FactsSegment.merged(chosen)
    expected = [(part, row) for part, rows in chosen for row in rows]
    assert [said(merged.facts(i)) for i in range(len(merged))] == [said(part.facts(row)) for part, row in expected]
    assert merged.keys == [part.keys[row] for part, row in expected]
    again = FactsSegment.of([(key, merged.facts(i)) for i, key in enumerate(merged.keys)])
    assert again.encode() == merged.encode()  # strings that nothing uses are gone, the rest is in one order


def expected_postings(items: list[tuple[object, BlobTerms]], term: str) -> list[tuple[int, int, int]]:
    found = []
    for row, (_, blob) in enumerate(items):
        if term in blob.terms:
            i = blob.terms.index(term)
            found += [(row, blob.unit[j], blob.counts[j]) for j in range(blob.starts[i], blob.starts[i + 1])]
    return found


def rows_of(postings: Postings | None) -> list[tuple[int, int, int]]:
    if postings is None:
        return []
    return list(zip(postings.blob_row.tolist(), postings.unit.tolist(), postings.counts.tolist(), strict=True))


@FEW
@given(seeds, st.integers(0, 12), st.sampled_from([1, 3, 4096]))
def test_postings_survive_in_blocks_of_any_size(store: SegmentStore, seed: int, count: int, block: int) -> None:
    items = terms_items(seed, count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cmgit.store.terms_segment.BLOCK", block)
        patch.setattr("cmgit.store.terms_segment.READ_WHOLE", 0 if seed % 2 else 1 << 20)
        memory = TermsSegment.of(items)
        opened = store.open_terms(store.write_terms("r", items))
        assert opened.terms == memory.terms == tuple(sorted({t for _, blob in items for t in blob.terms}))
        assert opened.keys == memory.keys
        for term in (*opened.terms, "absent", ""):
            assert rows_of(opened.postings(term)) == rows_of(memory.postings(term)) == expected_postings(items, term)
        for row, (_, blob) in enumerate(items):
            assert opened.lengths(row).tolist() == memory.lengths(row).tolist() == list(blob.lengths)
        both = TermsSegment.merged([(opened, range(0, count, 2)), (memory, range(1, count, 2))])
        order = [*range(0, count, 2), *range(1, count, 2)]
        assert TermsSegment.of([items[row] for row in order]).encode() == both.encode()
    assert opened.postings("absent") is None


def test_one_term_is_read_without_the_blocks_of_the_others(
    store: SegmentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cmgit.store.terms_segment.BLOCK", 4)
    monkeypatch.setattr("cmgit.store.terms_segment.READ_WHOLE", 0)
    segment = store.open_terms(store.write_terms("r", terms_items(7, 30)))
    seen: list[int] = []
    real = segment_file.SegmentFile.blocks
    monkeypatch.setattr(segment_file.SegmentFile, "blocks", lambda self, rows: seen.extend(rows) or real(self, rows))
    assert segment.postings(segment.terms[5]) is not None
    assert len(seen) == 1
    segment.postings(segment.terms[5])
    assert len(seen) == 1


@FEW
@given(seeds, st.integers(0, 8))
def test_text_keys_survive(store: SegmentStore, seed: int, count: int) -> None:
    items = texts_items(seed, count)
    opened, memory = store.open_texts(store.write_texts("r", items)), TextsSegment.of(items)
    assert [opened.texts(row) for row in range(count)] == [blob for _, blob in items]
    assert [memory.texts(row) for row in range(count)] == [blob for _, blob in items]
    assert opened.keys == memory.keys
    assert np.array_equal(opened.matrix, memory.matrix)
    rows = list(range(count - 1, -1, -2))
    merged = TextsSegment.merged([(opened, rows), (memory, rows)])
    assert [merged.texts(i) for i in range(len(merged))] == [items[row][1] for row in [*rows, *rows]]


@FEW
@given(st.lists(st.integers(0, 30), max_size=40))
def test_vectors_survive_sorted_by_key_each_once(store: SegmentStore, numbers: list[int]) -> None:
    keys, matrix, scales = vectors(numbers)
    opened, memory = store.open_vectors(store.write_vectors("r", keys, matrix, scales)), None
    memory = VectorsSegment.of(keys, matrix, scales)
    assert opened.key_list() == memory.key_list() == sorted(set(keys))
    for segment in (opened, memory):
        rows = segment.find(key_matrix([*keys, text_key(99)]))
        assert rows[-1] == -1
        if numbers:
            assert np.array_equal(segment.matrix[rows[:-1]], matrix)
            assert segment.scales[rows[:-1]].tobytes() == scales.tobytes()


def test_a_key_that_is_zero_or_begins_with_zeros_is_a_key_like_others(store: SegmentStore) -> None:
    keys = [bytes(16), bytes(15) + b"\1", b"\1" + bytes(15), b"\xff" * 16]
    _, matrix, scales = vectors([1, 2, 3, 4])
    segment = store.open_vectors(store.write_vectors("r", keys, matrix, scales))
    assert segment.find(key_matrix(keys)).tolist() == [0, 1, 2, 3]


@FEW
@given(seeds, st.integers(0, 8))
def test_edges_survive(store: SegmentStore, seed: int, count: int) -> None:
    items = edges_items(seed, count)
    opened, memory = store.open_edges(store.write_edges("r", items)), EdgesSegment.of(items)
    assert opened.paths == memory.paths == [path for path, _ in items]
    for row, (_, blob) in enumerate(items):
        assert opened.edges(row) == memory.edges(row)
        assert edges_said(opened.edges(row)) == edges_said(blob)
        assert list(opened.depends(row).rows()) == list(memory.depends(row).rows()) == list(blob.depends.rows())
    rows = list(range(count))
    merged = EdgesSegment.merged([(opened, rows[::2]), (memory, rows[1::2])])
    expected = [items[row] for row in [*rows[::2], *rows[1::2]]]
    assert merged.encode() == EdgesSegment.of(expected).encode()


def test_the_same_content_is_the_same_file(tmp_path: Path) -> None:
    one, two = SegmentStore(str(tmp_path / "1")), SegmentStore(str(tmp_path / "2"))
    for write in (
        lambda s: s.write_facts("r", facts_items(1, 20)),
        lambda s: s.write_terms("r", terms_items(1, 20)),
        lambda s: s.write_texts("r", texts_items(1, 20)),
        lambda s: s.write_edges("r", edges_items(1, 20)),
        lambda s: s.write_vectors("r", *vectors(range(20))),
    ):
        assert write(one) == write(two) == write(one)
    assert names(one.folder) == names(two.folder)
    assert len(names(one.folder)) == 5


def test_a_segment_is_named_after_its_bytes(store: SegmentStore) -> None:
    ref = store.write_facts("r", facts_items(8, 3))
    assert segment_file.fingerprint(store.path(ref)) == (ref.name, ref.crc32, ref.size)


def test_refs_are_found_without_a_manifest_and_damaged_ones_are_reported(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    assert store.list_refs() == []
    refs = [store.write_facts("f", facts_items(1, 3)), store.write_texts("t", texts_items(1, 5))]
    assert sorted(store.list_refs()) == sorted(refs)
    damage(store.path(refs[0]))
    (store.folder / ".tmp-1-2-ab.lance").write_bytes(b"half")
    reported: list[str] = []
    assert store.list_refs(report=lambda name, _: reported.append(name)) == [refs[1]]
    assert reported == [refs[0].file_name]


def test_a_known_segment_is_listed_without_reading_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SegmentStore(str(tmp_path))
    ref = store.write_facts("f", facts_items(1, 3))
    monkeypatch.setattr("cmgit.store.segments.fingerprint", lambda path: pytest.fail("read"))
    assert store.list_refs(known=[ref]) == [ref]


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def test_a_damaged_short_missing_or_foreign_segment_is_never_opened(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    ref = store.write_facts("f", facts_items(1, 3))
    assert len(store.open_facts(ref)) == 3
    with pytest.raises(SegmentDamaged, match="not terms"):
        store.open_terms(ref)
    whole = store.path(ref).read_bytes()
    damage(store.path(ref))
    with pytest.raises(SegmentDamaged, match="damaged"):
        store.open_facts(ref)
    store.path(ref).write_bytes(whole[:-1])
    with pytest.raises(SegmentDamaged):
        store.open_facts(ref)
    store.path(ref).unlink()
    with pytest.raises(SegmentDamaged, match="cannot be read"):
        store.open_facts(ref)
    assert not store.has(ref)


def test_a_damaged_segment_is_written_anew_under_its_name(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    ref = store.write_facts("f", facts_items(1, 3))
    damage(store.path(ref))
    assert store.write_facts("f", facts_items(1, 3)) == ref
    assert said(store.open_facts(ref).facts(0)) == said(facts_items(1, 3)[0][1])


def test_a_file_is_checked_once_for_each_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SegmentStore(str(tmp_path))
    ref = store.write_facts("f", facts_items(1, 3))
    store.open_facts(ref)
    monkeypatch.setattr(segment_file, "crc_of", lambda path: pytest.fail("checked again"))
    store.open_facts(ref)


@pytest.mark.parametrize("name", ["a b#c%20?d", "имя", "x:y", "[a]*", "new\nline", "bad\udcff", "tab\t"])
def test_a_repository_may_lie_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    store = SegmentStore(str(tmp_path / name))
    ref = store.write_facts("f", facts_items(1, 3))
    assert said(store.open_facts(ref).facts(1)) == said(facts_items(1, 3)[1][1])
    assert store.list_refs() == [ref]
    assert names(store.folder) == [ref.file_name]


def test_a_segment_of_sha256_blobs_keeps_their_ids(store: SegmentStore) -> None:
    items = [(type(k)(k.oid + "ab" * 12, k.language), fact) for k, fact in facts_items(2, 3)]
    assert store.open_facts(store.write_facts("r", items)).keys == [k for k, _ in items]
    assert key(1).oid == "0" * 39 + "1"


def test_a_file_that_lance_left_short_without_an_error_is_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SegmentStore(str(tmp_path))
    writer = lance_file().LanceFileWriter
    real = writer.close

    def close(self: Any) -> Any:
        done = real(self)
        for path in tmp_path.rglob("segment.lance"):
            path.write_bytes(path.read_bytes()[:-3])
        return done

    monkeypatch.setattr(writer, "close", close)
    with pytest.raises(CmgitError, match="no space"):
        store.write_facts("f", facts_items(1, 3))
    assert names(store.folder) == []
