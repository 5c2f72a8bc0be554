"""Random edits of real code: an anchor whose text changed is never called ok, one whose text did not change is hardly
ever called changed. What is right is worked out here by looking for the unit's bytes, not by the code under test.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from cmgit.core.config import Config
from cmgit.core.facts import UnitKind
from cmgit.core.records import no_progress
from cmgit.git.locate import locate
from cmgit.notes.anchors import CHANGED, GONE, MOVED, OK, Checker
from cmgit.notes.memory import Memory
from cmgit.notes.model import Anchor
from cmgit.notes.standing import Standing
from cmgit.notes.uri import Uri
from cmgit.view.open import open_view
from cmgit.view.view import View
from tests.conftest import GitRepo

ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(rb"\b[a-zA-Z_]\w{2,}\b|\b\d+\b")


@dataclass(frozen=True)
class Unit:
    path: str
    qualname: str
    text: bytes

    @property
    def uri(self) -> str:
        return f"symbol:{self.path}::{self.qualname}"


@dataclass
class Tally:
    ok: int = 0
    false_ok: list[str] = None  # type: ignore[assignment]
    false_changed: list[str] = None  # type: ignore[assignment]
    wrong_target: list[str] = None  # type: ignore[assignment]
    kept: int = 0
    altered: int = 0

    def __post_init__(self) -> None:
        self.false_ok, self.false_changed, self.wrong_target = [], [], []


def view_at(folder: Path) -> View:
    return open_view(locate(str(folder)), Config(vectors=False), None, no_progress, lambda _: None)


def checker_at(view: View) -> Checker:
    assert view.location is not None
    changes = tuple(view.changes or ())
    return Checker(view, Memory(Standing(view.location, view.tree, changes)))


def units_of(view: View, folder: Path) -> list[Unit]:
    """Functions, methods and classes whose name stands once in their file."""
    found: dict[str, list[Unit]] = {}
    kinds = {UnitKind.FUNCTION.label, UnitKind.METHOD.label, UnitKind.CLASS.label}
    for number in range(len(view.units)):
        unit = view.unit(number)
        data = (folder / unit.path).read_bytes()[unit.start_byte : unit.end_byte]
        if unit.kind in kinds and unit.qualname and len(data) > 40:
            one = Unit(unit.path, unit.qualname, data)
            found.setdefault(one.uri, []).append(one)
    return [units[0] for units in found.values() if len(units) == 1]


def random_edit(dice: random.Random, folder: Path, units: list[Unit]) -> tuple[str, Unit]:
    """Change the working tree once; what was done, and the unit that was meant."""
    unit = dice.choice(units)
    file = folder / unit.path
    data = file.read_bytes()
    at = data.find(unit.text)
    words = list(WORD.finditer(unit.text))
    match dice.randrange(6):
        case 0:  # one token of the unit
            word = dice.choice(words)
            token = b"7" if word[0].isdigit() else word[0] + b"X"
            file.write_bytes(data[: at + word.start()] + token + data[at + word.end() :])
            return "token", unit
        case 1:  # a line elsewhere
            place = data.rfind(b"\n", 0, at) + 1
            file.write_bytes(data[:place] + b"// a remark that says nothing\n" + data[place:])
            return "remark before", unit
        case 2:  # a new function at the end
            file.write_bytes(data + b"\nfunction addedAtTheEnd(a) { return a + 1 }\n")
            return "appended", unit
        case 3:  # a blank inside
            word = dice.choice(words)
            file.write_bytes(data[: at + word.end()] + b" " + data[at + word.end() :])
            return "blank", unit
        case 4:  # another file's name
            target = file.with_name("renamed-" + file.name)
            file.rename(target)
            return "renamed", unit
        case _:  # a token of any other unit of the file
            others = [other for other in units if other.path == unit.path and other.text not in unit.text]
            other = dice.choice(others) if others else unit
            word = dice.choice(list(WORD.finditer(other.text)))
            start = data.find(other.text) + word.start()
            file.write_bytes(data[:start] + word[0] + b"X" + data[start + len(word[0]) :])
            return "token elsewhere", unit


def restore(folder: Path) -> None:
    subprocess.run(["git", "checkout", "--quiet", "--", "."], cwd=folder, check=True)
    subprocess.run(["git", "clean", "-fdq"], cwd=folder, check=True)


def judge(tally: Tally, folder: Path, checker: Checker, unit: Unit, digest: str, what: str) -> None:
    """Compare the status with what the bytes on disk say."""
    state = checker.state(Anchor(unit.uri, "core", digest))
    file = folder / unit.path
    there = file.is_file() and unit.text in file.read_bytes()
    if there:
        tally.kept += 1
        if state.status in (CHANGED, GONE):
            tally.false_changed.append(f"{what}: {unit.uri} {state.status} {state.why}")
    else:
        tally.altered += 1
        if state.status == OK:
            tally.false_ok.append(f"{what}: {unit.uri}")
        renamed = file.with_name("renamed-" + file.name)
        if renamed.is_file() and unit.text in renamed.read_bytes():
            wanted = f"symbol:{renamed.relative_to(folder).as_posix()}::{unit.qualname}"
            candidates = (state.target, *state.candidates)
            if state.status != MOVED or wanted not in candidates:
                tally.wrong_target.append(f"{what}: {unit.uri} {state.status} {state.target}")


def walk(folder: Path, edits: int, seed: int) -> Tally:
    dice = random.Random(seed)
    clean = view_at(folder)
    units = [unit for unit in units_of(clean, folder) if (folder / unit.path).read_bytes().count(unit.text) == 1]
    checker = checker_at(clean)
    hashes = {unit.uri: checker.current_hash(Uri("symbol", unit.path, unit.qualname)) for unit in units}
    assert all(hashes.values())
    tally = Tally()
    for _ in range(edits):
        what, meant = random_edit(dice, folder, units)
        checker = checker_at(view_at(folder))
        others = [unit for unit in units if unit.path == meant.path]
        for unit in {meant, *dice.sample(others, min(12, len(others)))}:
            judge(tally, folder, checker, unit, hashes[unit.uri], what)
        restore(folder)
    return tally


def report(tally: Tally) -> str:
    return (
        f"{tally.kept} unchanged: {len(tally.false_changed)} called changed; {tally.altered} changed or moved: "
        f"{len(tally.false_ok)} called ok, {len(tally.wrong_target)} moved elsewhere"
    )


def settle(tally: Tally) -> None:
    print(report(tally))
    assert tally.false_ok == []
    assert tally.wrong_target == []
    assert len(tally.false_changed) <= 0.02 * max(tally.kept, 1), tally.false_changed
    assert tally.kept > 20
    assert tally.altered > 10


def test_forty_edits_of_the_example_application(repo: GitRepo) -> None:
    shop = ROOT / "examples" / "shop"
    files = {
        p.relative_to(shop).as_posix(): p.read_bytes()
        for p in shop.rglob("*")
        if p.is_file() and p.suffix in (".ts", ".tsx", ".js", ".json")
    }
    repo.commit({name: data for name, data in files.items() if "node_modules" not in name})
    settle(walk(repo.path, 40, 3))


@pytest.mark.real
def test_two_hundred_edits_of_a_published_package(repo: GitRepo) -> None:
    from tests.real.test_npm_packages import unpack

    unpack("rxjs", "7.8.2", repo.path)
    shutil.rmtree(repo.path / "package" / "dist")
    repo.commit(message="rxjs")
    settle(walk(repo.path, 200, 11))
