"""Assignments that give members or exports, and what a blob exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cmgit.core.codes import ImportKind, ValueOp
from cmgit.core.facts import NONE
from cmgit.extract.binder import Assignment
from cmgit.extract.bindings import Binding, Function, Scope, Source
from cmgit.extract.lower import Lowering
from cmgit.extract.lower_types import type_entity

if TYPE_CHECKING:
    from tree_sitter import Node

_BOUND = ("function", "class", "variable", "constant", "parameter")


class Exported(NamedTuple):
    name: str
    value: int
    row: int


class Target(NamedTuple):
    """What `object` of `object.name = value` is.

    kind: `exports`, `module`, `instance` (of unit), `static` (unit itself), `binding`, `nothing`.
    """

    kind: str
    unit: int = NONE
    binding: Binding | None = None


def prepare(low: Lowering) -> None:
    """Attaches assignments to the names and classes that they concern; before anything is lowered."""
    for scope, name, right in low.binder.reassigned:
        binding = scope.value(name)
        while binding is not None and binding.kind == "narrowed" and binding.source is not None:
            binding = binding.scope.value(binding.source.name)
        if binding is not None and binding.kind in ("variable", "parameter", "constant"):
            binding.assigned.append(Source("value", right, scope))
    for assignment in low.binder.assignments:
        target = classify(low, assignment.object, assignment.scope)
        _attach(low, target, assignment)
    for node, scope in low.binder.adapters:
        _adapter(low, node, scope)


def _text(low: Lowering, node: Node | None) -> str:
    return low.binder.text(node) if node is not None and node.end_byte - node.start_byte < 80 else ""


def classify(low: Lowering, node: Node, scope: Scope) -> Target:
    kind = node.type
    if kind == "this":
        return _this(low, scope)
    if kind == "identifier":
        name = low.binder.text(node)
        binding = scope.value(name)
        if binding is None:
            if name == "exports":
                return Target("exports")
            return Target("module") if name == "module" else Target("nothing")
        return _binding(low, binding)
    if kind == "member_expression":
        inner, name_node = node.child_by_field_name("object"), node.child_by_field_name("property")
        name = _text(low, name_node)
        if inner is None:
            return Target("nothing")
        if name == "exports" and _text(low, inner) == "module" and scope.value("module") is None:
            return Target("exports")
        if name == "prototype" and inner.type == "identifier":
            binding = scope.value(low.binder.text(inner))
            if binding is not None and binding.kind in _BOUND and binding.unit is not None:
                return Target("instance", binding.unit)
    return Target("nothing")


def _this(low: Lowering, scope: Scope) -> Target:
    function: Function = scope.function
    while function.arrow and function.outer is not None:
        function = function.outer
    this = function.this
    if this.kind == "class" and this.owner is not None and this.owner.unit is not None:
        return Target("static" if this.static else "instance", this.owner.unit)
    if this.kind == "member" and this.node is not None and this.scope is not None:
        return classify(low, this.node, this.scope)
    if this.kind == "plain" and function.unit is not None:
        return Target("instance", function.unit)
    if this.kind == "module":
        return Target("exports")
    return Target("nothing")


def _binding(low: Lowering, binding: Binding) -> Target:
    if binding.kind == "narrowed" and binding.source is not None:
        base = binding.scope.value(binding.source.name)
        return _binding(low, base) if base is not None and base.kind != "narrowed" else Target("nothing")
    if binding.kind not in _BOUND:
        return Target("nothing")
    source = binding.source
    node = source.node if source is not None and source.kind == "value" else None
    if node is not None and node.type == "member_expression" and _text(low, node).endswith(".prototype"):
        # `var proto = X.prototype; proto.m = …`
        found = classify(low, node, binding.scope)
        if found.kind == "instance":
            return found
    if binding.unit is not None and binding.kind in ("function", "class"):
        return Target("static", binding.unit)
    return Target("binding", binding=binding)


def _attach(low: Lowering, target: Target, assignment: Assignment) -> None:
    name, value, scope = assignment.name, assignment.value, assignment.scope
    typescript = not low.binder.javascript
    if target.kind == "exports":
        low.exported.append((name, value, scope, assignment.unit))
    elif target.kind == "module":
        if name == "exports":
            low.exported.append(("=", value, scope, assignment.unit))
    elif name == "prototype" and target.kind in ("static", "binding"):
        unit = target.unit
        if target.binding is not None and target.binding.unit is not None:
            unit = target.binding.unit
        if unit != NONE:
            low.prototypes.append((unit, value, scope))
    elif target.kind == "instance":
        low.instance_values.setdefault(target.unit, []).append((name, value, scope))
    elif target.kind == "static":
        low.static_values.append((target.unit, name, value, scope))
    elif target.kind == "binding" and target.binding is not None and len(target.binding.expandos) < 400:
        if typescript and (target.binding.unit is None or target.binding.annotation is not None):
            return  # a value of a written or inferred type: its members are the type's
        target.binding.expandos.append((name, value, scope))


def _adapter(low: Lowering, node: Node, scope: Scope) -> None:
    """`Object.assign(exports, {…})`, `Object.defineProperty(exports, "x", {…})`, `util.inherits(A, B)`."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or arguments is None:
        return
    listed = [child for child in arguments.named_children if child.type != "comment"]
    name = _text(low, callee).rpartition(".")[2]
    if len(listed) < 2:
        return
    if name == "inherits" or name == "setPrototypeOf":
        first, second = listed[0], listed[1]
        if first.type == "this":
            return  # mends the prototype of an error: the class stays what it is
        target = classify(low, first, scope)
        if name == "setPrototypeOf":
            if target.kind == "instance" and _text(low, second).endswith(".prototype"):
                low.bases.append((target.unit, second.child_by_field_name("object"), scope))
        elif target.kind == "static":
            low.bases.append((target.unit, second, scope))
        elif target.binding is not None and target.binding.unit is not None:
            low.bases.append((target.binding.unit, second, scope))
    elif name == "assign" and _text(low, callee) == "Object.assign":
        target = classify(low, listed[0], scope)
        for source in listed[1:]:
            low.merged.append((target, source, scope))
    elif name == "defineProperty" and len(listed) >= 3 and listed[1].type == "string":
        target = classify(low, listed[0], scope)
        value = _described(low, listed[2])
        if value is not None:
            label = low.binder.string(listed[1])
            _attach(low, target, Assignment(listed[0], label, value, scope, None))


def _described(low: Lowering, node: Node) -> Node | None:
    """The value of a property descriptor: `value: x`, or what `get: function () { return x }` returns."""
    if node.type != "object":
        return None
    for child in node.named_children:
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            name = low.binder.key(key) if key is not None else ""
            if name == "value":
                return value
            if name == "get" and value is not None:
                made = low.binder.functions.get(value.id)
                if made is not None and len(made.returns) == 1:
                    return made.returns[0][0]
    return None


# -- writing --------------------------------------------------------------------------------------


def write_assigned(low: Lowering) -> None:
    """Members and bases that assignments give to units."""
    values = low.values
    classes = {cls.unit for cls in low.binder.classes.values()}
    for unit, listed in low.instance_values.items():
        grouped: dict[str, list[int]] = {}
        for name, node, scope in listed:
            row = low.expr(node, scope)
            if node.type == "member_expression" and ".prototype." in _text(low, node):
                row = values.row(ValueOp.SIGNATURE, row) if row else row  # another name of a member is not the member
            if row and not values.is_null(row):
                grouped.setdefault(name, []).append(row)
            else:
                grouped.setdefault(name, [])
        if unit in classes:
            low.instance_assignments[unit] = grouped
        else:
            for name, rows in grouped.items():
                if rows:
                    values.prop(unit, name, values.union(rows))
    for unit, name, node, scope in low.static_values:
        values.prop(unit, name, low.expr(node, scope), 1)
    for unit, node, scope in low.prototypes:
        if node.type == "object":
            row = low.expr(node, scope)
            first, count = values.a[row], values.b[row]
            for index in range(first, first + count):
                values.prop_unit.append(unit)
                values.prop_name.append(values.prop_name[index])
                values.prop_value.append(values.prop_value[index])
                values.prop_static.append(0)
        else:
            base = _prototype_base(low, node, scope)
            if base:
                values.prop(unit, "<", base)
    for unit, base_node, scope in low.bases:
        row = low.expr(base_node, scope)
        if row:
            values.prop(unit, "<", row)
    for target, node, scope in low.merged:
        unit = target.unit
        if target.binding is not None and target.binding.unit is not None:
            unit = target.binding.unit
        if target.kind in ("instance", "static", "binding") and unit != NONE:
            row = low.expr(node, scope)
            if row:
                values.prop(unit, "...", row, 1 if target.kind == "static" else 0)


def _prototype_base(low: Lowering, node: Node, scope: Scope) -> int:
    """`Object.create(B.prototype, …)`, `new B()`, `B.prototype`: B."""
    if node.type == "new_expression":
        return low.expr(node.child_by_field_name("constructor"), scope)
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        if _text(low, node.child_by_field_name("function")) != "Object.create" or arguments is None:
            return 0
        node = arguments.named_children[0] if arguments.named_children else node
    if node.type == "member_expression" and _text(low, node).endswith(".prototype"):
        return low.expr(node.child_by_field_name("object"), scope)
    return 0


def exported_rows(low: Lowering) -> list[Exported]:
    """Everything that the blob exports, in document order of the statements."""
    rows: list[Exported] = []
    values, binder = low.values, low.binder
    for entry in binder.exports:
        if entry.kind == "star":
            rows.append(Exported("*", NONE, entry.row))
        elif entry.kind == "import":
            rows.append(Exported(entry.name, values.row(ValueOp.IMPORT, entry.row), entry.row))
        elif entry.kind == "value":
            rows.append(Exported(entry.name, _exported_value(low, entry.node, entry.scope), NONE))
        else:
            rows.extend(_exported_name(low, entry.name, entry.local, entry.scope))
    for name, node, scope, unit in low.exported:
        rows.append(Exported(name, _assigned_export(low, node, scope, unit), NONE))
    for target, node, scope in low.merged:
        if target.kind == "exports":
            row = low.expr(node, scope)
            if row:
                rows.append(Exported("...", row, NONE))
    return rows


def global_rows(low: Lowering) -> list[Exported]:
    """Names that a blob gives to every file: of `declare global {}`, and of a whole script without imports or exports.

    They are exports under `global NAME`; linking takes those of a script from declaration files only.
    """
    binder = low.binder
    scopes = list(binder.globals)
    requests = [row for row in binder.imports if row.kind != ImportKind.DYNAMIC]
    script = not requests and not binder.exports and not low.exported
    if script and not binder.javascript:
        scopes.append(binder.module)
    rows: list[Exported] = []
    for scope in scopes:
        label = "global " if scope is not binder.module else "script "
        for name, bound in scope.types.items():
            if bound.kind in ("interface", "alias", "class", "namespace", "enum") and bound.unit is not None:
                rows.append(Exported(label + name, low.values.row(ValueOp.UNIT, bound.unit), NONE))
        for name, bound in scope.values.items():
            if bound.kind in ("variable", "constant") and bound.unit is not None:
                rows.append(Exported(label + name, low.values.row(ValueOp.UNIT, bound.unit), NONE))
    return rows


def _exported_name(low: Lowering, outer: str, local: str, scope: Scope) -> list[Exported]:
    rows: list[Exported] = []
    value, typed = scope.values.get(local), scope.types.get(local)
    if value is not None:
        rows.append(Exported(outer, low.binding(value), NONE))
    if typed is not None and typed is not value:
        rows.append(Exported(outer, type_entity(low, local, scope), NONE))
    if not rows:
        rows.append(Exported(outer, low.name(local, scope), NONE))
    return rows


def _exported_value(low: Lowering, node: Node | None, scope: Scope) -> int:
    if node is None:
        return 0
    row = low.expr(node, scope)
    if node.type == "identifier" and row and low.values.op[row] == ValueOp.GLOBAL:
        typed = scope.type(low.binder.text(node))
        if typed is not None:
            return type_entity(low, low.binder.text(node), scope)
    return _unit_of_value(low, node.id, row)


def _unit_of_value(low: Lowering, node_id: int, row: int) -> int:
    """A value with a unit of its own is that unit."""
    unit = low.binder.unit_of_node.get(node_id)
    if unit is None or (row and low.values.op[row] == ValueOp.UNIT):
        return row
    if row:
        low.values.prop(unit, "=", row)
    return low.values.row(ValueOp.UNIT, unit)


def _assigned_export(low: Lowering, node: Node, scope: Scope, unit: int | None) -> int:
    final = node
    while final.type == "assignment_expression":
        right = final.child_by_field_name("right")
        if right is None:
            break
        final = right
    if low.values.is_null(low.expr(final, scope)):
        return 0  # `exports.a = void 0`, before the value itself
    alias = low.binder.alias_of.get(final.id)
    if alias is not None:
        return low.binding(alias)
    row = low.expr(node, scope)
    if unit is not None and (not row or low.values.op[row] not in (ValueOp.UNIT, ValueOp.IMPORT)):
        if row:
            low.values.prop(unit, "=", row)
        return low.values.row(ValueOp.UNIT, unit)
    return _unit_of_value(low, final.id, row)
