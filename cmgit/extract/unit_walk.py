"""The iterative walk over a syntax tree that makes units: its stack, its scopes, and what every handler shares.

No recursion anywhere: nesting is as deep as the source says, and a minified or generated file says thousands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from cmgit.core.codes import UnitFlag, UnitKind
from cmgit.core.facts import NONE
from cmgit.extract.unit_table import UnitRow, UnitTable


@dataclass(slots=True)
class Scope:
    """What surrounds a node.

    owner: row of the innermost unit. prefix: what a qualified name begins with, with its dot. local: inside a function
    body. top: directly at module or namespace level. calls: names of the callbacks around, outermost first. this:
    prefix of what `this` is a member of, and whether that is local. is_object: directly in an object literal.
    is_exported: and that object is what the module exports.
    """

    owner: int
    prefix: str = ""
    local: bool = False
    top: bool = False
    calls: str = ""
    this: tuple[str, bool] | None = None
    is_object: bool = False
    is_exported: bool = False
    _inner: Scope | None = field(default=None, repr=False)

    def inside(self) -> Scope:
        """The same surroundings for what stands within a statement or an expression."""
        if not self.top and not self.is_object:
            return self
        if self._inner is None:
            self._inner = self.of(self.owner)
        return self._inner

    def of(self, owner: int, *, top: bool = False) -> Scope:
        """The same names within another unit."""
        return Scope(owner, self.prefix, self.local, top, self.calls, self.this)

    def named(self, name: str) -> Scope:
        """Within a property or an object that has a name but is no unit."""
        prefix = f"{self.prefix}{name}." if len(self.prefix) < _LONGEST_PREFIX else self.prefix
        return Scope(self.owner, prefix, self.local, False, self.calls, self.this)

    def body(self, function: Node) -> Scope:
        """Inside a function without a name."""
        this = self.this if function.type == "arrow_function" else None
        return Scope(self.owner, self.prefix, True, False, self.calls, this)


@dataclass(slots=True)
class Signatures:
    """A run of overload signatures that waits for its implementation."""

    kind: UnitKind
    name: str
    owner: int
    start: int
    row: UnitRow
    node_ids: list[int]


_LONGEST_PREFIX = 240
_LONGEST_NAME = 240

Handler = Callable[["Walk", Node, Scope], None]

# Functions, classes, objects, assignments and comments are not written without one of these.
_EQUALS = ord("=")
_SIGN = re.compile(rb"[{=/]")


class Walk:
    """State of one walk. Handlers push what is to be visited next; the order is the document's."""

    def __init__(self, source: bytes, handlers: dict[int, Handler | None]) -> None:
        """
        Args:
            handlers: of every kind of node, by its number. None: a node of this kind holds nothing.
        """
        self.source = source
        self.signs = [found.start() for found in _SIGN.finditer(source)]
        self.signs.append(len(source) + 1)
        self.table = UnitTable()
        self.handlers = handlers
        self.stack: list[tuple[Handler, Node, Scope]] = []
        self.bound: dict[int, Scope] = {}
        self.decorated: dict[int, int] = {}
        self.exported: dict[str, int] = {}
        self._comments: list[tuple[int, int]] = []
        self._signatures: Signatures | None = None

    def run(self) -> None:
        """Visit everything that was pushed."""
        stack, handlers, signs = self.stack, self.handlers, self.signs
        pop, append = stack.pop, stack.append
        while stack:
            handler, node, scope = pop()
            if handler is descend_if_loud:
                if signs[bisect_left(signs, node.start_byte)] >= node.end_byte and not node.has_error:
                    continue
            elif handler is not descend:
                handler(self, node, scope)
                continue
            for child in reversed(node.children):
                found = handlers[child.kind_id]
                if found is not None:
                    append((found, child, scope))
        self.flush_signatures()

    def push(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Visit nodes, given in document order, before everything that already waits."""
        handlers, append = self.handlers, self.stack.append
        for node in reversed(list(nodes)):
            handler = handlers[node.kind_id]
            if handler is not None:
                append((handler, node, scope))

    def push_one(self, node: Node, scope: Scope) -> None:
        handler = self.handlers[node.kind_id]
        if handler is not None:
            self.stack.append((handler, node, scope))

    def push_children(self, node: Node, scope: Scope) -> None:
        handlers, append = self.handlers, self.stack.append
        for child in reversed(node.children):
            handler = handlers[child.kind_id]
            if handler is not None:
                append((handler, child, scope))

    def is_quiet(self, node: Node) -> bool:
        """Whether nothing that stands in this expression or statement can be a unit, make one or document one."""
        signs = self.signs
        return signs[bisect_left(signs, node.start_byte)] >= node.end_byte and not node.has_error

    def holds_one_sign(self, node: Node) -> bool:
        """Whether nothing in this declaration of variables can be a unit: there is one `=` at most."""
        signs = self.signs
        at = bisect_left(signs, node.start_byte)
        end = node.end_byte
        if signs[at] < end and (self.source[signs[at]] != _EQUALS or signs[at + 1] < end):
            return False
        return not node.has_error

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def bind(self, node: Node, scope: Scope, row: int = NONE) -> None:
        """When the walk comes to this node, it stands in `scope`, and belongs to `row`."""
        self.bound[node.id] = scope
        if row != NONE:
            self.table.node_rows[node.id] = row

    def comment(self, start: int, end: int) -> None:
        self._comments.append((start, end))

    def doc_before(self, start: int, comments: Sequence[tuple[int, int]] | None = None) -> tuple[int, int]:
        """The range of the comment, or run of `//` lines, that stands directly before a byte; (0, 0) if none does.

        Args:
            comments: those to look at, in document order, if not all that the walk has met.
        """
        begin = finish = start
        for comment_start, comment_end in reversed(self._comments if comments is None else comments):
            if comment_end > begin:
                continue
            between = self.source[comment_end:begin]
            if between.strip() or between.count(b"\n") > 1:
                break
            if not self._begins_line(comment_start):
                break
            is_line = self.source.startswith(b"//", comment_start)
            if finish != start and not is_line:
                break
            if finish == start:
                finish = comment_end
            begin = comment_start
            if not is_line:
                break
        return (begin, finish) if begin != start else (0, 0)

    def _begins_line(self, offset: int) -> bool:
        before = self.source[self.source.rfind(b"\n", 0, offset) + 1 : offset]
        return not before.strip()

    def declare(
        self,
        kind: UnitKind,
        name: str,
        scope: Scope,
        outer: Node,
        *,
        node: Node,
        name_node: Node | None = None,
        body: Node | None = None,
        flags: int = 0,
        start: int | None = None,
        end: int | None = None,
        qualname: str | None = None,
        local: bool | None = None,
        comments: Sequence[tuple[int, int]] | None = None,
    ) -> int:
        """Add a unit and give its row.

        Args:
            outer: the node whose range the unit has, unless `start` or `end` say otherwise.
            node: the declaring node.
            name_node: where the name stands.
            body: where the body begins; None for what has none.
            local: whether it is LOCAL, if the scope does not say.
            comments: where to look for the doc comment, if not among all that the walk has met.
        """
        name = name[:_LONGEST_NAME]
        begin = outer.start_byte if start is None else start
        finish = outer.end_byte if end is None else end
        if outer.has_error:
            flags |= UnitFlag.PARTIAL
        if (scope.local if local is None else local) and kind != UnitKind.CALLBACK:
            flags |= UnitFlag.LOCAL
        doc_start, doc_end = self.doc_before(begin, comments)
        row = UnitRow(
            kind=kind,
            name=name,
            qualname=scope.prefix + name if qualname is None else qualname[: 2 * _LONGEST_NAME],
            owner=scope.owner,
            start=begin,
            end=finish,
            name_start=begin if name_node is None else name_node.start_byte,
            body_start=finish if body is None else body.start_byte,
            doc_start=doc_start,
            doc_end=doc_end,
            flags=flags,
        )
        self._join_signatures(row)
        index = self.table.add(row)
        self.table.node_rows[node.id] = index
        return index

    def body_scope(self, scope: Scope, row: int, function: Node) -> Scope:
        """The surroundings inside the body of the function that is this row."""
        unit = self.table.rows[row]
        prefix = _prefix(unit, scope)
        this: tuple[str, bool] | None
        if function.type == "arrow_function":
            this = scope.this
        elif unit.kind == UnitKind.METHOD:
            this = unit.qualname.removesuffix(unit.name), scope.local
        else:
            this = prefix, scope.local
        return Scope(row, prefix, True, False, scope.calls, this)

    def member_scope(self, scope: Scope, row: int, *, top: bool = False) -> Scope:
        """The surroundings of the members of the class, namespace or object that is this row."""
        unit = self.table.rows[row]
        prefix = _prefix(unit, scope)
        this = (prefix, scope.local) if unit.kind == UnitKind.CLASS else scope.this
        return Scope(row, prefix, scope.local, top, scope.calls, this)

    def signature(self, kind: UnitKind, row: UnitRow, node: Node) -> None:
        """A declaration without a body: part of the implementation that follows, or a unit of its own."""
        waiting = self._signatures
        if waiting is not None and (waiting.kind, waiting.name, waiting.owner) == (kind, row.name, row.owner):
            # The last signature of a run stands for it; what is before it is kept like a doc comment.
            row.doc_start, row.doc_end = waiting.start, waiting.row.end
            row.flags |= UnitFlag.OVERLOADED
            waiting.row = row
            waiting.node_ids.append(node.id)
            return
        self.flush_signatures()
        start = row.doc_start if row.doc_end else row.start
        self._signatures = Signatures(kind, row.name, row.owner, start, row, [node.id])

    def flush_signatures(self) -> None:
        """Signatures without an implementation are a unit."""
        waiting, self._signatures = self._signatures, None
        if waiting is not None:
            index = self.table.add(waiting.row)
            self.table.node_rows.update(dict.fromkeys(waiting.node_ids, index))

    def _join_signatures(self, row: UnitRow) -> None:
        waiting, self._signatures = self._signatures, None
        if waiting is None:
            return
        if (waiting.kind, waiting.name, waiting.owner) == (row.kind, row.name, row.owner):
            index = len(self.table.rows)
            row.doc_end = row.doc_end or waiting.row.end
            row.doc_start = waiting.start
            row.flags |= UnitFlag.OVERLOADED | (waiting.row.flags & (UnitFlag.EXPORTED | UnitFlag.DEFAULT))
            self.table.node_rows.update(dict.fromkeys(waiting.node_ids, index))
        else:
            self._signatures = waiting
            self.flush_signatures()


def _prefix(unit: UnitRow, scope: Scope) -> str:
    # Nesting as deep as a generated file has it would make the names of its units quadratic in size.
    return f"{unit.qualname}." if unit.name and len(unit.qualname) < _LONGEST_PREFIX else scope.prefix


def descend(walk: Walk, node: Node, scope: Scope) -> None:
    """Look at the children: what a kind without a handler of its own gets."""
    walk.push_children(node, scope)


def descend_if_loud(walk: Walk, node: Node, scope: Scope) -> None:
    """The same, unless nothing in it can matter."""
    if not walk.is_quiet(node):
        walk.push_children(node, scope)
