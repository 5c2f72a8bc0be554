"""What the demo prints, and how it runs `git-cm`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
import time
import tty
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FIRST_LINES_SHOWN = 24
LAST_LINES_SHOWN = 6
LINE_WIDTH_SHOWN = 160
SECONDS_BETWEEN_PROGRESS_LINES = 1.0

TERMINAL_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")

Json = dict[str, object]


class DemoFailed(Exception):
    """A step did not do what it promises. The message says which and why."""


def bold(text: str) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def say(text: str = "") -> None:
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def heading(number: int, text: str) -> None:
    say()
    say(bold(f"{number}. {text}"))
    say()


def shell_words(args: tuple[str, ...]) -> str:
    """The command as a reader would type it."""
    return " ".join(
        arg if re.fullmatch(r"[\w./:=~^@-]+", arg) else "'" + arg.replace("'", "'\\''") + "'" for arg in args
    )


def show_shortened(text: str) -> None:
    """The first lines of a context and its last ones (call sites, what was left out); what is cut here is said."""
    lines = text.splitlines()
    cut = max(0, len(lines) - FIRST_LINES_SHOWN - LAST_LINES_SHOWN)
    first = lines[:FIRST_LINES_SHOWN] if cut else lines
    say("   ┌" + "─" * 70)
    show_lines(first)
    if cut:
        hidden = lines[FIRST_LINES_SHOWN : FIRST_LINES_SHOWN + cut]
        say(f"   │ [the demo leaves out {cut} lines here, {sum(map(len, hidden)):,} characters]")
        show_lines(lines[FIRST_LINES_SHOWN + cut :])
    say("   └" + "─" * 70)


def show_lines(lines: list[str]) -> None:
    for line in lines:
        say("   │ " + (line if len(line) <= LINE_WIDTH_SHOWN else line[: LINE_WIDTH_SHOWN - 1] + "…"))


def show_wrapped(text: str) -> None:
    say(textwrap.indent(textwrap.fill(text, 100), "   "))


@dataclass(frozen=True, slots=True)
class Answer:
    """stdout of one run, and how long the whole process took as the user feels it."""

    text: str
    seconds: float

    def json(self) -> Json:
        try:
            value = json.loads(self.text)
        except ValueError as error:
            raise DemoFailed(f"the answer is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise DemoFailed("the answer is not a JSON object")
        return value


@dataclass(frozen=True, slots=True)
class Tool:
    """The `git-cm` beside this Python, in one repository. env: of every run."""

    program: Path
    folder: Path
    env: Mapping[str, str]

    def run(self, *args: str) -> Answer:
        """Run quietly; progress is hidden, errors are not."""
        started = time.perf_counter()
        done = subprocess.run(
            [str(self.program), *args],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
        seconds = time.perf_counter() - started
        if done.returncode != 0:
            raise DemoFailed(f"git-cm {shell_words(args)} left with {done.returncode}: {done.stderr.strip()}")
        return Answer(done.stdout, seconds)

    def run_visibly(self, *args: str) -> float:
        """Run with everything that it prints on the screen, and give the seconds that it took."""
        command = [str(self.program), *args]
        started = time.perf_counter()
        if sys.stderr.isatty():
            code = subprocess.run(command, cwd=self.folder, env=self.env, check=False).returncode
        else:
            code = run_on_terminal(command, self.folder, self.env)
        if code != 0:
            raise DemoFailed(f"git-cm {shell_words(args)} left with {code}")
        return time.perf_counter() - started


def run_on_terminal(command: list[str], folder: Path, env: Mapping[str, str]) -> int:
    """Run on a terminal of its own, and print what it shows as plain lines, about one a second, for a log.

    `git-cm` draws its bar on a terminal only. A log deserves to see that something happens, too.
    """
    master, slave = os.openpty()
    tty.setraw(slave)  # a line ends as the program ends it
    try:
        running = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    finally:
        os.close(slave)
    copy_progress(master)
    os.close(master)
    return running.wait()


def copy_progress(master: int) -> None:
    """Copy what a terminal would show until its other end closes: finished lines at once, redrawn ones now and then."""
    buffer = b""
    printed = 0.0
    last = ""
    while chunk := read_terminal(master):
        buffer += TERMINAL_CONTROL.sub(b"", chunk)
        *pieces, buffer = re.split(rb"(?<=[\r\n])", buffer)
        for piece in pieces:
            text = piece.decode("utf-8", "replace").rstrip()
            finished = piece.endswith(b"\n")
            due = time.monotonic() - printed >= SECONDS_BETWEEN_PROGRESS_LINES
            if text and text != last and (finished or due):
                say("   " + text)
                printed, last = time.monotonic(), text


def read_terminal(master: int) -> bytes:
    try:
        return os.read(master, 65_536)
    except OSError:  # Linux answers so, macOS with an empty read, when the other end is closed
        return b""
