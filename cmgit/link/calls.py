"""What calls and constructions give, what a function expects, and inference of type parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cmgit.core.facts import UnitKind, ValueOp
from cmgit.link.base import Base
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

Bound = dict[tuple[int, int], Any]


class Calls(Base):
    """Part of the evaluator. Arguments are rows of `file`, evaluated in `env`."""

    def call(self, callee: Value | None, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        if callee is None or not self.enter():
            return None
        result = self._call_of(callee, arguments, file, env)
        self.depth -= 1
        return result

    def _call_of(self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        tag = callee[0]
        if tag == UNIT:
            return self._call_unit(callee, arguments, file, env)
        if tag in (FUNCTION, OBJECT):
            holder = self.files[callee[1]]
            return self._result(holder, holder.members(callee[2]), callee[3], arguments, file, env)
        if tag in (EXTERNAL, PRIMITIVE):
            return EXT
        if tag == INSTANCE:
            found = self.find(self.files[callee[1]], callee[2], "()", False)
            if found is None or found[0] is None:
                return EXT if found is not None else None
            holder = found[0]
            binds = found[2] or callee[3]
            names = (
                {"()": found[1], **holder.props(callee[2]).instance} if holder.index == callee[1] else {"()": found[1]}
            )
            return self._result(holder, names, (callee, binds), arguments, file, env)
        if tag == GLOBAL:
            return self.call_global(callee, arguments, file, env)
        if tag == LIB_METHOD:
            return self.call_lib(callee, arguments, file, env)
        if tag == SIGNATURE:
            return self.call(callee[1], arguments, file, env)
        if tag == MODULE:
            return self.call(self.module_value(callee[1]), arguments, file, env)
        if tag == UNION:
            return union([self.call(item, arguments, file, env) for item in callee[1]])
        if tag == INTERSECTION:
            for item in callee[1]:
                value = self.call(item, arguments, file, env)
                if value is not None:
                    return value
        return None

    def _call_unit(self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        holder, unit = self.files[callee[1]], callee[2]
        props = holder.props(unit).instance
        typed = props.get(":")
        if typed and holder.kinds[unit] != UnitKind.TYPE:
            value = self.value(holder, typed, callee[3])
            result = self.call(value, arguments, file, env)
            if result is not None:
                return result
        if "()" in props:
            return self._result(holder, props, callee[3], arguments, file, env)
        row = props.get("=")
        if row:
            value = self.value(holder, row, callee[3])
            if value != callee:
                return self.call(value, arguments, file, env)
        return None

    def _result(
        self, holder: File, names: dict[str, int], own: Env | None, arguments: Sequence[int],
        file: File | None, env: Env | None,
    ) -> Value | None:  # fmt: skip
        row = names.get("()")
        if not row:
            return None
        if not holder.needs_env(row):
            return self.value(holder, row, None)
        return self.value(holder, row, self._call_env(holder, names, own, arguments, file, env))

    def _call_env(
        self, holder: File, names: dict[str, int], own: Env | None, arguments: Sequence[int],
        file: File | None, env: Env | None,
    ) -> Env | None:  # fmt: skip
        if "<0>" not in names or file is None or not arguments:
            return own
        bound: Bound = dict(own[1]) if own else {}
        if (holder.index, names["<0>"]) in bound:
            return own
        for position, argument in enumerate(arguments):
            row = names.get(f"({position})")
            if row and holder.needs_env(row):
                value = self.value(file, argument, env)
                if value is not None:
                    self.unify(holder, row, value, bound, 0)
        return (own[0] if own else None, tuple(bound.items())) if bound else own

    def construct(
        self,
        callee: Value | None,
        arguments: Sequence[int],
        file: File | None = None,
        env: Env | None = None,
    ) -> Value | None:
        """An instance of a class value."""
        if callee is None or not self.enter():
            return None
        made = self._construct_of(callee, arguments, file, env)
        self.depth -= 1
        return made

    def _construct_of(
        self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        tag = callee[0]
        if tag == UNIT:
            return self._construct_unit(callee, arguments, file, env)
        if tag == EXTERNAL:
            return EXT
        if tag == GLOBAL:
            return self.construct_global(callee, arguments, file, env)
        if tag == SIGNATURE:
            return self.construct(callee[1], arguments, file, env)
        if tag == MODULE:
            return self.construct(self.module_value(callee[1]), arguments, file, env)
        if tag == OBJECT:
            holder = self.files[callee[1]]
            row = holder.members(callee[2]).get("new", 0)
            return self.value(holder, row, callee[3])
        if tag == INSTANCE:
            found = self.find(self.files[callee[1]], callee[2], "new", False)
            if found is not None and found[0] is not None:
                return self.value(found[0], found[1], (None, found[2] or callee[3]))
            return None
        if tag == UNION:
            return union([self.construct(item, arguments, file, env) for item in callee[1]])
        if tag == INTERSECTION:
            for item in callee[1]:
                value = self.construct(item, arguments, file, env)
                if value is not None:
                    return value
        return None

    def _construct_unit(
        self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        holder, unit = self.files[callee[1]], callee[2]
        kind = holder.kinds[unit]
        props = holder.props(unit).instance
        if kind == UnitKind.VARIABLE:
            held = self.variable_value(holder, unit)
            return self.construct(held, arguments, file, env) if held != callee else None
        binds = callee[3][1] if callee[3] else ()
        if kind == UnitKind.CLASS and "<0>" in props and not binds and file is not None and arguments:
            found = self.find(holder, unit, "constructor", False)
            if found is not None and found[0] is holder:
                made = self.value(holder, found[1], None)
                if made is not None and made[0] == UNIT and made[1] == holder.index:
                    names = {**holder.props(made[2]).instance, "<0>": props["<0>"]}
                    inferred = self._call_env(holder, names, None, arguments, file, env)
                    binds = inferred[1] if inferred else ()
        if kind == UnitKind.CLASS or (kind in (UnitKind.FUNCTION, UnitKind.METHOD) and holder.is_javascript):
            return (INSTANCE, holder.index, unit, binds)
        return None

    # -- parameters ---------------------------------------------------------------------------------

    def parameter(
        self,
        callee: Value | None,
        position: int,
        arguments: Sequence[int],
        file: File | None,
        env: Env | None,
    ) -> Value | None:
        """What a function declares for a parameter."""
        if callee is None or not self.enter():
            return None
        found = self._parameter_of(callee, position, arguments, file, env)
        self.depth -= 1
        return found

    def _parameter_of(
        self, callee: Value, position: int, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        tag = callee[0]
        if tag == EXTERNAL:
            return EXT
        if tag == CALLBACK:
            return callee[1][position] if position < len(callee[1]) else None
        if tag == UNION:
            options = [self.parameter(item, position, arguments, file, env) for item in callee[1]]
            known = [value for value in options if value is not None]
            return union(list(known)) if known else None
        if tag == INTERSECTION:
            for item in callee[1]:
                value = self.parameter(item, position, arguments, file, env)
                if value is not None:
                    return value
            return None
        if tag == SIGNATURE:
            return self.parameter(callee[1], position, arguments, file, env)
        if tag == MODULE:
            return self.parameter(self.module_value(callee[1]), position, arguments, file, env)
        if tag == LIB_METHOD:
            return self.lib_parameter(callee, position, arguments, file, env)
        if tag == GLOBAL:
            return self.global_parameter(callee, position)
        if tag in (UNIT, INSTANCE):
            holder = self.files[callee[1]]
            names = holder.props(callee[2]).instance
            own: Env | None = callee[3] if tag == UNIT else (callee, callee[3])
            if tag == UNIT and f"({position})" not in names:
                for key in (":", "="):
                    row = names.get(key)
                    if row and holder.kinds[callee[2]] != UnitKind.TYPE:
                        return self.parameter(self.value(holder, row, own), position, arguments, file, env)
        elif tag in (FUNCTION, OBJECT):
            holder = self.files[callee[1]]
            names = holder.members(callee[2])
            own = callee[3]
        else:
            return None
        return self._parameter(holder, names, own, position, arguments, file, env)

    def _parameter(
        self, holder: File, names: dict[str, int], own: Env | None, position: int, arguments: Sequence[int],
        file: File | None, env: Env | None,
    ) -> Value | None:  # fmt: skip
        inner = self._call_env(holder, names, own, arguments, file, env)
        row = names.get(f"({position})")
        if row:
            return self.value(holder, row, inner)
        for index in range(position, -1, -1):
            row = names.get(f"(...{index})")
            if row:
                rest = self.value(holder, row, inner)
                if rest is not None and rest[0] == TUPLE:
                    return self.member(rest, str(position - index))
                return self.element(rest)
        return None

    # -- inference ----------------------------------------------------------------------------------

    def unify(self, file: File, row: int, value: Value, bound: Bound, depth: int) -> None:
        """Binds the type parameters in a written type, given a value of that type."""
        if row <= 0 or depth > 5 or not file.needs_env(row):
            return
        op = file.op[row]
        if op == ValueOp.TYPE_PARAM:
            bound.setdefault((file.index, row), value)
        elif op == ValueOp.ARRAY:
            item = self.element(value)
            if item is not None:
                self.unify(file, file.a[row], item, bound, depth + 1)
        elif op == ValueOp.UNION:
            sides = [file.a[row], file.b[row]]
            sides.sort(key=lambda side: file.op[side] == ValueOp.TYPE_PARAM)
            for side in sides:
                before = len(bound)
                self.unify(file, side, value, bound, depth + 1)
                if len(bound) > before:
                    return
        elif op == ValueOp.INTERSECT:
            self.unify(file, file.a[row], value, bound, depth + 1)
            self.unify(file, file.b[row], value, bound, depth + 1)
        elif op == ValueOp.TYPE_NAME:
            self._unify_name(file, row, value, bound, depth)
        elif op == ValueOp.FUNCTION:
            result = file.members(row).get("()", 0)
            if result:
                given = self.call(value, (), None, None)
                if given is not None:
                    self.unify(file, result, given, bound, depth + 1)
        elif op == ValueOp.OBJECT:
            for name, inner in file.members(row).items():
                if name[:1] not in "(<[." and inner and file.needs_env(inner):
                    given = self.member(value, name)
                    if given is not None and given != EXT:
                        self.unify(file, inner, given, bound, depth + 1)

    def _unify_name(self, file: File, row: int, value: Value, bound: Bound, depth: int) -> None:
        entity = self.entity(file, file.a[row])
        arguments = file.list(file.b[row])
        if entity is None or not arguments:
            return
        if entity[0] == GLOBAL:
            name = entity[1]
            if value[0] == LIB and value[1] == name:
                for argument, item in zip(arguments, value[2], strict=False):
                    if item is not None:
                        self.unify(file, argument, item, bound, depth + 1)
            elif name in ("ReadonlyArray", "Iterable", "ArrayLike"):
                item = self.element(value)
                if item is not None:
                    self.unify(file, arguments[0], item, bound, depth + 1)
            elif name == "PromiseLike" and value[0] == LIB and value[1] == "Promise" and value[2][0] is not None:
                self.unify(file, arguments[0], value[2][0], bound, depth + 1)
            elif name in ("Partial", "Readonly", "Required", "NonNullable"):
                self.unify(file, arguments[0], value, bound, depth + 1)
            return
        if entity[0] != UNIT:
            return
        holder, unit = self.files[entity[1]], entity[2]
        names = holder.props(unit).instance
        if value[0] == INSTANCE:
            given = self._binds_at(value, holder.index, unit)
            for position, argument in enumerate(arguments):
                key = (holder.index, names.get(f"<{position}>", 0))
                item = given.get(key)
                if item is not None:
                    self.unify(file, argument, item, bound, depth + 1)
            if given:
                return
        if holder.kinds[unit] in (UnitKind.TYPE, UnitKind.INTERFACE):
            self._unify_alias(file, holder, unit, arguments, value, bound, depth)

    def _binds_at(self, value: Value, index: int, unit: int) -> Bound:
        """Type arguments that an instance has, seen as an instance of one of its bases."""
        work = [(value[1], value[2], value[3])]
        seen: set[tuple[int, int]] = set()
        while work:
            at, current, binds = work.pop(0)
            if (at, current) == (index, unit):
                return dict(binds)
            if (at, current) in seen:
                continue
            seen.add((at, current))
            holder = self.files[at]
            for row in holder.props(current).lists.get("<", ()):
                base = self.value(holder, row, (None, binds) if binds else None)
                if base is not None and base[0] == INSTANCE:
                    work.append((base[1], base[2], base[3]))
                elif base is not None and base[0] == UNIT:
                    work.append((base[1], base[2], base[3][1] if base[3] else ()))
        return {}

    def _unify_alias(
        self,
        file: File,
        holder: File,
        unit: int,
        arguments: Sequence[int],
        value: Value,
        bound: Bound,
        depth: int,
    ) -> None:
        """`type Maybe<T> = T | Box<T>`: what the alias's own parameter is bound to goes to the argument."""
        props = holder.props(unit).instance
        inner: Bound = {}
        row = props.get(":", 0)
        if row:
            self.unify(holder, row, value, inner, depth + 1)
        elif holder.kinds[unit] == UnitKind.INTERFACE:
            for name, member in props.items():
                if name[:1] not in "(<[." and member and holder.needs_env(member):
                    given = self.member(value, name)
                    if given is not None and given != EXT:
                        self.unify(holder, member, given, inner, depth + 2)
        for position, argument in enumerate(arguments):
            item = inner.get((holder.index, props.get(f"<{position}>", 0)))
            if item is not None:
                self.unify(file, argument, item, bound, depth + 1)
