"""Wildcards over paths in time that no pattern can blow up.

Patterns come from files of repositories, which are not trusted: a backtracking expression made of twelve stars never
comes back. Here a path is matched segment by segment: `**` as a whole segment stands for any number of segments (at
least one where it is the last), everything else is matched within one segment by atomic expressions.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

SEVERAL = "**"


@lru_cache(maxsize=4096)
def _segment(pattern: str) -> re.Pattern[str]:
    # `translate` makes each star an atomic group, so a segment costs its length times the pattern's.
    return re.compile(translate(re.sub(r"\*+", "*", pattern)))


def matches(pattern: str, path: str) -> bool:
    """Whether the whole path matches: `*` and `?` never cross a `/`, `[…]` is a class, `**` any number of segments."""
    wanted: list[str] = []
    for piece in pattern.split("/"):
        if piece != SEVERAL or wanted[-1:] != [SEVERAL]:
            wanted.append(piece)
    segments = path.split("/")
    # reached[i]: the pattern up to here can end before segment i.
    reached = [True] + [False] * len(segments)
    for number, piece in enumerate(wanted):
        if piece == SEVERAL:
            first = reached.index(True) if True in reached else len(reached)
            least = first + (1 if number == len(wanted) - 1 else 0)
            reached = [i >= least for i in range(len(reached))]
        else:
            expression = _segment(piece)
            reached = [False] + [
                here and expression.match(segment) is not None for here, segment in zip(reached, segments, strict=False)
            ]
    return reached[-1]
