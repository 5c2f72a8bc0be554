"""BERT's uncased WordPiece in plain Python, equal to `tokenizers` id for id.

Plain Python because it starts three times faster than a tokenizer.json and a prompt waits for it, and because one
implementation for units and queries cannot disagree with itself. The vocabulary lies beside this file (`data/NOTICE`).
Text like `[SEP]` in a source is three tokens of text here, never a mark.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from pathlib import Path

MAX_TOKENS = 128
"""Of one text, the two marks included. More ranks no better (64, 128 and 256 measured alike), and costs time."""

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
"""Of the vocabulary as vocab.txt; a test holds it against the packaged file."""

_MAX_WORD = 100  # BERT's: a longer run of letters is one unknown
_MEMO_WORDS = 50_000
_VOCABULARY = Path(__file__).parent / "data" / "bert-base-uncased.vocab.z"

_ASCII_CLEAN = {code: None for code in (*range(32), 127) if code not in (9, 10, 13)}
_ASCII_TOKENS = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_HAN = re.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f])"
)


def load_vocabulary() -> dict[str, int]:
    """Word to id, 30,522 of them, from the packaged file."""
    return parse_vocabulary(zlib.decompress(_VOCABULARY.read_bytes()).decode("utf-8"))


def parse_vocabulary(text: str) -> dict[str, int]:
    """Word to id from a vocab.txt: one word a line, the line's number is the id."""
    words = text.replace("\r\n", "\n").split("\n")
    if words and not words[-1]:
        words.pop()
    return dict(zip(words, range(len(words)), strict=True))


class WordPiece:
    """Text to ids: `[CLS] … [SEP]`, cut to `max_tokens`, never padded. Safe to share between threads."""

    def __init__(self, vocabulary: dict[str, int] | None = None, max_tokens: int = MAX_TOKENS) -> None:
        self._vocabulary = load_vocabulary() if vocabulary is None else vocabulary
        self._unknown = self._vocabulary["[UNK]"]
        self._start, self._end = self._vocabulary["[CLS]"], self._vocabulary["[SEP]"]
        self._max_tokens = max_tokens
        self._memo: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, at most `max_tokens`."""
        room = self._max_tokens - 2
        ids = [self._start]
        memo = self._memo
        for word in basic_tokens(text):
            pieces = memo.get(word)
            if pieces is None:
                pieces = self._pieces(word)
                if len(memo) < _MEMO_WORDS:
                    memo[word] = pieces
            ids += pieces
            if len(ids) > room:
                break
        del ids[room + 1 :]
        ids.append(self._end)
        return ids

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The longest vocabulary entry from the left, again and again; one unknown if any rest has none."""
        vocabulary = self._vocabulary
        whole = vocabulary.get(word)
        if whole is not None and len(word) <= _MAX_WORD:
            return (whole,)
        if len(word) > _MAX_WORD:
            return (self._unknown,)
        ids = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                found = vocabulary.get(mark + word[start:end])
                if found is not None:
                    break
            else:
                return (self._unknown,)
            ids.append(found)
            start = end
        return tuple(ids)


def basic_tokens(text: str) -> list[str]:
    """Lower-case words without accents, and each punctuation mark and Han character by itself."""
    if text.isascii():
        return _ASCII_TOKENS.findall(text.translate(_ASCII_CLEAN).lower())
    cleaned = "".join(_clean(char) for char in text)
    spaced = _HAN.sub(r" \1 ", cleaned)
    bare = "".join(char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn")
    # Character by character: str.lower() knows the Greek final sigma, the reference does not.
    lowered = "".join(char.lower() for char in bare)
    tokens: list[str] = []
    for word in lowered.split():
        tokens.extend(_split_punctuation(word))
    return tokens


def _clean(char: str) -> str:
    if char in "\t\n\r":
        return " "
    # Not Cn: what this Python's Unicode tables do not know yet may be a letter of tomorrow.
    if char in "\0\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    return " " if char.isspace() else char


def _split_punctuation(word: str) -> list[str]:
    if word.isalnum():
        return [word]
    parts: list[str] = []
    start = 0
    for at, char in enumerate(word):
        if _is_punctuation(char):
            if at > start:
                parts.append(word[start:at])
            parts.append(char)
            start = at + 1
    if start < len(word):
        parts.append(word[start:])
    return parts


def _is_punctuation(char: str) -> bool:
    code = ord(char)
    if code < 128:
        return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return unicodedata.category(char)[0] == "P"
