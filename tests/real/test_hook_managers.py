"""husky, lefthook, pre-commit and prek as they come from their registries, with the hooks in place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, hook_command, log_lines, run, settle
from tests.hooks.test_hooks import head_is_published
from tests.hooks.test_pre_commit import HOOK_TYPES, frameworks

pytestmark = pytest.mark.real

__all__ = ["frameworks"]
ROOT = Path(__file__).parents[2]


def npm(repo: GitRepo, *args: str) -> None:
    done = subprocess.run(["npm", *args], cwd=repo.path, capture_output=True, check=False, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"npm {' '.join(args)}: {done.stderr[-300:]}")


def package(repo: GitRepo, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install one package of the registry; its programs."""
    monkeypatch.setenv("npm_config_cache", str(repo.path.parent / "npm-cache"))
    monkeypatch.setenv("npm_config_update_notifier", "false")
    for variable in ("LEFTHOOK", "HUSKY", "CI"):
        monkeypatch.delenv(variable, raising=False)
    repo.git("config", "cm.vectors", "false")
    repo.write({"package.json": json.dumps({"name": "x", "private": True}), ".gitignore": "node_modules\n.npm\n"})
    npm(repo, "install", "--save-dev", "--no-fund", "--no-audit", name)
    return repo.path / "node_modules/.bin"


def commit_and_look(repo: GitRepo, number: int) -> None:
    repo.write({"a.ts": f"export const a = {number}\n"})
    repo.git("add", ".")
    done = run(repo.path, "commit", "-qm", f"{number}")
    assert done.returncode == 0, done.stderr
    settle(repo.path / ".git")
    assert head_is_published(repo), log_lines(repo.path / ".git")


def test_husky_runs_its_hooks_and_ours(repo: GitRepo, cm: Cm, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = package(repo, "husky@9", monkeypatch)
    subprocess.run([str(programs / "husky")], cwd=repo.path, check=True, capture_output=True)
    assert repo.git("config", "core.hooksPath") == b".husky/_\n"
    repo.write({".husky/pre-commit": "echo checked >>.git/ran\n", ".husky/post-commit": "echo sent >>.git/ran\n"})
    cm(repo.path, "install", "git", "--yes").ok()
    commit_and_look(repo, 1)
    assert (repo.path / ".git/ran").read_text() == "checked\nsent\n"
    assert repo.git("status", "--porcelain") == b""
    # `npm install` runs husky again, which writes its scripts anew: the doctor says so, and `install` mends it.
    subprocess.run([str(programs / "husky")], cwd=repo.path, check=True, capture_output=True)
    cm(repo.path, "install", "git", "--yes").ok()
    commit_and_look(repo, 2)
    assert "all 5 stand" in cm(repo.path, "doctor").out
    # The line for scripts of one's own needs no mending: husky's own files call the user's.
    cm(repo.path, "uninstall", "git", "--yes").ok()
    subprocess.run([str(programs / "husky")], cwd=repo.path, check=True, capture_output=True)
    bin_dir = repo.path.parent / "bin"
    bin_dir.mkdir()
    (bin_dir / "git-cm-hook").write_text(f'#!/bin/sh\nexec {" ".join(hook_command())} "$@"\n')
    (bin_dir / "git-cm-hook").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_dir}:{os.environ['PATH']}")
    line = '! command -v git-cm-hook >/dev/null || git-cm-hook "${0##*/}" "$@"\n'
    repo.write({".husky/pre-commit": f"echo checked >>.git/ran\n{line}", ".husky/post-commit": line})
    commit_and_look(repo, 3)


def test_lefthook_runs_its_hooks_and_ours(repo: GitRepo, cm: Cm, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = package(repo, "lefthook@1", monkeypatch)
    commands = "pre-commit:\n  commands:\n    check:\n      run: echo checked >>.git/ran\n"
    repo.write({"lefthook.yml": commands + commands.replace("pre-commit", "post-commit").replace("checked", "sent")})
    done = run(repo.path, "version")  # lefthook finds git by the PATH
    assert done.returncode == 0
    subprocess.run([str(programs / "lefthook"), "install", "-f"], cwd=repo.path, check=True, capture_output=True)
    before = {path.name: path.read_bytes() for path in (repo.path / ".git/hooks").iterdir()}
    cm(repo.path, "install", "git", "--yes").ok()
    commit_and_look(repo, 1)
    assert (repo.path / ".git/ran").read_text() == "checked\nsent\n"
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert {path.name: path.read_bytes() for path in (repo.path / ".git/hooks").iterdir()} == before


@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_this_repository_as_a_hook_repository_in_an_environment_of_its_own(
    frameworks: Path, framework: str, repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`language: python`: the framework clones, builds and installs it; nothing else of cmgit is on the PATH."""
    clone = tmp_path / "cmgit"
    subprocess.run(["git", "clone", "-q", "--no-local", str(ROOT), str(clone)], check=True)
    rev = subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, check=True, capture_output=True, text=True).stdout
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PREK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    others = [part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "git-cm").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join([str(frameworks), *others]))
    ids = "".join(f"  - id: {name}\n" for name in ("cm-stage", "cm-index"))
    repo.git("config", "cm.vectors", "false")
    repo.write({".pre-commit-config.yaml": f"repos:\n- repo: {clone}\n  rev: {rev.strip()}\n  hooks:\n{ids}"})
    repo.commit({"a.ts": CODE})
    cm(repo.path, "index").ok()
    types = [word for kind in HOOK_TYPES for word in ("-t", kind)]
    command = [framework, "install", "--install-hooks", *types]
    done = subprocess.run(command, cwd=repo.path, capture_output=True, check=False, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    repo.write({"unstaged.ts": CODE})
    commit_and_look(repo, 2)
    assert not any("failed" in line for line in log_lines(repo.path / ".git"))
    environments = list((tmp_path / "home").rglob("git-cm-hook"))
    assert environments, "the environment has the shell script"
    # The user's own installation comes first where there is one.
    called = tmp_path / "called"
    users = tmp_path / "users"
    users.mkdir()
    for name in ("git-cm", "git-cm-hook"):
        (users / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"{called}"\n')
        (users / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{users}")
    repo.write({"a.ts": "export const a = 3\n"})
    assert run(repo.path, "commit", "-qam", "3").returncode == 0
    assert called.read_text() == "git-cm-hook pre-commit\ngit-cm-hook post-commit\n"
    assert sys.prefix not in str(environments)
