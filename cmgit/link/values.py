"""The values that evaluation gives. Tuples, whose first item is one of the tags below, or None for unknown.

Files are indices into the tree's files, units and rows are those of the file's facts.

    (UNIT, file, unit, env)       the declared thing itself: function, class, namespace, enum, variable
    (INSTANCE, file, unit, binds) an instance of a class or constructor function, a value of an interface
    (MODULE, file)                the exports of a file as one object
    (OBJECT, file, row, env)      an object literal or a value of an object type
    (FUNCTION, file, row, env)    a function without a unit, or a value of a function type
    (LIB, name, items)            an instance of a built-in generic; items are its type arguments
    (LIB_METHOD, name, receiver)  its method
    (GLOBAL, name)                an undeclared global
    (TUPLE, items)
    (PRIMITIVE, name)
    (UNION, items), (INTERSECTION, items)
    (CALLBACK, items)             a function whose parameters are known
    (SIGNATURE, value)            declared to be like a value, without being it
    (EXTERNAL,)                   something from another package or built in

env: None, or (this, binds). binds: ((file, row of a TYPE_PARAM), value) pairs.
"""

from __future__ import annotations

from typing import Any

UNIT, INSTANCE, MODULE, OBJECT, FUNCTION, LIB, LIB_METHOD, GLOBAL, TUPLE, PRIMITIVE = range(10)
UNION, INTERSECTION, CALLBACK, EXTERNAL, SIGNATURE = range(10, 15)

Value = tuple[Any, ...]
Binds = tuple[tuple[tuple[int, int], "Value | None"], ...]
Env = tuple["Value | None", Binds]

EXT: Value = (EXTERNAL,)
STRING: Value = (PRIMITIVE, "string")
NUMBER: Value = (PRIMITIVE, "number")
BOOLEAN: Value = (PRIMITIVE, "boolean")
_NULLISH = frozenset({"null", "undefined", "void", "never"})
_MOST = 10


def union(items: list[Value | None]) -> Value | None:
    """Either of the items; None among them says that more is possible."""
    flat: dict[Value | None, None] = {}
    for item in items:
        if item is not None and item[0] == UNION:
            flat.update(dict.fromkeys(item[1]))
        else:
            flat[item] = None
    if len(flat) > 1:
        for item in list(flat):
            if item is not None and item[0] == PRIMITIVE and item[1] in _NULLISH:
                del flat[item]
    if not flat:
        return items[0] if items else None
    if len(flat) == 1:
        return next(iter(flat))
    if len(flat) > _MOST:
        return None
    return (UNION, tuple(flat))


def intersection(first: Value | None, second: Value | None) -> Value | None:
    if first is None or first == second:
        return second
    if second is None:
        return first
    left = first[1] if first[0] == INTERSECTION else (first,)
    right = second[1] if second[0] == INTERSECTION else (second,)
    return (INTERSECTION, left + tuple(item for item in right if item not in left))


def lib(name: str, *items: Value | None) -> Value:
    return (LIB, name, items)
