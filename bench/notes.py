"""What notes cost: search and context with thousands of notes, beside the same without any.

    .venv/bin/python bench/notes.py --repo PATH [--notes 5000] [--runs 15]

A copy of the repository gets its own `.memory/`, committed. `resident`: the view and the process are there already.
`cold`: a process of its own; imports are measured apart, by the same process doing nothing. Figures are medians of CPU
milliseconds (its children's too), which other programs on the machine disturb least; beside them the time on the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmgit.core.config import Config
    from cmgit.view.view import View

WORDS = (  # noqa: SIM905
    "reserve stock order price tax discount customer cart invoice refund retry queue cache session token lock thread "
    "render patch node slot effect watcher reactive proxy compile template parser scope hydrate router fetch stream "
    "решение кэш заказ скидка очередь повтор блокировка сессия инвариант ошибка граница проверка версия корзина налог"
).split()
TEXTS = ("reactive effect", "почему скидку проверяем дважды", "hydrate mismatch session", "lock ordering invariant")


def write_notes(top: Path, count: int, seed: int = 7) -> None:
    """Notes of some 150 words, each with a file, a symbol where there is one, and an entity."""
    dice = random.Random(seed)
    listed = subprocess.run(["git", "ls-files", "*.ts", "*.js"], cwd=top, capture_output=True, check=True).stdout
    files = [name for name in listed.decode().splitlines() if (top / name).is_file()]
    folder = top / ".memory" / "notes"
    folder.mkdir(parents=True)
    entities = [f"Entity{n}" for n in range(60)]
    (top / ".memory" / "entities.md").write_text("".join(f"- **{name}**: one of many\n" for name in entities))
    used: set[str] = set()
    while len(used) < count:
        ident = dice.choice("abcdefghij") + "".join(
            dice.choice("0123456789abcdefghijklmnopqrstuvwxyz") for _ in range(4)
        )
        if ident in used:
            continue
        used.add(ident)
        path = dice.choice(files)
        weight = dice.choice(["core", "supporting", "supporting", "incidental"] + ["critical"] * (dice.random() < 0.05))
        lines = ["---", f"id: {ident}", f"summary: {' '.join(dice.choices(WORDS, k=9))}", "status: current"]
        lines += ["created: 2026-01-02T03:04:05Z", "updated: 2026-01-02T03:04:05Z", "anchors:"]
        lines += [f"  - uri: file:{path}", f"    weight: {weight}", "    hash: blob:" + "0" * 40]
        lines += [f"  - uri: symbol:{path}::name{dice.randrange(9)}", "    weight: supporting"]
        lines += [f"  - uri: entity:{dice.choice(entities)}", "    weight: supporting", "---", ""]
        body = "\n\n".join(" ".join(dice.choices(WORDS, k=50)) + f" value{dice.randrange(2000)}" for _ in range(3))
        (folder / f"{ident}.md").write_text("\n".join(lines) + body + "\n")


def copy_of(repo: Path, place: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", "--local", str(repo), str(place)], check=True)
    return place


def commit(top: Path) -> None:
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    subprocess.run(["git", "add", ".memory"], cwd=top, check=True)
    subprocess.run(["git", *who, "commit", "--quiet", "--no-verify", "-m", "notes"], cwd=top, check=True)


Sample = tuple[float, float]


def timed(action: Callable[[], object], runs: int) -> list[Sample]:
    """(CPU, clock) milliseconds of each run."""
    spent = []
    for _ in range(runs):
        started, worked = time.perf_counter(), time.process_time()
        children = sum(os.times()[2:4])
        action()
        own = time.process_time() - worked
        spent.append((1000 * (own + sum(os.times()[2:4]) - children), 1000 * (time.perf_counter() - started)))
    return spent


def process(top: Path, *args: str) -> Callable[[], object]:
    argv = [str(Path(sys.executable).with_name("git-cm")), *args]
    env = {**os.environ, "CMGIT_SERVE": "off"}
    return lambda: subprocess.run(argv, cwd=top, env=env, capture_output=True, check=True)


LOADED = """
import json, os, sys
from cmgit.cli.boundary import run_guarded
from cmgit.cli.main import cli
out, sys.stdout = sys.stdout, open(os.devnull, "w")
run_guarded(lambda: cli.main(args=sys.argv[1:], prog_name="git-cm", standalone_mode=False))
json.dump([name for name in sys.modules if name.split(".")[0] not in ("__main__",)], out)
"""


def imports_only(top: Path, *args: str) -> Callable[[], object]:
    """A process that loads exactly the modules that a command loads, and does nothing."""
    env = {**os.environ, "CMGIT_SERVE": "off"}
    told = subprocess.run([sys.executable, "-c", LOADED, *args], cwd=top, env=env, capture_output=True, check=True)
    names = [name for name in json.loads(told.stdout) if name.isidentifier() or "." in name]
    code = (
        "import importlib, os\nos.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
        f"for name in {names!r}:\n try: importlib.import_module(name)\n except Exception: pass\nos._exit(0)"
    )
    return lambda: subprocess.run([sys.executable, "-c", code], cwd=top, capture_output=True, check=False)


def line(name: str, spent: list[Sample]) -> dict[str, object]:
    work, clock = (statistics.median(one[i] for one in spent) for i in (0, 1))
    print(f"{name:64} {work:8.1f} ms CPU {clock:8.1f} ms", flush=True)
    return {"name": name, "cpu_ms": round(work, 2), "ms": round(clock, 2)}


def less(first: list[Sample], second: list[Sample]) -> list[Sample]:
    return [(a[0] - b[0], a[1] - b[1]) for a, b in zip(first, second, strict=True)]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--repo", type=Path, required=True)
    asked.add_argument("--notes", type=int, default=5_000)
    asked.add_argument("--runs", type=int, default=15)
    asked.add_argument("--prompt", default="")
    asked.add_argument("--json", action="store_true")
    options = asked.parse_args()
    place = Path(tempfile.mkdtemp(prefix="cmgit-notes-"))
    try:
        rows = measure(options.repo, place, options.notes, options.runs, options.prompt)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if options.json:
        print(json.dumps(rows))


def measure(repo: Path, place: Path, count: int, runs: int, prompt: str) -> list[dict[str, object]]:
    from cmgit.notes.memory import memory_of

    without = copy_of(repo, place / "without")
    top = copy_of(repo, place / "with")
    write_notes(top, count)
    commit(top)
    for folder in (without, top):
        git_cm = str(Path(sys.executable).with_name("git-cm"))
        subprocess.run([git_cm, "index", "--no-vectors"], cwd=folder, check=True, capture_output=True)
    first = timed(process(top, "note", "search", TEXTS[0]), 1)
    view, config = opened(top)
    target = next(p for p in view.places if p.language in ("typescript", "javascript") and p.size > 500)
    file = view.files[view.file_index(target.path) or 0]
    asked = prompt or f"change {view.unit(file.first_unit + 1).name} in {target.path}"
    rows = [
        line("first search after a commit of notes, cold", first),
        *searches(view, f"file:{target.path}", top, runs),
        *resident_contexts(view, config, asked, runs),
        *cold_contexts(top, without, asked, runs),
    ]
    memory = memory_of(view)
    assert memory is not None
    assert memory.count(frozenset({"current"})) == count
    return rows


def opened(top: Path) -> tuple[View, Config]:
    from cmgit.cli.session import config_from
    from cmgit.core.records import no_progress
    from cmgit.git.locate import locate
    from cmgit.git.settings import read_settings
    from cmgit.view.open import open_view

    location = locate(str(top))
    config = replace(config_from(read_settings(location)), vectors=False)
    return open_view(location, config, None, no_progress, lambda _: None), config


def searches(view: View, file: str, top: Path, runs: int) -> list[dict[str, object]]:
    """By words and by an anchor, in a view that is open and in new processes."""
    from cmgit.notes.book import Book
    from cmgit.notes.search import Question
    from cmgit.notes.standing import Standing
    from cmgit.notes.uri import typed_uri

    def search(question: Question) -> object:
        view.renew()
        assert view.location is not None
        standing = Standing(view.location, view.tree, tuple(view.changes or ()))
        return Book(standing, lambda: view, str).search(question)

    rows = [line(f"search {text!r}, resident", timed(partial(search, Question(text=text)), runs)) for text in TEXTS]
    by_file = Question((typed_uri(file),), inside=True)
    rows.append(line("search by a file's anchor, resident", timed(partial(search, by_file), runs)))
    for args in (("note", "search", TEXTS[1]), ("note", "search", "--inside", "--anchor", file)):
        cold, imports = timed(process(top, *args), runs), timed(imports_only(top, *args), runs)
        rows.append(line(f"search {args[-1]!r}, cold", cold))
        rows.append(line("  its imports alone", imports))
        rows.append(line("  beyond imports", less(cold, imports)))
    return rows


def resident_contexts(view: View, config: Config, asked: str, runs: int) -> list[dict[str, object]]:
    """A context with notes and one without, in turn."""
    from cmgit.retrieve.retrieve import retrieve

    def context(of: Config) -> object:
        view.renew()
        return retrieve(view, asked, of, "named")

    context(config)
    pairs: tuple[list[Sample], list[Sample]] = ([], [])
    for _ in range(runs * 2):
        pairs[0].extend(timed(partial(context, config), 1))
        pairs[1].extend(timed(partial(context, replace(config, notes="off")), 1))
    return [
        line("context with notes, resident", pairs[0]),
        line("  the same without", pairs[1]),
        line("  grows by", less(*pairs)),
    ]


def cold_contexts(top: Path, without: Path, asked: str, runs: int) -> list[dict[str, object]]:
    """The same in new processes, beside a repository that has no notes."""
    spent: tuple[list[Sample], list[Sample]] = ([], [])
    for _ in range(runs):
        spent[0].extend(timed(process(top, "retrieve", "--no-vectors", asked), 1))
        spent[1].extend(timed(process(without, "retrieve", "--no-vectors", asked), 1))
    subprocess.run(["git", "config", "cm.notes", "off"], cwd=top, check=True)
    off = timed(process(top, "retrieve", "--no-vectors", asked), runs)
    return [
        line("context with notes, cold", spent[0]),
        line("  a repository without any", spent[1]),
        line("  the same with cm.notes off", off),
        line("  notes take", less(spent[0], off)),
        line("  git takes, for so many more files", less(off, spent[1])),
    ]


if __name__ == "__main__":
    main()
