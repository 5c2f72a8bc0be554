"""Cursor's hooks: the start of a session only.

Its `beforeSubmitPrompt` is documented with no way to add context (a client of 2026-09 was seen to take one), so a
prompt gets none; the MCP tools answer on demand.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents.events import SESSION_START, START_TEXT, Event, text_of

NAME = "cursor"
AT_START = START_TEXT


def parse(payload: Mapping[str, object]) -> Event | None:
    """The event of a payload; None for events that cmgit does not answer."""
    if text_of(payload, "hook_event_name") != "sessionStart":
        return None
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    session = text_of(payload, "session_id") or text_of(payload, "conversation_id")
    return Event(NAME, SESSION_START, session=session, cwd=text_of(payload, "cwd") or first)


def reply(
    event: Event,  # noqa: ARG001 - the contract of every client
    text: str | None,
) -> dict[str, object] | None:
    """The object to print; None: print nothing."""
    return {"additional_context": text} if text else None
