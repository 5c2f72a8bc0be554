"""The hook's line to the resident reader, called before the question stands: the reader looks at the working tree while
the hook loads the rest of itself and reads its settings."""

# pathlib costs a hook 5 ms:
from __future__ import annotations

import os

from cmgit.cli import runtime
from cmgit.view import resident

TYPE_CHECKING = False  # importing `typing` would cost a prompt 2 ms
if TYPE_CHECKING:
    from cmgit.agents.where import Where

CALL_SECONDS = 0.2


def call_reader(where: Where, left: float) -> resident.Line | None:
    """None where no reader serves this worktree, or none is wanted."""
    if not runtime.serve_wanted():
        return None
    path = reader_path(where)
    return resident.call(path, min(left, CALL_SECONDS)) if os.path.lexists(path) else None


def reader_path(where: Where) -> str:
    return resident.socket_path(where.git_dir, runtime.runtime_dir())
