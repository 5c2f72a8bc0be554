"""How bytes of source and characters of text are spent on ranked units."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import UnitKind
from cmgit.retrieve import weights
from cmgit.retrieve.ports import View
from cmgit.retrieve.spend import spend

PATH = "src/cart.ts"


class Units:
    """Columns of a few units of one file, as a view has them."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._columns = {
            "start": np.array([start for start, _ in ranges]),
            "end": np.array([end for _, end in ranges]),
            "kind": np.full(len(ranges), int(UnitKind.FUNCTION)),
        }
        self.file = np.zeros(len(ranges), np.int64)

    def qualname(self, _: int) -> str:
        return "total"

    def column(self, name: str) -> NDArray[np.int64]:
        return self._columns[name]


class File:
    path = PATH


class OneFile:
    files = (File(),)

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self.units = Units(ranges)


def of(*ranges: tuple[int, int]) -> View:
    return cast("View", OneFile(list(ranges)))


def apart(*sizes: int) -> View:
    ends = np.cumsum([size + 10 for size in sizes]).tolist()
    return of(*[(end - size, end) for end, size in zip(ends, sizes, strict=True)])


def test_headings_cost_characters_and_no_bytes_of_source() -> None:
    view = apart(*[100] * 20)
    chances = [0.05] * 20
    assert len(spend(view, list(range(20)), chances, 2_100)) == 20
    heading = weights.HEADING + len(PATH) + len("total")
    limited = spend(view, list(range(20)), chances, 2_100, None, weights.AROUND + 5 * (100 + heading))
    assert [grant.whole for grant in limited] == [True] * 5


def test_what_an_inner_function_showed_is_given_back_once() -> None:
    # The inner one is likely and goes first; then the outer one is shown whole, which holds it.
    view = of((0, 1_000), (100, 400), (2_000, 2_700))
    grants = spend(view, [0, 1, 2], [0.4, 0.5, 0.1], 1_200)
    assert (grants[0].unit, grants[0].whole) == (0, True)
    assert all(grant.unit != 1 for grant in grants)
    assert sum(grant.room for grant in grants) <= 1_200


def test_of_two_equally_likely_units_the_smaller_is_shown_whole() -> None:
    grants = {grant.unit: grant for grant in spend(apart(2_900, 400), [0, 1], [0.5, 0.5], 1_000)}
    assert grants[1].whole
    assert not grants[0].whole
    assert grants[0].room <= 600


def test_a_unit_that_does_not_fit_is_begun_with_the_smallest_part() -> None:
    (grant,) = spend(apart(4_000), [0], [1.0], 600)
    assert not grant.whole
    assert grant.room >= weights.PART_STEPS[0]
