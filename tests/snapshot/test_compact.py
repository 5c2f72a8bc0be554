"""Compaction changes where rows stand, never what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_samples import manifest_of, tree_id
from store_samples import edges_said, said

from cmgit.core.tables import BlobTexts
from cmgit.snapshot import compact as compact_module
from cmgit.snapshot.compact import compact
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments, counted, wanted_keys
from cmgit.snapshot.publish import publish
from cmgit.snapshot.verify import verify
from cmgit.store.segments import KINDS, SegmentStore


def everything(store: SegmentStore, manifest: Manifest) -> list[object]:
    """All that can be read through a manifest, file by file."""
    opened, out = OpenSegments(store, manifest.segments), []
    for row in manifest.files.rows():
        if row.facts_segment < 0:
            continue
        terms = opened.terms(row.terms_segment)
        postings = {}
        for term in terms.terms:
            found = terms.postings(term)
            assert found is not None
            mine = found.blob_row == row.terms_row
            if mine.any():
                postings[term] = (found.unit[mine].tolist(), found.counts[mine].tolist())
        texts: BlobTexts = opened.texts(row.texts_segment).texts(row.texts_row)
        out.append(
            (
                row.path,
                said(opened.facts(row.facts_segment).facts(row.facts_row)),
                postings,
                terms.lengths(row.terms_row).tolist(),
                texts,
                edges_said(opened.edges(row.edges_segment).edges(row.edges_row)),
            )
        )
    vectors = {}
    for segment in opened.vectors:
        rows = segment.find(wanted_keys(opened, manifest.files))
        for i in rows[rows >= 0].tolist():
            vectors[segment.key_list()[i]] = (segment.matrix[i].tolist(), float(segment.scales[i]))
    return [*out, vectors]


@settings(max_examples=5, deadline=None)
@given(st.integers(1, 6), st.integers(1, 5), st.sets(st.integers(0, 11)))
def test_a_compacted_tree_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, batches: int, most: int, gone: set[int]
) -> None:
    cm = str(tmp_path_factory.mktemp("cm"))
    store = SegmentStore(cm)
    numbers = [range(b * 3, b * 3 + 3) for b in range(batches)]
    live = [n for batch in numbers for n in batch if n not in gone]
    before = manifest_of(store, tree_id(1), numbers, live)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact_module, "SMALL", 2)
        after = compact(store, before, most)
    assert everything(store, after) == everything(store, before)
    assert all(len(after.of_kind(kind)) <= most for kind in KINDS)
    assert counted(store, after) == after.counts == before.counts
    publish(cm, after)
    assert verify(cm).faults == ()


def test_a_tree_of_few_whole_segments_is_left_alone(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    manifest = manifest_of(store, tree_id(1), [[1, 2], [3]], [1, 2, 3])
    assert compact(store, manifest) is manifest


def test_a_segment_without_a_row_of_the_tree_is_no_longer_named(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    manifest = compact(store, manifest_of(store, tree_id(1), [[1, 2], [3]], [1, 2]))
    assert [len(manifest.of_kind(kind)) for kind in ("facts", "terms", "texts", "edges")] == [1, 1, 1, 1]


def test_the_big_old_segment_is_not_written_again_with_the_small_ones(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    batches = [range(100), *([n] for n in range(100, 110))]
    before = manifest_of(store, tree_id(1), batches, range(110))
    after = compact(store, before, 8)
    big = before.of_kind("facts")[0][1]
    refs = [ref for _, ref in after.of_kind("facts")]
    assert big in refs
    assert len(refs) <= 4
    assert sum(ref.rows for ref in refs) == 110


def test_a_mostly_masked_segment_is_written_anew(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    before = manifest_of(store, tree_id(1), [range(100), [200]], [*range(20), 200])
    after = compact(store, before)
    assert sorted(ref.rows for _, ref in after.of_kind("facts")) == [1, 20]
    assert everything(store, after) == everything(store, before)


def test_the_big_segments_of_a_first_index_are_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merging them would fall to a commit that changes one file."""
    monkeypatch.setattr(compact_module, "SETTLED_ROWS", 10)
    store = SegmentStore(str(tmp_path))
    big = [range(first, first + 12) for first in range(0, 120, 12)]
    few = manifest_of(store, tree_id(1), [*big, [200], [201]], [*range(120), 200, 201])
    assert len(few.of_kind("facts")) == 12
    kept = compact(store, few)
    assert [len(kept.of_kind(kind)) for kind in ("facts", "terms", "texts", "edges")] == [12] * 4
    many = manifest_of(store, tree_id(1), [*big, *([n] for n in range(200, 205))], [*range(120), *range(200, 205)])
    after = compact(store, many)
    assert {ref for _, ref in many.of_kind("facts") if ref.rows == 12} < {ref for _, ref in after.of_kind("facts")}
    assert 10 < len(after.of_kind("facts")) <= 12
    assert everything(store, after) == everything(store, many)
