"""GitHub Copilot CLI's hooks: the start of a session only.

What `userPromptSubmitted` prints is documented as not processed, while a change log of 2026-06 says otherwise and an
open report says that plugins' hooks are dropped; so a prompt gets none, and the MCP tools answer on demand.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents.events import SESSION_START, START_TEXT, Event, context_reply, text_of

NAME = "copilot"
AT_START = START_TEXT


def parse(payload: Mapping[str, object], client: str = NAME) -> Event | None:
    """The event of a payload; None for events that cmgit does not answer.

    The names of keys follow how the event is written in the settings: camelCase or snake_case; VS Code mixes them.
    """
    name = text_of(payload, "hook_event_name") or text_of(payload, "hookEventName")
    session = text_of(payload, "session_id") or text_of(payload, "sessionId")
    source = text_of(payload, "source")
    if name not in ("SessionStart", "sessionStart") and not (name == "" and session and source):
        return None  # in camelCase the payload of a session's start has a source and no name
    return Event(client, SESSION_START, session=session, cwd=text_of(payload, "cwd"), source=source)


def reply(
    event: Event,  # noqa: ARG001 - the contract of every client
    text: str | None,
) -> dict[str, object] | None:
    """The object to print; None: print nothing. Copilot CLI reads the first key, VS Code the second."""
    wrapped = context_reply("SessionStart", text)
    return {"additionalContext": text, **wrapped} if wrapped else None
