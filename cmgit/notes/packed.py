"""Sorted lines in a row of bytes, and how one is found in them: a dictionary that costs nothing to load."""

from __future__ import annotations

from collections.abc import Iterator


def lines_from(data: bytes, prefix: bytes) -> Iterator[bytes]:
    """Every line that begins with the prefix, in order; lines are sorted by their bytes and end with a line feed."""
    at = _first_at_least(data, prefix)
    while at < len(data) and data.startswith(prefix, at):
        end = data.index(b"\n", at)
        yield data[at:end]
        at = end + 1


def _first_at_least(data: bytes, key: bytes) -> int:
    """Where the first line that is not before the key begins."""
    low, high = 0, len(data)  # both at the beginning of a line, or at the end of all
    while low < high:
        middle = (low + high) // 2
        start = data.rfind(b"\n", low, middle) + 1 or low
        end = data.index(b"\n", start) + 1
        if data[start : end - 1] < key:
            low = end
        else:
            high = start
    return low
