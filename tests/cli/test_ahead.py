"""A search's vector comes from a process of its own, and is the one that the command would make."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

FILES = {
    "src/retry.ts": "/** Waits longer after each failure. */\nexport function retryDelay(n: number) { return n * 2 }\n",
    "src/paint.ts": "/** Fills a rectangle with a colour. */\nexport function paint(c: string) { return c }\n",
}
WORDS = "which code waits longer after each failure"

PROBE = """
import json, os, sys
sys.argv = ["git-cm", *sys.argv[1:]]
if os.environ.get("CORES"):
    os.sched_getaffinity = lambda _: set(range(int(os.environ["CORES"])))
seen = {"forks": 0, "children": [], "given": 0}
fork, kill = os.fork, os.kill
def count_fork():
    seen["forks"] += 1
    assert "numpy" not in sys.modules
    child = fork()
    if child:
        seen["children"].append(child)
    elif os.environ.get("BROKEN") == "die":
        os._exit(0)
    elif os.environ.get("BROKEN") == "half":
        from cmgit.cli import ahead
        os.close(1)
        os.write(max(int(fd) for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)), b"half")
        os._exit(0)
    return child
os.fork = count_fork
import cmgit.cli.boundary as boundary
def leave(code):
    sys.stdout.flush()
    gone = []
    for child in seen["children"]:
        try:
            os.kill(child, 0)
            gone.append(False)
        except ProcessLookupError:
            gone.append(True)
    loaded = "onnxruntime" in sys.modules
    os.write(2, json.dumps([code, seen["forks"], gone, loaded]).encode())
    os._exit(0)
boundary.leave = leave
from cmgit.cli.start import entry
entry()
"""


@pytest.fixture
def indexed(repo: GitRepo, cm: Cm) -> GitRepo:
    repo.commit(FILES)
    cm(repo.path, "index").ok()
    return repo


def run(cwd: Path, *args: str, **env: str) -> tuple[bytes, int, list[bool], bool]:
    """What the command printed; how many children it forked, whether each is gone, whether it loaded the runtime."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        cwd=cwd,
        capture_output=True,
        timeout=120,
        env={**os.environ, "CMGIT_SERVE": "off", **env},
        check=False,
    )
    code, forks, gone, loaded = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr.decode()
    return done.stdout, forks, gone, loaded


def scores(printed: bytes) -> list[object]:
    return [(found["path"], found["name"], found["score"]) for found in json.loads(printed)["results"]]


def test_a_search_asks_a_child_for_its_vector_and_loads_no_runtime(indexed: GitRepo) -> None:
    printed, forks, gone, loaded = run(indexed.path, "search", "--json", WORDS, CORES="2")
    assert (forks, gone, loaded) == (1, [True], False)
    alone, forks, _, loaded = run(indexed.path, "search", "--json", WORDS, CORES="1")
    assert (forks, loaded) == (0, True)
    assert scores(printed) == scores(alone)


@pytest.mark.parametrize("broken", ["die", "half"])
def test_where_the_child_gives_no_vector_it_is_made_here(indexed: GitRepo, broken: str) -> None:
    printed, forks, gone, loaded = run(indexed.path, "search", "--json", WORDS, CORES="2", BROKEN=broken)
    assert (forks, gone, loaded) == (1, [True], True)
    alone, *_ = run(indexed.path, "search", "--json", WORDS, CORES="1")
    assert scores(printed) == scores(alone)


@pytest.mark.parametrize(
    "args",
    [
        ("retrieve", "change retryDelay"),
        ("retrieve", "what does src/paint.ts do"),
        ("retrieve", "--no-vectors", WORDS),
        ("retrieve", "--route", "named", WORDS),
        ("search", "--no-vectors", WORDS),
    ],
)
def test_what_needs_no_vector_forks_nothing(indexed: GitRepo, args: tuple[str, ...]) -> None:
    _, forks, _, loaded = run(indexed.path, *args, CORES="2")
    assert (forks, loaded) == (0, False)


def test_a_prompt_in_words_is_answered_alike_with_and_without_a_child(indexed: GitRepo) -> None:
    with_child, forks, gone, _ = run(indexed.path, "retrieve", WORDS, CORES="2")
    alone, none, _, _ = run(indexed.path, "retrieve", WORDS, CORES="1")
    assert (forks, gone, none) == (1, [True], 0)
    assert b"retryDelay" in with_child
    assert with_child == alone


def test_an_unknown_revision_leaves_no_child(indexed: GitRepo) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "search", "--rev", "nowhere", WORDS],
        cwd=indexed.path,
        capture_output=True,
        timeout=120,
        env={**os.environ, "CMGIT_SERVE": "off", "CORES": "2"},
        check=False,
    )
    code, _, gone, _ = json.loads(done.stderr.splitlines()[-1])
    assert (code, gone) == (1, [True])
