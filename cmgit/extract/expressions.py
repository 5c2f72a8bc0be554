"""Binder handlers for statements and expressions: references, assignments, contexts, narrowing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.codes import ImportKind, RefKind
from cmgit.extract.binder import _ADAPTERS, Assignment, Binder, Context, install
from cmgit.extract.bindings import FUNCTIONS, Binding, Function, Scope, Source, This
from cmgit.extract.nodes import call_parts, member_parts, pair_parts, sides, subscript_parts

if TYPE_CHECKING:
    from tree_sitter import Node

# -- references -----------------------------------------------------------------------------------


def _call(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    callee, arguments = call_parts(node)
    if callee is None:
        binder.push_children(node, scope, unit)
        return
    kind = callee.type
    name = binder.text(callee) if kind == "identifier" else ""
    if arguments is not None and arguments.type == "template_string":
        binder.site(RefKind.TAG, callee, scope, unit)
        binder.push(arguments, scope, unit)
    elif kind == "import":
        _module_request(binder, node, arguments, ImportKind.DYNAMIC, scope, unit)
        if arguments is not None:
            binder.push(arguments, scope, unit)
    else:
        # a function called where it is written refers to nothing; `await (…)` may be taken for a call
        if kind not in FUNCTIONS and name != "await":
            binder.site(RefKind.CALL, callee, scope, unit)
        if name == "require":
            _module_request(binder, node, arguments, ImportKind.REQUIRE, scope, unit)
        elif name == "inherits" or (kind == "member_expression" and _property(binder, callee) in _ADAPTERS):
            binder.adapters.append((node, scope))
        if arguments is not None:
            _arguments(binder, node, arguments, scope, unit)
    if len(node.children) > 2:
        types = node.child_by_field_name("type_arguments")
        if types is not None:
            binder.push(types, scope, unit)
    if not name or name == "await":
        binder.push(callee, scope, unit)  # a name that is called is no read


def _property(binder: Binder, member: Node) -> str:
    name = member_parts(member)[1]
    return binder.text(name) if name is not None else ""


def _arguments(binder: Binder, call: Node, arguments: Node, scope: Scope, unit: int) -> None:
    kinds = binder.kinds
    table, tokens, contextual = kinds.table, kinds.tokens, kinds.contextual
    later = []
    index = 0
    for child in arguments.children:
        kind = child.kind_id
        handler = table[kind]
        if handler is not None:
            later.append((handler, child, scope, unit))
        if kind in contextual:
            binder.context(child, "argument", call, scope, index)
        if kind not in tokens:
            index += 1
    later.reverse()
    binder.stack += later


def _module_request(binder: Binder, node: Node, arguments: Node | None, kind: int, scope: Scope, unit: int) -> None:
    if arguments is None:
        return
    first = next((child for child in arguments.named_children if child.type != "comment"), None)
    if first is None or first.type not in ("string", "template_string"):
        return
    if first.type == "template_string" and any(c.type == "template_substitution" for c in first.named_children):
        return
    if kind == ImportKind.REQUIRE and scope.value("require") is not None:
        bound = scope.value("require")
        if bound is not None and bound.kind == "parameter":
            return
    binder.import_of[node.id] = binder.add_import(kind, binder.string(first), "*", None, node, False, unit)


def _new(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    callee = node.child_by_field_name("constructor")
    arguments = node.child_by_field_name("arguments")
    if callee is not None:
        if callee.type != "class":
            binder.site(RefKind.NEW, callee, scope, unit)
        if arguments is not None:
            _arguments(binder, node, arguments, scope, unit)
        types = node.child_by_field_name("type_arguments")
        if types is not None:
            binder.push(types, scope, unit)
        binder.push(callee, scope, unit)


def _jsx(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = node.child_by_field_name("name")
    for child in reversed(node.named_children):
        if name is None or child.id != name.id:
            binder.push(child, scope, unit)
    if name is None:
        return
    kind = name.type
    if kind == "identifier":
        raw = binder.source[name.start_byte : name.start_byte + 1]
        if raw.islower() or b"-" in binder.source[name.start_byte : name.end_byte]:
            return
    elif kind == "jsx_namespace_name":
        return
    binder.site(RefKind.JSX, name, scope, unit)


def _decorator(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    for child in node.named_children[:1]:
        if child.type == "call_expression":
            callee = child.child_by_field_name("function")
            arguments = child.child_by_field_name("arguments")
            if callee is None:
                return
            binder.site(RefKind.DECORATOR, callee, scope, unit)
            if arguments is not None:
                _arguments(binder, child, arguments, scope, unit)
            binder.push(callee, scope, unit)
        else:
            binder.site(RefKind.DECORATOR, child, scope, unit)
            binder.push(child, scope, unit)


def _type_identifier(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    bound = scope.type(binder.text(node))
    if bound is None or bound.kind != "typeparam":
        binder.site(RefKind.TYPE, node, scope, unit)


def _nested_type(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    binder.site(RefKind.TYPE, node, scope, unit)


def _conditional_type(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    """`C extends B ? Y : N`; what `infer` names is known in it."""
    bound = node.child_by_field_name("right")
    inside = scope
    if bound is not None and b"infer" in binder.source[bound.start_byte : bound.end_byte]:
        inside = Scope(scope, scope.function, scope.hoist)
        binder.scope_of[node.id] = inside
        work = [bound]
        while work:
            part = work.pop()
            if part.type == "infer_type" and part.named_children:
                name = part.named_children[0]
                inside.types[binder.text(name)] = Binding("typeparam", inside, name)
            work.extend(part.named_children)
    binder.push_children(node, inside, unit)


# -- assignments and objects ----------------------------------------------------------------------


def _assignment(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    left, right = sides(node)
    if left is None or right is None:
        return
    kind = left.type
    if kind == "identifier" and left.start_byte > node.start_byte:
        # `using x = value`, which the grammar takes for an assignment
        binding = Binding("constant", scope, node)
        binding.source = Source("value", right, scope)
        scope.values[binder.text(left)] = binding
    elif kind == "identifier":
        binder.reassigned.append((scope, binder.text(left), right))
        own = binder.unit_of_node.get(node.id)
        if own is not None:
            binder.hold(own, right)
    elif kind == "member_expression":
        target, name = member_parts(left)
        if target is not None and name is not None:
            _member_assignment(binder, node, target, binder.text(name), right, scope)
    elif kind == "subscript_expression":
        target, index = subscript_parts(left)
        if target is not None and index is not None and index.type == "string":
            _member_assignment(binder, node, target, binder.string(index), right, scope)
        elif target is not None:
            held = binder.hold(binder.unit_of_node.get(node.id), right)
            if held is not None and held.type != "arrow_function":
                binder.this_of.setdefault(held.id, This("member", target, scope))
    elif kind in ("object_pattern", "array_pattern"):
        binder.push(right, scope, unit)
        return
    binder.push(right, scope, unit)
    binder.mark_unread(left)
    binder.push(left, scope, unit)


def _member_assignment(binder: Binder, node: Node, target: Node, name: str, right: Node, scope: Scope) -> None:
    own = binder.unit_of_node.get(node.id)
    doc = binder.docs.get(node.id)
    held = binder.hold(own, right)
    if held is not None and held.type != "arrow_function":
        known = binder.this_of.get(held.id)
        if known is None:
            binder.this_of[held.id] = This("member", target, scope)
    if doc is not None and held is not None:
        binder.docs[held.id] = doc
    elif doc is not None and right.type == "assignment_expression":
        binder.docs[right.id] = doc
    binder.context(right, "assigned", node, scope)
    binder.assignments.append(Assignment(target, name, right, scope, own))


def _object(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    this = This("object", node, scope)
    binder.push_children(node, scope, unit)
    children = node.named_children
    for child in children:
        kind = child.type
        if kind == "pair":
            key, value = pair_parts(child)
            if key is None or value is None:
                continue
            held = binder.hold(binder.unit_of_node.get(child.id), value)
            if held is not None:
                if held.type != "arrow_function":
                    binder.this_of[held.id] = this
                doc = binder.docs.get(child.id)
                if doc is not None:
                    binder.docs[held.id] = doc
            binder.context(value, "property", node, scope, 0, binder.key(key))
        elif kind == "method_definition":
            binder.this_of[child.id] = this
            key = child.child_by_field_name("name")
            if key is not None:
                binder.contexts[child.id] = Context("property", node, scope, 0, binder.key(key))


def _array(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    binder.push_children(node, scope, unit)
    children = node.named_children
    for child in children:
        binder.context(child, "element", node, scope)


def _transparent(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    binder.push_children(node, scope, unit)
    children = node.named_children
    if children:
        if node.type == "parenthesized_expression":
            binder.context(children[0], "same", node, scope)
            doc = binder.docs.get(node.id)
            if doc is not None:
                binder.docs.setdefault(children[0].id, doc)
        elif len(children) > 1:  # `x as T`, `x satisfies T`
            binder.context(children[0], "type", children[1], scope)


# -- statements -----------------------------------------------------------------------------------


def _block(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    binder.push_children(node, Scope(scope, scope.function, scope.hoist), unit)


def _for_in(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    inner = Scope(scope, scope.function, scope.hoist)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body = node.child_by_field_name("body")
    kind = node.child_by_field_name("kind")
    operator = node.child_by_field_name("operator")
    if body is not None:
        binder.push(body, inner, unit)
    if left is None or right is None:
        return
    binder.push(right, scope, unit)
    if kind is not None:
        word = kind.type
        of = operator is not None and operator.type == "of"
        source = Source("element" if of else "key", right, scope)
        target = scope.hoist if word == "var" else inner
        binder.bind(left, target, source, "constant" if word == "const" else "variable", scope, unit)
    elif not left.type.endswith("_pattern"):
        binder.mark_unread(left)
        binder.push(left, scope, unit)


def _using(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    for child in node.named_children:
        name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
        if name is not None and value is not None:
            binder.bind(name, scope, Source("value", value, scope), "constant", scope, unit)
            binder.push(value, scope, unit)


def _catch(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    inner = Scope(scope, scope.function, scope.hoist)
    parameter = node.child_by_field_name("parameter")
    if parameter is not None:
        binder.bind(parameter, inner, Source("unknown"), "variable", scope, unit)
    body = node.child_by_field_name("body")
    if body is not None:
        binder.push(body, inner, unit)


def _return(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    for child in node.named_children:
        if child.type != "comment":
            function = scope.function
            function.returns.append((child, scope))
            binder._context(child, "return", function.node, scope, function=function)
            doc = binder.docs.get(node.id)
            if doc is not None:
                binder.docs.setdefault(child.id, doc)
        binder.push(child, scope, unit)


def _statement(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    doc = binder.docs.get(node.id) if binder.docs else None
    if doc is not None:
        binder.docs.update((child.id, doc) for child in node.named_children)
    binder.push_children(node, scope, unit)


def _comment(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    if not binder.javascript or binder.source[node.start_byte : node.start_byte + 3] != b"/**":
        return
    raw = binder.source[node.start_byte : node.end_byte]
    if b"@typedef" in raw or b"@callback" in raw:
        binder.typedefs.append((node.start_byte, node.end_byte, scope))
    if b"@" in raw:
        follower = node.next_named_sibling
        if follower is not None and follower.type != "comment":
            binder.docs[follower.id] = (node.start_byte, node.end_byte)
            binder.casts[follower.start_byte] = (node.start_byte, node.end_byte)
    del unit


# -- narrowing ------------------------------------------------------------------------------------


def _if(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    condition = node.child_by_field_name("condition")
    consequence = node.child_by_field_name("consequence")
    narrowed = _narrow(binder, condition, scope) if condition is not None and consequence is not None else None
    for child in reversed(node.named_children):
        inside = narrowed if narrowed is not None and consequence is not None and child.id == consequence.id else scope
        if inside is not scope:
            binder.scope_of[child.id] = inside
        binder.push(child, inside, unit)


def _ternary(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    _if(binder, node, scope, unit)
    for field in ("consequence", "alternative"):
        binder.context(node.child_by_field_name(field), "same", node, scope)


def _binary(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    children = node.children
    operator = children[1] if len(children) == 3 else node.child_by_field_name("operator")
    left, right = sides(node)
    if operator is not None and operator.type == "&&" and left is not None and right is not None:
        narrowed = _narrow(binder, left, scope)
        if narrowed is not None:
            binder.scope_of[right.id] = narrowed
            binder.push(right, narrowed, unit)
            binder.push(left, scope, unit)
            return
    binder.push_children(node, scope, unit)


def _narrow(binder: Binder, condition: Node, scope: Scope) -> Scope | None:
    """A scope in which what the condition says of its variables holds, or None when it says nothing."""
    found: list[tuple[str, Node, str]] = []
    work = [condition]
    steps = 0
    while work and steps < 40:
        steps += 1
        node = work.pop()
        kind = node.type
        if kind == "parenthesized_expression":
            work.extend(node.named_children[:1])
        elif kind == "binary_expression":
            operator = node.child_by_field_name("operator")
            left, right = sides(node)
            if operator is None or left is None or right is None:
                continue
            if operator.type == "&&":
                work += (left, right)
            elif operator.type == "instanceof" and left.type == "identifier":
                found.append((binder.text(left), right, "instance"))
        elif kind == "call_expression":
            callee, arguments = call_parts(node)
            if callee is None or arguments is None or callee.type not in ("identifier", "member_expression"):
                continue
            listed = arguments.named_children
            if len(listed) == 1 and listed[0].type == "identifier":
                found.append((binder.text(listed[0]), callee, "guard"))
    made: Scope | None = None
    for name, node, how in found:
        if scope.value(name) is None:
            continue
        if made is None:
            made = Scope(scope, scope.function, scope.hoist)
        binding = Binding("narrowed", scope, node)
        binding.source = Source(how, node, scope, name=name)
        made.values[name] = binding
    return made


_SKIPPED = (
    "property_identifier", "private_property_identifier",
    "string", "string_fragment", "escape_sequence", "number", "regex", "regex_pattern", "regex_flags", "this", "super",
    "true", "false", "null", "undefined", "predefined_type", "jsx_text", "jsx_closing_element", "empty_statement",
    "statement_identifier", "accessibility_modifier", "optional_chain", "import", "hash_bang_line",
    "debugger_statement",
    "override_modifier", "this_type", "meta_property", "html_character_reference", "break_statement",
    "continue_statement", "literal_type", "existential_type", "number_literal", "unescaped_double_string_fragment",
)  # fmt: skip

_handlers = {
    "call_expression": _call,
    "new_expression": _new,
    "jsx_opening_element": _jsx,
    "jsx_self_closing_element": _jsx,
    "decorator": _decorator,
    "type_identifier": _type_identifier,
    "conditional_type": _conditional_type,
    "nested_type_identifier": _nested_type,
    "assignment_expression": _assignment,
    "object": _object,
    "array": _array,
    "parenthesized_expression": _transparent,
    "as_expression": _transparent,
    "satisfies_expression": _transparent,
    "statement_block": _block,
    "for_statement": _block,
    "switch_body": _block,
    "for_in_statement": _for_in,
    "catch_clause": _catch,
    "using_declaration": _using,
    "return_statement": _return,
    "expression_statement": _statement,
    "comment": _comment,
    "if_statement": _if,
    "ternary_expression": _ternary,
    "binary_expression": _binary,
}
install({**dict.fromkeys(_SKIPPED), **_handlers})

__all__ = ["Function"]
