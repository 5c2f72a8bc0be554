"""Pieces of source that were chosen, and the ledger that keeps them within the budget."""

from __future__ import annotations

from cmgit.core.errors import CmgitError
from cmgit.core.record import record
from cmgit.core.records import CallSite, ItemRole, UnitView
from cmgit.retrieve.parts import Span
from cmgit.retrieve.ports import Source, View
from cmgit.retrieve.seen import Seen

MODULE = "module level"


@record
class Shown:
    """One chosen piece: a range of one file as it is now. whole: the unit's own lines, for a piece of it. note: what
    the header says beside the range."""

    role: ItemRole
    file: int
    path: str
    name: str
    qualname: str
    kind: str
    span: Span
    whole: tuple[int, int]
    score: float
    note: str = ""


def was_seen(seen: Seen, piece: Shown, source: Source) -> bool:
    return seen.has(piece.path, source.oid, source.data, piece.span.start, piece.span.end)


@record
class Found:
    """A unit where it stands now, in the bytes that it was found in."""

    unit: int
    file: int
    view: UnitView
    source: Source

    @property
    def size(self) -> int:
        return self.view.end_byte - self.view.start_byte


class Ledger:
    """Chosen pieces in order, never overlapping, within a budget of source bytes. Reads each file once."""

    def __init__(self, view: View, budget: int) -> None:
        self.view = view
        self.budget = budget
        self.used = 0
        self.pieces: list[Shown] = []
        self._sources: dict[int, Source | None] = {}

    @property
    def room(self) -> int:
        return self.budget - self.used

    @property
    def sources(self) -> tuple[tuple[int, Source], ...]:
        """Every file that was read, by its index."""
        return tuple((file, source) for file, source in self._sources.items() if source is not None)

    def source(self, file: int) -> Source | None:
        """The file's bytes now; None where it is gone or unreadable (RooCodeInc/Roo-Code#12115)."""
        if file not in self._sources:
            try:
                self._sources[file] = self.view.source(file)
            except CmgitError:
                self._sources[file] = None
        return self._sources[file]

    def find(self, unit: int) -> Found | None:
        """The unit in the file as it is at this moment; None where it is no longer there."""
        file = int(self.view.units.file[unit])
        source = self.source(file)
        if source is None:
            return None
        now = self.view.locate(unit, source)
        return Found(unit, file, now, source) if now is not None else None

    def touches(self, file: int, start: int, end: int) -> bool:
        """Whether any piece shows some of the range."""
        return any(p.file == file and p.span.start < end and start < p.span.end for p in self.pieces)

    def add(self, piece: Shown) -> bool:
        """Take a piece if it fits and repeats nothing."""
        size = piece.span.end - piece.span.start
        if size > self.room or size <= 0 or self.touches(piece.file, piece.span.start, piece.span.end):
            return False
        self.pieces.append(piece)
        self.used += size
        return True

    def replace_file(self, file: int, piece: Shown) -> bool:
        """Show a file whole in place of its pieces, at the place of the first of them, if that fits."""
        old = [p for p in self.pieces if p.file == file]
        shown = sum(p.span.end - p.span.start for p in old)
        size = piece.span.end - piece.span.start
        if size - shown > self.room:
            return False
        first = self.pieces.index(old[0])
        kept = [p for p in self.pieces if p.file != file]
        kept.insert(first, piece)
        self.pieces[:] = kept
        self.used += size - shown
        return True


@record
class UsesOf:
    """Where one root is used. unbound: references that end in its name and could not be bound, counted where no call
    was found. inside: for a function that is used where it is written, what it stands in. of_outer: the sites are of
    that outer one, which has the same name."""

    name: str
    calls: tuple[CallSite, ...] = ()
    values: tuple[CallSite, ...] = ()
    more_calls: int = 0
    more_values: int = 0
    unbound: int = 0
    inside: str = ""
    of_outer: bool = False


@record
class Uses:
    of: tuple[UsesOf, ...] = ()

    @property
    def sites(self) -> tuple[CallSite, ...]:
        return tuple(site for one in self.of for site in (*one.calls, *one.values))

    @property
    def more(self) -> int:
        return sum(one.more_calls + one.more_values for one in self.of)


@record
class Assembled:
    """roots: the units that the answer is about, with their names. uses: of the roots."""

    pieces: tuple[Shown, ...]
    roots: tuple[tuple[int, str], ...]
    uses: Uses
    omitted: dict[str, int]
    used: int
    sources: tuple[tuple[int, Source], ...] = ()
