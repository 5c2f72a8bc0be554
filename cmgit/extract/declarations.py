"""Binder handlers for declarations: functions, classes, types, variables, imports, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.codes import ImportKind, RefKind
from cmgit.extract.binder import Binder, ExportEntry, install
from cmgit.extract.bindings import FUNCTIONS, Binding, ClassScope, Function, Member, Scope, Source, This
from cmgit.extract.nodes import declarator_parts

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = This("plain")


def _name(binder: Binder, node: Node) -> str:
    name = node.child_by_field_name("name")
    return binder.text(name) if name is not None else ""


def _function_declaration(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = _name(binder, node)
    own = binder.unit_of(node)
    binding = scope.values.get(name)
    made = binder.function(node, scope, unit, _PLAIN)
    if node.type == "function_signature" and own is not None:
        binder.signatures.setdefault(own, []).append(made)
    if not name:
        return
    if binding is None or binding.kind != "function":
        binding = Binding("function", scope, node, own)
        scope.values[name] = binding
    elif node.type != "function_signature" or binding.unit is None:
        # the implementation after its overloads
        binding.node = node
        binding.unit = binding.unit if own is None else own
    if own is not None and made.doc is None and binding.doc is None:
        binding.doc = None


def _function_expression(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    this = binder.this_of.get(node.id, _PLAIN)
    made = binder.function(node, scope, unit, this)
    name = _name(binder, node)
    if name and name not in made.scope.values:
        made.scope.values[name] = Binding("function", made.scope, node, made.unit)


def _arrow(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    binder.function(node, scope, unit, _PLAIN, arrow=True)


def _method(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    made = binder.function(node, scope, unit, binder.this_of.get(node.id, _PLAIN))
    key = node.child_by_field_name("name")
    if key is not None and key.type == "computed_property_name":
        binder.push(key, scope, unit)
    del made


def _signature(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    binder.function(node, scope, unit, _PLAIN, arrow=True)  # `this` in a signature is that around it


# -- classes --------------------------------------------------------------------------------------


def _class(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = _name(binder, node)
    own = binder.unit_of(node)
    made = ClassScope(node, own)
    binder.classes[node.id] = made
    if own is not None:
        unit = own
    binding = Binding("class", scope, node, own)
    inside = Scope(scope, Function(node, own, scope.function, This("class", owner=made), False))
    inside.function.scope = inside
    made.scope = inside
    if name:
        if node.type == "class":
            inside.values[name] = inside.types[name] = binding
        else:
            known = scope.types.get(name)
            scope.values[name] = binding
            if known is not None and known.kind == "interface" and known.node is not None and own is not None:
                binder.interfaces.append((own, known.node, known.scope))  # merged: its members are the class's
            scope.types[name] = binding
    binder.type_parameters(node, inside)
    later: list[Node] = []
    for child in node.named_children:
        kind = child.type
        if kind == "class_heritage":
            _heritage(binder, child, made, scope, inside, unit)
        elif kind == "class_body":
            _class_body(binder, child, made, inside, unit)
        elif kind == "decorator":
            later.append(child)
        elif kind == "type_parameters":
            binder.push(child, inside, unit)
    for child in reversed(later):
        binder.push(child, scope, unit)


def _heritage(binder: Binder, node: Node, made: ClassScope, scope: Scope, inside: Scope, unit: int) -> None:
    for child in node.named_children:
        kind = child.type
        if kind == "extends_clause":
            value = child.child_by_field_name("value")
            made.base_arguments = child.child_by_field_name("type_arguments")
            if made.base_arguments is not None:
                binder.push(made.base_arguments, inside, unit)
            if value is not None:
                made.base = value
                binder.site(RefKind.EXTENDS, value, scope, unit)
                binder.push(value, scope, unit)
        elif kind == "implements_clause":
            for item in child.named_children:
                made.implements.append(item)
                binder.site(RefKind.IMPLEMENTS, _type_head(item), inside, unit)
                arguments = item.child_by_field_name("type_arguments")
                if arguments is not None:
                    binder.push(arguments, inside, unit)
        elif kind != "comment":
            made.base = child
            binder.site(RefKind.EXTENDS, child, scope, unit)
            binder.push(child, scope, unit)


def _type_head(node: Node) -> Node:
    if node.type == "generic_type":
        return node.child_by_field_name("name") or node
    return node


def _class_body(binder: Binder, body: Node, made: ClassScope, inside: Scope, unit: int) -> None:
    statics = Scope(
        inside, Function(made.node, made.unit, inside.function.outer, This("class", None, None, made, True), False)
    )
    statics.function.scope = statics
    for child in reversed(body.named_children):
        binder.push(child, inside, unit)
    for child in body.named_children:
        kind = child.type
        static = _is_static(child)
        this = This("class", None, None, made, static)
        if kind == "class_static_block":
            binder.scope_of[child.id] = statics
            continue
        if kind not in _MEMBERS:
            continue
        key = child.child_by_field_name("name") or child.child_by_field_name("property")
        if key is None:
            continue
        name = binder.key(key)
        own = binder.unit_of_node.get(child.id)
        if kind in ("field_definition", "public_field_definition"):
            value = child.child_by_field_name("value")
            held = binder.hold(own, value)
            if held is not None:
                binder.this_of[held.id] = this
            if static:
                binder.scope_of[child.id] = statics
            made.members.append(Member(name, "field", child, statics if static else inside, static, own))
            continue
        binder.this_of[child.id] = this
        made.members.append(Member(name, _method_kind(child), child, inside, static, own))
        if name == "constructor":
            _parameter_properties(binder, child, made, inside)


_MEMBERS = frozenset(
    {
        "method_definition", "field_definition", "public_field_definition", "abstract_method_signature",
        "method_signature",
    }
)  # fmt: skip


def _is_static(node: Node) -> bool:
    for child in node.children:
        kind = child.type
        if kind == "static":
            return True
        if kind in ("property_identifier", "private_property_identifier", "formal_parameters"):
            return False
    return False


def _method_kind(node: Node) -> str:
    for child in node.children:
        kind = child.type
        if kind == "get":
            return "getter"
        if kind == "set":
            return "setter"
        if kind in ("property_identifier", "private_property_identifier", "formal_parameters"):
            break
    return "method" if node.type == "method_definition" else "signature"


def _parameter_properties(binder: Binder, node: Node, made: ClassScope, inside: Scope) -> None:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return
    for child in listed.named_children:
        if not child.type.endswith("_parameter"):
            continue
        modified = any(
            part.type in ("accessibility_modifier", "override_modifier", "readonly") for part in child.children
        )
        pattern = child.child_by_field_name("pattern")
        if modified and pattern is not None and pattern.type == "identifier":
            made.members.append(Member(binder.text(pattern), "parameter", child, inside, False, None))


def _field(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    scope = binder.scope_of.get(node.id, scope)
    annotation = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    if value is not None and annotation is not None:
        binder.context(value, "type", annotation, scope)
    binder.push_children(node, scope, unit)


def _static_block(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    scope = binder.scope_of.get(node.id, scope)
    binder.push_children(node, Scope(scope, scope.function), unit)


# -- types ----------------------------------------------------------------------------------------


def _interface(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = _name(binder, node)
    own = binder.unit_of_node.get(node.id)
    known = scope.types.get(name)
    if known is not None and known.kind in ("interface", "class") and known.unit is not None:
        binding = known
    else:
        binding = scope.types[name] = Binding("interface", scope, node, own)
    outline = ClassScope(node, binding.unit)
    inside = Scope(scope, Function(node, binding.unit, scope.function, This("class", owner=outline), False))
    inside.function.scope = inside
    binder.type_parameters(node, inside)
    if binding.unit is not None:
        binder.interfaces.append((binding.unit, node, inside))
        if own is not None and own != binding.unit:
            binder.interfaces.append((own, node, inside))
    for child in reversed(node.named_children):
        if child.type == "extends_type_clause":
            for base in child.named_children:
                binder.site(RefKind.EXTENDS, _type_head(base), inside, unit)
                arguments = base.child_by_field_name("type_arguments")
                if arguments is not None:
                    binder.push(arguments, inside, unit)
        elif child.type != "type_identifier":
            binder.push(child, inside, unit)


def _alias(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = _name(binder, node)
    own = binder.unit_of_node.get(node.id)
    scope.types[name] = Binding("alias", scope, node, own)
    inside = Scope(scope, scope.function)
    binder.type_parameters(node, inside)
    if own is not None:
        binder.aliases.append((own, node, inside))
    for child in reversed(node.named_children):
        if child.type != "type_identifier" or child.start_byte > node.start_byte + 5 + len(name):
            value = node.child_by_field_name("value")
            if child.type != "type_identifier" or (value is not None and child.id == value.id):
                binder.push(child, inside, unit)


def _enum(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = _name(binder, node)
    binding = Binding("enum", scope, node, binder.unit_of_node.get(node.id))
    if name not in scope.values:
        scope.values[name] = binding
    scope.types[name] = binding
    body = node.child_by_field_name("body")
    if body is not None:
        binder.push(body, scope, unit)


def _namespace(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    inside = Scope(scope, scope.function)
    inside.hoist = inside
    if name is not None and name.type != "string":
        own = binder.unit_of_node.get(node.id)
        head = name
        while head.type == "nested_identifier":
            head = head.child_by_field_name("object") or head.named_children[0]
        first = binder.text(head)
        known = scope.values.get(first)
        if known is not None and known.unit is not None:
            target: int | None = known.unit
            scope.types.setdefault(first, known)
        else:
            binding = Binding("namespace", scope, node, own)
            scope.values[first] = binding
            scope.types.setdefault(first, binding)
            target = own
        if target is not None and head is name:
            binder.namespaces.append((target, inside))
    if body is not None:
        binder.push_children(body, inside, unit)


# -- variables ------------------------------------------------------------------------------------


def _variables(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    first = node.children[0].type
    kind = "constant" if first == "const" else "variable"
    target = scope.hoist if first == "var" else scope
    doc = binder.docs.get(node.id)
    for child in reversed(node.named_children):
        if child.type == "variable_declarator":
            if doc is not None:
                binder.docs[child.id] = doc
            binder.push(child, scope, unit)
    for child in node.named_children:
        if child.type == "variable_declarator":
            _declarator(binder, child, scope, target, kind, doc, unit)


def _declarator(
    binder: Binder, node: Node, scope: Scope, target: Scope, kind: str, doc: tuple[int, int] | None, unit: int
) -> None:
    name, annotation, value = declarator_parts(node)
    if name is None:
        return
    own = binder.unit_of_node.get(node.id)
    held = binder.hold(own, value)
    if doc is not None and held is not None:
        binder.docs[held.id] = doc
    if value is not None and annotation is not None:
        binder.context(value, "type", annotation, scope)
    source = Source("value", value, scope) if value is not None else None
    if name.type != "identifier":
        origin = source or Source("unknown")
        if annotation is not None:
            origin = Source("type", annotation, scope)
        binder.bind(name, target, origin, kind, scope, unit if own is None else own)
        return
    text = binder.text(name)
    known = target.values.get(text)
    if known is not None and known.kind in ("variable", "parameter", "function") and kind == "variable":
        if source is not None:
            known.assigned.append(source)
        if known.kind == "variable" and known.unit is None:
            known.unit = own
        return
    binding = Binding(kind, target, node, own)
    if value is not None:
        if own is not None and held is None:
            binder.wrapped.add(own)
        final = value
        while final.type == "assignment_expression":
            final = final.child_by_field_name("right") or final.named_children[-1]
        if final is not value:
            binder.alias_of[final.id] = binding
    binding.constant = kind == "constant"
    binding.source = source
    binding.annotation = annotation
    binding.doc = doc
    target.values[text] = binding
    if own is not None:
        binder.variables.append(binding)


def _declarator_parts(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    _, annotation, value = declarator_parts(node)
    if value is not None:
        binder.push(value, scope, unit)
    if annotation is not None:
        binder.push(annotation, scope, unit)


# -- imports and exports --------------------------------------------------------------------------


def _import(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    source = node.child_by_field_name("source")
    type_only = len(node.children) > 1 and node.children[1].type in ("type", "typeof")
    specifier = binder.string(source) if source is not None else ""
    bound = False
    for child in node.named_children:
        if child.type == "import_clause":
            bound = True
            _import_clause(binder, child, specifier, node, scope, type_only, unit)
        elif child.type == "import_require_clause":
            bound = True
            inner = child.child_by_field_name("source")
            names = [part for part in child.named_children if part.type == "identifier"]
            if inner is not None and names:
                _bind_import(
                    binder,
                    ImportKind.REQUIRE,
                    binder.string(inner),
                    "*",
                    binder.text(names[0]),
                    node,
                    scope,
                    type_only,
                    unit,
                )
                if node.children[0].type == "export":
                    binder.exports.append(ExportEntry("name", binder.text(names[0]), scope, binder.text(names[0])))
    if not bound and source is not None:
        binder.add_import(ImportKind.ES, specifier, None, None, node, False, unit)


def _bind_import(
    binder: Binder,
    kind: int,
    specifier: str,
    imported: str,
    local: str,
    node: Node,
    scope: Scope,
    types: bool,
    unit: int,
) -> None:
    row = binder.add_import(kind, specifier, imported, local, node, types, unit)
    binding = Binding("import", scope, node, row)
    scope.types[local] = binding
    scope.values[local] = binding


def _import_clause(
    binder: Binder, clause: Node, specifier: str, node: Node, scope: Scope, type_only: bool, unit: int
) -> None:
    for child in clause.named_children:
        kind = child.type
        if kind == "identifier":
            _bind_import(binder, ImportKind.ES, specifier, "default", binder.text(child), node, scope, type_only, unit)
        elif kind == "namespace_import":
            for name in child.named_children[:1]:
                _bind_import(binder, ImportKind.ES, specifier, "*", binder.text(name), node, scope, type_only, unit)
        elif kind == "named_imports":
            for item in child.named_children:
                if item.type != "import_specifier":
                    continue
                imported, local = _pair(binder, item)
                types = type_only or item.children[0].type in ("type", "typeof")
                _bind_import(binder, ImportKind.ES, specifier, imported, local, node, scope, types, unit)


def _pair(binder: Binder, item: Node) -> tuple[str, str]:
    """Outer and local name of `a as b`; a keyword such as `default` has no field in some grammars."""
    name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
    parts = [part for part in item.children if part.type not in ("as", "type", "typeof", "comment")]
    first = _specifier_text(binder, name if name is not None else parts[0])
    if alias is None and len(parts) > 1:
        alias = parts[-1]
    return first, _specifier_text(binder, alias) if alias is not None else first


def _specifier_text(binder: Binder, node: Node) -> str:
    return binder.string(node) if node.type == "string" else binder.text(node)


def _import_alias(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    """`import a = N.b`."""
    parts = node.named_children
    if len(parts) < 2:
        return
    binding = Binding("constant", scope, node)
    binding.source = Source("value", parts[1], scope)
    binding.constant = True
    name = binder.text(parts[0])
    scope.values[name] = binding
    scope.types[name] = binding
    if node.children[0].type == "export":
        binder.exports.append(ExportEntry("name", name, scope, name))
    del unit


def _export(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    source = node.child_by_field_name("source")
    doc = binder.docs.get(node.id)
    kinds = {child.type for child in node.children}
    specifier = binder.string(source) if source is not None else None
    type_only = len(node.children) > 1 and node.children[1].type == "type"
    declaration = node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    if specifier is not None:
        _reexport(binder, node, specifier, scope, type_only, kinds, unit)
    elif declaration is not None:
        if doc is not None:
            binder.docs[declaration.id] = doc
        _exported_names(binder, declaration, scope, default="default" in kinds)
    elif value is not None and "default" in kinds:
        own = binder.unit_of_node.get(node.id)
        held = binder.hold(own if own is not None else binder.unit_of_node.get(value.id), value)
        if doc is not None and held is not None:
            binder.docs[held.id] = doc
        binder.exports.append(ExportEntry("value", "default", scope, node=value))
        binder.mark_unread(value)
    elif "export_clause" in kinds:
        for clause in node.named_children:
            for item in clause.named_children if clause.type == "export_clause" else ():
                if item.type == "export_specifier":
                    local, outer = _pair(binder, item)
                    _export_name(binder, outer, local, scope)
    elif "=" in kinds and node.named_children:
        target = node.named_children[0]
        binder.exports.append(ExportEntry("value", "=", scope, node=target))
        binder.mark_unread(target)
    for child in reversed(node.named_children):
        if child.type != "string" and child.type not in ("export_clause", "namespace_export"):
            binder.push(child, scope, unit)


def _export_name(binder: Binder, outer: str, local: str, scope: Scope) -> None:
    if scope is binder.module:
        binder.exports.append(ExportEntry("name", outer, scope, local))


def _reexport(
    binder: Binder, node: Node, specifier: str, scope: Scope, type_only: bool, kinds: set[str], unit: int
) -> None:
    for child in node.named_children:
        if child.type == "export_clause":
            for item in child.named_children:
                if item.type != "export_specifier":
                    continue
                imported, outer = _pair(binder, item)
                types = type_only or item.children[0].type == "type"
                row = binder.add_import(ImportKind.REEXPORT, specifier, imported, None, node, types, unit)
                binder.exports.append(ExportEntry("import", outer, scope, row=row))
            return
        if child.type == "namespace_export":
            row = binder.add_import(ImportKind.REEXPORT, specifier, "*", None, node, type_only, unit)
            names = child.named_children
            outer = _specifier_text(binder, names[0]) if names else "default"
            binder.exports.append(ExportEntry("import", outer, scope, row=row))
            return
    row = binder.add_import(ImportKind.REEXPORT, specifier, "*" if "*" in kinds else None, None, node, type_only, unit)
    if "*" in kinds:
        binder.exports.append(ExportEntry("star", "*", scope, row=row))


def _exported_names(binder: Binder, node: Node, scope: Scope, *, default: bool) -> None:
    kind = node.type
    if kind == "ambient_declaration":
        for child in node.named_children:
            _exported_names(binder, child, scope, default=default)
        return
    if kind in ("lexical_declaration", "variable_declaration"):
        for child in node.named_children:
            name = child.child_by_field_name("name") if child.type == "variable_declarator" else None
            for text in _pattern_names(binder, name):
                _export_name(binder, text, text, scope)
        return
    name = node.child_by_field_name("name")
    if default:
        if name is not None:
            _export_name(binder, "default", binder.text(name), scope)
        else:
            binder.exports.append(ExportEntry("value", "default", scope, node=node))
        return
    if kind == "import_alias":
        name = node.named_children[0] if node.named_children else None
    if name is not None and name.type != "string":
        while name.type == "nested_identifier":
            name = name.child_by_field_name("object") or name.named_children[0]
        text = binder.text(name)
        _export_name(binder, text, text, scope)


def _pattern_names(binder: Binder, node: Node | None) -> list[str]:
    names: list[str] = []
    work = [node] if node is not None else []
    while work:
        part = work.pop()
        kind = part.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(binder.text(part))
        elif kind in ("pair_pattern", "object_assignment_pattern", "assignment_pattern"):
            inner = part.child_by_field_name("value") or part.child_by_field_name("left")
            if inner is not None:
                work.append(inner)
        else:
            work.extend(reversed(part.named_children))
    return names


def _ambient(binder: Binder, node: Node, scope: Scope, unit: int) -> None:
    if any(child.type == "global" for child in node.children):
        for child in node.named_children:
            if child.type == "statement_block":
                inside = Scope(scope, scope.function)
                binder.globals.append(inside)
                binder.push_children(child, inside, unit)
        return
    binder.push_children(node, scope, unit)


install(
    {
        "ambient_declaration": _ambient,
        "function_declaration": _function_declaration,
        "generator_function_declaration": _function_declaration,
        "function_signature": _function_declaration,
        "function_expression": _function_expression,
        "generator_function": _function_expression,
        "arrow_function": _arrow,
        "method_definition": _method,
        "method_signature": _signature,
        "abstract_method_signature": _signature,
        "call_signature": _signature,
        "construct_signature": _signature,
        "function_type": _signature,
        "constructor_type": _signature,
        "class_declaration": _class,
        "abstract_class_declaration": _class,
        "class": _class,
        "public_field_definition": _field,
        "field_definition": _field,
        "class_static_block": _static_block,
        "interface_declaration": _interface,
        "type_alias_declaration": _alias,
        "enum_declaration": _enum,
        "internal_module": _namespace,
        "module": _namespace,
        "lexical_declaration": _variables,
        "variable_declaration": _variables,
        "variable_declarator": _declarator_parts,
        "import_statement": _import,
        "import_alias": _import_alias,
        "export_statement": _export,
    }
)

__all__ = ["FUNCTIONS"]
