"""What each tool finds of the functions that real changes touched, all within the same bytes of source.

A tool's answer is taken as it orders it and cut where the budget of source bytes is spent; what it says besides source
costs it nothing. Every tool is asked about the same checked-out commit, with its own way to follow a checkout.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peers_tool import BUDGET, Failed, Found, Place, Shown, Step, Tool

if TYPE_CHECKING:
    from bench import Bench

DEEP = 50
LEAST = 2


def read_tasks(paths: list[Path], limit: int) -> list[dict[str, Any]]:
    """Tasks with gold functions, evenly out of each file, in turn, so that a shorter run has all repositories."""
    files = [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
    rows = []
    for file in files:
        told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        rows.append([row for row in told if row.get("gold_functions")])
    each = max(1, limit // max(1, len(rows)))
    spread = [row[:: max(1, len(row) // each)][:each] for row in rows if row]
    return [task for turn in itertools.zip_longest(*spread) for task in turn if task]


def measure_tasks(
    bench: Bench, paths: list[Path], sources: dict[str, Path], folder: Path, until: float, limit: int
) -> dict[str, Any]:
    """Figures of each tool over the tasks that there was time for; all tools have the same tasks."""
    from bench import at_least, source_bytes

    keys = [key for key, tool in bench.tools.items() if tool.ranks]
    tasks = read_tasks(paths, limit)
    known = {task["repo"]: source for task in tasks if (source := clone_of(task["repo"], sources, folder))}
    ready = {repo for repo, _ in bench.places}
    no_clone = sorted({task["repo"] for task in tasks} - known.keys())
    tasks = [task for task in tasks if task["repo"] in known]
    sizes = {repo: source_bytes(path) for repo, path in known.items()}
    tasks.sort(key=lambda task: (task["repo"] not in ready, sizes[task["repo"]]))  # ready: a first index is there
    rows: list[dict[str, Any]] = []
    errors: dict[str, list[str]] = {key: [] for key in keys}
    longest: dict[str, float] = {}
    for number, task in enumerate(tasks):
        started, repo = time.perf_counter(), task["repo"]
        cost = longest.get(repo) or (0.0 if repo in ready else at_least(keys, sizes[repo]))
        if started + cost > until and len(rows) >= LEAST:
            continue
        row: dict[str, Any] = {"repo": repo, "commit": task["base_commit"], "tools": {}}
        for key in keys:
            tool = bench.tools[key]
            try:
                place = bench.place(repo, known[repo], key)
                follow(bench, tool, place, task["base_commit"])
                row["tools"][key] = score(tool.find(place, task["query"], bench.limit), task, place)
            except (Failed, ValueError, KeyError, IndexError, UnicodeError) as error:
                errors[key].append(f"{repo} {task['base_commit'][:10]}: {error}"[:300])
        rows.append(row)
        if ready & {repo}:  # the first task of a repository has the first index in it
            longest[repo] = max(longest.get(repo, 0.0), time.perf_counter() - started)
        ready.add(repo)
        seen = " ".join(f"{key} {told['touch']:.2f}" for key, told in row["tools"].items())
        print(
            f"  task {number + 1}/{len(tasks)} {repo}, {time.perf_counter() - started:.0f} s: {seen}", file=sys.stderr
        )
    told = {"tasks": rows, "errors": errors, "keys": keys, "budget": BUDGET}
    return told | {"late": len(tasks) - len(rows), "no_clone": no_clone}


def clone_of(repo: str, sources: dict[str, Path], folder: Path) -> Path | None:
    if repo in sources:
        return sources[repo]
    base = folder / repo.replace("/", "+")
    return next((path for path in (base / "repo", base) if path.exists()), None)


def follow(bench: Bench, tool: Tool, place: Place, commit: str) -> None:
    from bench import git

    git(place.clone, "checkout", "-q", "--force", "--detach", commit)
    there = any(path.exists() for path in tool.data(place))
    step = tool.follow(place) if there or not tool.indexes else tool.index(place)
    if step:
        bench.once(tool, place, step)


def score(found: Found, task: dict[str, Any], place: Place) -> dict[str, Any]:
    golds = task["gold_functions"]
    files = found.files or list(dict.fromkeys(one.path for one in found.ranked))
    gold_files = {gold["file"] for gold in golds}
    shown, spent = within(found.context, place.clone)
    whole = [
        any(one.whole and one.path == g["file"] and one.start <= g["start"] and one.end >= g["end"] for one in shown)
        for g in golds
    ]
    touch = [any(overlaps(one, gold) for one in shown) for gold in golds]
    unit = first(any(is_gold(one, gold) for gold in golds) for one in found.ranked[:DEEP])
    return {
        "file": first(path in gold_files for path in files),
        "unit": unit if found.units else None,
        "units": found.units,
        "ctx": sum(whole) / len(golds),
        "touch": sum(touch) / len(golds),
        "bytes": spent,
    }


def first(hits: Iterator[bool]) -> int | None:
    """Rank of the first hit, from 1."""
    return next((rank for rank, hit in enumerate(hits, 1) if hit), None)


def overlaps(one: Shown, gold: dict[str, Any]) -> bool:
    return bool(one.path == gold["file"] and one.start <= gold["end"] and one.end >= gold["start"])


def is_gold(one: Shown, gold: dict[str, Any]) -> bool:
    """Whether a result is the function: by its name, or lines inside, or around it with at most half as many more."""
    if not overlaps(one, gold):
        return False
    inside = gold["start"] <= one.start and one.end <= gold["end"]
    around = one.start <= gold["start"] and gold["end"] <= one.end
    return one.name == gold["name"] or inside or (around and one.end - one.start + 1 <= 1.5 * lines_of(gold))


def lines_of(gold: dict[str, Any]) -> int:
    return int(gold["end"] - gold["start"] + 1)


def within(context: list[Shown], clone: Path) -> tuple[list[Shown], int]:
    """What of an answer fits the budget, in its order; lines that were shown before cost nothing again."""
    kept: list[Shown] = []
    paid: set[tuple[str, int]] = set()
    files: dict[str, list[bytes]] = {}
    spent = 0
    for one in context:
        if one.path not in files:
            path = clone / one.path
            files[one.path] = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        lines = files[one.path]
        last = one.start - 1
        for number in range(one.start, min(one.end, len(lines)) + 1):
            cost = 0 if (one.path, number) in paid else len(lines[number - 1])
            if spent + cost > BUDGET:
                break
            spent += cost
            paid.add((one.path, number))
            last = number
        if last >= one.start:
            kept.append(Shown(one.path, one.start, last, one.name, one.whole))
        if last < min(one.end, len(lines)):
            break
    return kept, spent


__all__ = ["Step", "measure_tasks", "score", "within"]
