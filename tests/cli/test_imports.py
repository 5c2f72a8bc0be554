"""Which modules an entry point loads, in a process of its own: a cold start is paid at every prompt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import Cm, GitRepo

HEAVY = ("lance", "onnxruntime", "pygit2", "numpy", "pyarrow", "tokenizers", "tree_sitter", "onnx", "zstandard")

PROBE = """
import json, os, sys
from cmgit.cli.boundary import run_guarded
from cmgit.cli.main import cli
out, sys.stdout = sys.stdout, open(os.devnull, "w")
code = run_guarded(lambda: cli.main(args=sys.argv[1:], prog_name="git-cm", standalone_mode=False))
json.dump([code, sorted(sys.modules)], out)
"""


def modules_of(cwd: Path, *args: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *args], cwd=cwd, capture_output=True, check=True, timeout=120)
    code, loaded = json.loads(done.stdout)
    assert code == 0, done.stderr.decode()
    return set(loaded)


def test_help_loads_no_heavy_library(tmp_path: Path) -> None:
    assert not modules_of(tmp_path, "--help") & set(HEAVY)


def test_version_loads_no_heavy_library(tmp_path: Path) -> None:
    assert not modules_of(tmp_path, "--version") & set(HEAVY)


def test_named_route_loads_no_model_no_parser_and_neither_lance_nor_arrow(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "export function retryDelay(n: number) { return n * 2 }\nretryDelay(1)\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    loaded = modules_of(repo.path, "retrieve", "--json", "change retryDelay")
    assert not loaded & {"onnxruntime", "tokenizers", "pygit2", "onnx", "tree_sitter", "subprocess"}
    assert not loaded & {"lance", "lance.file", "pyarrow"}


def test_direct_route_opens_no_index(repo: GitRepo) -> None:
    repo.commit({"a.ts": "export const limit = 3\n"})
    loaded = modules_of(repo.path, "retrieve", "--json", "raise the limit in a.ts")
    assert not loaded & {"lance.file", "pyarrow", "onnxruntime", "pygit2"}
    assert not (repo.path / ".git" / "cm").exists()
