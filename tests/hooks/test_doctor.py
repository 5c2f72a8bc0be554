"""What the doctor finds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cmgit.index.build_log import MAX_BYTES, last_lines, log_build
from cmgit.index.hooks import MAX_ATTEMPTS, succeeded, worth_trying
from cmgit.snapshot.lock import try_lock
from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, scripts_only


def findings(cm: Cm, path: Path) -> dict[str, tuple[str, str, str]]:
    """The worst finding of each check."""
    result = cm(path, "doctor", "--json")
    rows = json.loads(result.out)["findings"]
    order = {"ok": 0, "note": 1, "wrong": 2}
    worst: dict[str, tuple[str, str, str]] = {}
    for row in sorted(rows, key=lambda row: order[row["state"]]):
        worst[row["check"]] = (row["state"], row["message"], row["hint"])
    assert result.code == int(any(row["state"] == "wrong" for row in rows))
    return worst


def test_a_healthy_repository_has_nothing_to_mend(hooked: GitRepo, cm: Cm) -> None:
    found = findings(cm, hooked.path)
    assert {state for name, (state, _, _) in found.items() if name != "model"} == {"ok"}
    assert found["model"][0] == "note"  # cm.vectors is false here
    text = cm(hooked.path, "doctor").ok().out
    assert "all 5 stand in" in text


def test_outside_a_repository_it_says_so(tmp_path: Path, cm: Cm) -> None:
    assert findings(cm, tmp_path)["repository"][0] == "wrong"


def test_misspelt_and_senseless_settings_are_named(hooked: GitRepo, cm: Cm) -> None:
    hooked.git("config", "cm.maxBlobByte", "3")
    state, message, hint = findings(cm, hooked.path)["settings"]
    assert (state, message) == ("note", "there is no setting cm.maxblobbyte")
    assert "cm.maxBlobBytes" in hint
    hooked.git("config", "cm.budget", "lots")
    assert findings(cm, hooked.path)["settings"][0] == "wrong"


@scripts_only
def test_hooks_that_are_gone_or_call_another_installation_are_found(hooked: GitRepo, cm: Cm) -> None:
    hook = hooked.path / ".git/hooks/post-merge"
    text = hook.read_text()
    hook.write_text(text.replace(".venv/bin/python", ".venv/bin/old"))
    assert "another installation" in findings(cm, hooked.path)["hooks"][1]
    hook.write_text(text)
    hook.chmod(0o644)
    assert "may not be executed" in findings(cm, hooked.path)["hooks"][1]
    hook.unlink()
    state, message, hint = findings(cm, hooked.path)["hooks"]
    assert (state, hint) == ("wrong", "run `git cm install git`")
    assert "post-merge" in message


def test_a_hook_that_stands_aside_for_a_rebase_is_in_place(hooked: GitRepo, cm: Cm) -> None:
    hook = hooked.path / ".git/cm/hooks/post-commit"
    hook.rename(hook.with_name("post-commit.off"))
    assert "all 5 stand in" in cm(hooked.path, "doctor").ok().out
    hook.with_name("post-commit.off").unlink()
    assert "the next commit has it made anew" in cm(hooked.path, "doctor").ok().out


@scripts_only
def test_lines_of_the_users_own_scripts_are_seen(repo: GitRepo, cm: Cm) -> None:
    script = repo.path / ".githooks/post-commit"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\n! command -v git-cm-hook >/dev/null || git-cm-hook "${0##*/}" "$@"\n')
    repo.git("config", "core.hooksPath", ".githooks")
    repo.commit({"a.ts": CODE})
    assert "call cmgit at post-commit" in cm(repo.path, "doctor").out
    script.write_text("#!/bin/sh\n")
    assert 'git-cm-hook "${0##*/}" "$@"' in cm(repo.path, "doctor").out


def test_without_hooks_it_names_the_installer(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": CODE})
    found = findings(cm, repo.path)
    assert found["hooks"][0] == found["index"][0] == "note"
    assert "install git" in found["hooks"][2]
    assert "git cm init" in found["index"][2]
    assert not (repo.path / ".git/cm").exists()


def test_a_store_of_another_format_a_cut_and_a_missing_file_are_found(hooked: GitRepo, cm: Cm) -> None:
    segment = next((hooked.path / ".git/cm/segments").iterdir())
    data = segment.read_bytes()
    segment.write_bytes(data[:-1])
    state, message, hint = findings(cm, hooked.path)["index"]
    assert state == "wrong"
    assert segment.stem in message
    assert "git cm index" in hint
    segment.unlink()
    assert findings(cm, hooked.path)["index"][0] == "wrong"
    segment.write_bytes(data)
    assert findings(cm, hooked.path)["index"][0] == "ok"
    (hooked.path / ".git/cm/format").write_text("99\n")
    assert findings(cm, hooked.path)["index"][0] == "wrong"


def test_a_running_build_and_a_failed_one_are_named(hooked: GitRepo, cm: Cm) -> None:
    cm_dir = hooked.path / ".git/cm"
    lock = try_lock(str(cm_dir), "build")
    assert lock is not None
    with lock:
        assert str(os.getpid()) in findings(cm, hooked.path)["lock"][1]
    assert "lock" not in findings(cm, hooked.path)
    log_build(str(cm_dir), "post-commit in main: failed: no space left")
    assert findings(cm, hooked.path)["builds"][0] == "wrong"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to give a repository away")
def test_a_repository_of_another_user_gets_gits_own_advice(hooked: GitRepo, cm: Cm) -> None:
    os.chown(hooked.path, 65534, 65534)
    os.chown(hooked.path / ".git", 65534, 65534)
    state, _, hint = findings(cm, hooked.path)["repository"]
    assert state == "wrong"
    assert "safe.directory" in hint


def test_the_log_stays_small_and_its_lines_whole(tmp_path: Path) -> None:
    for number in range(MAX_BYTES // 500 * 2):
        log_build(str(tmp_path), f"{number} " + "x" * 500 + "\nno second line")
    assert (tmp_path / "build.log").stat().st_size <= MAX_BYTES + 1_000
    assert {path.name for path in tmp_path.iterdir()} == {"build.log", "build.log.1"}
    assert last_lines(str(tmp_path), 1)[0].endswith("no second line")


def test_a_tree_that_fails_again_and_again_is_left_alone_for_a_while(tmp_path: Path) -> None:
    """DeusData/codebase-memory-mcp#1864"""
    (tmp_path / "queue").mkdir()
    where = str(tmp_path)
    assert [worth_trying(where, "a") for _ in range(MAX_ATTEMPTS + 2)] == [True] * MAX_ATTEMPTS + [False] * 2
    assert worth_trying(where, "b")
    succeeded(where)
    assert worth_trying(where, "b")
