"""The demo and the README's picture, run as a user runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], cwd=EXAMPLES, capture_output=True, text=True, check=False)


@pytest.mark.real
def test_the_demo_answers_by_three_routes_and_leaves_git_as_it_was() -> None:
    done = run("demo.py")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    for route in ("direct", "named", "search"):
        assert f"The route {route}" in done.stdout
    assert "git cm init" in done.stdout
    assert "Embedding" in done.stdout, "a log sees progress, too"
    assert "applyCode" in done.stdout, "the search finds the bug that the prompt describes"
    assert "(nothing, as before)" in done.stdout


@pytest.mark.real
def test_the_picture_in_the_readme_is_what_the_tool_answers() -> None:
    done = run("picture.py", "--check")
    assert done.returncode == 0, done.stderr


def test_the_demo_fails_where_there_is_no_repository(tmp_path: Path) -> None:
    done = run("demo.py", "--repo", str(tmp_path))
    assert done.returncode == 1
    assert "not a git repository" in done.stdout
