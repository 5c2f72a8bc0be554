"""Putting hooks in place and taking them away, whatever stands there already."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cmgit.agents import hook_scripts as scripts
from cmgit.agents.git_hooks import EVENTS
from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, new_git, run, scripts_only, settle

Tree = dict[str, tuple[int, bytes]]


def tree_of(folder: Path) -> Tree:
    """Mode and content of every file below a folder; a link by its target."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        if "cm" in path.relative_to(folder).parts or path.is_dir():
            continue
        data = bytes(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[str(path.relative_to(folder))] = (stat.S_IMODE(path.lstat().st_mode), data)
    return found


def put(path: Path, text: str, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@scripts_only
def test_install_shows_and_asks_before_it_changes(repo: GitRepo, cm: Cm) -> None:
    before = tree_of(repo.path / ".git")
    shown = cm(repo.path, "install", "git")
    assert shown.code == 1
    assert "--yes" in shown.err
    assert ".git/hooks/post-commit" in shown.out
    assert tree_of(repo.path / ".git") == before


@scripts_only
def test_json_shows_and_changes_nothing_without_yes(repo: GitRepo, cm: Cm) -> None:
    answer = cm(repo.path, "install", "--json").json
    assert not answer["applied"]
    assert len(answer["changes"]) == len(EVENTS) + 1  # one of them is a link
    assert not (repo.path / ".git" / "hooks" / "post-commit").exists()


@scripts_only
def test_install_twice_changes_nothing_and_uninstall_restores_every_byte(repo: GitRepo, cm: Cm) -> None:
    before = tree_of(repo.path / ".git")
    cm(repo.path, "install", "git", "--yes").ok()
    once = tree_of(repo.path / ".git")
    assert {f"hooks/{event}" for event in EVENTS} <= set(once)
    assert "nothing to change" in cm(repo.path, "install", "git", "--yes").ok().out
    assert tree_of(repo.path / ".git") == once
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert tree_of(repo.path / ".git") == before
    assert "nothing" in cm(repo.path, "uninstall", "git", "--yes").ok().out


EXISTING = {
    "a shell script": ('#!/bin/sh\necho here >>"$(git rev-parse --git-dir)/ran"\n', 0o755),
    "bash with options": ("#!/usr/bin/env bash\nset -euo pipefail\necho here >>.git/ran\n", 0o700),
    "no newline at the end": ("#!/bin/sh\necho here >>.git/ran", 0o755),
    "python": ("#!/usr/bin/env python3\nopen('.git/ran', 'a').write('here\\n')\n", 0o755),
    "first line without newline": ("#!/bin/sh", 0o755),
    "a shell of its own": ("#!/bin/sh -e\nexec 1>&2\necho here >>.git/ran\nexit 0\n", 0o755),
}


@pytest.mark.parametrize("name", EXISTING)
def test_a_hook_that_is_there_still_runs_and_comes_back_to_the_byte(repo: GitRepo, cm: Cm, name: str) -> None:
    text, mode = EXISTING[name]
    repo.git("config", "cm.vectors", "false")
    repo.commit({"a.ts": CODE})
    for event in ("post-commit", "pre-commit"):
        put(repo.path / ".git/hooks" / event, text, mode)
    before = tree_of(repo.path / ".git")
    cm(repo.path, "install", "git", "--yes").ok()
    repo.write({"a.ts": CODE + "// more\n"})
    done = run(repo.path, "commit", "-qam", "two")
    assert done.returncode == 0, done.stderr
    settle(repo.path / ".git")
    ran = repo.path / ".git" / "ran"
    if "here" in text:
        assert ran.read_text() == "here\n" * 2
        ran.unlink()
    assert (repo.path / ".git/cm/heads/main").exists()
    cm(repo.path, "uninstall", "git", "--yes").ok()
    after = tree_of(repo.path / ".git")
    assert {path: after[path] for path in after if path.startswith("hooks/")} == {
        path: before[path] for path in before if path.startswith("hooks/")
    }


def test_a_hook_that_refuses_a_commit_still_refuses_it(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": CODE})
    put(repo.path / ".git/hooks/pre-commit", "#!/bin/sh\necho no >&2\nexit 3\n")
    cm(repo.path, "install", "git", "--yes").ok()
    repo.write({"a.ts": "// changed\n"})
    done = run(repo.path, "commit", "-qam", "two")
    assert done.returncode == 1
    assert done.stderr == b"no\n"
    assert not (repo.path / ".git/cm/staged").exists()


def test_a_hook_without_the_executable_bit_stays_switched_off(repo: GitRepo, cm: Cm) -> None:
    repo.git("config", "cm.vectors", "false")
    repo.commit({"a.ts": CODE})
    put(repo.path / ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o644)
    before = tree_of(repo.path / ".git/hooks")
    cm(repo.path, "install", "git", "--yes").ok()
    repo.write({"a.ts": "// changed\n"})
    assert run(repo.path, "commit", "-qam", "two").returncode == 0
    settle(repo.path / ".git")
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert tree_of(repo.path / ".git/hooks") == before


def test_a_link_to_a_tracked_script_is_chained_and_the_script_untouched(repo: GitRepo, cm: Cm) -> None:
    script = put(repo.path / "tools/check.sh", "#!/bin/sh\ntouch .git/ran\n")
    repo.git("config", "cm.vectors", "false")
    repo.commit({"a.ts": CODE})
    (repo.path / ".git/hooks/post-commit").symlink_to("../../tools/check.sh")
    text = script.read_bytes()
    before = tree_of(repo.path / ".git/hooks")
    cm(repo.path, "install", "git", "--yes").ok()
    repo.write({"a.ts": "// changed\n"})
    run(repo.path, "commit", "-qam", "two")
    settle(repo.path / ".git")
    assert script.read_bytes() == text
    assert (repo.path / ".git/ran").exists()
    assert repo.git("status", "--porcelain") == b""
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert tree_of(repo.path / ".git/hooks") == before


def husky(repo: GitRepo) -> Path:
    """The layout that husky 9 makes: `_/h` finds the user's script by the name of `$0`."""
    helper = (
        '#!/usr/bin/env sh\nn=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n'
        '[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\nc=$?\nexit $c\n'
    )
    for event in EVENTS:
        put(repo.path / ".husky/_" / event, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"')
    put(repo.path / ".husky/_/h", helper, 0o644)
    put(repo.path / ".husky/_/.gitignore", "*", 0o644)
    put(repo.path / ".husky/pre-commit", "echo lint >>.git/ran\n", 0o644)
    put(repo.path / ".husky/post-commit", "echo sent >>.git/ran\n", 0o644)
    repo.git("config", "core.hooksPath", ".husky/_")
    return repo.path / ".husky/_"


def test_husky_keeps_working_and_git_status_stays_clean(repo: GitRepo, cm: Cm) -> None:
    folder = husky(repo)
    repo.git("config", "cm.vectors", "false")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "--allow-empty", "-qm", "zero")
    repo.write({"a.ts": CODE})
    repo.git("add", ".")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "one")
    before = tree_of(folder)
    cm(repo.path, "index").ok()
    cm(repo.path, "install", "git", "--yes").ok()
    assert repo.git("status", "--porcelain") == b""
    repo.write({"a.ts": "// changed\n"})
    done = run(repo.path, "commit", "-qam", "two")
    assert done.returncode == 0, done.stderr
    settle(repo.path / ".git")
    assert (repo.path / ".git/ran").read_text() == "lint\nsent\n"
    assert repo.tree("HEAD") in (repo.path / ".git/cm/heads/main").read_text()
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert tree_of(folder) == before


@scripts_only
def test_scripts_that_are_tracked_files_are_left_alone(repo: GitRepo, cm: Cm) -> None:
    put(repo.path / ".githooks/pre-commit", "#!/bin/sh\n")
    repo.git("config", "core.hooksPath", ".githooks")
    refused = cm(repo.path, "install", "git", "--yes")
    assert refused.code == 1
    assert 'git-cm-hook "${0##*/}" "$@"' in refused.err
    assert sorted(path.name for path in (repo.path / ".githooks").iterdir()) == ["pre-commit"]


@scripts_only
def test_a_folder_that_all_repositories_share_is_left_alone(
    repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[core]\n\thooksPath = {tmp_path}/shared\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    refused = cm(repo.path, "install", "git", "--yes")
    assert refused.code == 1
    assert "all repositories" in refused.err
    assert not (tmp_path / "shared").exists()


def test_the_scripts_of_pre_commit_and_lefthook_get_lines_and_lose_them_again() -> None:
    for text in (
        b"#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n# ID: 138fd403232d\n",
        b'#!/bin/sh\n\nif [ "$LEFTHOOK_VERBOSE" = "1" ]; then\n  set -x\nfi\n\ncall_lefthook run "pre-commit" "$@"\n',
    ):
        lines = scripts.block(scripts.Kind.BLOCK, "pre-commit", "/x/git-hook.sh", "/x/python", "-I")
        assert scripts.is_shell_script(text)
        assert scripts.split_block(scripts.with_block(text, lines)) == (scripts.Kind.BLOCK, text)


@scripts_only
def test_a_script_that_pre_commit_moved_aside_is_found_again(repo: GitRepo, cm: Cm) -> None:
    cm(repo.path, "install", "git", "--yes").ok()
    hooks = repo.path / ".git/hooks"
    (hooks / "pre-commit").rename(hooks / "pre-commit.legacy")
    put(hooks / "pre-commit", '#!/bin/sh\n. "$0.legacy"\n')
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert sorted(path.name for path in hooks.iterdir() if not path.name.endswith(".sample")) == ["pre-commit"]


@scripts_only
def test_lines_that_a_user_added_to_our_file_stay(repo: GitRepo, cm: Cm) -> None:
    cm(repo.path, "install", "git", "--yes").ok()
    hook = repo.path / ".git/hooks/post-merge"
    hook.write_text(hook.read_text() + "echo merged\n")
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert hook.read_text() == "#!/bin/sh\necho merged\n"


def test_a_linked_worktree_installs_for_the_whole_repository(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    repo.commit({"a.ts": CODE})
    repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    cm(tmp_path / "other", "install", "git", "--yes").ok()
    assert (repo.path / ".git/hooks/post-commit").exists()
    assert "nothing to change" in cm(repo.path, "install", "git", "--yes").ok().out


def test_a_path_with_blanks_and_quotes_is_quoted() -> None:
    text = scripts.call("post-merge", "/a b/it's/git-hook.sh", "/p y/python", "-I")
    assert "'/a b/it'\"'\"'s/git-hook.sh'" in text
    assert "'/p y/python'" in text


@pytest.mark.skipif(new_git() is None, reason="no git 2.54 here")
def test_a_new_git_gets_settings_instead_of_scripts(
    repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = new_git()
    assert program is not None
    monkeypatch.setenv("PATH", f"{Path(program).parent}:{os.environ['PATH']}")
    repo.git("config", "cm.vectors", "false")
    put(repo.path / ".githooks/post-commit", "#!/bin/sh\ntouch .git/ran\n")
    repo.git("config", "core.hooksPath", ".githooks")
    before = tree_of(repo.path)
    cm(repo.path, "install", "git", "--yes").ok()
    after = tree_of(repo.path)
    assert [path for path in after if after[path] != before.get(path)] == [".git/config"]
    assert "nothing to change" in cm(repo.path, "install", "git", "--yes").ok().out
    repo.write({"a.ts": CODE})
    repo.git("add", ".")
    done = run(repo.path, "commit", "-qm", "one")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(repo.path / ".git")
    assert (repo.path / ".git/ran").exists()
    assert repo.tree("HEAD") in (repo.path / ".git/cm/heads/main").read_text()
    cm(repo.path, "uninstall", "git", "--yes").ok()
    assert (repo.path / ".git/config").read_bytes() == before[".git/config"][1]


@pytest.mark.skipif(new_git() is None, reason="no git 2.54 here")
@pytest.mark.parametrize("scope", ["project", "user"])
def test_settings_without_a_newline_at_their_end_come_back_to_the_byte(
    repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    program = new_git()
    assert program is not None
    monkeypatch.setenv("PATH", f"{Path(program).parent}:{os.environ['PATH']}")
    path = repo.path / ".git/config"
    if scope == "user":
        path = tmp_path / "gitconfig"
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))
    with path.open("a") as stream:
        stream.write("[cm]\n\tvectors = false # no newline after this")
    before = path.read_bytes()
    for added in ("", "[user]\n\tname = x\n"):
        cm(repo.path, "install", "git", "--scope", scope, "--yes").ok()
        assert "nothing to change" in cm(repo.path, "install", "git", "--scope", scope, "--yes").ok().out
        with path.open("a") as stream:
            stream.write(added)
        cm(repo.path, "uninstall", "git", "--scope", scope, "--yes").ok()
        assert path.read_bytes() == (before + b"\n" + added.encode() if added else before)


@pytest.mark.skipif(new_git() is None, reason="no git 2.54 here")
def test_for_all_repositories_hooks_act_only_where_there_is_an_index(
    repo: GitRepo, cm: Cm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = new_git()
    assert program is not None
    monkeypatch.setenv("PATH", f"{Path(program).parent}:{os.environ['PATH']}")
    settings = tmp_path / "gitconfig"
    settings.write_text("[cm]\n\tvectors = false\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    before = settings.read_bytes()
    cm(repo.path, "install", "git", "--scope", "user", "--yes").ok()
    repo.write({"a.ts": CODE})
    repo.git("add", ".")
    run(repo.path, "commit", "-qm", "one")
    settle(repo.path / ".git")
    assert not (repo.path / ".git/cm").exists()
    cm(repo.path, "index").ok()
    repo.write({"a.ts": "// changed\n"})
    run(repo.path, "commit", "-qam", "two")
    settle(repo.path / ".git")
    assert repo.tree("HEAD") in (repo.path / ".git/cm/heads/main").read_text()
    cm(repo.path, "uninstall", "git", "--scope", "user", "--yes").ok()
    assert settings.read_bytes() == before
