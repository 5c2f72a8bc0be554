"""kill -9 in whole builds, vectors and workers included: readers go on, the next build finishes the work."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from examples.shop_repo import build_shop_repository
from tests.conftest import Cm, GitRepo

PROMPT = "where are prices rounded"


def start_build(top: Path) -> subprocess.Popen[bytes]:
    command = [str(Path(sys.executable).with_name("git-cm")), "index"]
    return subprocess.Popen(
        command, cwd=top, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def kill_builds(tmp_path: Path, cm: Cm, rounds: int, seed: int) -> int:
    """Kill first builds and later ones at random moments; gives how often work was found that a killed build left."""
    build_shop_repository(tmp_path / "shop")
    repo = GitRepo(tmp_path / "shop")
    repo.git("config", "gc.auto", "0")
    cold = GitRepo(tmp_path / "cold")
    cold.git("pull", "-q", str(repo.path), "main")
    started = time.monotonic()
    whole = cm(cold.path, "index", "--json").json
    seconds = time.monotonic() - started
    units = cm(cold.path, "export", "--units").out
    found = cm(cold.path, "search", "--json", PROMPT).json["results"]
    rng, resumed = random.Random(seed), 0
    for number in range(rounds):
        if number % 4 == 0:
            for path in sorted((repo.path / ".git/cm").rglob("*"), reverse=True):
                path.unlink() if path.is_file() else path.rmdir()
        build = start_build(repo.path)
        if number % 4 == 3:  # this one at a known moment, so that there is work to be found whatever the machine does
            while build.poll() is None and not cm(repo.path, "status", "--json").json.get("vectors"):
                time.sleep(0.02)
        else:
            time.sleep(rng.uniform(0.2, 1.5 * seconds + 1.0))
        with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
            os.killpg(build.pid, signal.SIGKILL)
        build.wait()
        assert cm(repo.path, "verify", "--json").json["faults"] == []
        if number % 4 == 3:
            assert cm(repo.path, "export", "--units").out == units
            report = cm(repo.path, "index", "--json").json
            resumed += report["embedded"] < whole["embedded"]
            assert report["vectors"] == whole["vectors"]
            assert report["pending"] == {"files": 0, "vectors": 0}
            assert cm(repo.path, "search", "--json", PROMPT).json["results"] == found
    cm(repo.path, "gc").ok()
    assert cm(repo.path, "verify", "--json").json["faults"] == []
    assert not list((repo.path / ".git/cm").rglob(".tmp*"))
    return resumed


def test_killed_builds_leave_a_store_that_the_next_one_completes(cm: Cm, tmp_path: Path) -> None:
    assert kill_builds(tmp_path, cm, 4, 3) == 1


@pytest.mark.real
def test_forty_killed_builds_leave_a_store_that_the_next_one_completes(cm: Cm, tmp_path: Path) -> None:
    assert kill_builds(tmp_path, cm, 40, 4) == 10
