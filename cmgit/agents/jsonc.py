"""Edits of JSON settings in place: order, indentation, comments, trailing commas and line ends stay as they are.

An addition can be taken away again to the byte, also after other parts were edited, and without a record of what was
there: how an addition stands tells what it was added to. Into an empty container it goes directly after the bracket;
a container that came with the addition begins with white space. Python has no kept library that edits JSON with
comments in place; this is a scanner for positions, and every result is parsed again before it is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Value = object
Path = tuple[str | int, ...]
"""Keys of objects and numbers in lists."""

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n\r]*|/\*.*?\*/", re.S)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_ATOM = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DEEPEST = 200


class Broken(Exception):
    """The text is no JSON, even with comments and trailing commas. Says where."""

    def __init__(self, text: str, at: int, what: str) -> None:
        line = text.count("\n", 0, at) + 1
        super().__init__(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {what}")


class Unfit(Exception):
    """The text is sound, but something stands where the addition has to go."""


@dataclass(slots=True)
class Node:
    """A value and where it stands: `text[start:end]`; of a member `key_start` is where its key begins."""

    value: Value
    start: int
    end: int
    key: str = ""
    key_start: int = -1
    comma: int = -1
    """Where the comma after it stands, -1 for none."""
    children: list[Node] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.start if self.key_start < 0 else self.key_start

    def member(self, key: str) -> Node | None:
        """The member of an object. Raises: Unfit where its key stands twice: readers differ in which one counts."""
        found = [child for child in self.children if child.key_start >= 0 and child.key == key]
        if len(found) > 1:
            raise Unfit(f"it has {json.dumps(key)} twice")
        return found[0] if found else None


def parse(text: str) -> Node:
    """The tree of a text. Raises: Broken."""
    scanner = _Scanner(text)
    at = scanner.skip(1 if text.startswith("\ufeff") else 0)
    root = scanner.value(at, 0)
    end = scanner.skip(root.end)
    if end < len(text):
        raise Broken(text, end, "text after the end")
    return root


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text

    def skip(self, at: int) -> int:
        """Past white space and comments."""
        while True:
            space = _SPACE.match(self.text, at)
            at = space.end() if space else at
            comment = _COMMENT.match(self.text, at)
            if comment is None:
                return at
            at = comment.end()

    def value(self, at: int, depth: int) -> Node:
        head = self.text[at : at + 1]
        if depth > _DEEPEST:
            raise Broken(self.text, at, "nested too deep")
        if head in ("{", "["):
            return self.container(at, depth)
        found = _STRING.match(self.text, at) or _ATOM.match(self.text, at)
        if found is None:
            raise Broken(self.text, at, "a value is missing" if head in ("", ",", "}", "]") else "this is no value")
        try:
            return Node(json.loads(found[0]), at, found.end())
        except ValueError as error:
            raise Broken(self.text, at, "a number of too many digits") from error

    def container(self, start: int, depth: int) -> Node:
        keyed = self.text[start] == "{"
        close = "}" if keyed else "]"
        children: list[Node] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != close:
            if children and children[-1].comma < 0:
                raise Broken(self.text, at, f"a comma or {close} is missing")
            child = self.member(at, depth) if keyed else self.value(at, depth + 1)
            at = self.skip(child.end)
            if self.text[at : at + 1] == ",":
                child.comma = at
                at = self.skip(at + 1)
            children.append(child)
        value: Value = {c.key: c.value for c in children} if keyed else [c.value for c in children]
        return Node(value, start, at + 1, children=children)

    def member(self, at: int, depth: int) -> Node:
        key = _STRING.match(self.text, at)
        if key is None:
            raise Broken(self.text, at, "a key is missing")
        colon = self.skip(key.end())
        if self.text[colon : colon + 1] != ":":
            raise Broken(self.text, colon, "a colon is missing")
        node = self.value(self.skip(colon + 1), depth + 1)
        node.key, node.key_start = json.loads(key[0]), at
        return node


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is written: one step of indentation, and its line end."""

    step: str
    newline: str

    @staticmethod
    def of(text: str) -> Style:
        newline = "\r\n" if "\r\n" in text else "\n"
        found = re.search(r"^([ \t]+)[\"{\[]", text, re.M)
        return Style(found[1] if found else "  ", newline)

    def written(self, value: Value, indent: str) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=self.step)
        return text.replace("\n", self.newline + indent)


def new_text(value: Value) -> str:
    """A whole file of ours."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def add(text: str, path: tuple[str, ...], value: Value, *, item: bool = False) -> str:
    """Add a member at `path`, or with `item` an element at the end of the list there; what lacks on the way is made.

    Raises:
        Broken: the text is no JSON.
        Unfit: something of another type stands on the way, or the member is there.
    """
    root = parse(text)
    node, depth = root, 0
    for key in path:
        if not isinstance(node.value, dict):
            raise Unfit(f"{_named(path[:depth])} is no object")
        child = node.member(key)
        if child is None:
            break
        node, depth = child, depth + 1
    rest = path[depth:]
    for key in reversed(rest[1:]):
        value, item = {key: [value] if item else value}, False
    if rest:
        return _appended(text, node, rest[0], [value] if item else value)
    if not item:
        raise Unfit(f"{_named(path)} is there")
    if not isinstance(node.value, list):
        raise Unfit(f"{_named(path)} is no list")
    return _appended(text, node, None, value)


def _named(path: tuple[str, ...]) -> str:
    return json.dumps(".".join(path)) if path else "the whole"


def _appended(text: str, into: Node, key: str | None, value: Value) -> str:
    style = Style.of(text)
    head = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if not into.children:
        indent = _indent(text, into.first)
        return text[: into.start + 1] + head + style.written(value, indent) + text[into.start + 1 :]
    last = into.children[-1]
    on_lines = "\n" in text[into.start : last.first]
    if on_lines:
        indent = _indent(text, last.first)
        gap, body = style.newline + indent, style.written(value, indent)
    else:
        gap, body = _gap(text, into) or (" " if len(into.children) == 1 else ""), _on_one_line(value)
    at = last.end if last.comma < 0 else last.comma + 1
    at = _line_rest(text, at) if on_lines else at
    if last.comma >= 0:
        return text[:at] + gap + head + body + "," + text[at:]
    return text[: last.end] + "," + text[last.end : at] + gap + head + body + text[at:]


def _on_one_line(value: Value) -> str:
    if isinstance(value, dict) and value:
        members = (f"{json.dumps(key, ensure_ascii=False)}: {_on_one_line(each)}" for key, each in value.items())
        return "{ " + ", ".join(members) + " }"
    if isinstance(value, list) and value:
        return "[ " + ", ".join(map(_on_one_line, value)) + " ]"
    return json.dumps(value, ensure_ascii=False)


def _gap(text: str, into: Node) -> str:
    """The white space before a container's last child."""
    first = into.children[-1].first
    return text[len(text[:first].rstrip(" \t\r\n")) : first]


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_rest(text: str, at: int) -> int:
    """Past the comments that stand in the same line, else where it was."""
    while found := re.compile(r"[ \t]*(//[^\n\r]*|/\*[^\n\r]*?\*/)").match(text, at):
        at = found.end()
    return at


def remove(text: str, path: Path, ours: Callable[[Value], bool] | None = None) -> str | None:
    """Take a member away, or with `ours` those elements of the list at `path` that it names.

    Containers that came with the addition go too. None: nothing else is in the text. Raises: Broken, Unfit.
    """
    while (found := next(_targets(parse(text), path, ours), None)) is not None:
        outcome = _without(text, found)
        if outcome is None:
            return None
        text = outcome
    return text


def _targets(root: Node, path: Path, ours: Callable[[Value], bool] | None) -> Iterator[list[Node]]:
    """Ways from the root to what has to go."""
    way = [root]
    for key in path:
        child = _child(way[-1], key)
        if child is None:
            return
        way.append(child)
    if ours is None:
        yield way
    elif isinstance(way[-1].value, list):
        yield from ([*way, child] for child in way[-1].children if ours(child.value))


def _child(node: Node, key: str | int) -> Node | None:
    if isinstance(key, int):
        return node.children[key] if isinstance(node.value, list) and key < len(node.children) else None
    return node.member(key) if isinstance(node.value, dict) else None


def _without(text: str, way: list[Node]) -> str | None:
    *above, node = way
    if not above:
        return None
    holder = above[-1]
    if len(holder.children) == 1 and holder.start + 1 != node.first:
        return _without(text, above)  # the container is ours: it begins with white space
    number = next(n for n, child in enumerate(holder.children) if child is node)
    start = len(text[: node.first].rstrip(" \t\r\n"))
    end = node.end if node.comma < 0 else node.comma + 1
    if node.comma < 0 and number:
        comma = holder.children[number - 1].comma
        return text[:comma] + text[comma + 1 : start] + text[end:]
    return text[:start] + text[end:]
