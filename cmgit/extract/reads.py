"""Places where a declared thing is read without being called: passed on, stored, compared, exported under a name.

The binder notes every identifier and every chain of members; which of them mean something declared is seen once all
names are bound. What a site calls, declares or assigns to is no read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.codes import ImportKind, RefKind, ValueOp
from cmgit.extract.binder import Binder, Site, install
from cmgit.extract.nodes import member_parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from cmgit.extract.bindings import Binding, Scope
    from cmgit.extract.lower import Lowering

_PASSING = frozenset({"call", "apply", "bind"})
_ENDS = frozenset({"identifier", "this", "super"})
_DECLARED = frozenset({"function", "class", "enum", "namespace", "variable", "constant"})
_ROOTS = frozenset({ValueOp.UNIT, ValueOp.IMPORT, ValueOp.THIS, ValueOp.STATIC_THIS, ValueOp.SUPER})


def reads_of(low: Lowering, unit_names: set[str]) -> tuple[list[Site], list[int]]:
    """Sites of all reads of something declared, and the row of each. unit_names: names of the blob's units."""
    binder = low.binder
    derived = any(made.base is not None for made in binder.classes.values())
    sites: list[Site] = []
    rows: list[int] = []
    for node, root, scope, unit, inner in binder.reads:
        kind = root.type
        if kind == "this":
            if node.children[0] == root and not derived and _last(binder, node) not in unit_names:
                continue  # a field that holds no function
        elif kind != "super":
            binding = scope.value(binder.text(root))
            if binding is None or not _is_declared(binder, binding):
                continue
            if node is root and _is_module(binder, binding, inner):
                continue
        row = _plain(low, low.expr(node, scope))
        if row > 0 and _is_rooted(low, row):
            sites.append((RefKind.VALUE, node, scope, unit))
            rows.append(row)
    return sites, rows


def _is_declared(binder: Binder, binding: Binding) -> bool:
    """Whether a name may mean a unit or an import; a parameter and most locals do not."""
    kind = binding.kind
    if kind == "import" or kind == "narrowed":
        return True
    if kind not in _DECLARED:
        return False
    source = binding.source
    if binding.unit is not None or source is None:
        return binding.unit is not None
    if source.kind == "member":
        return True
    node = source.node
    while node is not None and node.type == "member_expression":
        node = node.children[0]
    return node is not None and node.id in binder.import_of  # `const a = require("./a").b`


def _is_module(binder: Binder, binding: Binding, inner: bool) -> bool:
    """Whether a name is a whole module: never a unit in ES, and not what is meant by `module.f` in CommonJS."""
    if binding.kind == "import":
        row = binder.imports[binding.unit or 0]
        return row.imported == "*" and (inner or row.kind == ImportKind.ES)
    return inner and binding.unit is None and binding.source is not None and binding.source.kind == "value"


def _plain(low: Lowering, row: int) -> int:
    """The row without what a test around it says of it."""
    values = low.values
    while values.op[row] in (ValueOp.NARROWED, ValueOp.GUARDED):
        row = values.a[row]
    return row


def _is_rooted(low: Lowering, row: int) -> bool:
    op, a = low.values.op, low.values.a
    if op[row] == ValueOp.UNIT or op[row] == ValueOp.IMPORT:
        return True
    if op[row] != ValueOp.MEMBER:
        return False
    while op[row] == ValueOp.MEMBER:
        row = _plain(low, a[row])
    return op[row] in _ROOTS


def _last(binder: Binder, node: Node) -> str:
    name = member_parts(node)[1]
    return binder.text(name) if name is not None else ""


# -- what the binder notes ------------------------------------------------------------------------


def _identifier(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    if node.id not in binder.unread:
        binder.reads.append((node, node, scope, unit, False))


def _member(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    root = node.children[0]
    kind = root.type
    while kind == "member_expression":
        root = root.children[0]
        kind = root.type
    if kind not in _ENDS:
        binder.push(root, scope, unit)
        return
    of_root = binder.unread.get(node.id)
    if of_root is None:
        binder.reads.append((node, root, scope, unit, False))
    elif of_root:
        name = member_parts(node)[1]
        if name is not None and binder.text(name) in _PASSING:
            binder.push(node.children[0], scope, unit)  # `f.call(…)`, `f.bind(…)`: f is passed on
            return
    if of_root is not False and kind == "identifier":
        binder.reads.append((root, root, scope, unit, True))


def _without_names(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    """Identifiers among the children are names of the type's own."""
    for child in reversed(node.named_children):
        if child.type not in ("identifier", "rest_pattern", "this"):
            binder.push(child, scope, unit)


def _type_query(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    for child in reversed(node.named_children):
        binder.mark_unread(child)
        binder.push(child, scope, unit)


def _augmented(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    for part in (right, left):
        if part is not None:
            binder.push(part, scope, unit)
    if left is not None:
        binder.mark_unread(left)


def _update(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    for child in node.named_children:
        binder.mark_unread(child)
        binder.push(child, scope, unit)


install(
    {
        "identifier": _identifier,
        "shorthand_property_identifier": _identifier,
        "member_expression": _member,
        "type_query": _type_query,
        "index_signature": _without_names,
        "required_parameter": _without_names,
        "optional_parameter": _without_names,
        "type_predicate": _without_names,
        "asserts": _without_names,
        "augmented_assignment_expression": _augmented,
        "update_expression": _update,
        "jsx_namespace_name": None,
    }
)
