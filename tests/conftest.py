"""Fixtures of every test: real git in temporary folders, a cleared environment, fixed dates."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from cmgit.cli.boundary import run_guarded
from cmgit.cli.main import cli

FIXED_ENV = {
    "GIT_AUTHOR_NAME": "Ada Example",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada Example",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "GIT_CONFIG_NOSYSTEM": "1",
}


@pytest.fixture(autouse=True)
def hermetic_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No variable of git reaches a test, and a home of its own that must stay untouched but for the cache folder."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    for name, value in FIXED_ENV.items():
        monkeypatch.setenv(name, value)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    # The model is built once for all tests of a machine: building it takes longer than every other test.
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path(os.environ.get("CMGIT_TEST_CACHE", "/tmp/cmgit-test-cache"))))
    yield home
    assert not list(home.iterdir()), f"a test wrote into the home folder: {sorted(home.iterdir())}"


class GitRepo:
    """A git repository in a temporary folder, driven by the real git."""

    def __init__(self, path: Path, *init_args: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *init_args)

    def git(self, *args: str, stdin: bytes | None = None, check: bool = True) -> bytes:
        done = subprocess.run(["git", *args], cwd=self.path, input=stdin, capture_output=True, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes] | None = None, message: str = "change") -> str:
        """Write files, commit everything, and give the commit's tree."""
        if files:
            self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        return self.tree("HEAD")

    def tree(self, rev: str) -> str:
        return self.git("rev-parse", f"{rev}^{{tree}}").decode().strip()


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "repo")


class CmResult:
    """What one `git-cm` call gave: exit code, stdout, stderr."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def ok(self) -> CmResult:
        assert self.code == 0, self.err
        return self

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        assert self.code == 0, self.err
        return [json.loads(line) for line in self.out.splitlines()]


class Cm(Protocol):
    """Calls `git-cm` in a folder, in this process, through the same boundary as the console script."""

    def __call__(self, cwd: Path, *args: str, stdin: bytes = b"") -> CmResult: ...


@pytest.fixture
def cm(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cm:
    def call(cwd: Path, *args: str, stdin: bytes = b"") -> CmResult:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfd.readouterr()
        monkeypatch.setenv("CMGIT_DEBUG", "1")
        code = run_guarded(lambda: cli.main(args=list(args), prog_name="git-cm", standalone_mode=False))
        out, err = capfd.readouterr()
        return CmResult(code, out, err)

    return call
