"""A build over an earlier snapshot gives what a build from nothing gives, and looks at no more than what differs."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cmgit.core.config import Config
from cmgit.core.records import TreeEntry, no_progress
from cmgit.git.locate import locate
from cmgit.git.objects import Objects
from cmgit.index import changes
from cmgit.index.build import build
from cmgit.index.entries import reader
from cmgit.index.linking import LinkedSnapshot
from cmgit.index.recipes import current_recipes
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.snapshot.publish import load
from cmgit.store.segments import SegmentStore
from tests.conftest import GitRepo
from tests.link.edits import noted, said

CONFIG = Config(vectors=False, workers=1)
NAMES = ("a.ts", "b.ts", "lib/c.ts", "lib/d.js", "lib/deep/e.tsx", "tool", "é/f.ts", "package.json", "lib/package.json")


def source(r: random.Random) -> str:
    other = r.choice(["./a", "./b", "./lib/c", "../b", "../../a", "left-pad"])
    return (
        f"import {{ one{r.randrange(3)} }} from '{other}'\n"
        f"export function one{r.randrange(3)}(a: number) {{ return one{r.randrange(3)}(a) + {r.randrange(9)} }}\n"
        + ("export * from './b'\n" if r.random() < 0.2 else "")
    )


def content(name: str, r: random.Random) -> str:
    if name.endswith(".json"):
        return f'{{"name": "p{r.randrange(3)}", "main": "{r.choice(["a.ts", "c.ts"])}"}}\n'
    return ("#!/usr/bin/env node\n" if name == "tool" and r.random() < 0.7 else "") + source(r)


def edit(repo: GitRepo, r: random.Random) -> None:
    """One change of the working tree: content, name, kind, attributes."""
    name, top = r.choice(NAMES), repo.path
    place = top / name
    match r.randrange(8):
        case 0 | 1 | 2:
            if not place.is_symlink():
                repo.write({name: content(name, r)})
        case 3:
            place.unlink(missing_ok=True)
        case 4:
            if place.is_file():
                place.rename(place.with_name(f"moved{r.randrange(2)}.ts"))
        case 5:
            place.unlink(missing_ok=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to("b.ts")
        case 6:
            repo.write(
                {r.choice([".gitattributes", "lib/.gitattributes"]): r.choice(["*.ts linguist-generated\n", ""])}
            )
        case 7:
            if place.is_file() and not place.is_symlink():
                place.chmod(r.choice([0o644, 0o755]))


def everything(cm_dir: str, manifest: Manifest) -> list[object]:
    """What a snapshot says of each file, wherever the rows stand."""
    opened = OpenSegments(SegmentStore(cm_dir), manifest.segments)
    linked = LinkedSnapshot(manifest, opened)
    told: list[object] = [manifest.counts]
    for row in manifest.files.rows():
        entry = (row.path, row.oid, row.mode, row.language, row.role, row.status, row.size)
        facts = opened.facts(row.facts_segment).facts(row.facts_row) if row.facts_row >= 0 else None
        texts = opened.texts(row.texts_segment).texts(row.texts_row) if row.texts_row >= 0 else None
        lengths = opened.terms(row.terms_segment).lengths(row.terms_row).tolist() if row.terms_row >= 0 else None
        edges = linked.edges(row.path) if row.edges_row >= 0 else None
        names = [facts.name(unit) for unit in range(len(facts.units))] if facts is not None else None
        told.append((entry, names, texts, lengths, edges and said(edges), edges and noted(edges)))
    return told


def built(repo: GitRepo, tree: str, config: Config = CONFIG) -> Manifest:
    location = locate(str(repo.path))
    build(location, tree, config, no_progress, lambda _: None)
    manifest = load(location.cm_dir, tree, current_recipes(config).snapshot)
    assert manifest is not None
    return manifest


@pytest.mark.parametrize("seed", range(3))
def test_a_build_over_an_earlier_snapshot_says_what_one_from_nothing_says(repo: GitRepo, seed: int) -> None:
    r = random.Random(seed)
    repo.write({name: content(name, r) for name in NAMES})
    cm, aside = repo.path / ".git" / "cm", repo.path / ".git" / "aside"
    for _ in range(5):
        tree = repo.commit()
        over = everything(str(cm), built(repo, tree))
        cm.rename(aside)
        assert over == everything(str(cm), built(repo, tree))
        shutil.rmtree(cm)
        aside.rename(cm)
        for _ in range(r.choice([1, 1, 4])):
            edit(repo, r)


def test_a_commit_reads_no_list_of_the_tree(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write({f"src/f{n}.ts": f"export const f{n} = () => {n}\n" for n in range(6)})
    built(repo, repo.commit())
    monkeypatch.setattr(Objects, "list_tree", lambda *_: pytest.fail("the whole tree was listed"))
    manifest = built(repo, repo.commit({"src/f3.ts": "export const f3 = () => 33\n", "src/f9.ts": "export {}\n"}))
    assert [path for path in manifest.files.path if path.startswith("src")] == [
        "src/f0.ts", "src/f1.ts", "src/f2.ts", "src/f3.ts", "src/f4.ts", "src/f5.ts", "src/f9.ts",
    ]  # fmt: skip


def test_a_submodule_that_moved_is_told_whatever_gitmodules_says(repo: GitRepo) -> None:
    repo.write({".gitmodules": '[submodule "sub.ts"]\n\tpath = sub.ts\n\turl = ./x\n\tignore = all\n'})
    for oid in ("1" * 40, "2" * 40):
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub.ts")
        repo.git("add", ".gitmodules")
        repo.git("commit", "-q", "-m", "x")
        manifest = built(repo, repo.tree("HEAD"))
        row = manifest.files.find("sub.ts")
        assert row is not None
        assert manifest.files.oid[row] == oid


def test_an_earlier_tree_that_git_no_longer_has_costs_a_listing_and_no_more(repo: GitRepo) -> None:
    before = built(repo, repo.commit({"a.ts": "export const a = 1\n", "b.ts": "import './a'\n"}))
    after = repo.commit({"b.ts": "import { a } from './a'\nexport const b = () => a\n"})
    found = replace(before, tree="1" * 40)
    asked: list[TreeEntry] = []
    objects = Objects(locate(str(repo.path)))
    read = reader(objects)
    told = changes.changes_since(found, objects, after, lambda entry: asked.append(entry) or read(entry))  # type: ignore[func-returns-value]
    assert [entry.path for entry in told.plan.files] == ["b.ts"]
    assert (told.gone, asked) == ((1,), [])


def test_a_damaged_earlier_snapshot_is_not_built_upon(repo: GitRepo) -> None:
    repo.commit({"a.ts": "export const a = () => 1\n", "b.ts": "import { a } from './a'\na()\n"})
    built(repo, repo.tree("HEAD"))
    for place in Path(repo.path / ".git" / "cm" / "segments").iterdir():
        place.write_bytes(place.read_bytes()[:-1] + b"?")
    tree = repo.commit({"b.ts": "import { a } from './a'\na(2)\n"})
    over = everything(str(repo.path / ".git" / "cm"), built(repo, tree))
    shutil.rmtree(repo.path / ".git" / "cm")
    assert over == everything(str(repo.path / ".git" / "cm"), built(repo, tree))
