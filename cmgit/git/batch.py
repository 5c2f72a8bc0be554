"""Blobs through a `git cat-file --batch` process that stays."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from cmgit.core.errors import ObjectUnreadable
from cmgit.git.disk import blob_oid
from cmgit.git.plumbing import place
from cmgit.git.process import git_environment, pipe, reap, spawn

if TYPE_CHECKING:
    from cmgit.git.locate import Location

Answer = TypeVar("Answer")

# Requests in flight: their ids fit into the smallest pipe, so neither side waits for the other, and their blobs into
# memory.
_WINDOW = 32


def unreadable(oid: str, reason: str) -> ObjectUnreadable:
    return ObjectUnreadable(f"the object {oid} cannot be read: {reason}", "`git fsck` says what is missing or damaged")


class _Process:
    """One `cat-file` process and its two pipes."""

    def __init__(self, location: Location, mode: str, env: Mapping[str, str]) -> None:
        self.owner = os.getpid()
        self.buffer = bytearray()
        child_in, self.stdin = pipe()
        self.stdout, child_out = pipe()
        try:
            self.pid = spawn((*place(location), "cat-file", mode), git_environment(env), child_in, child_out, None)
        except BaseException:
            os.close(self.stdin)
            os.close(self.stdout)
            raise
        finally:
            os.close(child_in)
            os.close(child_out)

    def ask(self, oids: Sequence[str]) -> None:
        request = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        view = memoryview(request)
        while len(view):
            view = view[os.write(self.stdin, view) :]

    def line(self) -> bytes:
        """One line without its end; empty when the process is gone."""
        while True:
            at = self.buffer.find(b"\n")
            if at >= 0:
                found = bytes(self.buffer[:at])
                del self.buffer[: at + 1]
                return found
            if not self._more():
                return b""

    def take(self, size: int) -> bytes:
        """`size` bytes, and the line feed after them dropped.

        Raises:
            EOFError: the process is gone before.
        """
        while len(self.buffer) <= size:
            if not self._more():
                raise EOFError
        found = bytes(memoryview(self.buffer)[:size])
        del self.buffer[: size + 1]
        return found

    def _more(self) -> bool:
        data = os.read(self.stdout, 1 << 18)
        self.buffer += data
        return bool(data)

    def close(self) -> None:
        os.close(self.stdin)
        os.close(self.stdout)
        if self.owner == os.getpid():
            with contextlib.suppress(ChildProcessError):
                reap(self.pid)


class BatchReader:
    """Blobs by id, from any thread; the processes start at the first question and start again when they die."""

    def __init__(self, location: Location, env: Mapping[str, str]) -> None:
        self._location = location
        self._env = dict(env)
        self._lock = threading.Lock()
        self._processes: dict[str, _Process] = {}

    def read(self, oid: str) -> bytes:
        (found,) = self.read_many([oid])
        if isinstance(found, ObjectUnreadable):
            raise found
        return found

    def sizes(self, oids: Sequence[str]) -> list[int | ObjectUnreadable]:
        """One answer for each id, in their order."""
        found: list[int | ObjectUnreadable] = []
        for at in range(0, len(oids), _WINDOW):
            found += self._window("--batch-check", oids[at : at + _WINDOW], self._size)
        return found

    def read_many(self, oids: Sequence[str]) -> Iterator[bytes | ObjectUnreadable]:
        """One answer for each id, in their order."""
        for at in range(0, len(oids), _WINDOW):
            yield from self._window("--batch", oids[at : at + _WINDOW], self._content)

    def _window(
        self, mode: str, oids: Sequence[str], answer: Callable[[_Process, str, int], Answer | None]
    ) -> list[Answer | ObjectUnreadable]:
        found: list[Answer | ObjectUnreadable] = []
        with self._lock:
            retried = -1
            while len(found) < len(oids):
                left = oids[len(found) :]
                try:
                    process = self._started(mode)
                    process.ask(left)
                    for oid in left:
                        found.append(self._answer(process, oid, answer))
                except (BrokenPipeError, EOFError):
                    # A damaged object ends the process. Once more in a new one, in case it died of something else.
                    self._stop(mode)
                    if retried == len(found):
                        found.append(unreadable(oids[len(found)], "damaged, or not in this partial clone"))
                    retried = len(found)
                except BaseException:
                    self._stop(mode)  # answers are still in the pipe
                    raise
        return found

    def _answer(
        self, process: _Process, oid: str, answer: Callable[[_Process, str, int], Answer | None]
    ) -> Answer | ObjectUnreadable:
        fields = process.line().split()
        if not fields:
            raise EOFError
        if len(fields) != 3:
            return unreadable(oid, fields[-1].decode())
        found = answer(process, oid, int(fields[2]))
        if fields[1] != b"blob":
            return unreadable(oid, f"it is a {fields[1].decode()}, not a blob")
        if found is None:
            # git does not check what it inflates from a pack against the id.
            return unreadable(oid, "its bytes do not match its id")
        return found

    def _size(self, _process: _Process, _oid: str, size: int) -> int:
        return size

    def _content(self, process: _Process, oid: str, size: int) -> bytes | None:
        data = process.take(size)
        return data if blob_oid(data, self._location.object_format) == oid else None

    def _started(self, mode: str) -> _Process:
        process = self._processes.get(mode)
        if process is not None and process.owner != os.getpid():
            self._stop(mode)  # after a fork the pipes belong to the parent's conversation
            process = None
        if process is None:
            process = self._processes[mode] = _Process(self._location, mode, self._env)
        return process

    def _stop(self, mode: str) -> None:
        process = self._processes.pop(mode, None)
        if process is not None:
            process.close()

    def close(self) -> None:
        for mode in list(self._processes):
            self._stop(mode)

    def __del__(self) -> None:
        self.close()
