"""What a blob is before anybody parses it, judged by its bytes alone."""

from __future__ import annotations

import re

from cmgit.core.facts import BlobStatus

_LFS = re.compile(rb"version https://git-lfs\.github\.com/spec/v\d+\r?\n(?:[a-z0-9.-]+ [^\r\n]*\r?\n)*oid [a-z0-9]+:")
_LONGEST_LFS_POINTER = 1024
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"

_MOST_FOREIGN = 0.1
"""Share of control bytes, or of bytes that are not UTF-8, above which a file is no text. A Latin-1 comment stays far
below; UTF-16 without a mark is far above."""

_CONTROLS = bytes(byte for byte in range(0x20) if byte not in b"\t\n\v\f\r\x1b")

# A bundle is large, stands on few very long lines, and those are code: dense in brackets and semicolons. Average line
# length alone says nothing (dean0x/skim#395): one long string does not make a module a bundle.
_SMALLEST_BUNDLE = 100_000
_LONG_LINE = 5_000
_BUNDLE_SHARE = 0.8
_CODE_DENSITY = 0.04
_CODE = b"(){};"
_NOT_CODE = bytes(sorted(set(range(256)) - set(_CODE)))


def reason_to_skip(data: bytes, max_bytes: int) -> BlobStatus | None:
    """Why a blob has no text to parse, or None. A skipped blob carries no searchable text at all."""
    if not data or not data.removeprefix(_UTF8_MARK).strip():
        return BlobStatus.EMPTY
    if len(data) <= _LONGEST_LFS_POINTER and _LFS.match(data):
        return BlobStatus.LFS_POINTER
    if data.startswith(_UTF16_MARKS) or b"\0" in data:
        return BlobStatus.BINARY
    if len(data) > max_bytes:
        return BlobStatus.OVERSIZED
    if len(data) - len(data.translate(None, _CONTROLS)) > _MOST_FOREIGN * len(data):
        return BlobStatus.BINARY
    if is_bundle(data):
        return BlobStatus.MINIFIED
    return None


def is_bundle(data: bytes) -> bool:
    """Whether this is minified code, by size and shape."""
    if len(data) < _SMALLEST_BUNDLE:
        return False
    long_lines = [line for line in data.splitlines() if len(line) > _LONG_LINE]
    total = sum(map(len, long_lines))
    if total < _BUNDLE_SHARE * len(data):
        return False
    return sum(len(line.translate(None, _NOT_CODE)) for line in long_lines) >= _CODE_DENSITY * total


def text_start(data: bytes) -> int:
    """Where the text begins: past a byte-order mark."""
    return len(_UTF8_MARK) if data.startswith(_UTF8_MARK) else 0


def as_utf8(data: bytes) -> bytes | None:
    """The same text, as long, with `_` for each byte that is not UTF-8; None where they are too many for a text."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return data
    text = data.decode("utf-8", "surrogateescape")
    mended, foreign = re.subn("[\udc80-\udcff]", "_", text)
    return mended.encode("utf-8") if foreign <= _MOST_FOREIGN * len(data) else None
