"""First pass over a blob's tree: scopes, bindings, and every place that later wants a value.

The walk is iterative, so depth costs nothing but memory. Nothing is resolved here, since names are hoisted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cmgit.core.codes import ImportKind, RefKind
from cmgit.extract.bindings import (
    CLASSES,
    FUNCTIONS,
    TRANSPARENT,
    Binding,
    ClassScope,
    Function,
    Member,
    Scope,
    Source,
    This,
)
from cmgit.extract.nodes import FunctionParts, function_parts
from cmgit.extract.parse import ERROR_KIND, load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node

Handler = Callable[["Binder", "Node", Scope, int], None]

_CONTEXTUAL = FUNCTIONS | {"object", "array", "parenthesized_expression", "ternary_expression", "call_expression"}
_WRAPPERS = TRANSPARENT | {"type_assertion", "instantiation_expression", "sequence_expression"}
_ADAPTERS = frozenset({"assign", "defineProperty", "defineProperties", "inherits", "setPrototypeOf"})


Site = tuple[int, "Node", Scope, int]
"""A reference whose value the second pass looks up: kind, callee expression, scope, unit. A plain tuple, for there are
many."""


class Assignment(NamedTuple):
    """`object.name = value`."""

    object: Node
    name: str
    value: Node
    scope: Scope
    unit: int | None


class Context(NamedTuple):
    """What asks for an expression, for parameters without a type of their own.

    kind: `argument` (node is the call, position its place), `property` (node is the literal, name the key), `type`
    (node is a written type), `return` (of `function`), `element` (node is the array), `same` (node is around it).
    """

    kind: str
    node: Node
    scope: Scope
    position: int = 0
    name: str = ""
    function: Function | None = None


class ExportEntry(NamedTuple):
    """kind: `name` (a binding of scope), `value` (an expression), `import` (a row of the imports)."""

    kind: str
    name: str
    scope: Scope
    local: str = ""
    node: Node | None = None
    row: int = -1


class ImportRow(NamedTuple):
    kind: int
    specifier: str
    imported: str | None
    local: str | None
    start: int
    end: int
    type_only: bool
    unit: int


class Binder:
    """Collects scopes and places of one blob; `run` fills the lists."""

    def __init__(self, root: Node, source: bytes, unit_of_node: Mapping[int, int], grammar: str) -> None:
        javascript = grammar == "javascript"  # types stand in JSDoc comments
        self.grammar = grammar
        self.source = source
        self.kinds = _kinds(grammar)
        self.table = self.kinds.table
        self.text = _text_reader(source)
        self.unit_of_node = unit_of_node
        self.javascript = javascript
        module = Function(root, 0, None, This("module"), False)
        self.root = root
        self.module = Scope(None, module)
        module.scope = self.module
        self.stack: list[tuple[Handler, Node, Scope, int]] = []
        self.sites: list[Site] = []
        # A name or chain of members that may be read, the root of the chain, and whether this is the root of a chain
        # that has its own reference. Plain tuples, for there are more of them than of anything else.
        self.reads: list[tuple[Node, Node, Scope, int, bool]] = []
        self.unread: dict[int, bool] = {}  # what is called or assigned to -> whether the root of its chain is read
        self.imports: list[ImportRow] = []
        self.import_of: dict[int, int] = {}  # node of `require()` or `import()` -> import row
        self.exports: list[ExportEntry] = []
        self.assignments: list[Assignment] = []
        self.adapters: list[tuple[Node, Scope]] = []
        self.functions: dict[int, Function] = {}
        self.signatures: dict[int, list[Function]] = {}  # unit of an overloaded function -> its signatures
        self.classes: dict[int, ClassScope] = {}
        self.interfaces: list[tuple[int, Node, Scope]] = []
        self.aliases: list[tuple[int, Node, Scope]] = []
        self.variables: list[Binding] = []
        self.typed_literals: list[tuple[Node, Scope]] = []
        self.wrapped: set[int] = set()  # units of a variable that holds what a call made of a function
        self.alias_of: dict[int, Binding] = {}  # value of `var a = module.exports = value` -> a
        self.namespaces: list[tuple[int, Scope]] = []  # unit and scope; every name in it is a member
        self.globals: list[Scope] = []  # of `declare global {}`
        self.this_of: dict[int, This] = {}
        self.held: dict[int, int] = {}  # function or class expression -> unit of what it is bound to
        self.contexts: dict[int, Context] = {}
        self.scope_of: dict[int, Scope] = {}  # expressions with a scope of their own by narrowing
        self.docs: dict[int, tuple[int, int]] = {}  # node after a doc comment -> its range
        self.casts: dict[int, tuple[int, int]] = {}  # offset after a doc comment -> its range
        self.typedefs: list[tuple[int, int, Scope]] = []
        self.reassigned: list[tuple[Scope, str, Node]] = []

    # -- helpers ------------------------------------------------------------------------------------

    def string(self, node: Node) -> str:
        """The value of a string literal, escapes left as they stand."""
        return self.text(node)[1:-1]

    def key(self, node: Node) -> str:
        """The name that a property key spells: `a`, `'a'`, `#a`, `['a']`; `[expr]` as written otherwise."""
        kind = node.type
        if kind == "string":
            return self.string(node)
        if kind == "computed_property_name":
            inner = node.named_children
            if len(inner) == 1 and inner[0].type == "string":
                return self.string(inner[0])
        return self.text(node)

    def push(self, node: Node, scope: Scope, unit: int) -> None:
        """Visit a node before everything that already waits."""
        handler = self.table[node.kind_id]
        if handler is not None:
            self.stack.append((handler, node, scope, unit))

    def push_children(self, node: Node, scope: Scope, unit: int) -> None:
        table, append = self.table, self.stack.append
        for child in reversed(node.children):
            handler = table[child.kind_id]
            if handler is not None:
                append((handler, child, scope, unit))

    def run(self) -> None:
        stack, table, unread, reads = self.stack, self.table, self.unread, self.reads
        self.push_children(self.root, self.module, 0)
        pop, append, row, read = stack.pop, stack.append, self.unit_of_node.get, reads.append
        identifier = _HANDLERS["identifier"]
        while stack:
            handler, node, scope, unit = pop()
            if handler is identifier:
                number = node.id
                if number not in unread:
                    read((node, node, scope, row(number, unit), False))
                continue
            unit = row(node.id, unit)
            if handler is _descend:
                for child in reversed(node.children):
                    found = table[child.kind_id]
                    if found is not None:
                        append((found, child, scope, unit))
            else:
                handler(self, node, scope, unit)

    def site(self, kind: int, node: Node, scope: Scope, unit: int) -> None:
        self.sites.append((kind, node, scope, unit))
        if node.type in _WRAPPERS:
            self.mark_unread(node, of_root=True)
        else:
            self.unread[node.id] = True

    def mark_unread(self, node: Node, *, of_root: bool = False) -> None:
        """Notes that an expression is called or assigned to: no read, though the root of its chain may be."""
        while node.type in _WRAPPERS:
            inner = node.named_children
            if not inner:
                return
            node = inner[-1] if node.type in ("sequence_expression", "type_assertion") else inner[0]
        self.unread[node.id] = of_root

    def add_import(
        self, kind: int, specifier: str, imported: str | None, local: str | None, node: Node, types: bool, unit: int
    ) -> int:
        self.imports.append(ImportRow(kind, specifier, imported, local, node.start_byte, node.end_byte, types, unit))
        return len(self.imports) - 1

    def hold(self, unit: int | None, value: Node | None) -> Node | None:
        """Notes that a function or class expression is what `unit` declares; gives that expression."""
        while value is not None:
            kind = value.type
            if kind in FUNCTIONS or kind == "class":
                if unit is not None:
                    self.held[value.id] = unit
                return value
            if kind in TRANSPARENT:
                inner = value.named_children
                value = inner[0] if inner else None
            elif kind == "assignment_expression":
                value = value.child_by_field_name("right")
            else:
                return None
        return None

    def declare(self, scope: Scope, name: str, binding: Binding) -> Binding:
        """Adds a value; a second declaration of one name (overloads, `var` twice, merging) adds to the first."""
        known = scope.values.get(name)
        if known is not None and known.kind in ("function", "class") and known.unit is not None:
            return known
        scope.values[name] = binding
        return binding

    # -- patterns -----------------------------------------------------------------------------------

    def bind(self, pattern: Node, scope: Scope, source: Source, kind: str, outer: Scope, unit: int) -> None:
        """Declares all names of a pattern in `scope`; default values are evaluated in `outer`."""
        work = [(pattern, source)]
        while work:
            node, origin = work.pop()
            what = node.type
            if what in ("identifier", "shorthand_property_identifier_pattern"):
                if origin.kind == "shorthand":
                    origin = origin._replace(kind="default")
                elif what != "identifier":
                    origin = Source("member", source=origin, name=self.text(node))
                binding = Binding(kind, scope, node, self.unit_of_node.get(node.id))
                if binding.unit is not None:
                    self.variables.append(binding)
                binding.source = origin
                binding.constant = kind == "constant"
                known = scope.values.get(self.text(node))
                if known is not None and known.kind == kind:
                    known.assigned.append(origin)
                else:
                    scope.values[self.text(node)] = binding
            elif what == "object_pattern":
                for child in node.named_children:
                    self._bind_property(child, origin, outer, unit, work)
            elif what == "array_pattern":
                self._bind_items(node, origin, work)
            elif what in ("assignment_pattern", "object_assignment_pattern"):
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if left is not None and right is not None:
                    work.append((left, Source("default", right, outer, origin)))
                    self.push(right, outer, unit)
            elif what == "rest_pattern":
                for child in node.named_children[:1]:
                    work.append((child, Source("rest", source=origin)))

    def _bind_property(
        self, child: Node, origin: Source, outer: Scope, unit: int, work: list[tuple[Node, Source]]
    ) -> None:
        kind = child.type
        if kind == "pair_pattern":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or value is None:
                return
            if key.type == "computed_property_name":
                self.push(key, outer, unit)
            work.append((value, Source("member", source=origin, name=self.key(key))))
        elif kind == "object_assignment_pattern":
            left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
            if left is None or right is None:
                return
            self.push(right, outer, unit)
            if left.type == "shorthand_property_identifier_pattern":
                # the name itself is bound: an identifier of the member, or of the default
                member = Source("member", source=origin, name=self.text(left))
                work.append((left, Source("shorthand", right, outer, member)))
            else:
                work.append((left, Source("default", right, outer, origin)))
        else:
            work.append((child, origin))

    def _bind_items(self, node: Node, origin: Source, work: list[tuple[Node, Source]]) -> None:
        index = 0
        for child in node.children:
            if child.type == ",":
                index += 1
            elif child.type == "rest_pattern":
                for inner in child.named_children[:1]:
                    work.append((inner, Source("rest", source=origin)))
            elif child.is_named and child.type != "comment":
                work.append((child, Source("item", source=origin, position=index)))

    # -- functions ----------------------------------------------------------------------------------

    def unit_of(self, node: Node) -> int | None:
        found = self.unit_of_node.get(node.id)
        return self.held.get(node.id) if found is None else found

    def function(self, node: Node, scope: Scope, unit: int, this: This, *, arrow: bool = False) -> Function:
        """Enters a function: its scope, its parameters, and its parts on the stack."""
        own = self.unit_of(node)
        made = Function(node, own, scope.function, this, arrow)
        inner = Scope(scope, made)
        made.scope = inner
        made.doc = self.docs.get(node.id)
        self.functions[node.id] = made
        if own is not None:
            unit = own
        for child in node.children:
            if child.is_named:
                break
            kind = child.type
            if kind == "async":
                made.asynchronous = True
            elif kind == "*":
                made.generator = True
        parts = function_parts(node)
        made.result, made.type_parameters, body = parts.result, parts.type_parameters, parts.body
        if body is not None:
            if body.type == "statement_block":
                self.push_children(body, inner, unit)
            else:
                made.returns.append((body, inner))
                self.push(body, inner, unit)
                self._context(body, "return", node, inner, function=made)
        if made.result is not None:
            self.push(made.result, inner, unit)
        if made.type_parameters is not None:
            self.push(made.type_parameters, inner, unit)
            self._type_parameters(made.type_parameters, inner)
        self._parameters(parts, made, unit)
        if "generator" in node.type:
            made.generator = True
        return made

    def _parameters(self, parts: FunctionParts, made: Function, unit: int) -> None:
        inner = made.scope
        single = parts.parameter
        if single is not None:
            made.parameters.append(single)
            self.bind(single, inner, Source("parameter", function=made), "parameter", inner, unit)
            return
        listed = parts.parameters
        if listed is None:
            return
        for child in listed.named_children:
            kind = child.type
            if kind == "comment":
                continue
            if kind == "decorator":
                self.push(child, inner, unit)
                continue
            pattern = child.child_by_field_name("pattern") if kind.endswith("_parameter") else child
            if pattern is not None and pattern.type == "this":
                made.this = This("written", child, inner)
                self._push_annotation(child, inner, unit)
                continue
            index = len(made.parameters)
            made.parameters.append(child)
            if pattern is None:
                continue
            if kind.endswith("_parameter"):
                for part in child.named_children:
                    if part.id != pattern.id:
                        self.push(part, inner, unit)
            origin = Source("parameter", function=made, position=index)
            if pattern.type == "assignment_pattern":  # its default is looked at with the parameter
                left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
                if left is None or right is None:
                    continue
                self.push(right, inner, unit)
                pattern = left
            if pattern.type == "rest_pattern":
                for name in pattern.named_children[:1]:
                    self.bind(name, inner, origin, "parameter", inner, unit)
            else:
                self.bind(pattern, inner, origin, "parameter", inner, unit)

    def _push_annotation(self, node: Node, scope: Scope, unit: int) -> None:
        annotation = node.child_by_field_name("type")
        if annotation is not None:
            self.push(annotation, scope, unit)

    def type_parameters(self, node: Node, scope: Scope) -> None:
        listed = node.child_by_field_name("type_parameters")
        if listed is not None:
            self._type_parameters(listed, scope)

    def _type_parameters(self, listed: Node, scope: Scope) -> None:
        for child in listed.named_children:
            name = child.child_by_field_name("name")
            if name is not None:
                scope.types[self.text(name)] = Binding("typeparam", scope, child)

    def context(self, node: Node | None, kind: str, around: Node, scope: Scope, index: int = 0, name: str = "") -> None:
        if node is not None:
            self._context(node, kind, around, scope, index, name)

    def _context(
        self, node: Node, kind: str, around: Node, scope: Scope, index: int = 0, name: str = "",
        function: Function | None = None,
    ) -> None:  # fmt: skip
        if node.kind_id in self.kinds.contextual:
            if _is_written(kind, function) and node.type == "object":
                self.typed_literals.append((node, scope))
            self.contexts[node.id] = Context(kind, around, scope, index, name, function)


def _is_written(kind: str, function: Function | None) -> bool:
    """Whether the context of an expression is a written type."""
    if kind == "return":
        return function is not None and function.result is not None
    return kind == "type"


_HANDLERS: dict[str, Handler | None] = {}


def _descend(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    """A kind without a handler is passed through."""
    binder.push_children(node, scope, unit)


def install(handlers: Mapping[str, Handler | None]) -> None:
    """Adds the handlers of node types; called once by the modules that define them. None: not entered."""
    _HANDLERS.update(handlers)


class _Kinds:
    """What a grammar's kinds of nodes mean to the binder, by their ids.

    table: the handler of each kind, None for what is not entered: tokens too. contextual: kinds that ask what is
    expected of them.
    """

    __slots__ = ("contextual", "table", "tokens")

    def __init__(self, grammar: str) -> None:
        language = load_grammar(grammar)
        self.table: dict[int, Handler | None] = {ERROR_KIND: _descend}
        self.tokens: set[int] = set()
        self.contextual: set[int] = set()
        for kind in range(language.node_kind_count):
            name = language.node_kind_for_id(kind) or ""
            named = language.node_kind_is_named(kind)
            if not named or name == "comment":
                self.tokens.add(kind)
            self.table[kind] = _HANDLERS.get(name, _descend) if named else None
            if named and name in _CONTEXTUAL:
                self.contextual.add(kind)
            if name == "comment" and grammar != "javascript":
                self.table[kind] = None


@cache
def _kinds(grammar: str) -> _Kinds:
    """Made when the first blob is read: by then all handlers are there."""
    return _Kinds(grammar)


def _text_reader(source: bytes) -> Callable[[Node], str]:
    """What gives the text of a node."""
    if source.isascii():
        text = source.decode("ascii")

        def slice_of(node: Node) -> str:
            return text[node.start_byte : node.end_byte]

        return slice_of
    known: dict[bytes, str] = {}

    def decoded(node: Node) -> str:
        raw = source[node.start_byte : node.end_byte]
        found = known.get(raw)
        if found is None:
            found = known[raw] = raw.decode("utf-8", "replace")
        return found

    return decoded


__all__ = [
    "CLASSES", "Assignment", "Binder", "Context", "ExportEntry", "ImportKind", "ImportRow", "Member",
    "RefKind", "Site", "install",
]  # fmt: skip
