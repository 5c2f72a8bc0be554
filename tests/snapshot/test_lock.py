"""One builder at a time, and none that a dead one keeps out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cmgit.core.errors import CmgitError
from cmgit.snapshot.lock import LockOwner, lock_owner, try_lock, wait_lock

HOLD = """
import sys
from cmgit.snapshot.lock import try_lock
lock = try_lock(sys.argv[1], "a long build")
print(lock is not None, flush=True)
sys.stdin.read()
"""


def holder(cm: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, cm], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def test_the_second_builder_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    with holder(cm) as process:
        assert try_lock(cm) is None
        owner = lock_owner(cm)
        assert owner is not None
        assert (owner.pid, owner.purpose) == (process.pid, "a long build")
        told: list[LockOwner | None] = []
        assert wait_lock(cm, waiting=told.append, timeout=0.1, pause=0.01) is None
        assert told == [owner]
        assert process.stdin is not None
        process.stdin.close()
    with try_lock(cm) or pytest.fail("still locked"):
        pass
    assert lock_owner(cm) is None


def test_a_lock_vanishes_with_a_killed_process(tmp_path: Path) -> None:
    """BeaconBay/ck#150: kill the lock owner; no process id is asked, so a reused one does no harm."""
    cm = str(tmp_path / "cm")
    with holder(cm) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        lock = wait_lock(cm, timeout=120, pause=0.01)
        assert lock is not None
        lock.close()


def test_a_waiter_gets_the_lock_when_it_is_given_up(tmp_path: Path) -> None:
    cm = str(tmp_path / "cm")
    lock = try_lock(cm)
    assert lock is not None
    threading.Timer(0.1, lock.close).start()
    with wait_lock(cm, timeout=120, pause=0.01) or pytest.fail("never free"):
        assert try_lock(cm) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")
def test_a_folder_that_cannot_be_written_is_a_stated_failure(tmp_path: Path) -> None:
    (tmp_path / "cm").write_text("a file in the way")
    with pytest.raises(CmgitError) as caught:
        try_lock(str(tmp_path / "cm"))
    assert caught.value.hint
