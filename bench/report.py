"""The tables of a run of `bench.py`, rendered anew: `python bench/report.py FILE.json … [--short REPO]`."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

NAMES = {
    "cmgit": "cmgit",
    "cmgit-words": "cmgit, no vectors",
    "codegraph": "codegraph",
    "codegraph-context": "codegraph context",
    "semble": "semble",
    "jcodemunch": "jcodemunch",
    "probe": "probe",
    "aider": "aider's map",
    "ripgrep": "ripgrep",
    "scip-typescript": "scip-typescript",
}
OURS = ("cmgit", "cmgit-words")
FULL = 5
NOT_ASKED = "cannot be asked this"


def render(result: dict[str, Any]) -> str:
    box = result["machine"]
    parts = [
        f"# cmgit beside other tools, {result['date']}",
        f"{box['system']}, {box['cpu']}, {box['cores']} cores, {box['memory_gb']} GB; Python {box['python']}, git "
        f"{box['git']}, Node {box['node']}; load at the start {box['load']:.1f}{busy(box)}. One run of "
        f"{result['minutes']:.0f} minutes; the tools ran in turn, each in its own clone.",
        versions(result),
        "Medians of 5 runs; a small *n* marks fewer. *×* is the ratio to cmgit's figure in the same column of the same "
        "run: above 1 the other is slower or larger, below 1 it **wins**. Times are of whole processes, in seconds, "
        "with the CPU of all their processes behind the stroke. Machines differ: compare within the table.",
    ]
    parts += [speed(repo) for repo in result["repos"]]
    if len(result["repos"]) > 1:
        parts.append(growth(result["repos"]))
    if "retrieval" in result:
        parts.append(retrieval(result["retrieval"]))
    parts.append(notes(result))
    parts += [f"## bench/{name}.py\n\n{text.strip()}" for name, text in result.get("also", {}).items()]
    return "\n\n".join(parts) + "\n"


def busy(box: dict[str, Any]) -> str:
    return (
        " (**the machine was busy: times are too long, and unevenly so**)" if box["load"] > 0.5 * box["cores"] else ""
    )


def versions(result: dict[str, Any]) -> str:
    rows = ["| tool | version | used as |", "|---|---|---|"]
    rows += [f"| {NAMES[key]} | {told['version']} | {told['about']} |" for key, told in result["tools"].items()]
    rows += [f"| {NAMES[key]} | **not measured** | {cell(reason)} |" for key, reason in result["absent"].items()]
    return "\n".join(rows)


def cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def speed(repo: dict[str, Any]) -> str:
    figures = repo["figures"]
    head = (
        f"## {repo['repo']}: {repo['files']:,} files, {repo['source'] / 1e6:.1f} MB of source, {repo['units']:,} units"
    )
    named, search = repo["question"]
    text = [head, "", f"At {repo['commit'][:12]}. Named: “{named}”. Search: “{search}”.", ""]
    columns = [
        ("first index", timed("index"), wall("index")),
        ("one file changed", timed("update"), wall("update")),
        ("answer, named", timed("named"), wall("named")),
        ("answer, search", timed("search"), wall("search")),
        ("server running: named / search, memory", served, served_ms),
        ("on disk, of the source", disk(repo["source"]), lambda one: one.get("disk")),
        ("peak memory, index", memory("index"), lambda one: peak(one, "index")),
        ("peak memory, answer", memory("search"), lambda one: peak(one, "search")),
    ]
    text += ["| | " + " | ".join(title for title, _, _ in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for key, one in figures.items():
        cells = []
        for _, show, value in columns:
            shown = show(one)
            if shown and key not in OURS:
                shown += ratio(value(one), best(figures, value, key))
            cells.append(shown or "—")
        text.append(f"| {NAMES[key]} | " + " | ".join(cells) + " |")
    return "\n".join([*text, "", wins(figures, columns)])


def growth(repos: list[dict[str, Any]]) -> str:
    """Whether a first index stays linear."""
    text = ["## Seconds of a first index for each MB of source", ""]
    text += ["| | " + " | ".join(f"{repo['repo']}, {repo['source'] / 1e6:.1f} MB" for repo in repos) + " |"]
    text += ["|---" * (len(repos) + 1) + "|"]
    for key in repos[0]["figures"]:
        values = [middle(repo["figures"].get(key, {}), "index", 0) for repo in repos]
        shares = zip(values, repos, strict=True)
        cells = ["—" if value is None else f"{value / (repo['source'] / 1e6):.2f}" for value, repo in shares]
        if any(value is not None for value in values):
            text.append(f"| {NAMES[key]} | " + " | ".join(cells) + " |")
    return "\n".join(text)


def runs(one: dict[str, Any], metric: str) -> list[list[float]]:
    found: list[list[float]] = one.get(metric, {}).get("runs", [])
    return found


def middle(one: dict[str, Any], metric: str, column: int) -> float | None:
    found = runs(one, metric)
    return statistics.median(run[column] for run in found) if found else None


def wall(metric: str) -> Callable[[dict[str, Any]], float | None]:
    return lambda one: middle(one, metric, 0)


def peak(one: dict[str, Any], metric: str) -> float | None:
    return middle(one, metric, 2)


def timed(metric: str) -> Callable[[dict[str, Any]], str]:
    def show(one: dict[str, Any]) -> str:
        seconds, cpu = middle(one, metric, 0), middle(one, metric, 1)
        if seconds is None:
            error = one.get(metric, {}).get("error", NOT_ASKED)
            return "" if error in ("", NOT_ASKED) else "left out" if error.startswith("left out") else "failed"
        count = len(runs(one, metric))
        few = f" <sub>n={count}</sub>" if count < FULL else ""
        return f"{seconds:.2f} / {cpu:.2f}{few}"

    return show


def served(one: dict[str, Any]) -> str:
    told = one.get("served") or {}
    if "error" in told:
        return "failed"
    if not told:
        return ""
    times = " / ".join(f"{1000 * statistics.median(told[key]):.0f}" for key in ("named", "search"))
    return f"{times} ms, {told['peak']:.0f} MB"


def served_ms(one: dict[str, Any]) -> float | None:
    told = one.get("served") or {}
    return statistics.median(told["search"]) if "search" in told else None


def disk(source: int) -> Callable[[dict[str, Any]], str]:
    return lambda one: f"{one['disk'] / max(1, source):.2f}" if one.get("disk") is not None else ""


def memory(metric: str) -> Callable[[dict[str, Any]], str]:
    return lambda one: "" if (value := peak(one, metric)) is None else f"{value:.0f} MB"


def best(figures: dict[str, Any], value: Callable[[dict[str, Any]], float | None], key: str) -> float | None:
    """What the other is held against: cmgit as a whole; beside tools without vectors, an index without them."""
    without = key in ("codegraph", "codegraph-context", "jcodemunch", "aider", "scip-typescript", "probe", "ripgrep")
    for ours in ("cmgit-words", "cmgit") if without else ("cmgit", "cmgit-words"):
        if ours in figures and (found := value(figures[ours])) is not None:
            return found
    return None


def ratio(theirs: float | None, ours: float | None) -> str:
    if not theirs or not ours:
        return ""
    times = theirs / ours
    text = f"×{times:.1f}" if times >= 1 else f"×{times:.2f}"
    return f" ({text})" if times >= 1 else f" (**{text}**)"


def wins(figures: dict[str, Any], columns: Iterable[tuple[str, Any, Callable[[dict[str, Any]], float | None]]]) -> str:
    """Where another tool beats cmgit, in words."""
    lines = []
    for title, _, value in columns:
        ahead = []
        for key, one in figures.items():
            theirs, ours = value(one), best(figures, value, key)
            if key not in OURS and theirs is not None and ours is not None and theirs < ours:
                ahead.append(NAMES[key])
        if ahead:
            lines.append(f"*{title}*: {', '.join(ahead)}")
    won = "Others win at " + "; ".join(lines) + "." if lines else "No other tool wins a column here."
    none = [NAMES[key] for key, one in figures.items() if not one.get("index") and key != "codegraph-context"]
    return won + (f" {' and '.join(none)}: no index at all, nor an update of one." if none else "")


def retrieval(told: dict[str, Any]) -> str:
    rows = told["tasks"]
    late = f" {told['late']} more did not fit in the time." if told["late"] else ""
    lost = f" No clone of {', '.join(told['no_clone'])}." if told["no_clone"] else ""
    if not rows:
        return f"## Finding what a change touched\n\nNo task was asked.{late}{lost}"
    keys = [key for key in told["keys"] if any(key in row["tools"] for row in rows)]
    repos: dict[str, int] = {}
    for row in rows:
        repos[row["repo"]] = repos.get(row["repo"], 0) + 1
    text = [
        f"## Finding what a change touched: {len(rows)} tasks, {told['budget']:,} bytes of source each",
        "",
        "Commit messages and bug reports, asked at the commit before the change; the functions that were "
        "changed are to be found. *touched*: share of them that the answer shows at least in part within the budget; "
        "*whole*: in full; *unit@5*, *file@5*: one of them, a file of theirs, is among the first five. Tasks "
        "by repository: " + ", ".join(f"{repo} {count}" for repo, count in sorted(repos.items())) + f".{late}{lost}",
        "",
        "| | touched | whole | unit@5 | file@5 | bytes shown | failed |",
        "|---|---|---|---|---|---|---|",
    ]
    table = {key: mean([row["tools"].get(key) for row in rows]) for key in keys}
    measures = ("touch", "ctx", "unit", "file")
    top = {one: max((table[key][one] or 0) for key in keys) for one in measures}
    for key in keys:
        cells = []
        for one in measures:
            value = table[key][one]
            text_ = "—" if value is None else f"{value:.3f}"
            cells.append(f"**{text_}**" if value is not None and value == top[one] > 0 else text_)
        failed = len(told["errors"].get(key, []))
        text.append(f"| {NAMES[key]} | " + " | ".join(cells) + f" | {table[key]['bytes']:.0f} | {failed or ''} |")
    ahead = [
        f"{label} {', '.join(better)}"
        for one, label in zip(measures, ("touched", "whole", "unit@5", "file@5"), strict=True)
        if (better := [NAMES[key] for key in keys if key not in OURS and beats(table, key, one)])
    ]
    text += ["", "Others win at " + "; ".join(ahead) + "." if ahead else "No other tool wins a column here."]
    text += [f"With so few tasks one is worth {1 / max(1, len(rows)):.3f}; smaller differences say nothing."]
    return "\n".join(text)


def beats(table: dict[str, dict[str, Any]], key: str, measure: str) -> bool:
    ours = max((table[own][measure] or 0 for own in OURS if own in table), default=0)
    return (table[key][measure] or 0) > ours


def mean(rows: list[dict[str, Any] | None]) -> dict[str, Any]:
    """Means over all tasks; one that the tool failed at counts as nothing found."""
    found = [row or {"file": None, "unit": None, "units": True, "ctx": 0, "touch": 0, "bytes": 0} for row in rows]
    count = len(found)
    ranked = all(row["units"] for row in found)
    return {
        "touch": sum(row["touch"] for row in found) / count,
        "ctx": sum(row["ctx"] for row in found) / count,
        "unit": sum(bool(row["unit"] and row["unit"] <= 5) for row in found) / count if ranked else None,
        "file": sum(bool(row["file"] and row["file"] <= 5) for row in found) / count,
        "bytes": sum(row["bytes"] for row in found) / count,
    }


def notes(result: dict[str, Any]) -> str:
    told = []
    for repo in result["repos"]:
        for key, one in repo["figures"].items():
            for metric in ("index", "update", "named", "search"):
                figure = one.get(metric, {})
                if figure.get("error") and figure["error"] != NOT_ASKED:
                    told.append(f"- {NAMES[key]}, {metric} of {repo['repo']}: {cell(figure['error'])}")
                if figure.get("left"):
                    left = f"{figure['left']} processes running after {metric} of {repo['repo']}"
                    told.append(f"- {NAMES[key]} left {left}; they were ended")
            if (one.get("served") or {}).get("error"):
                told.append(f"- {NAMES[key]}'s server failed in {repo['repo']}: {cell(one['served']['error'])}")
    for key, errors in result.get("retrieval", {}).get("errors", {}).items():
        told += [f"- {NAMES[key]} failed at {len(errors)} tasks, the first: {cell(errors[0])}"] if errors else []
    return "\n".join(
        [
            "## How to read it",
            "",
            "- codegraph, jcodemunch, aider, probe, ripgrep and scip-typescript make no vectors: they are held against "
            "cmgit without vectors; semble, which does, against all of cmgit.",
            "- semble indexes with its first search and takes in a change with the next one: both are times of a "
            "search. aider's map is the same for every question. probe and ripgrep read the files at each question. "
            "scip-typescript cannot take in one file: it indexes anew.",
            "- Peak memory is that of all processes at one moment, each with its share of what is shared (PSS, Linux).",
            "- scip-typescript and others index without `node_modules`, as all tools see the clone alone. codegraph, "
            "jcodemunch and semble also index other languages that lie in it.",
            "- No tool reached the network: "
            + (
                "telemetry and searches for updates are switched off."
                if result["network"]
                else "the run had a network namespace of its own, and telemetry is switched off besides."
            ),
            *told,
        ]
    )


def short(result: dict[str, Any], name: str) -> str:
    """One table of one repository, for a README: medians, and what was found over all tasks."""
    repo = next(one for one in result["repos"] if one["repo"] == name)
    told = result.get("retrieval") or {"tasks": [], "keys": []}
    found = {key: mean([row["tools"].get(key) for row in told["tasks"]]) for key in told["keys"] if told["tasks"]}
    shown: list[tuple[str, Callable[[dict[str, Any]], float | None], str]] = [
        ("first index, s", wall("index"), ".2f"),
        ("one file, s", wall("update"), ".2f"),
        ("answer named, s", wall("named"), ".2f"),
        ("answer search, s", wall("search"), ".2f"),
        ("server, ms", lambda one: None if (ms := served_ms(one)) is None else 1000 * ms, ".0f"),
        ("disk / source", lambda one: None if one.get("disk") is None else one["disk"] / repo["source"], ".2f"),
        ("memory of index, MB", lambda one: peak(one, "index"), ".0f"),
    ]
    measures = [("touched", "touch"), ("whole", "ctx"), ("unit@5", "unit"), ("file@5", "file")] if found else []
    head = [title for title, _, _ in shown] + [title for title, _ in measures]
    text = ["| | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    figures = repo["figures"]
    first_ = [{key: value(one) for key, one in figures.items()} for _, value, _ in shown]
    columns = [marked(values, form, lowest=True) for values, (_, _, form) in zip(first_, shown, strict=True)]
    columns += [marked({key: found[key][one] for key in found}, ".3f", lowest=False) for _, one in measures]
    for key in figures:
        text.append(f"| {NAMES[key]} | " + " | ".join(column.get(key, "—") for column in columns) + " |")
    box = result["machine"]
    where = f"{name}, {repo['source'] / 1e6:.1f} MB of source; {box['cores']} cores, {result['date'][:10]}"
    tasks = f"; {len(told['tasks'])} tasks from histories" if found else ""
    return "\n".join([*text, "", f"{where}{tasks}. The best of each column is bold."])


def marked(values: dict[str, float | None], form: str, *, lowest: bool) -> dict[str, str]:
    """Formatted values; the best one bold, all that look alike with it."""
    texts = {key: f"{value:{form}}" for key, value in values.items() if value is not None}
    known = [value for value in values.values() if value is not None]
    top = f"{(min if lowest else max)(known):{form}}" if known else ""
    return {key: f"**{text}**" if text == top else text for key, text in texts.items()}


def merged(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Runs that complete each other, the first one's machine and date: one had the times, another the tasks."""
    whole = dict(results[0])
    for other in results[1:]:
        whole["repos"] = [*whole["repos"], *other["repos"]]
        whole["tools"] = other["tools"] | whole["tools"]
        whole["minutes"] += other["minutes"]
        if "retrieval" in other:
            whole["retrieval"] = other["retrieval"]
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="what bench.py wrote; several complete each other")
    parser.add_argument("--short", metavar="REPO", help="one table of one repository, for a README")
    args = parser.parse_args()
    result = merged([json.loads(path.read_text()) for path in args.files])
    print(short(result, args.short) if args.short else render(result))


if __name__ == "__main__":
    main()
