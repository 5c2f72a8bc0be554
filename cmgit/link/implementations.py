"""What implements a signature: in classes below an interface, and in literals written for it."""

from __future__ import annotations

from collections.abc import Callable

from cmgit.core.facts import NONE, UnitFlag, UnitKind, ValueOp
from cmgit.core.records import Role
from cmgit.core.tables import Confidence, DependKind, EdgeStatus
from cmgit.languages.roles import role_of
from cmgit.link.edge import Edge
from cmgit.link.evaluate import Evaluator
from cmgit.link.heirs import Heirs, unit_name
from cmgit.link.reads import ANCESTOR, HEIR
from cmgit.link.tree import File
from cmgit.link.values import FUNCTION, INSTANCE, INTERSECTION, OBJECT, UNION, UNIT, Value

REFERENCES = frozenset({ValueOp.UNIT, ValueOp.IMPORT, ValueOp.MEMBER})
"""Values that name something that stands elsewhere."""


class Implementations:
    """Edges to what implements a signature, where just one thing does.

    Args:
        collect: (value, file, row, found) adds the edges that a reference to the value would have.
    """

    def __init__(
        self, evaluator: Evaluator, heirs: Heirs, collect: Callable[[Value | None, File, int, list[Edge]], None]
    ) -> None:
        self.evaluator = evaluator
        self.heirs = heirs
        self._collect = collect
        self._signatures: dict[int, dict[int, tuple[int, str]]] = {}
        self._tests: dict[int, bool] = {}

    def of_member(self, file: File, row: int) -> list[Edge]:
        """A signature of an interface, object type or abstract class with just one implementation."""
        if file.op[row] != ValueOp.MEMBER:
            return []
        evaluator = self.evaluator
        name = file.strings[file.name[row]]
        base = self._held(evaluator.value(file, file.a[row], None))
        options = base[1] if base is not None and base[0] in (UNION, INTERSECTION) else (base,)
        found: dict[tuple[int, int], None] = {}
        for option in options:
            if option is None:
                continue
            if option[0] == OBJECT:
                owner: tuple[int, int] | None = (option[1], -2 - option[2])
            elif option[0] == INSTANCE:
                place = evaluator.find(evaluator.files[option[1]], option[2], name, False)
                owner = None if place is None or place[0] is None else self._owner(place[0], place[1], option)
            else:
                continue
            if owner is not None:
                found.update(dict.fromkeys(self._of_type(owner, name)))
        only = next(iter(found)) if len(found) == 1 else None
        if only is None or only[0] == NONE:
            return []
        return [Edge(EdgeStatus.RESOLVED, *only, Confidence.LIKELY, "single-implementation")]

    def of_signature(self, value: Value) -> list[Edge]:
        """The same, for a signature that came here through other values."""
        options = value[1] if value[0] == UNION else (value,)
        found: dict[tuple[int, int], None] = {}
        for option in options:
            if option is None or option[0] != FUNCTION:
                return []
            owner = self._signatures_of(option[1]).get(option[2])
            if owner is None:
                return []
            found.update(dict.fromkeys(self._of_type((option[1], owner[0]), owner[1])))
        only = next(iter(found)) if len(found) == 1 else None
        if only is None or only[0] == NONE:
            return []
        return [Edge(EdgeStatus.RESOLVED, *only, Confidence.LIKELY, "single-implementation")]

    def _signatures_of(self, index: int) -> dict[int, tuple[int, str]]:
        """FUNCTION rows that are members of an interface of a file: row -> (unit, name)."""
        table = self._signatures.get(index)
        if table is None:
            table = self._signatures[index] = {}
            file = self.evaluator.files[index]
            for unit, props in file.units_with_props().items():
                if file.kinds[unit] != UnitKind.INTERFACE:
                    continue
                for name, row in props.instance.items():
                    work = [row] if name[:1] not in "(<:=[" else []
                    while work:
                        part = work.pop()
                        if part > 0 and file.op[part] == ValueOp.FUNCTION:
                            table[part] = (unit, name)
                        elif part > 0 and file.op[part] == ValueOp.UNION:
                            work += (file.a[part], file.b[part])
        return table

    def _held(self, value: Value | None) -> Value | None:
        """A variable as what it holds."""
        for _ in range(6):
            if value is None or value[0] != UNIT:
                return value
            file = self.evaluator.files[value[1]]
            if file.kinds[value[2]] != UnitKind.VARIABLE:
                return value
            value = self.evaluator.variable_value(file, value[2])
        return value

    def _owner(self, holder: File, row: int, option: Value) -> tuple[int, int] | None:
        """The interface or class whose own member a row is."""
        work, seen = [(option[1], option[2])], set()
        while work:
            at, unit = work.pop(0)
            if (at, unit) in seen:
                continue
            seen.add((at, unit))
            file = self.evaluator.files[at]
            if file is holder and row in file.props(unit).instance.values():
                return (at, unit)
            for base in self.evaluator.bases(file, unit):
                if base is not None and base[0] in (UNIT, INSTANCE):
                    work.append((base[1], base[2]))
        return None

    def _of_type(self, owner: tuple[int, int], name: str) -> list[tuple[int, int]]:
        """Units that implement member `name` of an interface: in classes below it, and in literals written for it.

        An implementation without a unit is (NONE, number).
        """
        evaluator = self.evaluator
        found: dict[tuple[int, int], None] = {}
        work, seen = [owner], {owner}
        while work:
            current = work.pop()
            evaluator.read(current[0], ANCESTOR + unit_name(evaluator.files[current[0]], current[1]))
            for kind, at, place in self.heirs.get(current, ()):
                if self._is_test(at) and not self._is_test(owner[0]):
                    continue  # a double that a test stands in for the product
                holder = evaluator.files[at]
                evaluator.read(at, HEIR + unit_name(holder, NONE if kind == DependKind.LITERAL else place))
                if kind == DependKind.LITERAL:
                    if current == owner:  # a literal of a derived interface is written for that one
                        self._literal_member(holder, place, name, found)
                    continue
                heir = (at, place)
                if heir in seen:
                    continue
                seen.add(heir)
                work.append(heir)
                if holder.kinds[place] == UnitKind.CLASS:
                    row = holder.props(place).instance.get(name, 0)
                    if row and holder.op[row] == ValueOp.UNIT:
                        unit = holder.a[row]
                        if not holder.facts.units.flags[unit] & UnitFlag.BODILESS:
                            found[at, unit] = None
                    elif row:
                        found[NONE, len(found)] = None
        return list(found)

    def _is_test(self, index: int) -> bool:
        found = self._tests.get(index)
        if found is None:
            found = self._tests[index] = role_of(self.evaluator.paths[index]) in (Role.TEST, Role.FIXTURE)
        return found

    def _literal_member(self, holder: File, row: int, name: str, found: dict[tuple[int, int], None]) -> None:
        members = holder.members(row)
        if name not in members:
            return
        member = members[name]
        parts: list[Edge] = []
        if member > 0 and holder.op[member] in REFERENCES:
            value = self.evaluator.value(holder, member, None)
            self._collect(value, holder, member, parts)
        if len(parts) == 1 and parts[0].status == EdgeStatus.RESOLVED:
            found[parts[0].file, parts[0].unit] = None
        else:
            found[NONE, len(found)] = None

    def of_method(self, index: int, unit: int) -> list[tuple[int, int]]:
        holder = self.evaluator.files[index]
        owner = holder.facts.units.owner[unit]
        if owner < 0:
            return []
        return self._of_type((index, owner), holder.facts.name(unit))
