"""What of a unit is embedded: its name in words, its owner, its doc comment, and the telling words of its source.

A text is made of words, not of code: in WordPiece every bracket and comma costs a token, and the model was trained on
sentences. White space, line ends (CRLF or LF) and formatting never change a key. Where a unit is too long for one
text, words that were said are not said again, and what is left gives up to `MAX_WINDOWS` texts that overlap
(martin-conur/quackformers#34: a clue on line 300 must be findable).
The source of units inside a unit is left out but for their names: they have texts of their own.
The path never stands in a text, so a rename embeds nothing.

Words are split here and not by `cmgit.words`: a change to the stems of word search must not embed everything anew.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise

from cmgit.core.facts import NONE, BlobFacts, ImportKind, UnitKind

MAX_WINDOWS = 4
WINDOW_COST = 104  # estimated tokens of one text; the model sees 128 with its two marks
DOC_COST = 44  # of them for the doc comment's own sentences
HEAD_COST = 28  # of them for kind, name and owner
OVERLAP = 10  # words
_CODE = (UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CALLBACK)
_HOLDERS = (UnitKind.CLASS, UnitKind.INTERFACE, UnitKind.ENUM, UnitKind.NAMESPACE, UnitKind.VARIABLE)
MIN_ROOM = 16
MIN_WORDS = 3  # a block or file with fewer tells nothing
MAX_WORD = 32  # characters of one word
SMALL_UNIT = 240  # bytes; a smaller one inside a function is told with the function

# fmt: off
_KEYWORDS = frozenset((
    "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "declare",
    "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for", "from", "function",
    "if", "implements", "import", "in", "instanceof", "interface", "keyof", "let", "namespace", "new", "null", "of",
    "private", "protected", "public", "readonly", "return", "satisfies", "static", "super", "switch", "this",
    "throw", "true", "try", "type", "typeof", "undefined", "unknown", "any", "var", "void", "while", "with",
    "yield", "string", "number", "boolean", "never", "object", "require", "module", "exports", "use", "strict",
))
# fmt: on
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+")
_MOST_KNOWN = 1 << 16
_PIECE = re.compile(r"[^\W_]+")
_ASCII_PART = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]+[a-z]+\d*|[a-z]+\d*|[A-Z]+\d*|\d+")
# Comment marks, tags (`@param`, `{@link …}`) and brackets: tokens that tell nothing.
_DOC_MARKS = re.compile(r"/\*+|\*+/|<!--|-->|(?:^|(?<=[\r\n]))[ \t]*(?:\*+/?|/{2,})|@\w+|[][(){}<>|=`*]")
_ENCODED = re.compile(rb"[A-Za-z\d+/]{40,}")  # hashes, keys, pictures


def unit_texts(source: bytes, facts: BlobFacts) -> list[tuple[int, str]]:
    """Texts to embed for one blob, as (unit row, text), rows ascending; a long unit has several.

    Args:
        source: the blob's bytes that `facts` were extracted from.
        facts: offsets in it must lie in `source`; what does not is clamped.

    The file unit has texts only where no other unit has one. Small units inside functions have none of their own: their
    source stands in the text of the unit around them.
    """
    units = facts.units
    rows = [row for row in range(len(units)) if units.kind[row] != UnitKind.FILE and not _is_folded(facts, row)]
    inner = _inner_units(facts, rows)
    encoded = [found.span() for found in _ENCODED.finditer(source) if any(48 <= code <= 57 for code in found[0])]
    requests = [
        (start, end)
        for kind, start, end in zip(facts.imports.kind, facts.imports.start, facts.imports.end, strict=True)
        if kind in (ImportKind.ES, ImportKind.REEXPORT)
    ]
    statements = sorted(encoded + requests)
    texts = [
        (row, text)
        for row in rows
        for masked in [statements if units.kind[row] == UnitKind.BLOCK else encoded]
        for text in _texts_of(source, facts, row, inner.get(row, ()), masked)
    ]
    if not texts and len(units):
        texts = [(0, text) for text in _texts_of(source, facts, 0, (), statements)]
    return texts


def text_key(text: str) -> bytes:
    """The 16-byte digest under which a text's vector is kept."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _is_folded(facts: BlobFacts, row: int) -> bool:
    units = facts.units
    if units.end[row] - units.start[row] >= SMALL_UNIT or units.doc_end[row]:
        return False
    owner = units.owner[row]
    while owner != NONE:
        if units.kind[owner] in _CODE:
            return True
        owner = units.owner[owner]
    return False


def _inner_units(facts: BlobFacts, rows: Sequence[int]) -> dict[int, list[int]]:
    """For each unit the rows of the outermost units that lie inside its range, in order of their start."""
    units = facts.units
    inner: dict[int, list[int]] = {}
    open_units: list[int] = []
    for row in rows:
        while open_units and units.end[open_units[-1]] < units.end[row]:
            open_units.pop()
        if open_units and units.start[row] >= units.start[open_units[-1]]:
            inner.setdefault(open_units[-1], []).append(row)
        open_units.append(row)
    return inner


def _texts_of(
    source: bytes, facts: BlobFacts, row: int, inner: Sequence[int], masked: Sequence[tuple[int, int]]
) -> list[str]:
    units = facts.units
    kind = UnitKind(units.kind[row])
    head = _head(facts, row, kind)
    doc = _slice(source, units.doc_start[row], units.doc_end[row])
    sentence, rest = _split_at(_DOC_MARKS.sub(" ", doc).split(), DOC_COST)
    own = _own_source(source, facts, row, inner, masked)
    telling = _words(" ".join([own, *rest]))
    if kind in (UnitKind.BLOCK, UnitKind.FILE) and len(set(telling)) < MIN_WORDS and not sentence:
        return []
    opening = f"{head}. {' '.join(sentence)}" if sentence else head
    room = max(WINDOW_COST - _cost(opening.split()), MIN_ROOM)
    first, later = _first_window(telling, room, _words(opening))
    texts = [f"{opening}: {' '.join(first)}" if first else opening]
    texts += [f"{head}: {' '.join(words)}" for words in _windows(later, WINDOW_COST - _cost(head.split()))]
    return list(dict.fromkeys(texts))


def _head(facts: BlobFacts, row: int, kind: UnitKind) -> str:
    """Kind, name as written and in words, and the holder's name: what each window of a unit repeats."""
    units = facts.units
    name = " ".join(_split_at(_all_words(facts.name(row)), HEAD_COST)[0])
    owner = units.owner[row]
    label = "" if kind in (UnitKind.CALLBACK, UnitKind.BLOCK) and name else kind.label
    written = facts.name(row) if " " in name and facts.name(row).isidentifier() else ""
    parts = [part for part in (label, written, name) if part]
    if owner not in (NONE, row) and units.kind[owner] in _HOLDERS:
        owner_words = _split_at(_all_words(facts.name(owner)), HEAD_COST // 2)[0]
        if owner_words:
            parts += ["of", *owner_words]
    return " ".join(parts)


def _own_source(
    source: bytes, facts: BlobFacts, row: int, inner: Sequence[int], masked: Sequence[tuple[int, int]]
) -> str:
    """A unit's source without the units inside it, which leave their names, and without the masked ranges."""
    units = facts.units
    start, end = max(units.start[row], 0), min(units.end[row], len(source))
    holes = [(units.doc_start[child] or units.start[child], units.end[child], facts.name(child)) for child in inner]
    holes += [(first, last, "") for first, last in masked if start <= first and last <= end]
    holes.sort()
    parts = []
    for first, last, name in holes:
        if first >= start:
            parts.append(_slice(source, start, first))
        parts.append(name)
        start = max(start, last)
    parts.append(_slice(source, start, end))
    return " ".join(parts)


def _slice(source: bytes, start: int, end: int) -> str:
    return source[max(start, 0) : max(end, 0)].decode("utf-8", "replace")


def _words(text: str) -> list[str]:
    """Identifiers, strings and comments as words; keywords, single letters and encoded data are left out."""
    if text.isascii():
        return list(chain.from_iterable(map(_TELLING.__getitem__, _ASCII_RUN.findall(text))))
    return [word for word in _all_words(text) if (len(word) > 1 and word not in _KEYWORDS) or not word.isascii()]


class _Telling(dict[str, tuple[str, ...]]):
    """Words of a run of letters and digits that `_words` keeps, each worked out once."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        words = self[run] = tuple(word for word in _all_words(run) if len(word) > 1 and word not in _KEYWORDS)
        return words


_TELLING = _Telling()


def _all_words(text: str) -> list[str]:
    if text.isascii():
        return [word[:MAX_WORD] for word in _ASCII_PART.findall(text)]
    return [
        word[:MAX_WORD]
        for piece in _PIECE.findall(text)
        for word in (_ASCII_PART.findall(piece) if piece.isascii() else _split_other(piece))
    ]


def _split_other(piece: str) -> list[str]:
    """Camel case of other scripts: `расчётЦены`. Scripts without case stay whole; WordPiece splits Han itself."""
    cuts = [0]
    cuts += [at for at in range(1, len(piece)) if piece[at].isupper() and piece[at - 1].islower()]
    cuts.append(len(piece))
    return [piece[start:end] for start, end in pairwise(cuts)]


def _distinct(words: Iterable[str], seen: Iterable[str]) -> list[str]:
    known = {word.lower() for word in seen}
    found = []
    for word in words:
        folded = word.lower()
        if folded not in known:
            known.add(folded)
            found.append(word)
    return found


def _first_window(words: list[str], room: int, seen: list[str]) -> tuple[list[str], list[str]]:
    """What the first window says, and the distinct words that are left for later ones.

    The source from its start as it is, repetitions too (what is named often matters: measured); then, if they fit, the
    distinct words of the rest.
    """
    start, rest = _split_at(words, room)
    later = _distinct(rest, [*seen, *start])
    cost = _cost(later)
    if 0 < cost <= room // 2:
        start, rest = _split_at(words, room - cost)
        squeezed = _distinct(rest, [*seen, *start])
        if _cost(squeezed) <= room - _cost(start):
            return start + squeezed, []
        start, rest = _split_at(words, room)
    return start, later


class _Costs(dict[str, int]):
    """Tokens that a word will take, estimated a little high: common words take one."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        cost = self[word] = 1 + len(word) // 6 if word.isascii() else (len(word) + 1) // 2 + 1
        return cost


_COSTS = _Costs()


def _cost(words: Iterable[str]) -> int:
    return sum(map(_COSTS.__getitem__, words))


def _split_at(words: list[str], cost: int) -> tuple[list[str], list[str]]:
    """The words that fit into a cost, and the rest."""
    spent = list(accumulate(map(_COSTS.__getitem__, words[: cost + 1])))  # each word costs one at least
    at = bisect_right(spent, cost)
    return (words[:at], words[at:]) if at < len(spent) else (words, [])


def _windows(words: list[str], room: int) -> Iterator[list[str]]:
    """Slices that overlap and cover all words; when they are too many, evenly spread ones, the last always."""
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(words):
        size = max(len(_split_at(words[start : start + room], room)[0]), 1)
        spans.append((start, start + size))
        if start + size >= len(words):
            break
        start += max(size - OVERLAP, 1)
    if len(spans) > MAX_WINDOWS - 1:
        steps = MAX_WINDOWS - 2
        spans = [spans[round(step * (len(spans) - 1) / steps)] for step in range(MAX_WINDOWS - 1)]
    for first, last in spans:
        yield words[first:last]
