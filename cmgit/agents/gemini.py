"""Gemini CLI's hooks: Claude Code's envelope under other names of events.

A read is not shortened: its AfterTool hook can replace an output only by calling the read denied, which a model takes
for a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents.events import PROMPT, SESSION_START, Event, context_reply, prompt_of, text_of

NAME = "gemini"
_NAMES = {PROMPT: "BeforeAgent", SESSION_START: "SessionStart"}


def parse(payload: Mapping[str, object]) -> Event | None:
    """The event of a payload; None for events that cmgit does not answer."""
    name = text_of(payload, "hook_event_name")
    session, cwd = text_of(payload, "session_id"), text_of(payload, "cwd")
    if name == "BeforeAgent":
        # `timestamp` tells the same prompt typed twice from two hooks for one; the client gives no id of a turn.
        turn = text_of(payload, "timestamp")
        return Event(NAME, PROMPT, session=session, turn=turn, cwd=cwd, prompt=prompt_of(payload))
    if name == "SessionStart":
        return Event(NAME, SESSION_START, session=session, cwd=cwd, source=text_of(payload, "source"))
    return None


def reply(event: Event, text: str | None) -> dict[str, object] | None:
    """The object to print; None: print nothing."""
    return context_reply(_NAMES[event.kind], text)
