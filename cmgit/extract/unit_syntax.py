"""Small readings of syntax nodes, the same for all three grammars."""

from __future__ import annotations

from tree_sitter import Node

from cmgit.core.codes import UnitFlag

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_WRAPPINGS = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})

_MODIFIERS = {
    "static": UnitFlag.STATIC,
    "get": UnitFlag.GETTER,
    "set": UnitFlag.SETTER,
    "async": UnitFlag.ASYNC,
    "*": UnitFlag.GENERATOR,
    "abstract": UnitFlag.ABSTRACT,
    "static get": UnitFlag.STATIC | UnitFlag.GETTER,
}


def unwrap(node: Node | None) -> Node | None:
    """The expression inside parentheses, `as T` and `satisfies T`."""
    while node is not None and node.type in _WRAPPINGS:
        node = first_expression(node)
    return node


def first_expression(node: Node) -> Node | None:
    """The first named child that is no comment."""
    for child in node.children:
        if child.is_named and child.type != "comment":
            return child
    return None


def property_name(node: Node, text: str) -> tuple[str, int]:
    """The name that a property node gives, unquoted, and COMPUTED where it is source text in brackets."""
    if node.type == "string":
        return unquote(text), 0
    if node.type == "computed_property_name":
        return text, UnitFlag.COMPUTED
    return text, UnitFlag.PRIVATE if node.type == "private_property_identifier" else 0


def unquote(text: str) -> str:
    """A string literal's value; the few escapes that occur in names."""
    inner = text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"`" else text
    if "\\" not in inner:
        return inner
    return inner.replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"').replace("\\\\", "\\")


def function_flags(node: Node) -> int:
    """ASYNC and GENERATOR of a function node."""
    flags = UnitFlag.GENERATOR if node.type.startswith("generator") else 0
    for child in node.children:
        if child.type == "async":
            flags |= UnitFlag.ASYNC
        elif child.type == "*":
            flags |= UnitFlag.GENERATOR
        elif child.is_named:
            break
    return int(flags)


def member_flags(node: Node, source: bytes) -> int:
    """Modifiers that stand before a member's name."""
    flags = 0
    for child in node.children:
        kind = child.type
        if kind == "accessibility_modifier":
            if source[child.start_byte : child.end_byte] == b"private":
                flags |= UnitFlag.PRIVATE
        elif kind in _MODIFIERS:
            flags |= _MODIFIERS[kind]
        elif kind not in ("decorator", "override_modifier", "readonly", "declare", "accessor", "comment"):
            break
    return int(flags)


def bound_names(pattern: Node) -> list[Node]:
    """The identifiers that a destructuring pattern binds, in document order."""
    names: list[Node] = []
    stack = [pattern]
    while stack:
        node = stack.pop()
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(node)
        elif kind in ("pair_pattern", "assignment_pattern", "object_assignment_pattern"):
            inner = node.child_by_field_name("value" if kind == "pair_pattern" else "left")
            stack.extend([inner] if inner is not None else [])
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            stack.extend(reversed(node.named_children))
    return names


def has_token(node: Node, token: str) -> bool:
    """Whether a direct child is this keyword or operator."""
    return any(child.type == token for child in node.children)
