"""The files of a tree as linking sees them: columns as lists, members by unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cmgit.core.facts import NONE, BlobFacts, ValueOp

_THIS, _TYPE_PARAM, _OBJECT, _FUNCTION = ValueOp.THIS, ValueOp.TYPE_PARAM, ValueOp.OBJECT, ValueOp.FUNCTION
_LEAVES = frozenset({ValueOp.UNIT, ValueOp.IMPORT, ValueOp.GLOBAL, ValueOp.LITERAL, ValueOp.UNKNOWN, ValueOp.EXPORTS})
_SINGLE = frozenset(
    {
        ValueOp.MEMBER, ValueOp.AWAIT, ValueOp.ELEMENT, ValueOp.PROMISE, ValueOp.ARRAY, ValueOp.PARAM,
        ValueOp.CALLBACK_PARAM, ValueOp.EXPECTED, ValueOp.NEW_EXPECTED, ValueOp.KEYED, ValueOp.GETTER, ValueOp.RETURNED,
        ValueOp.SIGNATURE,
    }
)  # fmt: skip
_PAIR = frozenset(
    {
        ValueOp.UNION, ValueOp.INTERSECT, ValueOp.NARROWED, ValueOp.DECLARED, ValueOp.EXTENDED, ValueOp.GUARDED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkFile:
    """A source file of the tree."""

    path: str
    facts: BlobFacts


_DECLARATION = re.compile(r"\.d\.(?:[^.]+\.)?[cm]?ts$")


class UnitProps:
    """Members of one unit. instance and static: name -> value row; lists: rows of `<`, `<<` and `...`."""

    __slots__ = ("instance", "lists", "static")

    def __init__(self) -> None:
        self.instance: dict[str, int] = {}
        self.static: dict[str, int] = {}
        self.lists: dict[str, list[int]] = {}


_NO_PROPS = UnitProps()
_LISTED = frozenset({"<", "<<", "...", "{:}"})


class File:
    """One file, opened for evaluation."""

    __slots__ = (
        "_asking", "_circular", "_needs", "_props", "a", "args", "b", "exports", "facts", "globals", "import_memo",
        "index", "is_javascript", "kinds", "memo", "name", "op", "path", "prop_names", "prop_values", "stars",
        "strings",
    )  # fmt: skip

    def __init__(self, index: int, path: str, facts: BlobFacts) -> None:
        self.index = index
        self.path = path
        self.facts = facts
        self.strings = facts.strings
        self.is_javascript = facts.language in ("javascript", "jsx", "vue", "svelte", "astro")
        values = facts.values
        self.op = values.op
        self.a = values.a
        self.b = values.b
        self.name = values.name
        self.args = facts.args
        self.kinds = facts.units.kind
        self.memo: list[Any] = [None] * len(values)
        self.import_memo: dict[tuple[int, bool], Any] = {}
        self.prop_names = facts.props.name
        self.prop_values = facts.props.value
        self._props: dict[int, UnitProps] | None = None
        self._needs: dict[int, bool] = {}
        self._asking: set[int] = set()
        self._circular = False
        self.exports: dict[str, list[tuple[int, int]]] = {}
        self.stars: list[int] = []
        self.globals: dict[str, list[int]] = {}
        strings, columns = self.strings, facts.exports
        for name, value, row in zip(columns.name, columns.value, columns.import_row, strict=True):
            text = strings[name]
            if text.startswith(("global ", "script ")):
                if text[0] == "g" or (path.endswith(".ts") and _DECLARATION.search(path)):
                    self.globals.setdefault(text[7:], []).append(value)
            elif text == "*":
                self.stars.append(row)
            else:
                self.exports.setdefault(text, []).append((value, row))

    def props(self, unit: int) -> UnitProps:
        table = self._props
        if table is None:
            table = self._props = self._read_props()
        return table.get(unit, _NO_PROPS)

    def units_with_props(self) -> dict[int, UnitProps]:
        if self._props is None:
            self._props = self._read_props()
        return self._props

    def _read_props(self) -> dict[int, UnitProps]:
        table: dict[int, UnitProps] = {}
        columns, strings = self.facts.props, self.strings
        for unit, name, value, static in zip(columns.unit, columns.name, columns.value, columns.static, strict=True):
            if unit == NONE:
                continue
            props = table.get(unit)
            if props is None:
                props = table[unit] = UnitProps()
            text = strings[name]
            if text in _LISTED:
                props.lists.setdefault(text, []).append(value)
            else:
                target = props.static if static else props.instance
                if not target.get(text):
                    target[text] = value
        return table

    def members(self, row: int) -> dict[str, int]:
        """Members of an OBJECT or FUNCTION row, the first of each name."""
        first, count = self.a[row], self.b[row]
        strings, names, values = self.strings, self.prop_names, self.prop_values
        found: dict[str, int] = {}
        for index in range(first, first + count):
            text = strings[names[index]]
            if text not in found:
                found[text] = values[index]
        return found

    def member_rows(self, row: int, name: str) -> list[int]:
        first, count = self.a[row], self.b[row]
        strings, names, values = self.strings, self.prop_names, self.prop_values
        return [values[i] for i in range(first, first + count) if strings[names[i]] == name]

    def list(self, row: int) -> Sequence[int]:
        if row < 0:
            return ()
        count = self.args[row]
        return self.args[row + 1 : row + 1 + count]

    def needs_env(self, row: int) -> bool:
        """Whether a row's value depends on the receiver or on type parameters."""
        if row <= 0:
            return False
        found = self._needs.get(row)
        if found is not None:
            return found
        asking = self._asking
        if row in asking:
            self._circular = True
            return False
        asking.add(row)
        found = self._needs_env(row)
        asking.discard(row)
        if found or not asking or not self._circular:  # a "no" inside of a circle may be due to what is still asked
            self._needs[row] = found
        if not asking:
            self._circular = False
        return found

    def _needs_env(self, row: int) -> bool:
        op = self.op[row]
        if op in _LEAVES:
            return False
        if op in (_THIS, _TYPE_PARAM, ValueOp.STATIC_THIS, ValueOp.SUPER):
            return True
        if op in _SINGLE:
            return self.needs_env(self.a[row])
        if op in _PAIR:
            return self.needs_env(self.a[row]) or self.needs_env(self.b[row])
        if op in (_OBJECT, _FUNCTION):
            first, count = self.a[row], self.b[row]
            return any(self.needs_env(self.prop_values[i]) for i in range(first, first + count))
        if op == ValueOp.INDEX:
            return self.needs_env(self.a[row]) or self.needs_env(self.b[row])
        return self.needs_env(self.a[row]) or any(self.needs_env(item) for item in self.list(self.b[row]))
