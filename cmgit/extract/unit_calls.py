"""Calls that name a function: wrappers (`const F = memo(() => …)`) and callbacks (`app.get("/users", …)`)."""

from __future__ import annotations

import re

from tree_sitter import Node

from cmgit.core.codes import UnitKind
from cmgit.extract.nodes import call_parts, member_parts
from cmgit.extract.unit_syntax import FUNCTIONS, first_expression, function_flags, unquote, unwrap
from cmgit.extract.unit_walk import Scope, Walk

_WRAPPERS = frozenset(
    [
        "memo",
        "forwardRef",
        "lazy",
        "observer",
        "debounce",
        "throttle",
        "once",
        "memoize",
        "memoizeOne",
        "memoized",
        "curry",
        "compose",
        "partial",
        "bind",
        "useCallback",
        "useEvent",
        "useEffectEvent",
        "useMemoizedFn",
        "useStableCallback",
        "useDebouncedCallback",
        "useThrottledCallback",
        "styled",
        "hoc",
        "connect",
        "cache",
        "server$",
        "component$",
        "component",
        "action",
        "asyncHandler",
        "asyncWrap",
        "wrap",
        "promisify",
        "callback",
        "batch",
        "untrack",
        "derived",
        "createAsyncThunk",
        "createServerFn",
        "inject",
        "provide",
        "cached",
        "noop",
        "pure",
        "stable",
        "lift",
        "nonNull",
        "effectEvent",
        "fn",
        "task",
        "flow",
        "procedure",
        "handler",
        "middleware",
    ]
)
_WRAPPER_PREFIX = re.compile(
    r"(?:with|create|define|make|wrap|memo|debounce|throttle|async|unstable_)[A-Z_]|create$|define$"
)
_MOST_NESTED = 4
_LONGEST_NAME = 120
_LONGEST_CHAIN = 240
_SPACE = re.compile(r"\s+")
_CALLEE = re.compile(r"[\w$#]+(?:\??\.[\w$#]+)*\Z")

# Methods of strings and collections take a string and a function too, and name nothing.
_NOT_NAMING = frozenset({"replace", "replaceAll", "split", "reduce", "then", "catch", "setTimeout", "setInterval"})

_TEXTS = frozenset({"string", "template_string"})
_NAMING = _TEXTS | {"identifier", "member_expression"}
_REGISTERING = frozenset({"describe", "it", "test", "suite", "context", "on", "once", "handle", "addListener"})
_REGISTERING |= {"addEventListener", "prependListener", "registerCommand"}


def wrapped_function(walk: Walk, value: Node | None) -> Node | None:
    """The function inside a wrapper call, so that the variable is a function: `memo(forwardRef((props) => …))`.

    Only callees that are known, or named, as wrappers count: `items.map((x) => …)` gives data.
    """
    for _ in range(_MOST_NESTED):
        if value is None or value.type != "call_expression":
            return None
        callee, arguments = call_parts(value)
        if callee is None or arguments is None or not _is_wrapper(last_name(walk, callee)):
            return None
        inner: Node | None = None
        for argument in arguments.named_children:
            plain = unwrap(argument)
            if plain is not None and plain.type in FUNCTIONS:
                return plain
            if inner is None and plain is not None and plain.type == "call_expression":
                inner = plain
        value = inner
    return None


def _is_wrapper(name: str) -> bool:
    return name in _WRAPPERS or _WRAPPER_PREFIX.match(name) is not None


def last_name(walk: Walk, callee: Node) -> str:
    """The last identifier of a callee: `get` of `app.get`; empty where there is none."""
    node: Node | None = callee
    while node is not None and node.type in ("call_expression", "instantiation_expression"):
        node = call_parts(node)[0]
    if node is None:
        return ""
    if node.type == "member_expression":
        node = member_parts(node)[1]
    return walk.text(node) if node is not None and "identifier" in node.type else ""


def on_call(walk: Walk, node: Node, scope: Scope, outer: Node | None = None) -> None:
    """A call; a unit where it registers a function under a text."""
    if walk.is_quiet(node):
        return
    function = callback_of(walk, node)
    if function is None:
        walk.push_children(node, scope.inside())
        return
    name, text_node = _callback_name(walk, node)
    qualname = f"{scope.calls}{name}"
    row = walk.declare(
        UnitKind.CALLBACK,
        name,
        scope,
        outer or node,
        node=node,
        name_node=text_node,
        body=function.child_by_field_name("body"),
        flags=function_flags(function),
        qualname=qualname,
    )
    inner = scope.of(row).body(function)
    if len(qualname) < _LONGEST_CHAIN:
        inner.calls = f"{qualname} > "
    walk.bind(function, inner, row)
    walk.push_children(node, scope.of(row))


def callback_of(walk: Walk, node: Node) -> Node | None:
    """The function that a call registers under a text, the call's first argument; None for every other call."""
    callee, arguments = call_parts(node)
    if arguments is None or callee is None or walk.is_quiet(arguments):
        return None
    function = _function_after_name(arguments)
    if function is None:
        return None
    own_name = last_name(walk, callee)
    if own_name in _NOT_NAMING or not _label(walk, callee):
        return None
    first = first_expression(arguments)
    if first is None or first.type in _TEXTS:
        return function
    # `describe(Store, …)`, `socket.on(Events.open, …)`: a name, where such calls take names.
    return function if own_name in _REGISTERING else None


def _callback_name(walk: Walk, node: Node) -> tuple[str, Node]:
    """`app.get /users`: the callee and the text; and the text's node."""
    callee, arguments = call_parts(node)
    assert callee is not None
    assert arguments is not None
    first = first_expression(arguments)
    assert first is not None
    text = _SPACE.sub(" ", unquote(walk.text(first))).strip()
    return f"{_label(walk, callee)} {text}"[:_LONGEST_NAME].rstrip(), first


def _function_after_name(arguments: Node) -> Node | None:
    """The function among the arguments of a call whose first one is a text or a name; also inside a wrapper:
    `app.get("/x", wrap(async () => …))`."""
    rest = [argument for argument in arguments.named_children if argument.type != "comment"]
    if len(rest) < 2 or rest[0].type not in _NAMING:
        return None
    for argument in rest[1:]:
        if argument.type in FUNCTIONS:
            return argument
    for argument in rest[1:]:
        inner = call_parts(argument)[1] if argument.type == "call_expression" else None
        for wrapped in inner.named_children if inner is not None else ():
            if wrapped.type in FUNCTIONS:
                return wrapped
    return None


def _label(walk: Walk, callee: Node) -> str:
    """`app.get`, `it.each` of `it.each(rows)("…")`, `get` of `request(app).get`."""
    node: Node | None = callee
    while node is not None and node.type == "call_expression":
        node = call_parts(node)[0]
    if node is None:
        return ""
    if node.end_byte - node.start_byte <= _LONGEST_NAME:
        text = _SPACE.sub("", walk.text(node))
        if _CALLEE.match(text):
            return text
    return last_name(walk, node)


def is_require(walk: Walk, value: Node | None) -> bool:
    """`require("x")`, `require("x").y`, `await import("x")`: an import in another dress."""
    while value is not None and value.type in ("member_expression", "await_expression"):
        value = value.child_by_field_name("object") or first_expression(value)
    if value is None or value.type != "call_expression":
        return False
    callee, arguments = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if callee is None or arguments is None or walk.text(callee) not in ("require", "import"):
        return False
    return any(child.type in ("string", "template_string") for child in arguments.named_children)
