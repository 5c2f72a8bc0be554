"""Settings of the user and the repository: `git config cm.*`, and nothing from tracked files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmgit.core.records import path_text
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location


def read_settings(where: Location | str | None) -> dict[str, str]:
    """All `cm.*` settings that git sees from there, keys in lower case as git gives them (`cm.budget`).

    The last of several values wins; a key without a value means "true". None: outside of any repository.
    """
    answer = run_git(os.sep if where is None else where, ["config", "-z", "--get-regexp", r"^cm\."], ok=(0, 1))
    settings: dict[str, str] = {}
    for record in answer.split(b"\0"):
        if record:
            key, found, value = record.partition(b"\n")
            settings[path_text(key)] = path_text(value) if found else "true"
    return settings
