"""cmgit alone, against its own yardsticks, in one run: `bench/speed.py [--repo PATH] [--files N …] [--no-vectors]`.

Prints a Markdown table for one repository (or synthetic ones of N files each), cloned into a temporary folder. What
depends on the machine stands beside a yardstick of the same run: `import lance`, a bare loop over the same model, the
time without vectors. CPU is of all processes of a command; memory is of all of them at one moment, each with its share
of what is shared (PSS, Linux). Of several synthetic repositories a last table tells how cost grows from the smallest to
the largest. Bytecode is compiled first: an installed package has it, and some environments keep Python from writing it.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from peers_run import Watch
from synthetic import commit, git, write_repository

ROOT = Path(__file__).resolve().parent.parent
CM = [sys.executable, "-c", "from cmgit.cli.start import entry; entry()"]
SEARCH = "where are errors handled when a callback throws"
EDIT = "\nexport function addedForMeasuring{n}(value) {{\n  return value + {n}\n}}\n"
YARDSTICKS = {"named": "import lance", "search": "import lance, onnxruntime, tokenizers"}
JOB = """
import gc, json, os, sys, time
gc.set_threshold(200_000, 50, 100)
vectors = sys.argv[1] == "yes"
from dataclasses import replace
from cmgit.cli.session import open_session
from cmgit.core.records import no_progress
from cmgit.git.revisions import head_tree
from cmgit.index import blobs, build
from cmgit.store.lance_door import arrow, lance_file
import cmgit.index.linking, tree_sitter_javascript, tree_sitter_typescript
arrow(), lance_file()
session = open_session()
config = replace(session.config, vectors=vectors)
if vectors:
    import onnxruntime
imports = time.process_time()
report = build.build(session.location, head_tree(session.location), config, no_progress, lambda _: None)
below = os.times()
below = below.children_user + below.children_system
json.dump(
    {"imports": imports, "build": time.process_time() - imports, "git": below, "parsed": report.parsed}, sys.stdout
)
sys.stdout.flush(); os._exit(0)
"""
MEMORY = """
import json, statistics, sys, time
from dataclasses import replace
from cmgit.cli.reading import query_embedder, reading
from cmgit.cli.session import open_session
from cmgit.retrieve.retrieve import retrieve
vectors, name, search = sys.argv[1] == "yes", sys.argv[2], sys.argv[3]
session = open_session()
session = replace(session, config=replace(session.config, vectors=vectors))
out = {}
with reading(None, session=session) as (view, session):
    embed = query_embedder(session)
    for label, prompt, route in (("named", "change " + name, "named"), ("search", search, "search")):
        runs = []
        for _ in range(9):
            started = time.perf_counter()
            retrieve(view, prompt, session.config, route, "normal", None, embed)
            runs.append(time.perf_counter() - started)
        out[label] = statistics.median(runs[2:])
    out["units"] = len(view.units)
json.dump(out, sys.stdout)
"""
RATE = """
import json, os, sys, threading, time
import numpy as np
from cmgit.cli.reading import reading
from cmgit.cli.session import open_session
from cmgit.embed.model import _cut, load_model
from cmgit.embed.texts import unit_texts
from cmgit.index.pool import allowed_processors
session = open_session()
model = load_model(session.config.cache_dir, session.config.model_dir)
texts = []
with reading(None, no_vectors=True, session=session) as (view, _):
    for file in range(len(view.files)):
        source = view.source(file)
        if source is not None:
            texts += [text for _, text in unit_texts(source.data, source.facts)]
texts = texts[:: max(1, len(texts) // 300)][:300]
encoder = model._encoder
ids = [_cut(encoder.encode(text), model._max_tokens) for text in texts]

def bare(threads):
    left, lock = iter(ids), threading.Lock()
    def work():
        while True:
            with lock:
                row = next(left, None)
            if row is None:
                return
            array = np.array([row], np.int64)
            ones = ("attention_mask",)
            feed = {name: np.ones_like(array) if name in ones else np.zeros_like(array) for name in encoder._inputs}
            feed["input_ids"] = array
            encoder._session.run(None, feed)
    started = time.perf_counter()
    workers = [threading.Thread(target=work) for _ in range(threads)]
    [w.start() for w in workers], [w.join() for w in workers]
    return len(ids) / (time.perf_counter() - started)

best, ours = 0.0, []
for _ in range(3):
    best = max(best, bare(1), bare(allowed_processors()))
    started = time.perf_counter()
    model.embed_many(texts, allowed_processors())
    ours.append(len(texts) / (time.perf_counter() - started))
json.dump({"bare": best, "ours": max(ours)}, sys.stdout)
os._exit(0 if sys.stdout.flush() is None else 0)
"""


class Run:
    """One command: wall and CPU seconds of all its processes, peak memory of all of them together in MB, its output."""

    def __init__(self, command: list[str], cwd: Path, until: Callable[[], bool] | None = None) -> None:
        started = time.perf_counter()
        done = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
        watch = Watch(done.pid)
        watch.start()
        if until is not None:
            while not until() and done.poll() is None:
                time.sleep(0.005)
            self.seconds = time.perf_counter() - started
            done.terminate()
        assert done.stdout is not None
        self.out = done.stdout.read()
        _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
        watch.stop()
        self.peak = max(watch.peak, usage.ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000))
        self.cpu = usage.ru_utime + usage.ru_stime
        if until is None:
            self.seconds = time.perf_counter() - started
            if status != 0:
                raise SystemExit(f"{' '.join(command[3:])} failed in {cwd}")


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "CMGIT_SERVE": "off", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


@dataclass
class Growth:
    """What grows with a repository. index, commit: seconds of CPU; ways: seconds of an answer in memory."""

    files: int = 0
    units: int = 0
    index: float = 0.0
    commit: float = 0.0
    ways: dict[str, float] = field(default_factory=dict)


def measure(clone: Path, vectors: bool, runs: int, growth: Growth) -> list[tuple[str, str, str]]:
    cm_dir = clone / ".git" / "cm"
    git(clone, "status", "--porcelain")  # a fresh index makes every later status hash files again
    first = []
    for _ in range(runs):
        shutil.rmtree(cm_dir, ignore_errors=True)
        first.append(Run([*CM, "index", "--no-vectors", "--json"], clone))
    wall, cpu = middle(first, "seconds"), middle(first, "cpu")
    told = json.loads(first[-1].out)
    source, kept = told["bytes"]["source"], told["bytes"]["snapshot"]
    growth.files, growth.units, growth.index = told["files"], told["units"], min(run.cpu for run in first)
    rows = [
        (
            "first index, no vectors",
            f"{wall:.2f} s, {cpu:.2f} s CPU",
            f"{source / 1e6:.1f} MB, {told['units']:,} units",
        ),
        ("  peak memory, all processes", f"{max(r.peak for r in first):.0f} MB", ""),
        ("  snapshot / source bytes", f"{kept / source:.2f}", f"{kept:,} bytes"),
    ]
    if vectors:
        shutil.rmtree(cm_dir, ignore_errors=True)
        early = Run([*CM, "index"], clone, until=lambda: any((cm_dir / "trees").glob("[0-9a-f]*")))
        rows.append(
            ("words and graph usable while vectors are made", f"{early.seconds:.2f} s", ratio(early.seconds, wall))
        )
        rate = json.loads(Run([sys.executable, "-c", RATE], clone).out)
        speeds = f"{rate['ours']:.0f} of {rate['bare']:.0f} a second"
        rows.append(("vectors, of a bare loop's", f"{rate['ours'] / rate['bare']:.2f}", speeds))
        rest = Run([*CM, "index", "--json"], clone)
        whole = json.loads(rest.out)
        rows.append(("  peak memory with vectors, all processes", f"{max(early.peak, rest.peak):.0f} MB", ""))
        rows.append(("bytes for each vector", f"{whole['bytes']['vectors'] / max(1, whole['vectors']):.0f}", ""))
    flag = "yes" if vectors else "no"
    name = unit_to_name(clone)
    jobs = []
    for number in range(runs):
        edit(clone, number)
        jobs.append(json.loads(Run([sys.executable, "-c", JOB, flag], clone).out))
    assert all(job["parsed"] == 1 for job in jobs)
    beyond = statistics.median(job["build"] for job in jobs)
    below = statistics.median(job["git"] for job in jobs)
    growth.commit = min(job["build"] + job["git"] for job in jobs)
    beside = f"imports {jobs[0]['imports']:.2f} s, git's processes {below:.2f} s"
    rows.append(("one-file commit, CPU beyond imports", f"{beyond:.3f} s", beside))
    memory = json.loads(Run([sys.executable, "-c", MEMORY, flag, name, SEARCH], clone).out)
    rows += [(f"{way} in memory", f"{1000 * memory[way]:.0f} ms", f"{memory['units']:,} units") for way in YARDSTICKS]
    growth.ways = {way: memory[way] for way in YARDSTICKS}
    cold: dict[str, list[Run]] = {}
    asked = {"named": f"change {name}", "search": SEARCH}
    for _ in range(2 * runs + 1):
        for way, yardstick in YARDSTICKS.items():
            plain = [] if vectors else ["--no-vectors"]
            ask = [*CM, "retrieve", *plain, "--route", way, asked[way]]
            cold.setdefault(way, []).append(Run(ask, clone))
            cold.setdefault(yardstick, []).append(Run([sys.executable, "-c", yardstick], clone))
    for way, yardstick in YARDSTICKS.items():
        ours, theirs = cold[way], cold[yardstick]
        said = f"{middle(ours, 'seconds'):.3f} s, {middle(ours, 'cpu'):.3f} s CPU"
        share = f"{ratio(middle(ours, 'seconds'), middle(theirs, 'seconds'))} of `{yardstick}`"
        by_cpu = ratio(middle(ours, "cpu"), middle(theirs, "cpu"))
        rows.append((f"cold retrieve, {way}", said, f"{share}, {by_cpu} by CPU"))
    rows.append(("  peak memory of a reader", f"{max(run.peak for run in cold['search']):.0f} MB", ""))
    return rows


def grown(found: list[Growth]) -> list[tuple[str, str, str]]:
    """From the smallest repository to the largest."""
    few, many = found[0], found[-1]
    more = max(1, many.units - few.units)
    per_file = (many.index / many.files) / (few.index / few.files)
    said = f"{few.files:,} to {many.files:,} files, {few.units:,} to {many.units:,} units"
    return [
        ("first index, CPU for each file", ratio(per_file, 1), said),
        ("one-file commit, CPU more for each 100,000 units", f"{(many.commit - few.commit) * 1e5 / more:.3f} s", ""),
        *(
            (
                f"{way} in memory, more for each 1,000 units",
                f"{(many.ways[way] - few.ways[way]) * 1e6 / more:.2f} ms",
                "",
            )
            for way in YARDSTICKS
        ),
    ]


def middle(runs: list[Run], name: str) -> float:
    return statistics.median(getattr(run, name) for run in runs)


def ratio(value: float, yardstick: float) -> str:
    return f"{value / yardstick:.2f} ×"


def unit_to_name(clone: Path) -> str:
    units = [json.loads(line) for line in Run([*CM, "export", "--units"], clone).out.splitlines()]
    named = [u for u in units if u["kind"] == "function" and u["path"].endswith((".js", ".ts")) and len(u["name"]) > 5]
    return str(max(named, key=lambda unit: (unit["exported"], unit["end_byte"] - unit["start_byte"]))["name"])


def edit(clone: Path, number: int) -> None:
    listed = subprocess.run(["git", "ls-files", "*.ts", "*.js"], cwd=clone, check=True, capture_output=True, text=True)
    sources = [line for line in listed.stdout.splitlines() if "test" not in line and "dist/" not in line]
    path = clone / max(
        sources, key=lambda name: ((clone / name).stat().st_size < 20_000, (clone / name).stat().st_size)
    )
    path.write_text(path.read_text() + EDIT.format(n=number))
    commit(clone, "measure")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, default=ROOT, help="the repository to clone and measure")
    parser.add_argument("--files", type=int, nargs="+", help="measure synthetic repositories of so many files instead")
    parser.add_argument("--flat", action="store_true", help="their files lie in one folder")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-vectors", action="store_true", help="leave the embeddings out")
    args = parser.parse_args()
    compileall.compile_dir(str(ROOT / "cmgit"), quiet=2)
    found: list[Growth] = []
    for files in sorted(args.files or [0]):
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            if files:
                write_repository(clone, files, flat=args.flat)
            else:
                git(Path(folder), "clone", "-q", str(args.repo.resolve()), str(clone))
            found.append(Growth())
            show(
                f"{files:,} synthetic files" if files else str(args.repo),
                measure(clone, not args.no_vectors, args.runs, found[-1]),
            )
    if len(found) > 1:
        show("growth", grown(found))


def show(title: str, rows: list[tuple[str, str, str]]) -> None:
    print(f"## {title}\n\n| what | measured | beside |\n|---|---|---|")
    print("\n".join(f"| {what} | {value} | {beside} |" for what, value, beside in rows), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
