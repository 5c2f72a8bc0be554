"""Command lines of `retrieve` and `search` that need no parser: known options with good values, one argument.

Anything else (help, a wrong value, an option that is written in another way) goes to click, which knows it all. A test
holds that both read the same from the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cmgit.core.record import record


@record
class Shape:
    """argument: what the one positional argument is called. values: option → parameter and the words allowed, or the
    least and the largest number, or None for any text. flags: option → parameter."""

    argument: str
    values: Mapping[str, tuple[str, tuple[str, ...] | tuple[int, int] | None]]
    flags: Mapping[str, str]


MOST = 10**9
SHAPES = {
    "retrieve": Shape(
        "prompt",
        {
            "--rev": ("rev", None),
            "--budget": ("budget", (0, MOST)),
            "--detail": ("detail", ("normal", "expanded")),
            "--route": ("route", ("auto", "direct", "named", "search")),
        },
        {"--explain": "explain", "--no-vectors": "no_vectors", "--json": "as_json"},
    ),
    "search": Shape(
        "query",
        {"--rev": ("rev", None), "-k": ("count", (1, 1000))},
        {"--no-vectors": "no_vectors", "--json": "as_json"},
    ),
}


def plain_call(args: Sequence[str]) -> Callable[[], object] | None:
    """What the arguments ask for; None where click has to read them."""
    shape = SHAPES.get(args[0]) if args else None
    given = read_plain(args[1:], shape) if shape is not None else None
    if given is None:
        return None
    found = given
    if args[0] == "search":
        from cmgit.cli.searching import run_search

        return lambda: run_search(**found)
    from cmgit.cli.retrieving import run_retrieve

    return lambda: run_retrieve(**found)


def read_plain(words: Sequence[str], shape: Shape) -> dict[str, Any] | None:
    """Parameters by name, those that are given; None where anything is out of the ordinary."""
    found: dict[str, Any] = {}
    name: str
    value: str | int | None
    rest = iter(words)
    for word in rest:
        if word in shape.flags:
            name, value = shape.flags[word], True
        elif word in shape.values:
            name, allowed = shape.values[word]
            text = next(rest, None)
            value = None if text is None else read_value(text, allowed)
        elif word == "-" or not word.startswith("-"):
            name, value = shape.argument, word
        else:
            return None
        if value is None or name in found:
            return None
        found[name] = value
    return found if shape.argument in found else None


def read_value(text: str, allowed: tuple[str, ...] | tuple[int, int] | None) -> str | int | None:
    """An option's value; None for one that click shall judge."""
    if text.startswith("-"):
        return None
    if allowed is None or text in allowed:
        return text
    if isinstance(allowed[0], int) and text.isascii() and text.isdigit():
        least, most = allowed
        number = int(text)
        return number if int(least) <= number <= int(most) else None
    return None
