"""What git itself says about hooks: its version, where it looks for them, which ones its settings name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cmgit.core.records import path_text
from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

CONFIG_HOOKS = (2, 54)
"""The first version that runs `hook.NAME.command`; older ones ignore it silently."""


@dataclass(frozen=True, slots=True)
class ConfiguredHook:
    """`hook.NAME.*`. scope: "local", "global", "system", "worktree" or "command". values: by key, the last one wins."""

    name: str
    scope: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HookSettings:
    """version: of git. folder: where git looks for hook scripts, absolute. path_scope: the scope of core.hooksPath,
    "" where it is not set."""

    version: tuple[int, ...]
    folder: Path
    hooks_path: str
    path_scope: str
    configured: tuple[ConfiguredHook, ...]

    @property
    def runs_configured(self) -> bool:
        return self.version >= CONFIG_HOOKS

    @property
    def version_text(self) -> str:
        return ".".join(map(str, self.version))


def git_version() -> tuple[int, ...]:
    """The numbers of `git version`; what a distribution adds is left out."""
    text = run_git(os.sep, ["version"]).decode("utf-8", "replace")
    found = re.search(r"(\d+(?:\.\d+)*)", text)
    return tuple(int(part) for part in found[1].split(".")) if found else (0,)


def read_hook_settings(location: Location) -> HookSettings:
    """Ask git. The folder need not exist."""
    where: Location | str = location.top or location.git_dir
    answer = run_git(where, ["rev-parse", "--path-format=absolute", "--git-path", "hooks"])
    folder = Path(os.fsdecode(answer.removesuffix(b"\n")))
    said = run_git(where, ["config", "-z", "--show-scope", "--get", "core.hooksPath"], ok=(0, 1))
    scope, _, hooks_path = path_text(said.removesuffix(b"\0")).partition("\0")
    return HookSettings(git_version(), folder, hooks_path, scope, configured_hooks(where))


def configured_hooks(where: Location | str) -> tuple[ConfiguredHook, ...]:
    """All `hook.NAME.KEY` settings, by name and scope, in the order in which they first appear."""
    answer = run_git(where, ["config", "-z", "--show-scope", "--get-regexp", r"^hook\..*\..*$"], ok=(0, 1))
    found: dict[tuple[str, str], dict[str, str]] = {}
    fields = path_text(answer).split("\0")
    for scope, record in zip(fields[0:-1:2], fields[1::2], strict=True):
        key, has_value, value = record.partition("\n")
        name, _, last = key.removeprefix("hook.").rpartition(".")
        found.setdefault((name, scope), {})[last] = value if has_value else "true"
    return tuple(ConfiguredHook(name, scope, values) for (name, scope), values in found.items())


def settings_file(where: Location | str, scope: str) -> Path | None:
    """The file that `git config --SCOPE` writes; None where there is none yet that says anything."""
    answer = run_git(where, ["config", f"--{scope}", "-z", "--show-origin", "--list"], ok=(0, 1, 128))
    kind, _, name = path_text(answer).split("\0", 1)[0].partition(":")
    if kind != "file" or not name:
        return None
    folder = where if isinstance(where, str) else (where.top or where.git_dir)
    return Path(folder) / name


def is_ignored(location: Location, path: Path) -> bool:
    """Whether git ignores a path of the working tree, so that a file there does not show in its status."""
    if location.top is None:
        return True
    done = run_git(location.top, ["check-ignore", "-z", "--stdin"], os.fsencode(path) + b"\0", ok=(0, 1))
    return bool(done)
