"""VS Code's agent hooks (a preview): the start of a session only.

Its documentation gives `UserPromptSubmit` the common output only, with no context in it. It reads the files of Copilot
CLI, and Claude Code's settings too.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents import copilot
from cmgit.agents.events import START_TEXT, Event

NAME = "vscode"
AT_START = START_TEXT


def parse(payload: Mapping[str, object]) -> Event | None:
    """The event of a payload; None for events that cmgit does not answer."""
    return copilot.parse(payload, NAME)


def reply(event: Event, text: str | None) -> dict[str, object] | None:
    """The object to print; None: print nothing."""
    return copilot.reply(event, text)
