"""Types that are written in JSDoc comments of JavaScript."""

from __future__ import annotations

import re

from cmgit.core.codes import ImportKind, ValueOp
from cmgit.core.facts import NONE
from cmgit.extract.binder import ImportRow
from cmgit.extract.bindings import Scope
from cmgit.extract.lower import Lowering

_UNKNOWN = 0
_MOST_ENDLESS = 20  # types that never end: each is looked for a long way
_TAG = re.compile(r"@(\w+)\s*")
_PARAMETER = re.compile(r"\s*(?:\[\s*)?([\w$.]+)")
_TOKEN = re.compile(r"\s*(=>|\.\.\.|'[^']*'|\"[^\"]*\"|[\w$]+|.)", re.DOTALL)
_OPAQUE = frozenset({"any", "unknown", "object", "Object", "*", "Function", "function", "mixed"})
_PRIMITIVE = {
    "string": "string", "String": "string", "number": "number", "Number": "number", "boolean": "boolean",
    "Boolean": "boolean", "bool": "boolean", "void": "void", "undefined": "undefined", "null": "null", "never": "never",
    "bigint": "number", "symbol": "symbol", "true": "boolean", "false": "boolean",
}  # fmt: skip


def _braced(text: str, start: int) -> tuple[str, int]:
    """The text between `{` at start and its partner, and the position after it."""
    depth = 0
    for position in range(start, min(len(text), start + 4000)):
        char = text[position]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : position], position + 1
    return "", len(text)


def _clean(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    return re.sub(r"\n[ \t]*\*(?!/)[ \t]?", "\n", text)


def tags(low: Lowering, doc: tuple[int, int]) -> list[tuple[str, str, str]]:
    """(tag, type text, name) of each tag of a comment; memoised."""
    memo = low.jsdoc_tags
    found = memo.get(doc)
    if found is None:
        found = memo[doc] = _parse_tags(_clean(low.binder.source[doc[0] : doc[1]]))
    return found


def _parse_tags(text: str) -> list[tuple[str, str, str]]:
    result: list[tuple[str, str, str]] = []
    endless = 0
    for match in _TAG.finditer(text):
        position = match.end()
        kind = ""
        if position < len(text) and text[position] == "{":
            kind, position = _braced(text, position)
            endless += position == len(text)
            if endless > _MOST_ENDLESS:
                break
        name = _PARAMETER.match(text, position)
        result.append((match.group(1), kind.strip(), name.group(1) if name else ""))
    return result


def cast_type(low: Lowering, doc: tuple[int, int], scope: Scope) -> int:
    """`@type {T}`."""
    return tag_type(low, doc, "type", scope)


_ALIASES = {"returns": ("returns", "return"), "type": ("type",), "this": ("this",), "extends": ("extends", "augments")}


def tag_type(low: Lowering, doc: tuple[int, int], tag: str, scope: Scope) -> int:
    for name, kind, _ in tags(low, doc):
        if name in _ALIASES[tag] and kind:
            return parse(low, kind, scope)
    return _UNKNOWN


def parameter_type(low: Lowering, doc: tuple[int, int], name: str, index: int, scope: Scope) -> int:
    """`@param {T} name`; by position where the name is a pattern; or the parameter of a function `@type`."""
    entries = [(kind, text) for tag, kind, text in tags(low, doc) if tag in ("param", "arg", "argument")]
    top = [entry for entry in entries if "." not in entry[1]]
    if name:
        for kind, text in top:
            if text == name:
                return parse(low, kind, scope) if kind else _UNKNOWN
    elif index < len(top):
        return parse(low, top[index][0], scope)
    typed = cast_type(low, doc, scope)
    return low.values.row(ValueOp.CALLBACK_PARAM, typed, index) if typed else _UNKNOWN


def typedefs(low: Lowering) -> None:
    """Notes every `@typedef` and `@callback` of the blob."""
    for start, end, scope in low.binder.typedefs:
        for tag, kind, name in tags(low, (start, end)):
            if tag == "typedef" and name:
                low.typedefs.setdefault(name, (kind, start, end, scope))


def typedef_row(low: Lowering, name: str) -> int:
    kind, start, end, scope = low.typedefs[name]
    memo = low.typedef_rows
    if name in memo:
        return memo[name]
    memo[name] = _UNKNOWN
    if kind and kind.lower() not in ("object",):
        memo[name] = parse(low, kind, scope)
        return memo[name]
    members: list[tuple[str, int, int]] = []
    active = False
    for tag, text, label in tags(low, (start, end)):
        if tag == "typedef":
            active = label == name
        elif tag in ("property", "prop") and active and "." not in label:
            members.append((label, parse(low, text, scope), 0))
    row = low.values.fresh(ValueOp.OBJECT, 0, 0)
    memo[name] = row
    low.values.props(row, members)
    return row


def parse(low: Lowering, text: str, scope: Scope) -> int:
    """The row of a JSDoc type expression."""
    if len(text) > 600 or low.depth > 60:
        return _UNKNOWN
    key = (text, id(scope))
    found = low.jsdoc_memo.get(key)
    if found is None:
        low.jsdoc_memo[key] = _UNKNOWN
        low.depth += 3
        try:
            found = _Parser(low, text, scope).union()
        finally:
            low.depth -= 3
        low.jsdoc_memo[key] = found
    return found


class _Parser:
    """Recursive descent over the tokens of one type; whatever is not understood is UNKNOWN."""

    def __init__(self, low: Lowering, text: str, scope: Scope) -> None:
        self.low = low
        self.scope = scope
        self.tokens = [token for token in _TOKEN.findall(text) if token.strip()]
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        position = self.at + ahead
        return self.tokens[position] if position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def union(self) -> int:
        self.accept("|")
        rows = [self.intersection()]
        while self.accept("|"):
            rows.append(self.intersection())
        return self.low.values.union(rows) if len(rows) > 1 else rows[0]

    def intersection(self) -> int:
        result = self.postfix()
        while self.accept("&"):
            other = self.postfix()
            result = self.low.values.row(ValueOp.INTERSECT, result, other) if result and other else result or other
        return result

    def postfix(self) -> int:
        row = self.primary()
        while True:
            if self.peek() == "[" and self.peek(1) == "]":
                self.at += 2
                row = self.low.values.row(ValueOp.ARRAY, row or NONE)
            elif self.peek() == "[" and self.peek(1)[:1] in "'\"" and self.peek(2) == "]":
                row = self.low.values.member(row, self.peek(1)[1:-1])
                self.at += 3
            elif self.peek() in ("=", "!", "?"):
                self.at += 1
            else:
                return row

    def primary(self) -> int:
        token = self.take()
        values = self.low.values
        if token in ("?", "!", "..."):
            row = self.postfix()
            return values.row(ValueOp.ARRAY, row or NONE) if token == "..." else row
        if token == "(":
            return self.parenthesised()
        if token == "{":
            return self.members()
        if token[:1] in ("'", '"'):
            return values.literal("string")
        if token == "function" and self.peek() == "(":
            return self.closure()
        if token == "typeof":
            return self.low.name(self.take(), self.scope)
        if token == "import" and self.peek() == "(":
            return self.imported()
        if token in _PRIMITIVE:
            return values.literal(_PRIMITIVE[token])
        if token[:1].isdigit():
            return values.literal("number")
        if not (token[:1].isalpha() or token[:1] in "_$") or token in _OPAQUE:
            if token in ("Object", "object") and self.peek() in (".", "<"):
                self.accept(".")
                self.listed(">") if self.accept("<") else None
            return _UNKNOWN
        return self.named(token)

    def named(self, token: str) -> int:
        from cmgit.extract.lower_types import named_type, type_entity

        path = [token]
        while self.peek() == "." and self.peek(1) not in ("<", ""):
            self.take()
            path.append(self.take())
        self.accept(".")
        rows = self.listed(">") if self.accept("<") else []
        arguments = self.low.values.list_row(rows) if any(rows) else NONE
        if len(path) == 1:
            if token in ("Array", "Promise") and not rows:
                arguments = NONE
            return named_type(self.low, token, self.scope, arguments)
        row = type_entity(self.low, token, self.scope)
        for name in path[1:]:
            row = self.low.values.member(row, name)
        return self.low.values.row(ValueOp.TYPE_NAME, row, arguments) if row else _UNKNOWN

    def listed(self, end: str) -> list[int]:
        rows: list[int] = []
        while self.at < len(self.tokens) and not self.accept(end):
            rows.append(self.union())
            if not self.accept(",") and self.peek() != end:
                self.at = len(self.tokens)
        return rows

    def parenthesised(self) -> int:
        """`(T)` or `(a: T, b: U) => R`."""
        depth, position = 1, self.at
        while position < len(self.tokens) and depth:
            depth += {"(": 1, ")": -1}.get(self.tokens[position], 0)
            position += 1
        if position < len(self.tokens) and self.tokens[position] == "=>":
            return self.arrow(position)
        row = self.union()
        self.accept(")")
        return row

    def arrow(self, end: int) -> int:
        props: list[tuple[str, int, int]] = []
        index = 0
        while self.at < end - 1:
            rest = self.accept("...")
            self.take()
            self.accept("?")
            if self.accept(":"):
                row = self.union()
                if row:
                    props.append((f"(...{index})" if rest else f"({index})", row, 0))
            index += 1
            if not self.accept(","):
                break
        self.at = end + 1
        return self.make_function(props, self.union())

    def closure(self) -> int:
        """`function(A, B): R`."""
        self.take()
        props: list[tuple[str, int, int]] = []
        index = 0
        while self.at < len(self.tokens) and not self.accept(")"):
            if self.peek() in ("this", "new") and self.peek(1) == ":":
                self.at += 2
                self.union()
                index -= 1
            else:
                row = self.union()
                if row:
                    props.append((f"({index})", row, 0))
            index += 1
            if not self.accept(",") and self.peek() != ")":
                return _UNKNOWN
        return self.make_function(props, self.union() if self.accept(":") else _UNKNOWN)

    def make_function(self, props: list[tuple[str, int, int]], result: int) -> int:
        if result:
            props.append(("()", result, 0))
        row = self.low.values.fresh(ValueOp.FUNCTION, 0, 0)
        self.low.values.props(row, props)
        return row

    def members(self) -> int:
        props: list[tuple[str, int, int]] = []
        while self.at < len(self.tokens) and not self.accept("}"):
            if self.accept("["):
                while self.at < len(self.tokens) and self.take() != "]":
                    pass
                name = "[]"
            else:
                name = self.take().strip("'\"")
            self.accept("?")
            row = self.union() if self.accept(":") else _UNKNOWN
            props.append((name, row, 0))
            if not self.accept(",") and not self.accept(";") and self.peek() != "}":
                break
        row = self.low.values.fresh(ValueOp.OBJECT, 0, 0)
        self.low.values.props(row, props)
        return row

    def imported(self) -> int:
        self.take()
        specifier = self.take()[1:-1]
        self.accept(")")
        low = self.low
        key = ("import", specifier)
        request = low.jsdoc_imports.get(key[1])
        if request is None:
            request = len(low.binder.imports)
            low.jsdoc_imports[specifier] = request
            low.binder.imports.append(ImportRow(ImportKind.DYNAMIC, specifier, "*", None, 0, 0, True, 0))
        row = low.values.row(ValueOp.IMPORT, request)
        if not self.accept("."):
            return row
        row = low.values.member(row, self.take())
        while self.peek() == "." and self.peek(1) != "<":
            self.take()
            row = low.values.member(row, self.take())
        rows = self.listed(">") if self.accept("<") else []
        return low.values.row(ValueOp.TYPE_NAME, row, low.values.list_row(rows) if any(rows) else NONE)
