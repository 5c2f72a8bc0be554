"""Lexical scopes of one blob: what each name is bound to, before any expression is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})
TRANSPARENT = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})


class Scope:
    """Names of one block, function, class or module. Values and types live in separate spaces.

    function: the innermost function around it. hoist: the scope that takes `var`.
    """

    __slots__ = ("all", "function", "hoist", "parent", "types", "values")

    def __init__(self, parent: Scope | None, function: Function, hoist: Scope | None = None) -> None:
        self.parent = parent
        self.function = function
        self.hoist: Scope = hoist or self
        self.values: dict[str, Binding] = {}
        self.types: dict[str, Binding] = {}
        self.all: list[Scope] = [] if parent is None else parent.all
        self.all.append(self)

    def release(self) -> None:
        """Cuts the circles among all scopes of the blob: its syntax tree is freed at once, and no search for garbage
        has to go through its nodes. Nothing of them can be asked afterwards."""
        for scope in self.all:
            scope.values.clear()
            scope.types.clear()
            del scope.function, scope.hoist
        self.all.clear()

    def value(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.values.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def type(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.types.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


class Source(NamedTuple):
    """Where a variable's value comes from.

    kind: `value` (node's value), `element` (one element of it), `parameter` (of `function`, at `position`),
    `member` (property `name` of `source`), `item` (`position` of `source`), `rest` (what remains of `source`),
    `key` (a property name), `default` (`source`, or node's value).
    """

    kind: str
    node: Node | None = None
    scope: Scope | None = None
    source: Source | None = None
    name: str = ""
    position: int = 0
    function: Function | None = None


class Binding:
    """One declared name.

    kind: variable, parameter, function, class, import, enum, namespace, interface, alias, typeparam, narrowed,
    type-import. unit: its unit row, or None. row: its value row once lowered, -1 while that is under way.
    """

    __slots__ = (
        "annotation", "assigned", "constant", "doc", "expandos", "kind", "node", "row", "scope", "source", "unit",
    )  # fmt: skip

    def __init__(self, kind: str, scope: Scope, node: Node | None, unit: int | None = None) -> None:
        self.kind = kind
        self.scope = scope
        self.node = node
        self.unit = unit
        self.constant = False
        self.annotation: Node | None = None
        self.source: Source | None = None
        self.assigned: list[Source] = []
        self.expandos: list[tuple[str, Node, Scope]] = []
        self.doc: tuple[int, int] | None = None
        self.row: int | None = None


class This(NamedTuple):
    """What `this` is in a function that is no arrow.

    kind: `class` (static: the class itself), `object` (the literal `node`), `member` (`node` is `o` of
    `o.m = function`), `plain`, `module`.
    """

    kind: str
    node: Node | None = None
    scope: Scope | None = None
    owner: ClassScope | None = None
    static: bool = False


class Function:
    """A function, method, accessor or the module itself, as a place for returns and `this`.

    result: the written type of what it returns. type_parameters: their list.
    """

    __slots__ = (
        "arrow", "asynchronous", "doc", "generator", "node", "outer", "parameters", "result", "returns", "scope",
        "this", "type_parameters", "unit",
    )  # fmt: skip

    def __init__(self, node: Node, unit: int | None, outer: Function | None, this: This, arrow: bool) -> None:
        self.node = node
        self.unit = unit
        self.outer = outer
        self.this = this
        self.arrow = arrow
        self.asynchronous = False
        self.generator = False
        self.scope: Scope
        self.parameters: list[Node] = []
        self.returns: list[tuple[Node, Scope]] = []
        self.doc: tuple[int, int] | None = None
        self.result: Node | None = None
        self.type_parameters: Node | None = None


class Member(NamedTuple):
    """A declared member. kind: method, getter, setter, field, parameter (a constructor's property)."""

    name: str
    kind: str
    node: Node
    scope: Scope
    static: bool
    unit: int | None


class ClassScope:
    """A class with its members and what it extends."""

    __slots__ = ("base", "base_arguments", "implements", "members", "node", "scope", "unit")

    def __init__(self, node: Node, unit: int | None) -> None:
        self.node = node
        self.unit = unit
        self.scope: Scope
        self.base: Node | None = None
        self.base_arguments: Node | None = None
        self.implements: list[Node] = []
        self.members: list[Member] = []
