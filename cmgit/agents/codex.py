"""Codex's hooks: Claude Code's shape with a stricter schema; an unknown key makes the whole answer invalid.

Codex reads files by shell commands, so there is no read to shorten.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents import claude
from cmgit.agents.events import PROMPT, READ_DONE, Event, text_of

NAME = "codex"


def parse(payload: Mapping[str, object]) -> Event | None:
    """The event of a payload; None for events that cmgit does not answer."""
    event = claude.parse(payload, NAME)
    if event is None or event.kind == READ_DONE:
        return None
    if event.kind == PROMPT:
        event.turn = text_of(payload, "turn_id")
    return event


def reply(event: Event, text: str | None) -> dict[str, object] | None:
    """The object to print; None: print nothing."""
    return claude.reply(event, text)
