"""Abstract evaluation of value rows over the files of a tree.

Evaluation is lazy, memoised and bounded in depth. What takes part in a cycle is unknown there, and is not memoised,
so a row's value does not depend on which row was asked first. Beside each value stands what it was read from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cmgit.core.facts import BlobFacts, UnitKind, ValueOp
from cmgit.link.base import FAR, MISSING
from cmgit.link.builtins import Builtins
from cmgit.link.calls import Calls
from cmgit.link.members import Members
from cmgit.link.modules import EXTERNAL as OUTSIDE
from cmgit.link.reads import SHAPE, TREE, Reads
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

_LEAVES = frozenset({ValueOp.UNKNOWN, ValueOp.GLOBAL, ValueOp.LITERAL, ValueOp.EXPORTS})  # as fast as a look-up
_COMPONENTS = (".vue", ".svelte", ".astro")
_SAYS_NOTHING = frozenset({ValueOp.UNKNOWN, ValueOp.LITERAL})
_TYPE_ONLY = frozenset({UnitKind.INTERFACE, UnitKind.TYPE})
_BOTH = frozenset({UnitKind.CLASS, UnitKind.ENUM, UnitKind.NAMESPACE})


class Files(dict[int, File]):
    """Files by index, opened when they are first looked into."""

    def __init__(self, paths: Sequence[str], facts: Callable[[int], BlobFacts]) -> None:
        self._paths, self._facts = paths, facts

    def __missing__(self, index: int) -> File:
        file = self[index] = File(index, self._paths[index], self._facts(index))
        return file


class Evaluator(Members, Calls, Builtins):
    """Evaluates rows of the files of one tree.

    Args:
        paths: of all files, in order.
        facts: of the file with an index; called once for each file that evaluation comes to.
        resolve: (specifier, index of the importing file) to the path that it means, as `Modules.resolve`.
        declared: names that declaration files of the tree declare globally: (file, row) pairs.
    """

    def __init__(
        self,
        paths: Sequence[str],
        facts: Callable[[int], BlobFacts],
        resolve: Callable[[str, int], str | None],
        declared: Mapping[str, Sequence[tuple[int, int]]],
    ) -> None:
        self.paths = paths
        self.files = Files(paths, facts)
        self.index = {path: index for index, path in enumerate(paths)}
        self.resolve = resolve
        self.globals = declared
        self.reads = Reads()
        self.env_memo: dict[Any, Any] = {}
        self.export_memo: dict[tuple[int, str, bool], Any] = {}
        self.base_memo: dict[tuple[int, int], Any] = {}
        self.busy = set()
        self._asked: set[int] = set()
        self.deps = 0
        self.begin()
        self.ops = self._handlers()

    def _handlers(self) -> list[Any]:
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

    # -- entry --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Forgets what is under way: the next question is one of its own."""
        self._asked.add(self.deps)
        self.depth = self.top = self.nest = self.deps = 0
        self.low, self.cycle = FAR, None
        self.busy.clear()

    def take_reads(self) -> set[int]:
        """What all questions since the last call were read from, as numbers of `reads`."""
        self.begin()
        asked, self._asked = self._asked, set()
        return asked

    def value(self, file: File, row: int, env: Env | None) -> Value | None:
        if row <= 0:
            return None
        op = file.op[row]
        if op == ValueOp.UNIT:
            return (UNIT, file.index, file.a[row], None)
        if op in _LEAVES:
            return self.ops[op](file, row, None)  # type: ignore[no-any-return]
        memo: Any
        key: Any
        if env is None or not file.needs_env(row):
            env = None
            memo, key = file.memo, row
            entry = memo[row]
        else:
            memo, key = self.env_memo, (file.index, row, env)
            entry = memo.get(key)
        if entry is not None:
            if entry.__class__ is int:
                self.low = min(self.low, entry)
                return None
            if self.recall(entry):
                return entry[0]  # type: ignore[no-any-return]
        mark = key if env is not None else (file.index, row)
        return self.step(memo, key, mark, entry, self._evaluate, file, row, env)  # type: ignore[no-any-return]

    def _evaluate(self, file: File, row: int, env: Env | None) -> Value | None:
        self.depth += 1
        return self.ops[file.op[row]](file, row, env)  # type: ignore[no-any-return]

    # -- names --------------------------------------------------------------------------------------

    def _unknown(self, _file: File, _row: int, _env: Env | None) -> Value | None:
        return None

    def _unit(self, file: File, row: int, _env: Env | None) -> Value | None:
        return (UNIT, file.index, file.a[row], None)

    def _import(self, file: File, row: int, _env: Env | None) -> Value | None:
        return self.imported(file, file.a[row], False)

    def _global(self, file: File, row: int, _env: Env | None) -> Value | None:
        name = file.strings[file.name[row]]
        return self.declared_global(name, False) or (GLOBAL, name)

    def window_member(self, name: str) -> Value | None:
        if "Window" in self.globals:
            self.read(TREE, "Window")
        for index, row in self.globals.get("Window", ()):
            value = self.instance_member((INSTANCE, index, self.files[index].a[row], ()), name)
            if value is not None and value != EXT:
                return value
        return self.declared_global(name, False)

    def declared_global(self, name: str, types: bool) -> Value | None:
        """A global that declaration files of the tree declare, if just one thing bears the name."""
        places = self.globals.get(name)
        if places is None:
            return None
        self.read(TREE, name)
        found: list[Value] = []
        for index, row in places:
            file = self.files[index]
            unit = file.a[row]
            if (file.kinds[unit] == UnitKind.VARIABLE) != types:
                found.append((UNIT, index, unit, None))
        return found[0] if len(found) == 1 else None

    def _exports(self, file: File, _row: int, _env: Env | None) -> Value | None:
        return (MODULE, file.index)

    def imported(self, file: File, row: int, types: bool) -> Value | None:
        """What an import row brings in; EXT for another package."""
        return self.keep(  # type: ignore[no-any-return]
            file.import_memo, (row, types), ("i", file.index, row, types), None, self._imported, file, row, types
        )

    def target_file(self, file: File, row: int) -> int | None:
        """Index of the file that an import row requests; -1 for another package, None where it is missing."""
        imports = file.facts.imports
        path = self.resolve(file.strings[imports.specifier[row]], file.index)
        if path is None:
            return None
        return -1 if path == OUTSIDE else self.index.get(path)

    def _imported(self, file: File, row: int, types: bool) -> Value | None:
        target = self.target_file(file, row)
        if target is None:
            return None
        if target < 0:
            return EXT
        imports = file.facts.imports
        name = imports.imported[row]
        text = file.strings[name] if name >= 0 else "*"
        if text == "*":
            return (MODULE, target)
        found = self.exported(target, text, types)
        if found is MISSING:
            if text == "default":
                self.read(target, SHAPE)
                if self.paths[target].endswith(_COMPONENTS):
                    return (UNIT, target, 0, None)
                if self.files[target].exports and "default" not in self.files[target].exports:
                    return (MODULE, target)
            return None
        if text == "default" and self.paths[target].endswith(_COMPONENTS):
            return (UNIT, target, 0, None)
        return found  # type: ignore[no-any-return]

    def exported(self, index: int, name: str, types: bool) -> Any:
        """The value of an export, MISSING where there is none of that name."""
        key = (index, name, types)
        return self.keep(self.export_memo, key, ("e", *key), None, self._export_search, index, name, types)

    def _export_search(self, index: int, name: str, types: bool) -> Any:
        """The file's own exports first, then its `export *`, breadth first, each file once."""
        self.read(index, name)
        seen = {index}
        queue = [index]
        external = False
        position = 0
        while position < len(queue):
            file = self.files[queue[position]]
            own = self._own_export(file, name, types)
            if own is not MISSING:
                return own
            position += 1
            if name == "default" and position == 1:
                return MISSING
            for row in file.stars:
                target = self.target_file(file, row)
                if target is not None and target < 0:
                    external = True
                elif target is not None and target not in seen:
                    seen.add(target)
                    queue.append(target)
        return EXT if external else MISSING

    def _own_export(self, file: File, name: str, types: bool) -> Any:
        rows = file.exports.get(name)
        if rows:
            chosen = self._choose(file, rows, types)
            if types:
                return self.entity(file, chosen)
            return self.value(file, chosen, None)
        for row, _ in file.exports.get("=", ()):
            if name in ("=", "default"):
                break
            member = self.type_member(self.entity(file, row), name) if types else None
            if member is None:
                member = self.member(self.value(file, row, None), name)
            if member is not None:
                return member
        for row, _ in file.exports.get("...", ()):
            member = self.member(self.value(file, row, None), name)
            if member is not None and member != EXT:
                return member
        return MISSING

    def _choose(self, file: File, rows: list[tuple[int, int]], types: bool) -> int:
        """Of an interface and a value of one name, the one that is asked for; else the first that says something."""
        if len(rows) == 1:
            return rows[0][0]
        best = rows[0][0]
        for value, _ in rows:
            if value > 0 and file.op[value] == ValueOp.UNIT:
                kind = file.kinds[file.a[value]]
                if kind in _BOTH or (kind in _TYPE_ONLY) == types:
                    return value
            elif value > 0 and not types and file.op[best] in _SAYS_NOTHING:
                best = value
        return best

    # -- types --------------------------------------------------------------------------------------

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

    def _type_name(self, file: File, row: int, env: Env | None) -> Value | None:
        entity = self.entity(file, file.a[row])
        if entity is None:
            return None
        arguments = [self.value(file, item, env) for item in file.list(file.b[row])]
        return self.instance(entity, arguments)

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

    # -- this ---------------------------------------------------------------------------------------

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

    # -- composite ----------------------------------------------------------------------------------

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

    # -- calls --------------------------------------------------------------------------------------

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
