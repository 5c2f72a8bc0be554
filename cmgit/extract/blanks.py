"""Blanking parts of a text without moving anything."""

from __future__ import annotations

_BLANKS = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))


def blank(text: bytearray, start: int, end: int) -> None:
    """Put spaces for everything but line breaks."""
    text[start:end] = text[start:end].translate(_BLANKS)
