"""The small client that asks a resident reader: one line of JSON each way, over a socket that only its user can reach.

Standard library only, and little of it: the prompt hook pays for every import. `socket` would load `selectors` and
`enum`; the C module below it has all that is needed.
"""

# pathlib costs a hook 5 ms:
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

import json
import os
import stat
import time

TYPE_CHECKING = False  # importing `typing` would cost a prompt 2 ms
if TYPE_CHECKING:
    import hashlib as hashes
    import socket as sockets
else:
    try:
        import _blake2 as hashes
        import _socket as sockets
    except ImportError:  # another Python than CPython
        import hashlib as hashes
        import socket as sockets

LONGEST_REPLY = 64_000_000
CHUNK = 1 << 18
PAUSE_SECONDS = 0.005
Document = dict[str, object]


def socket_path(git_dir: str, runtime_dir: str) -> str:
    """Where the reader of a worktree listens: a short name, because socket paths end at 108 bytes (104 on macOS).

    Args:
        git_dir: of the worktree, as git gives it, absolute.
        runtime_dir: the user's own folder, at most 70 bytes.
    """
    return os.path.join(runtime_dir, digest(os.path.realpath(git_dir)) + ".sock")


def digest(text: str) -> str:
    """Twenty hex digits for a text that may hold any bytes of a path or variable."""
    return hashes.blake2b(os.fsencode(text), digest_size=10).hexdigest()


class Line:
    """A connection to a reader, which looks at the working tree as soon as it is called: whoever has something to do
    before the question stands calls first. Closed by `close`, or by the question."""

    __slots__ = ("connection", "greeting")

    def __init__(self, path: str, seconds: float) -> None:
        """Raises OSError where nobody listens, or the place is not this user's alone."""
        self.connection, self.greeting = _connect(path, time.monotonic() + seconds)

    def close(self) -> None:
        self.connection.close()


def call(path: str, seconds: float) -> Line | None:
    """A line to the reader that listens there; None where there is none. Never raises."""
    try:
        return Line(path, seconds)
    except (OSError, ValueError, OverflowError):
        return None


def ask(path: str, request: Document, seconds: float, line: Line | None = None) -> Document | None:
    """The answer of the reader that listens there; never raises.

    None where there is none, where it is another version, refuses, fails, or is late: whoever asks then finds the
    answer without it.

    Args:
        path: see `socket_path`.
        request: `op` and `version` (see `cli.runtime.version`), the arguments of the command beside them.
        seconds: for all of it.
        line: to this reader, just called.
    """
    reply = exchange(path, request, seconds, line)
    answer = reply.get("answer") if reply is not None else None
    return answer if isinstance(answer, dict) else None


def exchange(path: str, request: Document, seconds: float, line: Line | None = None) -> Document | None:
    """The whole reply, `{"answer": …}`, `{"error": {message, hint}}` or `{"refused": why}`; None where none came."""
    deadline = time.monotonic() + seconds
    try:
        reply = json.loads(_talk(line or Line(path, seconds), json.dumps(request).encode() + b"\n", deadline))
    except (OSError, ValueError, RecursionError, OverflowError):
        return None
    return reply if isinstance(reply, dict) else None


def _talk(line: Line, question: bytes, deadline: float) -> bytes:
    connection = line.connection
    try:
        connection.settimeout(_left(deadline))
        connection.sendall(line.greeting + question)
        parts: list[bytes] = []
        size = 0
        while not parts or not parts[-1].endswith(b"\n"):
            connection.settimeout(_left(deadline))
            part = connection.recv(CHUNK)
            size += len(part)
            if not part or size > LONGEST_REPLY:
                raise ConnectionError("the reader left, or talks without end")
            parts.append(part)
        return b"".join(parts)
    finally:
        connection.close()


def _connect(path: str, deadline: float) -> tuple[sockets.socket, bytes]:
    """A connection, and what has to be said first."""
    if not is_private(os.path.dirname(path)):
        raise PermissionError("the folder of the socket is not this user's alone")
    greeting = b""
    address: str | tuple[str, int] = path
    if hasattr(sockets, "AF_UNIX"):
        connection = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    else:  # pragma: no cover - Windows: a port on loopback, and a token in the user's own folder
        with open(path, encoding="ascii") as file:
            port, token = file.read().split()
        connection = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
        address, greeting = ("127.0.0.1", int(port)), token.encode() + b"\n"
    try:
        while True:
            connection.settimeout(_left(deadline))
            try:
                connection.connect(address)
                break
            except BlockingIOError:  # the reader's queue is full just now: Linux does not wait where a limit is set
                time.sleep(PAUSE_SECONDS)
        connection.settimeout(_left(deadline))
    except BaseException:
        connection.close()
        raise
    return connection, greeting


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def is_private(folder: str) -> bool:
    """A folder, no link, that belongs to this user and that nobody else may enter: what is in it is the user's own."""
    try:
        seen = os.lstat(folder)
    except OSError:
        return False
    if not hasattr(os, "geteuid"):  # Windows: the folder lies in the user's profile
        return stat.S_ISDIR(seen.st_mode)
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid() and not stat.S_IMODE(seen.st_mode) & 0o077
