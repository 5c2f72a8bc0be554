"""Where a folder belongs, found by a walk upwards without starting git: for the log, the session's file and the socket.

What is found counts for no more than that: before anything of a repository is read, git itself is asked for it
(`cmgit.git.locate`), or a reader that asked git answers.
"""

# pathlib costs a hook 5 ms:
# ruff: noqa: PTH112, PTH113, PTH116, PTH117, PTH118, PTH120, PTH123
from __future__ import annotations

import os

LONGEST_LINK = 4_096
DEEPEST = 128


class Where:
    """top: root of the worktree. git_dir: of this worktree, common_dir: of all. Absolute, links resolved.
    folder: where the asker stands, below top with `/`, "" for top itself."""

    __slots__ = ("common_dir", "folder", "git_dir", "top")

    def __init__(self, top: str, git_dir: str, common_dir: str, folder: str) -> None:
        self.top = top
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.folder = folder

    @property
    def cm_dir(self) -> str:
        return os.path.join(self.common_dir, "cm")

    @property
    def is_indexed(self) -> bool:
        """Whether anything was ever indexed here."""
        return os.path.isfile(os.path.join(self.cm_dir, "format"))

    @property
    def is_mine(self) -> bool:
        """Whether the asker owns it; git is to be asked about any other before a word is written there."""
        if not hasattr(os, "geteuid"):  # Windows
            return True
        try:
            return all(os.stat(path).st_uid == os.geteuid() for path in (self.top, self.git_dir, self.common_dir))
        except OSError:
            return False

    @property
    def package(self) -> str:
        """The innermost folder above the asker, below top, that holds a package; "" where there is none."""
        folder = self.folder
        while folder:
            if os.path.isfile(os.path.join(self.top, folder, "package.json")):
                return folder
            folder = folder.rpartition("/")[0]
        return ""


def find(cwd: str) -> Where | None:
    """None outside of any worktree: elsewhere, in a bare repository, inside of `.git`."""
    if not os.path.isabs(cwd) or "\0" in cwd:
        return None
    start = os.path.realpath(cwd)
    if not os.path.isdir(start):
        return None
    folder = start
    for _ in range(DEEPEST):
        if is_git_dir(folder):
            return None
        dot_git = os.path.join(folder, ".git")
        if os.path.isdir(dot_git):
            git_dir: str | None = dot_git if is_git_dir(dot_git) else None
        else:
            git_dir = _linked(dot_git, folder)
        if git_dir is not None:
            git_dir = os.path.realpath(git_dir)
            below = os.path.relpath(start, folder)
            return Where(folder, git_dir, _common(git_dir), "" if below == "." else below.replace(os.sep, "/"))
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return None


def is_git_dir(folder: str) -> bool:
    """What git takes for one, give or take: of a repository, or of a linked worktree."""
    if not os.path.lexists(os.path.join(folder, "HEAD")):
        return False
    own = os.path.isdir(os.path.join(folder, "objects")) and os.path.isdir(os.path.join(folder, "refs"))
    return own or os.path.isfile(os.path.join(folder, "commondir"))


def _linked(dot_git: str, folder: str) -> str | None:
    """The git directory that a `.git` file names."""
    text = _line(dot_git)
    if not text.startswith("gitdir: "):
        return None
    path = os.path.join(folder, text.removeprefix("gitdir: "))
    return path if is_git_dir(path) else None


def _common(git_dir: str) -> str:
    text = _line(os.path.join(git_dir, "commondir"))
    return os.path.realpath(os.path.join(git_dir, text)) if text else git_dir


def _line(path: str) -> str:
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return os.fsdecode(file.read(LONGEST_LINK)).split("\n", 1)[0]
    except OSError:
        return ""
