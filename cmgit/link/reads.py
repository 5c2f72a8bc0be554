"""What results were read from: sets that are joined often and listed seldom."""

from __future__ import annotations

from collections.abc import Iterable

Token = tuple[int, str]
"""A file and what was asked of it: the name of an export, or one of the marks below. Index -1: the tree itself."""

SHAPE = ""
"""What a module is as a value."""
ANCESTOR = "<"
"""`<Name`: what extends, implements or is written for an interface or class; `<{}` for the object types of the file."""
HEIR = "^"
"""`^Name`: a class or interface that extends another; `^{}`: the literals that are written for a type."""
TREE = -1


class Reads:
    """Sets of tokens as numbers; 0 is the empty set. A join is kept as its two parts, the same join once."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int] | None] = [None]
        self._tokens: dict[int, Token] = {}
        self._of_token: dict[Token, int] = {}
        self._of_parts: dict[tuple[int, int], int] = {}

    def token(self, index: int, name: str) -> int:
        key = (index, name)
        found = self._of_token.get(key)
        if found is None:
            found = self._of_token[key] = len(self._parts)
            self._parts.append(None)
            self._tokens[found] = key
        return found

    def join(self, first: int, second: int) -> int:
        if not second or first == second:
            return first
        if not first:
            return second
        key = (first, second)
        found = self._of_parts.get(key)
        if found is None:
            if self._parts[first] is not None and second in self._parts[first]:  # type: ignore[operator]
                found = first
            else:
                found = len(self._parts)
                self._parts.append(key)
            self._of_parts[key] = found
        return found

    def tokens(self, roots: Iterable[int]) -> set[Token]:
        """All tokens of some sets."""
        work, seen = list(roots), set()
        found: set[Token] = set()
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            parts = self._parts[current]
            if parts is not None:
                work += parts
            elif current:
                found.add(self._tokens[current])
        return found
