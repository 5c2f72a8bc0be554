"""BM25 over units, with weighted fields and the words of the path as one more field."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cmgit.retrieve import weights
from cmgit.retrieve.corpus import path_hits
from cmgit.retrieve.ports import View
from cmgit.retrieve.query import Query

if TYPE_CHECKING:
    from cmgit.retrieve.ports import Counts, Ints

Floats = NDArray[np.float64]

_SHIFTS = (0, 4, 8, 16, 24)
_MASKS = (15, 15, 255, 255, 255)


@dataclass(frozen=True, slots=True)
class Lexical:
    """float64 for each unit. words: BM25 of its own fields. path: of its file's path. evidence: rarity of the distinct
    words that it holds, in nats, each counted once at most. coverage: share of the prompt's words that it holds."""

    words: Floats
    path: Floats
    evidence: Floats
    coverage: Floats


def field_frequency(counts: Counts) -> Floats:
    """Packed counts as one weighted term frequency."""
    total = np.zeros(len(counts), np.float64)
    for shift, mask, weight in zip(_SHIFTS, _MASKS, weights.FIELDS, strict=True):
        total += ((counts >> np.uint32(shift)) & np.uint32(mask)) * weight
    return total


def rarity(units: int, holders: int) -> float:
    return math.log(1.0 + (units - holders + 0.5) / (holders + 0.5))


def lexical_scores(view: View, query: Query) -> Lexical:
    """Scores of all units for weighted terms. Summed in the order of the terms, so it is the same every time."""
    units, terms = len(view.units), query.weights
    words, path, evidence, coverage = (np.zeros(units, np.float64) for _ in range(4))
    if not units:
        return Lexical(words, path, evidence, coverage)
    lengths = view.lengths.astype(np.float64)
    norm = weights.K1 * (1.0 - weights.B + weights.B * lengths / max(float(lengths.mean()), 1.0))
    found = [(term, weight, view.postings(term)) for term, weight in terms.items()]
    found = [entry for entry in found if len(entry[2][0])]
    found = _most_telling(found, units)
    spoken = sum(weight for term, weight in terms.items() if term not in query.joined) or 1.0
    for term, weight, (rows, counts) in found:
        rare = rarity(units, len(rows))
        frequency = field_frequency(counts)
        words[rows] += weight * rare * frequency * (weights.K1 + 1.0) / (frequency + norm[rows])
        if term not in query.joined:
            evidence[rows] += min(weight, 1.0) * rare
            coverage[rows] += weight / spoken
    _add_paths(view, terms, path)
    return Lexical(words, path, evidence, coverage)


_Found = tuple[str, float, "tuple[Ints, Counts]"]


def _most_telling(found: list[_Found], units: int) -> list[_Found]:
    if len(found) <= weights.MOST_TERMS:
        return found
    order = sorted(range(len(found)), key=lambda i: (-found[i][1] * rarity(units, len(found[i][2][0])), i))
    return [found[i] for i in sorted(order[: weights.MOST_TERMS])]


def _add_paths(view: View, terms: dict[str, float], path: Floats) -> None:
    files = len(view.files)
    by_file = np.zeros(files, np.float64)
    for term, holders in path_hits(view, terms):
        by_file[np.array(holders)] += terms[term] * rarity(files, len(holders))
    path += by_file[view.units.file]
