"""The pre-commit framework's configuration: edited as text, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cmgit.agents.pre_commit import HOOK_TYPES, with_block, without_block
from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, OFF, hook_command, log_lines, run, settle

ROOT = Path(__file__).parents[2]

CONFIGS = {
    "usual": (
        "# our checks\ndefault_stages: [pre-commit]\nrepos:\n  # first\n"
        "  - repo: https://github.com/pre-commit/pre-commit-hooks\n    rev: v5.0.0  # pinned\n    hooks:\n"
        "      - id: trailing-whitespace\n\n      - id: check-yaml\n        args: ['--unsafe']\n"
    ),
    "items without indentation": "repos:\n- repo: meta\n  hooks:\n  - id: identity\n\nfail_fast: true # at the end\n",
    "keys after the list": "repos:\n    - repo: local\n      hooks: []\n\n# a comment\nci:\n    skip: [x]\n",
    "a document mark": "---\nrepos:\n  - repo: meta\n    hooks: [{id: identity}]\n",
    "Windows": "repos:\r\n  - repo: meta\r\n    hooks:\r\n      - id: identity\r\n",
}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_addition_keeps_every_line_and_goes_without_a_trace(name: str) -> None:
    before = CONFIGS[name]
    after = with_block(before)
    assert after is not None
    assert without_block(after) == before
    kept = after.splitlines()
    for line in before.splitlines():
        assert line in kept
    assert ("\r\n" in after) == ("\r\n" in before)
    assert after.count("\n") - after.count("\r\n") == (0 if "\r\n" in before else after.count("\n"))


DOUBTFUL = {
    "a list in brackets": "repos: [{repo: meta, hooks: [{id: identity}]}]\n",
    "no list": "fail_fast: true\n",
    "an empty list": "repos:\n",
    "two documents": "repos:\n- repo: meta\n  hooks: []\n---\nrepos:\n- repo: meta\n  hooks: []\n",
    "a block of text": "repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: |\n      a\n    - b\n",
    "no newline at the end": "repos:\n- repo: meta\n  hooks: []",
    "tabs": "repos:\n- repo: meta\n  hooks:\t[]\n",
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_form_that_leaves_a_doubt_is_not_edited(name: str, repo: GitRepo, cm: Cm) -> None:
    assert with_block(DOUBTFUL[name]) is None
    repo.write({".pre-commit-config.yaml": DOUBTFUL[name]})
    refused = cm(repo.path, "install", "pre-commit", "--yes")
    assert refused.code == 1
    assert "\n  - id: cm-index\n" in refused.err
    assert (repo.path / ".pre-commit-config.yaml").read_bytes() == DOUBTFUL[name].encode()


def test_a_new_configuration_is_made_and_removed(repo: GitRepo, cm: Cm) -> None:
    said = cm(repo.path, "install", "pre-commit", "--yes").ok()
    assert "-t post-rewrite" in said.err
    assert (repo.path / ".pre-commit-config.yaml").read_text().startswith("repos:\n")
    assert "nothing to change" in cm(repo.path, "install", "pre-commit", "--yes").ok().out
    cm(repo.path, "uninstall", "pre-commit", "--yes").ok()
    assert not (repo.path / ".pre-commit-config.yaml").exists()


def test_the_manifest_names_every_stage_and_asks_for_no_files() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert text.count("always_run: true") == text.count("pass_filenames: false") == 2
    for kind in HOOK_TYPES:
        assert kind in text


def fake_git_cm(folder: Path) -> Path:
    folder.mkdir(parents=True)
    program = folder / "git-cm"
    program.write_text(f'#!/bin/sh\necho "$*" >>"{folder}/called"\n')
    program.chmod(0o755)
    return folder / "called"


def test_an_environment_of_a_framework_hands_over_to_the_users_own(hooked: GitRepo, tmp_path: Path) -> None:
    called = fake_git_cm(tmp_path / "users")
    path = f"{Path(sys.executable).parent}:{tmp_path}/users:/usr/bin:/bin"
    env = os.environ | {"PRE_COMMIT": "1", "PATH": path}
    done = subprocess.run(hook_command("post-commit"), cwd=hooked.path, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert called.read_text() == "hook post-commit\n"
    assert not (hooked.path / ".git/cm/queue/main.request").exists()


def test_without_one_it_does_the_work_itself(hooked: GitRepo) -> None:
    env = os.environ | {"PRE_COMMIT": "1", "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    hooked.write({"a.ts": "export const a = 2\n"})
    hooked.git(*OFF, "commit", "-qam", "two")
    done = subprocess.run(hook_command("post-commit"), cwd=hooked.path, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(hooked.path / ".git")
    assert hooked.tree("HEAD") in (hooked.path / ".git/cm/heads/main").read_text()


@pytest.fixture(scope="session")
def frameworks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pre-commit and prek from PyPI."""
    folder = tmp_path_factory.mktemp("frameworks")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(folder / "bin/pip"), "install", "-q", "pre-commit", "prek"], check=True)
    return folder / "bin"


@pytest.mark.real
@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_frameworks_run_the_hooks_quietly_and_head_is_published(
    frameworks: Path, framework: str, repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PREK_HOME", str(tmp_path / "home"))
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "git-cm").write_text(f'#!/bin/sh\nshift\nexec {" ".join(hook_command())} "$@"\n')
    (scripts / "git-cm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{scripts}:{frameworks}:{os.environ['PATH']}")
    repo.git("config", "cm.vectors", "false")
    repo.write({".pre-commit-config.yaml": CONFIGS["items without indentation"]})
    cm(repo.path, "install", "pre-commit", "--yes").ok()
    repo.commit({"a.ts": CODE})
    cm(repo.path, "index").ok()
    command = [framework, "install", *(word for kind in HOOK_TYPES for word in ("-t", kind))]
    subprocess.run(command, cwd=repo.path, check=True, capture_output=True)
    repo.write({"a.ts": CODE + "export const two = 2\n", "unstaged.ts": CODE})
    repo.git("add", "a.ts")
    done = run(repo.path, "commit", "-m", "two")
    assert done.returncode == 0, done.stderr
    settle(repo.path / ".git")
    assert repo.tree("HEAD") in (repo.path / ".git/cm/heads/main").read_text()
    assert not any("failed" in line for line in log_lines(repo.path / ".git"))
    run(repo.path, "checkout", "-q", "-b", "side", "HEAD~1")
    settle(repo.path / ".git")
    assert repo.tree("HEAD") in (repo.path / ".git/cm/heads/main").read_text()


@pytest.mark.real
def test_the_manifest_is_valid_and_its_environment_indexes(
    frameworks: Path, repo: GitRepo, cm: Cm, tmp_path: Path
) -> None:
    checked = subprocess.run(
        [str(frameworks / "pre-commit"), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")],
        capture_output=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    for text in CONFIGS.values():
        after = with_block(text.replace("hooks: []", "hooks: [{id: x, name: x, entry: x, language: system}]"))
        assert after is not None
        (tmp_path / "config.yaml").write_text(after)
        checked = subprocess.run(
            [str(frameworks / "pre-commit"), "validate-config", str(tmp_path / "config.yaml")],
            capture_output=True,
            check=False,
        )
        assert checked.returncode == 0, checked.stdout + after.encode()
