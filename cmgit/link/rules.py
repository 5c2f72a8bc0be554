"""The short name of why a callee is what it is."""

from __future__ import annotations

from cmgit.core.facts import ImportKind, UnitKind, ValueOp
from cmgit.link.evaluate import Evaluator
from cmgit.link.tree import File
from cmgit.link.values import MODULE, UNIT, Value

_RECEIVER_RULES = {
    ValueOp.THIS: "this", ValueOp.STATIC_THIS: "this", ValueOp.SUPER: "super", ValueOp.NEW: "new",
    ValueOp.TYPE_NAME: "annotation", ValueOp.CALL: "return", ValueOp.AWAIT: "return", ValueOp.ELEMENT: "element",
    ValueOp.KEYED: "element", ValueOp.OBJECT: "object", ValueOp.NARROWED: "narrowed", ValueOp.GUARDED: "narrowed",
    ValueOp.CALLBACK_PARAM: "context", ValueOp.UNION: "union", ValueOp.MEMBER: "member", ValueOp.EXPORTS: "module",
    ValueOp.DECLARED: "annotation", ValueOp.INTERSECT: "annotation", ValueOp.EXTENDED: "object",
    ValueOp.TYPE_PARAM: "constraint", ValueOp.ARRAY: "element", ValueOp.GETTER: "return",
}  # fmt: skip


def rule_of(evaluator: Evaluator, file: File, row: int, value: Value | None) -> str:
    """The short name of why a callee is what it is."""
    op = file.op[row]
    if op == ValueOp.UNIT:
        return "local"
    if op == ValueOp.IMPORT:
        return _import_rule(evaluator, file, file.a[row], value)
    if op == ValueOp.MEMBER:
        receiver = file.a[row]
        inner = file.op[receiver]
        while inner == ValueOp.PARAM and file.a[receiver] > 0:
            receiver = file.a[receiver]
            inner = file.op[receiver]
        if inner == ValueOp.IMPORT:
            base = evaluator.value(file, receiver, None)
            return "namespace" if base is not None and base[0] == MODULE else "static"
        if inner == ValueOp.UNIT:
            kind = file.kinds[file.a[receiver]]
            return {UnitKind.CLASS: "static", UnitKind.NAMESPACE: "namespace", UnitKind.FUNCTION: "static"}.get(
                UnitKind(kind), "object"
            )
        return _RECEIVER_RULES.get(ValueOp(inner), "member")
    return _RECEIVER_RULES.get(ValueOp(op), "value")


def _import_rule(evaluator: Evaluator, file: File, row: int, value: Value | None) -> str:
    kind = file.facts.imports.kind[row]
    target = evaluator.target_file(file, row)
    if value is not None and value[0] == UNIT and target is not None and target >= 0 and value[1] != target:
        return "reexport"
    return "require" if kind == ImportKind.REQUIRE else "import"
