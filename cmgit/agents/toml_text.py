"""One table of ours at the end of a TOML file, as text: everything before it stays as it is, to the byte.

A library that keeps style (tomlkit) would write the whole file anew and cannot say what stood before; a table at the
end is always sound where its name is free, and Python's own parser proves it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping


class Broken(Exception):
    """The text is no TOML, or does not take the table. Says why."""


def add(text: str, name: str, members: Mapping[str, str | list[str]]) -> str:
    """The text with `[name]` at its end; the same text where it stands so already. Raises: Broken."""
    old = _loaded(text)
    if _at(old, name) == dict(members):
        return text
    bare = remove(text, name)
    body = _newline(text).join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in members.items())])
    line = _newline(text)
    # What was there ended with a line break or not: so does ours.
    if not bare:
        after = body + line
    elif bare.endswith("\n"):
        after = bare + line + body + line
    else:
        after = bare + line * 2 + body
    if _at(_loaded(after), name) != dict(members):
        raise Broken(f"[{name}] cannot be added at its end")
    return after


def remove(text: str, name: str) -> str:
    """The text without `[name]` and the tables in it. Raises: Broken."""
    if _at(_loaded(text), name) is None:
        return text
    found = re.search(rf"^\[{re.escape(name)}\][ \t\r]*(?:#[^\n]*)?$", text, re.M)
    if found is None:
        raise Broken(f"{name} is not written as a table of its own")
    end = _end_of(text, found.end(), name)
    start = found.start()
    line = "\r\n" if text[:start].endswith("\r\n") else "\n"
    if text[:start].endswith(line * 2):
        start -= len(line)  # the empty line before it came with it
    if end == len(text) and not text.endswith("\n") and text[:start].endswith(line):
        start -= len(line)
    after = text[:start] + text[end:]
    if _at(_loaded(after), name) is not None:
        raise Broken(f"{name} stands in more than one place")
    return after


def _end_of(text: str, at: int, name: str) -> int:
    """Where the table ends: at the next one that is not below it, without the comments that stand before that."""
    end = at
    for found in re.compile(r"^.*\n?", re.M).finditer(text, min(at + 1, len(text))):
        line = found[0].strip()
        if line.startswith("[") and not line.startswith(f"[{name}."):
            return end
        if line and not line.startswith("#"):
            end = found.end()
    return max(end, text.find("\n", at) + 1 or len(text))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _loaded(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Broken(str(error)) from error


def _at(document: Mapping[str, object], name: str) -> object:
    value: object = document
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
