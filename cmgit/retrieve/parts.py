"""The telling parts of a unit that is too large to show: its signature, and the lines that speak of the prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial

from cmgit.core.record import record
from cmgit.words.split import terms_of

SIGNATURE_BYTES = 400
LINES_BEFORE, LINES_AFTER = 2, 4
NAMED_SHARE = 0.85  # of the room, for what surrounds the lines that the prompt names
MANY_TERMS = 60  # of so many every line holds one; and the parts of a joined name may have been left out
KEPT_LINES, KEPT_UNITS = 1 << 14, 16
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@record
class Span:
    """Whole lines of a unit (the first and last clipped to it). Bytes end exclusive, lines inclusive."""

    start: int
    end: int
    start_line: int
    end_line: int


@lru_cache(maxsize=KEPT_UNITS)
def lines_of(data: bytes, start: int, end: int, first_line: int) -> Sequence[Span]:
    """data[start:end] line by line; line ends belong to their line, but for the last one.

    A unit is cut several times where an answer comes out too long.
    """
    found: list[Span] = []
    for line, match in enumerate(_LINE.finditer(data, start, end), first_line):
        first, stop = match.span()
        if first == stop:  # behind the last line
            break
        found.append(Span(first, stop, line, line))
    return found


def signature_span(data: bytes, start: int, end: int, first_line: int, body_start: int) -> Span:
    """A declaration up to where its body begins, whole lines; its first line where that is long."""
    beyond = data.find(b"\n", start + SIGNATURE_BYTES + 1, end)  # no later line is looked at
    lines = lines_of(data, start, end if beyond < 0 else beyond + 1, first_line)
    last = 0
    while last + 1 < len(lines) and lines[last].end <= body_start and lines[last + 1].end - start <= SIGNATURE_BYTES:
        last += 1
    first = lines[0]
    stop = _without_line_end(data, lines[last])
    if stop - start > SIGNATURE_BYTES:
        stop = _character_border(data, start, start + SIGNATURE_BYTES)
        return Span(start, stop, first.start_line, first.start_line)
    return Span(start, stop, first.start_line, lines[last].end_line)


def telling_parts(
    data: bytes,
    start: int,
    end: int,
    first_line: int,
    body_start: int,
    weigh: Callable[[str], float],
    room: int,
    named: Sequence[int] = (),
) -> list[Span]:
    """Spans of whole lines within `room` bytes, in order, the signature first.

    A single line that is larger than the room is cut at a character, not dropped (dean0x/skim#395).

    Args:
        weigh: rarity of one term times its weight in the prompt, 0 for others.
        named: lines that must be among them, the one that matters most first.
    """
    if room <= 0:
        return []
    head = signature_span(data, start, end, first_line, body_start)
    if head.end - head.start > room:
        cut = Span(start, _character_border(data, start, start + room), first_line, first_line)
        stop = _without_line_end(data, cut)
        return [Span(start, stop, first_line, first_line + data.count(b"\n", start, stop))] if stop > start else []
    lines = lines_of(data, start, end, first_line)
    chosen = [line.end <= head.end or line.start < head.end for line in lines]
    room -= sum(line.end - line.start for line, taken in zip(lines, chosen, strict=True) if taken)
    room = _choose_named(data, lines, chosen, [line - first_line for line in named], room)
    value = weigh.value if isinstance(weigh, Weigher) else partial(_value, weigh=weigh)
    values = [value(data[line.start : line.end]) for line in lines]
    for best in sorted((i for i, value in enumerate(values) if value > 0), key=lambda i: (-values[i], i)):
        for before, after in ((LINES_BEFORE, LINES_AFTER), (0, 1), (0, 0)):
            window = [i for i in range(max(0, best - before), min(len(lines), best + after + 1)) if not chosen[i]]
            cost = sum(lines[i].end - lines[i].start for i in window)
            if window and cost <= room:
                room -= cost
                for i in window:
                    chosen[i] = True
                break
    for i, line in enumerate(lines):  # what is left goes to the beginning, where a function says what it is about
        if not chosen[i]:
            if line.end - line.start > room:
                break
            chosen[i] = True
            room -= line.end - line.start
    return _merged(data, lines, chosen) or [head]


def _choose_named(data: bytes, lines: Sequence[Span], chosen: list[bool], named: Sequence[int], room: int) -> int:
    """Take the named lines with what surrounds them; the room that is left. First every line with its neighbours, then
    the statements that they stand in, from the innermost outwards, then more lines, above twice as many as below."""
    named = [index for index in dict.fromkeys(named) if 0 <= index < len(lines)]
    spare = int(room * (1.0 - NAMED_SHARE))

    def take(first: int, last: int, keep: int) -> bool:
        nonlocal room
        window = [i for i in range(max(0, first), min(len(lines), last + 1)) if not chosen[i]]
        cost = sum(lines[i].end - lines[i].start for i in window)
        if cost > room - keep:
            return False
        room -= cost
        for i in window:
            chosen[i] = True
        return True

    for index in named:
        _ = take(index, index, 0) and take(index - 1, index + 1, spare) and take(index - 3, index + 3, spare)
    for index in named:
        first, last = _statement(data, lines, index, index)
        while take(first, last, spare) and (first > 0 or last < len(lines) - 1):
            first, last = _statement(data, lines, first, last)
    reach, growing = 1, list(named)
    while growing and reach < len(lines):
        growing = [index for index in growing if take(index - 2 * reach, index + reach, spare)]
        reach += 1
    return room


def _statement(data: bytes, lines: Sequence[Span], first: int, last: int) -> tuple[int, int]:
    """The lines of the block around these, by indentation: its head, its end. Always more than was given."""
    depth = min((d for d in (_depth(data, line) for line in lines[first : last + 1]) if d is not None), default=0)
    above, below = first - 1, last + 1
    while above > 0 and not _shallower(data, lines[above], depth):
        above -= 1
    while below < len(lines) - 1 and not _shallower(data, lines[below], depth):
        below += 1
    return max(above, 0), min(below, len(lines) - 1)


def _shallower(data: bytes, line: Span, depth: int) -> bool:
    own = _depth(data, line)
    return own is not None and own < depth


def _depth(data: bytes, line: Span) -> int | None:
    """Columns of indentation; None for a blank line."""
    text = data[line.start : line.end]
    return len(text) - len(text.lstrip()) if text.strip() else None


def _merged(data: bytes, lines: Sequence[Span], chosen: list[bool]) -> list[Span]:
    """Runs of chosen lines, without blank lines at either end and without the last line's end."""
    runs: list[list[Span]] = []
    for line, taken in zip(lines, chosen, strict=True):
        if not taken:
            continue
        if runs and runs[-1][-1].end == line.start:
            runs[-1].append(line)
        else:
            runs.append([line])
    spans: list[Span] = []
    for run in runs:
        telling = [i for i, line in enumerate(run) if data[line.start : line.end].strip()]
        if telling:
            first, last = run[telling[0]], run[telling[-1]]
            spans.append(Span(first.start, _without_line_end(data, last), first.start_line, last.end_line))
    return spans


class Weigher:
    """Weight of a term, and which lines can hold one at all: most hold none, and splitting them is dear.

    Args:
        terms: those with a weight; a part of an identifier stands for itself, so of a joined name its parts are here.
    """

    def __init__(self, terms: Iterable[str], weigh: Callable[[str], float]) -> None:
        self._weigh = weigh
        words = list(terms)
        heads = sorted({_head(term) for term in words if term.isascii()})
        self._heads = re.compile("|".join(map(re.escape, heads)).encode()) if heads else None
        self._many = len(words) > MANY_TERMS
        self._values: dict[bytes, float] = {}

    def __call__(self, term: str) -> float:
        return self._weigh(term)

    def value(self, line: bytes) -> float:
        """Weight of a line. Kept: an answer is laid out several times until its headings fit too."""
        found = self._values.get(line)
        if found is None:
            found = self._values[line] = _value(line, self) if self.may_tell(line) else 0.0
        return found

    def may_tell(self, line: bytes) -> bool:
        """False only where no term of the line has a weight."""
        if self._many or not line.isascii() or b"\\u" in line:
            return True
        return self._heads is not None and self._heads.search(line.lower()) is not None


def _head(term: str) -> str:
    """What every ASCII word with this term begins with: a stem differs from its word in its last two letters at most
    (`biliti` → `ble`, `dying` → `die`), and what is short or has digits may be joined over a border (`h_1`)."""
    return term[: max(1, len(term) - 2)] if len(term) > 3 and term.isalpha() else term[:1]


def _value(line: bytes, weigh: Callable[[str], float]) -> float:
    return sum(map(weigh, _terms(line[:2_000])))


@lru_cache(maxsize=KEPT_LINES)
def _terms(line: bytes) -> tuple[str, ...]:
    """Distinct terms of a line. Many lines are alike, and a resident reader meets the same ones again."""
    return tuple(dict.fromkeys(terms_of(line.decode("utf-8", "replace"))))


def _without_line_end(data: bytes, span: Span) -> int:
    end = span.end
    while end > span.start and data[end - 1 : end] in (b"\n", b"\r"):
        end -= 1
    return end


def _character_border(data: bytes, start: int, stop: int) -> int:
    """The last border of a UTF-8 character at or before `stop`."""
    stop = min(stop, len(data))
    while stop > start and stop < len(data) and data[stop] & 0xC0 == 0x80:
        stop -= 1
    return stop
