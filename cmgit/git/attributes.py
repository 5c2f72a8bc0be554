"""What a tree's own `.gitattributes` files say about generated and vendored files.

A pure function of the tree: `git check-attr` would add the user's own attribute files, the checkout and the machine's
case rules. Semantics are git's (gitattributes(5), wildmatch.c) for `linguist-generated` and `linguist-vendored`;
macro definitions are not expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cmgit.core.globs import matches
from cmgit.core.record import record
from cmgit.core.records import path_bytes

FILE_NAME = ".gitattributes"

_GENERATED = b"linguist-generated"
_VENDORED = b"linguist-vendored"
_BLANK = b" \t\r\n"
_LONGEST_LINE = 2048  # git ignores longer ones
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"\\x21-\\x7e",
    b"lower": b"a-z",
    b"print": b"\\x20-\\x7e",
    b"punct": b"\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
    b"space": b" \\t\\n\\v\\f\\r",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
_NEVER = b"(?!)"
_LITERAL = re.compile(rb"\A[^*?\[\\]+")


@record
class _ManyStars:
    """A pattern with more stars than a backtracking expression survives, matched segment by segment."""

    pattern: str

    def fullmatch(self, path: bytes) -> bool:
        return matches(self.pattern, path.decode("latin-1"))


@record
class _Rule:
    """One line. by_name: match the last part only. A value None resets an attribute; one that is absent is kept."""

    pattern: re.Pattern[bytes] | _ManyStars
    by_name: bool
    values: Mapping[bytes, bool | None]


class Attributes:
    """The attributes of every path of one tree."""

    def __init__(self, rules: Mapping[bytes, tuple[_Rule, ...]]) -> None:
        self._rules = rules  # folder (b"" or b"a/b/") -> rules in the order of their lines

    def generated(self, path: str) -> bool | None:
        """Whether the path is marked as generated; None where nothing is said."""
        return self._value(path, _GENERATED)

    def vendored(self, path: str) -> bool | None:
        """Whether the path is marked as vendored; None where nothing is said."""
        return self._value(path, _VENDORED)

    def _value(self, path: str, attribute: bytes) -> bool | None:
        if not self._rules:
            return None
        raw = path_bytes(path)
        name = raw[raw.rfind(b"/") + 1 :]
        for folder in _folders(raw):
            # The nearest folder and the last line win.
            for rule in reversed(self._rules.get(folder, ())):
                if attribute in rule.values:
                    subject = name if rule.by_name else raw[len(folder) :]
                    if rule.pattern.fullmatch(subject):
                        return rule.values[attribute]
        return None


def read_attributes(blobs: Mapping[str, bytes]) -> Attributes:
    """Read a tree's `.gitattributes` files.

    Args:
        blobs: path and bytes of each regular file of that name (links are not followed by git either).
    """
    rules: dict[bytes, tuple[_Rule, ...]] = {}
    for path, data in blobs.items():
        found = tuple(_rules(data))
        if found:
            rules[path_bytes(path)[: -len(FILE_NAME)]] = found
    return Attributes(rules)


def _folders(raw: bytes) -> Iterator[bytes]:
    """The folders that a path stands in, the nearest first, each with its slash; the root is empty."""
    at = raw.rfind(b"/")
    while at >= 0:
        yield raw[: at + 1]
        at = raw.rfind(b"/", 0, at)
    yield b""


def _rules(data: bytes) -> Iterator[_Rule]:
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if len(line) >= _LONGEST_LINE or b"linguist-" not in line:
            continue
        parsed = _pattern_and_rest(line.strip(_BLANK))
        if parsed is None:
            continue
        pattern, rest = parsed
        values = _values(rest)
        if not values or pattern.endswith(b"/"):
            continue  # a pattern with a final slash means folders, and attributes are asked for files
        by_name = b"/" not in pattern
        plain = pattern if by_name else pattern.removeprefix(b"/")
        yield _Rule(_compiled(plain), by_name, values)


MOST_STARS = 3
"""Runs of stars up to which a regular expression, which knows every quirk of git's, cannot blow up."""


def _compiled(pattern: bytes) -> re.Pattern[bytes] | _ManyStars:
    if len(re.findall(rb"\*+", pattern)) > MOST_STARS:
        return _ManyStars(pattern.decode("latin-1"))
    return re.compile(_wildmatch(pattern), re.DOTALL)


def _pattern_and_rest(line: bytes) -> tuple[bytes, bytes] | None:
    """The pattern of a line and what follows; None for comments, macros and what git ignores with a warning."""
    if not line or line.startswith((b"#", b"[attr]", b"!")):
        return None
    if line.startswith(b'"'):
        quoted = _unquote(line)
        if quoted is not None:
            return quoted if not quoted[0].startswith(b"!") else None
    fields = re.split(rb"[ \t\r]+", line, maxsplit=1)
    return fields[0], fields[1] if len(fields) > 1 else b""


def _unquote(line: bytes) -> tuple[bytes, bytes] | None:
    """A C-quoted pattern; None when the quoting is broken (git then takes the quote for part of the pattern)."""
    found = bytearray()
    at = 1
    while at < len(line):
        byte = line[at : at + 1]
        at += 1
        if byte == b'"':
            return bytes(found), line[at:]
        if byte != b"\\":
            found += byte
            continue
        byte = line[at : at + 1]
        octal = line[at : at + 3]
        if byte in (b'"', b"\\"):
            found += byte
            at += 1
        elif byte in _ESCAPES:
            found += _ESCAPES[byte]
            at += 1
        elif re.fullmatch(rb"[0-3][0-7][0-7]", octal):
            found.append(int(octal, 8))
            at += 3
        else:
            return None
    return None


def _values(rest: bytes) -> dict[bytes, bool | None]:
    """The two attributes among a line's words; later words win. Any value but `false` means true, as on GitHub."""
    values: dict[bytes, bool | None] = {}
    for word in re.split(rb"[ \t\r]+", rest):
        name, has_value, value = word.partition(b"=")
        if name in (_GENERATED, _VENDORED):
            values[name] = value != b"false" if has_value else True
        elif name.startswith(b"-") and name[1:] in (_GENERATED, _VENDORED):
            values[name[1:]] = False
        elif name.startswith(b"!") and name[1:] in (_GENERATED, _VENDORED):
            values[name[1:]] = None
    return values


def _wildmatch(pattern: bytes) -> bytes:
    """A pattern of wildmatch.c (WM_PATHNAME) as a regular expression for the whole path."""
    out = bytearray()
    # git compares the literal beginning first, and then matches the rest as a pattern of its own.
    literal = len(pattern) - len(_LITERAL.sub(b"", pattern))
    at = 0
    while at < len(pattern):
        byte = pattern[at : at + 1]
        if byte == b"*":
            at, piece = _stars(pattern, at, at == literal)
            out += piece
            continue
        at += 1
        if byte == b"?":
            out += b"[^/]"
        elif byte == b"[":
            found = _bracket(pattern, at)
            if found is None:
                return _NEVER
            at, piece = found
            out += piece
        elif byte == b"\\":
            if at == len(pattern):
                return _NEVER
            out += re.escape(pattern[at : at + 1])
            at += 1
        else:
            out += re.escape(byte)
    return bytes(out)


def _stars(pattern: bytes, at: int, begins: bool) -> tuple[int, bytes]:
    """One or more stars. Two that stand alone between slashes cross folders; any others do not.

    begins: these are the first that is not literal.
    """
    end = at
    while pattern[end : end + 1] == b"*":
        end += 1
    opens = begins or pattern[at - 1 : at] == b"/"
    after = pattern[end : end + 1]
    if end - at >= 2 and opens:
        if after == b"/":
            return end + 1, b"(?:.*/)?"
        if pattern[end : end + 2] == b"\\/":
            return end + 2, b"(?:.*/)?"
        if not after:
            return end, b".*"
    return end, b"[^/]*"


def _bracket(pattern: bytes, at: int) -> tuple[int, bytes] | None:
    """A bracket expression from behind its `[`; None when it has no end. It never matches a slash."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: list[bytes] = []
    previous: int | None = None
    first = True
    while True:
        byte = pattern[at : at + 1]
        if not byte:
            return None
        if byte == b"]" and not first:
            break
        first = False
        if byte == b"[" and pattern[at + 1 : at + 2] == b":":
            end = pattern.find(b"]", at + 2)
            if end < 0:
                return None
            if pattern[end - 1 : end] == b":" and end - 1 >= at + 2:
                name = pattern[at + 2 : end - 1]
                if name not in _CLASSES:
                    return None
                members.append(_CLASSES[name])
                at, previous = end + 1, None
                continue
        if byte == b"-" and previous is not None and pattern[at + 1 : at + 2] not in (b"", b"]"):
            at += 1
            if pattern[at : at + 1] == b"\\":
                at += 1
            if at >= len(pattern):
                return None
            if previous <= pattern[at]:
                members.append(b"\\x%02x-\\x%02x" % (previous, pattern[at]))
            previous = None
            at += 1
            continue
        if byte == b"\\":
            at += 1
            if at >= len(pattern):
                return None
        previous = pattern[at]
        members.append(b"\\x%02x" % previous)
        at += 1
    body = b"".join(members)
    if not negated:
        return at + 1, b"(?!/)[" + body + b"]" if body else _NEVER
    return at + 1, b"(?!/)[^" + body + b"]"
