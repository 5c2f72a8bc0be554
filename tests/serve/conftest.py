"""A runtime folder of its own for each test, and readers that end with it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cmgit.cli import runtime
from cmgit.git.locate import locate
from cmgit.view import resident
from tests.conftest import GitRepo

SHOP = {
    "src/money.ts": "export function splitAmount(total: number, parts: number) {\n  return total / parts\n}\n",
    "src/cart.ts": (
        "import { splitAmount } from './money'\n\n"
        "/** Divides what a cart costs among its guests. */\n"
        "export function shareCart(total: number) {\n  return splitAmount(total, 2)\n}\n"
    ),
    "src/deep/pay.ts": "import { shareCart } from '../cart'\nexport class Till {\n  pay() { return shareCart(9) }\n}\n",
}


HANG = 120.0
"""Seconds that nothing takes, however busy the machine is."""


@pytest.fixture
def shop(repo: GitRepo) -> GitRepo:
    repo.commit(SHOP)
    return repo


@pytest.fixture(autouse=True)
def run_dir(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of sockets. Short: a socket's path may have some hundred bytes."""
    folder = Path(tempfile.mkdtemp(prefix="cm-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("CMGIT_SERVE", raising=False)
    monkeypatch.setattr("cmgit.cli.serve.START_SECONDS", HANG)
    monkeypatch.setattr("cmgit.cli.serve.ASK_SECONDS", HANG)
    yield folder / "cmgit"
    for socket in (folder / "cmgit").glob("*.sock"):
        resident.ask(str(socket), {"op": "stop"}, HANG)
        until(lambda path=socket: not runtime.is_taken(str(path)))  # type: ignore[misc]
    shutil.rmtree(folder, ignore_errors=True)


def until(true: Callable[[], object], seconds: float = HANG) -> Any:
    """Wait for something, and give it."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found


def socket_of(folder: Path) -> str:
    return resident.socket_path(locate(str(folder)).git_dir, runtime.runtime_dir())


def ask(folder: Path, seconds: float = HANG, **request: object) -> Any:
    """A whole reply of the reader of this worktree."""
    return resident.exchange(socket_of(folder), {"version": runtime.version(), **request}, seconds)


def start(folder: Path) -> int:
    """Start the reader of a worktree as hooks do, wait until it has a view, and give its process."""
    location = locate(str(folder))
    runtime.start_reader(location)

    def ready() -> Any:
        reply = ask(folder, 2.0, op="ping")
        if reply is not None and "refused" in reply:  # its own files were replaced: somebody works on them
            runtime.start_reader(location)
            return None
        return reply and reply["answer"]["view"] and reply["answer"]

    return int(until(ready)["pid"])


def is_running(pid: int) -> bool:
    """The process is there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
