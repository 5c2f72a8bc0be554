"""From the value of a callee to the units that an edge goes to, with the rule that says so."""

from __future__ import annotations

from typing import NamedTuple

from cmgit.core.facts import NONE, ImportKind, RefKind, UnitFlag, UnitKind, ValueOp
from cmgit.core.records import Role
from cmgit.core.tables import Confidence, DependKind, EdgeStatus
from cmgit.languages.roles import role_of
from cmgit.link.base import TooFar
from cmgit.link.evaluate import Evaluator
from cmgit.link.heirs import Heirs, unit_name
from cmgit.link.reads import ANCESTOR, HEIR
from cmgit.link.tree import File
from cmgit.link.values import (
    EXTERNAL,
    FUNCTION,
    GLOBAL,
    INSTANCE,
    INTERSECTION,
    LIB,
    LIB_METHOD,
    MODULE,
    OBJECT,
    PRIMITIVE,
    SIGNATURE,
    TUPLE,
    UNION,
    UNIT,
    Value,
)

_TYPES = frozenset({RefKind.TYPE, RefKind.IMPLEMENTS})
_OUTSIDE = frozenset({EXTERNAL, GLOBAL, PRIMITIVE, LIB, LIB_METHOD})
_REFERENCES = frozenset({ValueOp.UNIT, ValueOp.IMPORT, ValueOp.MEMBER})
_NEVER_READ = frozenset({UnitKind.FILE, UnitKind.BLOCK, UnitKind.INTERFACE, UnitKind.TYPE})
_FUNCTIONS = frozenset({UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CLASS, UnitKind.CALLBACK})

_RECEIVER_RULES = {
    ValueOp.THIS: "this", ValueOp.STATIC_THIS: "this", ValueOp.SUPER: "super", ValueOp.NEW: "new",
    ValueOp.TYPE_NAME: "annotation", ValueOp.CALL: "return", ValueOp.AWAIT: "return", ValueOp.ELEMENT: "element",
    ValueOp.KEYED: "element", ValueOp.OBJECT: "object", ValueOp.NARROWED: "narrowed", ValueOp.GUARDED: "narrowed",
    ValueOp.CALLBACK_PARAM: "context", ValueOp.UNION: "union", ValueOp.MEMBER: "member", ValueOp.EXPORTS: "module",
    ValueOp.DECLARED: "annotation", ValueOp.INTERSECT: "annotation", ValueOp.EXTENDED: "object",
    ValueOp.TYPE_PARAM: "constraint", ValueOp.ARRAY: "element", ValueOp.GETTER: "return",
}  # fmt: skip


class Edge(NamedTuple):
    """One answer for a reference. file, unit: NONE unless resolved."""

    status: int
    file: int
    unit: int
    confidence: int
    rule: str


UNKNOWN = Edge(EdgeStatus.UNKNOWN, NONE, NONE, Confidence.PROVEN, "unknown")
OUTSIDE = Edge(EdgeStatus.EXTERNAL, NONE, NONE, Confidence.PROVEN, "external")


class Targets:
    """Edges of references and imports."""

    def __init__(self, evaluator: Evaluator, heirs: Heirs) -> None:
        self.evaluator = evaluator
        self.heirs = heirs
        self._memo: dict[tuple[int, int, bool], list[Edge]] = {}
        self._signatures: dict[int, dict[int, tuple[int, str]]] = {}
        self._tests: dict[int, bool] = {}

    def reference(self, file: File, kind: int, row: int) -> list[Edge]:
        """Edges of a reference whose callee is the value `row`. None for a VALUE that is no unit of the tree."""
        if kind == RefKind.VALUE:
            return self._read(file, row)
        if row <= 0:
            return [UNKNOWN]
        types = kind in _TYPES or (kind == RefKind.EXTENDS)
        key = (file.index, row, types)
        found = self._memo.get(key)
        if found is None:
            self.evaluator.begin()
            try:
                found = self._type(file, row, kind) if types else self._callee(file, row)
            except TooFar:
                found = [UNKNOWN]
            self._memo[key] = found
        return found

    def _read(self, file: File, row: int) -> list[Edge]:
        """What a call of the same expression would reach in the tree; else the data unit itself."""
        evaluator = self.evaluator
        found = [edge for edge in self.reference(file, RefKind.CALL, row) if edge.status == EdgeStatus.RESOLVED]
        if not found:
            asked = evaluator.deps
            evaluator.begin()
            try:
                value = evaluator.value(file, row, None)
                if value is not None and value[0] == UNIT:
                    rule = self.rule(file, row, value)
                    found = [Edge(EdgeStatus.RESOLVED, value[1], value[2], Confidence.PROVEN, rule)]
            except TooFar:
                found = []
            evaluator.deps = evaluator.reads.join(evaluator.deps, asked)
        return [edge for edge in found if evaluator.files[edge.file].kinds[edge.unit] not in _NEVER_READ]

    def _type(self, file: File, row: int, kind: int) -> list[Edge]:
        evaluator = self.evaluator
        entity = evaluator.entity(file, row)
        if entity is None and kind == RefKind.EXTENDS:
            entity = evaluator.value(file, row, None)
        if entity is not None and entity[0] == MODULE:
            entity = evaluator.module_value(entity[1]) or (UNIT, entity[1], 0, None)
        if entity is None:
            return [UNKNOWN]
        if entity[0] == UNIT:
            rule = "local" if entity[1] == file.index else "import"
            return [Edge(EdgeStatus.RESOLVED, entity[1], entity[2], Confidence.PROVEN, rule)]
        return [OUTSIDE if entity[0] in _OUTSIDE else UNKNOWN]

    # -- callees ------------------------------------------------------------------------------------

    def _callee(self, file: File, row: int) -> list[Edge]:
        value = self.evaluator.value(file, row, None)
        if file.op[row] == ValueOp.SUPER and value is not None and value[0] == INSTANCE:
            value = (UNIT, value[1], value[2], None)  # `super()` is the class
        if file.op[row] == ValueOp.GLOBAL:
            return [OUTSIDE]
        rule = self.rule(file, row, value)
        found: list[Edge] = []
        self._collect(value, file, row, rule, Confidence.PROVEN, found, 0)
        resolved = list(dict.fromkeys(edge for edge in found if edge.status == EdgeStatus.RESOLVED))
        if len(resolved) > 1:
            resolved = [edge._replace(confidence=Confidence.LIKELY, rule="union") for edge in resolved]
        if resolved:
            if len(resolved) < len(found) and any(edge is UNKNOWN for edge in found):
                resolved = [edge._replace(confidence=Confidence.LIKELY) for edge in resolved]
            return list(dict.fromkeys(resolved))[:6]
        if value is not None and value[0] in (FUNCTION, OBJECT, INSTANCE, UNION, SIGNATURE):
            found = self._signature(file, row) or self._declared_signature(value) or found
        if any(edge.status == EdgeStatus.RESOLVED for edge in found):
            return found
        if found and all(edge.status == EdgeStatus.EXTERNAL for edge in found):
            return [OUTSIDE]
        if file.op[row] == ValueOp.PARAM:
            return [UNKNOWN._replace(rule="parameter")]
        return [UNKNOWN]

    def _collect(
        self, value: Value | None, file: File, row: int, rule: str, confidence: int, found: list[Edge], depth: int
    ) -> None:
        if value is None or depth > 8:
            found.append(UNKNOWN)
            return
        tag = value[0]
        if tag == UNIT:
            self._unit(value, file, row, rule, confidence, found, depth)
        elif tag == UNION:
            if any(item is not None and item[0] == FUNCTION for item in value[1]):
                found.append(UNKNOWN)  # a function without a unit is one of them: the variable that holds it is meant
                return
            for item in value[1]:
                self._collect(item, file, row, rule, confidence, found, depth + 1)
        elif tag == INTERSECTION:
            best: list[Edge] = []
            for item in value[1]:
                parts: list[Edge] = []
                self._collect(item, file, row, rule, confidence, parts, depth + 1)
                best = best or [edge for edge in parts if edge.status == EdgeStatus.RESOLVED]
            found.extend(best or [UNKNOWN])
        elif tag == MODULE:
            inner = self.evaluator.module_value(value[1])
            self._collect(inner, file, row, rule, confidence, found, depth + 1)
        elif tag in _OUTSIDE or tag == TUPLE:
            found.append(OUTSIDE)
        else:
            found.append(UNKNOWN)

    def _unit(
        self, value: Value, file: File, row: int, rule: str, confidence: int, found: list[Edge], depth: int
    ) -> None:
        evaluator = self.evaluator
        holder, unit = evaluator.files[value[1]], value[2]
        kind = holder.kinds[unit]
        here = Edge(EdgeStatus.RESOLVED, holder.index, unit, confidence, rule)
        if kind == UnitKind.VARIABLE:
            props = holder.props(unit).instance
            initial = props.get("=", 0)
            if "{=}" in props:
                found.append(here)
                return
            if (initial and holder.op[initial] in _REFERENCES) or (initial and holder.op[initial] == ValueOp.UNION):
                inner = evaluator.value(holder, initial, None)
                parts: list[Edge] = []
                if inner is not None and inner != value:
                    self._collect(inner, file, row, rule, confidence, parts, depth + 1)
                    resolved = [edge for edge in parts if edge.status == EdgeStatus.RESOLVED]
                    if resolved:
                        found.extend(resolved)
                        return
            if holder.index == file.index and self._passed_on(holder, initial):
                found.append(OUTSIDE)
                return
            if "{}" in props:
                found.extend(self._signature(holder, initial) if initial else [UNKNOWN])
                return
        elif kind in (UnitKind.INTERFACE, UnitKind.TYPE):
            found.append(UNKNOWN)
            return
        elif kind == UnitKind.METHOD and holder.facts.units.flags[unit] & UnitFlag.BODILESS:
            implementations = self._implementations(holder.index, unit)
            if len(implementations) == 1 and implementations[0][0] != NONE:
                found.append(Edge(EdgeStatus.RESOLVED, *implementations[0], Confidence.LIKELY, "single-implementation"))
                return
        found.append(here)

    def _passed_on(self, holder: File, row: int) -> bool:
        """Whether a variable only names something from outside: `const { join } = path`."""
        if row <= 0:
            return False
        value = self.evaluator.value(holder, row, None)
        if value is None or value[0] not in _OUTSIDE:
            return False
        current = row
        while current > 0 and holder.op[current] in (ValueOp.CALL, ValueOp.NEW, ValueOp.MEMBER, ValueOp.AWAIT):
            if holder.op[current] in (ValueOp.CALL, ValueOp.NEW):
                for argument in holder.list(holder.b[current]):
                    op = holder.op[argument]
                    if op == ValueOp.FUNCTION:
                        return False
                    if op == ValueOp.UNIT and holder.kinds[holder.a[argument]] in _FUNCTIONS:
                        return False
            current = holder.a[current]
        return True

    # -- interfaces ---------------------------------------------------------------------------------

    def _signature(self, file: File, row: int) -> list[Edge]:
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

    def _declared_signature(self, value: Value) -> list[Edge]:
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
        if member > 0 and holder.op[member] in _REFERENCES:
            value = self.evaluator.value(holder, member, None)
            self._collect(value, holder, member, "object", Confidence.PROVEN, parts, 0)
        if len(parts) == 1 and parts[0].status == EdgeStatus.RESOLVED:
            found[parts[0].file, parts[0].unit] = None
        else:
            found[NONE, len(found)] = None

    def _implementations(self, index: int, unit: int) -> list[tuple[int, int]]:
        holder = self.evaluator.files[index]
        owner = holder.facts.units.owner[unit]
        if owner < 0:
            return []
        return self._of_type((index, owner), holder.facts.name(unit))

    # -- rules --------------------------------------------------------------------------------------

    def rule(self, file: File, row: int, value: Value | None) -> str:
        """The short name of why a callee is what it is."""
        op = file.op[row]
        if op == ValueOp.UNIT:
            return "local"
        if op == ValueOp.IMPORT:
            return self._import_rule(file, file.a[row], value)
        if op == ValueOp.MEMBER:
            receiver = file.a[row]
            inner = file.op[receiver]
            while inner == ValueOp.PARAM and file.a[receiver] > 0:
                receiver = file.a[receiver]
                inner = file.op[receiver]
            if inner == ValueOp.IMPORT:
                base = self.evaluator.value(file, receiver, None)
                return "namespace" if base is not None and base[0] == MODULE else "static"
            if inner == ValueOp.UNIT:
                kind = file.kinds[file.a[receiver]]
                return {UnitKind.CLASS: "static", UnitKind.NAMESPACE: "namespace", UnitKind.FUNCTION: "static"}.get(
                    UnitKind(kind), "object"
                )
            return _RECEIVER_RULES.get(ValueOp(inner), "member")
        return _RECEIVER_RULES.get(ValueOp(op), "value")

    def _import_rule(self, file: File, row: int, value: Value | None) -> str:
        kind = file.facts.imports.kind[row]
        target = self.evaluator.target_file(file, row)
        if value is not None and value[0] == UNIT and target is not None and target >= 0 and value[1] != target:
            return "reexport"
        return "require" if kind == ImportKind.REQUIRE else "import"
