"""Strings of one blob, kept once."""

from __future__ import annotations


class Interner:
    """Gives each distinct string an index, in order of first use."""

    __slots__ = ("_ids", "_texts")

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []

    def id(self, text: str) -> int:
        """The index of a string, new or known."""
        found = self._ids.get(text)
        if found is None:
            found = self._ids[text] = len(self._texts)
            self._texts.append(text)
        return found

    def strings(self) -> tuple[str, ...]:
        """All strings so far, by index."""
        return tuple(self._texts)

    def __getitem__(self, index: int) -> str:
        return self._texts[index]
