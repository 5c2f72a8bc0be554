"""Built-in generics and globals, as far as values of the repository flow through them."""

from __future__ import annotations

from collections.abc import Sequence

from cmgit.link.base import Base
from cmgit.link.tree import File
from cmgit.link.values import (
    BOOLEAN,
    CALLBACK,
    EXT,
    EXTERNAL,
    GLOBAL,
    INSTANCE,
    INTERSECTION,
    LIB,
    LIB_METHOD,
    NUMBER,
    OBJECT,
    PRIMITIVE,
    SIGNATURE,
    STRING,
    TUPLE,
    UNION,
    UNIT,
    Env,
    Value,
    intersection,
    lib,
    union,
)

_ARRAYS = frozenset(
    {
        "Array", "ReadonlyArray", "Iterable", "IterableIterator", "Iterator", "Generator", "AsyncIterable",
        "AsyncGenerator", "AsyncIterableIterator", "ArrayLike", "AsyncIterator", "IteratorObject",
    }
)  # fmt: skip
_RETURNS_FIRST = frozenset(
    {
        "Object.freeze", "Object.seal", "Object.preventExtensions", "Object.setPrototypeOf", "Object.defineProperty",
        "Object.defineProperties",
    }
)  # fmt: skip
_SETS = frozenset({"Set", "ReadonlySet", "WeakSet"})
_MAPS = frozenset({"Map", "ReadonlyMap", "WeakMap"})
_PROMISES = frozenset({"Promise", "PromiseLike"})
_SAME_TYPE = frozenset(
    {
        "Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Exclude", "Extract", "NoInfer",
        "DeepReadonly", "WeakRef",
    }
)  # fmt: skip
_PRIMITIVES = {"String": STRING, "Number": NUMBER, "Boolean": BOOLEAN}

_SAME_ARRAY = frozenset({"filter", "slice", "reverse", "sort", "splice", "concat", "flat", "toSorted", "toReversed",
                         "toSpliced", "with", "fill", "copyWithin", "values"})  # fmt: skip
_ITEM = frozenset({"find", "pop", "shift", "at", "findLast"})
_EACH = frozenset(
    {"map", "forEach", "filter", "find", "findIndex", "some", "every", "flatMap", "findLast", "findLastIndex"}
)


class Builtins(Base):
    """Part of the evaluator."""

    # -- types --------------------------------------------------------------------------------------

    def lib_type(self, name: str, arguments: Sequence[Value | None]) -> Value | None:
        """A value of a global type."""
        first = arguments[0] if arguments else None
        if name in _ARRAYS:
            return lib("Array", first)
        if name in _PROMISES:
            return lib("Promise", first)
        if name in _SETS:
            return lib("Set", first)
        if name in _MAPS:
            return lib("Map", first, arguments[1] if len(arguments) > 1 else None)
        if name == "Record":
            return lib("Record", first, arguments[1] if len(arguments) > 1 else None)
        if name in _SAME_TYPE:
            return first
        if name == "Awaited":
            return self.awaited(first)
        if name == "ReturnType":
            return self.call(first, (), None, None)
        if name == "InstanceType":
            return self.construct(first, ())
        if name == "Parameters":
            return None if first is None else (TUPLE, tuple(self.parameter(first, i, (), None, None) for i in range(4)))
        if name in ("Function", "Object", "object"):
            return None if name != "Function" else EXT
        return _PRIMITIVES.get(name, EXT)

    # -- protocols ----------------------------------------------------------------------------------

    def awaited(self, value: Value | None) -> Value | None:
        while value is not None and value[0] == LIB and value[1] == "Promise":
            value = value[2][0]
        if value is None:
            return None
        if value[0] == UNION:
            return union([self.awaited(item) for item in value[1]])
        return value

    def element(self, value: Value | None) -> Value | None:
        """One item of an iterable."""
        if value is None or not self.enter():
            return None
        found = self._element_of(value)
        self.depth -= 1
        return found

    def _element_of(self, value: Value) -> Value | None:
        tag = value[0]
        if tag == SIGNATURE:
            return self.element(value[1])
        if tag == LIB:
            items: tuple[Value | None, ...] = value[2]
            if value[1] in ("Array", "Set"):
                return items[0]
            if value[1] == "Map":
                return (TUPLE, items)
            return None
        if tag == TUPLE:
            return union(list(value[1])) if value[1] else None
        if tag in (EXTERNAL, PRIMITIVE, GLOBAL):
            return EXT
        if tag in (UNION, INTERSECTION):
            found = [self.element(item) for item in value[1]]
            known = [item for item in found if item is not None]
            return union(list(known)) if known else None
        if tag == UNIT:
            held = self.variable_value(self.files[value[1]], value[2])
            return self.element(held) if held != value else None
        if tag == INSTANCE:
            for base in self.bases(self.files[value[1]], value[2]):
                if base is not None and base[0] == LIB:
                    return self.element(base)
        return None

    def keyed(self, value: Value | None) -> Value | None:
        """`value[key]` for a key that is not known."""
        if value is None or not self.enter():
            return None
        found = self._keyed_of(value)
        self.depth -= 1
        return found

    def _keyed_of(self, value: Value) -> Value | None:
        tag = value[0]
        if tag == SIGNATURE:
            return self.keyed(value[1])
        if tag == LIB:
            items: tuple[Value | None, ...] = value[2]
            if value[1] == "Record":
                return items[1]
            return items[0] if value[1] == "Array" else None
        if tag == TUPLE:
            return self.element(value)
        if tag in (EXTERNAL, PRIMITIVE, GLOBAL):
            return EXT
        if tag == UNIT:
            held = self.variable_value(self.files[value[1]], value[2])
            return self.keyed(held) if held != value else None
        if tag == INSTANCE:
            found = self.find(self.files[value[1]], value[2], "[]", False)
            if found is not None and found[0] is not None:
                return self.value(found[0], found[1], (value, value[3]))
            return None
        if tag == OBJECT:
            file = self.files[value[1]]
            members = file.members(value[2])
            if "[]" in members:
                return self.value(file, members["[]"], value[3])
            rows = [row for name, row in members.items() if name[:1] not in "(<."]
            return union([self.value(file, row, value[3]) for row in rows]) if 0 < len(rows) <= 8 else None
        if tag in (UNION, INTERSECTION):
            known = [item for item in (self.keyed(part) for part in value[1]) if item is not None]
            return union(list(known)) if known else None
        return None

    # -- members ------------------------------------------------------------------------------------

    def lib_member(self, base: Value, name: str) -> Value | None:
        kind: str = base[1]
        items: tuple[Value | None, ...] = base[2]
        if kind == "Record":
            return items[1]
        if kind == "Array" and name.isdigit():
            return items[0]
        if name in ("length", "size"):
            return NUMBER
        return (LIB_METHOD, name, base)

    def global_member(self, base: str, name: str) -> Value | None:
        if base in ("Object", "Promise", "Array", "Reflect"):
            return (LIB_METHOD, f"{base}.{name}", EXT)
        if base in ("globalThis", "window", "global", "self"):
            declared = self.window_member(name)
            if declared is not None:
                return declared
            return (GLOBAL, name) if name in ("Promise", "Object", "Array") else EXT
        return EXT

    # -- calls --------------------------------------------------------------------------------------

    def call_global(
        self, callee: Value, _arguments: Sequence[int], _file: File | None, _env: Env | None
    ) -> Value | None:
        name = callee[1]
        if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        return EXT

    def construct_global(
        self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        name = callee[1]
        types = list(callee[2]) if len(callee) > 2 else []
        first = self.value(file, arguments[0], env) if file is not None and arguments and not types else None
        if name in _SETS or name == "Array":
            item = types[0] if types else self.element(first) if name != "Array" else None
            return lib("Array" if name == "Array" else "Set", item)
        if name in _MAPS:
            if types:
                return lib("Map", *types[:2]) if len(types) > 1 else lib("Map", types[0], None)
            entry = self.element(first)
            if entry is not None and entry[0] == TUPLE and len(entry[1]) == 2:
                return (LIB, "Map", entry[1])
            return lib("Map", None, None)
        if name == "Promise":
            return lib("Promise", types[0] if types else None)
        if name == "Proxy":
            return first
        if name == "WeakRef":
            return types[0] if types else first
        return EXT

    def call_lib(self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        name: str = callee[1]
        base: Value = callee[2]
        values = [self.value(file, row, env) for row in arguments] if file is not None else []
        first = values[0] if values else None
        if base[0] != LIB:
            return self._call_static(name, base, values, arguments, file, env)
        kind: str = base[1]
        items: tuple[Value | None, ...] = base[2]
        if kind == "Array":
            return self._call_array(name, base, items[0], values)
        if kind == "Promise":
            if name == "then":
                handled = self.awaited(self.call(first, (), None, None))
                return lib("Promise", handled)
            return base if name in ("catch", "finally") else EXT
        if kind == "Map":
            if name == "get":
                return items[1]
            if name == "set":
                return base
            if name in ("values", "keys"):
                return lib("Array", items[1] if name == "values" else items[0])
            return lib("Array", (TUPLE, items)) if name == "entries" else EXT
        if kind == "Set":
            if name == "add":
                return base
            return lib("Array", items[0]) if name in ("values", "keys") else EXT
        return EXT

    def _call_array(self, name: str, base: Value, item: Value | None, values: list[Value | None]) -> Value | None:
        first = values[0] if values else None
        if name in _SAME_ARRAY:
            return base
        if name in _ITEM:
            return item
        if name in ("map", "flatMap"):
            result = self.call(first, (), None, None)
            return lib("Array", self.element(result) if name == "flatMap" and result is not None else result)
        if name in ("reduce", "reduceRight"):
            return values[1] if len(values) > 1 else item
        if name == "entries":
            return lib("Array", (TUPLE, (NUMBER, item)))
        if name == "next":
            return EXT
        return (
            NUMBER
            if name in ("push", "unshift", "indexOf", "findIndex", "lastIndexOf")
            else STRING
            if name == "join"
            else EXT
        )

    def _call_static(
        self,
        name: str,
        base: Value,
        values: list[Value | None],
        arguments: Sequence[int],
        file: File | None,
        env: Env | None,
    ) -> Value | None:
        first = values[0] if values else None
        if name in ("call", "apply"):
            rest = arguments[1:] if name == "call" else ()
            return self.call(base, rest, file, env)
        if name == "bind":
            return base
        if name in _RETURNS_FIRST:
            return first
        if name == "Object.assign":
            result: Value | None = None
            for value in reversed(values):
                result = intersection(result, value) if result is not None else value
            return result if first is not None else None
        if name == "Object.create":
            return first if first is not None and first[0] in (OBJECT, UNIT, INSTANCE) else None
        if name in ("Object.keys", "Object.getOwnPropertyNames"):
            return lib("Array", STRING)
        if name == "Object.values":
            return lib("Array", self.keyed(first))
        if name == "Object.entries":
            return lib("Array", (TUPLE, (STRING, self.keyed(first))))
        if name == "Object.fromEntries":
            entry = self.element(first)
            return lib(
                "Record",
                STRING,
                entry[1][1] if entry is not None and entry[0] == TUPLE and len(entry[1]) == 2 else None,
            )
        if name == "Array.from":
            mapped = self.call(values[1], (), None, None) if len(values) > 1 else None
            return lib("Array", mapped if len(values) > 1 else self.element(first))
        if name == "Array.of":
            return lib("Array", union(values) if values else None)
        if name == "Promise.resolve":
            return lib("Promise", self.awaited(first))
        if name in ("Promise.all", "Promise.allSettled"):
            if first is not None and first[0] == TUPLE:
                return lib("Promise", (TUPLE, tuple(self.awaited(item) for item in first[1])))
            return lib("Promise", lib("Array", self.awaited(self.element(first))))
        if name in ("Promise.race", "Promise.any"):
            return lib("Promise", self.awaited(self.element(first)))
        return EXT

    # -- callbacks ----------------------------------------------------------------------------------

    def lib_parameter(
        self,
        callee: Value,
        position: int,
        arguments: Sequence[int],
        file: File | None,
        env: Env | None,
    ) -> Value | None:
        """The function that a built-in method calls back, by the parameters that it gets."""
        name: str = callee[1]
        base: Value = callee[2]
        if base[0] != LIB:
            if name == "Array.from" and position == 1 and file is not None and arguments:
                return (CALLBACK, (self.element(self.value(file, arguments[0], env)), NUMBER))
            if name in ("call", "bind") and position > 0:
                return self.parameter(base, position - 1, (), None, None)
            return EXT
        kind: str = base[1]
        items: tuple[Value | None, ...] = base[2]
        if kind == "Array":
            if position == 0 and name in _EACH:
                return (CALLBACK, (items[0], NUMBER, base))
            if position == 0 and name in ("sort", "toSorted"):
                return (CALLBACK, (items[0], items[0]))
            if position == 0 and name in ("reduce", "reduceRight"):
                return (CALLBACK, (None, items[0], NUMBER, base))
            return items[0] if name in ("push", "unshift", "includes", "indexOf") else None
        if kind == "Promise":
            return (CALLBACK, (items[0] if name == "then" and position == 0 else EXT,))
        if kind == "Map":
            if name == "forEach" and position == 0:
                return (CALLBACK, (items[1], items[0], base))
            return items[position] if name == "set" and position < 2 else None
        if kind == "Set":
            if name == "forEach" and position == 0:
                return (CALLBACK, (items[0], items[0], base))
            return items[0] if name == "add" else None
        return None

    def global_parameter(self, callee: Value, _position: int) -> Value | None:
        if callee[1] == "Promise":
            return (CALLBACK, ((CALLBACK, ()), (CALLBACK, ())))
        return EXT
