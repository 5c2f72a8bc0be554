"""Many writers at once, killed writers, and editors that know no lock: nothing is lost, nothing is torn."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmgit.git.locate import locate
from cmgit.notes import write
from cmgit.notes.model import Note
from cmgit.notes.parse import parse_note
from cmgit.notes.write import NoteChanged, change_file, new_id
from tests.conftest import Cm, GitRepo

ROOT = Path(__file__).resolve().parents[2]


def start(how: str, repo: GitRepo, shared: str, name: str, seconds: float) -> subprocess.Popen[bytes]:
    argv = [
        sys.executable,
        str(Path(__file__).with_name("writers.py")),
        how,
        str(repo.path),
        shared,
        name,
        str(seconds),
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "CMGIT_SERVE": "off"}
    return subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def told(output: bytes) -> list[dict[str, Any]]:
    """What a writer was told is written; a killed one may end in half a line."""
    return [json.loads(line) for line in output.split(b"\n")[:-1]]


def notes_of(repo: GitRepo) -> dict[str, Note]:
    found = {}
    for file in sorted((repo.path / ".memory/notes").iterdir()):
        note = parse_note(f".memory/notes/{file.name}", file.read_bytes(), "sha1")
        assert isinstance(note, Note), note
        assert not note.head.problems, note
        found[note.head.id] = note
    return found


def check(repo: GitRepo, shared: str, writings: list[dict[str, Any]]) -> None:
    """Everything that anybody was told is written is there, once."""
    notes = notes_of(repo)
    made = [(row["made"], row["text"]) for row in writings if "made" in row]
    assert len({ident for ident, _ in made}) == len(made)
    for ident, text in made:
        assert notes[ident].body.strip() == text
    lines = Counter(notes[shared].body.split("\n"))
    appended = [row["appended"] for row in writings if "appended" in row]
    assert [line for line in appended if lines[line] != 1] == []
    anchors = {anchor.uri for anchor in notes[shared].head.anchors}
    assert {row["anchor"] for row in writings if "anchor" in row} <= anchors


@pytest.fixture
def shared(repo: GitRepo, cm: Cm) -> str:
    repo.commit({"a.ts": "export const a = () => 1\n"})
    made = cm(repo.path, "note", "create", "--summary", "Shared", "--body", "first", "--core", "file:a.ts", "--json")
    ident = made.json["id"]
    repo.commit(message="shared")
    cm(repo.path, "index", "--no-vectors").ok()
    assert isinstance(ident, str)
    return ident


def hammer(repo: GitRepo, shared: str, writers: int, seconds: float) -> int:
    """How many things were written."""
    running = [start(("cli", "mcp", "process", "mcp")[n % 4], repo, shared, f"w{n}", seconds) for n in range(writers)]
    writings: list[dict[str, Any]] = []
    for process in running:
        out, err = process.communicate(timeout=seconds + 240)
        assert process.returncode == 0, err.decode()[-2_000:]
        writings += told(out)
    check(repo, shared, writings)
    by_all = {row["made"] for row in writings if "made" in row}
    assert len(by_all) >= writers
    return len(writings)


def test_writers_by_commands_and_tools_lose_nothing(repo: GitRepo, shared: str) -> None:
    assert hammer(repo, shared, 6, 5.0) >= 12


@pytest.mark.real
def test_twenty_writers_for_half_a_minute_lose_nothing(repo: GitRepo, shared: str) -> None:
    print(hammer(repo, shared, 20, 30.0), "writings")


def test_writers_that_are_killed_leave_whole_files_and_nothing_beside_them(repo: GitRepo, shared: str) -> None:
    writings: list[dict[str, Any]] = []
    for turn in range(3):
        running = [start("cli", repo, shared, f"t{turn}w{n}", 60) for n in range(2)]
        begun = []
        for process in running:
            assert process.stdout is not None
            begun.append(process.stdout.readline())
        time.sleep(0.3 + 0.17 * turn)
        for process, first in zip(running, begun, strict=True):
            process.send_signal(signal.SIGKILL)
            out, _ = process.communicate(timeout=120)
            writings += told(first + out)
    assert writings
    check(repo, shared, writings)
    assert {file.suffix for file in (repo.path / ".memory/notes").iterdir()} == {".md"}
    check(repo, shared, writings)


STEPS = ("make_folder", "sync_file", "sync_folder", "_exchange", "os.link", "os.unlink", "os.replace", "os.rename")


def die_at(step: int, act: Callable[[], object]) -> int:
    """Run something in a child that is killed at one of its steps on the disk; whether it was."""
    child = os.fork()
    if child == 0:
        left = step
        for name in STEPS:
            place, attribute = (os, name[3:]) if name.startswith("os.") else (write, name)
            real = getattr(place, attribute)

            def counted(*args: Any, real: Any = real, **more: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **more)

            setattr(place, attribute, counted)
        try:
            act()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


@pytest.mark.parametrize("what", ["change", "create"])
def test_death_at_any_step_leaves_the_old_file_or_the_new_one(repo: GitRepo, shared: str, what: str) -> None:
    location = locate(str(repo.path))
    path = f".memory/notes/{shared}.md"
    old = (repo.path / path).read_text()
    new = old + "more\n"
    killed = 0
    for step in range(40):
        (repo.path / path).write_text(old)
        if what == "change":
            status = die_at(step, lambda: change_file(location, path, lambda text: text + "more\n"))
        else:
            status = die_at(step, lambda: write.create_file(location, lambda _: False, lambda _: new))
        assert (repo.path / path).read_text() in (old, new)
        change_file(location, path, lambda _: old)  # the next writer sweeps
        names = [file.name for file in (repo.path / ".memory/notes").iterdir()]
        assert all(name.endswith(".md") for name in names), names
        assert all((repo.path / ".memory/notes" / name).read_text() in (old, new) for name in names)
        assert not list((repo.path / ".git/cm/notes").rglob(".tmp-*"))
        killed += status != 0
        if status == 0:
            break
    assert killed >= 4
    assert status == 0, "it came to its end at last"


def test_an_edit_between_reading_and_writing_is_not_overwritten(repo: GitRepo, shared: str) -> None:
    location = locate(str(repo.path))
    path = f".memory/notes/{shared}.md"
    file = repo.path / path
    calls = []

    def edit(text: str) -> str:
        calls.append(text)
        if len(calls) == 1:
            file.write_text(text + "\nFrom an editor.\n")  # while we think
        return text + "\nFrom a program.\n"

    change_file(location, path, edit)
    assert len(calls) == 2
    assert file.read_text().count("From an editor.") == file.read_text().count("From a program.") == 1


def test_an_expected_version_that_is_no_more_gives_both_texts(repo: GitRepo, shared: str) -> None:
    location = locate(str(repo.path))
    path = f".memory/notes/{shared}.md"
    with pytest.raises(NoteChanged) as caught:
        change_file(location, path, lambda text: text + "mine", "0" * 40)
    assert caught.value.current == (repo.path / path).read_text()
    assert caught.value.proposed == caught.value.current + "mine"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux exchanges two names in one step")
def test_editors_that_replace_files_beside_our_writers_lose_nothing(repo: GitRepo, shared: str) -> None:
    """The editor takes care of our writes as editors do: it looks again before it replaces."""
    location = locate(str(repo.path))
    path = f".memory/notes/{shared}.md"
    file = repo.path / path
    stop = threading.Event()
    written: list[str] = []
    lost: list[str] = []

    def editor() -> None:
        """Only ever adds a file's own mark to a copy, and puts it in place whenever it likes."""
        count = 0
        while not stop.is_set():
            count += 1
            mark = f"editor {count}."
            beside = file.with_name(".editor.swp")
            beside.write_text(file.read_text() + mark + "\n")
            os.replace(beside, file)  # noqa: PTH105
            time.sleep(0.004)
            written.append(mark)

    thread = threading.Thread(target=editor)
    thread.start()
    seen: set[str] = set()

    def ours(text: str, number: int) -> str:
        seen.update(line for line in text.splitlines() if line.startswith("editor "))
        return text + f"program {number}.\n"

    try:
        for number in range(60):
            change_file(location, path, lambda text, number=number: ours(text, number))  # type: ignore[misc]
    finally:
        stop.set()
        thread.join()
    final = set(file.read_text().splitlines())
    lost += [mark for mark in seen if mark not in final]
    assert lost == [], "what we had read, we kept"
    assert isinstance(parse_note(path, file.read_bytes(), "sha1"), Note)


def test_ids_are_text_for_every_reader_of_yaml() -> None:
    import yaml

    for ident in {new_id() for _ in range(5_000)}:
        assert yaml.safe_load(f"id: {ident}") == {"id": ident}


def test_a_taken_id_is_never_given_again(repo: GitRepo, shared: str, cm: Cm, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = iter([shared, "bbbbb", "ccccc"])
    monkeypatch.setattr(write, "new_id", lambda: next(offered))
    (repo.path / ".memory/notes/bbbbb.md").write_text("not yet whole")
    made = cm(repo.path, "note", "create", "--summary", "x", "--core", "file:a.ts", "--json").json
    assert made["id"] == "ccccc"
    assert (repo.path / ".memory/notes/bbbbb.md").read_text() == "not yet whole"


def test_notes_are_not_written_through_a_link(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    repo.commit({"a.ts": "1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / ".memory").symlink_to(outside, target_is_directory=True)
    refused = cm(repo.path, "note", "create", "--summary", "x", "--core", "file:a.ts")
    assert refused.code == 1
    assert list(outside.iterdir()) == []


def test_a_deleted_note_is_gone_and_an_unknown_one_is_told(repo: GitRepo, shared: str, cm: Cm) -> None:
    cm(repo.path, "note", "delete", shared).ok()
    assert not (repo.path / f".memory/notes/{shared}.md").exists()
    assert cm(repo.path, "note", "delete", shared).code == 1
    assert cm(repo.path, "note", "show", shared).code == 1
    assert cm(repo.path, "note", "edit", "zzzzz", "--status", "draft").code == 1


def test_the_editor_is_opened_and_a_faster_edit_is_not_lost(
    repo: GitRepo, shared: str, cm: Cm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\nprintf "by the editor\\n" >> "$1"\n')
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cm(repo.path, "note", "edit", shared).ok()
    file = repo.path / f".memory/notes/{shared}.md"
    assert file.read_text().endswith("by the editor\n")
    script.write_text(f'#!/bin/sh\nprintf "other\\n" >> "{file}"\nprintf "mine\\n" >> "$1"\n')
    refused = cm(repo.path, "note", "edit", shared)
    assert refused.code == 1
    assert "your text is in" in refused.err
    assert file.read_text().endswith("other\n")
    (kept,) = tmp_path.glob(f"*-{shared}.md")
    assert kept.read_text().endswith("mine\n")
