"""What differs between two versions of a file, as other files can see it.

Both versions are walked in step from everything that other files can ask for: exports, classes that extend others,
literals that are written for a type. Rows and units that are reached together and say the same correspond. An export
has changed when something that differs can be reached from it. So the body of a function whose result stays the same
is no change, and neither is a row that only has another number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cmgit.core.facts import NONE, BlobFacts, UnitFlag, UnitKind, ValueOp
from cmgit.link.reads import HEIR, SHAPE
from cmgit.link.tree import File

STARS = "*"
"""The `export *` of a file; never a token, but what barrels are followed by."""

_ROW = frozenset(
    {
        ValueOp.MEMBER, ValueOp.PARAM, ValueOp.AWAIT, ValueOp.ELEMENT, ValueOp.PROMISE, ValueOp.ARRAY, ValueOp.KEYED,
        ValueOp.GETTER, ValueOp.RETURNED, ValueOp.SIGNATURE, ValueOp.TYPE_PARAM, ValueOp.CALLBACK_PARAM,
        ValueOp.EXPECTED, ValueOp.NEW_EXPECTED,
    }
)  # fmt: skip
_ROWS = frozenset(
    {
        ValueOp.UNION, ValueOp.INTERSECT, ValueOp.NARROWED, ValueOp.DECLARED, ValueOp.EXTENDED, ValueOp.GUARDED,
        ValueOp.INDEX,
    }
)  # fmt: skip
_ROW_AND_LIST = frozenset({ValueOp.CALL, ValueOp.NEW, ValueOp.TYPE_NAME, ValueOp.INSTANTIATE})
_LIST = frozenset({ValueOp.TUPLE, ValueOp.CONDITIONAL})
_UNIT = frozenset({ValueOp.UNIT, ValueOp.THIS, ValueOp.STATIC_THIS, ValueOp.SUPER})
_MEMBERS = frozenset({ValueOp.OBJECT, ValueOp.FUNCTION})
_NUMBERED = frozenset({ValueOp.SUPER, ValueOp.CALLBACK_PARAM, ValueOp.EXPECTED, ValueOp.NEW_EXPECTED})
_FLAGGED = frozenset({ValueOp.EXPECTED, ValueOp.NEW_EXPECTED})

Pair = tuple[bool, int, int]
"""Whether it is a pair of units (or of rows), and the numbers in the old and the new version."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """changed: names of exports and marks that differ; None when everything does. units, rows: numbers of what
    corresponds, old to new."""

    changed: frozenset[str] | None
    units: dict[int, int]
    rows: dict[int, int]


class Side:
    """One version of a file, with tables for walking it."""

    def __init__(self, path: str, facts: BlobFacts) -> None:
        self.file = File(0, path, facts)
        self.facts = facts
        self.props: dict[int, list[tuple[str, int, int]]] = {}
        strings, columns = facts.strings, facts.props
        for unit, name, value, static in zip(columns.unit, columns.name, columns.value, columns.static, strict=True):
            if unit != NONE:
                self.props.setdefault(unit, []).append((strings[name], static, value))
        self.owners: dict[int, int] = {}  # FUNCTION row -> interface whose member it is
        for unit, members in self.props.items():
            if facts.units.kind[unit] == UnitKind.INTERFACE:
                for member, _, value in members:
                    self._note_owner(unit, value if member[:1] not in "(<:=[" else 0)

    def _note_owner(self, unit: int, row: int) -> None:
        work = [row]
        while work:
            part = work.pop()
            if part > 0 and self.file.op[part] == ValueOp.FUNCTION:
                self.owners[part] = unit
            elif part > 0 and self.file.op[part] == ValueOp.UNION:
                work += (self.file.a[part], self.file.b[part])

    def roots(self) -> dict[str, tuple[bool, list[int]]]:
        """What others can ask for: whether these are units, and the numbers."""
        found: dict[str, tuple[bool, list[int]]] = {}
        strings, columns = self.facts.strings, self.facts.exports
        for name, value in zip(columns.name, columns.value, strict=True):
            if strings[name] != STARS:
                found.setdefault(strings[name], (False, []))[1].append(value)
        shape = [*found.get("=", (False, []))[1], *found.get("default", (False, []))[1]]
        found[SHAPE] = (False, shape)
        for unit, members in self.props.items():
            if any(name in ("<", "<<") for name, _, _ in members):
                found.setdefault(HEIR + self.facts.name(unit), (True, []))[1].append(unit)
            if unit == 0:
                literals = [value for name, _, value in members if name == "{:}"]
                if literals:
                    found[HEIR + "{}"] = (False, literals)
        return found

    def shape(self) -> tuple[object, ...]:
        exports = self.file.exports
        return (bool(exports), "default" in exports, len(exports.get("=", ())), "__esModule" in self.file.strings)

    def stars(self, moved: Collection[str]) -> list[tuple[str, bool]]:
        column = self.facts.imports.specifier
        names = [self.file.strings[column[row]] for row in self.file.stars]
        return [(name, name in moved) for name in names]


class _Walk:
    """Both versions in step."""

    def __init__(self, old: Side, new: Side, moved: Collection[str]) -> None:
        self.old, self.new, self.moved = old, new, moved
        self.forward: dict[tuple[bool, int], int] = {}
        self.backward: dict[tuple[bool, int], int] = {}
        self.parents: dict[Pair, list[Pair]] = {}
        self.different: set[Pair] = set()

    def reach(self, root: Pair) -> None:
        work = [root] if self._meet(root) else []
        while work:
            pair = work.pop()
            below = self._units(pair[1], pair[2]) if pair[0] else self._rows(pair[1], pair[2])
            if below is None:
                self.different.add(pair)
                continue
            for inner in below:
                fresh = inner not in self.parents
                if not fresh or self._meet(inner):
                    self.parents[inner].append(pair)
                    if fresh and inner not in self.different:
                        work.append(inner)

    def _meet(self, pair: Pair) -> bool:
        """Whether a pair has to be looked at; what would correspond to two things differs."""
        units, old, new = pair
        if not units and old <= 0 and new <= 0:
            return False
        if pair in self.parents:
            return True
        self.parents[pair] = []
        if (not units and (old <= 0 or new <= 0)) or not self._correspond(units, old, new):
            self.different.add(pair)
        return True

    def _correspond(self, units: bool, old: int, new: int) -> bool:
        first = self.forward.setdefault((units, old), new)
        return first == new and self.backward.setdefault((units, new), old) == old

    def spread(self) -> None:
        """From what differs to all that it can be reached from."""
        work = list(self.different)
        while work:
            for parent in self.parents[work.pop()]:
                if parent not in self.different:
                    self.different.add(parent)
                    work.append(parent)

    def _units(self, old: int, new: int) -> list[Pair] | None:
        a, b = self.old.facts, self.new.facts
        kind, flags = a.units.kind[old], a.units.flags[old]
        if kind != b.units.kind[new] or flags != b.units.flags[new] or a.name(old) != b.name(new):
            return None
        first, second = self.old.props.get(old, ()), self.new.props.get(new, ())
        if kind == UnitKind.FILE:
            first = [member for member in first if member[0] != "{:}"]
            second = [member for member in second if member[0] != "{:}"]
        if [member[:2] for member in first] != [member[:2] for member in second]:
            return None
        below = [(False, x[2], y[2]) for x, y in zip(first, second, strict=True)]
        if kind == UnitKind.METHOD and flags & UnitFlag.BODILESS:
            below.append((True, a.units.owner[old], b.units.owner[new]))
        return below

    def _rows(self, old: int, new: int) -> list[Pair] | None:
        x, y = self.old.file, self.new.file
        op = x.op[old]
        if op != y.op[new] or not self._same_words(op, old, new):
            return None
        a, b = (x.a[old], x.b[old]), (y.a[new], y.b[new])
        if op in _NUMBERED and a[1] != b[1]:
            return None
        if op in _UNIT:
            return [(True, a[0], b[0])]
        if op == ValueOp.IMPORT:
            return [] if self._request(x, a[0]) == self._request(y, b[0]) else None
        if op in _ROW:
            return [(False, a[0], b[0])]
        if op in _ROWS:
            return [(False, a[0], b[0]), (False, a[1], b[1])]
        if op in _ROW_AND_LIST or op in _LIST:
            first, second = x.list(a[1]), y.list(b[1])
            if len(first) != len(second) or (a[1] < 0) != (b[1] < 0):
                return None
            below = [(False, *items) for items in zip(first, second, strict=True)]
            return below if op in _LIST else [(False, a[0], b[0]), *below]
        return self._members(old, new) if op in _MEMBERS else []

    def _members(self, old: int, new: int) -> list[Pair] | None:
        x, y = self.old.file, self.new.file
        first, second = _members(x, old), _members(y, new)
        owners = self.old.owners.get(old, NONE), self.new.owners.get(new, NONE)
        if [name for name, _ in first] != [name for name, _ in second] or (owners[0] < 0) != (owners[1] < 0):
            return None
        below: list[Pair] = [(False, a[1], b[1]) for a, b in zip(first, second, strict=True)]
        return below if owners[0] < 0 else [*below, (True, *owners)]

    def _same_words(self, op: int, old: int, new: int) -> bool:
        a, b = self.old.file.name[old], self.new.file.name[new]
        if op in _FLAGGED:
            return a == b
        if op == ValueOp.PARAM:
            return True
        if a < 0 or b < 0:
            return a == b
        return self.old.file.strings[a] == self.new.file.strings[b]

    def _request(self, file: File, row: int) -> tuple[object, ...]:
        imports, strings = file.facts.imports, file.strings
        specifier, name = strings[imports.specifier[row]], imports.imported[row]
        moved = specifier in self.moved
        return (specifier, strings[name] if name >= 0 else None, moved and file is self.old.file)


def _members(file: File, row: int) -> list[tuple[str, int]]:
    first, count = file.a[row], file.b[row]
    return [(file.strings[file.prop_names[i]], file.prop_values[i]) for i in range(first, first + count)]


def compare(path: str, old: BlobFacts, new: BlobFacts, moved: Collection[str] = ()) -> Comparison:
    """What of a file differs for others. moved: specifiers in it that mean another file than before."""
    if old.language != new.language:
        return Comparison(None, {}, {})
    sides = Side(path, old), Side(path, new)
    walk = _Walk(*sides, moved)
    before, after = sides[0].roots(), sides[1].roots()
    pairs = {name: list(_paired(before.get(name), after.get(name))) for name in before.keys() | after.keys()}
    for name in sorted(pairs):
        for pair in pairs[name]:
            if pair is not None:
                walk.reach(pair)
    walk.spread()
    changed = {name for name, found in pairs.items() if any(p is None or p in walk.different for p in found)}
    if sides[0].shape() != sides[1].shape():
        changed.add(SHAPE)
    if sides[0].stars(()) != sides[1].stars(moved):
        changed.add(STARS)
    units = {old: new for (is_unit, old), new in walk.forward.items() if is_unit}
    rows = {old: new for (is_unit, old), new in walk.forward.items() if not is_unit}
    for is_unit, first, _ in walk.different:
        (units if is_unit else rows).pop(first, None)
    units[0] = 0
    return Comparison(frozenset(changed), units, rows)


def _paired(before: tuple[bool, list[int]] | None, after: tuple[bool, list[int]] | None) -> Iterator[Pair | None]:
    """The numbers in pairs; None where one side has more."""
    if before is None or after is None or len(before[1]) != len(after[1]):
        yield None
        return
    for old, new in zip(before[1], after[1], strict=True):
        yield (before[0], old, new)
