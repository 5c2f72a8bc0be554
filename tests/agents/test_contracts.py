"""Each client's contract: what is made of its payloads, and what exactly it is given back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cmgit.agents.events import COMPACT, PROMPT, READ_DONE, SESSION_START, SUBAGENT_START, Event
from cmgit.cli.agent_hook import CLIENTS

PAYLOADS = Path(__file__).with_name("payloads")
TEXT = 'Source …\n```js\nlet a = "б"\n```\n'

KINDS: dict[str, list[str | None]] = {
    "claude": [SESSION_START, PROMPT, READ_DONE, SUBAGENT_START],
    "codex": [SESSION_START, PROMPT, PROMPT, SUBAGENT_START],
    "dsh": [PROMPT, PROMPT, READ_DONE],
    "gemini": [SESSION_START, PROMPT, None],
    "opencode": [PROMPT, READ_DONE, COMPACT],
    "cursor": [SESSION_START, None],
    "copilot": [SESSION_START, SESSION_START, None],
    "vscode": [SESSION_START, None],
}


def payloads(client: str) -> list[dict[str, Any]]:
    value: list[dict[str, Any]] = json.loads((PAYLOADS / f"{client}.json").read_text())
    return value


def events(client: str) -> list[Event]:
    found = [import_module(f"cmgit.agents.{client}").parse(payload) for payload in payloads(client)]
    return [event for event in found if event is not None]


def event_of(client: str, kind: str) -> Event:
    return next(event for event in events(client) if event.kind == kind)


def reply(event: Event, text: str | None = TEXT) -> Mapping[str, Any] | None:
    value: Mapping[str, Any] | None = import_module(f"cmgit.agents.{event.client}").reply(event, text)
    return value


def test_every_client_has_payloads() -> None:
    assert set(KINDS) == set(CLIENTS) == {path.stem for path in PAYLOADS.glob("*.json")}


@pytest.mark.parametrize("client", CLIENTS)
def test_payloads_become_events(client: str) -> None:
    parse = import_module(f"cmgit.agents.{client}").parse
    found = [parse(payload) for payload in payloads(client)]
    assert [event and event.kind for event in found] == KINDS[client]
    for event, payload in zip(found, payloads(client), strict=True):
        if event is not None:
            assert event.client == client
            assert event.session
            assert event.cwd == "/home/ada/repo"
            assert event.prompt == payload.get("prompt", "")


@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_to_say_prints_nothing(client: str) -> None:
    for event in events(client):
        assert reply(event, None) is None
        assert reply(event, "") is None


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "payload",
    [
        {}, {"hook_event_name": "Stop"}, {"hook_event_name": 3, "session_id": [], "cwd": None}, {"event": {}},
        {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_response": "x", "tool_input": []},
        {"hook_event_name": "UserPromptSubmit", "prompt": {"a": 1}}, {"prompt": "x" * 9_000, "session_id": "y" * 9_000},
    ],
)  # fmt: skip
def test_strange_payloads_raise_nothing(client: str, payload: dict[str, object]) -> None:
    event = import_module(f"cmgit.agents.{client}").parse(payload)
    if event is not None:
        assert event.prompt == ""
        assert len(event.session) <= 4_096
        reply(event)


@pytest.mark.parametrize(
    ("client", "kind", "name"),
    [
        ("claude", PROMPT, "UserPromptSubmit"), ("claude", SESSION_START, "SessionStart"),
        ("claude", SUBAGENT_START, "SubagentStart"), ("codex", PROMPT, "UserPromptSubmit"),
        ("codex", SUBAGENT_START, "SubagentStart"), ("gemini", PROMPT, "BeforeAgent"),
        ("gemini", SESSION_START, "SessionStart"),
    ],
)  # fmt: skip
def test_context_stands_in_the_events_own_object_and_nothing_beside(client: str, kind: str, name: str) -> None:
    """Codex refuses an answer with a key that it does not know; Claude Code ignores one at the top."""
    assert reply(event_of(client, kind)) == {"hookSpecificOutput": {"hookEventName": name, "additionalContext": TEXT}}


def test_claude_tells_turns_and_subagents_apart() -> None:
    prompt, subagent = event_of("claude", PROMPT), event_of("claude", SUBAGENT_START)
    assert prompt.turn == "826879bc-2d52-4672-8cac-653fb53e23ce"
    assert (prompt.agent, subagent.agent) == ("", "aa0692a70680733cc")
    assert prompt.session == subagent.session


def test_claude_gives_a_compaction_its_own_kind() -> None:
    start = payloads("claude")[0]
    event = import_module("cmgit.agents.claude").parse({**start, "source": "compact"})
    assert event.kind == COMPACT
    assert reply(event) == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": TEXT}}


def test_claude_takes_a_shortened_read_in_the_shape_of_its_own() -> None:
    """Another shape than that of the tool is ignored, without a word."""
    event = event_of("claude", READ_DONE)
    assert event.whole
    assert event.path == "/home/ada/repo/src/retry.js"
    answer = reply(event, "short")
    assert answer is not None
    given = payloads("claude")[2]["tool_response"]
    output = answer["hookSpecificOutput"]["updatedToolOutput"]
    assert set(output) == set(given)
    assert set(output["file"]) == set(given["file"])
    assert output["file"] | {"content": "", "numLines": 0, "totalLines": 0} == given["file"] | {
        "content": "", "numLines": 0, "totalLines": 0,
    }  # fmt: skip
    assert output["file"]["content"] == "short"


def test_claude_reads_of_a_part_are_no_whole_reads() -> None:
    payload = payloads("claude")[2]
    for change in ({"startLine": 2}, {"numLines": 3}):
        file = {**payload["tool_response"]["file"], **change}
        event = import_module("cmgit.agents.claude").parse({**payload, "tool_response": {"type": "text", "file": file}})
        assert not event.whole


def test_codex_tells_a_subagents_prompt_from_the_persons() -> None:
    mine, agents = [event for event in events("codex") if event.kind == PROMPT]
    assert mine.agent == ""
    assert agents.agent == event_of("codex", SUBAGENT_START).agent
    assert mine.turn != agents.turn


def test_codex_has_no_reads_to_shorten() -> None:
    payload = {**payloads("codex")[1], "hook_event_name": "PostToolUse", "tool_name": "Read"}
    payload |= {"tool_input": {"file_path": "/x"}, "tool_response": payloads("claude")[2]["tool_response"]}
    assert import_module("cmgit.agents.codex").parse(payload) is None


@pytest.mark.parametrize("client", ["dsh", "opencode"])
def test_plugins_are_told_which_files_the_text_shows(client: str) -> None:
    event = event_of(client, PROMPT)
    event.files = [{"path": "/home/ada/repo/a.js", "oid": "0" * 40, "whole": True}]
    assert reply(event) == {"text": TEXT, "files": event.files}
    read = event_of(client, READ_DONE)
    assert read.whole
    assert reply(read, "short") == {"text": "short"}


def test_clients_without_context_at_the_prompt_are_told_of_the_tools() -> None:
    for client in ("cursor", "copilot", "vscode"):
        assert "cm_retrieve_context" in import_module(f"cmgit.agents.{client}").AT_START
    assert reply(event_of("cursor", SESSION_START)) == {"additional_context": TEXT}
    for client in ("copilot", "vscode"):
        answer = reply(event_of(client, SESSION_START))
        assert answer is not None
        assert answer["additionalContext"] == TEXT
        assert answer["hookSpecificOutput"] == {"hookEventName": "SessionStart", "additionalContext": TEXT}


def test_gemini_tells_two_prompts_of_the_same_words_apart() -> None:
    parse = import_module("cmgit.agents.gemini").parse
    payload = payloads("gemini")[1]
    assert parse(payload).turn != parse({**payload, "timestamp": "2026-11-30T15:00:00.000Z"}).turn
