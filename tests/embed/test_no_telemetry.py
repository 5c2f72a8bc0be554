"""Loading the model opens no connection and leaves nothing outside the folder that it was given."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import GitRepo

EMBED = "import sys; from cmgit.embed.model import load_model; print(load_model(sys.argv[1]).embed('retry')[0])"


def test_embedding_writes_nothing_into_the_home_folder(tmp_path: Path, repo: GitRepo) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")} | {"HOME": str(home)}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", EMBED, str(cache)], env=env, check=True, timeout=120, capture_output=True)
    assert [*home.rglob("*")] == []
    assert {path.relative_to(cache).parts[0] for path in cache.rglob("*")} == {"models"}


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace tells what a process asks of the network")
def test_embedding_opens_no_socket(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    cache = Path(os.environ["XDG_CACHE_HOME"]) / "cmgit"
    call = ["strace", "-f", "-o", str(trace), "-e", "trace=socket,connect", sys.executable, "-c", EMBED, str(cache)]
    done = subprocess.run(call, timeout=120, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("strace may not trace here")
    assert not [line for line in trace.read_text().splitlines() if "AF_INET" in line]
