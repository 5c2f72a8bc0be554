"""Identifiers and text as terms: the same for what is indexed and for what is asked.

A term is folded (NFKC, case fold, ё as е). An identifier gives its parts, stemmed, and the parts joined
(`renderSlots` → "render", "slot", "renderslot"), so that it is found by its words, by its name, and by its words as a
phrase. Han, Kana and Hangul have no word borders: their runs give bigrams (colbymchenry/codegraph#1262).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from cmgit.words.stem import stem

LONGEST_TOKEN = 120  # longer runs are data: base64, hashes
LONGEST_RUN = 12  # a Han run up to this long is a name and also a term of its own

_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\u([0-9A-Fa-f]{4})")
_ASCII_PARTS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TOKENS = re.compile(r"(?:[\w$]|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4})+")

# Words that say nothing about code when they stand alone in a sentence; as parts of identifiers they count.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both
    but by can cannot could did do does doing don down during each either etc few for from further had has have
    having he her here hers him his how however i if in into is it its itself just ll may me might more most must my
    no nor not now of off on once only or other our out over own per please re s same shall she should so some such
    t than that the their them then there these they this those though through to too under until up upon us use
    used using ve very via was we were what when where whether which while who whom whose why will with within
    without would yet you your и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по
    только ее мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас
    нибудь уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без
    будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой ним здесь этом один почти мой тем
    чтобы нее были куда зачем всех можно при об другой хоть после над больше тот через эти нас про всего них какая
    много эту моя свою этой перед лучше чуть том такой им более всю между это эта нужно
    的 了 和 是 在 我 有 就 不 人 都 一 一个 也 很 到 说 要 去 你 会 着 没有 看 自己 这""".split()  # noqa: SIM905
)


def fold(text: str) -> str:
    """One form for all spellings: NFKC (full-width, composed marks), case folded, ё as е."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.replace("ё", "е")


def unescape(name: str) -> str:
    """`\\u0441` and `\\u{441}` in an identifier as the characters that they name."""
    if "\\u" not in name:
        return name

    def character(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"

    return _ESCAPE.sub(character, name)


def is_ideographic(character: str) -> bool:
    """Han, Kana, Hangul: scripts that are written without spaces or are searched by syllables."""
    code = ord(character)
    return (
        0x3040 <= code <= 0x30FF
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xAC00 <= code <= 0xD7AF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def split_identifier(name: str) -> list[str]:
    """The parts of one identifier, folded, not stemmed: `parseHTTPUrls2` → parse, http, urls, 2."""
    name = unescape(name)
    if name.isascii():
        return [part.lower() for part in _ASCII_PARTS.findall(name)]
    return [fold(part) for part in _parts(unicodedata.normalize("NFKC", name))]


_LOWER, _UPPER, _DIGIT, _IDEOGRAPH, _OTHER, _JOINED = range(6)


def _kind(character: str) -> int:
    if is_ideographic(character):
        return _IDEOGRAPH
    if character.isupper() or unicodedata.category(character) == "Lt":
        return _UPPER
    if character.isalpha():
        return _LOWER
    if character.isdigit():
        return _DIGIT
    if unicodedata.category(character)[0] == "M":
        return _JOINED
    return _OTHER


def _parts(name: str) -> Iterator[str]:
    """Parts of an identifier in any script: the borders of the ASCII pattern, by the letters' own case."""
    part, before = "", _OTHER
    for position, character in enumerate(name):
        kind = _kind(character)
        if kind == _JOINED:
            part += character if part else ""
            continue
        if kind == _UPPER and before == _UPPER:
            # The last capital of an acronym belongs to the next word: HTTPServer.
            following = name[position + 1] if position + 1 < len(name) else ""
            border = bool(following) and _kind(following) == _LOWER and part != ""
        else:
            border = kind != before and not (kind == _LOWER and before == _UPPER)
        if border and part:
            yield part
            part = ""
        if kind != _OTHER:
            part += character
        before = kind
    if part:
        yield part


def _terms_of_part(part: str) -> list[str]:
    if is_ideographic(part[0]):
        if len(part) == 1:
            return [part]
        pairs = [part[i : i + 2] for i in range(len(part) - 1)]
        return pairs if len(part) == 2 or len(part) > LONGEST_RUN else [*pairs, part]
    return [stem(part)]


@lru_cache(maxsize=1 << 17)
def identifier_terms(name: str) -> tuple[str, ...]:
    """Terms of one identifier: its parts, then, when there are several, the parts joined. Single letters and digits
    count only as part of the joined term; a name of one letter is itself a term."""
    if len(name) > LONGEST_TOKEN:
        return ()
    parts = split_identifier(name)
    if not parts:
        return ()
    pieces = [_terms_of_part(part) for part in parts]
    terms = [term for piece in pieces for term in piece if len(term) > 1 or is_ideographic(term)]
    if len(parts) > 1:
        terms.append("".join(stem(part) for part in parts))
    elif not terms and not parts[0].isdigit():
        terms.append(parts[0])
    return tuple(terms)


def tokens(text: str) -> list[str]:
    """Identifier-like runs of a text in order, escapes undone, combining marks composed."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return [unescape(token) for token in _TOKENS.findall(text)]


def is_stop_word(token: str) -> bool:
    return token in STOP_WORDS or fold(token) in STOP_WORDS


def terms_of(text: str) -> list[str]:
    """Terms of a text in order, repeats kept; stop words that stand alone are left out."""
    found: list[str] = []
    for token in tokens(text):
        if not is_stop_word(token):
            found.extend(identifier_terms(token))
    return found
