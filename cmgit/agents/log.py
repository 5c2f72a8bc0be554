"""`cm/agent.log`: for each event what was injected, and why not. Paths and counts, no prompt unless that is set."""

# ruff: noqa: PTH118
from __future__ import annotations

import os
import time
from contextlib import suppress

NAME = "agent.log"
LARGEST = 256_000
"""Bytes; the file before it stays as `agent.log.1`."""
LONGEST_PROMPT = 400


def write(folder: str, what: str, said: str, prompt: str = "") -> None:
    """One line; nothing where the folder does not exist or cannot be written. Lines of hooks that write at once stay
    whole: each is one write at the end of the file.

    Args:
        what: client, event, conversation.
        said: what was done.
        prompt: its text, where the user wants it in the log.
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {what}: {said}" + (f" | {prompt[:LONGEST_PROMPT]}" if prompt else "")
    with suppress(OSError):
        path = os.path.join(folder, NAME)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_NONBLOCK", 0)  # a pipe of that name would be waited for
        if not os.path.isdir(folder):  # noqa: PTH112
            return
        fd = os.open(path, flags, 0o600)
        try:
            size = os.fstat(fd).st_size
            os.write(fd, one_line(line).encode("utf-8", "backslashreplace") + b"\n")
        finally:
            os.close(fd)
        if size > LARGEST:
            os.replace(path, path + ".1")  # noqa: PTH105


def one_line(text: str) -> str:
    """Names may hold line breaks and what drives a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
