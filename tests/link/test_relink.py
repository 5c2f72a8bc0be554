"""Linking a part gives what linking everything gives, and no more than the part is linked."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from edits import EDITS, World, said, texts_below

from cmgit.extract.extract import extract
from cmgit.languages.table import is_config, language_of

_SHOP = Path(__file__).parents[2] / "examples" / "shop"
_REAL = os.environ.get("CMGIT_REAL_REPOS", "")


def texts_of(git_dir: Path) -> dict[str, bytes]:
    """Sources and configs of the newest commit of a bare repository."""
    git = ["git", "-C", str(git_dir)]
    listing = subprocess.run([*git, "ls-tree", "-rz", "HEAD"], capture_output=True, check=True).stdout
    wanted = {}
    for line in filter(None, listing.split(b"\0")):
        info, path = line.split(b"\t", 1)
        name = path.decode("utf-8", "surrogateescape")
        if info.startswith(b"100") and (is_config(name) or language_of(name)):
            wanted[name] = info.split()[2]
    blobs = subprocess.run(
        [*git, "cat-file", "--batch"],
        input=b"\n".join(wanted.values()) + b"\n", capture_output=True, check=True,
    ).stdout  # fmt: skip
    found, at = {}, 0
    for name in wanted:
        end = blobs.index(b"\n", at)
        size = int(blobs[at:end].split()[2])
        found[name] = blobs[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


def edit_and_compare(texts: dict[str, bytes], seed: int, steps: int) -> None:
    r = random.Random(seed)
    world = World(dict(texts))
    world.start()
    for step in range(steps):
        what = [r.choice(EDITS)(world, r) for _ in range(r.choice([1, 1, 1, 2, 4]))]
        _, wrong = world.step()
        assert not wrong, (seed, step, what, wrong[:5])


@pytest.mark.parametrize("seed", range(6))
def test_a_part_is_linked_as_the_whole_after_random_edits(seed: int) -> None:
    edit_and_compare(texts_below(_SHOP), seed, 12)


@pytest.mark.real
@pytest.mark.skipif(not _REAL, reason="CMGIT_REAL_REPOS names no folder of mirrors")
@pytest.mark.parametrize("name", ["expressjs+express", "vuejs+core"])
@pytest.mark.parametrize("seed", range(3))
def test_a_part_of_a_real_repository_is_linked_as_the_whole(name: str, seed: int) -> None:
    edit_and_compare(texts_of(Path(_REAL) / name / "repo"), seed, 15)


# -- how much is linked ---------------------------------------------------------------------------

_TREE = {
    "a.ts": b"export function make(): Thing { const n = 1; return new Thing() }\n"
    b"export class Thing { run() { return 1 } }\nexport function other() { return 2 }\n",
    "b.ts": b"import { make } from './a'\nmake().run()\n",
    "c.ts": b"import { other } from './barrel'\nother()\n",
    "barrel.ts": b"export * from './a'\n",
    "d.ts": b"export const alone = 1\nalone.toFixed()\n",
    "port.ts": b"export interface Port { send(): void }\n",
    "use.ts": b"import type { Port } from './port'\nexport function go(port: Port) { port.send() }\n",
    "impl.ts": b"import type { Port } from './port'\nexport class Wire implements Port { send() {} }\n",
}


def world_of(texts: dict[str, bytes]) -> World:
    world = World(dict(texts))
    world.start()
    return world


def linked_after(changed: dict[str, bytes | None]) -> tuple[str, ...]:
    world = world_of(_TREE)
    for path, text in changed.items():
        if text is None:
            del world.texts[path]
        else:
            world.texts[path] = text
    found, wrong = world.step()
    assert not wrong
    return found.linked


def test_the_body_of_a_function_touches_no_importer() -> None:
    body = _TREE["a.ts"].replace(b"const n = 1", b"const n = [1].map((x) => x + other())")
    assert linked_after({"a.ts": body}) == ("a.ts",)


def test_importers_get_the_new_numbers_of_units_without_being_linked() -> None:
    world = world_of(_TREE)
    before = said(world.linked.edges("b.ts"))  # type: ignore[union-attr]
    world.texts["a.ts"] = b"function first() {}\n" + _TREE["a.ts"]
    found, wrong = world.step()
    assert not wrong
    assert found.linked == ("a.ts",)
    assert said(found.edges["b.ts"]) != before


def test_a_changed_export_touches_those_that_see_it() -> None:
    text = _TREE["a.ts"].replace(b"return 2", b"return new Thing()")
    assert linked_after({"a.ts": text}) == ("a.ts", "c.ts")
    text = _TREE["a.ts"].replace(b"run()", b"walk()")
    assert linked_after({"a.ts": text}) == ("a.ts", "b.ts")


def test_a_new_export_touches_nobody_who_never_asked_for_it() -> None:
    assert linked_after({"a.ts": _TREE["a.ts"] + b"export function more() {}\n"}) == ("a.ts",)


def test_an_export_that_was_missed_touches_those_who_missed_it_through_a_barrel() -> None:
    world = world_of({**_TREE, "e.ts": b"import { late } from './barrel'\nlate()\n"})
    world.texts["a.ts"] += b"export function late() {}\n"
    found, wrong = world.step()
    assert not wrong
    assert found.linked == ("a.ts", "e.ts")


def test_another_implementation_touches_those_who_call_the_interface() -> None:
    second = b"import type { Port } from './port'\nexport class Other implements Port { send() {} }\n"
    assert linked_after({"second.ts": second}) == ("second.ts", "use.ts")
    assert linked_after({"impl.ts": None}) == ("use.ts",)


def test_a_file_that_takes_over_a_name_touches_who_imports_it() -> None:
    assert linked_after({"a/index.ts": b"export function make() {}\n"}) == ("a/index.ts",)
    assert linked_after({"a.ts": None, "a/index.ts": b"export function make() {}\n"}) == (
        "a/index.ts", "b.ts", "barrel.ts", "c.ts",
    )  # fmt: skip


def test_a_config_touches_whose_imports_it_moves() -> None:
    world = world_of({**_TREE, "f.ts": b"import { make } from '#a'\nmake()\n", "package.json": b"{}"})
    world.texts["package.json"] = b'{"imports": {"#a": "./a.ts"}}'
    found, wrong = world.step()
    assert not wrong
    assert found.linked == ("f.ts",)


def test_facts_that_nothing_asks_for_are_not_read() -> None:
    from cmgit.link.earlier import Tree
    from cmgit.link.relink import relink
    from tests.link.linked_tree import LinkedTree

    world = world_of(_TREE)
    new = extract(_TREE["c.ts"] + b"other()\n", "typescript", 1_000_000)
    read = []

    def facts(path: str):  # type: ignore[no-untyped-def]
        read.append(path)
        return new if path == "c.ts" else world.facts[path]

    tree = Tree(tuple(world.facts), facts, list)
    assert isinstance(world.linked, LinkedTree)
    assert relink(world.linked, tree, ["c.ts"], False).linked == ("c.ts",)
    assert set(read) == {"a.ts", "barrel.ts", "c.ts"}
