"""Manifests: what was published is what is loaded, or the one before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_samples import RECIPES, empty_manifest, manifest_of, small_store, tree_id

from cmgit.core.errors import FormatMismatch, ManifestDamaged, SegmentDamaged
from cmgit.core.records import path_bytes
from cmgit.snapshot.manifest import Counts, FileRow, FileTable, Manifest, decode_manifest, encode_manifest
from cmgit.snapshot.publish import (
    check_format,
    head_files,
    load,
    publish,
    published,
    read_head,
    recipe8,
    set_head,
)
from cmgit.store.segments import SegmentRef, SegmentStore

paths = st.binary(min_size=1, max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
rows = st.builds(
    FileRow,
    path=paths,
    oid=st.integers(0, 2**160 - 1).map(lambda n: f"{n:040x}"),
    mode=st.sampled_from([0o100644, 0o100755, 0o120000]),
    language=st.sampled_from(["", "typescript", "vue"]),
    role=st.integers(0, 9),
    status=st.integers(-1, 9),
    size=st.integers(0, 2**40),
    **{
        f"{kind}_{what}": st.integers(-1, 70_000)
        for kind in ("facts", "terms", "texts", "edges")
        for what in ("segment", "row")
    },
)


@settings(max_examples=40, deadline=None)
@given(st.lists(rows, max_size=20), st.booleans())
def test_a_manifest_survives_its_bytes(table: list[FileRow], on_demand: bool) -> None:
    refs = (SegmentRef("ab" * 16, "facts", 'r"\udcff', 3, 99, 2**32 - 1), SegmentRef("cd" * 16, "vectors", "", 0, 1, 0))
    manifest = Manifest(tree_id(7), RECIPES, FileTable.of(table), refs, Counts(1, 2, 3, 4, 5), 12, on_demand)
    data = encode_manifest(manifest)
    read = decode_manifest(data)
    assert read == manifest
    assert read.files.rows() == table
    assert read.files.path == [row.path for row in table]
    assert read.files.language == [row.language for row in table]
    assert read.files.row("texts").tolist() == [row.texts_row for row in table]
    assert encode_manifest(read) == data


@settings(max_examples=60, deadline=None)
@given(
    st.lists(rows, max_size=12, unique_by=lambda row: row.path), st.lists(rows, max_size=4), st.sets(st.integers(0, 11))
)
def test_an_edited_table_has_the_bytes_of_one_made_anew(
    table: list[FileRow], new: list[FileRow], out: set[int]
) -> None:
    table = sorted(table, key=lambda row: path_bytes(row.path))
    added = {row.path: row for row in new}
    gone = {i for i, row in enumerate(table) if i in out or row.path in added}
    kept = [row for i, row in enumerate(table) if i not in gone]
    edited = FileTable.of(table).edited(gone, list(added.values()))
    whole = FileTable.of(sorted([*kept, *added.values()], key=lambda row: path_bytes(row.path)))
    assert edited.stored == whole.stored
    assert edited.rows() == whole.rows() == [edited.record(i) for i in range(len(edited))]
    for row in (*table, *new):
        assert edited.find_sorted(row.path) == edited.find(row.path) == whole.find(row.path)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_manifest_with_one_flipped_bit_or_cut_short_is_damaged(data: st.DataObject) -> None:
    whole = encode_manifest(empty_manifest(tree_id(1)))
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    flipped = bytearray(whole)
    flipped[bit // 8] ^= 1 << bit % 8
    for bad in (bytes(flipped), whole[: bit // 8]):
        with pytest.raises(ManifestDamaged):
            decode_manifest(bad)


def test_the_newest_generation_of_a_tree_is_loaded(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    assert load(cm, tree_id(1), RECIPES.snapshot) is None
    first, second, _ = small_store(cm)
    again = publish(cm, replace(first, counts=replace(first.counts, vectors=0)))
    assert [first.generation, second.generation, again.generation] == [1, 2, 4]
    assert load(cm, tree_id(1), RECIPES.snapshot) == again
    assert load(cm, tree_id(2), RECIPES.snapshot) == second
    assert load(cm, tree_id(9), RECIPES.snapshot) is None
    assert load(cm, tree_id(1), "ffff") is None
    assert load(cm, tree_id(1), RECIPES.snapshot[:8] + "other") is None
    assert [entry.generation for entry in published(cm)] == [4, 3, 2, 1]


@pytest.mark.parametrize("size", [0, 0.5, 0.99])
def test_a_newest_manifest_that_was_cut_short_gives_way_to_the_one_before(tmp_path: Path, size: float) -> None:
    """tenequm/pond#110: after a hard stop the newest manifest was empty, and every later open failed."""
    cm = str(tmp_path / "cm")
    first = small_store(cm, 1)[0]
    publish(cm, replace(first, counts=Counts()))
    newest = tmp_path / "cm" / "trees" / published(cm)[0].file_name
    newest.write_bytes(newest.read_bytes()[: int(newest.stat().st_size * size)])
    assert load(cm, tree_id(1), RECIPES.snapshot) == first
    assert publish(cm, first).generation == 3


def test_a_manifest_whose_segment_is_missing_is_not_published(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    manifest = manifest_of(SegmentStore(cm), tree_id(1), [[1, 2]], [1, 2])
    SegmentStore(cm).path(manifest.segments[0]).unlink()
    with pytest.raises(SegmentDamaged, match="missing"):
        publish(cm, manifest)
    assert published(cm) == []


@pytest.mark.parametrize("text", [b"2\n", b"0\n", b"1", b"1 \n", b"", b"x", b"1\x0b"])
def test_a_store_of_another_format_is_never_guessed_at(tmp_path: Path, text: bytes) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    assert check_format(cm)
    (tmp_path / "cm" / "format").write_bytes(text)
    with pytest.raises(FormatMismatch) as caught:
        load(cm, tree_id(1), RECIPES.snapshot)
    assert "remove" in caught.value.hint
    with pytest.raises(FormatMismatch):
        publish(cm, empty_manifest(tree_id(1)))


def test_a_manifest_under_the_name_of_another_is_damaged(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 2)
    newest, oldest = published(cm)
    trees = tmp_path / "cm" / "trees"
    (trees / oldest.file_name).write_bytes((trees / newest.file_name).read_bytes())
    assert load(cm, oldest.tree, RECIPES.snapshot) is None


def test_heads_remember_what_was_published_last_for_each_worktree(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    first, second, _ = small_store(cm)
    for count, worktree in enumerate(("main", "feature/x y", "\udcff", "=main", ".."), 1):
        set_head(cm, worktree, first)
        assert len(head_files(cm)) == count
        set_head(cm, worktree, second)
        assert len(head_files(cm)) == count
    for path in head_files(cm):
        found = read_head(path)
        assert (found.tree, found.recipe, found.generation) == (second.tree, RECIPES.snapshot, 2)
    (tmp_path / "cm" / "heads" / "main").write_bytes(b"garbage")
    with pytest.raises(ManifestDamaged):
        read_head(tmp_path / "cm" / "heads" / "main")


def test_a_recipe_has_a_short_form_for_file_names() -> None:
    assert recipe8("AB" * 32) == "abababab"
    assert recipe8("not hex at all") == recipe8("not hex at all") != recipe8("not hex at al")


def test_50_000_files_are_loaded_without_unpacking_what_is_not_asked_for() -> None:
    table = FileTable.of(
        [
            FileRow(f"src/{i % 300}/file{i}.ts", f"{i:040x}", 0o100644, "typescript", 0, 0, i, 0, i)
            for i in range(50_000)
        ]
    )
    data = encode_manifest(Manifest(tree_id(1), RECIPES, table, (), Counts(50_000)))
    read = decode_manifest(data)
    assert not {"path", "oid", "size"} & vars(read.files).keys()
    assert read.files.path[-1] == "src/199/file49999.ts"
    assert not {"oid", "size"} & vars(read.files).keys()
