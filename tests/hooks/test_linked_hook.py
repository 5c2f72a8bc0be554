"""The post-commit hook stands aside while a rebase runs, and comes back whatever becomes of the rebase."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, OFF, log_lines, published_lines, run, settle
from tests.hooks.test_hooks import head_is_published, series, wait_for


def started_hooks(trace: Path) -> list[str]:
    """The names of the hooks that git started, from its own trace."""
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    return [event["hook_name"] for event in events if event["event"] == "child_start" and "hook_name" in event]


def hook(repo: GitRepo) -> Path:
    return repo.path / ".git/hooks/post-commit"


def conflict(repo: GitRepo) -> None:
    """A branch `topic` whose rebase onto main stops."""
    repo.git(*OFF, "checkout", "-q", "-b", "topic")
    for number in range(3):
        repo.write({"a.ts": f"export const topic = {number}\n"})
        repo.git(*OFF, "commit", "-qam", f"t{number}")
    repo.git(*OFF, "checkout", "-q", "main")
    repo.write({"a.ts": "export const main = 1\n"})
    repo.git(*OFF, "commit", "-qam", "m")
    repo.git(*OFF, "checkout", "-q", "topic")


def test_git_starts_two_hooks_for_a_rebase_of_many_picks(hooked: GitRepo, tmp_path: Path) -> None:
    series(hooked, 8)
    trace = tmp_path / "trace"
    done = run(hooked.path, "rebase", "-q", "main", env=os.environ | {"GIT_TRACE2_EVENT": str(trace)})
    assert done.returncode == 0, done.stderr
    assert sorted(started_hooks(trace)) == ["post-checkout", "post-rewrite"]
    settle(hooked.path / ".git")
    assert hook(hooked).exists()
    assert len(published_lines(hooked.path / ".git")) == 1
    hooked.write({"a.ts": "export const after = 1\n"})
    assert run(hooked.path, "commit", "-qam", "after", "--no-verify").returncode == 0
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


@pytest.mark.parametrize("end", ["--abort", "--quit"])
def test_it_comes_back_after_a_rebase_that_was_given_up(hooked: GitRepo, end: str) -> None:
    conflict(hooked)
    assert run(hooked.path, "rebase", "main").returncode == 1
    assert not hook(hooked).exists()
    assert run(hooked.path, "rebase", end).returncode == 0
    wait_for(lambda: hook(hooked).exists())
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_it_comes_back_with_the_next_commit_when_the_builder_was_killed(hooked: GitRepo) -> None:
    conflict(hooked)
    assert run(hooked.path, "rebase", "main").returncode == 1
    runner = hooked.path / ".git/cm/queue/runner"
    wait_for(lambda: runner.exists() and runner.read_text().strip())
    os.kill(int(runner.read_text()), 9)
    wait_for(lambda: not Path(f"/proc/{int(runner.read_text())}/cmdline").read_bytes())
    for request in (hooked.path / ".git/cm/queue").glob("*.request"):
        request.unlink()
    assert run(hooked.path, "rebase", "--abort").returncode == 0
    assert not hook(hooked).exists()
    hooked.write({"a.ts": "export const after = 1\n"})
    assert run(hooked.path, "commit", "-qam", "after").returncode == 0
    settle(hooked.path / ".git")
    assert hook(hooked).exists()
    assert head_is_published(hooked), log_lines(hooked.path / ".git")


def test_a_commit_in_another_worktree_is_published_while_a_rebase_stands_still(hooked: GitRepo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    hooked.git(*OFF, "worktree", "add", "-q", str(other), "-b", "side")
    conflict(hooked)
    assert run(hooked.path, "rebase", "main").returncode == 1
    assert not hook(hooked).exists()
    (other / "a.ts").write_text("export const side = 1\n")
    assert run(other, "commit", "-qam", "side").returncode == 0
    head = hooked.path / ".git/cm/heads/linked-other"
    wait_for(lambda: head.exists() and hooked.tree("side") in head.read_text())
    assert run(hooked.path, "rebase", "--abort").returncode == 0
    wait_for(lambda: hook(hooked).exists())
    settle(hooked.path / ".git")


def test_it_is_made_anew_after_the_index_was_removed(hooked: GitRepo) -> None:
    shutil.rmtree(hooked.path / ".git/cm")
    for number in (2, 3):
        hooked.write({"a.ts": f"export const a = {number}\n"})
        assert run(hooked.path, "commit", "-qam", f"{number}").returncode == 0
        assert run(hooked.path, "checkout", "-q", "-b", f"b{number}").returncode == 0
        settle(hooked.path / ".git")
    assert hook(hooked).exists()
    assert head_is_published(hooked)


def test_an_ordinary_script_that_took_its_place_is_kept(hooked: GitRepo, cm: Cm) -> None:
    hook(hooked).unlink()
    hook(hooked).write_text("#!/bin/sh\necho mine\n")
    cm(hooked.path, "uninstall", "git", "--yes").ok()
    assert hook(hooked).read_text() == "#!/bin/sh\necho mine\n"


def test_where_another_hook_is_there_already_ours_is_no_link(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": CODE})
    hook(repo).parent.mkdir(exist_ok=True)
    hook(repo).write_text("#!/bin/sh\ntrue\n")
    hook(repo).chmod(0o755)
    cm(repo.path, "install", "git", "--yes").ok()
    assert not hook(repo).is_symlink()
    assert not (repo.path / ".git/cm/hooks").exists()
