"""An answer without a resident reader, worked out by a child process before the time is up.

It is forked while nothing but the standard library is loaded and no thread runs, so it costs a millisecond where a new
interpreter costs thirty; a thread would not do, because a library that is just being loaded holds the interpreter for
as long as the disk takes. It is forked before the question stands: git looks and the child loads while the hook waits
for its settings and reads what the conversation was shown.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from cmgit.cli.agent_git import SIGKILL, read_all

TYPE_CHECKING = False  # importing `typing` would cost a prompt 2 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cmgit.cli.agent_cold import Beginning
    from cmgit.cli.agent_hook import Document, Hook

NO_SNAPSHOT = "no snapshot yet"


class Child:
    """A process that waits for one question. Whoever asks none leaves it alone: it ends when the hook does.

    Args:
        cwd: a folder of the repository.
    """

    def __init__(self, hook: Hook, cwd: str) -> None:
        self._hook, self._cwd = hook, cwd
        self._pid = -1
        if not hasattr(os, "fork"):
            return
        out, into = os.pipe()
        questions, self._questions = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(out)
                os.close(self._questions)
                if hook.out >= 0:
                    os.close(hook.out)  # a client may wait until nobody holds its pipe
                serve(hook, cwd, questions, into)
            finally:
                os._exit(0)
        os.close(into)
        os.close(questions)
        self._out = out

    def ask(self, settings: Mapping[str, str], request: Document) -> Document | None:
        """The answer, at worst the last one that the child had when the time was up. To be asked once."""
        if self._pid < 0:
            return last_of(answers(self._hook, self._cwd, settings, request, None))
        with suppress(BrokenPipeError):
            write_all(self._questions, json.dumps([settings, request]).encode())
        os.close(self._questions)
        data, whole = read_all(self._out, self._hook.left)
        os.close(self._out)
        if not whole:
            with suppress(ProcessLookupError):
                os.kill(self._pid, SIGKILL)  # not waited for: a disk that does not answer holds it
        lines = data.split(b"\n")[:-1]
        return json.loads(lines[-1]) if lines else None


def serve(hook: Hook, cwd: str, questions: int, into: int) -> None:
    """In the child: load, take the question, write each answer as a line."""
    failed: Exception | None = None
    beginning = None
    try:
        from cmgit.cli.agent_cold import Beginning

        beginning = Beginning(cwd)
    except Exception as error:
        failed = error
    asked, _ = read_all(questions, hook.left)
    if not asked:
        return  # nobody asks any more
    settings, request = json.loads(asked)
    found = answers(hook, cwd, settings, request, beginning) if failed is None else iter([failure(failed)])
    for document in found:
        write_all(into, json.dumps(document).encode() + b"\n")


def answers(
    hook: Hook, cwd: str, settings: Mapping[str, str], request: Document, beginning: Beginning | None
) -> Iterator[Document]:
    """Each better than the one before; a failure is a document too."""
    try:
        from cmgit.cli.agent_cold import Beginning, cold_answers

        yield from cold_answers(beginning or Beginning(cwd), settings, request, lambda: hook.left)
    except Exception as error:
        yield failure(error)


def failure(error: Exception) -> Document:
    return {"failed": getattr(error, "message", "") or f"internal error: {type(error).__name__}: {error}"}


def last_of(documents: Iterator[Document]) -> Document | None:
    found = list(documents)
    return found[-1] if found else None


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
