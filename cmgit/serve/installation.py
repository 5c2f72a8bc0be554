"""Whether the files that this process was made of are still those on disk: a reader must not outlive its upgrade."""

from __future__ import annotations

import os
import sys

PROGRAM = "cmgit"
Identity = tuple[int, int, int]


class Installation:
    """The modules that are loaded, of other packages the first file of each, with what the file system said of them
    when they were first seen here. Modules that are loaded later join in."""

    def __init__(self, more: tuple[str, ...] = ()) -> None:
        self._seen: dict[str, Identity | None] = {path: identity(path) for path in more}
        self._modules = 0
        self._join()

    def changed(self) -> bool:
        """Some file is another one than it was, or gone."""
        self._join()
        return any(identity(path) != seen for path, seen in self._seen.items())

    def _join(self) -> None:
        if len(sys.modules) == self._modules:
            return
        modules = list(sys.modules.items())
        self._modules = len(modules)
        for name, module in modules:
            top, dot, _ = name.partition(".")
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and (top == PROGRAM or not dot) and file not in self._seen:
                self._seen[file] = identity(file)


def identity(path: str) -> Identity | None:
    """Inode, time and size: an upgrade writes files anew, and a roll back to old times gives them new inodes."""
    try:
        seen = os.stat(path)  # noqa: PTH116 - some hundred at each question
    except OSError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_size
