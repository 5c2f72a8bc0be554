"""A command's question to the resident reader, where one runs: the same document, without opening the index here."""

from __future__ import annotations

import os
from typing import Any

from cmgit.git.locate import Location

ASK_SECONDS = 5.0
"""Longer waits are for something that the command can as well do itself, with its progress shown."""


def ask_reader(location: Location, rev: str | None, op: str, **arguments: object) -> dict[str, Any] | None:
    """The reader's answer; None where there is none, another revision is asked for, or it cannot say.

    A command never starts a reader.
    """
    from cmgit.cli.runtime import runtime_dir, serve_wanted, version
    from cmgit.view.resident import ask, socket_path

    if rev is not None or location.top is None or not serve_wanted():
        return None
    path = socket_path(location.git_dir, runtime_dir())
    if not os.path.lexists(path):
        return None
    return ask(path, {"op": op, "version": version(), **arguments}, ASK_SECONDS)
