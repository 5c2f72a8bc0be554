"""Bytes to a syntax tree, bounded by a count.

The parser holds the interpreter's lock and ignores a progress callback for a bytes input, so neither a thread nor a
signal can stop it (tree-sitter-typescript#323): the source goes in through a read callable, the calls of the progress
callback are counted, and a parser that was stopped is thrown away. A count, unlike a clock, is the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Point, Tree

ERROR_KIND = 65535
"""The id of the kind `ERROR`, in every grammar."""
_CHUNK = 1 << 16
_FREE_CALLS = 2_000
_BYTES_A_CALL = 10  # ordinary sources need one call for 150 bytes, minified ones for 50


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree. errors: ERROR and missing nodes. error_bytes: bytes inside ERROR nodes, the parser's loss."""

    tree: Tree
    grammar: str
    errors: int
    error_bytes: int

    @property
    def loss(self) -> tuple[int, int]:
        """Smaller is better."""
        return self.error_bytes, self.errors


@cache
def load_grammar(name: str) -> Language:
    """A grammar by its name: `javascript`, `typescript` or `tsx`."""
    if name == "javascript":
        return Language(tree_sitter_javascript.language())
    if name == "typescript":
        return Language(tree_sitter_typescript.language_typescript())
    return Language(tree_sitter_typescript.language_tsx())


@dataclass(frozen=True, slots=True)
class Runaway:
    """The parser was stopped. offset: where it stood."""

    offset: int


def parse(text: bytes, grammar: str) -> Parsed | Runaway:
    """The tree of a text, unless the parser runs away."""
    calls = stuck_at = 0
    limit = _FREE_CALLS + len(text) // _BYTES_A_CALL

    def read(offset: int, _: Point) -> bytes:
        return text[offset : offset + _CHUNK]

    def stop(offset: int, _has_error: bool) -> bool:
        nonlocal calls, stuck_at
        calls += 1
        stuck_at = offset
        return calls > limit

    try:
        tree = Parser(load_grammar(grammar)).parse(read, progress_callback=stop)
    except ValueError:  # "Parsing failed" is all that a stopped parser says
        return Runaway(stuck_at)
    errors, error_bytes = _count_errors(tree.root_node)
    return Parsed(tree, grammar, errors, error_bytes)


def parse_best(text: bytes, grammars: tuple[str, ...]) -> Parsed | Runaway:
    """The tree with the smallest loss; a grammar is tried only where the ones before it left errors."""
    best = parse(text, grammars[0])
    for grammar in grammars[1:]:
        if isinstance(best, Runaway) or not best.errors:
            break
        other = parse(text, grammar)
        if isinstance(other, Parsed) and other.loss < best.loss:
            best = other
    return best


def _count_errors(root: Node) -> tuple[int, int]:
    errors = error_bytes = 0
    if not root.has_error:
        return 0, 0
    stack = [(root, False)]
    while stack:
        node, inside = stack.pop()
        if node.is_error:
            errors += 1
            if not inside:
                error_bytes += node.end_byte - node.start_byte
            inside = True
        elif node.is_missing:
            errors += 1
        stack.extend([(child, inside) for child in node.children if child.has_error])
    return errors, error_bytes
