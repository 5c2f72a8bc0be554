"""Scores of notes for a question in words, over all notes at once."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cmgit.notes.memory import Memory, Row
from cmgit.notes.terms import SHORTEST_PREFIX, is_identifier, question_words, terms_of_token
from cmgit.words.split import fold
from cmgit.words.stem import stem

FLOOR = 0.35  # of the best score
PREFIX_WORTH = 0.6
ROOT_WORTH = 0.35
SHORTEST_ROOTED, SHORTEST_ROOT = 5, 4
BODY_WORTH = 0.8
COMMON_NOTES = 5
COMMON_SHARE = 0.7
"""A word that so many of at least so many notes have says nothing about one of them."""

Floats = NDArray[np.float64]


def text_scores(memory: Memory, text: str, statuses: frozenset[str], *, strict: bool) -> dict[Row, float]:
    """Scores of the notes above the floor. Each word's share is its rarity among the notes searched; a note that is met
    by common words only is out, unless the question has no others.

    Args:
        strict: every word must be met.
    """
    words = question_words(text)
    letters = np.frombuffer(memory.row_statuses().encode(), np.uint8)
    wanted = np.isin(letters, np.frombuffer("".join(status[0] for status in statuses).encode(), np.uint8))
    searched = int(wanted.sum())
    scores: Floats = np.zeros(len(letters))
    met = np.zeros(len(letters), np.int64)
    telling = np.zeros(len(letters), bool)
    total, only_common = 0.0, True
    for word in words:
        quality = _word(memory, word) * wanted
        found = quality > 0
        having = int(found.sum())
        if not having:
            continue
        weight = math.log(1 + searched / having)
        total += weight
        scores += weight * quality
        met += found
        if searched < COMMON_NOTES or having < COMMON_SHARE * searched:
            only_common = False
            telling |= found
    if strict:
        scores[met < len(words)] = 0.0
    elif not only_common:
        scores[~telling] = 0.0
    best = float(scores.max(initial=0.0))
    if best <= 0.0:
        return {}
    rows = np.flatnonzero(scores >= FLOOR * best)
    return dict(zip(rows.tolist(), (scores[rows] / total).tolist(), strict=True))


def _word(memory: Memory, word: str) -> Floats:
    """How well each note meets one word: by its stem, as an identifier or a part of one, or as a prefix."""
    quality: Floats = np.zeros(memory.size)
    folded = fold(word)
    exact = [term for term in terms_of_token(word) if term[0] in "+="] or ["+" + folded]
    if is_identifier(word):
        exact = exact[-1:]  # the parts of a name are met together, or not at all
    else:
        exact.append("=" + folded)
    for term in exact:
        _take(quality, memory.postings(term), 1.0)
    if len(folded) >= SHORTEST_PREFIX:
        for prefix in ("+" + folded, folded, "=" + folded):
            _take(quality, memory.postings(prefix, prefix=True), PREFIX_WORTH)
    root = _root(folded)
    if root:
        _take(quality, memory.postings("+" + root, prefix=True), ROOT_WORTH)
    return quality


def _root(word: str) -> str:
    """What the forms of a Russian word share beyond their stems (скидк-а, скидок; проверк-а, проверя-ть); "" for words
    of other scripts and short ones."""
    if len(word) < SHORTEST_ROOTED or not all("а" <= letter <= "я" for letter in word):
        return ""
    stemmed = stem(word)
    return stemmed[: max(SHORTEST_ROOT, len(stemmed) - (1 if len(stemmed) > 6 else 2))]


def _take(quality: Floats, postings: Iterable[object], worth: float) -> None:
    for one in postings:
        packed = np.frombuffer(one, np.uint32)  # type: ignore[call-overload]
        rows, announced, body = packed >> 12, packed >> 8 & 15, (packed & 255).astype(np.float64)
        inside = BODY_WORTH * (0.5 + 0.5 * body / (body + 2.0)) * (body > 0)
        value = worth * (np.where(announced > 0, 1.0, 0.0) + inside)
        quality[rows] = np.maximum(quality[rows], value)
