"""A prompt as weighted terms."""

from __future__ import annotations

import math
import re

from cmgit.core.record import record
from cmgit.retrieve import weights
from cmgit.retrieve.prompt import Prompt, is_distinctive
from cmgit.words.split import fold, identifier_terms, is_ideographic, is_stop_word, terms_of, tokens
from cmgit.words.stem import stem

MOST_LITERALS = 8
_ISE = re.compile(r"(?<=[a-z]{3})is(ations?|e[drs]?|ers|ing|able)$")
_OUR = re.compile(r"(?<=[a-z]{2})our(?=$|s$|ed$|ing$|al$)")
_NOISE = frozenset("fix fixes fixed feat chore refactor perf docs bug issue error should".split())  # noqa: SIM905


@record
class Query:
    """weights: terms in order of first mention. joined: those that only neighbouring words give when written as one.
    title: those of the title, all of them for a short prompt. literals: the terms of each quoted string. asks: the
    prompt is a question."""

    weights: dict[str, float]
    joined: frozenset[str]
    title: frozenset[str] = frozenset()
    literals: tuple[frozenset[str], ...] = ()
    asks: bool = False


def read_query(prompt: Prompt) -> Query:
    """The prompt's terms. A repeated word counts more, but not in proportion."""
    found: dict[str, float] = {}
    heard: dict[str, int] = {}
    words = tokens(prompt.text)
    title = len(words) if len(words) <= weights.SHORT_PROMPT else len(tokens(prompt.title))
    ticked = {part for name in prompt.names if name.ticked for part in re.split(r"[.#:]+", name.text)}
    for position, word in enumerate(words):
        base = weights.TITLE_WORD if position < title else weights.TEXT_WORD
        if word in ticked:
            _hear(found, heard, identifier_terms(word), base * weights.TICKED_WORD)
        elif is_distinctive(word):
            _hear(found, heard, identifier_terms(word), base * weights.NAME_WORD)
        elif not is_stop_word(word) and word.lower() not in _NOISE:
            _hear(found, heard, identifier_terms(word), base)
    for word in tokens(prompt.code):
        if not is_stop_word(word):
            _hear(found, heard, identifier_terms(word), weights.CODE_WORD)
    for word in tokens(prompt.scope):
        _hear(found, heard, identifier_terms(word), weights.SCOPE_WORD)
    joined = {term: weight for term, weight in joined_terms(words[: max(title, 200)]).items() if term not in found}
    if prompt.asks:
        joined |= {term: weights.JOINED_WORDS for term in implied_terms(words) if term not in found}
    found.update(joined)
    scaled = {term: weight * (1.0 + math.log(max(heard.get(term, 1), 1)) * 0.5) for term, weight in found.items()}
    kept = set(sorted(scaled, key=lambda term: -scaled[term])[: weights.MOST_TERMS * 4])
    leading = {term for word in words[:title] if not is_stop_word(word) for term in identifier_terms(word)}
    leading.update(term for term in joined_terms(words[:title]) if term in joined)
    literals = [frozenset(terms_of(literal)) for literal in prompt.literals[:MOST_LITERALS]]
    return Query(
        {term: weight for term, weight in scaled.items() if term in kept},
        frozenset(joined),
        frozenset(leading),
        tuple(terms for terms in literals if len(terms) > 1),
        prompt.asks,
    )


def _hear(found: dict[str, float], heard: dict[str, int], terms: tuple[str, ...], weight: float) -> None:
    for term in terms:
        found[term] = max(found.get(term, 0.0), weight)
        heard[term] = heard.get(term, 0) + 1


def joined_terms(words: list[str]) -> dict[str, float]:
    """Two or three neighbouring words as the identifier that they would make; most occur nowhere and cost nothing."""
    singles: list[str] = []
    for word in words:
        terms = () if is_stop_word(word) else identifier_terms(word)
        singles.append(terms[0] if len(terms) == 1 and not is_ideographic(terms[0][0]) else "")
    joined: dict[str, float] = {}
    for width in (2, 3):
        for start in range(len(singles) - width + 1):
            run = singles[start : start + width]
            if all(run):
                joined.setdefault("".join(run), weights.JOINED_WORDS)
    return joined


def implied_terms(words: list[str]) -> list[str]:
    """What a question does not say as the code may write it: three or four neighbouring words by their initials ("json
    web token" → jwt), British spellings as most code spells them. Most occur nowhere and cost nothing."""
    folded = [fold(word) for word in words]
    heads = "".join(word[0] if word.isascii() and word.isalpha() else " " for word in folded)
    runs = [heads[start : start + width] for width in (3, 4) for start in range(len(heads) - width + 1)]
    found = [run for run in runs if " " not in run]
    for word in folded:
        spelt = _OUR.sub("or", _ISE.sub(r"iz\1", word))
        if spelt != word:
            found.append(stem(spelt))
    return list(dict.fromkeys(found))


def is_foreign(text: str) -> bool:
    """Whether most letters are outside Latin: the model was trained on English."""
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and sum(1 for letter in letters if ord(letter) > 0x24F) * 2 > len(letters)
