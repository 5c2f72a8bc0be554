"""Whether an answer that nobody asked for is worth its place: what only the ranking can tell.

`git cm retrieve` answers whatever it finds; the prompt hook says nothing where this gives a reason.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cmgit.core.record import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cmgit.retrieve.focus import Focus
    from cmgit.retrieve.lexical import Lexical
    from cmgit.retrieve.prompt import Prompt
    from cmgit.retrieve.query import Query
    from cmgit.retrieve.rank import Ranking

    Floats = NDArray[np.float64]

FIRST = 3
MOST_WORDS = 8
"""A long letter about anything holds words of the code too: more words than these say no more."""

# Fitted by bench/silence.py: the logarithm of odds that a prompt is about the code it was asked of.
WITH_VECTORS = {"": -9.9, "coverage": 3.32, "cosine": 13.65, "words": 2.53, "named": 3.24}
WITHOUT_VECTORS = {"": -8.4, "coverage": 5.06, "told": 4.22, "words": 1.67, "named": 5.58}
SURELY_NAMED = 0.5
"""Weight of a name that the repository knows (`cmgit.retrieve.focus`) from which it counts as an exact hint."""


@record
class Signs:
    """How well the best units meet a prompt.

    coverage: share of the prompt's words that one of the first three units holds. cosine: of the nearest of them, 0
    without vectors. told: share of the prompt's words that occur in the tree at all. words: how many were searched for.
    """

    coverage: float = 0.0
    cosine: float = 0.0
    told: float = 0.0
    words: int = 0


NO_SIGNS = Signs()


def read_signs(lexical: Lexical, cosines: Floats, query: Query, best: NDArray[np.int64]) -> Signs:
    """best: rows of units, best first."""
    if not len(best):
        return NO_SIGNS
    first = best[:FIRST]
    words = len(query.weights) - len(query.joined & query.weights.keys())
    return Signs(
        coverage=float(lexical.coverage[first].max()),
        cosine=float(cosines[first].max()),
        told=sum(1 for heard in lexical.heard if heard.alone) / max(words, 1),
        words=words,
    )


def log_odds(signs: Signs, named: float) -> float:
    """That a prompt is about the code. named: the weight of the best name in it that the repository knows."""
    values = sign_values(signs, named)
    fitted = WITH_VECTORS if signs.cosine else WITHOUT_VECTORS
    return sum(weight * values[name] for name, weight in fitted.items())


def sign_values(signs: Signs, named: float) -> dict[str, float]:
    """What each weight is multiplied with; "" is the constant."""
    return {
        "": 1.0,
        "coverage": signs.coverage,
        "cosine": signs.cosine,
        "told": signs.told,
        "words": math.log1p(min(signs.words, MOST_WORDS)),
        "named": named,
    }


def silence(prompt: Prompt, focus: Focus, ranking: Ranking) -> str:
    """Why an answer is not worth giving to somebody who did not ask for it; "" where it is.

    A place, a file or a name that this repository knows always is.
    """
    if not ranking.units:
        return "nothing was found"
    named = max((weight for _, weight in focus.units), default=0.0)
    if focus.outright or focus.files or named >= SURELY_NAMED:
        return ""
    if prompt.idle:
        return "the prompt is about the work alone"
    odds = log_odds(ranking.signs, named)
    return "" if odds >= 0.0 else f"the prompt is hardly about this code (log odds {odds:.1f})"
