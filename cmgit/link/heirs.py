"""What extends, implements or is written for the classes and interfaces of a tree."""

from __future__ import annotations

from typing import NamedTuple

from cmgit.core.facts import UnitKind, ValueOp
from cmgit.core.tables import DependKind
from cmgit.link.base import TooFar
from cmgit.link.evaluate import Evaluator
from cmgit.link.tree import File
from cmgit.link.values import GLOBAL, INSTANCE, UNIT, Value

Heirs = dict[tuple[int, int], list[tuple[int, int, int]]]
"""(file, unit or -2 - row of an object type) -> (DependKind HEIR or LITERAL, file, unit or row of the literal)."""


class Heir(NamedTuple):
    """One of them, as one file says it. number: unit, or -2 - row; place: unit, or row of the literal."""

    kind: int
    file: int
    number: int
    place: int


def unit_name(file: File, number: int) -> str:
    """The name of a unit, `{}` for an object type or literal."""
    return file.facts.name(number) if number >= 0 else "{}"


def heirs_of(file: File, evaluator: Evaluator) -> tuple[list[Heir], set[int]]:
    """The classes, interfaces and literals of a file by what they are for; and what that was read from."""
    found: list[Heir] = []
    evaluator.take_reads()
    for unit, props in file.units_with_props().items():
        for row in [*props.lists.get("<", ()), *props.lists.get("<<", ())]:
            _add(evaluator, file, row, DependKind.HEIR, unit, found)
    for row in file.props(0).lists.get("{:}", ()):
        _add(evaluator, file, file.a[row], DependKind.LITERAL, file.b[row], found)
    return found, evaluator.take_reads()


def _add(evaluator: Evaluator, file: File, row: int, kind: int, place: int, found: list[Heir]) -> None:
    evaluator.begin()
    try:
        owner = _ancestor(evaluator, file, row)
    except TooFar:
        owner = None
    if owner is not None:
        found.append(Heir(kind, *owner, place))


def _ancestor(evaluator: Evaluator, file: File, row: int) -> tuple[int, int] | None:
    base: Value | None = None
    for _ in range(8):
        if file.op[row] == ValueOp.AWAIT:
            row = file.a[row]
        if file.op[row] == ValueOp.OBJECT:
            return (file.index, -2 - row)
        if file.op[row] != ValueOp.TYPE_NAME:
            base = evaluator.value(file, row, None)
            break
        base = evaluator.entity(file, file.a[row])
        if base == (GLOBAL, "Promise"):
            arguments = file.list(file.b[row])
            if not arguments:
                return None
            row = arguments[0]
            continue
        if base is None or base[0] != UNIT or evaluator.files[base[1]].kinds[base[2]] != UnitKind.TYPE:
            break
        file = evaluator.files[base[1]]
        row = file.props(base[2]).instance.get(":", 0)
        if row <= 0:
            return None
    return (base[1], base[2]) if base is not None and base[0] in (INSTANCE, UNIT) else None
