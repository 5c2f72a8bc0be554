"""The log of what was injected."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from cmgit.agents import log


def test_a_line_stays_a_line_whatever_is_in_it(tmp_path: Path) -> None:
    log.write(str(tmp_path), "claude prompt", "shown: a\nb\x1b[2J\u202e.ts", prompt="two\nlines \ud800")
    (line,) = (tmp_path / log.NAME).read_text("utf-8").splitlines()
    assert line.endswith("| two\\nlines \\ud800")
    assert "a\\nb\\x1b[2J\\u202e.ts" in line
    assert (tmp_path / log.NAME).stat().st_mode & 0o077 == 0


def test_it_is_rotated_and_stays_small(tmp_path: Path) -> None:
    for _ in range(5_000):
        log.write(str(tmp_path), "claude prompt", "x" * 200)
    assert {path.name for path in tmp_path.iterdir()} == {log.NAME, log.NAME + ".1"}
    assert all(path.stat().st_size < log.LARGEST + 1_000 for path in tmp_path.iterdir())


def test_nothing_is_made_where_there_is_no_folder_and_no_link_is_followed(tmp_path: Path) -> None:
    log.write(str(tmp_path / "none"), "claude prompt", "x")
    assert not (tmp_path / "none").exists()
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / log.NAME).symlink_to(target)
    log.write(str(tmp_path), "claude prompt", "x")
    assert target.read_text() == "precious"


def test_a_pipe_of_that_name_is_not_waited_for(tmp_path: Path) -> None:
    """An unpacked archive may bring one along; nobody ever reads from it."""
    os.mkfifo(tmp_path / log.NAME)
    signal.alarm(10)
    try:
        log.write(str(tmp_path), "claude prompt", "x")
    finally:
        signal.alarm(0)
