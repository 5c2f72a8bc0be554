"""How the budget is spent: which units are shown whole, which by their telling parts, by expected use for each byte.

A unit is of use when it is the one that the task needs, which its chance says. Some of it is of some use, all of it is
of more; what a whole unit shows, the units inside it need not show again. Two things are spent: bytes of source, and
characters of the text, of which every piece costs a heading as well.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import UnitKind
from cmgit.core.record import record
from cmgit.retrieve import weights
from cmgit.retrieve.ports import View

Ints = NDArray[np.int64]

LONGEST_NAME = 160  # characters of a path or a name that a heading shows


@record
class Grant:
    """Bytes granted to one unit, or all of it."""

    unit: int
    whole: bool
    room: int


@dataclass(slots=True)
class _Offer:
    unit: int
    file: int
    start: int
    end: int
    chance: float
    heading: int
    granted: int = 0
    whole: bool = False
    closed: bool = False

    @property
    def size(self) -> int:
        return self.end - self.start


def spend(
    view: View,
    units: list[int],
    chances: list[float],
    budget: int,
    least: Mapping[int, int] | None = None,
    characters: int | None = None,
) -> list[Grant]:
    """Grants for ranked units, in the order that they were given in. Greedy by use for each byte: first some of a unit,
    then more, then the whole, each step worth less for its bytes than the one before.

    Args:
        chances: for each unit its share of being the one that is meant.
        least: bytes that some units get before anything is weighed.
        characters: of the text, with the headings; None where they are not limited.
    """
    column, file_of = view.units.column, view.units.file
    start, end, kind = column("start"), column("end"), column("kind")
    offers = [
        _Offer(unit, int(file_of[unit]), int(start[unit]), int(end[unit]), chance, _heading(view, unit))
        for unit, chance in zip(units, chances, strict=True)
        if end[unit] > start[unit] and (kind[unit] != UnitKind.FILE or end[unit] <= weights.SHORT_FILE)
    ]
    room = budget
    text = math.inf if characters is None else characters - weights.AROUND
    for offer in offers:
        wanted = min((least or {}).get(offer.unit, 0), offer.size, room)
        if wanted >= weights.LEAST_PART:
            offer.granted, offer.whole = wanted, wanted == offer.size
            room -= wanted
            text -= wanted + offer.heading
    queue: list[tuple[float, int, int]] = []
    for index in range(len(offers)):
        _push(queue, offers, index)
    while queue and room >= weights.LEAST_PART:
        density, index, step = heapq.heappop(queue)
        offer = offers[index]
        if offer.closed or offer.whole or step != offer.granted:
            continue
        now = _step(offers, offer)
        if now is None:
            continue
        gain, target, cost = now
        if -gain / cost > density + 1e-12:  # something inside it was shown meanwhile
            heapq.heappush(queue, (-gain / cost, index, step))
            continue
        if cost > room and target == offer.size and offer.granted == 0:
            target = cost = min(weights.PART_STEPS[0], offer.size)
        more = offer.heading
        if offer.granted:  # a further step of a part is another piece, or longer ones
            more = 0 if target == offer.size else more // 2
        if cost > room or cost + more > text:
            continue
        room -= cost
        text -= cost + more
        offer.granted = target
        offer.whole = target == offer.size
        if offer.whole:
            for other in _inside(offers, offer):  # the cost was without what they showed
                text += other.heading if other.granted else 0
                other.granted, other.closed, other.whole = 0, True, False
        _push(queue, offers, index)
    return [Grant(offer.unit, offer.whole, offer.granted) for offer in offers if offer.granted]


def _heading(view: View, unit: int) -> int:
    """Characters of the line above a piece and of its fences."""
    names = view.files[int(view.units.file[unit])].path, view.units.qualname(unit)
    return weights.HEADING + sum(min(len(name), LONGEST_NAME) for name in names)


def _push(queue: list[tuple[float, int, int]], offers: list[_Offer], index: int) -> None:
    step = None if offers[index].whole else _step(offers, offers[index])
    if step is not None:
        heapq.heappush(queue, (-step[0] / step[2], index, offers[index].granted))


def _inside(offers: list[_Offer], outer: _Offer) -> list[_Offer]:
    return [
        other
        for other in offers
        if other is not outer and other.file == outer.file and outer.start <= other.start and other.end <= outer.end
    ]


def _use(offer: _Offer, shown: int) -> float:
    """Of 1 for the whole unit. Some of it finds the place; how much depends on its share."""
    if shown >= offer.size:
        return 1.0
    return weights.PART_USE * (weights.FIRST_USE + (1.0 - weights.FIRST_USE) * math.sqrt(shown / offer.size))


def _step(offers: list[_Offer], offer: _Offer) -> tuple[float, int, int] | None:
    """(gain, bytes shown after it, bytes that it costs) of the next step of an offer; None when there is none."""
    if offer.closed or any(
        other.whole and other.file == offer.file and other.start <= offer.start and offer.end <= other.end
        for other in offers
        if other is not offer
    ):
        return None
    inside = _inside(offers, offer)
    best: tuple[float, int, int] | None = None
    for target in (*weights.PART_STEPS, offer.size):
        if target <= offer.granted or (target > offer.size * weights.NEARLY_WHOLE and target != offer.size):
            continue
        if target == offer.size and target > weights.LARGEST_WHOLE:
            continue
        whole = target == offer.size
        held = sum(other.granted for other in inside)
        before = _use(offer, offer.granted) if offer.granted else (weights.PART_USE if held else 0.0)
        gain = offer.chance * max(_use(offer, target) - before, 0.0)
        cost = target - offer.granted
        if whole:
            gain += sum(o.chance * (1.0 - (_use(o, o.granted) if o.granted else 0.0)) for o in inside)
            cost = max(cost - held, 1)
        if gain > 0 and (best is None or gain / cost > best[0] / best[2]):
            best = (gain, target, cost)
    return best
