"""Refit the weights of ranking: `python bench/ranking.py --repos DIR --tasks FILE.jsonl … [--ablate] [--write]`.

A task row has `repo` (OWNER/NAME, a clone at DIR/OWNER+NAME), `base_commit`, `query` and `gold_functions`
[{file, name, start, end}] as they stood at that commit. Model: conditional logit. The chance of a candidate is the
softmax of its weighted signals plus a fixed loss for its role; the fit raises the chance of the units that were
changed, each repository counting the same, and is drawn to `PRIOR` (ridge). `--questions` adds doc comments of
repositories as questions, with a smaller share. Printed are figures of each repository with
weights fitted on the others. `--write` puts the weights fitted on all of them into cmgit/retrieve/weights.py.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cmgit.core.config import Config
from cmgit.core.facts import UnitKind
from cmgit.core.records import Role, no_progress
from cmgit.embed.model import load_model
from cmgit.git.locate import locate
from cmgit.retrieve import weights as tuned
from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.query import read_query
from cmgit.retrieve.rank import candidates
from cmgit.retrieve.signals import SIGNALS, VECTOR_SIGNALS
from cmgit.view.open import open_view
from cmgit.view.view import View

Floats = NDArray[np.float64]
WEIGHTS = Path(__file__).resolve().parent.parent / "cmgit" / "retrieve" / "weights.py"
QUESTIONS = "questions of "
RIDGE = 0.02
STEPS = 150
PRIOR = {
    "words": 3.5, "within": 2.0, "title": 0.5, "share": 0.5, "coverage": 1.0, "file": 1.5, "path": 0.7, "cosine": 2.0,
    "callers": 1.5, "callees": 1.5, "size": 1.2, "named": 1.5, "tested file": 0.7, "name told": 0.4, "phrase": 0.6,
    "around": 0.3, "used": -0.5, "aside": -0.7, "is a file": -2.0, "is a variable": -1.0, "is a callback": -1.0,
    "is a type": -0.3, "is statements": -0.5, "similar": 0.8, "often": 0.5, "unit similar": 1.5, "unit often": 0.7,
    "quoted": 0.3,
}  # fmt: skip
RARE: tuple[str, ...] = ("quoted", "phrase", "name", "name told", "tested")
"""Signals that few of the tasks have: held to the prior ten times as hard."""
HOLD = 10.0
NEVER: tuple[str, ...] = RARE
"""Signals that never count against a unit."""
QUESTION_SHARE = 0.25
"""Weight of a repository's questions from doc comments beside that of a repository's tasks: they guard search by plain
words, which tasks alone unlearn."""
MOST_QUESTIONS = 80


@dataclass(frozen=True)
class Case:
    """One task: its candidates and, for each gold function, which of them are it. gold_files: rows of the view."""

    repo: str
    rows: NDArray[np.int64]
    signals: Floats
    role: Floats
    files: NDArray[np.int64]
    gold: list[list[int]]
    gold_files: set[int]


def is_gold(view: View, unit: int, gold: dict[str, Any]) -> bool:
    seen = view.unit(unit)
    if seen.kind == "file" or seen.end_line < gold["start"] or seen.start_line > gold["end"]:
        return False
    inside = gold["start"] <= seen.start_line and seen.end_line <= gold["end"]
    around = seen.start_line <= gold["start"] and gold["end"] <= seen.end_line
    lines, own = gold["end"] - gold["start"] + 1, seen.end_line - seen.start_line + 1
    return seen.name == gold["name"] or inside or (around and own <= 1.5 * lines)


def read_case(folder: Path, task: dict[str, Any], config: Config, embed: Any) -> Case:
    view = open_view(locate(str(folder)), config, task["base_commit"], no_progress, print)
    prompt = read_prompt(task["query"])
    found = candidates(view, prompt, read_query(prompt), find_focus(view, prompt), embed)
    place = {unit: i for i, unit in enumerate(found.rows.tolist())}
    golds, gold_files = [], set()
    for gold in task["gold_functions"]:
        file = view.file_index(gold["file"])
        if file is None:
            golds.append([])
            continue
        gold_files.add(file)
        row = view.files[file]
        units = range(row.first_unit, row.first_unit + row.unit_count)
        golds.append([place[unit] for unit in units if unit in place and is_gold(view, unit, gold)])
    return Case(task["repo"], found.rows, found.signals, found.role, view.units.file[found.rows], golds, gold_files)


def documented(view: View, wanted: Sequence[UnitKind]) -> list[tuple[int, str]]:
    """Units of sources of the wanted kinds with the first sentence of their doc comment, shuffled in a fixed way."""
    column = view.units.column
    kinds, first, last = column("kind"), column("doc_start"), column("doc_end")
    size = column("end") - column("start")
    found: list[tuple[int, str]] = []
    for unit in np.flatnonzero((last > first) & (size > 120)).tolist():
        file = int(view.units.file[unit])
        source = view.source(file) if kinds[unit] in wanted and view.files[file].role == Role.SOURCE else None
        if source is not None:
            text = source.data[int(first[unit]) : int(last[unit])].decode("utf-8", "replace")
            text = re.sub(r"\n\s*\*\s?", " ", re.sub(r"^[\s/*]+|[\s*/]+$", "", text))
            sentence = re.split(r"(?<=[.!?])\s|\s@\w+|\n\n", text)[0].strip()
            if 4 <= len(sentence.split()) <= 25 and not re.search(r"eslint|ts-ignore|istanbul|@", sentence):
                found.append((unit, sentence))
    random.Random(7).shuffle(found)
    return found


def questions(folder: Path, repo: str, rev: str, config: Config) -> list[Case]:
    """First sentences of doc comments as questions for their functions, by words alone, doc comments unheard."""
    view = open_view(locate(str(folder)), replace(config, vectors=False), rev, no_progress, print)
    view.past = None
    found: list[Case] = []
    heard, tuned.FIELDS = tuned.FIELDS, (*tuned.FIELDS[:2], 0.0, *tuned.FIELDS[3:])
    asked = documented(view, (UnitKind.FUNCTION, UnitKind.METHOD))
    for unit, sentence in asked[:MOST_QUESTIONS]:
        prompt = read_prompt(sentence)
        seen = candidates(view, prompt, read_query(prompt), find_focus(view, prompt), None)
        gold = np.flatnonzero(seen.rows == unit).tolist()
        files = view.units.file[seen.rows]
        found.append(
            Case(QUESTIONS + repo, seen.rows, seen.signals, seen.role, files, [gold], {int(view.units.file[unit])})
        )
    tuned.FIELDS = heard
    return found


def fit(cases: list[Case], columns: list[int]) -> Floats:
    """Weights of the chosen columns, by Adam with a falling step; the problem is smooth and small."""
    cases = [case for case in cases if any(case.gold)]
    signals = np.concatenate([case.signals[:, columns] for case in cases])
    role = np.concatenate([case.role for case in cases])
    sizes = [len(case.rows) for case in cases]
    first = np.concatenate([[0], np.cumsum(sizes)])
    case_of = np.repeat(np.arange(len(cases)), sizes)
    many = Counter(case.repo for case in cases)
    golds = [(i, np.array(g) + first[i]) for i, case in enumerate(cases) for g in case.gold if g]
    share = np.array([1 / sum(map(bool, cases[i].gold)) / many[cases[i].repo] / len(many) for i, _ in golds])
    share *= [QUESTION_SHARE if cases[i].repo.startswith(QUESTIONS) else 1.0 for i, _ in golds]
    share /= share.sum()
    hold = np.array([HOLD if SIGNALS[c] in RARE else 1.0 for c in columns])
    never = np.array([SIGNALS[c] in NEVER for c in columns])
    rows = np.concatenate([g for _, g in golds])
    gold_of = np.repeat(np.arange(len(golds)), [len(g) for _, g in golds])
    case_share = np.bincount([i for i, _ in golds], weights=share, minlength=len(cases))
    prior = np.array([PRIOR.get(SIGNALS[c], 0.0) for c in columns])
    weights, mean, square = prior.copy(), np.zeros(len(columns)), np.zeros(len(columns))
    for step in range(STEPS):
        total = signals @ weights + role
        odds = np.exp(total - np.maximum.reduceat(total, first[:-1])[case_of])
        chance = odds / np.add.reduceat(odds, first[:-1])[case_of]
        held = np.bincount(gold_of, weights=chance[rows], minlength=len(golds))
        pull = chance[rows] / np.maximum(held[gold_of], 1e-300) * share[gold_of]
        gradient = signals.T @ (chance * case_share[case_of]) - signals[rows].T @ pull
        gradient += 2 * RIDGE * hold * (weights - prior)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * (1 - step / STEPS)
        weights = weights - rate * (mean / (1 - 0.9 ** (step + 1))) / (
            np.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-9
        )
        weights[never] = np.maximum(weights[never], 0.0)
    return weights


def measure(case: Case, weights: Floats, columns: list[int]) -> dict[str, float]:
    total = case.signals[:, columns] @ weights + case.role
    order = np.lexsort((case.rows, -total))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    unit = min((rank[i] for gold in case.gold for i in gold), default=999)
    files = list(dict.fromkeys(case.files[order[:50]].tolist()))
    file = next((i for i, f in enumerate(files, 1) if f in case.gold_files), 999)
    return {"file@1": file <= 1, "file@5": file <= 5, "unit@1": unit <= 1, "unit@5": unit <= 5, "unit@10": unit <= 10}


def left_out(cases: list[Case], columns: list[int]) -> list[tuple[str, dict[str, float]]]:
    """Figures of each task, with weights that were fitted without its repository."""
    found = []
    for repo in dict.fromkeys(case.repo for case in cases):
        others = [case for case in cases if case.repo.removeprefix(QUESTIONS) != repo.removeprefix(QUESTIONS)]
        weights = fit(others or cases, columns)
        found += [(repo, measure(case, weights, columns)) for case in cases if case.repo == repo]
    return found


def line(label: str, figures: list[tuple[str, dict[str, float]]]) -> str:
    repos = list(dict.fromkeys(repo for repo, _ in figures))
    means = {
        key: np.mean([np.mean([row[key] for repo, row in figures if repo == one]) for one in repos])
        for key in figures[0][1]
    }
    return f"{label:24s} " + " ".join(f"{key} {value:.3f}" for key, value in means.items())


def write(name: str, weights: dict[str, float]) -> None:
    body = f"{name}: dict[str, float] = {{\n" + "".join(f'    "{k}": {v},\n' for k, v in weights.items() if v) + "}\n"
    text = WEIGHTS.read_text(encoding="utf-8")
    pattern = rf"^{name}: dict\[str, float\] = \{{.*?\}}\n"
    WEIGHTS.write_text(re.sub(pattern, lambda _: body, text, flags=re.MULTILINE | re.DOTALL), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--tasks", type=Path, nargs="+", required=True)
    parser.add_argument("--cache", required=True, help="folder for the built model")
    parser.add_argument("--every", type=int, default=1, help="each Nth task of a file")
    parser.add_argument("--no-vectors", action="store_true")
    parser.add_argument("--ablate", action="store_true", help="fit once more without each signal")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--questions", nargs="*", default=[], metavar="OWNER/NAME", help="also doc comments at HEAD")
    args = parser.parse_args()
    embed = None if args.no_vectors else load_model(args.cache, "").embed_query
    config = Config(vectors=embed is not None, cache_dir=args.cache)
    cases = []
    for path in args.tasks:
        rows = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
        for task in [row for row in rows if row.get("gold_functions")][:: args.every]:
            cases.append(read_case(args.repos / task["repo"].replace("/", "+"), task, config, embed))
    for repo in args.questions:
        cases += questions(args.repos / repo.replace("/", "+"), repo, "HEAD", config)
    columns = [i for i, name in enumerate(SIGNALS) if embed is not None or name not in VECTOR_SIGNALS]
    figures = left_out(cases, columns)
    for repo in dict.fromkeys(repo for repo, _ in figures):
        print(line(repo, [row for row in figures if row[0] == repo]))
    print(line("all", figures), flush=True)
    if args.ablate:
        for column in columns:
            print(line(f"without {SIGNALS[column]}", left_out(cases, [c for c in columns if c != column])), flush=True)
    fitted = {SIGNALS[c]: round(float(w), 2) for c, w in zip(columns, fit(cases, columns), strict=True)}
    print(json.dumps(fitted))
    if args.write:
        write("WITHOUT_VECTORS" if embed is None else "WITH_VECTORS", fitted)


if __name__ == "__main__":
    main()
