"""What each entry point loads: every module is paid for at each start, and one that is not needed comes back easily."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

FILES = {
    "src/retry.ts": "import { wait } from './wait'\nexport function retryDelay(n: number) { return wait(n) * 2 }\n",
    "src/wait.ts": "/** Waits for a while. */\nexport function wait(n: number) { return n }\n",
    "test/retry.test.ts": "import { retryDelay } from '../src/retry'\ntest('delay', () => retryDelay(1))\n",
}
LIBRARIES = ("lance", "pyarrow", "numpy", "zstandard", "onnxruntime", "onnx", "tokenizers", "tree_sitter", "click")
NEVER = {"numpy.ma", "numpy.random", "numpy.fft", "pandas", "socket", "shutil", "subprocess", "asyncio", "unittest"}
PROBE = """
import json, os, sys
sys.argv = ["git-cm", *sys.argv[1:]]
import cmgit.cli.boundary as boundary
def leave(code):
    sys.stdout = sys.__stdout__
    os.write(1, json.dumps([code, sorted(sys.modules)]).encode())
    os._exit(0)
boundary.leave = leave
from cmgit.cli.start import entry
sys.stdout = open(os.devnull, "w")
entry()
"""


@pytest.fixture
def indexed(repo: GitRepo, cm: Cm) -> GitRepo:
    repo.commit(FILES)
    cm(repo.path, "index", "--no-vectors").ok()
    return repo


def loaded(cwd: Path, *args: str) -> set[str]:
    env = {**os.environ, "CMGIT_SERVE": "off"}
    command = [sys.executable, "-c", PROBE, *args]
    done = subprocess.run(command, cwd=cwd, capture_output=True, timeout=120, env=env, check=False)
    assert done.returncode == 0, done.stderr.decode()
    code, modules = json.loads(done.stdout)
    assert code == 0, done.stderr.decode()
    return set(modules)


def heavy(modules: set[str]) -> set[str]:
    return modules & set(LIBRARIES)


@pytest.mark.parametrize(
    ("args", "libraries"),
    [
        (("retrieve", "change retryDelay"), {"numpy", "zstandard"}),
        (("retrieve", "--no-vectors", "--route", "search", "wait a while"), {"numpy", "zstandard"}),
        (("search", "--no-vectors", "wait a while"), {"numpy", "zstandard"}),
        (("symbols", "src/retry.ts"), {"numpy", "zstandard", "click"}),
        (("callers", "wait"), {"numpy", "zstandard", "click"}),
        (("--version",), {"click"}),
        (("--help",), {"click"}),
    ],
)
def test_a_clean_tree_is_answered_from_without_parser_model_lance_or_arrow(
    indexed: GitRepo, args: tuple[str, ...], libraries: set[str]
) -> None:
    modules = loaded(indexed.path, *args)
    assert heavy(modules) == libraries
    if not args[0].startswith("--"):  # click and importlib.metadata load some of them for help and version
        assert modules & NEVER == set()


def test_a_clean_tree_loads_neither_extractor_nor_linker(indexed: GitRepo) -> None:
    modules = loaded(indexed.path, "retrieve", "change retryDelay")
    code = {name for name in modules if name.startswith(("cmgit.extract.", "cmgit.link."))}
    assert code <= {"cmgit.extract.recipe", "cmgit.link.recipe"}
    assert not modules & {"cmgit.index.build", "cmgit.index.blobs", "cmgit.embed.wordpiece"}


def test_the_named_route_loads_no_more_modules_than_it_did(indexed: GitRepo) -> None:
    """Raise the number only for what an answer needs: each module costs 0.2 to 1 ms at every start."""
    modules = loaded(indexed.path, "retrieve", "change retryDelay")
    assert len([name for name in modules if name.startswith("cmgit.")]) <= MOST_MODULES


MOST_MODULES = 117
