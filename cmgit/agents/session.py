"""What a conversation was shown: one small file for each, below `cm/sessions/`, of lines that are only added.

A subagent has a context of its own: what the main conversation was shown, it was not. After a compaction nothing counts
as shown. The last prompt that was answered is kept for the events that bring none (a compaction, a subagent's start).
"""

# pathlib costs a hook 5 ms:
# ruff: noqa: PTH103, PTH108, PTH112, PTH114, PTH118, PTH208
from __future__ import annotations

import json
import os
import time
from contextlib import suppress

from cmgit.core.digests import digest_of_texts

FOLDER = "sessions"
LARGEST = 2_000_000
MOST_ROWS = 2_000
KEPT_SECONDS = 14 * 86_400.0
ONCE_SECONDS = 10.0
"""Two hooks for one prompt come within this."""
LONGEST_PROMPT = 8_000

Row = list[object]
"""[path, object id, first byte, end, digest, whole]: what `cmgit.retrieve.seen.Seen` reads, and whether it is a whole
file as it is on the disk."""


class Session:
    """One conversation in one repository. agent: the subagent whose context counts, "" for the main one.

    shown: what it has before it. greeted: it was told how to read a context. prompt: the last one of the main
    conversation that was answered. shortened: (path, object id) of files whose read was shortened once.
    """

    def __init__(self, cm_dir: str, client: str, session: str, agent: str = "") -> None:
        self.folder = os.path.join(cm_dir, FOLDER)
        self.session, self.agent = session, agent
        self.path = os.path.join(self.folder, digest_of_texts(client, session) + ".jsonl")
        self.shown: list[Row] = []
        self.greeted = False
        self.prompt = ""
        self.shortened: set[tuple[str, str]] = set()
        for line in _lines(self.path) if session else ():
            self._take(line)
        self.shown = self.shown[-MOST_ROWS:]

    def _take(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(entry, dict):
            return
        if entry.get("agent") == "" and isinstance(entry.get("prompt"), str):
            self.prompt = entry["prompt"]
        if entry.get("agent") != self.agent:
            return
        if entry.get("compact"):
            self.shown.clear()
            self.shortened.clear()
            self.greeted = False
        if isinstance(entry.get("shown"), list):
            self.shown.extend(row for row in entry["shown"] if is_row(row))
            self.greeted = self.greeted or bool(entry.get("greeted"))
        match entry.get("shortened"):
            case [str(path), str(oid)]:
                self.shortened.add((path, oid))

    @property
    def exists(self) -> bool:
        return bool(self.shown)

    def whole(self, path: str) -> str:
        """The object id of a file that was shown whole and as it is, "" where it was not."""
        for row in reversed(self.shown):
            if row[0] == path and row[5] is True:
                return str(row[1])
        return ""

    def forget(self) -> None:
        """After a compaction nothing counts as shown. Where that cannot be added to the file (it has its full length,
        the disk is full), the file goes: rather everything twice than a reference to what is not there any more."""
        if not self.note(compact=True) and self.session:
            with suppress(OSError):
                os.unlink(self.path)
            self.note(prompt=self.prompt)
        self.shown.clear()
        self.shortened.clear()
        self.greeted = False

    def note(self, **entry: object) -> bool:
        """Add a line; False where the folder cannot be written, or the client names no conversation."""
        if not self.session:
            return False
        line = json.dumps({"agent": self.agent, **entry}).encode() + b"\n"
        with suppress(OSError):
            self._make_folder()
            # Not blocking: a pipe of that name would be waited for.
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _SAFE, 0o600)
            try:
                if os.fstat(fd).st_size + len(line) <= LARGEST:
                    return os.write(fd, line) == len(line)
            finally:
                os.close(fd)
        return False

    def first(self, kind: str, what: str, turn: str = "") -> bool:
        """Whether no other hook answers this very event: two clients may read one settings file.

        Args:
            kind: of the event.
            what: its prompt.
            turn: the client's id of the prompt, by which the same prompt typed twice differs.
        """
        if not self.session:
            return True
        path = os.path.join(self.folder, digest_of_texts(self.session, self.agent, kind, turn, what) + ".once")
        try:
            self._make_folder()
            for _ in range(2):
                try:
                    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600))
                except FileExistsError:
                    if turn or -ONCE_SECONDS < time.time() - os.lstat(path).st_mtime < ONCE_SECONDS:
                        return False
                    os.unlink(path)
                else:
                    return True
        except OSError:
            return True  # a folder that cannot be written: rather twice than never
        return False

    def _make_folder(self) -> None:
        if os.path.islink(self.folder):
            raise NotADirectoryError(self.folder)
        if not os.path.isdir(self.folder):
            os.makedirs(self.folder, 0o700, exist_ok=True)
        elif not self.exists:
            self._remove_old()

    def _remove_old(self) -> None:
        """Files of conversations that ended long ago. Looked for once in a conversation."""
        now = time.time()
        with suppress(OSError):
            for name in os.listdir(self.folder):
                path = os.path.join(self.folder, name)
                kept = ONCE_SECONDS * 60 if name.endswith(".once") else KEPT_SECONDS
                with suppress(OSError):
                    if now - os.lstat(path).st_mtime > kept:
                        os.unlink(path)


_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


def is_row(row: object) -> bool:
    match row:
        case [str(), str(), int(), int(), str(), bool()]:
            return True
    return False


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb", opener=_open) as file:
            return file.read(LARGEST).split(b"\n")
    except OSError:
        return []


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _SAFE)
