"""The resident reader's door: many clients, one question answered at a time, nobody who can block the others.

The main thread only moves bytes: it reads lines, refuses what it must, and writes replies, all without waiting. A
second thread answers. A client that sends nothing, sends garbage or does not read is dropped; nothing that it sends is
more than one line of JSON.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import selectors
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hmac import compare_digest
from queue import SimpleQueue

from cmgit.core.errors import CmgitError
from cmgit.serve.place import Place

Document = dict[str, object]

LONGEST_LINE = 16_000_000
MOST_CLIENTS = 64
MOST_WAITING = 32
SOON_SECONDS = 0.5
"""From connecting to the end of the line: what was looked at when the client called still counts."""
SPEAKING_SECONDS = 10.0
"""From connecting to the end of the line, and from the reply to its last byte."""
TICK_SECONDS = 5.0
CHUNK = 1 << 18


@dataclass(slots=True, eq=False)
class Client:
    """One connection. since: of what it is doing now. foreseen, stale: what was begun and found when it called; counts
    for a question that comes soon."""

    connection: socket.socket
    since: float
    line: bytearray = field(default_factory=bytearray)
    checked: int = 0
    trusted: bool = False
    waiting: bool = False
    foreseen: object = None
    stale: str | None = None
    reply: memoryview = field(default_factory=lambda: memoryview(b""))


@dataclass(frozen=True, slots=True)
class Rules:
    """version: what a client must share. idle_seconds: without a question, then it leaves. foresee: begins what every
    answer needs; called when a client connects while nobody waits. answer: from a request, the time.monotonic() of its
    arrival and what was foreseen for it, if anything was, to the document; may raise CmgitError. about: for `ping`.
    gone: why it must leave now, None to stay; asked at every tick. stale: as `gone`, asked before every answer."""

    version: str
    idle_seconds: float
    answer: Callable[[Document, float, object], Document]
    about: Callable[[], Document]
    gone: Callable[[], str | None]
    stale: Callable[[], str | None]
    foresee: Callable[[], object] = lambda: None


class Server:
    """Serves at a place until it is idle, told to stop, or out of date. `run` gives the reason."""

    def __init__(self, place: Place, rules: Rules) -> None:
        self._place, self._rules = place, rules
        self._selector = selectors.DefaultSelector()
        self._clients: set[Client] = set()
        self._questions: SimpleQueue[tuple[Client, Document, float, object] | None] = SimpleQueue()
        self._done: collections.deque[tuple[Client, Document]] = collections.deque()
        self._bell, self._ring = socket.socketpair()
        self._last = time.monotonic()
        self._looked = self._last
        self._leaving = ""
        self.answered = 0

    def run(self) -> str:
        """Serve, in the main thread. Gives why it left."""
        for end in (self._bell, self._ring, self._place.listener):
            end.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ, None)
        self._selector.register(self._place.listener, selectors.EVENT_READ, None)
        worker = threading.Thread(target=self._work, name="answer", daemon=True)
        worker.start()
        with self._signals():
            while not self._leaving or any(client.reply for client in self._clients):
                self._serve(min(TICK_SECONDS, self._rules.idle_seconds))
        self._place.close()
        for client in list(self._clients):
            self._drop(client)
        self._questions.put(None)
        self._selector.close()
        self._bell.close()
        self._ring.close()
        return self._leaving

    def stop(self, reason: str) -> None:
        """From any thread or signal handler."""
        self._leaving = self._leaving or reason
        with contextlib.suppress(OSError):
            self._ring.send(b"!")

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """A polite end leaves nothing behind."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = {signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)}
        before = {n: signal.signal(n, lambda *_: self.stop("it was asked to stop")) for n in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _serve(self, seconds: float) -> None:
        """One round: whatever is ready, then what the time demands."""
        for key, events in self._selector.select(seconds):
            if key.fileobj is self._place.listener:
                self._accept()
            elif key.fileobj is self._bell:
                with contextlib.suppress(OSError):
                    self._bell.recv(CHUNK)
            else:
                self._move(key.data, events)
        while self._done:
            self._reply(*self._done.popleft())
        now = time.monotonic()
        for client in [c for c in self._clients if not c.waiting and now - c.since > SPEAKING_SECONDS]:
            self._drop(client)
        if now - self._last > self._rules.idle_seconds and not any(client.waiting for client in self._clients):
            self.stop("nobody asked for a while")
        if not self._leaving and now - self._looked >= TICK_SECONDS:
            self._looked = now
            self._leave_if(self._rules.gone())

    def _leave_if(self, reason: str | None) -> bool:
        if reason is None and not self._place.is_ours():
            reason = "its socket was removed"
        if reason is not None:
            self.stop(reason)
        return reason is not None

    # Clients

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._place.listener.accept()
            connection.setblocking(False)
            if len(self._clients) >= MOST_CLIENTS:
                silent = [client for client in self._clients if not client.waiting]
                if not silent:
                    connection.close()
                    return
                self._drop(min(silent, key=lambda client: client.since))
            client = Client(connection, time.monotonic(), trusted=not self._place.token)
            if not is_same_user(connection):
                connection.close()
                return
            if not self._leaving and not any(other.waiting for other in self._clients):
                client.foreseen = self._rules.foresee()
                client.stale = self._rules.stale()
            self._clients.add(client)
            self._selector.register(connection, selectors.EVENT_READ, client)

    def _move(self, client: Client, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                client.reply = client.reply[client.connection.send(client.reply) :]
                client.since = time.monotonic()
                if not client.reply:
                    self._drop(client)
            elif events & selectors.EVENT_READ:
                self._read(client)
        except BlockingIOError:
            pass
        except OSError:
            self._drop(client)

    def _read(self, client: Client) -> None:
        data = client.connection.recv(CHUNK)
        if client.waiting:  # it has said its line; an end means that it went away
            if not data:
                self._drop(client)
            return
        if not data:
            self._drop(client)
            return
        client.line += data
        end = client.line.find(b"\n", client.checked)
        if end < 0:
            client.checked = len(client.line)
            if client.checked > LONGEST_LINE:
                self._reply(client, {"refused": "the line is too long"})
            return
        line, rest = bytes(client.line[:end]), client.line[end + 1 :]
        client.line, client.checked = bytearray(), 0
        if not client.trusted:
            client.trusted = compare_digest(line, self._place.token)
            if not client.trusted:
                self._drop(client)
            elif rest:
                client.line = rest
                self._split(client)
            return
        self._take(client, line)

    def _split(self, client: Client) -> None:
        """The token and the line came together."""
        end = client.line.find(b"\n")
        if end >= 0:
            line = bytes(client.line[:end])
            client.line = bytearray()
            self._take(client, line)

    def _take(self, client: Client, line: bytes) -> None:
        """A whole line: refuse it, answer it at once, or pass it on."""
        if client.foreseen is not None and time.monotonic() - client.since > SOON_SECONDS:
            client.foreseen = None
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            self._reply(client, {"refused": "that is no question"})
        elif self._leaving or self._leave_if(self._rules.stale() if client.foreseen is None else client.stale):
            self._reply(client, {"refused": self._leaving})
        elif request.get("op") == "ping":
            self._reply(client, {"answer": {**self._rules.about(), "answered": self.answered}})
        elif request.get("op") == "stop":
            self._reply(client, {"answer": {"stopping": True}})
            self.stop("it was asked to stop")
        elif request.get("version") != self._rules.version:
            self._reply(client, {"refused": "another installation, or other settings"})
        elif sum(other.waiting for other in self._clients) >= MOST_WAITING:
            self._reply(client, {"refused": "too many questions are waiting"})
        else:
            client.waiting = True
            self._last = time.monotonic()
            self._questions.put((client, request, self._last, client.foreseen))
            client.foreseen = None

    def _reply(self, client: Client, reply: Document) -> None:
        if client not in self._clients:
            return
        client.waiting, client.since = False, time.monotonic()
        client.reply = memoryview(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
        self._selector.modify(client.connection, selectors.EVENT_WRITE, client)
        self._move(client, selectors.EVENT_WRITE)

    def _drop(self, client: Client) -> None:
        if client in self._clients:
            self._clients.discard(client)
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(client.connection)
            client.connection.close()

    # The thread that answers

    def _work(self) -> None:
        while (question := self._questions.get()) is not None:
            client, request, arrived, foreseen = question
            if client not in self._clients:
                continue  # it went away while it waited
            self._done.append((client, self._answered(request, arrived, foreseen)))
            self._last = time.monotonic()
            with contextlib.suppress(OSError):
                self._ring.send(b"!")

    def _answered(self, request: Document, arrived: float, foreseen: object) -> Document:
        try:
            answer = self._rules.answer(request, arrived, foreseen)
        except CmgitError as error:
            return {"error": {"message": error.message, "hint": error.hint, "code": error.exit_code}}
        except Exception as error:
            return {"error": {"message": f"internal error: {type(error).__name__}: {error}", "hint": "", "code": 1}}
        self.answered += 1
        return {"answer": answer}


def is_same_user(connection: socket.socket) -> bool:
    """The other end belongs to this user. The folder's mode says so already; where the kernel tells, it is asked."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or connection.family != getattr(socket, "AF_UNIX", None):
        return True
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, size))
    return bool(user == os.geteuid())
