"""What a kept view lacks is made in the keeper's own thread: a question with a deadline goes on without it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import replace
from typing import Protocol, TypeVar

from cmgit.core.history import History
from cmgit.store.segments import VectorsSegment
from cmgit.view.past import Past, PastSupply
from cmgit.view.supply import Supply, VectorSupply
from cmgit.view.view import View

Answer = TypeVar("Answer")


class Patience(Protocol):
    """The keeper, as whoever has to wait sees it."""

    def confirm(self) -> None: ...

    def work(self, job: Callable[[], Answer]) -> Future[Answer]: ...

    def time_left(self) -> float | None: ...


class PatientSupply:
    """Vectors of a kept view: those that are lacking are made in the keeper's own thread, and a question with a
    deadline goes on without them."""

    def __init__(self, supply: VectorSupply, keeper: Patience) -> None:
        self._supply, self._keeper = supply, keeper
        self._making: Future[list[VectorsSegment]] | None = None
        self._short = False

    @property
    def is_short(self) -> bool:
        return self._short

    def pending(self, view: View) -> int:
        return self._supply.pending(view)

    def complete(self, view: View) -> list[VectorsSegment]:
        self._keeper.confirm()
        if self._making is None:
            self._making = self._keeper.work(lambda: self._supply.complete(view))
        try:
            segments = self._making.result(self._keeper.time_left())
        except Late:
            self._short = True
            return self._supply.known(self._supply.base)
        except BaseException:
            self._making = None
            raise
        self._short = False
        return segments


class PatientPast:
    """The history of a kept view: what no build has kept is read in the keeper's own thread, and a question with a
    deadline goes on without it."""

    def __init__(self, past: PastSupply, keeper: Patience) -> None:
        self._past, self._keeper = past, keeper
        self._reading: Future[History | None] | None = None
        self._short = False

    @property
    def is_short(self) -> bool:
        return self._short

    def complete(self) -> History | None:
        kept = replace(self._past, make=False).complete()
        if kept is not None:
            self._short = False
            return kept
        self._keeper.confirm()
        if self._reading is None:
            self._reading = self._keeper.work(self._past.complete)
        try:
            found = self._reading.result(self._keeper.time_left())
        except Late:
            self._short = True
            return None
        self._short = False
        return found


_: tuple[type[Supply], type[Past]] = (PatientSupply, PatientPast)
