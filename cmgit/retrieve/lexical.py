"""BM25 over units and over files, with weighted fields; words of names, paths and quoted strings by themselves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cmgit.core.record import record
from cmgit.retrieve import weights
from cmgit.retrieve.corpus import path_hits
from cmgit.retrieve.ports import View
from cmgit.retrieve.query import Query

if TYPE_CHECKING:
    from cmgit.retrieve.ports import Counts, Ints

Floats = NDArray[np.float64]

_SHIFTS = (0, 4, 8, 16, 24)
_MASKS = (15, 15, 255, 255, 255)


@record
class Heard:
    """One word of the prompt: its weight times its rarity, the units that hold it, ascending, and how often by field.
    alone: it stands in the prompt as one word."""

    gain: float
    rows: Ints
    frequency: Floats
    alone: bool


@record
class Lexical:
    """float64 for each unit, `files` and `paths` for each file.

    words: BM25 of its own fields. title: the same for the words of the prompt's title. names: rarity of the prompt's
    words that its name has. quoted: share of the best-covered quoted string of the prompt that its strings hold.
    evidence: rarity of the distinct words that it holds, in nats, each counted once at most. coverage: share of the
    prompt's words that it holds. files: BM25 of a file as one text. paths: rarity of the prompt's words in its path.
    spoken: rarity of all the prompt's words that occur in the tree. heard: the words that occur, in their order.
    """

    words: Floats
    title: Floats
    names: Floats
    quoted: Floats
    evidence: Floats
    coverage: Floats
    files: Floats
    paths: Floats
    spoken: float
    heard: tuple[Heard, ...] = ()


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
    words, title, names, quoted, evidence, coverage = (np.zeros(units, np.float64) for _ in range(6))
    file_count = len(view.files)
    files, paths = np.zeros(file_count, np.float64), np.zeros(file_count, np.float64)
    if not units:
        return Lexical(words, title, names, quoted, evidence, coverage, files, paths, 1.0)
    lengths, file_of = view.lengths.astype(np.float64), view.units.file
    norm = weights.K1 * (1.0 - weights.B + weights.B * lengths / max(float(lengths.mean()), 1.0))
    file_lengths = np.bincount(file_of, weights=lengths, minlength=file_count)
    filled = file_lengths[file_lengths > 0]
    average = float(filled.mean()) if len(filled) else 1.0
    file_norm = weights.FILE_K1 * (1.0 - weights.FILE_B + weights.FILE_B * file_lengths / average)
    found = [(term, weight, view.postings(term)) for term, weight in terms.items()]
    found = [entry for entry in found if len(entry[2][0])]
    found = _most_telling(found, units)
    # Words of another language than the code's occur nowhere: they say nothing about how much of the prompt is met.
    known = {term for term, _, _ in found}
    counted = {term: w for term, w in terms.items() if term not in query.joined and (term in known or term.isascii())}
    spoken = sum(counted.values()) or 1.0
    told, heard = 0.0, []
    literals = [np.zeros(units, np.float64) for _ in query.literals]
    for term, weight, (rows, counts) in found:
        rare = rarity(units, len(rows))
        frequency = field_frequency(counts)
        gain = weight * rare * frequency * (weights.K1 + 1.0) / (frequency + norm[rows])
        words[rows] += gain
        heard.append(Heard(weight * rare, rows, frequency, term not in query.joined))
        if term in query.title:
            title[rows] += gain
        named = (counts & np.uint32(15)) > 0
        names[rows[named]] += weight * rare
        if term not in query.joined:
            told += min(weight, 1.0) * rare
            evidence[rows] += min(weight, 1.0) * rare
            coverage[rows] += weight / spoken
        by_file = np.bincount(file_of[rows], weights=frequency, minlength=file_count)
        holders = int(np.count_nonzero(by_file))
        files += weight * rarity(file_count, holders) * by_file * (weights.FILE_K1 + 1.0) / (by_file + file_norm)
        for literal, held in zip(query.literals, literals, strict=True):
            if term in literal:
                held[rows[(counts & np.uint32(0xFF0000)) > 0]] += 1.0 / len(literal)
    for held in literals:
        np.maximum(quoted, held, out=quoted)
    for term, holders_of in path_hits(view, terms):
        paths[np.array(holders_of)] += terms[term] * rarity(file_count, len(holders_of))
    return Lexical(words, title, names, quoted, evidence, coverage, files, paths, told or 1.0, tuple(heard))


_Found = tuple[str, float, "tuple[Ints, Counts]"]


def _most_telling(found: list[_Found], units: int) -> list[_Found]:
    if len(found) <= weights.MOST_TERMS:
        return found
    order = sorted(range(len(found)), key=lambda i: (-found[i][1] * rarity(units, len(found[i][2][0])), i))
    return [found[i] for i in sorted(order[: weights.MOST_TERMS])]
