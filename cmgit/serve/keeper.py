"""One worktree's view, kept in memory and true at each question.

At each question git is asked what the working tree is, while an answer is already being worked out on the view that
is there. Where the two agree, that answer stands; else the view is made anew from what has not changed, and is asked in
its turn. So an answer is the one that a command would give now, byte for byte.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, ModelUnavailable
from cmgit.core.records import Progress
from cmgit.git.locate import Location
from cmgit.index.recipes import current_recipes
from cmgit.serve.held import Held
from cmgit.serve.patient import PatientPast, PatientSupply
from cmgit.serve.sight import Configure, Looker, Sight
from cmgit.snapshot.manifest import Manifest
from cmgit.view.memory import Build, Memory, build_here
from cmgit.view.open import find_base, find_target, lay_over
from cmgit.view.overlay import has_conversions
from cmgit.view.past import PastSupply
from cmgit.view.supply import VectorSupply
from cmgit.view.view import View

if TYPE_CHECKING:
    from cmgit.embed.model import Model

Answer = TypeVar("Answer")
Warn = Callable[[str], None]

LEAST_RESERVE = 0.1
FIRST_RESERVE = 0.4
"""Seconds before a deadline that are kept for the answer itself; for the first one of a new view."""

MANY_VECTORS = 8_000_000
"""Bytes: from here on reading them again after an edit is better than keeping them twice."""


def ignore(_: str) -> None:
    """Nobody is there to be warned."""


def give_back() -> None:
    """Memory that was freed goes back to the system; glibc keeps it otherwise."""
    with suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)


class NotReady(CmgitError):
    """There is a deadline, and no view yet that could answer before it."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Answer]):
    """What a question came to: an answer, or the error that it ends in."""

    answer: Answer | None
    error: CmgitError | None

    def get(self) -> Answer:
        if self.error is not None:
            raise self.error
        return self.answer  # type: ignore[return-value] # there is one where there is no error


Question = Callable[[View, Config, "Keeper"], Answer]
"""What is asked of a view. It may be asked twice, so it must change nothing."""


class Keeper:
    """Keeps the view of one worktree. Questions are answered one at a time; what takes long is done in a thread of its
    own, so that a question with a deadline is answered from the last view when the newer one is not ready.

    Args:
        configure: `git config cm.*` to a Config. build: makes a snapshot. warn: told what works less well.
    """

    def __init__(
        self, location: Location, configure: Configure, build: Build = build_here, warn: Warn = ignore
    ) -> None:
        self.location, self._build, self._warn = location, build, warn
        self._looker = Looker(location, configure)
        self._eyes = ThreadPoolExecutor(1, "look")
        self._hands = ThreadPoolExecutor(1, "work")
        self._asking = threading.Lock()
        self._memory = Memory(location.cm_dir, build)
        self._config: Config | None = None
        self._held: Held | None = None
        self._asked: Held | None = None
        self._deadline: float | None = None
        self._usual = {True: FIRST_RESERVE, False: LEAST_RESERVE}
        self._looking: Future[Sight] | None = None
        self._stopping = False

    @property
    def held(self) -> Held | None:
        return self._held

    def foresee(self) -> object:
        """Begin to look, for a question that is about to come; what is given belongs to that question."""
        return self._eyes.submit(self._looker.look)

    def ask(self, question: Question[Answer], deadline: float | None = None, foreseen: object = None) -> Answer:
        """Answer from the view of this moment; from the last one, which then says what is pending, where the newer one
        is not there before the deadline (of time.monotonic()).

        Args:
            foreseen: what `foresee` gave when the asker called: the moment is that one then.

        Raises:
            NotReady: there is a deadline and no view at all yet.
            CmgitError: whatever the question or the repository ends in.
        """
        with self._turn(deadline):
            looking = foreseen if isinstance(foreseen, Future) else self._eyes.submit(self._looker.look)
            held = self._held
            if held is None and deadline is not None:
                looking.add_done_callback(self._refresh_after)
                raise NotReady("the reader is still opening the index", "ask again in a moment, or use the command")
            self._looking = looking
            early = self._put(question, held) if held is not None else None
            try:
                sight = looking.result(self.time_left())
            except Late:
                raise NotReady("git has not said yet what changed", "ask again in a moment") from None
            finally:
                self._looking = None
            if held is not None and early is not None and held.stands(sight):
                return early.get()
            held, pending = self._brought(sight, held)
            held.view.pending_files = pending
            try:
                return self._put(question, held).get()
            finally:
                held.view.pending_files = 0
                self._hands.submit(self._tidy)

    @contextmanager
    def _turn(self, deadline: float | None) -> Iterator[None]:
        """One question at a time; who has a deadline does not wait beyond it."""
        left = -1 if deadline is None else max(0.0, deadline - time.monotonic() - self._usual[False])
        if not self._asking.acquire(timeout=left):
            raise NotReady("the reader is busy", "ask again in a moment, or use the command")
        try:
            self._deadline = deadline
            yield
        finally:
            self._asking.release()

    def _put(self, question: Question[Answer], held: Held) -> Outcome[Answer]:
        started, first = time.monotonic(), held is not self._asked
        self._asked = held
        held.view.renew()
        try:
            return Outcome(question(held.view, held.sight.config, self), None)
        except CmgitError as error:
            return Outcome(None, error)
        finally:
            took = time.monotonic() - started
            self._usual[first] = max(LEAST_RESERVE, 0.5 * self._usual[first] + 0.75 * took)

    def confirm(self) -> None:
        """Called by an answer that is about to wait: not for a view that the working tree has left already.

        Raises:
            CmgitError: it has; the answer would be thrown away.
        """
        held = self._held
        if self._looking is not None and held is not None and not held.stands(self._looking.result()):
            raise CmgitError("the working tree has changed meanwhile", "ask again")

    def _brought(self, sight: Sight, held: Held | None) -> tuple[Held, int]:
        """The view of what was seen, and 0; or the last view, and how many files it shows differently."""
        job = self._hands.submit(self._refresh, sight)
        try:
            return job.result(self.time_left(first=True)), 0
        except Late:
            assert held is not None  # else NotReady
            return held, held.differing(sight)

    def time_left(self, *, first: bool = False) -> float | None:
        """Seconds that may be waited before the rest of an answer must begin; None where there is time."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic() - self._usual[first])

    # What follows runs in the thread of `_hands`, one thing after the other.

    def _refresh_after(self, looking: Future[Sight]) -> None:
        with suppress(RuntimeError):  # it is leaving
            if looking.exception() is None:
                self._hands.submit(self._refresh, looking.result())

    def _refresh(self, sight: Sight) -> Held:
        """Make the view of what was seen, unless it is there."""
        held = self._held
        if held is not None and held.stands(sight):
            return held
        config = sight.config
        if self._config != config:  # what was made by other settings is of no use
            self._memory, self._config = Memory(self.location.cm_dir, self._build), config
            held = None
        recipes = current_recipes(config)
        base = self._base(sight, held)
        target = find_target(self.location, sight.tree, sight.changes, base, None, lambda _: False)
        view = lay_over(self.location, target, base, config, recipes, self._progress, self._warn, self._memory)
        view.location, view.changes = self.location, sight.changes
        if isinstance(view.supply, VectorSupply):
            view.supply = PatientSupply(view.supply, self)
        if isinstance(view.past, PastSupply):
            view.past = PatientPast(view.past, self)
        self._held = Held(
            self.location, view, sight, base, has_conversions(self.location, target.entries, sight.changes)
        )
        return self._held

    def _tidy(self) -> None:
        """After a view was made anew: give back what only its making needed."""
        held = self._held
        if held is not None and held.view.vector_bytes > MANY_VECTORS:
            self._memory.store.forget_vectors()
        give_back()

    def _base(self, sight: Sight, held: Held | None) -> Manifest | None:
        """The snapshot to stand on; the very object of the last time where it is the same."""
        if held is not None and held.sight.tree == sight.tree and held.sight.snapshots == sight.snapshots:
            return held.base
        recipes = current_recipes(sight.config)
        found = find_base(
            self.location, sight.tree, sight.config, recipes, self._progress, self._warn,
            on_demand=False, build=self._build,
        )  # fmt: skip
        old = held.base if held is not None else None
        same = old is not None and found is not None and (old.tree, old.generation) == (found.tree, found.generation)
        return old if same else found

    def _progress(self, _: Progress) -> None:
        if self._stopping:
            raise CmgitError("the reader is leaving", "ask again")

    def work(self, job: Callable[[], Answer]) -> Future[Answer]:
        """Do it in the thread where what takes long is done."""
        return self._hands.submit(job)

    def model(self, config: Config) -> Model:
        """The model.

        Raises:
            ModelUnavailable: see `embed.model.load_model`; or it is not loaded before the deadline.
        """
        memory = self._memory
        if memory.has_model(config):
            return memory.model(config, self._warn)
        try:
            return self._hands.submit(lambda: memory.model(config, self._warn)).result(self.time_left())
        except Late:
            raise ModelUnavailable("the model is still being loaded", "ask again in a moment") from None

    def exact_view(self, path: str) -> View:
        """A view in which this file is what its bytes on disk are, where a filter makes git call it unchanged."""

        def make() -> View:
            sight = self._looker.look()
            recipes, base = current_recipes(sight.config), self._base(sight, self._held)
            target = find_target(self.location, sight.tree, sight.changes, base, None, lambda name: name == path)
            return lay_over(
                self.location, target, base, sight.config, recipes, self._progress, self._warn, self._memory
            )

        return self._hands.submit(make).result()

    def prepare(self, ask: Callable[[], object]) -> None:
        """Open everything and ask once, so that the first real question finds it warm. Nobody waits for it."""
        with suppress(CmgitError, RuntimeError):
            held = self._hands.submit(lambda: self._refresh(self._looker.look())).result()
            if held.sight.config.vectors:
                self.model(held.sight.config)
            ask()
            self._hands.submit(self._tidy)

    def close(self) -> None:
        self._stopping = True
        self._eyes.shutdown(wait=False, cancel_futures=True)
        self._hands.shutdown(wait=False, cancel_futures=True)
