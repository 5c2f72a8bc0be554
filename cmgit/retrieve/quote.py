"""Foreign text as data: nothing in it can end a fence, move a cursor, turn the reading direction or pretend to be ours
(Graphify-Labs/graphify#1210)."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]|\r(?!\n)"
)
# What clients put around a context (`<system-reminder>`), and the end of any tag.
_TAG = re.compile(r"<(?=/[a-z]|[a-z]\w*[-_:])", re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{{{code:x}}}"


def escape_source(text: str) -> tuple[str, bool]:
    """Source with control, bidirectional and invisible characters written out; whether there were any."""
    escaped = _HIDDEN.sub(_visible, text)
    return escaped, escaped != text


def one_line(text: str) -> str:
    """A path or a name on one line, everything that could be taken for markup or a line break written out."""
    escaped = _HIDDEN.sub(_visible, text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t"))
    return _TAG.sub(r"\\<", escaped.replace("`", "\\`"))


def fence_for(text: str) -> str:
    """A run of back-ticks longer than any in the text, three at least."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    return "`" * max(3, longest + 1)


def json_length(text: str) -> int:
    """Characters of a text inside of JSON: a line break is two. Control characters are escaped before."""
    return len(text) + sum(map(text.count, '"\\\n\t\r'))
