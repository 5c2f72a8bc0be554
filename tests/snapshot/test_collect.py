"""The collector removes what nothing needs, and nothing under a reader."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from snapshot_samples import RECIPES, manifest_of, small_store, tree_id

from cmgit.snapshot import collect as collect_module
from cmgit.snapshot.collect import GRACE, collect
from cmgit.snapshot.lock import try_lock
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.snapshot.publish import load, publish, published, read_head, set_head, worktree_file
from cmgit.snapshot.verify import verify
from cmgit.store.segments import SegmentStore


def trees(cm: str) -> list[int]:
    return sorted(int(entry.tree, 16) for entry in published(cm))


def segment_files(cm: str) -> set[str]:
    return {path.name for path in (Path(cm) / "segments").iterdir()}


def named(*manifests: Manifest) -> set[str]:
    return {ref.file_name for manifest in manifests for ref in manifest.segments}


def test_the_newest_and_the_named_trees_stay(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    made = small_store(cm, 5)
    before = segment_files(cm)
    done = collect(cm, [tree_id(1)], newest=2)
    assert trees(cm) == [1, 4, 5]
    assert segment_files(cm) == named(made[0], made[3], made[4]) == before
    assert done.files == (
        f"trees/{tree_id(2)}-01234567.2",
        f"trees/{tree_id(3)}-01234567.3",
    )
    assert not done.busy
    assert done.bytes > 0
    assert verify(cm).ok
    assert verify(cm).unreferenced == ()


def test_segments_that_only_dropped_trees_name_are_removed(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    made = small_store(cm, 3)
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "cm" / "segments").iterdir()}
    done = collect(cm, [tree_id(1)], newest=0)
    assert trees(cm) == [1]
    assert segment_files(cm) == named(made[0])
    gone = named(made[2]) - named(made[0])
    assert {name.removeprefix("segments/") for name in done.files if name.startswith("segments")} == gone
    assert done.bytes > sum(sizes[name] for name in gone)


def test_older_generations_of_a_tree_are_removed(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    first = small_store(cm, 1)[0]
    again = publish(cm, replace(first, on_demand=True))
    collect(cm, [], newest=8)
    assert [entry.generation for entry in published(cm)] == [again.generation]


def test_what_was_made_on_demand_stays_for_a_day_whatever_the_clock_says(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    publish(cm, replace(small_store(cm, 1)[0], on_demand=True))
    collect(cm, [], newest=1)
    publish(cm, manifest_of(SegmentStore(cm), tree_id(2), [[1]], [1]))
    now = time.time()
    collect(cm, [], newest=1, now=now + 3600)
    assert trees(cm) == [1, 2]
    collect(cm, [], newest=1, now=now + 90_000)
    assert trees(cm) == [2]


def test_a_file_from_the_future_does_not_stay_for_ever(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    manifest = publish(cm, replace(small_store(cm, 1)[0], on_demand=True))
    publish(cm, manifest_of(SegmentStore(cm), tree_id(2), [[1]], [1]))
    path = tmp_path / "cm" / "trees" / f"{manifest.tree}-01234567.{manifest.generation}"
    os.utime(path, (time.time() + 1e8,) * 2)
    collect(cm, [], newest=1)
    assert trees(cm) == [2]


READ = """
import sys
from cmgit.snapshot.publish import load
from cmgit.snapshot.opened import OpenSegments
from cmgit.store.segments import SegmentStore
manifest = load(sys.argv[1], sys.argv[2], sys.argv[3])
print("held", flush=True)
sys.stdin.readline()
opened = OpenSegments(SegmentStore(sys.argv[1]), manifest.segments)
rows = zip(manifest.files.facts_segment.tolist(), manifest.files.facts_row.tolist())
print(sum(len(opened.facts(s).facts(r).units) for s, r in rows if s >= 0), flush=True)
"""


def test_a_snapshot_is_never_pulled_from_under_a_reader_in_another_process(tmp_path: Path) -> None:
    """Kilo-Org/kilocode#12914."""
    cm = str(tmp_path / "cm")
    made = small_store(cm, 2)
    args = [sys.executable, "-c", READ, cm, tree_id(2), RECIPES.snapshot]
    with subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "held\n"
        collect(cm, [tree_id(1)], newest=0)
        assert trees(cm) == [1, 2]
        assert segment_files(cm) == named(*made)
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert int(reader.stdout.readline()) == made[1].counts.units
    collect(cm, [tree_id(1)], newest=0)
    assert trees(cm) == [1]


def test_a_lease_is_given_up_with_its_manifest(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    held = load(cm, tree_id(1), RECIPES.snapshot)
    assert held is not None
    assert held.lease is not None
    collect(cm, [], newest=0)
    assert trees(cm) == [1]
    held.lease.close()
    collect(cm, [], newest=0)
    assert trees(cm) == []
    assert segment_files(cm) == set()


def test_nothing_is_removed_while_a_builder_runs(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    with try_lock(cm) or pytest.fail("locked"):
        ref = manifest_of(SegmentStore(cm), tree_id(9), [[50]], [50]).segments[0]
        assert collect(cm, [], newest=0).busy
        assert ref.file_name in segment_files(cm)
    assert f"segments/{ref.file_name}" in collect(cm, [], newest=8).files


def test_the_builder_may_collect_under_its_own_lock(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 2)
    with try_lock(cm) or pytest.fail("locked") as lock:
        assert not collect(cm, [], newest=1, held=lock).busy
        assert try_lock(cm) is None
    assert trees(cm) == [2]


def test_files_of_dead_writers_are_removed_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    """sourcegraph/sourcegraph-public-snapshot#19541: half-written shards piled up to hundreds of gigabytes."""
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    litter = [
        f"segments/.tmp-{dead.pid}-1-ab/segment.lance",
        f"segments/.tmp-{dead.pid}-1-ab/.tmpX1y2Z3",
        "segments/.tmpX1y2Z3",
        f"trees/.tmp-{dead.pid}-1-ab",
        f".tmp-{dead.pid}-2-ab",
        f"heads/.tmp-{dead.pid}-3-ab",
    ]
    alive = [f".tmp-{os.getpid()}-2-ab", f"heads/.tmp-{os.getpid()}-3-ab", "build.log"]
    (tmp_path / "cm" / "heads").mkdir(exist_ok=True)
    for name in [*litter, *alive]:
        (tmp_path / "cm" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "cm" / name).write_bytes(b"x" * 10)
    done = collect(cm, [], newest=8)
    assert set(done.files) == set(litter)
    assert done.bytes == 60
    assert not list((tmp_path / "cm" / "segments").glob(".tmp*"))
    assert all((tmp_path / "cm" / name).exists() for name in alive)


def test_a_damaged_manifest_goes_and_its_segments_stay_for_that_once(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    made = small_store(cm, 2)
    path = tmp_path / "cm" / "trees" / f"{tree_id(2)}-01234567.2"
    path.write_bytes(path.read_bytes()[:100])
    collect(cm, [tree_id(2)], newest=1)
    assert not path.exists()
    assert segment_files(cm) == named(*made)
    publish(cm, made[1])
    collect(cm, [tree_id(2)], newest=1)
    assert [entry.tree for entry in published(cm)] == [tree_id(2)]
    assert segment_files(cm) == named(made[1])


def test_heads_of_worktrees_that_are_gone_are_removed(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    manifest = small_store(cm, 1)[0]
    for worktree in ("main", "feature/x", "gone"):
        set_head(cm, worktree, manifest)
    assert collect(cm, [], worktrees=["main", "feature/x"]).files == ("heads/gone",)
    assert read_head(Path(cm) / "heads" / worktree_file("feature/x"))


def test_without_locks_a_manifest_is_hidden_first_and_removed_after_a_grace_period(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cm = str(tmp_path / "cm")
    made = small_store(cm, 2)
    monkeypatch.setattr(collect_module, "claim", lambda fd: None)
    now = time.time()
    collect(cm, [tree_id(1)], newest=0, now=now)
    assert trees(cm) == [1]
    assert load(cm, tree_id(2), RECIPES.snapshot) is None
    assert segment_files(cm) == named(*made)
    collect(cm, [tree_id(1)], newest=0, now=now + GRACE - 10)
    assert segment_files(cm) == named(*made)
    collect(cm, [tree_id(1)], newest=0, now=now + GRACE + 10)
    assert segment_files(cm) == named(made[0])
    assert len(list((tmp_path / "cm" / "trees").iterdir())) == 1


def test_a_store_that_is_not_there_has_nothing_to_collect(tmp_path: Path) -> None:
    assert collect(str(tmp_path / "cm"), []).files == ()
    assert not (tmp_path / "cm").exists()


def test_a_reader_that_loads_while_the_collector_removes_tries_again(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    held = load(cm, tree_id(1), RECIPES.snapshot)
    assert held is not None
    assert len(OpenSegments(SegmentStore(cm), held.segments).facts(0)) == 4
