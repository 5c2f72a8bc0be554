"""Questions as people ask them, with the code that answers them: `python bench/questions.py --repos DIR [--words]`.

`questions.jsonl` has one a line: `repo` (OWNER/NAME, a clone at DIR/OWNER+NAME), `rev`, `query`, `gold` (`path#unit`,
any of which answers; `#default` is any unit of that file), `held_out` (nothing was tuned by looking at its repository).
They were written from the sources, without looking at what the search gives. Printed are, for each repository and for
the halves, file@1, file@5, file@10, MRR and NDCG@10 of files, unit@1, unit@5.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from math import log2
from pathlib import Path
from typing import Any

from cmgit.cli.session import default_cache_dir
from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.embed.model import load_model
from cmgit.git.locate import locate
from cmgit.retrieve.retrieve import search
from cmgit.view.open import open_view
from cmgit.view.view import View

QUESTIONS = Path(__file__).with_name("questions.jsonl")
FIRST = 50  # units that are looked at
Figures = dict[str, float]


def measure(view: View, question: dict[str, Any], embed: Callable[[str], Any] | None) -> Figures:
    gold = [tuple(answer.split("#")) for answer in question["gold"]]
    gold_files = {path for path, _ in gold}
    units = [view.unit(found.unit) for found in search(view, question["query"], FIRST, embed)]
    files = list(dict.fromkeys(unit.path for unit in units))
    hits = [place for place, path in enumerate(files, 1) if path in gold_files]
    unit = next((i for i, unit in enumerate(units, 1) if is_answer(unit.path, unit.kind, unit.name, gold)), FIRST + 1)
    first = hits[0] if hits else FIRST + 1
    best = sum(1 / log2(1 + place) for place in range(1, min(len(gold_files), 10) + 1))
    return {
        **{f"file@{k}": float(first <= k) for k in (1, 5, 10)},
        "MRR": 1 / first if hits else 0.0,
        "NDCG@10": sum(1 / log2(1 + place) for place in hits if place <= 10) / best,
        **{f"unit@{k}": float(unit <= k) for k in (1, 5)},
        "place": float(unit),
        "file": float(first),
    }


def is_answer(path: str, kind: str, name: str, gold: Sequence[tuple[str, ...]]) -> bool:
    return kind != "file" and any(path == file and wanted in (name, "default") for file, wanted in gold)


def line(label: str, rows: Sequence[Figures]) -> str:
    keys = [key for key in rows[0] if key not in ("place", "file")]
    means = " ".join(f"{key} {sum(row[key] for row in rows) / len(rows):.3f}" for key in keys)
    return f"{label:26s} {len(rows):3d}  {means}"


def read_questions(path: Path, repos: Path) -> list[dict[str, Any]]:
    """The questions about clones that are there; of others it is said that they are left out."""
    found: list[dict[str, Any]] = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    for repo in sorted({one["repo"] for one in found if not folder_of(repos, one["repo"]).is_dir()}):
        print(f"{repo} is left out: there is no {folder_of(repos, repo)}")
    return [one for one in found if folder_of(repos, one["repo"]).is_dir()]


def folder_of(repos: Path, repo: str) -> Path:
    return repos / repo.replace("/", "+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--words", action="store_true", help="no vectors")
    parser.add_argument("--each", action="store_true", help="print the place of each answer")
    options = parser.parse_args()
    config = Config(vectors=not options.words, cache_dir=str(default_cache_dir()))
    embed = None if options.words else load_model(config.cache_dir, config.model_dir).embed_query
    questions = read_questions(options.questions, options.repos)
    halves: dict[bool, list[Figures]] = {False: [], True: []}
    for repo, rev in dict.fromkeys((one["repo"], one["rev"]) for one in questions):
        view = open_view(locate(str(folder_of(options.repos, repo))), config, rev, no_progress, lambda _: None)
        asked = [one for one in questions if one["repo"] == repo]
        rows = [measure(view, one, embed) for one in asked]
        for one, row in zip(asked, rows, strict=True):
            halves[one["held_out"]].append(row)
            if options.each:
                print(f"  file {row['file']:3.0f} unit {row['place']:3.0f}  {one['query']}")
        print(line(repo, rows), flush=True)
    for held_out, rows in halves.items():
        if rows:
            print(line("held out" if held_out else "development", rows))


if __name__ == "__main__":
    main()
