"""Written types: what a name denotes in a type position, and what is of that type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cmgit.core.facts import UnitKind, ValueOp
from cmgit.link.base import MISSING, Base
from cmgit.link.tree import File
from cmgit.link.values import (
    EXT,
    EXTERNAL,
    GLOBAL,
    INSTANCE,
    MODULE,
    PRIMITIVE,
    UNIT,
    Value,
)


class WrittenTypes(Base):
    """Part of the evaluator."""

    def entity(self, file: File, row: int) -> Value | None:
        """What a name in a type position denotes."""
        if row <= 0:
            return None
        op = file.op[row]
        if op == ValueOp.UNIT:
            return (UNIT, file.index, file.a[row], None)
        if op == ValueOp.IMPORT:
            return self.imported(file, file.a[row], True)
        if op == ValueOp.GLOBAL:
            name = file.strings[file.name[row]]
            return self.declared_global(name, True) or (GLOBAL, name)
        if op == ValueOp.MEMBER:
            base = self.entity(file, file.a[row])
            return self.type_member(base, file.strings[file.name[row]])
        return self.value(file, row, None)

    def type_member(self, base: Value | None, name: str) -> Value | None:
        """`B` of `A.B` in a type position."""
        if base is None:
            return None
        tag = base[0]
        if tag in (EXTERNAL, GLOBAL):
            return EXT
        if tag == MODULE:
            found = self.exported(base[1], name, True)
            return None if found is MISSING else found
        if tag == UNIT:
            file = self.files[base[1]]
            if file.kinds[base[2]] == UnitKind.ENUM:
                return (PRIMITIVE, "enum")
            row = file.props(base[2]).static.get(name)
            return self.entity(file, row) if row else None
        return None

    def instance(self, entity: Value | None, arguments: list[Value | None]) -> Value | None:
        """A value of the type that an entity names."""
        if entity is None:
            return None
        tag = entity[0]
        if tag == GLOBAL:
            return self.lib_type(entity[1], arguments)
        if tag == MODULE:
            return self.instance(self.module_value(entity[1]), arguments)
        if tag != UNIT:
            return entity if tag in (EXTERNAL, INSTANCE, PRIMITIVE) else None
        file, unit = self.files[entity[1]], entity[2]
        kind = file.kinds[unit]
        if kind in (UnitKind.CLASS, UnitKind.INTERFACE):
            binds = self.bind(file, unit, arguments) if arguments else (entity[3][1] if entity[3] else ())
            return (INSTANCE, file.index, unit, binds)
        if kind == UnitKind.TYPE:
            row = file.props(unit).instance.get(":", 0)
            binds = self.bind(file, unit, arguments) if arguments else ()
            return self.value(file, row, (None, binds) if binds else None)
        if kind == UnitKind.ENUM:
            return (PRIMITIVE, "enum")
        if kind in (UnitKind.FUNCTION, UnitKind.METHOD):
            return (INSTANCE, file.index, unit, ()) if file.is_javascript else None
        if kind == UnitKind.VARIABLE:
            held = self.variable_value(file, unit)
            if held is not None and held[0] in (UNIT, EXTERNAL, MODULE) and held[1:3] != (file.index, unit):
                return self.instance(held, arguments)
        return None

    def bind(self, file: File, unit: int, arguments: Sequence[Value | None]) -> tuple[Any, ...]:
        """Type parameters of a unit bound to arguments, in order."""
        names = file.props(unit).instance
        binds = []
        for position, argument in enumerate(arguments):
            row = names.get(f"<{position}>")
            if row is None:
                break
            if argument is not None:
                binds.append(((file.index, row), argument))
        return tuple(binds)
