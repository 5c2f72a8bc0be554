"""The post-commit hook as a link into `cm/`, where it can be taken away while a rebase runs.

git starts that hook at each pick, and a process for each pick is half of what a rebase takes (docs/decisions/0005). A
hook that is a link to nothing is no hook for git, which looks anew at each pick. So the post-checkout hook, which a
rebase runs when it starts, renames what the link points to, and the background job, which waits for the end of the
rebase, renames it back. Whatever else there is by that name, or another folder of hooks, keeps an ordinary hook.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from cmgit.agents import hook_scripts as scripts
from cmgit.agents.changes import Change, MakeLink, RemoveFile, RemoveLink, WriteFile, content
from cmgit.agents.hook_scripts import SHEBANG, Kind, Program
from cmgit.index.requests import SWITCHED_HOOK, switched_off_path

EVENT = "post-commit"
LINK = f"../cm/{SWITCHED_HOOK}"


def can_be_linked(common_dir: str, folder: Path) -> bool:
    """Whether the place is free, or ours already, in the hooks folder of the git directory itself."""
    path = Path(common_dir) / "hooks" / EVENT
    return folder == path.parent and (not os.path.lexists(path) or is_ours(path))


def is_ours(path: Path) -> bool:
    return path.is_symlink() and str(path.readlink()) == LINK


def install_link(common_dir: str, program: Program) -> list[Change]:
    path, target = Path(common_dir) / "hooks" / EVENT, Path(common_dir) / "cm" / SWITCHED_HOOK
    after = text_of(program)
    changes: list[Change] = []
    if content(switched_off_path(target)) != after and content(target) != after:
        changes.append(WriteFile(target, content(target), after, 0o755))
    if not os.path.lexists(path):
        changes.append(MakeLink(path, LINK))
    return changes


def remove_link(path: Path, common_dir: str) -> list[Change]:
    """For a link of ours, under whatever name another tool has given it."""
    if not is_ours(path):
        return []
    changes: list[Change] = [RemoveLink(path, LINK)]
    target = Path(common_dir) / "cm" / SWITCHED_HOOK
    for name in (target, switched_off_path(target)):
        data = content(name)
        if data is not None:
            changes.append(RemoveFile(name, data, prune=True))
    return changes


def real_path(path: Path) -> Path:
    """Where the text of a hook is: that of our link has another name while a rebase runs."""
    if not is_ours(path):
        return path
    target = path.parent / LINK
    off = switched_off_path(target)
    return off if off.exists() else target


def mend_link(common_dir: str, program_of: Callable[[], Program]) -> None:
    """Make anew what the link points to, where somebody removed `cm/` and with it the hook."""
    target = Path(common_dir) / "cm" / SWITCHED_HOOK
    if is_ours(Path(common_dir) / "hooks" / EVENT) and not target.exists() and not switched_off_path(target).exists():
        WriteFile(target, None, text_of(program_of()), 0o755).apply()


def text_of(program: Program) -> bytes:
    return SHEBANG + scripts.block(Kind.FILE, EVENT, program.script, program.python, program.flag)
