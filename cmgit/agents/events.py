"""What clients tell their hooks, in one shape. Each client's module has `parse` and `reply`, both pure.

    parse(payload: Mapping[str, object]) -> Event | None         None: nothing that cmgit answers
    reply(event: Event, text: str | None) -> dict[str, object] | None    the JSON object to print; None: print nothing

Everything here is loaded for prompts that get no answer too: `re` and `json` and nothing that costs more. `dataclasses`
takes as long as the interpreter itself, so `Event` is written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping

PROMPT = "prompt"
SESSION_START = "session_start"
COMPACT = "compact"
"""The conversation was just shortened: what was shown before may be gone."""
SUBAGENT_START = "subagent_start"
READ_DONE = "read_done"
"""A file was read by the client's own tool: `text` of `reply` takes the place of what it gave."""

LONGEST_FIELD = 4_096
"""Characters of an id or a path; more is no id and no path."""

START_TEXT = (
    "cmgit keeps an index of this repository's JavaScript and TypeScript. Its MCP tool cm_retrieve_context gives, for "
    "a task in words or for names, the whole source of the functions that it is about, what they depend on and who "
    "calls them, read from the disk at that moment."
)
"""For clients that take context at the start of a session only."""


class Event:
    """One event. Read-only once `parse` gave it.

    client: the name after `cm-hook`. kind: one of the above. session: the client's id of the conversation. turn: its id
    of this prompt, "" where it gives none. cwd: where the client works now. prompt: as the person typed it. source: who
    made the prompt (`user`, `schedule_wakeup`, …) or why the session starts (`startup`, `resume`, …). agent: id of the
    subagent, "" for the main conversation. path: absolute, of the file that was read. whole: it was read from its first
    line to its last. output: what the tool gave, in the client's shape. files: set before `reply`: of which files its
    text shows source, each with `path` (absolute), `oid` and `whole`.
    """

    __slots__ = (
        "agent", "client", "cwd", "files", "kind", "output", "path", "prompt", "session", "source", "turn", "whole",
    )  # fmt: skip

    def __init__(
        self,
        client: str,
        kind: str,
        *,
        session: str = "",
        turn: str = "",
        cwd: str = "",
        prompt: str = "",
        source: str = "",
        agent: str = "",
        path: str = "",
        whole: bool = False,
        output: Mapping[str, object] | None = None,
    ) -> None:
        self.client = client
        self.kind = kind
        self.session = session
        self.turn = turn
        self.cwd = cwd
        self.prompt = prompt
        self.source = source
        self.agent = agent
        self.path = path
        self.whole = whole
        self.output = output
        self.files: list[dict[str, object]] = []

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__ if getattr(self, name))
        return f"Event({told})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and all(getattr(self, n) == getattr(other, n) for n in self.__slots__)

    __hash__ = None  # type: ignore[assignment]


def text_of(payload: Mapping[str, object], key: str, longest: int = LONGEST_FIELD) -> str:
    """A field that should be a short text; "" where it is anything else."""
    value = payload.get(key)
    return value if isinstance(value, str) and len(value) <= longest else ""


def object_of(payload: Mapping[str, object], key: str) -> Mapping[str, object]:
    """A field that should be an object; an empty one where it is anything else."""
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def prompt_of(payload: Mapping[str, object], key: str = "prompt") -> str:
    """The prompt, whatever its length; "" where there is none."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def context_reply(event_name: str, text: str | None) -> dict[str, object] | None:
    """The answer that Claude Code, Codex and those who followed them read: nothing at the top but this one key."""
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}}
