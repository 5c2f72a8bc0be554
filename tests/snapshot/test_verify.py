"""`verify` finds a flipped bit anywhere, and a count that the rows do not bear out."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from snapshot_samples import RECIPES, manifest_of, small_store, tree_id

from cmgit.core.errors import CmgitError
from cmgit.snapshot.manifest import Counts, FileRow, FileTable
from cmgit.snapshot.publish import load, publish, set_head
from cmgit.snapshot.verify import verify
from cmgit.store import segment_file
from cmgit.store.segments import SegmentStore


def test_a_whole_store_has_no_fault(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    assert verify(cm).ok
    manifests = small_store(cm)
    set_head(cm, "main", manifests[-1])
    report = verify(cm)
    assert report.faults == ()
    assert (report.manifests, report.unreferenced) == (3, ())
    files = [*(tmp_path / "cm" / "trees").iterdir(), *(tmp_path / "cm" / "segments").iterdir()]
    assert report.segments == len(files) - 3 == 15
    assert report.bytes == sum(path.stat().st_size for path in files)


def test_a_flipped_bit_anywhere_is_found_and_nothing_is_read_from_the_file(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    manifests = small_store(cm, 1)
    set_head(cm, "main", manifests[-1])
    store = SegmentStore(cm)
    files = sorted(p for p in (tmp_path / "cm").rglob("*") if p.is_file() and p.name != "lock")
    assert len(files) == 1 + 1 + 1 + 5
    r = random.Random(5)
    for turn in range(200):
        path = files[turn % len(files)]
        whole = path.read_bytes()
        place = r.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[place] ^= 1 << r.randrange(8)
        path.write_bytes(flipped)
        segment_file._checked.clear()  # as in a new process
        name = path.relative_to(tmp_path / "cm").as_posix()
        assert name in {fault.file for fault in verify(cm).faults}, f"byte {place} of {name}"
        if path.parent.name == "segments":
            ref = next(ref for m in manifests for ref in m.segments if ref.file_name == path.name)
            with pytest.raises(CmgitError):
                getattr(store, f"open_{ref.kind}")(ref)
        if path.parent.name == "trees":
            tree = path.name.partition("-")[0]
            assert load(cm, tree, RECIPES.snapshot) is None
        path.write_bytes(whole)
    segment_file._checked.clear()
    assert verify(cm).ok


@pytest.mark.parametrize("count", ["files", "units", "edges", "vectors", "vectors_wanted"])
def test_a_count_that_the_rows_do_not_bear_out_is_a_fault(tmp_path: Path, count: str) -> None:
    """DeusData/codebase-memory-mcp#334: the count of rows that were meant to be written hid a lost batch."""
    cm = str(tmp_path / "cm")
    good = small_store(cm, 1)[0]
    lied = Counts(**{f: getattr(good.counts, f) + (f == count) for f in Counts.__slots__})
    publish(cm, replace(good, counts=lied))
    faults = verify(cm).faults
    assert len(faults) == 1
    assert faults[0].what.startswith(f"{count}: ")


def test_a_row_that_belongs_to_another_blob_is_a_fault(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    good = small_store(cm, 1)[0]
    rows = good.files.rows()
    for kind in ("facts", "terms", "texts", "edges"):
        swapped = [replace(rows[0], **{f"{kind}_row": rows[1].__getattribute__(f"{kind}_row")}), *rows[1:]]
        wild = [replace(rows[0], **{f"{kind}_row": 99}), *rows[1:]]
        for table in (swapped, wild):
            manifest = publish(cm, replace(good, files=FileTable.of(table)))
            faults = [f.what for f in verify(cm).faults if f.file.endswith(f".{manifest.generation}")]
            assert any(kind in what for what in faults), kind


def test_files_that_nothing_names_are_listed_and_are_no_fault(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    ref = manifest_of(SegmentStore(cm), tree_id(9), [[77]], [77]).segments[0]
    (tmp_path / "cm" / "trees" / ".tmp-1-1-aa").write_bytes(b"half")
    report = verify(cm)
    assert report.ok
    assert f"segments/{ref.file_name}" in report.unreferenced
    assert "trees/.tmp-1-1-aa" in report.unreferenced


def test_a_missing_segment_is_a_fault_of_each_manifest_that_names_it(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    manifests = small_store(cm, 2)
    SegmentStore(cm).path(manifests[0].segments[0]).unlink()
    assert len({fault.file for fault in verify(cm).faults}) == 2


def test_another_format_is_the_only_fault(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    (tmp_path / "cm" / "format").write_bytes(b"9\n")
    assert [fault.file for fault in verify(cm).faults] == ["format"]
    (tmp_path / "cm" / "format").unlink()
    assert [fault.file for fault in verify(cm).faults] == ["format"]


def test_a_config_file_needs_no_rows() -> None:
    row = FileRow("package.json", "0" * 40, 0o100644, "", 9, -1, 5)
    assert FileTable.of([row]).rows() == [row]
