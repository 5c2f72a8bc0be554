"""The parts of common nodes, by their place among the children.

A node keeps the list of its children once it was asked for it; a field is looked up by its name anew each time, which
costs seven times as much and gives another node, with a list of its own. Where a node has as many children as its rule
has at least, each is at its place: comments and errors only add some, and then the fields are asked.
"""

from __future__ import annotations

from tree_sitter import Node


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
