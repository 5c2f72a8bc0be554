"""Weights of the signals for prompts that ask in plain words and order no change (`Prompt.asks`), apart from tasks'.

Commits teach that what is changed is large and often changed; who asks looks for what is exported and used.
"""

from __future__ import annotations

from cmgit.retrieve import weights

# Fitted by bench/asked.py; a score is the logarithm of odds.
ASKED_WITH_VECTORS: dict[str, float] = {
    "words": 1.47,
    "within": 1.12,
    "name told": 1.37,
    "phrase": 0.09,
    "quoted": 0.27,
    "around": 1.17,
    "inside": 0.35,
    "path": 0.44,
    "file": 1.76,
    "best of file": -0.09,
    "cosine": 2.76,
    "cosine of file": 0.58,
    "named": 1.33,
    "named file": 0.52,
    "callers": 2.84,
    "callees": 1.79,
    "same file": 0.08,
    "tested": 1.16,
    "tested file": 1.14,
    "unit similar": 0.29,
    "size": 1.94,
    "exported": 1.49,
    "inner": -1.3,
    "used": 0.03,
    "aside": -0.82,
    "is a method": 0.18,
    "is a class": -0.51,
    "is a type": -1.75,
    "is a variable": -1.41,
    "is a callback": -1.31,
    "is statements": -0.71,
    "is a file": -2.02,
}
ASKED_WITHOUT_VECTORS: dict[str, float] = {
    "words": 2.27,
    "share": 0.42,
    "coverage": 0.02,
    "within": 1.55,
    "name": 0.04,
    "name told": 2.08,
    "quoted": 0.27,
    "around": 1.24,
    "inside": 0.52,
    "path": 0.69,
    "file": 1.91,
    "best of file": -0.14,
    "named": 1.44,
    "named file": 0.55,
    "callers": 3.1,
    "callees": 1.77,
    "same file": 0.13,
    "tested": 1.31,
    "tested file": 1.33,
    "unit similar": 0.53,
    "size": 1.62,
    "exported": 1.32,
    "inner": -1.43,
    "aside": -0.95,
    "is a method": 0.14,
    "is a class": -0.49,
    "is a type": -1.69,
    "is a variable": -1.41,
    "is a callback": -1.33,
    "is statements": -0.68,
    "is a file": -2.06,
}


def fitted(vectors: bool, asks: bool) -> dict[str, float]:
    """The weights for a prompt that asks, or for one that orders a change."""
    if asks:
        return ASKED_WITH_VECTORS if vectors else ASKED_WITHOUT_VECTORS
    return weights.WITH_VECTORS if vectors else weights.WITHOUT_VECTORS
