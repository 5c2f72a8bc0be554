"""What the hook loads: every prompt of a session pays for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from cmgit.agents.where import find
from cmgit.cli import runtime
from cmgit.view import resident
from tests.agents.conftest import index
from tests.conftest import GitRepo
from tests.serve.conftest import run_dir as run_dir
from tests.serve.conftest import start

PROBE = """
import json, os, sys
out = os.dup(1)
before = set(sys.modules)
def leave(code):
    os.write(out, json.dumps([code, sorted(set(sys.modules) - before)]).encode())
    os.kill(os.getpid(), 9)
os._exit = leave
from cmgit.cli.agent_hook import dispatch
dispatch(["claude"])
"""

COSTLY = {
    "typing",
    "dataclasses",
    "inspect",
    "subprocess",
    "socket",
    "pathlib",
    "click",
    "numpy",
    "threading",
    "hashlib",
}
"""Each costs between 2 and 80 ms; bare Python is there in 12."""


def modules_for(folder: Path, prompt: str, **env: str) -> tuple[set[str], bytes]:
    payload = json.dumps({"hook_event_name": "UserPromptSubmit", "cwd": str(folder), "prompt": prompt}).encode()
    done = subprocess.run(
        [sys.executable, "-c", PROBE], input=payload, env={**os.environ, **env}, capture_output=True, check=False
    )
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    return set(loaded), done.stdout


def test_a_prompt_without_an_answer_loads_next_to_nothing(repo: GitRepo) -> None:
    repo.commit({"a.ts": "export const a = 1\n"})
    loaded, _ = modules_for(repo.path, "thanks, looks good")
    assert not loaded & COSTLY
    assert not any(name.startswith(("cmgit.git", "cmgit.retrieve", "cmgit.view")) for name in loaded)


def test_an_answer_of_the_reader_loads_no_numpy_and_no_command_line(repo: GitRepo, run_dir: Path) -> None:
    repo.commit({"a.ts": "export function retryDelay(n: number) {\n  return n * 2\n}\n"})
    repo.git("config", "cm.vectors", "false")
    index(repo.path)
    start(repo.path)
    loaded, said = modules_for(repo.path, "how does `retryDelay` grow?", CMGIT_HOOK_SECONDS="60")
    assert b"return n * 2" in said
    assert not loaded & (COSTLY - {"typing"})
    assert not any(name.startswith("cmgit.retrieve") for name in loaded)


def test_the_reader_and_the_hook_alone_print_the_same_bytes(repo: GitRepo, run_dir: Path) -> None:
    repo.commit({"a.ts": "export function retryDelay(n: number) {\n  return n * 2\n}\n", "b.ts": "import './a'\n"})
    repo.git("config", "cm.vectors", "false")
    index(repo.path)
    start(repo.path)
    where = find(str(repo.path))
    assert where is not None
    for prompt in ("how does `retryDelay` grow?", "the delay before a retry doubles", "a.ts", "explain monads to me"):
        payload = json.dumps({"hook_event_name": "UserPromptSubmit", "cwd": str(repo.path), "prompt": prompt}).encode()
        answers = []
        for serve in ("on", "off"):
            env = {**os.environ, "CMGIT_SERVE": serve, "CMGIT_HOOK_SECONDS": "60"}
            answers.append(
                subprocess.run(
                    [sys.executable, "-m", "cmgit.cli.agent_hook", "claude"],
                    input=payload, env=env, capture_output=True, check=True,
                ).stdout
            )  # fmt: skip
        assert answers[0] == answers[1], prompt
    assert resident.ask(resident.socket_path(where.git_dir, runtime.runtime_dir()), {"op": "ping"}, 5) is not None
    log = (repo.path / ".git/cm/agent.log").read_text()
    assert "(reader)" in log
    assert "(cold)" in log


def test_a_child_that_is_forked_early_ends_when_the_hook_asks_nothing(repo: GitRepo) -> None:
    """The context is switched off: the child was begun before the hook knew, and must neither answer nor stay."""
    repo.commit({"a.ts": "export function splitAmount(n: number) { return n }\n"})
    index(repo.path, "--no-vectors")
    repo.git("config", "cm.context", "off")
    alive, stays = os.pipe()  # whoever holds the writing end is alive
    payload = {"hook_event_name": "UserPromptSubmit", "cwd": str(repo.path), "prompt": "why does `splitAmount` throw?"}
    done = subprocess.Popen(
        [sys.executable, "-m", "cmgit.cli.agent_hook", "claude"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "CMGIT_SERVE": "off"},
        pass_fds=(stays,),
    )
    os.close(stays)
    said, _ = done.communicate(json.dumps(payload).encode(), timeout=60)
    assert said == b""
    with os.fdopen(alive, "rb") as file:
        assert file.read() == b""  # at its end: the hook and its child are gone
    assert "switched off" in (repo.path / ".git/cm/agent.log").read_text()
