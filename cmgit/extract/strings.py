"""Strings of one blob, kept once."""

from __future__ import annotations

from collections.abc import Callable


class _Indices(dict[str, int]):
    def __missing__(self, text: str) -> int:
        index = self[text] = len(self)
        return index


class Interner:
    """Gives each distinct string an index, in order of first use.

    id: the index of a string, new or known.
    """

    __slots__ = ("_indices", "id")

    def __init__(self) -> None:
        self._indices = _Indices()
        # The dictionary's own method: the call of one written here would cost more than what it does.
        self.id: Callable[[str], int] = self._indices.__getitem__

    def strings(self) -> tuple[str, ...]:
        """All strings so far, by index."""
        return tuple(self._indices)
