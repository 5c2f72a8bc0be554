"""Notes that come along with code: those of the units and files of a context, within its budget.

Critical ones stand whole before the code, up to 1,500 characters in all; the others as `id: summary` behind it. What a
note says is quoted as data, as source is. Drafts and outdated notes never come. Where there is no `.memory/`, all of
this is one look at the disk, and the context is what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cmgit.core.record import record
from cmgit.core.records import Context, ContextItem, ItemRole
from cmgit.notes.standing import may_have_notes
from cmgit.retrieve.masking import mask, secret_spans
from cmgit.retrieve.quote import escape_source, fence_for, one_line

if TYPE_CHECKING:
    from cmgit.core.config import Config
    from cmgit.core.facts import BlobFacts
    from cmgit.notes.anchors import State
    from cmgit.notes.memory import Memory
    from cmgit.notes.model import Anchor, Head
    from cmgit.notes.search import Answer, Hit
    from cmgit.notes.standing import Standing

MOST_CRITICAL = 1_500  # characters of whole notes
LEAST_BODY = 80  # what is shorter than this is no help: the note becomes a line
MOST_LINES = 12
LONGEST_SUMMARY = 200
_HEADING = "Notes on this code (`git cm note show ID`):"


@record
class Beside:
    """What stands before and behind the code. size: bytes of both. rows: for JSON."""

    before: str = ""
    after: str = ""
    rows: tuple[dict[str, object], ...] = ()

    @property
    def size(self) -> int:
        return _bytes(self.before) + _bytes(self.after)


NOTHING_BESIDE = Beside()


@record
class Spot:
    """What is shown of a file: a unit by its qualified name, or the whole file."""

    path: str
    qualname: str
    whole: bool

    @classmethod
    def of(cls, item: ContextItem) -> Spot:
        return cls(item.path, item.qualname, item.role == ItemRole.WHOLE_FILE or item.kind == "file")

    def shows(self, name: str) -> bool:
        """Whether an anchored name is this unit, stands in it, or is what it stands in."""
        mine = self.qualname
        return self.whole or mine == name or mine.startswith(name + ".") or name.startswith(mine + ".")


class NotesPart:
    """The notes of one view or tree, asked for what a context shows.

    Args:
        states: an anchor's state where that costs nothing, for the mark of a stale note. limit: the context's budget.
    """

    def __init__(self, memory: Memory, states: Callable[[Head, Iterable[str]], Sequence[State]], limit: int) -> None:
        self._memory, self._states, self._limit = memory, states, limit
        self._known: dict[tuple[Spot, ...], Answer] = {}
        self._marks: dict[tuple[str, frozenset[str]], str] = {}

    def expected(self, spots: Sequence[Spot]) -> int:
        """Bytes that the notes of the roots will take: what is known before anything is assembled."""
        return self.beside(spots, self._limit).size

    def beside(self, spots: Sequence[Spot], room: int) -> Beside:
        """What comes along with these. Critical notes always do; lines while there is room for their bytes."""
        answer = self._hits(tuple(dict.fromkeys(spots)))
        paths = frozenset(spot.path for spot in spots)
        left, weight = MOST_CRITICAL, self._limit // 2  # characters, and bytes: at least half is for the code
        blocks: list[str] = []
        rows: list[dict[str, object]] = []
        others: list[Hit] = []
        for hit in answer.hits:
            if hit.weight != "critical" or min(left, weight) < LEAST_BODY:
                others.append(hit)
                continue
            stale = self._mark(hit, paths)
            block = self._block(hit, stale, left, weight)
            if not block:
                others.append(hit)
                continue
            left -= len(block) + 1
            weight -= _bytes(block) + 1
            blocks.append(block)
            rows.append(_row(hit, stale, whole=True))
        before = "\n".join([*blocks, ""]) if blocks else ""
        lines, taken = self._lines(others, answer.more, paths, room - _bytes(before))
        rows += [_row(hit, self._mark(hit, paths), whole=False) for hit in others[:taken]]
        after = "\n" + "\n".join(lines) + "\n" if lines else ""
        return Beside(before, after, tuple(rows))

    def _mark(self, hit: Hit, paths: frozenset[str]) -> str:
        key = (hit.head.path, paths)
        if key not in self._marks:
            self._marks[key] = stale_mark(self._states(hit.head, paths))
        return self._marks[key]

    def _hits(self, spots: tuple[Spot, ...]) -> Answer:
        if spots not in self._known:
            from cmgit.notes.search import Question, search_notes
            from cmgit.notes.uri import Uri

            anchors: list[Uri] = []
            for path in dict.fromkeys(spot.path for spot in spots):
                anchors.append(Uri("file", path, ""))
                prefix = f"symbol:{path}::"
                shown = [spot for spot in spots if spot.path == path]
                names = dict.fromkeys(uri[len(prefix) :] for uri, _ in self._memory.with_prefix(prefix))
                anchors += [Uri("symbol", path, name) for name in names if any(spot.shows(name) for spot in shown)]
            self._known[spots] = search_notes(
                self._memory, Question(tuple(anchors), incidental=False, limit=MOST_LINES)
            )
        return self._known[spots]

    def _block(self, hit: Hit, stale: str, left: int, weight: int) -> str:
        """A critical note whole, or as much of it as there is room for; "" where that is nothing.

        Args:
            left: characters. weight: bytes.
        """
        met = next((uri for uri in hit.met if hit.head.weight_of(uri) == "critical"), "this code")
        head = f"Note {hit.head.id}, critical for {one_line(met)[:LONGEST_SUMMARY]}{stale}: {_summary(hit)}\n"
        row = self._memory.row_of(hit.head.id)
        note = self._memory.note(row) if row is not None else None
        body = quoted(note.body) if note is not None else ""
        fence = fence_for(body)
        whole = f"{head}{fence}md\n{body}\n{fence}\n" if body else head
        if len(whole) <= left and _bytes(whole) <= weight:
            return whole
        ending = f"(cut; `git cm note show {hit.head.id}` has the rest)\n"
        around = 2 * len(fence) + len("md\n\n\n") + len(ending)
        room, heavy = left - len(head) - around, weight - _bytes(head) - around
        shown = body[: max(room, 0)].encode("utf-8", "replace")[: max(heavy, 0)].decode("utf-8", "ignore")
        return f"{head}{fence}md\n{shown}\n{fence}\n{ending}" if len(shown) >= LEAST_BODY else ""

    def _lines(self, others: Sequence[Hit], unlisted: int, paths: frozenset[str], room: int) -> tuple[list[str], int]:
        """Lines for the notes, and for how many of them there was room."""
        if not others:
            return [], 0
        lines, used, taken = [_HEADING], len(_HEADING) + 60, 0
        for hit in others[:MOST_LINES]:
            if used > room:
                break
            stale = self._mark(hit, paths)
            weight = ", critical" if hit.weight == "critical" else ""
            mark = f" ({(weight + stale)[2:]})" if weight or stale else ""
            line = f"- {hit.head.id}: {_summary(hit)}{mark}"
            used += _bytes(line) + 1
            if used > room:
                break
            lines.append(line)
            taken += 1
        more = len(others) - taken + unlisted
        if more:
            files = dict.fromkeys(uri.partition(":")[2].partition("::")[0] for hit in others for uri in hit.met)
            place = f" --inside --anchor file:{one_line(next(iter(files)))}" if len(files) == 1 else ""
            lines.append(f"{more} more note{'s' if more > 1 else ''} on this code: `git cm note search{place}`.")
        return (lines, taken) if taken else (lines[1:] if room > 200 else [], 0)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def quoted(body: str) -> str:
    """A body as it may be shown: secrets masked, hidden characters written out, without blank lines around it."""
    data = body.strip("\r\n").encode("utf-8", "surrogateescape")
    reach = data[: 4 * MOST_CRITICAL]  # more is never shown
    shown, _ = mask(reach, 0, len(reach), secret_spans(reach))
    return escape_source(shown.decode("utf-8", "surrogateescape"))[0].rstrip()


def _summary(hit: Hit) -> str:
    text = one_line(hit.head.summary)
    return text if len(text) <= LONGEST_SUMMARY else text[: LONGEST_SUMMARY - 1] + "…"


def stale_mark(states: Sequence[State]) -> str:
    """`, stale: …` for the anchors that are no longer what they were; "" where none is known to be."""
    stale = [state for state in states if state.is_stale]
    if not stale:
        return ""
    first = stale[0]
    more = f" and {len(stale) - 1} more" if len(stale) > 1 else ""
    return f", stale: {one_line(first.anchor.uri)} {first.status} since it was confirmed{more}"


def _row(hit: Hit, stale: str, *, whole: bool) -> dict[str, object]:
    return {
        "id": hit.head.id,
        "summary": hit.head.summary,
        "weight": hit.weight,
        "met": list(hit.met),
        "whole": whole,
        "stale": bool(stale),
    }


def notes_part(view: Any, config: Config, limit: int) -> NotesPart | None:
    """The notes of a view; None where it has none or they are switched off."""
    location = getattr(view, "location", None)
    if config.notes == "off" or location is None or not may_have_notes(location, view.changes):
        return None
    from cmgit.notes.memory import memory_of

    memory = memory_of(view)
    if memory is None or not memory.count(frozenset({"current"})):
        return None
    from cmgit.notes.anchors import Checker
    from cmgit.notes.uri import read_uri

    checker = Checker(view, memory, thorough=False)

    def states(head: Head, paths: Iterable[str]) -> Sequence[State]:
        """Anchors in the files that were read anyway, and what is plain to see of the others."""
        found: list[State] = []
        for anchor in head.anchors:
            uri = read_uri(anchor.uri)
            if uri is None or not uri.is_code:
                continue
            if uri.kind != "symbol" or uri.path in paths or view.file_index(uri.path) is None:
                found.append(checker.state(anchor))
        return found

    return NotesPart(memory, states, limit)


def with_notes(
    context: Context, standing: Standing, data: bytes, language: str, config: Config, limit: int
) -> Context | None:
    """A direct answer with the notes of its file; None where both do not fit, so that the index has to answer.

    Args:
        data: the file that it shows.
    """
    if config.notes == "off" or not context.items or not may_have_notes(standing.location, standing.changes):
        return context
    from cmgit.notes.memory import open_memory

    memory = open_memory(standing)
    if memory is None:
        return context
    path = context.items[0].path

    def states(head: Head, _: Iterable[str]) -> Sequence[State]:
        return [state for anchor in head.anchors if (state := _direct_state(anchor, path, data, language, standing))]

    room = limit - context.source_bytes
    beside = NotesPart(memory, states, limit).beside([Spot.of(item) for item in context.items], room)
    text = beside.before + context.text + beside.after
    if beside.size > room or len(text) > config.max_characters:
        return None
    return replace(context, text=text, notes=beside.rows)


def _direct_state(anchor: Anchor, path: str, data: bytes, language: str, standing: Standing) -> State | None:
    """The state of an anchor into the one file of a direct answer; None for one into another."""
    from cmgit.notes.anchors import CHANGED, GONE, OK, State
    from cmgit.notes.texts import file_hashes, rows_by_name, rows_named, unit_hash
    from cmgit.notes.uri import read_uri

    uri = read_uri(anchor.uri)
    if uri is None or uri.path != path or not anchor.hash:
        return None
    if uri.kind == "file":
        same = anchor.hash in file_hashes(data, standing.location.object_format)
        return State(anchor, OK if same else CHANGED)
    facts = _facts(data, language)
    found = rows_named(rows_by_name(facts), uri.name)
    if found is None:
        return State(anchor, GONE)
    return State(anchor, OK if unit_hash(data, facts, found[1]) == anchor.hash else CHANGED)


def _facts(data: bytes, language: str) -> BlobFacts:
    from cmgit.core.records import BlobKey
    from cmgit.index.blobs import process_blob

    return process_blob(BlobKey("", language), data, len(data) + 1).facts
