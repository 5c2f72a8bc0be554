"""Measure the main job on real repositories: `python bench/run.py [--repo PATH …]`. Writes a dated Markdown table.

Each repository is cloned into a temporary folder, so nothing of the user's is touched. Whole processes are timed, the
median of several runs is given, with the seconds of each stage as the build itself says them and the peak memory of the
largest process. Machines are noisy: compare rows of one table, and CPU seconds rather than wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

BIN = Path(sys.executable).parent / "git-cm"
RUNS = 5
EDIT = b"\nexport function addedForMeasuring(value) {\n  return value + 1\n}\n"
REAL = ("expressjs+express", "vuejs+core")
SEARCH = "where are errors handled when a callback throws"


@dataclass(frozen=True)
class Run:
    """Wall and CPU seconds of the process and its workers, peak memory of the largest one in MB, its JSON."""

    seconds: float
    cpu: float
    peak_mb: float
    document: dict[str, object]


def call(cwd: Path, *args: str) -> Run:
    started = time.perf_counter()
    done = subprocess.Popen([str(BIN), *args, "--json"], cwd=cwd, stdout=subprocess.PIPE)
    assert done.stdout is not None
    out = done.stdout.read()
    _, status, usage = os.wait4(done.pid, 0)
    seconds = time.perf_counter() - started
    if status != 0:
        raise SystemExit(f"git-cm {' '.join(args)} failed in {cwd}")
    scale = 1_000_000 if sys.platform == "darwin" else 1_000
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale, json.loads(out))


def git(cwd: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


def measure(source: Path, folder: Path, *, vectors: bool) -> list[tuple[str, str, str]]:
    """Rows of (what, value, remark) for one repository."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(source), str(clone)], check=True)
    git(clone, "status", "--porcelain")  # a fresh index makes every later status hash files again
    rows = []
    first = call(clone, "index", "--no-vectors")
    rows.append(("first index, words and graph", text(first), stages(first)))
    rows.append(("  peak memory, largest process", f"{first.peak_mb:.0f} MB", ""))
    size = first.document["bytes"]
    assert isinstance(size, dict)
    share = size["snapshot"] / max(1, size["source"])
    rows.append(("  on disk, of the source", f"{share:.2f}", f"{size['snapshot']:,} of {size['source']:,} bytes"))
    if vectors:
        embedded = call(clone, "index")
        count = embedded.document["embedded"]
        assert isinstance(count, int)
        rate = f"{count:,} texts, {count / embedded.seconds:.0f} a second"
        rows.append(("vectors", text(embedded), rate))
        size = embedded.document["bytes"]
        assert isinstance(size, dict)
        rows.append(("  bytes for each vector", f"{size['vectors'] / max(1, count):.0f}", ""))
        rows.append(("  peak memory", f"{embedded.peak_mb:.0f} MB", ""))
    no_vectors = [] if vectors else ["--no-vectors"]
    rows.append(("index again, nothing to do", median(clone, "index", *no_vectors), ""))
    name = edit_and_commit(clone)
    second = call(clone, "index", *no_vectors)
    rows.append(("index after a one-function commit", text(second), stages(second)))
    rows.append(("retrieve, named route, cold process", median(clone, "retrieve", f"change {name}"), ""))
    rows.append(
        (
            "retrieve, search route, cold process",
            median(clone, "retrieve", *no_vectors, "--route", "search", SEARCH),
            "",
        )
    )
    rows.append(("  peak memory", f"{call(clone, 'retrieve', *no_vectors, SEARCH).peak_mb:.0f} MB", ""))
    return rows


def edit_and_commit(clone: Path) -> str:
    done = subprocess.run([str(BIN), "export", "--units"], cwd=clone, check=True, capture_output=True)
    units = [json.loads(line) for line in done.stdout.splitlines()]
    unit = max(
        (u for u in units if u["kind"] == "function" and u["path"].endswith((".js", ".ts"))),
        key=lambda u: u["end_byte"],
    )
    path = clone / unit["path"]
    path.write_bytes(path.read_bytes() + EDIT)
    git(clone, "-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "-q", "-a", "-m", "measure")
    return str(unit["name"])


def median(cwd: Path, *args: str) -> str:
    runs = [call(cwd, *args) for _ in range(RUNS)]
    wall, cpu = (statistics.median(getattr(run, name) for run in runs) for name in ("seconds", "cpu"))
    return f"{wall:.2f} s, {cpu:.2f} s of CPU"


def stages(run: Run) -> str:
    seconds = run.document["seconds"]
    assert isinstance(seconds, dict)
    return ", ".join(f"{stage} {value:.2f}" for stage, value in seconds.items() if value >= 0.005)


def text(run: Run) -> str:
    return f"{run.seconds:.2f} s, {run.cpu:.2f} s of CPU"


def sources(chosen: list[str]) -> list[Path]:
    if chosen:
        return [Path(path).resolve() for path in chosen]
    folder = os.environ.get("CMGIT_REAL_REPOS")
    found = [Path(folder) / name / "repo" for name in REAL] if folder else []
    return [path for path in found if path.exists()] or [Path(__file__).resolve().parent.parent]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", action="append", default=[], help="a repository; may be given several times")
    parser.add_argument("--no-vectors", action="store_true", help="leave the embeddings out")
    args = parser.parse_args()
    version = subprocess.run([str(BIN), "--version"], check=True, capture_output=True, text=True).stdout.strip()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    lines = [
        f"# {version}, {time.strftime('%Y-%m-%d')}",
        "",
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {cores} cores; "
        f"medians of {RUNS} runs of whole processes where a command can be repeated.",
    ]
    for source in sources(args.repo):
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(source, Path(folder), vectors=not args.no_vectors)
        name = source.parent.name if source.name in ("repo", "repo.git") else source.name
        lines += ["", f"## {name}", "", "| what | value | |", "|---|---|---|"]
        lines += [f"| {what} | {value} | {remark} |" for what, value, remark in rows]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000)
    lines += ["", f"Peak memory of the largest process over all runs: {peak:.0f} MB."]
    report = "\n".join(lines) + "\n"
    print(report)
    folder = Path(__file__).resolve().parent / "results" / "local"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{time.strftime('%Y-%m-%d')}.md").write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
