"""Which notes answer a question. What counts is the border of the list: who is in, and who is not.

By anchors: a note is in by the weight of what it is met at. `critical` always is. Met at a common place only, an
`incidental` anchor is not enough; a file that most notes have is enough for nobody. By text: what scores far below the
best, or is met by words that most notes have, is out. The limit only keeps the list from running away, and says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cmgit.core.errors import UsageError
from cmgit.core.record import record
from cmgit.notes.memory import Memory, Row
from cmgit.notes.model import WEIGHTS, Head
from cmgit.notes.uri import Uri

LIMIT = 20
UBIQUITOUS_NOTES = 5
UBIQUITOUS_SHARE = 0.7
WORTH = {"critical": 4.0, "core": 2.0, "supporting": 1.0, "incidental": 0.25}
BORDER = 0.1  # an incidental anchor is below it where more than some two fifths of the notes have it
CONFIRMED = 0.5


@record
class Question:
    """anchors: union. inside: a file's anchor also finds the notes of what is in it. context: URIs that somebody works
    with; they lift a match and filter none. strict: every word of the text must be met. incidental: whether such
    anchors are enough."""

    anchors: tuple[Uri, ...] = ()
    text: str = ""
    context: tuple[Uri, ...] = ()
    inside: bool = False
    strict: bool = False
    drafts: bool = False
    outdated: bool = False
    limit: int = LIMIT
    incidental: bool = True

    @property
    def statuses(self) -> frozenset[str]:
        wanted = {"current"} | ({"draft"} if self.drafts else set()) | ({"outdated"} if self.outdated else set())
        return frozenset(wanted)


@record
class Hit:
    """weight: the heaviest anchor that was met, "" for a match by text alone. met: URIs as they were asked for."""

    head: Head
    score: float
    weight: str
    met: tuple[str, ...]
    by_text: bool


@record
class Answer:
    """more: how many hits the limit kept out. searched: how many notes were looked at."""

    hits: tuple[Hit, ...]
    more: int
    searched: int


@dataclass(slots=True)
class _Match:
    weight: str = ""
    score: float = 0.0
    met: dict[str, None] = field(default_factory=dict)
    telling: bool = False
    text: float = 0.0

    @property
    def all(self) -> float:
        return self.score + self.text


def search_notes(memory: Memory, question: Question) -> Answer:
    """Notes for a question, the heaviest and best first.

    Raises:
        UsageError: neither anchors nor text.
    """
    if not question.anchors and not question.text.strip():
        raise UsageError("nothing to search for", "give words, or anchors: file:PATH, symbol:PATH::NAME, entity:NAME")
    searched = memory.count(question.statuses)
    matches: dict[Row, _Match] = {}
    for uri in question.anchors:
        _meet(memory, question, uri, searched, matches)
    for row, score in _text_scores(memory, question).items():
        match = matches.setdefault(row, _Match())
        match.text, match.telling = score, True
    _confirm(memory, question, matches)
    found = [(row, match) for row, match in matches.items() if _is_in(match, question)]
    found.sort(key=lambda pair: (pair[1].weight != "critical", -pair[1].all, memory.ident(pair[0])))
    critical = sum(match.weight == "critical" for _, match in found)
    shown = max(critical, min(max(question.limit, 0), len(found)))
    hits = tuple(
        Hit(memory.head(row), match.all, match.weight, tuple(match.met), match.text > 0) for row, match in found[:shown]
    )
    return Answer(hits, len(found) - shown, searched)


def _is_in(match: _Match, question: Question) -> bool:
    if match.weight == "incidental" and not match.text and not question.incidental:
        return False
    return match.weight == "critical" or (match.telling and (match.text > 0 or match.score >= BORDER))


def _meet(memory: Memory, question: Question, uri: Uri, searched: int, matches: dict[Row, _Match]) -> None:
    """Matches by one anchor of the question, and, where asked for, by what is inside its file."""
    statuses = question.statuses
    groups: dict[str, list[tuple[Row, str]]] = {uri.text: memory.with_uri(uri.text)}
    if question.inside and uri.kind == "file":
        for key, rows in memory.with_prefix(f"symbol:{uri.path}::"):
            groups.setdefault(key, []).extend(rows)
    for key, rows in groups.items():
        wanted = [(row, weight) for row, weight in rows if memory.status(row) in statuses]
        ubiquitous = is_ubiquitous(key, len(wanted), searched)
        rare = rarity(key, len(wanted), searched)
        for row, weight in wanted:
            match = matches.setdefault(row, _Match())
            match.weight = min(match.weight or weight, weight, key=WEIGHTS.index)
            match.score += WORTH[weight] * rare
            match.met[key] = None
            match.telling = match.telling or not ubiquitous


def is_ubiquitous(uri: str, having: int, searched: int) -> bool:
    """A file that says nothing about a note, because most notes have it."""
    return uri.startswith("file:") and searched >= UBIQUITOUS_NOTES and having >= UBIQUITOUS_SHARE * searched


def rarity(uri: str, having: int, searched: int) -> float:
    """From 1 for one note in many down to 0 for all of them; entities and variables are chosen by hand and count 1."""
    if not uri.startswith(("file:", "symbol:")) or searched < UBIQUITOUS_NOTES:
        return 1.0
    return math.log((searched + 1) / max(having, 1)) / math.log(searched + 1)


def _confirm(memory: Memory, question: Question, matches: dict[Row, _Match]) -> None:
    """What somebody works with lifts notes that were met anyway, over the border too."""
    for uri in question.context:
        for row, weight in memory.with_uri(uri.text):
            match = matches.get(row)
            if match is not None and uri.text not in match.met:
                match.score += CONFIRMED * WORTH[weight]
                match.telling = True


def _text_scores(memory: Memory, question: Question) -> dict[Row, float]:
    if not question.text.strip():
        return {}
    from cmgit.notes.scores import text_scores  # a question by anchors loads no numpy

    return text_scores(memory, question.text, question.statuses, strict=question.strict)
