"""Values that are exported without a declaration."""

from __future__ import annotations

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.extract.unit_calls import wrapped_function
from cmgit.extract.unit_syntax import FUNCTIONS, function_flags
from cmgit.extract.unit_walk import Scope, Walk


def mark_exported(walk: Walk, name: str, is_default: bool = False) -> None:
    """A unit of this name at top level is exported; it may stand anywhere in the file."""
    flags = UnitFlag.EXPORTED | (UnitFlag.DEFAULT if is_default else 0)
    walk.exported[name] = walk.exported.get(name, 0) | flags


def declare_value(walk: Walk, outer: Node, value: Node, scope: Scope, flags: int) -> Scope:
    """A default export that is an expression: function, class, wrapped function, object or other data.

    Gives the scope of what stands in the value.
    """
    function = value if value.type in FUNCTIONS else wrapped_function(walk, value)
    if function is not None:
        own = function.child_by_field_name("name")
        name = walk.text(own) if own is not None else ""
        body = function.child_by_field_name("body")
        row = walk.declare(
            UnitKind.FUNCTION,
            name,
            scope,
            outer,
            node=value,
            name_node=own,
            body=body,
            flags=flags | function_flags(function),
        )
        walk.bind(function, walk.body_scope(scope, row, function), row)
    elif value.type == "class":
        own = value.child_by_field_name("name")
        name = walk.text(own) if own is not None else ""
        body = value.child_by_field_name("body")
        row = walk.declare(UnitKind.CLASS, name, scope, outer, node=value, name_node=own, body=body, flags=flags)
        walk.bind(value, walk.member_scope(scope, row), row)
    else:
        row = walk.declare(UnitKind.VARIABLE, "", scope, outer, node=value, body=value, flags=flags)
        if value.type == "object":
            walk.bind(value, walk.member_scope(scope, row), row)
    return scope.of(row)
