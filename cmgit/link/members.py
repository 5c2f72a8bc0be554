"""Members of values: of classes and their bases, interfaces, objects, modules, built-ins."""

from __future__ import annotations

from typing import Any

from cmgit.core.facts import UnitKind, ValueOp
from cmgit.link.base import MISSING, Base
from cmgit.link.reads import SHAPE
from cmgit.link.tree import File
from cmgit.link.values import (
    CALLBACK,
    EXT,
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
    Env,
    Value,
    union,
)

# Members that every object has, and that a repository's own members of the same name override.
_OF_OBJECT = frozenset(
    {"toString", "hasOwnProperty", "valueOf", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "constructor"}
)
_OF_FUNCTION = frozenset({"call", "apply", "bind", "length", "name", "toString"})
_FUNCTIONS = frozenset({UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CALLBACK})


class Members(Base):
    """Part of the evaluator."""

    def member(self, base: Value | None, name: str) -> Value | None:
        """The value of `base.name`; None where it is not known to exist."""
        if base is None:
            return None
        tag = base[0]
        if tag in (EXTERNAL, PRIMITIVE):
            return EXT
        if not self.enter():
            return None
        found = self._member_of(tag, base, name)
        self.depth -= 1
        return found

    def _member_of(self, tag: int, base: Value, name: str) -> Value | None:
        if tag == INSTANCE:
            return self.instance_member(base, name)
        if tag == UNIT:
            return self.unit_member(base, name)
        if tag == MODULE:
            return self.module_member(base[1], name)
        if tag == OBJECT:
            return self.object_member(base, name)
        if tag == UNION:
            return self._union_member(base[1], name)
        if tag == INTERSECTION:
            return self._intersection_member(base[1], name)
        if tag == GLOBAL:
            return self.global_member(base[1], name)
        if tag == LIB:
            return self.lib_member(base, name)
        if tag == TUPLE:
            if name.isdigit():
                position = int(name)
                return base[1][position] if position < len(base[1]) else None
            return self.lib_member((LIB, "Array", (union(list(base[1])),)), name)
        if tag in (FUNCTION, CALLBACK):
            if name in _OF_FUNCTION:
                return (LIB_METHOD, name, base)
            return self.object_member(base, name) if tag == FUNCTION else None
        if tag == LIB_METHOD:
            return EXT
        if tag == SIGNATURE:
            return self.member(base[1], name)
        return None

    def _union_member(self, items: tuple[Value | None, ...], name: str) -> Value | None:
        """What those items have that have the member; unknown stays one of the possibilities."""
        found: list[Value | None] = []
        unknown = False
        for item in items:
            if item is None:
                unknown = True
                continue
            value = self.member(item, name)
            if value is not None and not (value == EXT and item[0] == PRIMITIVE):
                found.append(value)
        if not found:
            return None if unknown else (EXT if any(i is not None and i[0] == PRIMITIVE for i in items) else None)
        inside = [value for value in found if value != EXT]
        if inside and len(inside) < len(found):
            found = inside
        if unknown:
            found.append(None)
        return union(found)

    def _intersection_member(self, items: tuple[Value | None, ...], name: str) -> Value | None:
        outside = False
        for item in items:
            value = self.member(item, name)
            if value == EXT:
                outside = True
            elif value is not None:
                return value
        return EXT if outside else None

    # -- units --------------------------------------------------------------------------------------

    def with_env(self, value: Value | None, env: Env | None) -> Value | None:
        """A method together with its receiver."""
        if value is not None and env is not None and value[0] in (UNIT, FUNCTION) and value[3] is None:
            return (value[0], value[1], value[2], env)
        return value

    def unit_member(self, base: Value, name: str) -> Value | None:
        """A member of the declared thing itself: static, in a namespace, of a variable's value."""
        file, unit = self.files[base[1]], base[2]
        kind = file.kinds[unit]
        if kind == UnitKind.ENUM:
            return (PRIMITIVE, "enum")
        if kind == UnitKind.VARIABLE:
            return self._variable_member(file, unit, base, name)
        if kind == UnitKind.FILE:
            return None
        if name == "prototype" and kind in (UnitKind.CLASS, UnitKind.FUNCTION):
            return (INSTANCE, file.index, unit, ())
        found = self.find(file, unit, name, True)
        if found is not None:
            holder, row, binds = found
            if holder is None:
                return EXT if kind == UnitKind.CLASS else None
            return self.with_env(self.value(holder, row, (base, binds)), (base, binds))
        props = file.props(unit)
        if kind in _FUNCTIONS:
            for key in ("=", ":"):
                held = props.instance.get(key, 0)
                value = self.member(self.value(file, held, None), name) if held else None
                if value is not None:
                    return value
            if name in _OF_FUNCTION:
                return (LIB_METHOD, name, base)
        for row in props.lists.get("...", ()):
            value = self.member(self.value(file, row, None), name)
            if value is not None:
                return value
        return None

    def _variable_member(self, file: File, unit: int, base: Value, name: str) -> Value | None:
        props = file.props(unit)
        row = props.instance.get(name) if name[:1] not in "(<=:" else None
        own = self.value(file, row, None) if row else None
        if own is not None:
            return self.with_env(own, (base, ()))
        held = self.variable_value(file, unit)
        value = self.member(held, name) if held is not None and held != base else None
        if value is not None:
            return value
        for row in props.lists.get("...", ()):
            value = self.member(self.value(file, row, None), name)
            if value is not None:
                return value
        return None

    def variable_value(self, file: File, unit: int) -> Value | None:
        """What a variable holds: an object literal, else its written type, else its value."""
        props = file.props(unit).instance
        value_row, type_row = props.get("=", 0), props.get(":", 0)
        if type_row:
            typed = self.value(file, type_row, None)
            if (
                value_row
                and file.op[value_row] == ValueOp.OBJECT
                and (typed is None or typed[0] not in (EXTERNAL, LIB))
            ):
                return (
                    (INTERSECTION, (self.value(file, value_row, None), typed))
                    if typed
                    else self.value(file, value_row, None)
                )
            if typed is not None:
                return typed
        return self.value(file, value_row, None) if value_row else None

    # -- classes ------------------------------------------------------------------------------------

    def bases(self, file: File, unit: int, binds: Any = ()) -> list[Value | None]:
        """What a class or interface extends; None for a base that is not known."""
        if binds:
            rows = file.props(unit).lists.get("<", ())
            if any(file.needs_env(row) for row in rows):
                return [self.callable(self.value(file, row, (None, binds))) for row in rows]
        key = (file.index, unit)
        return self.keep(  # type: ignore[no-any-return]
            self.base_memo, key, ("b", *key), [], self._own_bases, file, unit
        )

    def _own_bases(self, file: File, unit: int) -> list[Value | None]:
        return [self.callable(self.value(file, row, None)) for row in file.props(unit).lists.get("<", ())]

    def find(
        self, file: File, unit: int, name: str, static: bool, binds: Any = ()
    ) -> tuple[File | None, int, Any] | None:
        """Where a member is declared: (file, row, bound type parameters of that class).

        (None, 0, ()) when a base from outside may have it; None when it is not known.
        """
        seen: set[tuple[int, int]] = set()
        work: list[tuple[File, int, Any]] = [(file, unit, binds)]
        outside = unknown = False
        while work:
            holder, current, binds = work.pop(0)
            if (holder.index, current) in seen:
                continue
            seen.add((holder.index, current))
            props = holder.props(current)
            table = props.static if static else props.instance
            row = table.get(name)
            if row is not None:
                return (holder, row, binds)
            for base in self.bases(holder, current, binds):
                if base is None:
                    unknown = True
                elif base[0] in (EXTERNAL, GLOBAL, LIB):
                    outside = True
                elif base[0] == UNIT and self.files[base[1]].kinds[base[2]] == UnitKind.VARIABLE:
                    inner = self.variable_value(self.files[base[1]], base[2])
                    if inner is not None and inner[0] == UNIT:
                        work.append((self.files[inner[1]], inner[2], ()))
                    elif inner is not None and inner[0] in (EXTERNAL, GLOBAL):
                        outside = True
                elif base[0] == UNIT:
                    work.append((self.files[base[1]], base[2], base[3][1] if base[3] else ()))
                elif base[0] == INSTANCE:
                    work.append((self.files[base[1]], base[2], base[3]))
                elif base[0] in (OBJECT, INTERSECTION, UNION):
                    unknown = True
        if outside and not unknown:
            return (None, 0, ())
        return None

    def instance_member(self, base: Value, name: str) -> Value | None:
        file, unit = self.files[base[1]], base[2]
        found = self.find(file, unit, name, False, base[3])
        if found is not None:
            holder, row, binds = found
            if holder is None:
                return EXT
            env = (base, binds)
            return self.with_env(self.value(holder, row, env), env)
        return self._rare_member(file, unit, base, name)

    def _rare_member(self, file: File, unit: int, base: Value, name: str) -> Value | None:
        for item in self.bases(file, unit):
            if item is not None and item[0] in (OBJECT, INTERSECTION, UNION):
                value = self.member(item, name)
                if value is not None:
                    return value
        props = file.props(unit)
        for row in props.lists.get("...", ()):
            value = self.member(self.value(file, row, None), name)
            if value is not None:
                return self.with_env(value, (base, ()))
        row = props.instance.get("[]", 0)
        if row:
            return self.value(file, row, (base, base[3]))
        if name in _OF_OBJECT:
            return EXT
        if name in _OF_FUNCTION and props.instance.get("()"):
            return (LIB_METHOD, name, base)
        return None

    # -- objects and modules ------------------------------------------------------------------------

    def object_member(self, base: Value, name: str) -> Value | None:
        file = self.files[base[1]]
        env = base[3]
        members = file.members(base[2])
        row = members.get(name)
        if row is not None and name[:1] not in "(<":
            value = self.value(file, row, env)
            if value is not None and value[0] == UNIT and value[3] is None:
                return (UNIT, value[1], value[2], env) if env is not None else value
            return value
        if "..." in members:
            unknown = False
            for spread in reversed(file.member_rows(base[2], "...")):
                inner = self.value(file, spread, env)
                value = self.member(inner, name)
                if value is not None and not (value == EXT and inner is not None and inner[0] == PRIMITIVE):
                    return value
                unknown = unknown or inner is None
            if unknown:
                return None
        row = members.get("[]")
        if row:
            return self.value(file, row, env)
        return EXT if name in _OF_OBJECT else None

    def module_member(self, index: int, name: str) -> Value | None:
        found = self.exported(index, name, False)
        if found is not MISSING:
            return found  # type: ignore[no-any-return]
        if name == "default":
            self.read(index, SHAPE)
            return (MODULE, index) if self.files[index].exports else None
        return None

    def module_value(self, index: int) -> Value | None:
        """What a module is when it is used as a value: `module.exports = value`, `export =`."""
        self.read(index, SHAPE)
        file = self.files[index]
        rows = file.exports.get("=")
        if not rows:
            rows = file.exports.get("default")
            if not rows or "__esModule" not in file.strings:
                return None
        values = [self.value(file, row, None) for row, _ in rows]
        return union(values) if len(values) > 1 else values[0]

    def callable(self, value: Value | None) -> Value | None:
        """A module as the value that it exports; everything else as it is."""
        if value is not None and value[0] == MODULE:
            return self.module_value(value[1])
        return value

    def is_instance(self, value: Value, of: Value) -> bool:
        """Whether an instance's class is, or extends, another's."""
        if value[0] != INSTANCE or of[0] != INSTANCE:
            return value == of
        seen: set[tuple[int, int]] = set()
        work = [(value[1], value[2])]
        while work:
            place = work.pop()
            if place == (of[1], of[2]):
                return True
            if place in seen:
                continue
            seen.add(place)
            for base in self.bases(self.files[place[0]], place[1]):
                if base is not None and base[0] in (UNIT, INSTANCE):
                    work.append((base[1], base[2]))
        return False
