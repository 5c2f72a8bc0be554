"""OpenCode: its plugin (hooks/opencode-plugin) asks and is told what the one of DeepSeek Harness does."""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents import dsh
from cmgit.agents.events import Event

NAME = "opencode"
LONGEST_LINE = dsh.LONGEST_LINE


def parse(payload: Mapping[str, object]) -> Event | None:
    """The event of a payload; None for anything that the plugin does not send."""
    return dsh.parse(payload, NAME)


def reply(event: Event, text: str | None) -> dict[str, object] | None:
    """The object to print; None: print nothing."""
    return dsh.reply(event, text)
