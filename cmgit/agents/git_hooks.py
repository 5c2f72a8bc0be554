"""git's hooks: settings where git runs hooks from its settings (2.54 and newer), scripts elsewhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cmgit.agents import hook_scripts as scripts
from cmgit.agents.changes import Change, CutNewline, MoveFile, RemoveFile, RemoveSection, SetConfig, WriteFile, content
from cmgit.agents.hook_scripts import CHAINED_SUFFIX, SHEBANG, Kind, Program
from cmgit.agents.linked_hook import EVENT as LINKED_EVENT
from cmgit.agents.linked_hook import can_be_linked, install_link, is_ours, remove_link
from cmgit.agents.program import hook_script, interpreter
from cmgit.core.atomic import printable
from cmgit.core.errors import CmgitError
from cmgit.git.hooks import HookSettings, is_ignored, settings_file
from cmgit.git.locate import Location

EVENTS = ("post-commit", "post-checkout", "post-merge", "post-rewrite", "pre-commit")
NAME = "cm-"
"""`hook.cm-EVENT.*`: a name must not be that of an event."""

SIZE = "sizebefore"
"""Of the settings file when it had no newline at its end: git adds one, and uninstalling takes it away again."""

MOVED_BY_OTHERS = ("", ".legacy", ".old")
"""What pre-commit and lefthook call a script that they replace by theirs."""


def this_program() -> Program:
    """Raises: CmgitError where the installation is not whole."""
    script = hook_script()
    if script is None:
        raise CmgitError("the hook script of this installation is missing", "install cmgit again")
    return Program(script, *interpreter())


def install_changes(
    location: Location, settings: HookSettings, program: Program, *, user: bool = False
) -> list[Change]:
    """What has to be changed so that the hooks stand; empty where they stand already.

    Args:
        user: for all repositories of the user, in `git config --global`; they act where there is an index.

    Raises:
        CmgitError: the place for scripts is not this repository's own.
    """
    linked = not user and can_be_linked(location.common_dir, settings.folder)
    if settings.runs_configured:
        return (
            config_changes(location, settings, program, user=user, linked=linked)
            + ([] if user else remove_scripts(location, settings, but_link=linked))
            + (install_link(location.common_dir, program) if linked else [])
        )
    if user:
        raise CmgitError(
            f"git {settings.version_text} runs no hooks from its settings, so there is no place for all repositories",
            "run `git cm install git` in each repository, or use git 2.54 or newer",
        )
    refuse_foreign_folder(location, settings)
    changes = [
        change
        for event in EVENTS
        if not (linked and event == LINKED_EVENT)
        for change in script_changes(settings.folder, event, program)
    ]
    return changes + (install_link(location.common_dir, program) if linked else [])


def is_idle(location: Location) -> bool:
    """Whether hooks run only for who names a work tree: a bare repository without worktrees of its own."""
    return location.bare and not any((Path(location.common_dir) / "worktrees").glob("*"))


def uninstall_changes(location: Location | None, settings: HookSettings, *, user: bool = False) -> list[Change]:
    """What has to be changed so that every byte is as it was; empty where nothing of ours stands."""
    scope = "global" if user else "local"
    where = os.sep if location is None else location.git_dir
    sections: list[Change] = [
        RemoveSection(where, f"--{scope}", f"hook.{hook.name}")
        for hook in settings.configured
        if hook.scope == scope and hook.name in {NAME + event for event in EVENTS}
    ]
    size = next((h.values[SIZE] for h in settings.configured if h.scope == scope and SIZE in h.values), "")
    path = settings_file(location or where, scope) if size.isdigit() else None
    if path is not None:
        sections.append(CutNewline(path, int(size)))
    if user or location is None:
        return sections
    return sections + remove_scripts(location, settings)


def config_changes(
    location: Location, settings: HookSettings, program: Program, *, user: bool, linked: bool
) -> list[Change]:
    scope = "global" if user else "local"
    there = {hook.name: hook.values for hook in settings.configured if hook.scope == scope}
    changes: list[Change] = []
    for event in EVENTS:
        if linked and event == LINKED_EVENT:
            if NAME + event in there:
                changes.append(RemoveSection(location.git_dir, f"--{scope}", f"hook.{NAME}{event}"))
            continue
        command = scripts.config_command(event, program.script, program.python, program.flag, only_indexed=user)
        values = there.get(NAME + event, {})
        for key, value in (("event", event), ("command", command)):
            if values.get(key) != value:
                changes.append(SetConfig(location.git_dir, f"--{scope}", f"hook.{NAME}{event}.{key}", value))
    if changes and not any(name.startswith(NAME) for name in there):
        path = settings_file(location, scope)
        data = content(path) if path is not None else None
        if data and not data.endswith(b"\n"):
            changes.append(SetConfig(location.git_dir, f"--{scope}", f"hook.{NAME}pre-commit.{SIZE}", str(len(data))))
    return changes


def refuse_foreign_folder(location: Location, settings: HookSettings) -> None:
    """A folder that other repositories use too, or whose files git would show as changes, is not ours to write in."""
    if not settings.hooks_path:
        return
    folder = printable(settings.folder)
    if settings.path_scope not in ("local", "worktree"):
        raise not_ours(f"core.hooksPath ({settings.path_scope}) sends all repositories to {folder}", only_indexed=True)
    if settings.folder.exists() and not settings.folder.is_dir():
        raise CmgitError(
            f"core.hooksPath is {settings.hooks_path}, so hooks are switched off", "git 2.54 or newer needs no script"
        )
    if location.top is None:
        return
    top = Path(location.top)
    inside = settings.folder.is_relative_to(top) and not settings.folder.is_relative_to(location.common_dir)
    if inside and not is_ignored(location, settings.folder / "post-commit"):
        raise not_ours(f"the scripts in {folder} belong to the repository's files")
    if not inside and not settings.folder.is_relative_to(location.common_dir):
        raise not_ours(f"core.hooksPath sends this repository to {folder}, outside of it")


def not_ours(message: str, *, only_indexed: bool = False) -> CmgitError:
    """The refusal, with the line that does the same."""
    return CmgitError(
        message,
        f"git 2.54 or newer needs no script; else end the scripts {scripts.names(EVENTS)} there with this line:",
        scripts.line_for_scripts(only_indexed=only_indexed),
    )


def script_changes(folder: Path, event: str, program: Program) -> list[Change]:
    path = folder / event
    lines = {kind: scripts.block(kind, event, program.script, program.python, program.flag) for kind in Kind}
    if not os.path.lexists(path):
        return [WriteFile(path, None, SHEBANG + lines[Kind.FILE], 0o755)]
    data = content(path)
    mode = stat.S_IMODE(path.lstat().st_mode)
    ours = scripts.split_block(data) if data is not None else None
    if data is not None and ours is not None:
        kind, rest = ours
        after = scripts.with_block(rest, lines[kind])
        return [WriteFile(path, data, after, mode)] if after != data else []
    if data is not None and mode & 0o100 and scripts.is_shell_script(data):
        return [WriteFile(path, data, scripts.with_block(data, lines[Kind.BLOCK]), mode)]
    return [
        MoveFile(path, path.with_name(event + CHAINED_SUFFIX)),
        WriteFile(path, None, SHEBANG + lines[Kind.CHAIN] + scripts.chain_tail(), 0o755),
    ]


def remove_scripts(location: Location, settings: HookSettings, *, but_link: bool = False) -> list[Change]:
    """From the folder that git uses now, and from the one that it would use without core.hooksPath.

    Args:
        but_link: leave the link of the post-commit hook where it is.
    """
    changes: list[Change] = []
    for folder in dict.fromkeys([settings.folder, Path(location.common_dir) / "hooks"]):
        for event in EVENTS:
            for suffix in MOVED_BY_OTHERS:
                path = folder / (event + suffix)
                if event == LINKED_EVENT and not but_link:
                    changes += remove_link(path, location.common_dir)
                changes += removal(path, folder / (event + CHAINED_SUFFIX))
    return changes


def removal(path: Path, chained: Path) -> list[Change]:
    data = content(path)
    ours = scripts.split_block(data) if data is not None else None
    if data is None or ours is None:
        return []
    kind, rest = ours
    if kind is Kind.FILE and rest == SHEBANG:
        return [RemoveFile(path, data, prune=True)]
    if kind is Kind.CHAIN and rest == SHEBANG + scripts.chain_tail():
        back: list[Change] = [MoveFile(chained, path)] if os.path.lexists(chained) else []
        return [RemoveFile(path, data), *back]
    return [WriteFile(path, data, rest, stat.S_IMODE(path.stat().st_mode))]


def installed_events(settings: HookSettings) -> dict[str, str]:
    """Where the hook of each event stands: "settings" or the script's path; events without one are left out."""
    found: dict[str, str] = {}
    for event in EVENTS:
        for hook in settings.configured:
            if hook.name == NAME + event and settings.runs_configured and hook.values.get("enabled", "true") != "false":
                found[event] = "settings"
        path = settings.folder / event
        data = content(path)
        if (data is not None and scripts.split_block(data) is not None) or (event == LINKED_EVENT and is_ours(path)):
            found.setdefault(event, printable(path))
    return found
