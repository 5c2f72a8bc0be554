"""Eight processes that build, read and collect at once on one store: every answer is right, one builder at a time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from examples.shop_repo import build_shop_repository
from tests.cases.crowd_worker import WEIGHTS, call
from tests.conftest import GitRepo

PROCESSES = 8
QUESTIONS = (
    ["export", "--units"],
    ["export", "--edges"],
    ["retrieve", "rename `placeOrder` and everything that calls it"],
    ["retrieve", "why does the total of the cart apply a discount twice"],
)


def trees(repo: GitRepo, count: int) -> list[str]:
    """So many tags beside each other, each with a file of its own and a change in a file of all."""
    shared = repo.path / "packages/core/src/money.ts"
    before = shared.read_text()
    names = []
    for number in range(count):
        name = f"tag{number}"
        shared.write_text(before.replace("allocate", f"allocate{number}"))
        repo.write({f"packages/core/src/own{number}.ts": f"export function own{number}() {{\n  return {number}\n}}\n"})
        repo.commit(message=name)
        repo.git("tag", name)
        repo.git("reset", "-q", "--hard", "HEAD~1")
        names.append(name)
    return names


def cold_answers(repo: GitRepo, tags: list[str], work: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What a fresh index of each tree alone says."""
    found: dict[str, object] = {}
    for tag in tags:
        cold = work / tag
        repo.git("clone", "-q", "--no-local", "--branch", tag, str(repo.path), str(cold))
        subprocess.run(["git", "config", "cm.vectors", "false"], cwd=cold, check=True)
        monkeypatch.chdir(cold)
        answers = []
        for question in QUESTIONS:
            code, out, err = call(*question)
            assert code == 0, err
            answers.append((question, out.decode(errors="replace")))
        found[tag] = answers
        monkeypatch.chdir(work)
        shutil.rmtree(cold)
    return found


def crowd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, count: int) -> Counter[str]:
    """Let them run; gives how often each thing was done."""
    build_shop_repository(tmp_path / "shop")
    repo = GitRepo(tmp_path / "shop")
    repo.git("config", "cm.vectors", "false")
    repo.git("config", "cm.keepTrees", "1")
    repo.git("config", "gc.auto", "0")
    tags = trees(repo, count)
    cm_dir = repo.path / ".git/cm"
    expected = tmp_path / "expected.json"
    answers = cold_answers(repo, tags, tmp_path, monkeypatch)
    assert len({json.dumps(value) for value in answers.values()}) == count
    expected.write_text(json.dumps({"cm": str(cm_dir), "witness": str(tmp_path / "witness"), "answers": answers}))
    worker = [sys.executable, "-m", "tests.cases.crowd_worker"]
    running = []
    for number in range(PROCESSES):
        top = tmp_path / f"tree{number}"
        repo.git("worktree", "add", "-q", "--detach", str(top), tags[0])
        command = [*worker, str(top), str(expected), str(seconds), str(number)]
        root = Path(__file__).parents[2]
        running.append(subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    done: Counter[str] = Counter()
    ended = [process.communicate(timeout=seconds + 400) for process in running]
    for process, (out, err) in zip(running, ended, strict=True):
        assert process.returncode == 0, err
        said = json.loads(out)
        assert said["wrong"] == []
        done += Counter(said["done"])
    monkeypatch.chdir(repo.path)
    code, _, err = call("verify")
    assert code == 0, err
    assert not list(cm_dir.rglob(".tmp*"))
    return done


def test_eight_processes_at_once_get_right_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = crowd(tmp_path, monkeypatch, 8, 4)
    assert {"read", "read a revision", "build", "gc"} <= set(done)


@pytest.mark.real
def test_eight_processes_at_once_get_right_answers_for_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = crowd(tmp_path, monkeypatch, 60, 8)
    print(dict(done))
    assert min(done[kind] for kind in WEIGHTS if kind != "move") >= 3, "too busy a machine to show anything"
