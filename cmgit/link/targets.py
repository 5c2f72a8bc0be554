"""From the value of a callee to the units that an edge goes to, with the rule that says so."""

from __future__ import annotations

from cmgit.core.facts import NONE, RefKind, UnitFlag, UnitKind, ValueOp
from cmgit.core.tables import Confidence, EdgeStatus
from cmgit.link.base import TooFar
from cmgit.link.edge import OUTSIDE, UNKNOWN, Edge
from cmgit.link.evaluate import Evaluator
from cmgit.link.heirs import Heirs
from cmgit.link.implementations import REFERENCES, Implementations
from cmgit.link.rules import rule_of
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
_NEVER_READ = frozenset({UnitKind.FILE, UnitKind.BLOCK, UnitKind.INTERFACE, UnitKind.TYPE})
_FUNCTIONS = frozenset({UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CLASS, UnitKind.CALLBACK})


class Targets:
    """Edges of references and imports."""

    def __init__(self, evaluator: Evaluator, heirs: Heirs) -> None:
        self.evaluator = evaluator
        self.implementations = Implementations(evaluator, heirs, self._collect_member)
        self._memo: dict[tuple[int, int, bool], list[Edge]] = {}

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
                    rule = rule_of(self.evaluator, file, row, value)
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
        rule = rule_of(self.evaluator, file, row, value)
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
            found = self.implementations.of_member(file, row) or self.implementations.of_signature(value) or found
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

    def _collect_member(self, value: Value | None, file: File, row: int, found: list[Edge]) -> None:
        self._collect(value, file, row, "object", Confidence.PROVEN, found, 0)

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
            if (initial and holder.op[initial] in REFERENCES) or (initial and holder.op[initial] == ValueOp.UNION):
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
                found.extend(self.implementations.of_member(holder, initial) if initial else [UNKNOWN])
                return
        elif kind in (UnitKind.INTERFACE, UnitKind.TYPE):
            found.append(UNKNOWN)
            return
        elif kind == UnitKind.METHOD and holder.facts.units.flags[unit] & UnitFlag.BODILESS:
            implementations = self.implementations.of_method(holder.index, unit)
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
