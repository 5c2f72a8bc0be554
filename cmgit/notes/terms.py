"""Notes and questions as terms.

Words are kept as English and Russian stems (`+stem`), and as written where that differs, so that a prefix finds them.
Identifiers are not stemmed: their parts and the whole, folded, are kept as `=part`.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from cmgit.notes.model import Head
from cmgit.notes.uri import read_uri
from cmgit.words.split import fold, identifier_terms, is_ideographic, is_stop_word, split_identifier, tokens
from cmgit.words.stem import stem

INDEXED = 200_000  # characters of a body; what follows is found by its note's other words
SHORTEST_PREFIX = 3


def is_identifier(token: str) -> bool:
    """Written as no word is: `_` or `$` or a digit in it, or a capital behind a small letter."""
    return not token.isalpha() or (token != token.lower() and not token.istitle() and not token.isupper())


@lru_cache(maxsize=1 << 17)
def terms_of_token(token: str) -> tuple[str, ...]:
    """The terms that one run of letters and digits is kept under."""
    if is_ideographic(token[0]):
        return tuple("+" + term for term in identifier_terms(token))
    if is_identifier(token):
        parts = split_identifier(token)
        return tuple(dict.fromkeys("=" + part for part in [*parts, "".join(parts)] if len(part) > 1))
    if is_stop_word(token):
        return ()
    folded = fold(token)
    stemmed = stem(folded)
    return ("+" + stemmed,) if stemmed == folded else ("+" + stemmed, folded)


def note_terms(head: Head, body: str) -> dict[str, tuple[int, int]]:
    """Each term with its count in the announcement (summary and anchors' names) and in the body."""
    names = " ".join(_name(anchor.uri) for anchor in head.anchors)
    announced, inside = _counted(f"{head.summary} {names}"), _counted(body[:INDEXED])
    found = {term: (announced.get(term, 0), count) for term, count in inside.items()}
    found.update((term, (count, 0)) for term, count in announced.items() if term not in inside)
    return found


def _counted(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for token, times in Counter(tokens(text)).items():
        for term in terms_of_token(token):
            counts[term] = counts.get(term, 0) + times
    return counts


def _name(text: str) -> str:
    uri = read_uri(text)
    if uri is None:
        return ""
    return uri.name or uri.path.rsplit("/", 1)[-1].split(".", 1)[0]


def question_words(text: str) -> list[str]:
    """Distinct words of a question, stop words left out unless there is nothing else."""
    found = list(dict.fromkeys(tokens(text)))
    return [token for token in found if not is_stop_word(token)] or found
