"""DeepSeek Harness: what cmgit's own plugin (hooks/dsh-plugin) asks, and what it is told.

    {"event": "prompt", "session", "turn", "cwd", "prompt"}  the prompt of a turn; a subagent has a session of its own
    {"event": "compact", "session", "cwd", "prompt"}         the conversation was shortened; prompt "": within a turn
    {"event": "read_done", "session", "cwd", "path"}         a whole file was read
    -> {"text", "files": [{"path", "oid", "whole"}]}         files: of which the text shows source; path is absolute

The harness's bridges for the hooks of other clients can neither shorten a read nor say that a file was seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmgit.agents.events import COMPACT, PROMPT, READ_DONE, Event, prompt_of, text_of

NAME = "dsh"
LONGEST_LINE = 24_000
"""The plugin takes more than hooks may print: the list of files stands beside the text."""
_KINDS = {"prompt": PROMPT, "compact": COMPACT, "read_done": READ_DONE}


def parse(payload: Mapping[str, object], client: str = NAME) -> Event | None:
    """The event of a payload; None for anything that the plugin does not send."""
    kind = _KINDS.get(text_of(payload, "event"))
    path = text_of(payload, "path")
    if kind is None or (kind == READ_DONE and not path):
        return None
    return Event(
        client,
        kind,
        session=text_of(payload, "session"),
        turn=text_of(payload, "turn"),
        cwd=text_of(payload, "cwd"),
        prompt=prompt_of(payload),
        path=path,
        whole=kind == READ_DONE,
    )


def reply(event: Event, text: str | None) -> dict[str, object] | None:
    """The object to print; None: print nothing."""
    if not text:
        return None
    return {"text": text} if event.kind == READ_DONE else {"text": text, "files": event.files}
