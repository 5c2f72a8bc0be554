from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cmgit.git.locate import locate
from cmgit.git.plumbing import GitCall, _run_by_subprocess, run_calls, run_git
from cmgit.git.process import GitFailed, git_environment
from tests.conftest import GitRepo


def open_descriptors() -> set[str]:
    folder = Path("/proc/self/fd")
    return {entry.name for entry in folder.iterdir()} if folder.exists() else set()


def test_large_input_and_large_output_at_once_do_not_block(repo: GitRepo) -> None:
    repo.commit({"big.txt": b"x" * 300_000})
    oid = repo.git("rev-parse", "HEAD:big.txt").strip()
    answer = run_git(str(repo.path), ["cat-file", "--batch"], (oid + b"\n") * 100)
    assert len(answer) == 100 * (300_000 + len(oid) + len(b" blob 300000\n\n"))


def test_input_that_git_does_not_read_is_no_error(repo: GitRepo) -> None:
    assert run_git(str(repo.path), ["rev-parse", "--is-bare-repository"], b"x" * 5_000_000) == b"false\n"


def test_a_failure_carries_the_words_of_git(repo: GitRepo) -> None:
    with pytest.raises(GitFailed, match="git cat-file: Not a valid object name nothing") as caught:
        run_git(str(repo.path), ["cat-file", "-p", "nothing"])
    assert caught.value.code == 128
    assert "fatal" in caught.value.stderr


def test_calls_side_by_side_answer_in_order(repo: GitRepo) -> None:
    calls = [GitCall(("-C", str(repo.path), "hash-object", "--stdin"), b"%d" % n) for n in range(8)]
    expected = [repo.git("hash-object", "--stdin", stdin=b"%d" % n) for n in range(8)]
    assert [done.stdout for done in run_calls(calls)] == expected
    assert [_run_by_subprocess(call) for call in calls] == run_calls(calls)


def test_without_git_the_message_says_so(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    before = open_descriptors()
    with pytest.raises(GitFailed, match="git was not found"):
        run_calls([GitCall(("version",), b"x")])
    assert open_descriptors() == before, "a call that cannot start leaves no descriptor open"


def test_variables_that_name_a_repository_are_cleared_and_the_configuration_of_the_user_stays(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = repo.git("rev-parse", "--local-env-vars").decode().split()
    for name in local:
        monkeypatch.setenv(name, "elsewhere")
    kept = {name for name in local if git_environment().get(name) == "elsewhere"}
    assert kept == {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}


def test_a_caller_with_closed_standard_descriptors_gets_right_answers(repo: GitRepo) -> None:
    repo.commit({"a.ts": "x"})
    program = (
        "import os, sys; fd = os.dup(1); [os.close(n) for n in (0, 1, 2)]\n"
        "from cmgit.git.plumbing import run_git\n"
        f"answer = run_git({str(repo.path)!r}, ['cat-file', '--batch-check'], b'HEAD:a.ts\\n' * 2000)\n"
        "os.write(fd, b'%d' % answer.count(b'blob 1'))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=root, check=True)
    assert done.stdout == b"2000"


def test_a_caller_that_ignores_its_children_gets_answers_and_failures(repo: GitRepo) -> None:
    program = (
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "from cmgit.git.plumbing import run_git, GitFailed\n"
        f"print(run_git({str(repo.path)!r}, ['rev-parse', '--is-bare-repository']))\n"
        f"try: run_git({str(repo.path)!r}, ['cat-file', '-p', 'nothing'])\n"
        "except GitFailed as error: print(error.code)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=root, check=True)
    assert done.stdout == b"b'false\\n'\n128\n"


def test_calls_from_several_threads_do_not_mix(repo: GitRepo) -> None:
    location = locate(str(repo.path))
    wrong: list[bytes] = []

    def work(n: int) -> None:
        for i in range(10):
            data = b"%d-%d" % (n, i)
            if run_git(location, ["stripspace"], data) != data + b"\n":
                wrong.append(data)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


LEFT_BEHIND = """
import os, sys
from cmgit.git.plumbing import run_git
from cmgit.git.process import GitFailed

def descriptors():
    return sorted(name for name in os.listdir("/dev/fd"))

before = descriptors()
for _ in range(5):
    run_git(sys.argv[1], ["stripspace"], b"x")
    try:
        run_git(sys.argv[1], ["cat-file", "-p", "nothing"])
    except GitFailed:
        pass
    else:
        sys.exit("no failure")
assert descriptors() == before, descriptors()
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
"""


def test_no_descriptor_stays_open_and_no_child_stays_unreaped(repo: GitRepo) -> None:
    command = [sys.executable, "-c", LEFT_BEHIND, str(repo.path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], check=True)
    assert done.stdout == b"no child\n"
