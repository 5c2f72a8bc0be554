"""The parts of common nodes, by their place among the children.

A node keeps the list of its children once it was asked for it; a field is looked up by its name anew each time, which
costs seven times as much and gives another node, with a list of its own. Where a node has as many children as its rule
has at least, each is at its place: comments and errors only add some, and then the fields are asked.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

_RESULTS = frozenset({"type_annotation", "asserts_annotation", "type_predicate_annotation"})
_PLAIN = frozenset(
    {"arrow_function", "function_declaration", "function_expression", "method_definition", "generator_function",
     "generator_function_declaration"}
)  # fmt: skip


class FunctionParts(NamedTuple):
    """parameter: the only one of an arrow function without brackets. result: the written type of what it returns."""

    body: Node | None
    parameter: Node | None
    parameters: Node | None
    result: Node | None
    type_parameters: Node | None


def call_parts(node: Node) -> tuple[Node | None, Node | None]:
    """Callee and arguments of a call."""
    children = node.children
    if len(children) == 2:
        return children[0], children[1]
    return node.child_by_field_name("function"), node.child_by_field_name("arguments")


def member_parts(node: Node) -> tuple[Node | None, Node | None]:
    """Object and property of a member expression."""
    children = node.children
    if len(children) == 3:
        return children[0], children[2]
    return node.child_by_field_name("object"), node.child_by_field_name("property")


def subscript_parts(node: Node) -> tuple[Node | None, Node | None]:
    """Object and index of a subscript expression."""
    children = node.children
    if len(children) == 4:
        return children[0], children[2]
    return node.child_by_field_name("object"), node.child_by_field_name("index")


def pair_parts(node: Node) -> tuple[Node | None, Node | None]:
    """Key and value of a property of an object literal."""
    children = node.children
    if len(children) == 3:
        return children[0], children[2]
    return node.child_by_field_name("key"), node.child_by_field_name("value")


def sides(node: Node) -> tuple[Node | None, Node | None]:
    """Left and right of an assignment or a binary expression."""
    children = node.children
    if len(children) == 3:
        return children[0], children[2]
    return node.child_by_field_name("left"), node.child_by_field_name("right")


def declarator_parts(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """Name, written type and value of a declarator."""
    children = node.children
    count = len(children)
    if count == 1:
        return children[0], None, None
    if count == 3 and children[1].type == "=":
        return children[0], None, children[2]
    if count == 4 and children[2].type == "=" and children[1].type == "type_annotation":
        return children[0], children[1], children[3]
    return (
        node.child_by_field_name("name"),
        node.child_by_field_name("type"),
        node.child_by_field_name("value"),
    )


def function_parts(node: Node) -> FunctionParts:
    """The parts of a function, a method, a signature or a function type."""
    field = node.child_by_field_name
    if node.type in _PLAIN:
        body = parameters = result = type_parameters = None
        for child in node.children:
            if not child.is_named:
                continue
            kind = child.type
            if kind == "formal_parameters":
                parameters = child
            elif kind == "statement_block":
                body = child
            elif kind in _RESULTS:
                result = child
            elif kind == "type_parameters":
                type_parameters = child
        if parameters is not None:
            return FunctionParts(body or field("body"), None, parameters, result, type_parameters)
    return FunctionParts(
        field("body"), field("parameter"), field("parameters"), field("return_type"), field("type_parameters")
    )
