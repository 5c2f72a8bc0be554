"""Anchors' URIs: `file:<path>`, `symbol:<path>::<Name>` or `::<Class>.<member>`, `entity:<Name>`, `env:<VAR>`."""

from __future__ import annotations

import re
from functools import lru_cache

from cmgit.core.errors import UsageError
from cmgit.core.record import record

KINDS = ("file", "symbol", "entity", "env")
CODE_KINDS = ("file", "symbol")
LONGEST = 1_000

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ENTITY = re.compile(r"[\w][\w .+/&'-]{0,79}")
_SHAPE = "file:PATH, symbol:PATH::NAME, entity:NAME or env:VARIABLE"


@record
class Uri:
    """kind: one of `KINDS`. path: of a file or symbol, else "". name: of a symbol, entity or variable, else ""."""

    kind: str
    path: str
    name: str

    @property
    def text(self) -> str:
        if self.kind == "symbol":
            return f"symbol:{self.path}::{self.name}"
        return f"{self.kind}:{self.path or self.name}"

    @property
    def is_code(self) -> bool:
        return self.kind in CODE_KINDS


@lru_cache(maxsize=1 << 14)
def read_uri(text: str) -> Uri | None:
    """A URI as it stands in a file; None where it is none. Nothing is repaired: equal means equal."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in KINDS or not rest or len(text) > LONGEST or _CONTROL.search(text):
        return None
    if kind == "entity":
        return Uri(kind, "", rest) if ENTITY.fullmatch(rest) else None
    if kind == "env":
        return Uri(kind, "", rest) if _ENV.fullmatch(rest) else None
    if kind == "file":
        return Uri(kind, rest, "") if is_path(rest) else None
    path, mark, name = rest.rpartition("::")
    return Uri(kind, path, name) if mark and name and name == name.strip() and is_path(path) else None


def is_path(path: str) -> bool:
    """A path of the repository, from its top: neither absolute nor leading out of it."""
    return bool(path) and not any(part in ("", ".", "..") for part in path.split("/")) and "\\" not in path


def typed_uri(text: str) -> Uri:
    """A URI as somebody types it: `./` before a path is dropped, blanks around it too.

    Raises:
        UsageError: it is none; the hint says which shapes there are.
    """
    cleaned = text.strip()
    for kind in CODE_KINDS:
        if cleaned.startswith(f"{kind}:./"):
            cleaned = f"{kind}:{cleaned[len(kind) + 3 :]}"
    found = read_uri(cleaned)
    if found is None:
        outside = ".." in cleaned.split("::")[0].replace(":", "/").split("/")
        raise UsageError(
            f"{text!r} is no anchor" + (": it leads out of the repository" if outside else ""),
            f"write {_SHAPE}; paths count from the top of the repository",
        )
    return found
