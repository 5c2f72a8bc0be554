"""Settings of the user and the repository: `git config cm.*`, and nothing from tracked files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmgit.core.records import path_text
from cmgit.git.plumbing import GitCall, GitDone, failure, place, run_calls

if TYPE_CHECKING:
    from cmgit.git.locate import Location


_ASKED = ("config", "-z", "--get-regexp", r"^cm\.")


def read_settings(where: Location | str | None) -> dict[str, str]:
    """All `cm.*` settings that git sees from there, keys in lower case as git gives them (`cm.budget`).

    The last of several values wins; a key without a value means "true". None: outside of any repository.
    """
    (done,) = run_calls([settings_call(os.sep if where is None else where)])
    return settings_answer(done)


def settings_call(where: Location | str) -> GitCall:
    """The call that `settings_answer` reads, for whoever runs it beside others."""
    return GitCall((*place(where), *_ASKED))


def settings_answer(done: GitDone) -> dict[str, str]:
    if done.code not in (0, 1):
        raise failure(_ASKED, done)
    settings: dict[str, str] = {}
    for record in done.stdout.split(b"\0"):
        if record:
            key, found, value = record.partition(b"\n")
            settings[path_text(key)] = path_text(value) if found else "true"
    return settings
