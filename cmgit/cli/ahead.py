"""What a cold answer has begun before it loads its libraries: git looks at the working tree, and a child process of its
own embeds a prompt that only a search can answer.

Loading the runtime and the model takes as long as all the rest of a search, and both load numpy first; two processes do
it side by side where the machine has two cores. A vector is the same to the bit in every process, so nothing else
depends on it: where the child gives none, the vector is made here.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cmgit.git.locate import StartedProbe

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from cmgit.cli.session import Session
    from cmgit.core.config import Config
    from cmgit.embed.model import Model
    from cmgit.retrieve.prompt import Prompt

VECTOR_BYTES = 384 * 4
"""The built-in model's; a user's model is loaded where it is needed."""
LONGEST_SECONDS = 10.0
"""Then the child is given up."""


class Ahead:
    """What was begun for one question about the working tree or a revision. Ended when the question is answered.

    Args:
        state: git's look at the working tree; None where a revision is asked about.
    """

    def __init__(self, state: StartedProbe | None) -> None:
        self.state = state
        self._child: int | None = None
        self._out = -1
        self._text = ""

    @classmethod
    def of(cls, session: Session, rev: str | None) -> Ahead:
        """git begins to look."""
        top = session.location.top
        return cls(StartedProbe(top, located=session.located) if rev is None and top is not None else None)

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self.state is not None:
            self.state.end()
        self._end_child()

    def embed(self, prompt: Prompt, config: Config, *, named_too: bool = False) -> None:
        """Begin to embed what a search would ask for, where nothing else can answer and it is worth a process.

        Args:
            named_too: a prompt that names something wants its vector as well.

        Nothing but the standard library may be loaded then, and no thread run: a fork would copy their locks.
        """
        named = (prompt.names or prompt.places) and not named_too
        if named or not config.vectors or config.model_dir or not config.cache_dir or _cores() < 2:
            return
        if not hasattr(os, "fork") or "numpy" in sys.modules or not is_prepared(config.cache_dir):
            return
        from cmgit.retrieve.prompt import text_to_embed

        text = text_to_embed(prompt)
        with suppress(OSError):
            out, into = os.pipe()
            self._child = os.fork()
            if self._child == 0:
                _answer(into, config, text)
            os.close(into)
            self._out, self._text = out, text

    def vector(self, text: str, seconds: float = LONGEST_SECONDS) -> NDArray[np.float32] | None:
        """float32[384] of unit length; None where it was not begun, failed, or is not there in time."""
        if self._out < 0 or text != self._text:
            return None
        found = _read(self._out, seconds)
        self._end_child()
        if found is None:
            return None
        import numpy

        return numpy.frombuffer(found, numpy.float32)

    def _end_child(self) -> None:
        if self._out >= 0:
            os.close(self._out)
            self._out = -1
        if self._child:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
            self._child = None


NOTHING_AHEAD = Ahead(None)


def embedder(ahead: Ahead, model: Callable[[], Model]) -> Callable[[str], NDArray[np.float32]]:
    """The vector of a text: what was begun, or the model's."""

    def embed(text: str) -> NDArray[np.float32]:
        found = ahead.vector(text)
        return model().embed_query(text) if found is None else found

    return embed


def is_prepared(cache_dir: str) -> bool:
    """Whether the fused model was built for this machine: that takes seconds, and is told to the user."""
    from cmgit.embed.cache import MODEL_NAME

    try:
        return any(name.startswith(MODEL_NAME) for name in os.listdir(os.path.join(cache_dir, "models")))  # noqa: PTH118, PTH208
    except OSError:
        return False


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _answer(into: int, config: Config, text: str) -> None:
    """In the child: write the vector, or nothing where anything is out of the ordinary. Never returns."""
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):  # whoever waits for the end of the command's output does not wait for this process
            os.dup2(null, fd)
        from cmgit.embed.model import load_model

        warned: list[str] = []
        vector = load_model(config.cache_dir, "", warned.append).embed_query(text).tobytes()
        if not warned and len(vector) == VECTOR_BYTES:
            os.write(into, vector)
    finally:
        os._exit(0)


def _read(fd: int, seconds: float) -> bytes | None:
    """A whole vector: it is shorter than a pipe's buffer, so it comes at once."""
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    if not poll.poll(max(seconds, 0) * 1000):
        return None
    found = os.read(fd, VECTOR_BYTES + 1)
    return found if len(found) == VECTOR_BYTES else None
