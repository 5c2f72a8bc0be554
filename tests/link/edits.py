"""A tree of texts that is edited at random, step by step, and linked in part after each."""

from __future__ import annotations

import json
import posixpath
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cmgit.core.facts import BlobFacts
from cmgit.core.tables import DependKind, FileEdges
from cmgit.extract.extract import extract
from cmgit.languages.table import is_config, language_of
from cmgit.link.earlier import Tree
from cmgit.link.link import ConfigFile, LinkFile, link
from cmgit.link.relink import Relinked, relink
from tests.link.linked_tree import LinkedTree

_STATEMENT = re.compile(rb"^( {2,}|\t+)\S[^{}]*;?$", re.MULTILINE)
_NAME = re.compile(rb"\b(export (?:default )?(?:async )?(?:function|class|const|interface|type) )(\w+)")
_WORD = re.compile(rb"\b[A-Za-z_]\w{3,}\b")
_TYPE = re.compile(rb": ([A-Z]\w+)")
_SPECIFIER = re.compile(rb"""(from |require\()(['"])(\.[^'"]+)\2""")


def texts_below(folder: Path) -> dict[str, bytes]:
    found = {}
    for place in sorted(folder.rglob("*")):
        path = place.relative_to(folder).as_posix()
        if place.is_file() and not place.is_symlink() and "node_modules" not in path:
            data = place.read_bytes()
            if is_config(path) or language_of(path, data[:200]):
                found[path] = data
    return found


def said(edges: FileEdges) -> list[tuple[object, ...]]:
    """Edges by what they say, in order."""

    def names(table: tuple[str, ...], column: object) -> list[str | None]:
        return [table[i] if i >= 0 else None for i in column]  # type: ignore[attr-defined]

    return list(
        zip(
            edges.is_import, edges.source, names(edges.paths, edges.target_path), edges.target_unit,
            edges.confidence, names(edges.rules, edges.rule), edges.status, strict=True,
        )
    )  # fmt: skip


def noted(edges: FileEdges) -> list[tuple[object, ...]]:
    """What is noted of the file itself, which does not depend on how it was linked."""
    rows = [(int(kind), path or "", *rest) for kind, path, *rest in edges.depends.rows()]
    return sorted(row for row in rows if row[0] != DependKind.TOKEN)


@dataclass
class World:
    """Texts by path, their facts, and the tree as it was linked last."""

    texts: dict[str, bytes]
    facts: dict[str, BlobFacts] = field(default_factory=dict)
    memo: dict[tuple[str, bytes], BlobFacts] = field(default_factory=dict)
    linked: LinkedTree | None = None
    configs: dict[str, bytes] = field(default_factory=dict)

    def read(self) -> None:
        self.facts = {}
        for path, text in self.texts.items():
            language = language_of(path, text[:200])
            if language is None or is_config(path):
                continue
            key = (language, text)
            if key not in self.memo:
                self.memo[key] = extract(text, language, 1_000_000)
            if len(self.memo[key].units):
                self.facts[path] = self.memo[key]

    def full(self) -> dict[str, FileEdges]:
        paths = sorted(self.facts)
        configs = [ConfigFile(path, text) for path, text in sorted(self.configs_now().items())]
        edges = link([LinkFile(path, self.facts[path]) for path in paths], configs)
        return dict(zip(paths, edges, strict=True))

    def configs_now(self) -> dict[str, bytes]:
        return {path: text for path, text in self.texts.items() if is_config(path)}

    def start(self) -> None:
        self.read()
        self.configs = self.configs_now()
        self.linked = LinkedTree(self.facts, self.full())

    def step(self) -> tuple[Relinked, list[str]]:
        """Links what changed since the last step; and the paths whose edges are not those of a full link."""
        assert self.linked is not None
        before, linked = self.facts, self.linked
        self.read()
        configs = self.configs_now()
        edited = {path for path in before.keys() & self.facts.keys() if before[path] is not self.facts[path]}
        tree = Tree(
            tuple(self.facts), self.facts.__getitem__, lambda: [ConfigFile(p, t) for p, t in sorted(configs.items())]
        )
        found = relink(linked, tree, edited, configs != self.configs)
        edges = {path: found.edges[path] if path in found.edges else linked.edges(path) for path in self.facts}
        expected = self.full()
        wrong = [
            path
            for path in edges
            if said(edges[path]) != said(expected[path]) or noted(edges[path]) != noted(expected[path])
        ]
        self.linked, self.configs = LinkedTree(self.facts, edges), configs
        return found, wrong


# -- edits ----------------------------------------------------------------------------------------


def _choose(world: World, r: random.Random) -> str:
    return r.choice(sorted(world.facts.keys() & world.texts.keys()))


def _split(r: random.Random, text: bytes, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
    found = list(pattern.finditer(text))
    return r.choice(found) if found else None


def edit_body(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    found = _split(r, world.texts[path], _STATEMENT)
    if found:
        extra = r.choice([b"", found.group() + b"\n", b"  void (() => 1)\n", b"\n\n"])
        world.texts[path] = world.texts[path][: found.start()] + extra + world.texts[path][found.end() :].lstrip(b"\n")
    return f"body of {path}"


def rename_export(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    found = _split(r, world.texts[path], _NAME)
    if found:
        new = found.group(2) + b"2" if r.random() < 0.6 else b"renamed"
        if r.random() < 0.5:
            world.texts[path] = re.sub(rb"\b%s\b" % re.escape(found.group(2)), new, world.texts[path])
        else:
            world.texts[path] = world.texts[path][: found.start(2)] + new + world.texts[path][found.end(2) :]
    return f"export of {path}"


def change_word(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    found = _split(r, world.texts[path], _TYPE if r.random() < 0.4 else _WORD)
    other = _split(r, world.texts[path], _WORD)
    if found and other:
        text = world.texts[path]
        world.texts[path] = text[: found.start()] + found.group()[:2] + other.group() + text[found.end() :]
    return f"word of {path}"


def prepend(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    text = world.texts[path]
    if path.endswith((".vue", ".svelte", ".astro")):
        return "nothing"
    head = r.choice([b"function before() { return () => 1 }\n", b"export const added = 1\n", b"class X0 {}\n"])
    world.texts[path] = head + text
    return f"head of {path}"


def delete(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    if len(world.facts) > 5:
        del world.texts[path]
    return f"deleted {path}"


def copy(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    folder, name = posixpath.split(path)
    stem, _, extension = name.partition(".")
    other = r.choice(["ts", "js", "tsx", "mjs", "d.ts", extension])
    new = posixpath.join(folder, r.choice([f"{stem}.{other}", f"{stem}2.{extension}", f"{stem}/index.{other}"]))
    if not any(known.startswith(new + "/") for known in world.texts):
        world.texts[new] = world.texts[path]
    return f"copied {path} to {new}"


def move(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    folder, name = posixpath.split(path)
    new = posixpath.join(folder, r.choice(["moved", "Moved", "inner/index"]) + "." + name.partition(".")[2])
    world.texts[new] = world.texts.pop(path)
    return f"moved {path} to {new}"


def make_barrel(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    if path.endswith((".vue", ".svelte", ".astro")):
        return "nothing"
    names = [b"./" + posixpath.basename(other).split(".")[0].encode() for other in sorted(world.facts)
             if posixpath.dirname(other) == posixpath.dirname(path) and other != path][:4]  # fmt: skip
    stars = b"".join(b"export * from '%s'\n" % name for name in names)
    world.texts[path] = stars if r.random() < 0.5 else stars + world.texts[path]
    return f"barrel {path}"


def redirect(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    found = _split(r, world.texts[path], _SPECIFIER)
    other = _choose(world, r)
    if found:
        name = posixpath.relpath(other, posixpath.dirname(path) or ".")
        name = re.sub(r"\.\w+$", r.choice(["", ".js"]), name if name.startswith(".") else "./" + name)
        text = world.texts[path]
        world.texts[path] = text[: found.start(3)] + name.encode() + text[found.end(3) :]
    return f"import of {path}"


def change_config(world: World, r: random.Random) -> str:
    path = r.choice(sorted(world.configs_now()) or ["package.json"])
    try:
        data = json.loads(world.texts.get(path, b"{}"))
    except ValueError:
        return "nothing"
    if path.endswith("package.json"):
        key, value = r.choice(
            [("name", "other"), ("main", "./src/index.ts"), ("version", str(r.random())), ("exports", "./src/cart.ts"),
             ("imports", {"#x": "./src/x.js"}), ("workspaces", ["packages/*"]), ("workspaces", [])]
        )  # fmt: skip
        data[key] = value
    elif isinstance(data, dict):
        options = data.setdefault("compilerOptions", {})
        value = r.choice([{}, {"@/*": ["./src/*"]}, {"*": ["./packages/*/src"]}, {"@vue/*": ["packages/*/src"]}])
        options["paths"] = value
        if r.random() < 0.3:
            options["baseUrl"] = r.choice([".", "src", "packages"])
    world.texts[path] = json.dumps(data).encode()
    return f"config {path}"


def break_syntax(world: World, r: random.Random) -> str:
    path = _choose(world, r)
    text = world.texts[path]
    at = r.randrange(len(text) + 1)
    world.texts[path] = text[:at] + r.choice([b"}", b"{", b"(", b"'"]) + text[at:]
    return f"syntax of {path}"


EDITS: tuple[Callable[[World, random.Random], str], ...] = (
    edit_body, edit_body, rename_export, change_word, change_word, prepend, delete, copy, move, make_barrel, redirect,
    change_config, break_syntax,
)  # fmt: skip
