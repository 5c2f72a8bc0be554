"""Whole or absent: after kill -9, a full disk or a folder that cannot be written, the last good snapshot answers."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snapshot_samples import RECIPES, blob, manifest_of, small_store, tree_id
from store_samples import facts, facts_items, said

from cmgit.core import atomic
from cmgit.core.atomic import write_atomic
from cmgit.core.errors import CmgitError
from cmgit.snapshot.collect import collect
from cmgit.snapshot.lock import try_lock
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments, counted
from cmgit.snapshot.publish import ensure_format, load, publish, published, set_head
from cmgit.snapshot.verify import verify
from cmgit.store.lance_door import lance_file
from cmgit.store.segments import SegmentStore

WRITER = """
import sys
sys.path[:0] = sys.argv[2:4]
from snapshot_samples import manifest_of, tree_id
from cmgit.snapshot.collect import collect
from cmgit.snapshot.compact import compact
from cmgit.snapshot.lock import wait_lock
from cmgit.snapshot.publish import publish, set_head
from cmgit.store.segments import SegmentStore
cm, turn = sys.argv[1], int(sys.argv[4])
store = SegmentStore(cm)
while True:
    with wait_lock(cm, pause=0.005) as lock:
        numbers = [[turn * 2 + i] for i in range(2)]
        manifest = publish(cm, compact(store, manifest_of(store, tree_id(1), numbers, sum(numbers, [])), 2))
        set_head(cm, "main", manifest)
        collect(cm, [tree_id(1)], newest=1, held=lock)
    print("ready", flush=True)
    turn += 1
"""
FOLDERS = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "store")]


def check_answers(cm: str) -> Manifest:
    """The newest snapshot is whole, and its facts are those of its blobs."""
    manifest = load(cm, tree_id(1), RECIPES.snapshot)
    assert manifest is not None
    store = SegmentStore(cm)
    opened = OpenSegments(store, manifest.segments)
    assert counted(store, manifest) == manifest.counts
    for row in manifest.files.rows():
        if row.facts_segment >= 0:
            number = int(row.oid, 16)
            found = said(opened.facts(row.facts_segment).facts(row.facts_row))
            assert found == {**said(facts(number * 7 + 1)), "head": found["head"]}
            assert opened.facts(row.facts_segment).keys[row.facts_row] == blob(number)
    return manifest


def kill_at_random_moments(cm: str, rounds: int, seed: int) -> None:
    r = random.Random(seed)
    publish(cm, manifest_of(SegmentStore(cm), tree_id(1), [[0, 1]], [0, 1]))
    seen = {check_answers(cm).generation}
    for turn in range(rounds):
        args = [sys.executable, "-c", WRITER, cm, *FOLDERS, str(turn * 50)]
        with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(r.uniform(0.0, 0.4))
            writer.kill()
        seen.add(check_answers(cm).generation)
        assert verify(cm).faults == ()
        with try_lock(cm) or pytest.fail("a dead writer holds the lock") as lock:
            collect(cm, [tree_id(1)], newest=1, held=lock)
        assert verify(cm).unreferenced == ()
        assert not list(Path(cm).rglob(".tmp*"))
    assert len(seen) > rounds


def test_a_writer_killed_at_a_random_moment_leaves_the_last_good_snapshot(tmp_path: Path) -> None:
    kill_at_random_moments(str(tmp_path / "cm"), 6, 11)


@pytest.mark.real
def test_a_writer_killed_at_200_random_moments_leaves_the_last_good_snapshot(tmp_path: Path) -> None:
    kill_at_random_moments(str(tmp_path / "cm"), 200, 12)


def attempt(cm: str, number: int, blobs: int = 2) -> CmgitError | None:
    """Write, publish and name a snapshot; the stated failure, if it failed."""
    try:
        manifest = manifest_of(SegmentStore(cm), tree_id(1), [range(number, number + blobs)], [number])
        set_head(cm, f"w{number}", publish(cm, manifest))
    except CmgitError as error:
        return error
    return None


class Failing:
    """Lets the n-th call that may meet a full disk fail, and counts them."""

    def __init__(self, patch: pytest.MonkeyPatch, number: int, code: int) -> None:
        self.left, self.code, self.fired = number, code, ""
        writer = lance_file().LanceFileWriter
        for owner, name in (
            (os, "write"), (os, "fsync"), (os, "replace"), (os, "mkdir"), (writer, "write_batch"), (writer, "close"),
        ):  # fmt: skip
            patch.setattr(owner, name, self.wrap(getattr(owner, name), name))

    def wrap(self, real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                self.fired = name
                if name in {"write_batch", "close"}:
                    raise OSError(f"LanceError(IO): {os.strerror(self.code)} (os error {self.code})")
                raise OSError(self.code, os.strerror(self.code))
            return real(*args, **kwargs)

        return call


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_fails_at_any_step_loses_nothing_and_leaves_nothing(tmp_path: Path, code: int) -> None:
    cm = str(tmp_path / "cm")
    small_store(cm, 1)
    fired: list[str] = []
    for number in range(1, 60):
        with pytest.MonkeyPatch.context() as patch:
            disk = Failing(patch, number, code)
            stated = attempt(cm, number)
        if not disk.fired:
            assert stated is None
            break
        assert stated is not None, f"a failing {disk.fired} was swallowed"
        assert stated.hint
        fired.append(disk.fired)
        assert not list((tmp_path / "cm").rglob(".tmp*")), disk.fired
        check_answers(cm)
    else:
        pytest.fail("more steps than expected")
    assert set(fired) == {"write", "fsync", "replace", "mkdir", "write_batch", "close"}
    assert verify(cm).ok


def test_a_segment_larger_than_the_system_allows_is_a_stated_failure(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    first = small_store(cm, 1)[0]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(CmgitError, match="no space"):
            SegmentStore(cm).write_facts("r", facts_items(1, 200))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert load(cm, tree_id(1), RECIPES.snapshot) == first
    assert not list((tmp_path / "cm").rglob(".tmp*"))
    assert verify(cm).ok


@pytest.mark.real
def test_a_store_on_a_file_system_that_fills_keeps_its_last_good_snapshot(tmp_path: Path) -> None:
    """sourcegraph/sourcegraph-public-snapshot#19541, on a tmpfs of 3 MB: 200 commits, and one that is too large."""
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("tmpfs cannot be mounted here")
    cm = str(tmp_path / "cm")
    try:
        refused = 0
        for turn in range(200):
            stated = attempt(cm, turn, 90)
            if stated is not None:
                refused += 1
                assert "no space" in stated.message
                assert not list((tmp_path / "cm").rglob(".tmp*"))
                collect(cm, [tree_id(1)], newest=1)
            check_answers(cm)
        assert refused
        assert verify(cm).ok
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@pytest.fixture
def closed_store() -> Iterator[str]:
    """A store that this user may read and not write. Root may write everywhere, so it becomes somebody else."""
    base = Path(tempfile.mkdtemp())
    small_store(str(base / "cm"), 2)
    folders = [base, *(path for path in base.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield str(base / "cm")
    finally:
        os.seteuid(was)
        for folder in folders:
            folder.chmod(0o755)
        shutil.rmtree(base)


def test_a_store_in_a_closed_folder_is_read_verified_and_not_written(closed_store: str) -> None:
    """openai/codex#27418: the git directory of a sandboxed agent is read-only."""
    lance_file()
    manifest = check_answers(closed_store)
    assert verify(closed_store).ok
    for attempt in (
        lambda: try_lock(closed_store),
        lambda: SegmentStore(closed_store).write_facts("r", facts_items(1, 2)),
        lambda: publish(closed_store, manifest),
        lambda: set_head(closed_store, "main", manifest),
        lambda: collect(closed_store, []),
    ):
        with pytest.raises(CmgitError, match="permission") as caught:
            attempt()
        assert caught.value.hint
    assert len(published(closed_store)) == 2


def test_readers_meet_no_error_while_builders_publish_and_collect(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    publish(cm, manifest_of(SegmentStore(cm), tree_id(1), [[0, 1]], [0, 1]))
    args = [sys.executable, "-c", WRITER, cm, *FOLDERS]
    writers = [subprocess.Popen([*args, str(turn)], stdout=subprocess.PIPE, text=True) for turn in (0, 300)]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        started, generations = time.monotonic(), set()
        while time.monotonic() - started < (2.5 if len(generations) > 2 else 120):
            generations.add(check_answers(cm).generation)
        assert [writer.poll() for writer in writers] == [None, None]
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert len(generations) > 2


def test_an_atomic_write_replaces_or_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "deep" / "er" / "file"
    write_atomic(target, b"one")
    write_atomic(target, b"two")
    assert target.read_bytes() == b"two"
    monkeypatch.setattr(
        atomic, "_write_synced", lambda path, data: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full"))
    )
    with pytest.raises(CmgitError, match="no space") as caught:
        write_atomic(target, b"three")
    assert "git cm gc" in caught.value.hint
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_the_format_is_written_once(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    ensure_format(cm)
    before = (tmp_path / "cm" / "format").stat().st_mtime_ns
    ensure_format(cm)
    assert (tmp_path / "cm" / "format").stat().st_mtime_ns == before
    assert replace(manifest_of(SegmentStore(cm), tree_id(1), [[1]], [1]), generation=3).generation == 3
