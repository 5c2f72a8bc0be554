"""Ranked units: a pool by a draft score, then signals for each candidate, joined with the fitted weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cmgit.core.errors import ModelUnavailable
from cmgit.core.facts import NONE, UnitKind
from cmgit.core.record import record
from cmgit.core.records import RankedUnit
from cmgit.embed.quantize import scores as cosine_scores
from cmgit.retrieve import weights
from cmgit.retrieve.asked import fitted
from cmgit.retrieve.corpus import damping
from cmgit.retrieve.focus import Focus
from cmgit.retrieve.lexical import lexical_scores
from cmgit.retrieve.past import Past, past
from cmgit.retrieve.ports import View
from cmgit.retrieve.prompt import Prompt, text_to_embed
from cmgit.retrieve.query import Query, is_foreign, read_query
from cmgit.retrieve.signals import SIGNALS, Draft, gather
from cmgit.retrieve.silence import NO_SIGNS, Signs, read_signs
from cmgit.retrieve.standing import standing
from cmgit.view.layout import distinct

Floats = NDArray[np.float64]
EmbedQuery = Callable[[str], NDArray[np.float32]]


@record
class Ranking:
    """units: best first. telling: whether the best is worth showing at all. terms: what was searched for.
    chances: for each of `units` how likely it is the one that is meant, as a share of all candidates.
    without_vectors: why they could not be used; "" where they were, or were not asked for."""

    units: tuple[RankedUnit, ...]
    telling: bool
    terms: dict[str, float]
    without_vectors: str = ""
    chances: tuple[float, ...] = ()
    signs: Signs = NO_SIGNS


@record
class Candidates:
    """Units that may be meant, rows ascending, with their signals and what their role and copies take away."""

    rows: NDArray[np.int64]
    signals: Floats
    role: Floats
    draft: Draft
    vectors: bool
    without: str


def rank(view: View, prompt: Prompt, focus: Focus, embed_query: EmbedQuery | None, k: int) -> Ranking:
    """The first k units for a prompt. Ties stand in the order of path and position (global rows are in that order)."""
    query = read_query(prompt)
    if not len(view.units):
        return Ranking((), False, query.weights)
    found = candidates(view, prompt, query, focus, embed_query)
    if not len(found.rows):
        return Ranking((), False, query.weights, found.without)
    by_signal = fitted(found.vectors, query.asks)
    shares = found.signals * np.array([by_signal.get(name, 0.0) for name in SIGNALS], np.float64)
    total = shares.sum(1) + found.role
    lift = _lift(found.rows, total, focus)
    total = total + lift
    order = np.lexsort((found.rows, -np.round(total, 9)))[:k]
    odds = np.exp(total - total.max())
    odds /= odds.sum()
    ranked = tuple(
        RankedUnit(int(found.rows[i]), round(float(total[i]), 6), _why(shares[i], float(found.role[i]), float(lift[i])))
        for i in order.tolist()
    )
    lexical, cosines = found.draft.lexical, found.draft.raw
    telling = focus.found or (
        not prompt.idle
        and any(
            lexical.evidence[unit] >= weights.LEAST_EVIDENCE
            or lexical.coverage[unit] >= weights.LEAST_COVERAGE
            or cosines[unit] >= weights.LEAST_COSINE
            for unit in found.rows[order[:3]].tolist()
        )
    )
    signs = read_signs(lexical, cosines, query, found.rows[order])
    chances = tuple(float(odds[i]) for i in order.tolist())
    return Ranking(ranked, telling, query.weights, found.without, chances, signs)


def _lift(rows: NDArray[np.int64], total: Floats, focus: Focus) -> Floats:
    """What brings the units that are named outright above all others, in the order that they have anyway."""
    outright = np.isin(rows, np.array(sorted(focus.outright), np.int64))
    if not outright.any() or outright.all():
        return np.zeros(len(rows), np.float64)
    missing = float(total[~outright].max()) + weights.OUTRIGHT - float(total[outright].min())
    return np.where(outright, max(missing, 0.0), 0.0)


def _why(shares: Floats, role: float, lift: float) -> tuple[tuple[str, float], ...]:
    told = [(name, round(float(share), 6)) for name, share in zip(SIGNALS, shares, strict=True) if share]
    told += [(name, round(share, 6)) for name, share in (("role", role), ("named outright", lift)) if share]
    return tuple(told)


def candidates(view: View, prompt: Prompt, query: Query, focus: Focus, embed_query: EmbedQuery | None) -> Candidates:
    """The pool: the best by a draft score, what the prompt names, and the neighbours of the very best."""
    units = len(view.units)
    lexical = lexical_scores(view, query)
    before = past(view, query.weights)
    without = ""
    try:
        raw = _cosines(view, prompt, embed_query)
    except ModelUnavailable as error:  # words and the graph still answer
        raw, without = np.zeros(units, np.float64), error.message
    cosine = _lifted(raw) * (weights.FOREIGN if is_foreign(prompt.text) else 1.0)
    damped = damping(view, prompt)
    score = lexical.words / _best(lexical.words) + weights.DRAFT_COSINE * cosine
    score += weights.DRAFT_FILE * (lexical.files / _best(lexical.files))[view.units.file] * (score > 0)
    score += weights.DRAFT_PATH * (lexical.paths / _best(lexical.paths))[view.units.file]
    for unit, weight in focus.units:
        score[unit] += weights.DRAFT_NAMED * weight
    if before is not None:
        score += weights.DRAFT_PAST * before.similar[view.units.file] * (score > 0)
    score *= damped.factor
    draft = Draft(lexical, score, cosine, raw, before)
    rows = _pool(view, focus, score, damped.factor, before)
    factor = damped.role[rows]
    named = {unit for unit, _ in focus.units}
    for i, unit in enumerate(rows.tolist()):
        if unit in named:
            factor[i] = max(factor[i], 0.7)
    role = weights.ROLE_SHARPNESS * np.log(np.maximum(factor, 1e-3))
    signals = gather(view, query, focus, draft, rows)
    return Candidates(rows, signals, role, draft, bool(raw.any()), without)


def _best(values: Floats) -> float:
    return float(values.max()) if len(values) and float(values.max()) > 0 else 1.0


def _pool(view: View, focus: Focus, score: Floats, factor: Floats, before: Past | None) -> NDArray[np.int64]:
    best = _first(score, weights.POOL)
    named = np.array([unit for unit, _ in focus.units if factor[unit] > 0], np.int64)
    near = _neighbours(view, best[: weights.GRAPH_POOL])
    near = near[factor[near] > 0]
    return distinct(np.concatenate([best, named, near, _of_past(view, score, factor, before)]))


def _of_past(view: View, score: Floats, factor: Floats, before: Past | None) -> NDArray[np.int64]:
    """The best units of the files that commits like the prompt have changed; where words say nothing, the largest."""
    if before is None:
        return np.zeros(0, np.int64)
    column, kinds = view.units.column, view.units.column("kind")
    size = np.minimum(column("end") - column("start"), weights.LARGEST_WHOLE)
    chosen: list[NDArray[np.int64]] = []
    for file in np.argsort(-before.similar, kind="stable").tolist():
        row = view.files[file]
        if before.similar[file] <= 0 or len(chosen) >= weights.PAST_FILES:
            break
        units = np.arange(row.first_unit, row.first_unit + row.unit_count)
        units = units[(factor[units] > 0) & (kinds[units] != UnitKind.FILE)]
        if len(units):
            chosen.append(units[np.lexsort((units, -size[units], -score[units]))[: weights.PAST_UNITS]])
    return np.concatenate([np.zeros(0, np.int64), *chosen]).astype(np.int64)


def _neighbours(view: View, units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Units that these use or that use these; of a hub none."""
    known = standing(view)
    inside = np.zeros(len(view.units), np.bool_)
    inside[units] = True
    near = inside[known.source] | inside[known.target]
    pairs = np.stack([known.source[near], known.target[near]], 1)
    degree = np.bincount(pairs.ravel(), minlength=len(view.units))
    seeds = pairs[inside[pairs[:, 0]] & (degree[pairs[:, 0]] <= weights.HUB), 1]
    users = pairs[inside[pairs[:, 1]] & (degree[pairs[:, 1]] <= weights.HUB), 0]
    return distinct(np.concatenate([seeds, users]))


def _cosines(view: View, prompt: Prompt, embed_query: EmbedQuery | None) -> Floats:
    """Best cosine of each unit's windows to the prompt; zeros without vectors."""
    found = np.zeros(len(view.units), np.float64)
    if embed_query is None:
        return found
    table = view.vectors()
    if table is None or not len(table.units):
        return found
    query = embed_query(text_to_embed(prompt))
    np.maximum.at(found, table.units, cosine_scores(query, table.matrix, table.scales).astype(np.float64))
    return found


def _lifted(cosines: Floats) -> Floats:
    """Cosines centred for this query: the mean unit has 0, the best 1. What every unit has says nothing."""
    seen = cosines[cosines != 0.0]
    if not len(seen):
        return cosines
    mean, best = float(seen.mean()), float(seen.max())
    if best - mean < 1e-6:
        return np.zeros_like(cosines)
    return np.clip((cosines - mean) / (best - mean), 0.0, 1.0)


def _first(total: Floats, k: int) -> NDArray[np.int64]:
    """Rows of the k best, ties by row."""
    positive = np.flatnonzero(total > 0.0)
    if len(positive) > k:
        least = np.partition(total[positive], len(positive) - k)[len(positive) - k]
        positive = positive[total[positive] >= least]
    order = np.lexsort((positive, -total[positive]))
    return positive[order[:k]].astype(np.int64)


def owners(view: View, unit: int) -> list[int]:
    """Units that hold this one, from the innermost outwards, the file last."""
    found: list[int] = []
    owner = int(view.units.owner[unit])
    while owner != NONE and owner not in found:
        found.append(owner)
        owner = int(view.units.owner[owner])
    return found
