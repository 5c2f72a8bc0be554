"""Whether an answer that nobody asked for is worth its place: what only the ranking can tell.

`git cm retrieve` answers whatever it finds; the prompt hook says nothing where this gives a reason.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """How well the best units meet a prompt.

    evidence: rarity, in nats, of the prompt's words that the best of the first three units holds. coverage: share of
    the prompt's words that it holds. cosine: of the nearest of them, 0 without vectors. spread: how many standard
    deviations the nearest unit of the tree lies above the mean one. rarest: rarity of the rarest of the words that
    occur in the tree at all. words: how many of the prompt's words were searched for. known: how many of them occur.
    """

    evidence: float = 0.0
    coverage: float = 0.0
    cosine: float = 0.0
    spread: float = 0.0
    rarest: float = 0.0
    words: int = 0
    known: int = 0
