"""A random walk over the states that people and agents bring a repository into, and the comparison after each step.

Every step is chosen and shaped by `random.Random(seed)` alone: the same seed walks the same way. A git command may
fail (a dirty file in the way of a switch, nothing to commit): the state it leaves is a state as well.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest

from cmgit.view.past import PastSupply
from tests.conftest import Cm, CmResult

SOURCE_SUFFIXES = (".ts", ".tsx", ".js", ".mjs", ".cjs", ".vue")
DEFINED = re.compile(r"\b(?:function|const|class)\s+([A-Za-z]\w{3,})|\bexports\.([A-Za-z]\w{3,})\s*=")
SPECIFIER = re.compile(r"((?:\bfrom|\brequire\()\s*)(['\"])([^'\"\n]+)\2")
BODY = re.compile(r"\bfunction\b[^{}]*\{|\)\s*=>\s*\{|\)\s*\{")
MARK = "Anew"
IN_PROGRESS = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")


class Walk:
    """Where the walk is. top: the working tree it goes on in. steps: what was done so far, for the message."""

    def __init__(self, top: Path, seed: int, cm: Cm, work: Path) -> None:
        self.top, self.seed, self.cm, self.work = top, seed, cm, work
        self.rng = random.Random(seed)
        self.tops = [top]
        self.steps: list[list[str]] = []
        self.done: Counter[str] = Counter()
        self.counter = 0
        self.git("tag", "start")

    def git(self, *args: str) -> int:
        """Exit code of a git command, which is also written down."""
        code = self.ask(*args).returncode
        self.say(f"git {' '.join(args)}" + (f" (exit {code})" if code else ""))
        return code

    def ask(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        env = os.environ | {"GIT_EDITOR": "true"}
        quiet = ("-c", "gc.auto=0", "-c", "advice.detachedHead=false", "-c", "merge.conflictStyle=merge")
        return subprocess.run(["git", *quiet, *args], cwd=self.top, env=env, capture_output=True, check=False)

    def say(self, what: str) -> None:
        if self.steps:
            self.steps[-1].append(what)

    def number(self) -> int:
        self.counter += 1
        return self.counter

    def step(self) -> None:
        """One random action that can be done in the present state."""
        while True:
            names = [name for name in ACTIONS if self.calm() or name in IN_CONFLICT]
            weights = [ACTIONS[name][0] for name in names]
            name = self.rng.choices(names, weights)[0]
            self.steps.append([f"{name}:"])
            if ACTIONS[name][1](self) is not False:
                self.done[name] += 1
                return
            self.steps.pop()

    def calm(self) -> bool:
        """No merge, rebase or cherry-pick waits for an answer."""
        return not self.waiting()

    def waiting(self) -> str:
        git_dir = Path(os.fsdecode(self.ask("rev-parse", "--absolute-git-dir").stdout.strip()))
        return next((name for name in IN_PROGRESS if (git_dir / name).exists()), "")

    def common_dir(self) -> Path:
        answer = self.ask("rev-parse", "--path-format=absolute", "--git-common-dir").stdout
        return Path(os.fsdecode(answer.strip()))

    def paths(self) -> list[str]:
        """Tracked, and untracked but not ignored, on the disk of this working tree."""
        listed = self.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout.split(b"\0")
        names = sorted({os.fsdecode(name) for name in listed if name})
        return [name for name in names if (self.top / name).is_file() and not (self.top / name).is_symlink()]

    def off_the_disk(self) -> list[str]:
        """Tracked files that sparse checkout keeps off the disk."""
        listed = self.ask("ls-files", "-z", "-t").stdout.split(b"\0")
        hidden = [os.fsdecode(record[2:]) for record in listed if record.startswith(b"S ")]
        return [path for path in hidden if not (self.top / path).exists()]

    def sources(self) -> list[str]:
        return [path for path in self.paths() if path.endswith(SOURCE_SUFFIXES)]

    def branches(self) -> list[str]:
        lines = self.ask("for-each-ref", "--format=%(refname:short)", "refs/heads").stdout.decode()
        return lines.split()

    def read(self, path: str) -> str:
        return (self.top / path).read_bytes().decode("utf-8", "surrogateescape")

    def write(self, path: str, text: str, what: str) -> None:
        target = self.top / path
        if any((self.top / parent).is_file() for parent in Path(path).parents) or target.is_dir():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))
        self.say(f"{path}: {what}")

    def story(self) -> str:
        lines = (f"  {n}. {' '.join(step[:1])} {'; '.join(step[1:])}" for n, step in enumerate(self.steps, 1))
        return f"seed {self.seed}, {len(self.steps)} steps\n" + "\n".join(lines)


def edit(walk: Walk) -> bool | None:
    sources = walk.sources()
    if not sources:
        return False
    path = walk.rng.choice(sources)
    return walk.rng.choice((rename_symbol, change_import, append_function, change_body))(walk, path)


def rename_symbol(walk: Walk, path: str) -> bool | None:
    text = walk.read(path)
    names = sorted({a or b for a, b in DEFINED.findall(text)})
    if not names:
        return False
    name = walk.rng.choice(names)
    other = name.removesuffix(MARK) if name.endswith(MARK) else name + MARK
    walk.write(path, re.sub(rf"\b{name}\b", other, text), f"{name} is {other}")
    return None


def change_import(walk: Walk, path: str) -> bool | None:
    text = walk.read(path)
    found = list(SPECIFIER.finditer(text))
    if not found:
        return False
    match = walk.rng.choice(found)
    specifier = specifier_of(walk, path)
    walk.write(path, text[: match.start(3)] + specifier + text[match.end(3) :], f"{match[3]} is {specifier}")
    return None


def specifier_of(walk: Walk, path: str) -> str:
    """How a file may name another one, right or wrong."""
    other = walk.rng.choice(walk.sources())
    relative = os.path.relpath(f"/{other}", f"/{path.rpartition('/')[0]}")
    relative = relative if relative.startswith(".") else f"./{relative}"
    stem = relative.rsplit(".", 1)[0]
    return walk.rng.choice((relative, stem, stem, "@kettle/core", f"@core/{Path(stem).name}", "../index"))


def append_function(walk: Walk, path: str) -> bool | None:
    if path.endswith(".vue"):
        return False
    number, other = walk.number(), walk.rng.choice(walk.sources())
    names = sorted({a or b for a, b in DEFINED.findall(walk.read(other))}) or ["nothing"]
    name = walk.rng.choice(names)
    body = f"\nexport function appended{number}(value) {{\n  return {name}(value, appended{number - 1})\n}}\n"
    head = f"import {{ {name} }} from '{specifier_of(walk, path)}'\n" if walk.rng.random() < 0.5 else ""
    walk.write(path, head + walk.read(path) + body, f"appended{number} calls {name}")
    return None


def change_body(walk: Walk, path: str) -> bool | None:
    text = walk.read(path)
    found = list(BODY.finditer(text))
    if not found:
        return False
    at, number = walk.rng.choice(found).end(), walk.number()
    call = walk.rng.choice((f"console.info('total price {number}')", f"appended{number - 1}(tax{number})"))
    walk.write(path, f"{text[:at]}\n  {call};{text[at:]}", f"{call} at {at}")
    return None


def add(walk: Walk) -> bool | None:
    sources = walk.sources()
    if not sources:
        return False
    near, number = walk.rng.choice(sources), walk.number()
    folder = near.rpartition("/")[0]
    name = walk.rng.choice((f"added{number}.ts", f"added{number}.js", f"added{number}/index.ts", "index.js"))
    path = f"{folder}/{name}" if folder else name
    text = f"import * as near from '{specifier_of(walk, path)}'\nexport const added{number} = (n) => near.total(n)\n"
    walk.write(path, text, "new")
    return None


def delete(walk: Walk) -> bool | None:
    sources = walk.sources()
    if len(sources) < 12:
        return False
    path = walk.rng.choice(sources)
    if walk.rng.random() < 0.3:
        walk.git("rm", "-q", "-f", *walk.rng.choice(((), ("--cached",))), "--", path)
    else:
        (walk.top / path).unlink()
        walk.say(f"rm {path}")
    return None


def rename(walk: Walk) -> bool | None:
    sources = walk.sources()
    if not sources:
        return False
    path, number = walk.rng.choice(sources), walk.number()
    folder, _, name = path.rpartition("/")
    if folder and walk.rng.random() < 0.4:
        path, other = folder, re.sub(r"_\d+$", "", folder) + f"_{number}"
    else:
        stem, _, suffix = name.partition(".")
        other = f"{folder}/{stem}{number}.{suffix}" if folder else f"{stem}{number}.{suffix}"
    if walk.rng.random() < 0.5:
        walk.git("mv", path, other)
    else:
        (walk.top / path).rename(walk.top / other)
        walk.say(f"mv {path} {other}")
    return None


def commit(walk: Walk) -> None:
    if walk.rng.random() < 0.7:
        walk.git("add", "--all")
    walk.git("commit", "-q", "--no-verify", *walk.rng.choice(((), ("-a",))), "-m", "change")


def stage(walk: Walk) -> None:
    walk.git("add", *walk.rng.choice((("--all",), ("-u",), ("-N", "."))))


def amend(walk: Walk) -> None:
    walk.git("commit", "-q", "--no-verify", "--amend", "--no-edit", *walk.rng.choice(((), ("-a",))))


def switch(walk: Walk) -> None:
    force = walk.rng.choice(((), ("-f",)))
    kind = walk.rng.random()
    if kind < 0.3:
        walk.git("checkout", "-q", *force, "-b", f"branch{walk.number()}", walk.rng.choice(("HEAD", "HEAD~1", "start")))
    elif kind < 0.45:
        walk.git("checkout", "-q", *force, "--detach", walk.rng.choice(("HEAD~1", "HEAD~2", "start")))
    else:
        walk.git("checkout", "-q", *force, walk.rng.choice(walk.branches()))


def merge(walk: Walk) -> None:
    walk.git("merge", "-q", "--no-edit", walk.rng.choice(walk.branches()))


def fork(walk: Walk) -> str:
    """Two branches that change the same place: gives the name of the other one."""
    walk.git("add", "--all")
    walk.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "before the fork")
    mine, theirs = f"branch{walk.number()}", f"branch{walk.number()}"
    sources = walk.sources()
    path = walk.rng.choice(sources) if sources else "forked.ts"
    text = walk.read(path) if sources else ""
    at = text.find("\n", walk.rng.randrange(len(text) + 1)) + 1
    for branch in (theirs, mine):
        walk.git("checkout", "-q", "-f", "-b", branch, *(("HEAD~1",) if branch == mine else ()))
        walk.write(path, f"{text[:at]}export const {branch} = {branch}Of(1);\n{text[at:]}", f"{branch} at {at}")
        if walk.rng.random() < 0.7:
            edit(walk)
        walk.git("commit", "-q", "--no-verify", "-a", "-m", branch)
    return theirs


def conflicting_merge(walk: Walk) -> None:
    walk.git("merge", "-q", "--no-edit", fork(walk))


def rebase(walk: Walk) -> None:
    walk.git("rebase", "-q", fork(walk) if walk.rng.random() < 0.6 else walk.rng.choice(walk.branches()))


def cherry_pick(walk: Walk) -> None:
    walk.git("cherry-pick", fork(walk) if walk.rng.random() < 0.5 else walk.rng.choice(walk.branches()))


def settle(walk: Walk) -> bool | None:
    """Finish or abort what is in progress."""
    waiting = walk.waiting()
    if not waiting:
        return False
    verb = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}.get(waiting, "rebase")
    if walk.rng.random() < 0.3:
        walk.git(verb, "--abort")
        return None
    side = walk.rng.choice(("--ours", "--theirs", ""))
    if side:
        walk.git("checkout", "-q", side, "--", ".")
    walk.git("add", "--all")
    if walk.git(verb, "--continue") and walk.waiting():
        walk.git(verb, walk.rng.choice(("--skip", "--abort")) if verb != "merge" else "--abort")
    return None


def stash(walk: Walk) -> None:
    walk.git("stash", "push", "-q", *walk.rng.choice(((), ("-u",), ("--keep-index",))))


def stash_pop(walk: Walk) -> None:
    walk.git("stash", walk.rng.choice(("pop", "apply")), "-q")


def reset(walk: Walk) -> None:
    mode = walk.rng.choice(("--hard", "--soft", "--mixed"))
    walk.git(
        "reset", "-q", mode, walk.rng.choice(("HEAD", "HEAD~1", "HEAD~2", "start", walk.rng.choice(walk.branches())))
    )


def restore_file(walk: Walk) -> None:
    tree = walk.rng.choice(("HEAD", "start", "start", ""))
    listed = walk.ask("ls-tree", "-r", "-z", "--name-only", tree or "HEAD").stdout.split(b"\0")
    path = walk.rng.choice(sorted(os.fsdecode(name) for name in listed if name) or ["package.json"])
    walk.git("checkout", "-q", *((tree,) if tree else ()), "--", path)


def sparse(walk: Walk) -> None:
    folders = sorted({path.rpartition("/")[0] for path in walk.paths() if "/" in path})
    kind = walk.rng.random()
    is_on = walk.ask("config", "--bool", "core.sparseCheckout").stdout.strip() == b"true"
    if (is_on and kind < 0.35) or not folders:
        walk.git("sparse-checkout", "disable")
    elif kind < 0.85:
        chosen = walk.rng.sample(folders, max(1, len(folders) // 2))
        walk.git("sparse-checkout", "set", "--cone", walk.rng.choice(("--sparse-index", "--no-sparse-index")), *chosen)
    else:
        walk.git("sparse-checkout", "set", "--no-cone", "/*", f"!/{walk.rng.choice(folders)}/")


def worktree(walk: Walk) -> None:
    if len(walk.tops) < 3 or walk.rng.random() < 0.2:
        top, number = walk.work / f"tree{len(walk.tops)}", walk.number()
        walk.tops.append(top)
        code = walk.git("worktree", "add", "-q", "-b", f"branch{number}", str(top), walk.rng.choice(("HEAD", "HEAD~1")))
        if code:
            walk.tops.pop()
            return
    else:
        top = walk.rng.choice(walk.tops)
    walk.top = top
    walk.say(f"goes on in {top.name}")


def collect_objects(walk: Walk) -> None:
    walk.git("gc", "-q", *walk.rng.choice(((), ("--prune=now",))))


def index(walk: Walk) -> None:
    walk.cm(walk.top, "index", "--no-vectors").ok()


def collect_snapshots(walk: Walk) -> None:
    walk.cm(walk.top, "gc").ok()


def configure(walk: Walk) -> bool | None:
    folders = sorted({path.rpartition("/")[0] for path in walk.sources()})
    if not folders:
        return False
    folder = walk.rng.choice(folders)
    if walk.rng.random() < 0.5:
        paths = {"@core/*": [f"./{folder}/*"], "@kettle/core": [f"./{walk.rng.choice(walk.sources())}"]}
        text = json.dumps({"compilerOptions": {"baseUrl": ".", "paths": paths}})
        walk.write(walk.rng.choice(("tsconfig.json", "jsconfig.json", f"{folder}/tsconfig.json")), text, text)
        return None
    packages = [path for path in walk.paths() if path.endswith("package.json")] or ["package.json"]
    path = walk.rng.choice(packages)
    try:
        package = json.loads(walk.read(path)) if (walk.top / path).is_file() else {}
    except ValueError:  # conflict marks
        package = {}
    change: dict[str, object] = walk.rng.choice(
        (
            {"name": f"@kettle/{walk.rng.choice(('core', 'web', 'other'))}"},
            {"main": f"./src/{Path(walk.rng.choice(walk.sources())).name}"},
            {"exports": {".": f"./src/{Path(walk.rng.choice(walk.sources())).name}"}},
            {"workspaces": walk.rng.choice((["packages/*"], ["packages/core"], ["lib"]))},
            {"type": walk.rng.choice(("module", "commonjs"))},
        )
    )
    walk.write(path, json.dumps(package | change, indent=2) + "\n", json.dumps(change))
    return None


def attributes(walk: Walk) -> bool | None:
    sources = walk.sources()
    if not sources:
        return False
    folder, _, name = walk.rng.choice(sources).rpartition("/")
    what = walk.rng.choice(
        ("linguist-generated", "linguist-vendored", "-linguist-generated", "linguist-vendored=false")
    )
    path = walk.rng.choice((".gitattributes", f"{folder}/.gitattributes" if folder else ".gitattributes"))
    line = f"{walk.rng.choice((name, '*.ts', '*.js'))} {what}\n"
    before = walk.read(path) if (walk.top / path).is_file() and walk.rng.random() < 0.6 else ""
    walk.write(path, before + line, line.strip())
    return None


CONVERSIONS = ("text eol=crlf", "text eol=lf", "text=auto", "-text", "filter=wide", "ident", "text=auto eol=crlf")


def convert(walk: Walk) -> bool | None:
    """Line endings and a filter that stand between blobs and the disk. Git writes the files of one folder anew, so that
    the rule shows on disk."""
    sources = walk.sources()
    if not sources:
        return False
    walk.git("config", "filter.wide.smudge", "sed 's/const /const   /g'")
    walk.git("config", "filter.wide.clean", "sed 's/const   /const /g'")
    folder, _, name = walk.rng.choice(sources).rpartition("/")
    line = f"{walk.rng.choice((name, '*.ts', '*.js', '*.vue'))} {walk.rng.choice(CONVERSIONS)}\n"
    before = walk.read(".gitattributes") if (walk.top / ".gitattributes").is_file() and walk.rng.random() < 0.6 else ""
    walk.write(".gitattributes", before + line, line.strip())
    tracked = walk.ask("ls-files", "-z", "--", folder or ".").stdout.split(b"\0")
    clean = walk.ask("diff", "--quiet", "--", folder or ".").returncode == 0
    if clean and walk.rng.random() < 0.7:
        for path in filter(None, map(os.fsdecode, tracked)):
            if (walk.top / path).is_file() and path != ".gitattributes":
                (walk.top / path).unlink()
        walk.git("checkout", "-q", "--", folder or ".")
    if walk.rng.random() < 0.3:
        walk.git("add", "--renormalize", ".")
    return None


def submodule(walk: Walk) -> None:
    """A repository within the repository: added, changed or removed."""
    inner, place = walk.work / "inner", "packages/inner"
    local = ("-c", "protocol.file.allow=always")
    if not inner.exists():
        inner.mkdir()
        (inner / "inner.ts").write_text("export function total(inner) {\n  return inner\n}\n")
        for args in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "inner")):
            subprocess.run(["git", *args], cwd=inner, check=True, capture_output=True)
    if not (walk.top / place).exists():
        walk.git(*local, "submodule", "add", "-q", "--force", str(inner), place)
    elif walk.rng.random() < 0.3:
        walk.git("rm", "-q", "-f", place)
    elif (walk.top / place / "inner.ts").exists():
        walk.write(f"{place}/inner.ts", f"export const inside = {walk.number()}\n", "in the submodule")


def hook_job(walk: Walk) -> None:
    """What git's post-commit hook starts, run for real until it has ended."""
    walk.git("config", "cm.vectors", "false")
    common = walk.common_dir()
    command = [sys.executable, "-I", "-m", "cmgit.cli.hook", walk.rng.choice(("pre-commit", "post-commit"))]
    subprocess.run(command, cwd=walk.top, check=True)
    end = time.monotonic() + 120
    while (common / "cm/queue/runner").exists() and time.monotonic() < end and not walk.waiting():
        time.sleep(0.02)
    walk.say(command[-1])


def ignore(walk: Walk) -> bool | None:
    sources = walk.sources()
    if not sources:
        return False
    folder, _, name = walk.rng.choice(sources).rpartition("/")
    line = walk.rng.choice((name, "added*", "index.js", f"/{folder}/" if folder else name))
    before = walk.read(".gitignore") if (walk.top / ".gitignore").is_file() and walk.rng.random() < 0.4 else ""
    walk.write(".gitignore", f"{before}{line}\n", line)
    return None


Action = Callable[[Walk], bool | None]
ACTIONS: dict[str, tuple[float, Action]] = {
    "edit": (8, edit), "add": (3, add), "delete": (2, delete), "rename": (2, rename), "stage": (1, stage),
    "commit": (4, commit), "amend": (1, amend), "switch": (3, switch), "merge": (1.5, merge),
    "conflicting merge": (1.5, conflicting_merge), "rebase": (1.5, rebase), "cherry-pick": (1.5, cherry_pick),
    "settle": (8, settle), "stash": (1.5, stash), "stash pop": (1.5, stash_pop), "reset": (2, reset),
    "restore file": (2, restore_file), "sparse-checkout": (2.5, sparse), "worktree": (1, worktree),
    "git gc": (0.7, collect_objects), "git-cm index": (2, index), "git-cm gc": (1, collect_snapshots),
    "configure": (2, configure), "attributes": (1.5, attributes), "ignore": (1.5, ignore),
    "convert": (2, convert), "submodule": (0.8, submodule), "hook job": (1.5, hook_job),
}  # fmt: skip
IN_CONFLICT = frozenset({"edit", "add", "delete", "stage", "settle", "restore file", "git-cm index", "git-cm gc",
                         "git gc", "configure", "attributes", "reset", "hook job"})  # fmt: skip


def cold_copy(walk: Walk, target: Path) -> None:
    """A new repository of exactly the files that the view is about: what git would show of the disk, and what a
    sparse checkout keeps off the disk, from the index."""
    target.mkdir(parents=True)
    hidden = []
    listed = walk.ask("ls-files", "-t", "-z", "--cached", "--others", "--exclude-standard").stdout
    for record in sorted(set(listed.split(b"\0")) - {b""}):
        tag, path = record[:1], os.fsdecode(record[2:])
        source, copy = walk.top / path, target / path
        if source.is_file() or source.is_symlink():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy, follow_symlinks=False)
        elif tag == b"S" and not source.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(walk.ask("cat-file", "blob", f":0:{path}").stdout)
            hidden.append(path)
    subprocess.run(["git", "init", "-q"], cwd=target, check=True)
    # The bytes on disk are the state: nothing converts them a second time.
    (target / ".git/info").mkdir(exist_ok=True)
    (target / ".git/info/attributes").write_text("* -text -eol -ident !filter !working-tree-encoding\n")
    for args in (("add", "--all", "--force"), ("commit", "-q", "--allow-empty", "-m", "all")):
        subprocess.run(["git", *args], cwd=target, check=True, capture_output=True)
    for path in hidden:  # as it is there: in the index, and not on disk
        subprocess.run(["git", "update-index", "--skip-worktree", "--", path], cwd=target, check=True)
        (target / path).unlink()


def check(walk: Walk, prompts: Sequence[str]) -> None:
    """The view of the working tree is the view of its cold copy, history left out: the copy has none. With it, it is
    what the same repository says that has kept nothing.

    Raises:
        AssertionError: with the seed, the steps and the first lines that differ.
    """
    check_copy(walk, prompts)
    check_anew(walk, prompts)


def check_anew(walk: Walk, prompts: Sequence[str]) -> None:
    """Contexts that rest on earlier commits too, beside those of an index and a history that are made anew."""
    cm_dir = walk.common_dir() / "cm"
    if (cm_dir / "queue/runner").exists():  # waits there for the end of a rebase
        return
    questions = [("retrieve", "--no-vectors", prompt) for prompt in prompts]
    warm = [walk.cm(walk.top, *question) for question in questions]
    aside = cm_dir.with_name("cm.aside")
    cm_dir.rename(aside)
    try:
        cold = [walk.cm(walk.top, *question) for question in questions]
    finally:
        shutil.rmtree(cm_dir, ignore_errors=True)
        aside.rename(cm_dir)
    for question, warm_answer, cold_answer in zip(questions, warm, cold, strict=True):
        compare(walk, question, warm_answer, cold_answer, "with all history kept or made anew")


def compare(walk: Walk, question: Sequence[str], warm: CmResult, cold: CmResult, where: str) -> None:
    if (warm.code, warm.out) != (cold.code, cold.out):
        lines = zip_longest(warm.out.splitlines(), cold.out.splitlines())
        differing = [f"- warm {a}\n  cold {b}" for a, b in lines if a != b][:4]
        errors = f"exit {warm.code} {warm.err[-2000:]}\nexit {cold.code} {cold.err[-500:]}"
        told = [walk.story(), *differing, errors]
        raise AssertionError(f"`git-cm {' '.join(question)}` in {walk.top}, {where}\n" + "\n".join(told))
    assert warm.code == 0, f"{walk.story()}\n{warm.err[-2000:]}"


def check_copy(walk: Walk, prompts: Sequence[str]) -> None:
    cold = walk.work / f"cold{len(walk.steps)}"
    cold_copy(walk, cold)
    questions = [("export", "--units"), ("export", "--edges"), *(("retrieve", "--no-vectors", p) for p in prompts)]
    for question in questions:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PastSupply, "complete", lambda self: None)
            warm_answer, cold_answer = walk.cm(walk.top, *question), walk.cm(cold, *question)
        compare(walk, question, warm_answer, cold_answer, f"cold in {cold}")
    shutil.rmtree(cold)


def walk_and_check(walk: Walk, steps: int, prompts: Sequence[str]) -> None:
    index(walk)
    check(walk, prompts)
    for _ in range(steps):
        walk.step()
        check(walk, prompts)
