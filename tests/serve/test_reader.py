"""The reader as a process: how it starts, how commands use it, and when it is gone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import cmgit
from cmgit.cli import runtime
from cmgit.git.locate import locate
from cmgit.serve.installation import Installation
from tests.conftest import Cm, GitRepo
from tests.serve.conftest import HANG, ask, is_running, socket_of, start, until


def test_commands_say_the_same_with_it_and_without_and_ask_it(
    cm: Cm, shop: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.commit({"src/na\udcffme.ts": "export function odd() {}\n"})
    cm(shop.path, "index").ok()
    questions = (
        ("retrieve", "how is `shareCart` used"),
        ("retrieve", "--explain", "--detail", "expanded", "--route", "search", "divide costs among guests"),
        ("retrieve", "--no-vectors", "--budget", "100", "`splitAmount`"),
        ("retrieve", "quantum chromodynamics of penguins"),
        ("search", "-k", "3", "divide costs"),
        ("callers", "shareCart"),
        ("callers", "nothingSo"),
        ("symbols", "src/cart.ts"),
        ("symbols", "src"),
    )
    start(shop.path)
    before = ask(shop.path, op="ping")["answer"]["answered"]
    with_it = [cm(shop.path, *question) for question in questions]
    answered = ask(shop.path, op="ping")["answer"]["answered"] - before
    monkeypatch.setenv("CMGIT_SERVE", "off")
    for question, told in zip(questions, with_it, strict=True):
        alone = cm(shop.path, *question)
        assert (told.code, told.out, told.err) == (alone.code, alone.out, alone.err), question
    assert answered == 7  # the other two end in errors


def test_from_a_folder_below_paths_are_understood_as_without_it(cm: Cm, shop: GitRepo) -> None:
    start(shop.path)
    assert cm(shop.path / "src" / "deep", "symbols", "--json", "../cart.ts").json["path"] == "src/cart.ts"
    assert cm(shop.path / "src" / "deep", "symbols", "--json", "src/cart.ts").json["path"] == "src/cart.ts"


def test_another_revision_is_not_asked_of_it(cm: Cm, shop: GitRepo) -> None:
    shop.commit({"src/money.ts": "export const only = 1\n"})
    start(shop.path)
    assert "splitAmount" in cm(shop.path, "symbols", "--rev", "HEAD~1", "src/money.ts").ok().out


def test_of_several_that_start_at_once_one_stays(shop: GitRepo) -> None:
    location = locate(str(shop.path))
    others = set(children_of(os.getpid()))  # of earlier tests
    threads = [threading.Thread(target=lambda: runtime.start_reader(location)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pid = start(shop.path)
    until(lambda: [p for p in children_of(os.getpid()) if is_running(p) and p not in others] == [pid])
    assert not runtime.start_reader(location)  # it sees the lock, and starts nothing


def children_of(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_each_worktree_has_its_own(shop: GitRepo, tmp_path: Path) -> None:
    shop.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "second"))
    (tmp_path / "second" / "src" / "money.ts").write_text("export function elsewhere() {}\n")
    assert start(shop.path) != start(tmp_path / "second")
    names = [
        [row["name"] for row in ask(top, op="symbols", path="src/money.ts")["answer"]["symbols"]]
        for top in (shop.path, tmp_path / "second")
    ]
    assert "splitAmount" in names[0]
    assert "elsewhere" in names[1]


def test_after_kill_9_the_next_one_takes_over(cm: Cm, shop: GitRepo, run_dir: Path) -> None:
    pid = start(shop.path)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert Path(socket_of(shop.path)).exists()
    assert cm(shop.path, "symbols", "src/cart.ts").ok().out  # nobody listens, the command answers itself
    assert start(shop.path) != pid
    assert len(list(run_dir.iterdir())) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_ends_politely(shop: GitRepo, run_dir: Path, number: signal.Signals) -> None:
    pid = start(shop.path)
    os.kill(pid, number)
    until(lambda: not is_running(pid))
    assert list(run_dir.iterdir()) == []


def test_it_goes_with_its_repository(shop: GitRepo, run_dir: Path) -> None:
    pid = start(shop.path)
    shutil.rmtree(shop.path)
    until(lambda: not is_running(pid))
    assert list(run_dir.iterdir()) == []


def test_it_goes_when_its_installation_is_replaced(shop: GitRepo, tmp_path: Path) -> None:
    copy = tmp_path / "site" / "cmgit"
    shutil.copytree(Path(cmgit.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    process = subprocess.Popen(
        [sys.executable, "-m", "cmgit.cli.serve_job", str(shop.path)],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
    )
    told = until(lambda: ask(shop.path, 2.0, op="ping"))["answer"]
    assert told["version"] != runtime.version()
    assert "refused" in ask(shop.path, op="symbols", path="src/cart.ts")  # another installation than ours
    text = (copy / "view" / "layout.py").read_text()
    (copy / "view" / "layout.py").unlink()
    (copy / "view" / "layout.py").write_text(text)
    assert ask(shop.path, op="ping") in (None, {"refused": "its own files were replaced"})  # None: gone already
    assert process.wait(HANG) == 0


def test_an_installation_notices_any_change_of_its_files(tmp_path: Path) -> None:
    file = tmp_path / "part.py"
    file.write_text("a = 1\n")
    seen = file.stat()
    installation = Installation((str(file),))
    assert not installation.changed()
    file.with_suffix(".new").write_text("a = 2\n")
    os.utime(file.with_suffix(".new"), ns=(seen.st_atime_ns, seen.st_mtime_ns))
    file.with_suffix(".new").replace(file)
    assert installation.changed()


def test_it_holds_no_descriptor_of_whoever_started_it(shop: GitRepo) -> None:
    """A client waits for the end of its hook's pipes."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    pid = start(shop.path)
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)
    assert is_running(pid)
    assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")
    assert os.getsid(pid) == pid


def test_the_switch_keeps_it_out(cm: Cm, shop: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMGIT_SERVE", "off")
    assert not runtime.start_reader(locate(str(shop.path)))
    done = cm(shop.path, "serve", "--background")
    assert done.code == 1
    assert "CMGIT_SERVE" in done.err


def test_the_command_starts_it_tells_about_it_and_stops_it(cm: Cm, shop: GitRepo) -> None:
    assert cm(shop.path, "serve", "--status", "--json").json["running"] is False
    told = cm(shop.path, "serve", "--background", "--json").json
    assert told["running"]
    assert told["same_installation"]
    assert told["top"] == str(shop.path)
    assert cm(shop.path, "serve").code == 1  # there is one already
    until(lambda: "files" in cm(shop.path, "serve", "--status").ok().out)
    assert cm(shop.path, "serve", "--stop").ok().out == "The reader was stopped.\n"
    assert cm(shop.path, "serve", "--stop").ok().out.startswith("No reader runs")


def test_a_bare_repository_has_none(cm: Cm, tmp_path: Path) -> None:
    bare = GitRepo(tmp_path / "bare", "--bare")
    assert cm(bare.path, "serve").code == 1
    assert cm(bare.path, "serve", "--background").code == 1


def test_other_settings_are_another_version(shop: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git -c cm.budget=… cm retrieve` must not be answered with the reader's settings."""
    start(shop.path)
    assert "answer" in ask(shop.path, op="symbols", path="src/cart.ts")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'cm.budget=100'")
    assert "refused" in ask(shop.path, op="symbols", path="src/cart.ts")


def test_a_repository_without_an_index_gets_one_apart_from_the_reader(shop: GitRepo) -> None:
    start(shop.path)
    assert list((shop.path / ".git" / "cm" / "trees").iterdir())
    assert "splitAmount" in str(ask(shop.path, op="retrieve", prompt="`splitAmount`"))


@pytest.mark.parametrize("folder", ["", "/nowhere", "/tmp/" + "x" * 90])
def test_without_a_usable_runtime_folder_it_is_one_among_the_temporary_files(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
    assert runtime.runtime_dir() in (f"/run/user/{os.geteuid()}/cmgit", f"/tmp/cmgit-{os.geteuid()}")


def test_a_runtime_folder_that_others_may_write_to_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(os.environ["XDG_RUNTIME_DIR"])
    folder.chmod(0o777)
    assert runtime.runtime_dir() != str(folder / "cmgit")
    folder.chmod(0o700)
    assert runtime.runtime_dir() == str(folder / "cmgit")


def test_the_doctor_tells_about_it(cm: Cm, shop: GitRepo, run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> dict[str, str]:
        findings = json.loads(cm(shop.path, "doctor", "--json").out)["findings"]
        (found,) = [finding for finding in findings if finding["check"] == "reader"]
        return dict(found)

    assert told()["state"] == "ok"
    start(shop.path)
    assert told()["message"].startswith("A reader runs")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    assert (told()["state"], told()["hint"]) == ("note", "`git cm serve --stop` ends it")
    run_dir.chmod(0o755)
    assert told()["state"] == "wrong"
    run_dir.chmod(0o700)
    monkeypatch.setenv("CMGIT_SERVE", "off")
    assert told()["state"] == "note"


def test_who_stays_long_keeps_no_zombie_of_it(shop: GitRepo) -> None:
    pid = start(shop.path)
    ask(shop.path, op="stop")
    until(lambda: not is_running(pid))
    assert pid in children_of(os.getpid())
    until(lambda: runtime.reap_readers() or pid not in children_of(os.getpid()))
