"""Ranked units: words, paths, vectors, names and the graph, fused with the weights of `weights`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cmgit.core.errors import ModelUnavailable
from cmgit.core.facts import NONE, UnitKind
from cmgit.core.records import RankedUnit
from cmgit.embed.quantize import scores as cosine_scores
from cmgit.retrieve import weights
from cmgit.retrieve.corpus import damping
from cmgit.retrieve.focus import Focus
from cmgit.retrieve.lexical import Lexical, lexical_scores
from cmgit.retrieve.ports import View
from cmgit.retrieve.prompt import Prompt
from cmgit.retrieve.query import is_foreign, read_query

Floats = NDArray[np.float64]
EmbedQuery = Callable[[str], NDArray[np.float32]]

QUERY_CHARACTERS = 1_200


@dataclass(frozen=True, slots=True)
class Ranking:
    """units: best first, only those with a score. telling: whether the best is worth showing at all. terms: what was
    searched for. without_vectors: why they could not be used; "" where they were, or were not asked for."""

    units: tuple[RankedUnit, ...]
    telling: bool
    terms: dict[str, float]
    without_vectors: str = ""


def rank(view: View, prompt: Prompt, focus: Focus, embed_query: EmbedQuery | None, k: int) -> Ranking:
    """The first k units for a prompt. Ties stand in the order of path and position (global rows are in that order)."""
    query = read_query(prompt)
    terms = query.weights
    units = len(view.units)
    if not units:
        return Ranking((), False, terms)
    lexical = lexical_scores(view, query)
    own = _own_words(view, lexical)
    words = own + weights.PATH * lexical.path * _spread(lexical.words)
    top = float(words.max()) or 1.0
    without = ""
    try:
        cosines = _cosines(view, prompt, embed_query)
    except ModelUnavailable as error:  # words and the graph still answer
        cosines, without = np.zeros(units, np.float64), error.message
    vectors = _lifted(cosines) * (weights.FOREIGN_VECTORS if is_foreign(prompt.text) else weights.VECTORS)
    named = _named(units, view, focus)
    factor = damping(view, prompt).factor
    shares = {
        "words": weights.WORDS * own / top * factor,
        "path": weights.WORDS * (words - own) / top * factor,
        "vectors": vectors * factor,
        "file": weights.FILE * _file_share(view, words * factor) * (words > 0) * factor,
        "named": named * np.maximum(factor, 0.3),
    }
    total = np.zeros(units, np.float64)
    for share in shares.values():
        total += share
    shares["graph"] = _graph(view, total)
    total += shares["graph"]
    best = _first(total, k)
    ranked = tuple(
        RankedUnit(
            unit=int(unit),
            score=round(float(total[unit]), 6),
            why=tuple((name, round(float(share[unit]), 6)) for name, share in shares.items() if share[unit]),
        )
        for unit in best
    )
    telling = focus.found or (
        not prompt.idle
        and any(
            lexical.evidence[unit] >= weights.LEAST_EVIDENCE
            or lexical.coverage[unit] >= weights.LEAST_COVERAGE
            or cosines[unit] >= weights.LEAST_COSINE
            for unit in best[:3]
        )
    )
    return Ranking(ranked, telling, terms, without)


_HOLDING = (int(UnitKind.FUNCTION), int(UnitKind.METHOD), int(UnitKind.CALLBACK))


def _own_words(view: View, lexical: Lexical) -> Floats:
    """BM25 of each unit; an inner function also hears a share of the words of the function around it, which say what
    it is for. The other way round does not pay: a large function would win by any of its parts."""
    owner = view.units.owner
    within = np.flatnonzero((owner != NONE) & (lexical.words > 0))
    within = within[np.isin(view.units.column("kind")[owner[within]], _HOLDING)]
    words = lexical.words.copy()
    words[within] += weights.OUTER * lexical.words[owner[within]]
    return words


def _spread(words: Floats) -> Floats:
    """A path speaks for a unit in full when the unit itself has a word of the prompt, else by half."""
    return np.where(words > 0, 1.0, 0.5)


def _cosines(view: View, prompt: Prompt, embed_query: EmbedQuery | None) -> Floats:
    """Best cosine of each unit's windows to the prompt; zeros without vectors."""
    found = np.zeros(len(view.units), np.float64)
    if embed_query is None:
        return found
    table = view.vectors()
    if table is None or not len(table.units):
        return found
    query = embed_query(prompt.text[:QUERY_CHARACTERS])
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


def _named(units: int, view: View, focus: Focus) -> Floats:
    found = np.zeros(units, np.float64)
    for unit, weight in focus.units:
        found[unit] = max(found[unit], weights.NAMED * weight)
    for file in focus.files:
        row = view.files[file]
        span = slice(row.first_unit, row.first_unit + row.unit_count)
        found[span] = np.maximum(found[span], weights.NAMED * 0.4)
    return found


def _file_share(view: View, words: Floats) -> Floats:
    """How much of the prompt a unit's whole file holds, 1.0 for the best file: the root of the summed squares, so that
    many weak units do not add up to one strong one."""
    by_file = np.zeros(len(view.files), np.float64)
    np.add.at(by_file, view.units.file, words * words)
    by_file = np.sqrt(by_file)
    best = float(by_file.max())
    return by_file[view.units.file] / best if best > 0 else by_file[view.units.file]


def _graph(view: View, total: Floats) -> Floats:
    """A small bonus for each neighbour by references that was found too; a hub's neighbours share it."""
    bonus = np.zeros(len(total), np.float64)
    pool = _first(total, weights.GRAPH_POOL)
    source, target = view.edges.source, view.edges.target
    if not len(pool) or not len(source):
        return bonus
    inside = np.zeros(len(total), np.bool_)
    inside[pool] = True
    rows = np.flatnonzero(target != NONE)
    rows = rows[inside[source[rows]] | inside[target[rows]]]
    pairs = np.unique(np.stack([source[rows], target[rows]], 1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    degree = np.bincount(pairs.ravel(), minlength=len(total))
    best = float(total[pool[0]])
    for one, other in pairs[inside[pairs[:, 0]] & inside[pairs[:, 1]]].tolist():
        bonus[one] += total[other]
        bonus[other] += total[one]
    shared = bonus[pool] / best / np.maximum(1.0, np.sqrt(degree[pool]) / 2.0)
    bonus[pool] = weights.GRAPH * best * np.minimum(shared, 1.0)
    return bonus


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
