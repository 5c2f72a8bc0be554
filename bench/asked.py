"""Refit the weights for prompts that ask: `python bench/asked.py --repos DIR [--docs OWNER/NAME …] [--write]`.

The model and the fit are those of `ranking.py`; its weights for tasks are the prior. Cases are the questions of
`questions.jsonl` that are not held out, and with a smaller share first sentences of doc comments: such a sentence is
the question, its function the answer, with the comment hidden from words and vectors alike. Only what `Prompt.asks`
takes for a question counts. DIR as in `questions.py`, indexed with vectors. Printed are figures of each repository
with weights that were fitted without it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import ranking
from numpy.typing import NDArray
from questions import QUESTIONS, folder_of, is_answer, read_questions
from ranking import Case

from cmgit.cli.session import default_cache_dir
from cmgit.core.config import Config
from cmgit.core.facts import UnitKind
from cmgit.core.records import no_progress
from cmgit.embed.model import load_model
from cmgit.embed.texts import unit_texts
from cmgit.git.locate import locate
from cmgit.retrieve import rank, weights
from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.query import read_query
from cmgit.retrieve.signals import SIGNALS, VECTOR_SIGNALS
from cmgit.view.open import open_view
from cmgit.view.view import View

Embed = Callable[[str], NDArray[np.float32]]
WEIGHTS = Path(__file__).resolve().parent.parent / "cmgit" / "retrieve" / "asked.py"
DOCUMENTED = (UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CLASS)
MOST_DOCS = 40  # of a repository
ranking.RIDGE = 0.005
ranking.HOLD = 4.0
ranking.RARE = (*(name for name in SIGNALS if name.startswith("is ")), "phrase", "quoted", "title", "name")
ranking.NEVER = (
    "words", "share", "coverage", "within", "within share", "phrase", "quoted", "title", "name", "name told", "path",
    "file", "similar", "often", "unit similar", "unit often",
)  # fmt: skip
DOC_FIELD = np.uint32(0xFF00)


def read_case(
    view: View, label: str, text: str, answers: Callable[[int], bool], files: set[int], embed: Any
) -> list[Case]:
    prompt = read_prompt(text)
    if not prompt.asks:
        return []
    found = rank.candidates(view, prompt, read_query(prompt), find_focus(view, prompt), embed)
    gold = [place for place, unit in enumerate(found.rows.tolist()) if answers(unit)]
    return [Case(label, found.rows, found.signals, found.role, view.units.file[found.rows], [gold], files)]


def asked(view: View, question: dict[str, Any], embed: Any) -> list[Case]:
    gold = [tuple(answer.split("#")) for answer in question["gold"]]
    files = {file for path, _ in gold if (file := view.file_index(path)) is not None}

    def answers(unit: int) -> bool:
        seen = view.unit(unit)
        return is_answer(seen.path, seen.kind, seen.name, gold)

    return read_case(view, question["repo"], question["query"], answers, files, embed)


class Hidden:
    """A view in which one unit has no doc comment: neither its words nor its vectors."""

    def __init__(self, view: View, unit: int, embed: Embed | None) -> None:
        self._view, self._unit = view, unit
        self.best: list[NDArray[np.float32]] = []
        source = view.source(int(view.units.file[unit])) if embed else None
        if embed and source is not None:
            row = unit - view.files[int(view.units.file[unit])].first_unit
            units: Any = source.facts.units
            kept = units.doc_start[row], units.doc_end[row]
            units.doc_start[row] = units.doc_end[row] = 0
            self.best = [embed(text) for at, text in unit_texts(source.data, source.facts) if at == row]
            units.doc_start[row], units.doc_end[row] = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)

    def postings(self, term: str) -> tuple[Any, Any]:
        rows, counts = self._view.postings(term)
        at = int(np.searchsorted(rows, self._unit))
        if at == len(rows) or rows[at] != self._unit:
            return rows, counts
        counts = counts.copy()
        counts[at] &= ~DOC_FIELD
        return (rows, counts) if counts[at] else (np.delete(rows, at), np.delete(counts, at))

    def vectors(self) -> Any:
        table = self._view.vectors()
        return table and _Without(table, self._unit, self.best)


class _Without:
    """The table with a unit's vectors in place of its own."""

    def __init__(self, table: Any, unit: int, vectors: list[NDArray[np.float32]]) -> None:
        others = table.units != unit
        scales = np.array([np.abs(vector).max() / 127 for vector in vectors], np.float32)
        rows = [np.round(vector / scale).astype(np.int8) for vector, scale in zip(vectors, scales, strict=True)]
        self.matrix = np.concatenate([table.matrix[others], *[row[None] for row in rows]])
        self.scales = np.concatenate([table.scales[others], scales])
        self.units = np.concatenate([table.units[others], np.full(len(rows), unit, table.units.dtype)])


def doc_cases(view: View, repo: str, embed: Embed | None) -> list[Case]:
    found = []
    for unit, sentence in ranking.documented(view, DOCUMENTED)[:MOST_DOCS]:
        hidden: Any = Hidden(view, unit, embed)
        files = {int(view.units.file[unit])}
        found += read_case(hidden, ranking.QUESTIONS + repo, sentence, unit.__eq__, files, embed)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument(
        "--docs", nargs="*", help="repositories whose doc comments take part; all that are not held out"
    )
    parser.add_argument("--words", action="store_true", help="the weights without vectors")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    config = Config(vectors=not options.words, cache_dir=str(default_cache_dir()))
    embed = None if options.words else load_model(config.cache_dir, config.model_dir).embed_query
    rows = [row for row in read_questions(QUESTIONS, options.repos) if not row["held_out"]]
    cases: list[Case] = []
    for repo, rev in dict.fromkeys((row["repo"], row["rev"]) for row in rows):
        view = open_view(locate(str(folder_of(options.repos, repo))), config, rev, no_progress, print)
        cases += [case for row in rows if row["repo"] == repo for case in asked(view, row, embed)]
        if options.docs is None or repo in options.docs:
            cases += doc_cases(view, repo, embed)
    base = weights.WITHOUT_VECTORS if options.words else weights.WITH_VECTORS
    ranking.PRIOR = dict(base)
    columns = [i for i, name in enumerate(SIGNALS) if not options.words or name not in VECTOR_SIGNALS]
    figures = ranking.left_out(cases, columns)
    for label in dict.fromkeys(repo for repo, _ in figures):
        print(ranking.line(label, [row for row in figures if row[0] == label]))
    print(ranking.line("all", figures), flush=True)
    fitted = {SIGNALS[c]: round(float(w), 2) for c, w in zip(columns, ranking.fit(cases, columns), strict=True)}
    print(json.dumps(fitted))
    ranking.WEIGHTS = WEIGHTS
    if options.write:
        ranking.write("ASKED_WITHOUT_VECTORS" if options.words else "ASKED_WITH_VECTORS", fitted)


if __name__ == "__main__":
    main()
