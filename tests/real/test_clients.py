"""Real clients from npm with cmgit installed and a scripted model: what the model is shown, and what works after."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepo
from tests.real.clients import Agent
from tests.real.scripted import DONE, ScriptedModel, texts_of

pytestmark = pytest.mark.real

RETRY = """\
// How long to wait before the next attempt, in milliseconds.
const LIMIT = 30000

export function retryDelay(attempt, base = 250) {
  if (attempt < 0) throw new RangeError('attempt')
  const delay = Math.min(LIMIT, base * 2 ** attempt)
  return delay + jitter(delay)
}

function jitter(delay) {
  return Math.floor(Math.random() * delay * 0.1)
}

export function isRetryable(status) {
  return status === 429 || status >= 500
}
"""
CLIENT = """\
import { retryDelay, isRetryable } from './retry.js'

export async function request(url, options = {}) {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, options)
    if (!isRetryable(response.status) || attempt === 5) return response
    await new Promise(done => setTimeout(done, retryDelay(attempt)))
  }
}
"""
FILLER = {
    f"src/part{n}.js": f"export function part{n}(value) {{\n  return value + {n}\n}}\n\nexport const size{n} = {n}\n"
    for n in range(12)
}
PROMPT = "retryDelay waits too long: its limit should be 20 seconds"
OLD, NEW = "const LIMIT = 30000", "const LIMIT = 20000"

# Claude Code lets newer models edit a file that was not read, and older ones not.
OLD_MODEL, NEW_MODEL = "claude-haiku-4-5", "claude-opus-4-8"


@pytest.fixture
def repository(repo: GitRepo) -> GitRepo:
    repo.commit({"src/retry.js": RETRY, "src/client.js": CLIENT, **FILLER})
    return repo


@pytest.fixture(params=["reader", "cold"])
def reader(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "reader")


@pytest.fixture
def agent_home(tmp_path: Path) -> Path:
    return tmp_path / "agent"


def started(name: str, repository: GitRepo, home: Path, model: ScriptedModel, reader: bool) -> Iterator[Agent]:
    agent = Agent(name, home, repository.path, model, reader)
    agent.cm("index")
    agent.cm("install", name, "--yes")
    if reader:
        agent.cm("serve", "--background")
    yield agent
    if reader:
        agent.cm("serve", "--stop")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(prompt=PROMPT, mark="SUBTASK") as model:
        yield model


@pytest.fixture(params=["claude", "codex", "dsh", "opencode"])
def agent(
    request: pytest.FixtureRequest, repository: GitRepo, agent_home: Path, model: ScriptedModel, reader: bool
) -> Iterator[Agent]:
    yield from started(request.param, repository, agent_home, model, reader)


@pytest.fixture
def claude(repository: GitRepo, agent_home: Path, model: ScriptedModel, reader: bool) -> Iterator[Agent]:
    yield from started("claude", repository, agent_home, model, reader)


@pytest.fixture
def dsh(repository: GitRepo, agent_home: Path, model: ScriptedModel, reader: bool) -> Iterator[Agent]:
    yield from started("dsh", repository, agent_home, model, reader)


@pytest.fixture
def codex(repository: GitRepo, agent_home: Path, model: ScriptedModel, reader: bool) -> Iterator[Agent]:
    yield from started("codex", repository, agent_home, model, reader)


def disk(repository: GitRepo, path: str) -> str:
    return (repository.path / path).read_text()


def times_shown(text: str) -> int:
    return text.count("export function retryDelay(attempt, base = 250) {")


def answered(agent: Agent) -> list[str]:
    """How each prompt was answered, by the hook's own log."""
    lines = [line for line in agent.log().splitlines() if re.search(r" (prompt|subagent_start) ", line)]
    return re.findall(r"\((reader|cold)\)", "\n".join(lines))


def test_the_first_request_holds_the_source_as_it_is_on_the_disk(agent: Agent, repository: GitRepo) -> None:
    agent.ask(PROMPT)
    first = agent.model.of("main")[0]
    assert disk(repository, "src/retry.js") in first.conversation
    assert first.conversation.count("Source of this repository that matches the prompt") == 1
    assert answered(agent) == ["reader" if agent.reader else "cold"]


def test_without_cmgit_the_first_request_holds_no_source(agent: Agent) -> None:
    agent.cm("uninstall", agent.name, "--yes")
    agent.ask(PROMPT)
    assert times_shown(agent.model.of("main")[0].text) == 0


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_second_prompt_repeats_nothing(
    name: str, repository: GitRepo, agent_home: Path, model: ScriptedModel, reader: bool
) -> None:
    for agent in started(name, repository, agent_home, model, reader):
        agent.ask(PROMPT)
        before = model.of("main")[-1]
        agent.ask("And does jitter in retryDelay keep below that limit?", again=True)
        after = model.of("main")[-1]
        assert "And does jitter in retryDelay" in after.conversation
        assert times_shown(before.conversation) == times_shown(after.conversation) == 1
        # Nothing that was sent is rewritten: the provider's cache keeps what it holds.
        assert disk(repository, "src/retry.js") in after.conversation


def result_of_read(agent: Agent) -> str:
    """What the model was given as the result of its first tool call."""
    for message in agent.model.of("main")[1].body["messages"]:
        if message["role"] == "tool":
            return "\n".join(texts_of(message["content"]))
        for block in message["content"]:
            if isinstance(block, dict) and block["type"] == "tool_result":
                return "\n".join(texts_of(block["content"]))
    raise AssertionError("no tool gave a result")


@pytest.mark.parametrize("model_name", [OLD_MODEL, NEW_MODEL])
def test_claude_reads_a_shown_file_in_short_and_edits_it_by_old_and_new_rules(
    claude: Agent, repository: GitRepo, model_name: str
) -> None:
    path = str(repository.path / "src/retry.js")
    claude.model.play(
        [
            {"tool": "Read", "input": {"file_path": path}},
            {"tool": "Edit", "input": {"file_path": path, "old_string": OLD, "new_string": NEW}},
            DONE,
        ]
    )
    claude.ask(PROMPT, model=model_name)
    assert claude.model.of("main")[0].body["model"].startswith(model_name)
    assert "stands whole and unchanged" in result_of_read(claude)
    assert "jitter" not in result_of_read(claude)
    assert disk(repository, "src/retry.js") == RETRY.replace(OLD, NEW)


def test_claude_edits_a_shown_file_at_once_by_new_rules_only(claude: Agent, repository: GitRepo) -> None:
    path = str(repository.path / "src/retry.js")
    edit = {"tool": "Edit", "input": {"file_path": path, "old_string": OLD, "new_string": NEW}}
    claude.model.play([edit, DONE])
    claude.ask(PROMPT, model=OLD_MODEL)
    assert disk(repository, "src/retry.js") == RETRY
    assert "has not been read yet" in claude.model.of("main")[1].conversation
    claude.model.play([edit, DONE])
    claude.ask(PROMPT, model=NEW_MODEL)
    assert disk(repository, "src/retry.js") == RETRY.replace(OLD, NEW)


def test_claude_reads_a_file_again_in_full_when_it_asks_twice(claude: Agent, repository: GitRepo) -> None:
    read = {"tool": "Read", "input": {"file_path": str(repository.path / "src/retry.js"), "offset": 1, "limit": 16}}
    claude.model.play([{"tool": "Read", "input": {"file_path": read["input"]["file_path"]}}, read, DONE])  # type: ignore[index]
    claude.ask(PROMPT)
    assert "function jitter" in str(claude.model.of("main")[2].body["messages"][-1])


def test_dsh_reads_a_shown_file_in_short_and_edits_it(dsh: Agent, repository: GitRepo) -> None:
    edit = {"file_path": "src/retry.js", "old_string": OLD, "new_string": NEW}
    dsh.model.play([{"tool": "read", "input": {"file_path": "src/retry.js"}}, {"tool": "edit", "input": edit}, DONE])
    dsh.ask(PROMPT)
    assert "stands whole and unchanged" in result_of_read(dsh)
    assert disk(repository, "src/retry.js") == RETRY.replace(OLD, NEW)


@pytest.fixture
def opencode(repository: GitRepo, agent_home: Path, model: ScriptedModel, reader: bool) -> Iterator[Agent]:
    yield from started("opencode", repository, agent_home, model, reader)


def test_opencode_reads_a_shown_file_in_short_and_edits_it(opencode: Agent, repository: GitRepo) -> None:
    path = str(repository.path / "src/retry.js")
    edit = {"filePath": path, "oldString": OLD, "newString": NEW}
    opencode.model.play([{"tool": "read", "input": {"filePath": path}}, {"tool": "edit", "input": edit}, DONE])
    opencode.ask(PROMPT)
    assert "stands whole and unchanged" in result_of_read(opencode)
    assert disk(repository, "src/retry.js") == RETRY.replace(OLD, NEW)


def test_dsh_edits_a_shown_file_at_once_and_no_other(dsh: Agent, repository: GitRepo) -> None:
    shown = {"file_path": "src/retry.js", "old_string": OLD, "new_string": NEW}
    other = {"file_path": "src/part3.js", "old_string": "value + 3", "new_string": "value + 4"}
    dsh.model.play([{"tool": "edit", "input": other}, {"tool": "edit", "input": shown}, DONE])
    dsh.ask(PROMPT)
    assert disk(repository, "src/part3.js") == FILLER["src/part3.js"]
    assert "requires reading" in dsh.model.of("main")[1].conversation
    assert disk(repository, "src/retry.js") == RETRY.replace(OLD, NEW)


def test_dsh_has_the_tool_on_demand(dsh: Agent, repository: GitRepo) -> None:
    dsh.model.play([{"tool": "cm_retrieve_context", "input": {"prompt": "part7"}}, DONE])
    dsh.ask(PROMPT)
    assert disk(repository, "src/part7.js").split("\n\n")[0] in dsh.model.of("main")[1].conversation


SUBTASK = "SUBTASK: part5 must add 6"


def wait_for_agent(body: dict[str, Any]) -> dict[str, Any]:
    """Codex answers a spawn with the agent's id; without a wait it ends before the agent has begun."""
    started = json.loads(body["input"][-1]["output"])
    return {"tool": "wait_agent", "namespace": "multi_agent_v1", "input": {"targets": [started["agent_id"]]}}


SUBAGENT: dict[str, list[Any]] = {
    "claude": [{"tool": "Agent", "input": {"description": "part", "prompt": SUBTASK, "run_in_background": False}}],
    "codex": [{"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": SUBTASK}}, wait_for_agent],
    "opencode": [{"tool": "task", "input": {"description": "part", "prompt": SUBTASK, "subagent_type": "general"}}],
    "dsh": [{"tool": "subagent", "input": {"description": "part", "prompt": SUBTASK, "run_in_background": False}}],
}


def test_a_subagent_gets_its_share(agent: Agent, repository: GitRepo) -> None:
    agent.model.play([*SUBAGENT[agent.name], DONE])
    agent.ask(PROMPT)
    subs = agent.model.of("sub")
    assert subs, "no request of a subagent came"
    assert "Source of this repository that matches the prompt" in subs[0].conversation
    if agent.name in ("dsh", "opencode"):  # the task of their subagents is known by then, in the others it is not
        assert disk(repository, "src/part5.js").split("\n\n")[0] in subs[0].conversation
    else:
        assert disk(repository, "src/retry.js") in subs[0].conversation


def test_codex_gives_text_of_any_script_in_full(codex: Agent, repository: GitRepo) -> None:
    words = "".join(f"  // Строка {n}: что здесь делается и почему именно так, а не иначе\n" for n in range(40))
    text = f"export function wideCheck(value) {{\n{words}  return value\n}}\n"
    repository.commit({"src/wide.js": text})
    codex.cm("index")
    codex.ask("wideCheck должна проверять число")
    assert text.rstrip() in codex.model.of("main")[0].conversation


def test_claudes_plugin_is_sound_and_its_hooks_are_those_of_the_installer(claude: Agent) -> None:
    folder = Path(__file__).parents[2] / "hooks" / "claude-plugin"
    done = subprocess.run(
        ["claude", "plugin", "validate", str(folder), "--strict"],
        env=claude.env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    settings = json.loads((claude.home / ".claude" / "settings.json").read_text())["hooks"]
    shape = [
        [
            (event, group.get("matcher"), group["hooks"][0]["timeout"])
            for event, groups in each.items()
            for group in groups
        ]
        for each in (hooks, settings)
    ]
    assert shape[0] == shape[1]
    assert os.access(claude.home / ".claude", os.W_OK)
