"""Builds the example repository: the shop of `examples/shop` with the history that `examples/history` describes.

The last commit holds `examples/shop` exactly. For an earlier commit, a file is taken from that commit's folder in
`examples/history` where it stands there (it looked different then), and from `examples/shop` where it does not.
Author, dates and settings are fixed, so the commits have the same ids on every machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
SHOP = EXAMPLES / "shop"
HISTORY = EXAMPLES / "history"

AUTHOR_NAME = "Shop Example"
AUTHOR_EMAIL = "shop@example.com"


@dataclass(frozen=True, slots=True)
class Step:
    """One commit. folder: its name in `examples/history`. date: ISO 8601. files: what it adds or changes."""

    folder: str
    date: str
    message: str
    files: tuple[str, ...]

    def source(self, path: str) -> Path:
        """Where the text of a file stands for this commit."""
        earlier = HISTORY / self.folder / path
        return earlier if earlier.is_file() else SHOP / path


def read_history() -> tuple[Step, ...]:
    described = json.loads((HISTORY / "history.json").read_text(encoding="utf-8"))
    return tuple(
        Step(commit["folder"], commit["date"], commit["message"], tuple(commit["files"]))
        for commit in described["commits"]
    )


def hermetic_git_env(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without any setting of git that is the user's or the machine's."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": AUTHOR_NAME,
        "GIT_AUTHOR_EMAIL": AUTHOR_EMAIL,
        "GIT_COMMITTER_NAME": AUTHOR_NAME,
        "GIT_COMMITTER_EMAIL": AUTHOR_EMAIL,
    }


def build_shop_repository(target: Path) -> str:
    """Makes the repository in a new folder and gives the id of its last commit."""
    target.mkdir(parents=True)
    env = hermetic_git_env(os.environ)

    def git(*args: str, date: str = "") -> str:
        dated = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        done = subprocess.run(["git", *args], cwd=target, env=env | dated, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet", "--template=", "--initial-branch=main")
    for step in read_history():
        for path in step.files:
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(step.source(path), place)
        git("add", "--all")
        git("commit", "--quiet", "--message", step.message, date=step.date)
    return git("rev-parse", "HEAD")
