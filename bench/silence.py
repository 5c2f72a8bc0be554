"""Refit the odds of `cmgit.retrieve.silence`: `python bench/silence.py --repos DIR [--tasks FILE.jsonl …]`.

DIR holds clones `express`, `vue` and `hono`, indexed with vectors. Fitted on the `*_fit.txt` lists of
tests/agents/prompts, on prompts that pass the gate and hold no exact hint, and on the queries of `--tasks` (rows with
`repo` and `query`) as further prompts about code; a logistic regression, both classes weighing the same, ridge.
Printed are the weights, and the share that is answered with nothing for the fitted lists and for those held out.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cmgit.agents.gate import bounded, cleaned, refusal
from cmgit.cli.session import default_cache_dir
from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.embed.model import Model, load_model
from cmgit.git.locate import locate
from cmgit.retrieve import silence
from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.rank import rank
from cmgit.retrieve.silence import SURELY_NAMED, Signs, sign_values
from cmgit.view.open import open_view
from cmgit.view.view import View

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.agents.prompt_lists import REPOSITORIES, prompts

Floats = NDArray[np.float64]
RIDGE = 0.003
STEPS = 4_000
RATE = 0.5
NAMES = {"vue": "vuejs/core", "hono": "honojs/hono", "express": "expressjs/express"}


@dataclass(frozen=True)
class Asked:
    """One prompt in one repository. refused: by the gate. sure: an exact hint, always answered."""

    kind: str
    about_code: bool
    held_out: bool
    refused: bool
    sure: bool
    named: float
    with_vectors: Signs
    without: Signs


def lists_of(name: str, tasks: list[Path]) -> list[tuple[str, bool, bool, list[str]]]:
    """(kind, about code, held out, prompts)."""
    rows = [json.loads(line) for path in tasks for line in path.read_text("utf-8").splitlines()]
    short = [line.split("\t") for line in prompts("code_short_held_out")]
    return [
        ("talk", False, False, prompts("not_code_fit")),
        ("long talk", False, False, prompts("not_code_hard_fit")),
        ("code", True, False, prompts(f"code_{name}_fit")),
        ("commits", True, False, [row["query"] for row in rows if row["repo"] == NAMES[name]]),
        ("talk", False, True, prompts("not_code_held_out")),
        ("long talk", False, True, prompts("not_code_hard_held_out")),
        ("code", True, True, prompts(f"code_{name}_held_out")),
        ("two words", True, True, [prompt for repository, prompt in short if repository == name]),
    ]


def ask(view: View, model: Model, text: str, kind: str, about_code: bool, held_out: bool) -> Asked:
    if refusal(text):
        return Asked(kind, about_code, held_out, True, False, 0.0, silence.NO_SIGNS, silence.NO_SIGNS)
    prompt = read_prompt(bounded(cleaned(text)))
    focus = find_focus(view, prompt)
    named = max((weight for _, weight in focus.units), default=0.0)
    sure = bool(focus.outright or focus.files or named >= SURELY_NAMED)
    signs = [rank(view, prompt, focus, embed, 60).signs for embed in (model.embed_query, None)]
    return Asked(kind, about_code, held_out, False, sure, named, signs[0], signs[1])


def row_of(signs: Signs, named: float, weights: dict[str, float]) -> list[float]:
    values = sign_values(signs, named)
    return [values[name] for name in weights]


def fit(rows: Floats, about_code: Floats) -> Floats:
    """Weights of the columns; the first is constant and not drawn to 0."""
    mean, spread = rows.mean(0), rows.std(0)
    mean[0], spread[0] = 0.0, 1.0
    spread[spread == 0] = 1.0
    scaled = (rows - mean) / spread
    share = about_code.mean()
    balance = np.where(about_code == 1, 0.5 / share, 0.5 / (1 - share))
    weights = np.zeros(rows.shape[1])
    drawn = np.ones(rows.shape[1])
    drawn[0] = 0.0
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        weights -= RATE * (scaled.T @ (balance * (chance - about_code)) / len(rows) + RIDGE * drawn * weights)
    plain: Floats = weights / spread
    plain[0] -= float((weights * mean / spread)[1:].sum())
    return plain


def is_silent(asked: Asked, with_vectors: bool) -> bool:
    if asked.refused or asked.sure:
        return asked.refused
    return silence.log_odds(asked.with_vectors if with_vectors else asked.without, asked.named) < 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--tasks", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    config = Config(cache_dir=str(default_cache_dir()))
    model = load_model(config.cache_dir, config.model_dir)
    asked: list[Asked] = []
    for name in REPOSITORIES:
        view = open_view(locate(str(options.repos / name)), config, None, no_progress, lambda _: None)
        for kind, about_code, held_out, texts in lists_of(name, options.tasks):
            asked += [ask(view, model, text, kind, about_code, held_out) for text in texts]
    seen = [one for one in asked if not (one.held_out or one.refused or one.sure)]
    for with_vectors, weights in ((True, silence.WITH_VECTORS), (False, silence.WITHOUT_VECTORS)):
        signs = [one.with_vectors if with_vectors else one.without for one in seen]
        rows = np.array([row_of(each, one.named, weights) for each, one in zip(signs, seen, strict=True)])
        fitted = fit(rows, np.array([float(one.about_code) for one in seen]))
        print("with vectors" if with_vectors else "by words alone")
        print("  fitted now:", {name: round(float(value), 2) for name, value in zip(weights, fitted, strict=True)})
        print("  in use:    ", weights)
        for held_out in (False, True):
            for kind in dict.fromkeys(one.kind for one in asked if one.held_out == held_out):
                group = [one for one in asked if one.kind == kind and one.held_out == held_out]
                share = sum(is_silent(one, with_vectors) for one in group) / len(group)
                print(f"  {'held out' if held_out else 'fitted':9} {kind:10} {len(group):4} {share:6.1%} silent")
    return 0


if __name__ == "__main__":
    sys.exit(main())
