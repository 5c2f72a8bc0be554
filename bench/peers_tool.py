# ruff: noqa: ARG002 — every tool answers the same calls, whether or not it needs what it is handed
"""What a measured tool is: where it works, what it is asked, what it found. `peers.py` has the tools."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from peers_install import PINNED
from peers_run import Server, run

BUDGET = 6000
SERVED = 5
QUIET = {
    # No telemetry, no search for updates, no hub; and what asks the web all the same ends at a closed port.
    "DO_NOT_TRACK": "1",
    "CODEGRAPH_TELEMETRY": "0",
    "CODEGRAPH_NO_INSTALL_REFRESH": "1",
    "JCODEMUNCH_SHARE_SAVINGS": "0",
    "AIDER_ANALYTICS": "false",
    "AIDER_CHECK_UPDATE": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "NO_UPDATE_NOTIFIER": "1",
    "NO_COLOR": "1",
    "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "no_proxy": "127.0.0.1,localhost",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "CMGIT_SERVE": "off",
}


@dataclass(frozen=True)
class Place:
    """Where one tool works on one repository: its own clone and its own home folder."""

    clone: Path
    home: Path


@dataclass(frozen=True)
class Question:
    """A prompt; name: the one identifier in it, for tools that take identifiers."""

    text: str
    name: str = ""


@dataclass(frozen=True)
class Step:
    """A command; with `talk` it is a server that is asked over its pipes."""

    args: list[str]
    talk: Callable[[Any], bytes] | None = None


@dataclass(frozen=True)
class Shown:
    """Lines of a file, both ends inclusive, and the name of the unit where the tool says one."""

    path: str
    start: int
    end: int
    name: str = ""
    whole: bool = True


@dataclass(frozen=True)
class Found:
    """What a tool found for a prompt, best first: what it ranks, and what it shows of the source."""

    ranked: list[Shown]
    context: list[Shown]
    units: bool = True
    files: list[str] = field(default_factory=list)


class Failed(Exception):
    """A tool did not do what it was asked for."""


class Tool:
    key: ClassVar[str]
    name: ClassVar[str]
    about: ClassVar[str] = ""
    indexes: ClassVar[bool] = True
    answers: ClassVar[bool] = True
    ranks: ClassVar[bool] = True

    def __init__(self, cache: Path) -> None:
        self.cache = cache

    @property
    def program(self) -> str:
        return str(self.cache / self.key / PINNED[self.key].program)

    def version(self) -> str:
        return PINNED[self.key].version

    def env(self, place: Place) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "CMGIT_", "XDG_"))}
        return kept | QUIET | {"HOME": str(place.home)}

    def data(self, place: Place) -> list[Path]:
        """Files and folders of the index; removing them is a first start."""
        return []

    def prepare(self, place: Place) -> None:
        """What a first start would set up once for the machine."""

    def index(self, place: Place) -> Step | None:
        return None

    def update(self, place: Place, path: str) -> Step | None:
        """Take in one changed file, which is committed."""
        return self.index(place)

    def follow(self, place: Place) -> Step | None:
        """Take in another commit that was checked out."""
        return self.index(place)

    def ask(self, place: Place, question: Question) -> Step | None:
        return None

    def serve(self, place: Place) -> tuple[list[str], str, Callable[[Question], dict[str, Any]]] | None:
        """The server's command, its tool, and that one's arguments for a question."""
        return None

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        raise NotImplementedError

    def out(self, place: Place, step: Step, limit: float) -> bytes:
        done = run(step.args, place.clone, self.env(place), limit, step.talk)
        if done.error:
            raise Failed(done.error)
        return done.out

    def warm(self, place: Place, questions: list[Question], limit: float) -> tuple[list[float], float]:
        """Seconds of each answer of a running server, after a first one that is not counted, and its peak in MB."""
        served = self.serve(place)
        assert served is not None
        command, tool, arguments = served
        seconds: list[float] = []

        def talk(process: Any) -> bytes:
            server = Server(process)
            server.call(tool, arguments(questions[0]))
            for question in questions:
                started = time.perf_counter()
                server.call(tool, arguments(question))
                seconds.append(time.perf_counter() - started)
            return b""

        done = run(command, place.clone, self.env(place), limit, talk)
        if done.error:
            raise Failed(done.error)
        return seconds, done.peak_mb
