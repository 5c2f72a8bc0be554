"""Measure cmgit beside other tools, in one run: `python bench/bench.py [--repo PATH …] [--tasks DIR] [--minutes N]`.

Every tool works in a clone and a home folder of its own, under a temporary folder. For each repository: first index,
one committed change of a file, answers of cold processes and of running servers, bytes on disk, memory. The runs
alternate; each figure is the median of 5 runs where time allows, of 3 for slow ones, of fewer where the table says so.
With task files ({repo, base_commit, query, gold_functions: [{file, name, start, end}]}, one JSON object a line), the
tools are also asked what those changes touched. Writes peers-DATE.md and .json to bench/results/local (or `--out`).
Tools are installed by `make bench-peers`; one that is not there, or fails, stands in the table with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from peers import TOOLS, missing
from peers_install import default_cache
from peers_retrieval import measure_tasks
from peers_run import leave_the_network, run
from peers_tool import Failed, Place, Question, Step, Tool
from report import render

ROOT = Path(__file__).resolve().parent.parent
REAL = ("expressjs+express", "vuejs+core", "deepseek-ai+deepseek-harness")
RUNS, SLOW_RUNS, SLOW = 5, 3, 12.0
SEARCH = Question("where are errors handled when a callback throws")
EDIT = "\nexport function addedForMeasuring{n}(value) {{\n  return value + {n}\n}}\n"
AUTHOR = ("-c", "user.name=Bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false")
# Seconds for each MB of source on two cores, to tell beforehand how long a run takes: first index, update, question.
RATES = {
    "cmgit": (9.0, 0.1, 0.1), "cmgit-words": (0.8, 0.1, 0.1), "codegraph": (1.7, 0.1, 0.1), "semble": (1.2, 0.1, 0.1),
    "codegraph-context": (0, 0, 0.1), "jcodemunch": (1.8, 0.1, 0.1), "probe": (0, 0, 1.0), "aider": (5.0, 0.8, 0.8),
    "ripgrep": (0, 0, 0.01), "scip-typescript": (8.0, 8.0, 0),
}  # fmt: skip
STARTS = 1.5


@dataclass
class Cell:
    """One figure of one tool: `before` sets the stage and is not timed, `step` is."""

    tool: str
    metric: str
    step: Callable[[], Step | None]
    place: Place
    before: Callable[[], None] = lambda: None
    runs: list[tuple[float, float, float]] = field(default_factory=list)
    left: int = 0
    error: str = ""
    cost: float = 0.0


def git(cwd: Path, *args: str) -> str:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env["GIT_CONFIG_GLOBAL"] = os.devnull
    done = subprocess.run(["git", *args], check=False, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"git {args[0]}: {done.stderr.strip()[-200:]}")
    return done.stdout.strip()


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Bench:
    """The tools that can run here, and where each works on each repository."""

    def __init__(self, folder: Path, cache: Path, chosen: Sequence[str], limit: float, *, strict: bool) -> None:
        self.folder, self.limit, self.strict = folder, limit, strict
        self.pace: dict[str, float] = {}
        self.absent = {key: reason for key in chosen if (reason := missing(cache, key))}
        self.tools: dict[str, Tool] = {key: TOOLS[key](cache) for key in chosen if key not in self.absent}
        self.places: dict[tuple[str, str], Place] = {}

    def place(self, repo: str, source: Path, key: str) -> Place:
        """The clone of a tool, made when it is first asked for."""
        tool = self.tools[key]
        owner = key if tool.indexes else tool.key
        if (repo, owner) not in self.places:
            base = self.folder / repo.replace("/", "+") / owner
            place = Place(base / "clone", base / "home")
            place.home.mkdir(parents=True)
            git(self.folder, "clone", "-q", str(source), str(place.clone))
            git(place.clone, "status", "--porcelain")  # a fresh git index makes every later status hash files again
            tool.prepare(place)
            self.places[repo, owner] = place
        return self.places[repo, owner]

    def once(self, tool: Tool, place: Place, step: Step) -> bytes:
        done = run(step.args, place.clone, tool.env(place), self.limit, step.talk)
        if done.error:
            raise Failed(done.error)
        return done.out

    def measure(self, cell: Cell) -> None:
        started = time.perf_counter()
        cell.before()
        step = cell.step()
        if step is None:
            cell.error = "cannot be asked this"
            return
        done = run(step.args, cell.place.clone, self.tools[cell.tool].env(cell.place), self.limit, step.talk)
        cell.cost = time.perf_counter() - started
        cell.error, cell.left = done.error, max(cell.left, done.left)
        if not done.error:
            cell.runs.append((done.seconds, done.cpu, done.peak_mb))
        say(f"  {cell.metric:8s} {cell.tool:18s} {done.error or f'{done.seconds:.2f} s'}")

    def rounds(self, cells: list[Cell], until: float, most: int) -> None:
        """Every cell once, then again in turn while time allows: 5 runs, or 3 of what takes long."""
        for turn in range(most):
            ran = False
            order = cells[turn % max(1, len(cells)) :] + cells[: turn % max(1, len(cells))]
            for cell in sorted(order, key=lambda cell: cell.cost > SLOW) if turn else order:
                target = SLOW_RUNS if cell.cost > SLOW else most
                late = time.perf_counter() + cell.cost > until
                if turn and (
                    cell.error or len(cell.runs) >= target or (late and (self.strict or not cheap(cell, turn)))
                ):
                    continue
                if self.strict and time.perf_counter() > until:
                    cell.error = cell.error or ("" if cell.runs else "left out: the time was up")
                    continue
                self.measure(cell)
                ran = True
            if not ran:
                return


def cheap(cell: Cell, turn: int) -> bool:
    """Such runs are made even when the time is up: a median needs three."""
    return turn < SLOW_RUNS and cell.cost <= SLOW / 4


def drop_the_slowest(bench: Bench, cells: list[Cell], mb: float, seconds: float) -> None:
    """Leave out what, by its time for the repository before, would take all the time that there is; told as such."""
    spent = 0.0
    for cell in sorted(cells, key=lambda cell: bench.pace.get(cell.tool, 0.0)):
        cost = bench.pace.get(cell.tool, 0.0) * mb
        if spent + cost > seconds and not cell.tool.startswith("cmgit"):
            cell.error = f"left out: some {cost:.0f} s for one index, more than there was time for (`--minutes`)"
            say(f"  index    {cell.tool:18s} {cell.error}")
        else:
            spent += cost


def measure_repo(bench: Bench, repo: str, source: Path, seconds: float, most: int) -> dict[str, Any]:
    """All figures of one repository. seconds: the time to spend; each figure is taken once whatever it takes."""
    until = time.perf_counter() + seconds
    say(f"{repo}: {seconds / 60:.1f} minutes")
    place = {key: bench.place(repo, source, key) for key in bench.tools}
    first = [
        Cell(key, "index", partial(tool.index, place[key]), place[key], partial(remove, tool, place[key]))
        for key, tool in bench.tools.items()
        if tool.indexes
    ]
    mb = source_bytes(source) / 1e6
    drop_the_slowest(bench, first, mb, 0.75 * seconds)
    bench.rounds([cell for cell in first if not cell.error], time.perf_counter() + 0.55 * seconds, most)
    bench.pace |= {cell.tool: cell.cost / mb for cell in first if cell.runs and mb > 1}
    disk = {cell.tool: sum(map(size, bench.tools[cell.tool].data(place[cell.tool]))) for cell in first if cell.runs}
    about = describe(bench, place)
    name, path = about.pop("named")
    question = Question(f"change {name} so that it checks its arguments", name)
    lost = {cell.tool: cell.error for cell in first if cell.error}
    asked = [key for key, tool in bench.tools.items() if tool.answers and key not in lost and tool.key not in lost]
    asks = [
        Cell(key, metric, partial(bench.tools[key].ask, place[key], one), place[key])
        for key in asked
        for metric, one in (("named", question), ("search", SEARCH))
    ]
    bench.rounds(asks, time.perf_counter() + 0.5 * (until - time.perf_counter()), most)
    served = serve(bench, place, asked, question)
    updates = [
        Cell(key, "update", partial(tool.update, place[key], path), place[key], partial(edit, place[key].clone, path))
        for key, tool in bench.tools.items()
        if tool.indexes and key not in lost
    ]
    bench.rounds(updates, until, most)
    cells = [*first, *asks, *updates]
    figures: dict[str, dict[str, Any]] = {key: {} for key in bench.tools}
    for cell in cells:
        figures[cell.tool][cell.metric] = {"runs": cell.runs, "error": cell.error, "left": cell.left}
    for key in figures:
        figures[key] |= {"disk": disk.get(key), "served": served.get(key)}
    return {"repo": repo, **about, "question": [question.text, SEARCH.text], "figures": figures}


def describe(bench: Bench, place: dict[str, Place]) -> dict[str, Any]:
    """Commit, size and one named function of a repository, all told by cmgit's index of it."""
    key = next(key for key in ("cmgit-words", "cmgit") if key in bench.tools)
    tool, where = bench.tools[key], place[key]
    index = tool.index(where)
    assert index is not None
    told = json.loads(bench.once(tool, where, index))
    lines = bench.once(tool, where, Step([tool.program, "export", "--units"])).splitlines()
    units = [json.loads(line) for line in lines]
    return {
        "commit": git(where.clone, "rev-parse", "HEAD"),
        "files": told["files"],
        "units": told["units"],
        "source": told["bytes"]["source"],
        "named": pick(units),
    }


def pick(units: list[dict[str, Any]]) -> tuple[str, str]:
    """A function that one file declares under a name that nothing else has, and that file: the middle one of them."""
    names: dict[str, int] = {}
    for unit in units:
        names[unit["name"]] = names.get(unit["name"], 0) + 1
    aside = ("test", "spec", "example", "bench", "script", "dist", "doc", "fixture")
    fit = [
        (unit["name"], unit["path"])
        for unit in units
        if unit["kind"] in ("function", "method")
        and names[unit["name"]] == 1
        and unit["path"].endswith((".js", ".ts"))
        and not any(word in unit["path"].lower() for word in aside)
        and len(unit["name"] or "") >= 6
        and 4 <= unit["end_line"] - unit["start_line"] <= 60
    ]
    if not fit:
        raise SystemExit("no function with a name of its own was found: is there JavaScript or TypeScript?")
    return sorted(fit)[len(fit) // 2]


def edit(clone: Path, path: str) -> None:
    """Commit one more function at the end of a file."""
    number = (clone / path).read_text(encoding="utf-8").count("addedForMeasuring")
    with (clone / path).open("a", encoding="utf-8") as file:
        file.write(EDIT.format(n=number))
    git(clone, *AUTHOR, "commit", "-q", "-m", "measure", "--", path)


def serve(bench: Bench, place: dict[str, Place], keys: list[str], named: Question) -> dict[str, Any]:
    """Answers of running servers, for the tools that have one."""
    found: dict[str, Any] = {}
    for key in keys:
        tool = bench.tools[key]
        if tool.serve(place[key]) is None:
            continue
        try:
            seconds, peak = tool.warm(place[key], [named, SEARCH] * RUNS, bench.limit)
            found[key] = {"named": seconds[::2], "search": seconds[1::2], "peak": peak}
            say(f"  served   {key:18s} {1000 * statistics.median(seconds):.0f} ms")
        except Failed as error:
            found[key] = {"error": str(error)}
            say(f"  served   {key:18s} {error}")
    return found


def size(path: Path) -> int:
    if path.is_dir():
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file() and not one.is_symlink())
    return path.stat().st_size if path.exists() else 0


def remove(tool: Tool, place: Place) -> None:
    for path in tool.data(place):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def warm_up(bench: Bench) -> None:
    """Each tool once on three lines: byte code is compiled, cmgit's model is built, pages are in memory."""
    source = bench.folder / "warm"
    source.mkdir()
    (source / "one.js").write_text("export function first(value) {\n  return value + 1\n}\n")
    git(source, "init", "-q")
    git(source, "add", ".")
    git(source, *AUTHOR, "commit", "-q", "-m", "warm")
    for key in list(bench.tools):
        tool = bench.tools[key]
        try:
            place = bench.place("warm/up", source, key)
            for step in (tool.index(place) if tool.indexes else None, tool.ask(place, SEARCH)):
                if step and tool.key != "ripgrep":  # which fails when it finds nothing
                    bench.once(tool, place, step)
        except Failed as error:
            bench.absent[key] = f"fails on a file of three lines: {error}"
            del bench.tools[key]
    say(f"warmed up: {', '.join(bench.tools)}")


def named_sources(paths: list[str], folder: Path) -> dict[str, Path]:
    """Repositories by name; OWNER+NAME and OWNER+NAME/repo are OWNER/NAME."""
    if not paths:
        paths = [str(path) for name in REAL for path in (folder / name / "repo", folder / name) if path.exists()]
        paths = [path for path in paths if str(Path(path) / "repo") not in paths]
    if not paths:
        raise SystemExit("no repository: give --repo PATH, or --repos DIR with clones OWNER+NAME")
    sources = {}
    for path in map(Path, paths):
        full = path.resolve()
        name = full.parent.name if full.name in ("repo", "repo.git") else full.name.removesuffix(".git")
        sources[name.replace("+", "/")] = full
    return sources


def source_bytes(path: Path) -> int:
    """Bytes of JavaScript and TypeScript in HEAD, near enough to plan with."""
    endings = (".js", ".ts", ".jsx", ".tsx", ".vue", ".mjs", ".cjs", ".mts")
    rows = git(path, "ls-tree", "-r", "-l", "HEAD").splitlines()
    parts = [row.split(None, 4) for row in rows]
    return sum(int(part[3]) for part in parts if len(part) == 5 and part[3].isdigit() and part[4].endswith(endings))


def at_least(keys: Sequence[str], size: int) -> float:
    """Seconds that one round over all figures takes, by `RATES`."""
    mb = size / 1e6
    return sum(sum(RATES[key]) * mb + 3 * STARTS + RATES[key][2] * mb for key in keys)


def also(name: str) -> str:
    """What another script of this folder prints."""
    script = ROOT / "bench" / f"{name}.py"
    if not script.exists():
        return f"There is no bench/{name}.py."
    say(f"bench/{name}.py")
    done = subprocess.run([sys.executable, str(script)], check=False, cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else f"Failed: {done.stderr.strip()[-300:]}"


def machine() -> dict[str, Any]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}", "cpu": model, "cores": cores,
        "memory_gb": round(memory), "python": platform.python_version(), "git": git(ROOT, "--version").split()[-1],
        "node": version_of("node"), "load": os.getloadavg()[0],
    }  # fmt: skip


def version_of(program: str) -> str:
    found = shutil.which(program)
    if not found:
        return ""
    return subprocess.run([found, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", action="append", default=[], help="a repository; may be given several times")
    parser.add_argument("--repos", type=Path, help=f"a folder of clones OWNER+NAME: {', '.join(REAL)}, and the tasks'")
    parser.add_argument("--tasks", nargs="+", type=Path, help="task files, or a folder of them")
    parser.add_argument("--tasks-only", action="store_true", help="leave out times and sizes")
    parser.add_argument("--task-limit", type=int, default=60, help="tasks in all, as many of each file")
    parser.add_argument("--tools", nargs="+", choices=list(TOOLS), default=list(TOOLS))
    parser.add_argument("--minutes", type=float, default=25.0, help="for all; what is slow is then run less often")
    parser.add_argument("--quick", action="store_true", help="one repository in under three minutes")
    parser.add_argument(
        "--also", nargs="+", default=[], help="scripts of this folder whose tables to add: hooks speed …"
    )
    parser.add_argument("--limit", type=float, default=400.0, help="seconds for one command")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where make bench-peers put the tools")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "local")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    minutes = 2.4 if args.quick else args.minutes
    folder = args.repos or Path(os.environ.get("CMGIT_REAL_REPOS", os.devnull))
    sources = named_sources(args.repo, folder)
    if args.quick:
        sources = dict(list(sources.items())[:1])
    begun = time.perf_counter()
    alone = leave_the_network()
    result: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine(),
        "network": not alone,
        "repos": [],
    }
    with tempfile.TemporaryDirectory(prefix="cmgit-bench-", ignore_cleanup_errors=True) as place:
        bench = Bench(Path(place), args.cache, args.tools, args.limit, strict=args.quick)
        for key, reason in bench.absent.items():
            say(f"{key} is left out: {reason}")
        sizes = {name: source_bytes(path) for name, path in sources.items()}
        least = sum(at_least(list(bench.tools), size) for size in sizes.values()) + 40
        say(f"about {max(minutes, least / 60):.0f} minutes; one round of all takes some {least / 60:.0f}")
        warm_up(bench)
        share = 0.8 if args.tasks else 1.0
        until = begun + 60 * minutes
        speed_until = begun + 60 * minutes * share
        order = [] if args.tasks_only else sorted(sizes, key=lambda name: sizes[name])
        for row, name in enumerate(order):
            rest = sum(sizes[other] ** 0.5 for other in order[row:])
            seconds = (speed_until - time.perf_counter()) * sizes[name] ** 0.5 / max(1, rest)
            result["repos"].append(measure_repo(bench, name, sources[name], max(0, seconds), 3 if args.quick else RUNS))
        if args.tasks:
            result["retrieval"] = measure_tasks(bench, args.tasks, sources, folder, until, args.task_limit)
        versions = {key: tool.version() for key, tool in bench.tools.items()}
        result["tools"] = {key: {"version": version, "about": TOOLS[key].about} for key, version in versions.items()}
        result["absent"] = bench.absent
        result["also"] = {name: also(name) for name in args.also}
    result["minutes"] = (time.perf_counter() - begun) / 60
    args.out.mkdir(parents=True, exist_ok=True)
    target = args.out / f"peers-{time.strftime('%Y-%m-%d-%H%M')}.json"
    target.write_text(json.dumps(result, indent=1))
    text = render(result)
    target.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    say(f"written to {target.with_suffix('.md')}")


if __name__ == "__main__":
    main()
