"""Hooks under what people do to a repository: never in git's way, one build at the end."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cmgit.agents.git_hooks import EVENTS
from cmgit.agents.program import interpreter
from cmgit.snapshot.lock import try_lock
from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import (
    CODE,
    OFF,
    hook_call,
    hook_command,
    hook_up,
    hooks_off,
    log_lines,
    published_lines,
    rewrite_hooks,
    run,
    scripts_only,
    settle,
    snapshot_trees,
)

QUICK = 60.0
"""Seconds; far above what a commit takes on a busy machine. One that waited for a builder would never end."""


def editor(repo: GitRepo, folder: Path) -> str:
    """An editor that waits until the builder has staged what is about to be committed."""
    log = repo.path / ".git/cm/build.log"
    script = folder / "editor"
    script.write_text(
        "#!/bin/sh\nn=0\n"
        f'until grep -q " staged: " "{log}" 2>/dev/null; do n=$((n+1)); [ $n -lt 600 ] || break; sleep 0.05; done\n'
        'echo message >"$1"\n'
    )
    script.chmod(0o755)
    return str(script)


def objects_of(git_dir: Path) -> set[str]:
    return {str(path.relative_to(git_dir)) for path in (git_dir / "objects").rglob("*") if path.is_file()}


def head_is_published(repo: GitRepo) -> bool:
    return repo.tree("HEAD") in (repo.path / ".git/cm/heads/main").read_text()


@pytest.mark.parametrize(
    ("name", "arguments", "typed"),
    [
        ("plain", ["commit"], None),
        ("all", ["commit", "-a"], None),
        ("path", ["commit", "--", "a.ts"], None),
        ("patch", ["commit", "-p"], b"y\nn\n"),
        ("amend", ["commit", "--amend"], None),
        ("include", ["commit", "-i", "b.ts"], None),
    ],
)
def test_what_is_staged_before_a_commit_is_the_tree_that_it_gets(
    hooked: GitRepo, cm: Cm, tmp_path: Path, name: str, arguments: list[str], typed: bytes | None
) -> None:
    """entireio/cli#2330"""
    hooked.write({"b.ts": "export const b = 1\n", "c.ts": "export const c = 1\n"})
    hooked.git("add", "b.ts", "c.ts")
    hooked.git(*OFF, "commit", "-qm", "more")
    hooked.write({"c.ts": "export const c = 2\n", "d.ts": "export const d = 1\n", "new.ts": "export const e = 1\n"})
    hooked.git("add", "d.ts")
    hooked.git("add", "--intent-to-add", "new.ts") if name == "plain" else None
    hooked.write({"a.ts": CODE.replace("n + 1", "n + 2"), "b.ts": "export const b = 2\n"})
    done = run(hooked.path, *arguments, env=os.environ | {"GIT_EDITOR": editor(hooked, tmp_path)}, input=typed)
    assert done.returncode == 0, done.stderr
    settle(hooked.path / ".git")
    staged = next(line for line in log_lines(hooked.path / ".git") if " staged: " in line)
    tree = hooked.tree("HEAD")
    assert f"tree {tree} staged" in staged
    assert f"tree {tree} published: 0 parsed" in published_lines(hooked.path / ".git")[-1]
    assert not list((hooked.path / ".git/cm/staged").iterdir())
    # The hunk that was left out of the commit is none of its tree's, and is what a reader sees.
    for rev, text in (((), "n + 2"), (("--rev", "HEAD"), "n + 1")):
        if name in ("plain", "include"):
            assert f"return {text}" in cm(hooked.path, "retrieve", *rev, "change `first`").ok().out


def test_hooks_write_no_object_and_say_nothing(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    plain = GitRepo(tmp_path / "plain")
    plain.git("config", "gc.auto", "0")
    plain.commit({"a.ts": CODE})
    hook_up(repo, cm)
    for where in (repo, plain):
        where.write({"a.ts": "export const changed = 1\n", "deep/er/x.ts": "export const x = 1\n"})
        where.git("add", ".")
    said = [run(where.path, "commit", "-m", "two") for where in (repo, plain)]
    settle(repo.path / ".git")
    assert (said[0].stdout, said[0].stderr) == (said[1].stdout, said[1].stderr)
    assert objects_of(repo.path / ".git") == objects_of(plain.path / ".git")
    assert repo.git("status", "--porcelain") == b""
    assert run(repo.path, "fsck", "--strict").stderr == plain.git("fsck", "--strict")


def test_a_commit_with_captured_pipes_does_not_wait_for_a_build_that_waits(hooked: GitRepo) -> None:
    """pre-commit/pre-commit#1050"""
    lock = try_lock(str(hooked.path / ".git/cm"), "a long build")
    assert lock is not None
    with lock:
        hooked.write({"a.ts": "export const a = 2\n"})
        started = time.monotonic()
        assert run(hooked.path, "commit", "-qam", "two").returncode == 0
        assert time.monotonic() - started < QUICK
        wait_for(lambda: not list((hooked.path / ".git/cm/queue").glob("*.request")))
        assert not head_is_published(hooked)
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def wait_for(done: object, seconds: float = 180.0) -> None:
    assert callable(done)
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_job_keeps_no_descriptor_of_the_caller(hooked: GitRepo) -> None:
    lock = try_lock(str(hooked.path / ".git/cm"), "a long build")
    assert lock is not None
    with lock:
        hooked.git(*OFF, "commit", "--allow-empty", "-qm", "x")
        hooked.write({"a.ts": "export const a = 2\n"})
        hooked.git(*OFF, "commit", "-qam", "y")
        read, write = os.pipe()
        subprocess.run(
            hook_call(hooked, "post-commit"), cwd=hooked.path, pass_fds=[write], check=True, stdin=subprocess.DEVNULL
        )
        os.close(write)
        wait_for(lambda: not list((hooked.path / ".git/cm/queue").glob("*.request")))
        assert select.select([read], [], [], 10)[0]
        assert os.read(read, 1) == b""  # the end of the pipe, while the job still waits for the lock
        os.close(read)
        pid = int((hooked.path / ".git/cm/queue/runner").read_text())
        assert os.getsid(pid) == pid
        assert os.getpriority(os.PRIO_PROCESS, pid) >= 10
        names = {os.path.realpath(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)} if Path("/proc/self/fd").exists() else {}
        assert set(names) <= {"/dev/null"}
    settle(hooked.path / ".git")


def test_commits_that_come_while_a_build_runs_cost_one_more(hooked: GitRepo) -> None:
    before = len(published_lines(hooked.path / ".git"))
    lock = try_lock(str(hooked.path / ".git/cm"), "a long build")
    assert lock is not None
    with lock:
        for number in range(6):
            hooked.write({"a.ts": f"export const a = {number}\n"})
            assert run(hooked.path, "commit", "-qam", f"{number}").returncode == 0
    settle(hooked.path / ".git")
    assert 1 <= len(published_lines(hooked.path / ".git")) - before <= 2
    assert head_is_published(hooked)


def series(repo: GitRepo, count: int) -> None:
    """A branch `topic` of so many commits beside a main that went on."""
    with hooks_off():
        repo.git("checkout", "-q", "-b", "topic")
        for number in range(count):
            repo.commit({f"t{number}.ts": f"export const t{number} = {number}\n"}, f"t{number}")
        repo.git("checkout", "-q", "main")
        repo.commit({"m.ts": "export const m = 1\n"}, "m")
        repo.git("checkout", "-q", "topic")


@pytest.mark.parametrize("linked", [False, True], ids=["main worktree", "linked worktree"])
def test_a_rebase_ends_in_one_build_and_in_the_same_commits(
    repo: GitRepo, cm: Cm, tmp_path: Path, linked: bool
) -> None:
    """git-pkgs/git-pkgs#209 (a build at each pick), pre-commit/pre-commit#3632 (the next pick met index.lock)."""
    hook_up(repo, cm)
    series(repo, 12)
    plain = GitRepo(tmp_path / "plain")
    plain.git("fetch", "-q", str(repo.path), "main:base", "topic:topic")
    plain.git("checkout", "-q", "topic")
    plain.git("rebase", "-q", "base")
    where = repo.path
    if linked:
        repo.git(*OFF, "checkout", "-q", "main")
        where = tmp_path / "other"
        repo.git(*OFF, "worktree", "add", "-q", str(where), "topic")
    done = run(where, "rebase", "-q", "main")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(repo.path / ".git")
    assert len(published_lines(repo.path / ".git")) == 1
    assert run(where, "rev-parse", "HEAD").stdout == plain.git("rev-parse", "HEAD")
    assert repo.tree("topic") in snapshot_trees(repo.path / ".git")


@scripts_only  # another user's settings are nothing that git reads
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a folder to someone else")
def test_in_a_repository_that_git_refuses_hooks_leave_with_nothing_but_a_line_in_the_log(hooked: GitRepo) -> None:
    """libgit2/pygit2#1156: git's rule, one line of advice, and checks of ownership are never turned off."""
    subprocess.run(["chown", "-R", "12345", str(hooked.path)], check=True)
    for event in EVENTS:
        done = subprocess.run(
            [str(hooked.path / ".git/hooks" / event)], cwd=hooked.path, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(hooked.path / ".git")
    said = [line for line in log_lines(hooked.path / ".git") if "git refuses this repository" in line]
    assert said
    assert all("safe.directory" in line for line in said)
    assert run(hooked.path, "config", "--get-all", "safe.directory").stdout == b""


def test_a_series_of_picks_ends_in_one_build(hooked: GitRepo) -> None:
    series(hooked, 6)
    hooked.git(*OFF, "checkout", "-q", "main")
    assert run(hooked.path, "cherry-pick", "topic~6..topic").returncode == 0
    settle(hooked.path / ".git")
    assert len(published_lines(hooked.path / ".git")) == 1
    assert head_is_published(hooked)


def test_an_amended_commit_is_built_once(hooked: GitRepo) -> None:
    """git-pkgs/git-pkgs#209"""
    hooked.write({"a.ts": "export const a = 2\n"})
    assert run(hooked.path, "commit", "-qa", "--amend", "-m", "again").returncode == 0
    settle(hooked.path / ".git")
    assert sum(": 1 parsed" in line for line in published_lines(hooked.path / ".git")) == 1
    assert head_is_published(hooked)


def test_a_merge_conflict_is_waited_for_and_its_resolution_built(hooked: GitRepo) -> None:
    """nodegit/nodegit#1345"""
    with hooks_off():
        hooked.git("checkout", "-q", "-b", "side")
        hooked.commit({"a.ts": "export const side = 1\n"}, "side")
        hooked.git("checkout", "-q", "main")
        hooked.commit({"a.ts": "export const main = 1\n"}, "main")
    assert run(hooked.path, "merge", "side").returncode == 1
    for event in EVENTS:
        done = subprocess.run(hook_call(hooked, event), cwd=hooked.path, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    wait_for(lambda: any("pre-commit: failed" in line for line in log_lines(hooked.path / ".git")))
    assert not published_lines(hooked.path / ".git")
    hooked.write({"a.ts": "export const both = 1\n"})
    assert run(hooked.path, "commit", "-qam", "merged").returncode == 0
    settle(hooked.path / ".git")
    assert len(published_lines(hooked.path / ".git")) == 1
    assert head_is_published(hooked)


def test_switching_branches_publishes_and_checking_out_a_file_does_nothing(hooked: GitRepo) -> None:
    series(hooked, 1)
    assert run(hooked.path, "checkout", "-q", "main").returncode == 0
    settle(hooked.path / ".git")
    assert head_is_published(hooked)
    lines = log_lines(hooked.path / ".git")
    hooked.write({"a.ts": "// gone\n"})
    assert run(hooked.path, "checkout", "-q", "--", "a.ts").returncode == 0
    assert not list((hooked.path / ".git/cm/queue").glob("*.request"))
    settle(hooked.path / ".git")
    assert log_lines(hooked.path / ".git") == lines


def test_a_pull_and_a_merge_are_published(hooked: GitRepo) -> None:
    series(hooked, 2)
    hooked.git(*OFF, "checkout", "-q", "main")
    assert run(hooked.path, "merge", "-q", "topic", "-m", "merge").returncode == 0
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_a_commit_in_a_linked_worktree_touches_no_other_index(hooked: GitRepo, tmp_path: Path) -> None:
    """j178/prek#2505"""
    other = tmp_path / "other"
    hooked.git("worktree", "add", "-q", str(other), "-b", "side")
    settle(hooked.path / ".git")
    index = (hooked.path / ".git/index").read_bytes()
    settings = (hooked.path / ".git/config").read_bytes()
    (other / "sub").mkdir()
    (other / "sub/new.ts").write_text("export const sub = 1\n")
    run(other, "add", ".")
    assert run(other / "sub", "commit", "-qm", "side").returncode == 0
    settle(hooked.path / ".git")
    heads = hooked.path / ".git/cm/heads"
    assert hooked.tree("side") in (heads / "linked-other").read_text()
    assert hooked.tree("main") not in (heads / "linked-other").read_text()
    assert (hooked.path / ".git/index").read_bytes() == index
    assert (hooked.path / ".git/config").read_bytes() == settings
    assert run(hooked.path, "fsck").returncode == 0


def test_a_git_directory_elsewhere_is_the_one_that_is_indexed(cm: Cm, tmp_path: Path) -> None:
    """A bare repository with a work tree of its own, as for dotfiles: only GIT_DIR says which one it is."""
    store, home = tmp_path / "store", tmp_path / "work"
    home.mkdir()
    run(tmp_path, "init", "-q", "--bare", "--initial-branch=main", str(store))
    run(store, "config", "cm.vectors", "false")
    cm(store, "install", "git", "--yes").ok()
    (home / "a.ts").write_text(CODE)
    where = [f"--git-dir={store}", f"--work-tree={home}"]
    assert run(home, *where, "add", "a.ts").returncode == 0
    assert run(home, *where, "commit", "-qm", "one").returncode == 0
    settle(store)
    assert len(published_lines(store)) == 1


def test_hooks_work_beside_a_held_index_lock(hooked: GitRepo) -> None:
    """pre-commit/pre-commit#3632"""
    hooked.write({"a.ts": "export const a = 2\n"})
    hooked.git(*OFF, "commit", "-qam", "two")
    lock = hooked.path / ".git/index.lock"
    lock.write_bytes(b"")
    for event in EVENTS:
        done = subprocess.run(hook_call(hooked, event), cwd=hooked.path, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(hooked.path / ".git")
    assert lock.read_bytes() == b""
    assert head_is_published(hooked)


BROKEN = {
    "interpreter moved": lambda text: text.replace(".venv/bin/python", ".venv/bin/no-python"),
    "interpreter without the package": lambda text: text.replace(interpreter()[0], "/bin/false"),
    "package uninstalled": lambda text: text.replace("git-hook.sh", "gone.sh"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_commit_succeeds_quietly_when_cmgit_is_gone(hooked: GitRepo, name: str) -> None:
    """riponcm/projectmem#16"""
    rewrite_hooks(hooked, BROKEN[name])
    hooked.write({"a.ts": "export const a = 2\n"})
    done = run(hooked.path, "commit", "-qam", "two", env=os.environ | {"PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = run(hooked.path, "checkout", "-q", "HEAD~1", env=os.environ | {"PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not published_lines(hooked.path / ".git")


def test_a_short_path_is_enough(hooked: GitRepo) -> None:
    """riponcm/projectmem#16"""
    hooked.write({"a.ts": "export const a = 2\n"})
    done = run(hooked.path, "commit", "-qam", "two", env=os.environ | {"PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_the_git_cm_of_the_path_steps_in_when_the_installation_moved(hooked: GitRepo, tmp_path: Path) -> None:
    program = tmp_path / "bin/git-cm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nshift\nexec {" ".join(hook_command())} "$@"\n')
    program.chmod(0o755)
    rewrite_hooks(hooked, BROKEN["package uninstalled"])
    hooked.write({"a.ts": "export const a = 2\n"})
    env = os.environ | {"PATH": f"{program.parent}:/usr/bin:/bin"}
    assert run(hooked.path, "commit", "-qam", "two", env=env).returncode == 0
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_a_git_directory_that_cannot_be_written_is_no_failure(hooked: GitRepo) -> None:
    """openai/codex#27418"""
    hooked.write({"a.ts": "export const a = 2\n"})
    cm_dir = hooked.path / ".git/cm"
    (cm_dir / "queue").rename(cm_dir / "queue-before") if (cm_dir / "queue").exists() else None
    (cm_dir / "queue").write_text("in the way, even for root")
    done = run(hooked.path, "commit", "-qam", "two")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (cm_dir / "queue").read_text() == "in the way, even for root"


@scripts_only  # another user's settings are nothing that git reads
@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_another_user_who_may_not_write_sees_nothing(hooked: GitRepo) -> None:
    for folder in hooked.path.parents:
        if str(folder).startswith("/tmp/pytest"):
            folder.chmod(0o755)
    for event in EVENTS:
        done = subprocess.run(
            hook_call(hooked, event), cwd=hooked.path, capture_output=True, check=False, user=65534, group=65534
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not list((hooked.path / ".git/cm").rglob("*.request"))


def test_a_full_disk_leaves_nothing_half_written(hooked: GitRepo) -> None:
    """sourcegraph/sourcegraph-public-snapshot#19541"""
    for event in EVENTS:
        command = f"ulimit -f 0; trap '' XFSZ; {shlex.join(hook_call(hooked, event))}"
        done = subprocess.run(["/bin/sh", "-c", command], cwd=hooked.path, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    staged = hooked.path / ".git/cm/staged"
    assert not staged.exists() or not list(staged.iterdir())
    time.sleep(1.5)  # a request that says nothing is removed once it is not just being written
    hooked.write({"a.ts": "export const a = 2\n"})
    assert run(hooked.path, "commit", "-qam", "two").returncode == 0
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_a_killed_builder_is_replaced_by_the_next_hook(hooked: GitRepo) -> None:
    """BeaconBay/ck#150"""
    lock = try_lock(str(hooked.path / ".git/cm"), "a long build")
    assert lock is not None
    with lock:
        hooked.write({"a.ts": "export const a = 2\n"})
        run(hooked.path, "commit", "-qam", "two")
        wait_for(lambda: not list((hooked.path / ".git/cm/queue").glob("*.request")))
        os.kill(int((hooked.path / ".git/cm/queue/runner").read_text()), signal.SIGKILL)
    assert not head_is_published(hooked)
    hooked.write({"a.ts": "export const a = 3\n"})
    run(hooked.path, "commit", "-qam", "three")
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_a_mark_of_a_process_that_is_none_of_ours_delays_by_one_event(hooked: GitRepo) -> None:
    queue = hooked.path / ".git/cm/queue"
    queue.mkdir(exist_ok=True)
    (queue / "runner").write_text(f"{os.getpid()}\n")  # alive, but no builder: a process id that was given out again
    for number in (2, 3):
        hooked.write({"a.ts": f"export const a = {number}\n"})
        run(hooked.path, "commit", "--no-verify", "-qam", f"{number}")
    wait_for(lambda: head_is_published(hooked))
    settle(hooked.path / ".git")


def test_hooks_are_switched_off_by_a_setting(hooked: GitRepo) -> None:
    hooked.git("config", "cm.hooks", "false")
    hooked.write({"a.ts": "export const a = 2\n"})
    run(hooked.path, "commit", "-qam", "two")
    settle(hooked.path / ".git")
    assert not published_lines(hooked.path / ".git")


def test_a_commit_in_a_submodule_is_indexed_there(hooked: GitRepo, tmp_path: Path, cm: Cm) -> None:
    inner = GitRepo(tmp_path / "inner")
    inner.commit({"i.ts": CODE})
    hooked.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "vendor/inner")
    module = hooked.path / "vendor/inner"
    run(module, "config", "cm.vectors", "false")
    cm(module, "install", "git", "--yes").ok()
    (module / "i.ts").write_text("export const inner = 2\n")
    assert run(module, "commit", "-qam", "two").returncode == 0
    settle(hooked.path / ".git/modules/vendor/inner")
    assert len(published_lines(hooked.path / ".git/modules/vendor/inner")) == 1


def test_sha256_repositories_are_indexed_too(tmp_path: Path, cm: Cm) -> None:
    repo = hook_up(GitRepo(tmp_path / "wide", "--object-format=sha256"), cm)
    repo.write({"a.ts": "export const a = 2\n"})
    assert run(repo.path, "commit", "-qam", "two").returncode == 0
    settle(repo.path / ".git")
    assert head_is_published(repo)


@pytest.mark.parametrize("state", ["split", "sparse"])
def test_odd_indexes_are_staged_without_writing_beside_them(hooked: GitRepo, tmp_path: Path, state: str) -> None:
    hooked.git(*OFF, "checkout", "-q", "-b", "odd")
    hooked.write({"src/a/x.ts": CODE, "src/b/y.ts": CODE})
    hooked.git("add", ".")
    hooked.git(*OFF, "commit", "-qm", "more")
    if state == "split":
        hooked.git("update-index", "--split-index")
    else:
        hooked.git("sparse-checkout", "init", "--cone", "--sparse-index")
        hooked.git("sparse-checkout", "set", "src/a")
    shared = sorted(path.name for path in (hooked.path / ".git").glob("sharedindex*"))
    hooked.write({"src/a/x.ts": "export const x = 2\n"})
    hooked.git("add", "src/a/x.ts")
    done = run(hooked.path, "commit", "-q", env=os.environ | {"GIT_EDITOR": editor(hooked, tmp_path)})
    assert done.returncode == 0, done.stderr
    settle(hooked.path / ".git")
    assert f"tree {hooked.tree('HEAD')} staged" in "\n".join(log_lines(hooked.path / ".git"))
    assert set(shared) <= {path.name for path in (hooked.path / ".git").glob("sharedindex*")}
    assert head_is_published(hooked)


def broken_home(repo: GitRepo, tmp_path: Path, init: str) -> dict[str, str]:
    """An interpreter that finds a `numpy` which cannot be loaded, and no `git-cm`."""
    (tmp_path / "broken/numpy").mkdir(parents=True)
    (tmp_path / "broken/numpy/__init__.py").write_text(init)
    python = tmp_path / "broken/python"
    path = os.pathsep.join([str(tmp_path / "broken"), str(Path(__file__).parents[2])])
    python.write_text(f'#!/bin/sh\nshift\nPYTHONPATH="{path}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    rewrite_hooks(repo, lambda text: text.replace(shlex.quote(interpreter()[0]), shlex.quote(str(python))))
    return os.environ | {"PATH": USUAL}


USUAL = os.pathsep.join(
    folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "git-cm").exists()
)


@pytest.mark.parametrize("damage", ["a library", "the package", "the interpreter"])
def test_a_background_job_that_cannot_start_leaves_a_line_in_the_log(
    hooked: GitRepo, tmp_path: Path, cm: Cm, damage: str
) -> None:
    env = broken_home(hooked, tmp_path, "raise ImportError('numpy is for another Python')\n")
    if damage == "the package":
        (tmp_path / "broken/cmgit").mkdir()
        (tmp_path / "broken/cmgit/__init__.py").write_text("raise ImportError('half of cmgit')\n")
    elif damage == "the interpreter":
        (tmp_path / "broken/python").unlink()
    hooked.write({"a.ts": "export const a = 2\n"})
    done = run(hooked.path, "commit", "-qam", "two", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    said = {"a library": "numpy is for another", "the package": "half of cmgit", "the interpreter": "broken/python"}
    wait_for(lambda: any(said[damage] in line for line in log_lines(hooked.path / ".git")))
    line = next(line for line in log_lines(hooked.path / ".git") if said[damage] in line)
    assert ": failed: " in line
    rows = json.loads(cm(hooked.path, "doctor", "--json").out)["findings"]
    assert any(row["state"] != "ok" and said[damage] in row["message"] for row in rows), rows


def test_nothing_is_made_where_a_repository_was_before_it_was_moved(hooked: GitRepo, tmp_path: Path, cm: Cm) -> None:
    before = hooked.path / ".git"
    hooked.write({"a.ts": "export const a = 2\n"})
    assert run(hooked.path, "commit", "-qam", "two").returncode == 0
    hooked.path.rename(tmp_path / "moved")
    time.sleep(1.5)  # the job begins a moment after git's command
    assert not before.exists()
    assert not hooked.path.exists()


def test_hooks_of_a_bare_repository_without_worktrees_are_said_to_run_seldom(
    repo: GitRepo, tmp_path: Path, cm: Cm
) -> None:
    repo.commit({"a.ts": CODE})
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    assert "git-cm index --rev" in cm(bare, "install", "git", "--yes").ok().err
    assert "git-cm index --rev" in cm(bare, "install", "git", "--json").json["clients"][0]["after"][0]
    cm(bare, "uninstall", "git", "--yes").ok()
    run(bare, "worktree", "add", "-q", str(tmp_path / "tree"))
    run(bare, "config", "cm.vectors", "false")
    cm(tmp_path / "tree", "index").ok()
    assert cm(bare, "install", "git", "--yes").ok().err == ""
    (tmp_path / "tree/a.ts").write_text("export const a = 2\n")
    assert run(tmp_path / "tree", "commit", "-qam", "two").returncode == 0
    settle(bare)
    assert len(published_lines(bare)) == 1
