"""Claude Code's hooks: what they are given on stdin, and what it takes from stdout."""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents.events import (
    COMPACT,
    PROMPT,
    READ_DONE,
    SESSION_START,
    SUBAGENT_START,
    Event,
    context_reply,
    object_of,
    prompt_of,
    text_of,
)

NAME = "claude"
_NAMES = {
    PROMPT: "UserPromptSubmit",
    SESSION_START: "SessionStart",
    COMPACT: "SessionStart",
    SUBAGENT_START: "SubagentStart",
    READ_DONE: "PostToolUse",
}


def parse(payload: Mapping[str, object], client: str = NAME) -> Event | None:
    """The event of a payload; None for events that cmgit does not answer."""
    name = text_of(payload, "hook_event_name")
    session, cwd = text_of(payload, "session_id"), text_of(payload, "cwd")
    source, agent = text_of(payload, "source"), text_of(payload, "agent_id")
    if name == "UserPromptSubmit":
        turn, prompt = text_of(payload, "prompt_id"), prompt_of(payload)
        return Event(client, PROMPT, session=session, turn=turn, cwd=cwd, prompt=prompt, source=source, agent=agent)
    if name == "SessionStart":
        kind = COMPACT if source == "compact" else SESSION_START
        return Event(client, kind, session=session, cwd=cwd, source=source, agent=agent)
    if name == "SubagentStart":
        return Event(client, SUBAGENT_START, session=session, cwd=cwd, agent=agent, prompt=prompt_of(payload))
    if name == "PostToolUse" and payload.get("tool_name") == "Read":
        output = object_of(payload, "tool_response")
        path, file = text_of(object_of(payload, "tool_input"), "file_path"), object_of(output, "file")
        if output.get("type") == "text" and path and isinstance(file.get("content"), str):
            whole = file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines")
            return Event(
                client, READ_DONE, session=session, cwd=cwd, agent=agent, path=path, whole=whole, output=output
            )
    return None


def reply(event: Event, text: str | None) -> dict[str, object] | None:
    """The object to print; None: print nothing.

    For a read the text takes the content's place in the tool's own output: another shape would be ignored.
    """
    if event.kind != READ_DONE:
        return context_reply(_NAMES[event.kind], text)
    if not text or event.output is None:
        return None
    lines = text.count("\n") + 1
    file = {**object_of(event.output, "file"), "content": text, "numLines": lines, "startLine": 1, "totalLines": lines}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {**event.output, "file": file}}}
