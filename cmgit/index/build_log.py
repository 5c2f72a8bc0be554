"""`cm/build.log`: what the last background builds did and why, for `git cm doctor` and for people."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

LOG_FILE = "build.log"
MAX_BYTES = 128_000
"""Beyond this the log becomes `build.log.1`, and the one before that is gone."""


def log_build(cm_dir: str, text: str) -> None:
    """Add one line with the time and the process. A log that cannot be written is no failure."""
    path = Path(cm_dir) / LOG_FILE
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {os.getpid()} {' '.join(text.split())}\n".encode("utf-8", "backslashreplace")
    with contextlib.suppress(OSError):
        if path.exists() and path.stat().st_size > MAX_BYTES:
            path.replace(path.with_name(LOG_FILE + ".1"))
        # One write in append mode: two processes never mix their lines.
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(fd, line)
        finally:
            os.close(fd)


def last_lines(cm_dir: str, count: int) -> list[str]:
    """The newest lines, oldest first."""
    try:
        text = (Path(cm_dir) / LOG_FILE).read_text("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[-count:]
