"""Printing: JSON in one shape for all commands, text that any terminal takes, progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable

from cmgit.core.records import ContextItem, Pending, Progress, ProgressCallback, UnitView, no_progress

BAR_WIDTH = 28
REDRAW_SECONDS = 0.1


def print_json(value: object) -> None:
    """One JSON document, ASCII, so that any encoding of stdout and any file name works."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def print_json_lines(rows: Iterable[object]) -> None:
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n")


def print_text(text: str) -> None:
    """Text for people: lone surrogates and characters that the terminal lacks become escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    if not text.endswith("\n"):
        sys.stdout.write("\n")


def one_line(text: str) -> str:
    """A name or path for people: what could break the line or drive a terminal becomes an escape.

    Tracked names may hold newlines, ANSI sequences and bidirectional marks (Graphify-Labs/graphify#1210).
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def counted(number: int, what: str) -> str:
    """`1 file`, `1,204 files`."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def note(text: str) -> None:
    """A remark beside the answer, on stderr."""
    sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def pending_json(pending: Pending) -> dict[str, int]:
    """`history` is there only where it is missing: most answers know all of it, and most readers ask for none."""
    missing = {"history": pending.history} if pending.history else {}
    return {"files": pending.files, "vectors": pending.vectors, **missing}


def place_json(place: UnitView | ContextItem) -> dict[str, object]:
    """What a unit or item is and exactly where: the fields that every JSON of units shares."""
    return {
        "path": place.path,
        "name": place.name,
        "qualname": place.qualname,
        "kind": place.kind,
        "start_line": place.start_line,
        "end_line": place.end_line,
        "start_byte": place.start_byte,
        "end_byte": place.end_byte,
    }


class ProgressBar:
    """One line on a terminal: stage, bar, count, seconds left. Silent elsewhere."""

    LABELS = {  # noqa: RUF012 - a constant table
        "read": "Reading the tree",
        "parse": "Parsing",
        "link": "Linking",
        "write": "Writing",
        "model": "Preparing the model (once for each machine)",
        "embed": "Embedding",
        "overlay": "Reading changes",
    }

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.stage = ""
        self.started = 0.0
        self.drawn = 0.0
        self.width = 0

    def __call__(self, step: Progress) -> None:
        now = self.clock()
        if step.stage != self.stage:
            self.end_line()
            self.stage, self.started, self.drawn = step.stage, now, 0.0
        finished = step.total and step.done >= step.total
        if not finished and now - self.drawn < REDRAW_SECONDS:
            return
        self.drawn = now
        self.draw(self.line(step, now))

    def line(self, step: Progress, now: float) -> str:
        label = self.LABELS.get(step.stage, step.stage)
        if not step.total:
            return f"{label} …"
        filled = BAR_WIDTH * min(step.done, step.total) // step.total
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        elapsed = now - self.started
        left = ""
        if step.done and step.done < step.total:
            left = f", {seconds_text(elapsed / step.done * (step.total - step.done))} left"
        elif step.done >= step.total:
            left = f", {seconds_text(elapsed)}"
        return f"{label:<18} {bar} {step.done:,}/{step.total:,} {step.unit}{left}"

    def draw(self, text: str) -> None:
        sys.stderr.write("\r" + text + " " * max(0, self.width - len(text)))
        sys.stderr.flush()
        self.width = len(text)

    def end_line(self) -> None:
        if self.width:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self.width = 0

    def close(self) -> None:
        self.end_line()


def seconds_text(seconds: float) -> str:
    if seconds >= 90:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def terminal_progress() -> tuple[ProgressCallback, Callable[[], None]]:
    """A callback for long jobs and what ends its line: a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return no_progress, lambda: None
    bar = ProgressBar()
    return bar, bar.close


def read_prompt(text: str, limit: int = 8_000_000) -> str:
    """A prompt from the argument, or from stdin when it is `-`. Bytes that are no UTF-8 are replaced, not refused."""
    if text != "-":
        return text
    return sys.stdin.buffer.read(limit).decode("utf-8", "replace")
