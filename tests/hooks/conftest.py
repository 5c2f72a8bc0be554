"""Repositories with the hooks in place, and a way to wait for what they started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cmgit.git.hooks import CONFIG_HOOKS, git_version
from cmgit.snapshot.lock import try_lock
from tests.conftest import Cm, GitRepo

CODE = "export function first(n: number) {\n  return n + 1\n}\n"


def settle(common: Path, seconds: float = 180.0) -> None:
    """Wait until the builder that hooks started has ended and left nothing behind."""
    end = time.monotonic() + seconds
    calm = 0
    while calm < 3:
        assert time.monotonic() < end, f"the builder did not end: {log_lines(common)}"
        calm = calm + 1 if not busy(common / "cm") else 0
        time.sleep(0.05)


def busy(cm_dir: Path) -> bool:
    if list((cm_dir / "queue").glob("*.request")) or list((cm_dir / "staged").glob("*.ready")):
        return True
    try:
        pid = int((cm_dir / "queue" / "runner").read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return is_locked(cm_dir / "queue")
    return True


def is_locked(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    lock = try_lock(str(folder), "test")
    if lock is not None:
        lock.close()
    return lock is None


def log_lines(common: Path) -> list[str]:
    path = common / "cm" / "build.log"
    return path.read_text().splitlines() if path.exists() else []


def published_lines(common: Path) -> list[str]:
    return [line for line in log_lines(common) if " published: " in line]


def snapshot_trees(common: Path) -> set[str]:
    return {path.name.split("-")[0] for path in (common / "cm" / "trees").glob("*")}


@pytest.fixture
def hooked(repo: GitRepo, cm: Cm, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """One commit, indexed without vectors, hooks in place."""
    return hook_up(repo, cm)


def hook_up(repo: GitRepo, cm: Cm) -> GitRepo:
    repo.git("config", "cm.vectors", "false")
    repo.git("config", "gc.auto", "0")
    repo.commit({"a.ts": CODE})
    cm(repo.path, "index").ok()
    cm(repo.path, "install", "git", "--yes").ok()
    return repo


def run(
    path: Path, *args: str, env: dict[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess[bytes]:
    """git with captured pipes, as an editor or an agent runs it."""
    return subprocess.run(["git", *args], cwd=path, env=env, capture_output=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def hook_command(*args: str) -> list[str]:
    return [sys.executable, "-I", "-m", "cmgit.cli.hook", *args]


EVENTS = ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite")
OFF = ("-c", "core.hooksPath=/dev/null", *(w for event in EVENTS for w in ("-c", f"hook.cm-{event}.enabled=false")))
"""git without hooks, scripts as well as settings."""

CONFIGURED = git_version() >= CONFIG_HOOKS
"""Whether the git of the PATH runs hooks from its settings, so that they are put there."""

scripts_only = pytest.mark.skipif(CONFIGURED, reason="this git has hooks in its settings")


@contextmanager
def hooks_off() -> Iterator[None]:
    """No hook of any kind for what git is called for here."""
    settings = dict(pair.split("=", 1) for pair in OFF[1::2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
        for number, (key, value) in enumerate(settings.items()):
            patch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            patch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
        yield


def hook_call(repo: GitRepo, event: str) -> list[str]:
    """What runs one hook as git does."""
    script = repo.path / ".git/hooks" / event
    return [str(script)] if script.exists() else ["git", "hook", "run", event]


def rewrite_hooks(repo: GitRepo, change: Callable[[str], str]) -> None:
    """Change the text of every hook, wherever it stands."""
    for event in EVENTS:
        script = repo.path / ".git/hooks" / event
        key = f"hook.cm-{event}.command"
        text = script.read_text() if script.exists() else repo.git("config", key).decode().removesuffix("\n")
        changed = change(text)
        assert changed != text
        if script.exists():
            script.write_text(changed)
        else:
            repo.git("config", key, changed)


def new_git() -> str | None:
    """A git that runs hooks from its settings, where this machine has one."""
    for candidate in (os.environ.get("CMGIT_TEST_NEW_GIT", ""), "/tmp/gitnew/bin/git", shutil.which("git") or ""):
        if candidate and Path(candidate).is_file():
            text = subprocess.run([candidate, "version"], capture_output=True, check=False, text=True).stdout
            numbers = text.split()[2].split(".")
            if (int(numbers[0]), int(numbers[1])) >= (2, 54):
                return candidate
    return None


Settle = Callable[[Path], None]
