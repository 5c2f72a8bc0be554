"""`cm-hook CLIENT`: a client asks for the context of a prompt. Prints one JSON object or nothing, leaves with 0.

Standard library only, and little of it, until there is work: most prompts of a session need none. Then the resident
reader is asked. Without one a child process finds the answer, and whatever it has when the time is up is the answer:
clients drop what comes late, often without a word (anthropics/claude-code#66649).
"""

# ruff: noqa: PTH109
from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from cmgit.agents.events import COMPACT, PROMPT, READ_DONE, SESSION_START, SUBAGENT_START, Event

TYPE_CHECKING = False  # importing `typing` would cost a prompt without an answer 4 ms
if TYPE_CHECKING:
    from typing import NoReturn

    from cmgit.agents.where import Where
    from cmgit.cli.agent_child import Child
    from cmgit.view.resident import Line

CLIENTS = ("claude", "codex", "dsh", "gemini", "opencode", "cursor", "copilot", "vscode")
"""Names after `cm-hook`, each a module of `cmgit.agents`. Anything else is an event of git's."""

DEADLINE = 1.4
"""Seconds from the first line of ours to the answer; Python itself starts before."""
STDIN_SECONDS = 0.5
SETTINGS_SHARE = 4 / 7
STDIN_BYTES = 16_000_000
ASK_SECONDS = 0.8
SLOW_SECONDS = 0.15
"""An answer that took longer starts a reader."""

Document = dict[str, object]


def entry() -> NoReturn:
    """Console script `cm-hook`."""
    dispatch(sys.argv[1:])


def dispatch(args: list[str]) -> NoReturn:
    """A client's event or one of git's; never returns."""
    if args and args[0] in CLIENTS:
        agent_main(args[0])
    from cmgit.cli.hook import hook_main

    hook_main(args)


def agent_main(client: str) -> NoReturn:
    """Answer one event. Whatever goes wrong, the client sees nothing of it."""
    hook = Hook(client, time.monotonic())
    try:
        hook.take_streams()
        hook.run()
    except BaseException as error:
        with suppress(BaseException):
            hook.log(f"failed: {type(error).__name__}: {error}")
    os._exit(0)


class Hook:
    """One event on its way from stdin to stdout."""

    def __init__(self, client: str, started: float) -> None:
        self.client = client
        self.started = started
        self.out = -1
        self.event: Event | None = None
        self.where: Where | None = None
        self.settings: dict[str, str] = {}
        self.line: Line | None = None
        self.child: Child | None = None

    @property
    def left(self) -> float:
        """Seconds."""
        return self.started + deadline() - time.monotonic()

    @property
    def settings_left(self) -> float:
        """Seconds that git may take to say its settings: 0.8 of the ordinary 1.4, more where the hook has more."""
        return min(self.left, SETTINGS_SHARE * deadline())

    def take_streams(self) -> None:
        """Only `send` can write to the client, however noisy a library is (anthropics/claude-code#21992)."""
        null = os.open(os.devnull, os.O_RDWR)
        with suppress(OSError):  # a closed stdout: there is nobody to answer
            self.out = os.dup(1)
            os.set_inheritable(self.out, False)
        os.dup2(null, 1)
        os.dup2(null, 2)

    def run(self) -> None:
        payload = parse_json(read_stdin(0, min(STDIN_SECONDS, self.left)))
        if payload is None:
            self.log("nothing: no event came in time, or what came is no JSON object")
            return
        event = import_module(f"cmgit.agents.{self.client}").parse(payload)
        if event is None:
            return
        self.event = event
        from cmgit.agents import where

        event.cwd = event.cwd or os.getcwd()
        self.where = where.find(os.path.dirname(event.path) if event.kind == READ_DONE else event.cwd)  # noqa: PTH120
        if self.where is not None and not self.where.is_mine:
            from cmgit.cli.agent_git import is_refused

            self.where = None if is_refused(self.where.top, min(self.left, 0.5)) else self.where
        if event.kind == PROMPT:
            from cmgit.agents.gate import refusal

            why = refusal(event.prompt, event.source)
            if why:
                self.log(f"nothing: {why}")
                return
        if self.where is None:
            self.log("nothing: no working tree of git here, or one that git refuses")
            return
        if event.kind == READ_DONE:
            from cmgit.cli.agent_read import answer_read

            answer_read(self, event, self.where)
        elif event.kind in (PROMPT, COMPACT, SUBAGENT_START, SESSION_START):
            # The reader looks and git reads while the rest of the hook is loaded.
            from cmgit.cli.agent_git import ask_settings
            from cmgit.cli.agent_line import call_reader

            if event.kind != SESSION_START:
                self.line = call_reader(self.where, self.left)
            asked = ask_settings(event.cwd)
            if event.kind != SESSION_START and self.line is None and self.where.is_indexed:
                from cmgit.cli.agent_child import Child

                self.child = Child(self, event.cwd)
            from cmgit.cli.agent_answer import answer_event

            answer_event(self, event, self.where, asked)

    def send(self, text: str | None) -> bool:
        """Print the client's object for this text; False where nothing was printed."""
        from cmgit.agents.answer import LONGEST_LINE, line_of

        assert self.event is not None
        module = import_module(f"cmgit.agents.{self.client}")
        reply = module.reply(self.event, text)
        line = line_of(reply, getattr(module, "LONGEST_LINE", LONGEST_LINE)) if reply is not None else None
        if line is None or self.out < 0:
            return False
        view = memoryview(line)
        while view:
            view = view[os.write(self.out, view) :]
        os.close(self.out)  # a client that waits for the end of the output need not wait for us
        self.out = -1
        return True

    def send_at_start(self) -> bool:
        """Print what a client is told when a session starts, where that is all that it takes."""
        text = getattr(import_module(f"cmgit.agents.{self.client}"), "AT_START", "")
        return bool(text) and self.send(text)

    def log(self, said: str) -> None:
        """One line in the repository's log; outside of any, in the user's, where cmgit has its cache."""
        from cmgit.agents import log

        event = self.event
        conversation = f" {event.session[:8]}" if event is not None and event.session else ""
        agent = f"/{event.agent[:8]}" if event is not None and event.agent else ""
        kind = event.kind if event is not None else "event"
        prompt = event.prompt if event is not None and is_on(self.settings, "cm.logprompts", False) else ""
        spent = round((time.monotonic() - self.started) * 1000)
        folder = self.where.cm_dir if self.where is not None else cache_folder()
        log.write(folder, f"{self.client} {kind}{conversation}{agent}", f"{said} [{spent} ms]", prompt)


def read_stdin(fd: int, seconds: float) -> bytes:
    """What the client writes: until it ends, or one JSON object is whole, or the time is up.

    Clients leave the pipe open (JuliusBrussee/caveman#729).
    """
    deadline = time.monotonic() + seconds
    parts: list[bytes] = []
    size = 0
    poll = select.poll() if hasattr(select, "poll") else None
    if poll is not None:
        poll.register(fd, select.POLLIN | select.POLLHUP)
    while size <= STDIN_BYTES:
        left = deadline - time.monotonic()
        if poll is not None and not poll.poll(max(left, 0) * 1000):
            break
        try:
            part = os.read(fd, 1 << 20)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
        size += len(part)
        idle = poll is not None and not poll.poll(0)
        if idle and part.rstrip().endswith(b"}") and parse_json(b"".join(parts)) is not None:
            break
    return b"".join(parts) if size <= STDIN_BYTES else b""


def parse_json(data: bytes) -> Mapping[str, object] | None:
    """The object; None for anything else. Bytes that are no UTF-8 are replaced."""
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_on(settings: Mapping[str, str], key: str, default: bool) -> bool:
    """A switch of `git config`; what is neither on nor off counts as the default."""
    text = settings.get(key, "").lower()
    if text in ("true", "yes", "on", "1"):
        return True
    return False if text in ("false", "no", "off", "0") else default


def deadline() -> float:
    """Seconds that an answer may take: `CMGIT_HOOK_SECONDS`, up to a minute, for machines that need more."""
    try:
        return min(max(float(os.environ["CMGIT_HOOK_SECONDS"]), 0.1), 60.0)
    except (KeyError, ValueError):
        return DEADLINE


def cache_folder() -> str:
    """The user's cache folder of cmgit, as `cmgit.cli.session` has it."""
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME", "") + "/.cache")
    return base + "/cmgit"


if __name__ == "__main__":
    entry()
