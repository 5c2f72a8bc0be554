"""Names of the code that a written one may have meant: one or two letters apart, whatever their case."""

from __future__ import annotations

from cmgit.retrieve.ports import View

SHORTEST = 5  # a shorter name has too many neighbours
LONG = 8  # from here two letters may differ
MOST_APART = 4  # letters of the differing middle
MOST = 2  # more names that are equally near say nothing


def near_names(view: View, written: str, *, ticked: bool = False) -> list[str]:
    """The nearest names, sorted; none where the code has the name, or where too many are as near.

    ticked: written as code, so that a name of other case is meant too; in prose that may be a word (`GitHub`).
    """
    if len(written) < SHORTEST or len(view.units_named(written)):
        return []
    folded = written.lower()
    most = 2 if len(written) >= LONG else 1
    found: dict[int, list[str]] = {}
    for name in view.names():
        if abs(len(name) - len(written)) <= most and name[:1].lower() == folded[0]:  # the first letter is seldom wrong
            apart = distance(folded, name.lower(), most)
            if 0 < apart <= most or (ticked and not apart):
                found.setdefault(apart, []).append(name)
    best = found[min(found)] if found else []
    return best if len(best) <= MOST else []


def _same(one: str, other: str) -> int:
    """Letters that both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def distance(one: str, other: str, most: int) -> int:
    """Letters to change, add, drop or swap; `most` + 1 where there are more, or where they lie far apart."""
    start = _same(one, other)
    one, other = one[start:], other[start:]
    end = _same(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    longest = max(len(one), len(other))
    if longest <= 1:
        return longest
    if longest > MOST_APART:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, another in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
