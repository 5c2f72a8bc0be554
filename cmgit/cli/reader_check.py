"""What `git cm doctor` says of the resident reader."""

from __future__ import annotations

import os
from collections.abc import Iterator

from cmgit.cli.checks import Finding
from cmgit.git.locate import Location


def check_reader(location: Location) -> Iterator[Finding]:
    from cmgit.cli.runtime import is_taken, runtime_dir, serve_wanted
    from cmgit.cli.serve import reader_state, sentence
    from cmgit.view.resident import is_private, socket_path

    if location.top is None:
        return
    folder = runtime_dir()
    if not serve_wanted():
        yield Finding(
            "reader", "note", "CMGIT_SERVE keeps the resident reader out", "unset it, and prompts are quicker"
        )
    elif os.path.lexists(folder) and not is_private(folder):
        yield Finding(
            "reader",
            "wrong",
            f"{folder} is not this user's alone, so no reader can listen there",
            f"remove it, or `chmod 700 {folder}` if it is yours",
        )
    else:
        shown = reader_state(location.git_dir)
        stuck = not shown["running"] and is_taken(socket_path(location.git_dir, folder))
        if stuck:
            yield Finding("reader", "note", "a reader is there and does not answer", "it may be starting; ask again")
        elif shown["running"] and not shown.get("same_installation"):
            yield Finding("reader", "note", sentence(shown), "`git cm serve --stop` ends it")
        else:
            yield Finding("reader", "ok", sentence(shown))
