"""One method for each operation of a value row: (file, row, environment) to a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cmgit.core.facts import UnitKind, ValueOp
from cmgit.link.builtins import Builtins
from cmgit.link.calls import Calls
from cmgit.link.members import Members
from cmgit.link.names import Names
from cmgit.link.tree import File
from cmgit.link.values import (
    EXT,
    EXTERNAL,
    FUNCTION,
    GLOBAL,
    INSTANCE,
    LIB,
    MODULE,
    OBJECT,
    PRIMITIVE,
    SIGNATURE,
    TUPLE,
    UNION,
    UNIT,
    Env,
    Value,
    intersection,
    lib,
    union,
)
from cmgit.link.written import WrittenTypes


class Operations(Names, WrittenTypes, Members, Calls, Builtins):
    """Part of the evaluator."""

    def handlers(self) -> list[Any]:
        """The method for each operation, by its number."""
        table: dict[int, Any] = {
            ValueOp.UNIT: self._unit, ValueOp.IMPORT: self._import, ValueOp.GLOBAL: self._global,
            ValueOp.MEMBER: self._member, ValueOp.CALL: self._call, ValueOp.NEW: self._new, ValueOp.THIS: self._this,
            ValueOp.STATIC_THIS: self._static_this, ValueOp.SUPER: self._super, ValueOp.PARAM: self._same,
            ValueOp.EXPORTS: self._exports, ValueOp.AWAIT: self._await, ValueOp.ELEMENT: self._element,
            ValueOp.OBJECT: self._object, ValueOp.UNION: self._union, ValueOp.FUNCTION: self._function,
            ValueOp.PROMISE: self._promise, ValueOp.ARRAY: self._array, ValueOp.TYPE_NAME: self._type_name,
            ValueOp.INTERSECT: self._intersect, ValueOp.INSTANTIATE: self._instantiate, ValueOp.TUPLE: self._tuple,
            ValueOp.TYPE_PARAM: self._type_param, ValueOp.CALLBACK_PARAM: self._callback_param,
            ValueOp.LITERAL: self._literal, ValueOp.EXPECTED: self._expected, ValueOp.NEW_EXPECTED: self._new_expected,
            ValueOp.NARROWED: self._narrowed, ValueOp.GUARDED: self._guarded, ValueOp.KEYED: self._keyed,
            ValueOp.DECLARED: self._declared, ValueOp.EXTENDED: self._extended, ValueOp.GETTER: self._getter,
            ValueOp.INDEX: self._index, ValueOp.CONDITIONAL: self._conditional,
            ValueOp.RETURNED: self._returned, ValueOp.SIGNATURE: self._signature,
        }  # fmt: skip
        return [table.get(op, self._unknown) for op in range(max(table) + 1)]

    # -- names -------------------------------------------------------------------------------------

    def _unknown(self, _file: File, _row: int, _env: Env | None) -> Value | None:
        return None

    def _unit(self, file: File, row: int, _env: Env | None) -> Value | None:
        return (UNIT, file.index, file.a[row], None)

    def _import(self, file: File, row: int, _env: Env | None) -> Value | None:
        return self.imported(file, file.a[row], False)

    def _global(self, file: File, row: int, _env: Env | None) -> Value | None:
        name = file.strings[file.name[row]]
        return self.declared_global(name, False) or (GLOBAL, name)

    def _exports(self, file: File, _row: int, _env: Env | None) -> Value | None:
        return (MODULE, file.index)

    # -- written types -----------------------------------------------------------------------------

    def _type_name(self, file: File, row: int, env: Env | None) -> Value | None:
        entity = self.entity(file, file.a[row])
        if entity is None:
            return None
        arguments = [self.value(file, item, env) for item in file.list(file.b[row])]
        return self.instance(entity, arguments)

    def _type_param(self, file: File, row: int, env: Env | None) -> Value | None:
        if env is not None:
            key = (file.index, row)
            for bound, value in env[1]:
                if bound == key:
                    return value
        return self.value(file, file.a[row], env)

    def _intersect(self, file: File, row: int, env: Env | None) -> Value | None:
        return intersection(self.value(file, file.a[row], env), self.value(file, file.b[row], env))

    def _tuple(self, file: File, row: int, env: Env | None) -> Value | None:
        return (TUPLE, tuple(self.value(file, item, env) for item in file.list(file.b[row])))

    def _literal(self, file: File, row: int, _env: Env | None) -> Value | None:
        name = file.strings[file.name[row]]
        return EXT if name in ("jsx", "RegExp", "symbol") else (PRIMITIVE, name)

    # -- this --------------------------------------------------------------------------------------

    def _this(self, file: File, row: int, env: Env | None) -> Value | None:
        if env is not None and env[0] is not None:
            return env[0]
        return (INSTANCE, file.index, file.a[row], env[1] if env is not None else ())

    def _static_this(self, file: File, row: int, env: Env | None) -> Value | None:
        if env is not None and env[0] is not None and env[0][0] == UNIT:
            return env[0]
        return (UNIT, file.index, file.a[row], None)

    def _super(self, file: File, row: int, _env: Env | None) -> Value | None:
        bases = self.bases(file, file.a[row])
        base = bases[0] if bases else None
        if base is None or base[0] in (EXTERNAL, GLOBAL):
            return base if base is None else EXT
        if file.b[row] == 1 or base[0] not in (UNIT, INSTANCE):
            return base
        return (INSTANCE, base[1], base[2], base[3][1] if base[0] == UNIT and base[3] else ())

    # -- composite ---------------------------------------------------------------------------------

    def _same(self, file: File, row: int, env: Env | None) -> Value | None:
        return self.value(file, file.a[row], env)

    def _object(self, file: File, row: int, env: Env | None) -> Value | None:
        return (OBJECT, file.index, row, env)

    def _function(self, file: File, row: int, env: Env | None) -> Value | None:
        return (FUNCTION, file.index, row, env)

    def _union(self, file: File, row: int, env: Env | None) -> Value | None:
        return union([self.value(file, file.a[row], env), self.value(file, file.b[row], env)])

    def _promise(self, file: File, row: int, env: Env | None) -> Value | None:
        return lib("Promise", self.awaited(self.value(file, file.a[row], env)))

    def _array(self, file: File, row: int, env: Env | None) -> Value | None:
        return lib("Array", self.value(file, file.a[row], env))

    def _await(self, file: File, row: int, env: Env | None) -> Value | None:
        return self.awaited(self.value(file, file.a[row], env))

    def _element(self, file: File, row: int, env: Env | None) -> Value | None:
        return self.element(self.value(file, file.a[row], env))

    def _keyed(self, file: File, row: int, env: Env | None) -> Value | None:
        return self.keyed(self.value(file, file.a[row], env))

    def _member(self, file: File, row: int, env: Env | None) -> Value | None:
        base = self.value(file, file.a[row], env)
        return self.member(base, file.strings[file.name[row]]) if base is not None else None

    def _declared(self, file: File, row: int, env: Env | None) -> Value | None:
        typed = self.value(file, file.a[row], env)
        initial = self.value(file, file.b[row], env)
        if typed is None:
            return initial
        if initial is not None and initial[0] == OBJECT and typed[0] not in (EXTERNAL, LIB, GLOBAL):
            return intersection(initial, typed)
        return typed

    def _extended(self, file: File, row: int, env: Env | None) -> Value | None:
        base = self.value(file, file.a[row], env)
        if base is not None and base[0] in (EXTERNAL, GLOBAL):
            return base
        return intersection(self.value(file, file.a[row], env), self.value(file, file.b[row], env))

    def _narrowed(self, file: File, row: int, env: Env | None) -> Value | None:
        base = self.value(file, file.a[row], env)
        test = self.value(file, file.b[row], env)
        made = self.construct(test, ())
        if made is None:
            return base
        options = base[1] if base is not None and base[0] == UNION else (base,)
        kept = [item for item in options if item is not None and self.is_instance(item, made)]
        return union(list(kept)) if kept else made

    def _guarded(self, file: File, row: int, env: Env | None) -> Value | None:
        base = self.value(file, file.a[row], env)
        if base is not None and base[0] not in (UNION, PRIMITIVE):
            return base
        guard = self.value(file, file.b[row], env)
        if guard is None or guard[0] != UNIT:
            return base
        holder = self.files[guard[1]]
        predicate = holder.props(guard[2]).instance.get("(?0)")
        if not predicate:
            return base
        made = self.value(holder, predicate, guard[3])
        if made is None or made[0] == EXTERNAL:
            return base if base is not None else made
        options = base[1] if base is not None and base[0] == UNION else ()
        kept = [item for item in options if item is not None and self.is_instance(item, made)]
        return union(list(kept)) if kept else made

    def _getter(self, file: File, row: int, env: Env | None) -> Value | None:
        return self.call(self.with_env(self.value(file, file.a[row], env), env), (), None, None)

    def _index(self, file: File, row: int, env: Env | None) -> Value | None:
        base = self.value(file, file.a[row], env)
        key = self.value(file, file.b[row], env)
        keys: tuple[Value | None, ...] = key[1] if key is not None and key[0] == UNION else (key,)
        if base is not None and all(item is not None and item[0] == PRIMITIVE and item[1][:1] == '"' for item in keys):
            found = [self.member(base, item[1][1:]) for item in keys if item is not None]
            return union([value for value in found if value is not None]) if any(found) else None
        return self.keyed(base)

    def _conditional(self, file: File, row: int, env: Env | None) -> Value | None:
        check_row, bound_row, yes_row, no_row = file.list(file.b[row])
        check = self.value(file, check_row, env)
        inner = env
        holds: bool | None = None
        if check is not None:
            bound: dict[tuple[int, int], Value] = {}
            self.unify(file, bound_row, check, bound, 0)
            if bound:
                holds = True
                inner = (env[0] if env else None, tuple(bound.items()) + (env[1] if env else ()))
            elif check[0] == INSTANCE and file.op[bound_row] == ValueOp.TYPE_NAME:
                made = self.value(file, bound_row, env)
                if made is not None and made[0] == INSTANCE:
                    holds = True if self.is_instance(check, made) else None
        yes = self.value(file, yes_row, inner)
        if holds and yes is not None:
            return yes
        no = self.value(file, no_row, env)
        if yes is None or no is None:
            return yes if no is None else no
        return union([yes, no])

    def _signature(self, file: File, row: int, env: Env | None) -> Value | None:
        value = self.value(file, file.a[row], env)
        return (SIGNATURE, value) if value is not None and value[0] in (UNIT, FUNCTION) else value

    def _returned(self, file: File, row: int, env: Env | None) -> Value | None:
        return self.call(self.value(file, file.a[row], env), (), None, None)

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, file: File, row: int, env: Env | None) -> Value | None:
        callee = self.value(file, file.a[row], env)
        if callee is None:
            return None
        return self.call(callee, file.list(file.b[row]), file, env)

    def _new(self, file: File, row: int, env: Env | None) -> Value | None:
        callee = self.value(file, file.a[row], env)
        if callee is None:
            return None
        return self.construct(callee, file.list(file.b[row]), file, env)

    def _instantiate(self, file: File, row: int, env: Env | None) -> Value | None:
        callee = self.callable(self.value(file, file.a[row], env))
        if callee is None:
            return None
        arguments = [self.value(file, item, env) for item in file.list(file.b[row])]
        tag = callee[0]
        if tag == UNIT:
            holder = self.files[callee[1]]
            binds = self.bind(holder, callee[2], arguments)
            this = callee[3][0] if callee[3] else None
            old = callee[3][1] if callee[3] else ()
            return (UNIT, callee[1], callee[2], (this, binds + old))
        if tag in (FUNCTION, OBJECT):
            holder = self.files[callee[1]]
            names = holder.members(callee[2])
            binds = tuple(
                ((holder.index, names[f"<{i}>"]), argument)
                for i, argument in enumerate(arguments)
                if f"<{i}>" in names and argument is not None
            )
            old = callee[3][1] if callee[3] else ()
            return (tag, callee[1], callee[2], (callee[3][0] if callee[3] else None, binds + old))
        if tag == GLOBAL:
            return (GLOBAL, callee[1], tuple(arguments))
        return callee

    def _expected(self, file: File, row: int, env: Env | None) -> Value | None:
        inner = file.a[row]
        arguments: Sequence[int] = ()
        if file.name[row] == 0 and file.op[inner] == ValueOp.CALL:
            arguments = file.list(file.b[inner])
            inner = file.a[inner]
        callee = self.value(file, inner, env)
        return self.parameter(callee, file.b[row], arguments, file, env) if callee is not None else None

    def _new_expected(self, file: File, row: int, env: Env | None) -> Value | None:
        callee = self.callable(self.value(file, file.a[row], env))
        if callee is None:
            return None
        if callee[0] == UNIT and self.files[callee[1]].kinds[callee[2]] == UnitKind.CLASS:
            found = self.find(self.files[callee[1]], callee[2], "constructor", False)
            if found is None:
                return None
            holder, member, binds = found
            if holder is None:
                return EXT
            made = self.value(holder, member, None)
            if made is None or made[0] != UNIT:
                return None
            env_of = callee[3][1] if callee[3] else binds
            return self.parameter((UNIT, made[1], made[2], (None, env_of)), file.b[row], (), file, env)
        if callee[0] == GLOBAL:
            return EXT
        return self.parameter(callee, file.b[row], (), file, env)

    def _callback_param(self, file: File, row: int, env: Env | None) -> Value | None:
        function = self.value(file, file.a[row], env)
        if function is None:
            return None
        position = file.b[row]
        if position < 0:
            return lib("Array", self.parameter(function, -position - 2, (), None, None))
        return self.parameter(function, position, (), None, None)
