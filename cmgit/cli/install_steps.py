"""What `install` and `uninstall` do for each client, worked out before anything is shown or changed. Reads the
environment so that nobody else does."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cmgit.cli.session import open_session
from cmgit.core.errors import CmgitError, NotARepository, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cmgit.agents.changes import Change
    from cmgit.agents.setup import Places
    from cmgit.git.locate import Location

VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "DSH_HOME", "OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME",
)  # fmt: skip
"""What moves a client's settings."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is done for one client. after: what the person has to know or do then."""

    client: str
    scope: str
    changes: list[Change]
    after: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for. undo: take it away."""

    scope: str | None
    server: bool | None
    skill: bool | None
    retention: str | None = None
    undo: bool = False


IDLE_HOOKS = (
    "a bare repository without worktrees: nobody commits in it, so these hooks run only for commands that name a work "
    "tree (--work-tree). After a push, let its post-receive hook run `git-cm index --rev BRANCH`"
)


def step_of(name: str, wanted: Wanted) -> Step:
    """What a client takes. Raises: CmgitError."""
    if name == "git":
        return git_step(wanted)
    if name == "pre-commit":
        return pre_commit_step(wanted)
    return agent_step(name, wanted)


def git_step(wanted: Wanted) -> Step:
    from cmgit.agents.git_hooks import install_changes, is_idle, this_program, uninstall_changes
    from cmgit.git.hooks import read_hook_settings

    location = open_session().location
    settings, user = read_hook_settings(location), wanted.scope == "user"
    changes = (
        uninstall_changes(location, settings, user=user)
        if wanted.undo
        else install_changes(location, settings, this_program(), user=user)
    )
    idle = not user and not wanted.undo and is_idle(location)
    return Step("git", wanted.scope or "project", changes, [IDLE_HOOKS] if idle else [])


def pre_commit_step(wanted: Wanted) -> Step:
    from cmgit.agents import pre_commit

    top = project_folder(open_session().location, wanted.scope)
    if wanted.undo:
        return Step("pre-commit", "project", pre_commit.uninstall_changes(top))
    return Step(
        "pre-commit", "project", pre_commit.install_changes(top), [f"then run:  {pre_commit.activate_command()}"]
    )


def agent_step(name: str, wanted: Wanted) -> Step:
    from pathlib import Path

    from cmgit.agents import setups, wiring
    from cmgit.agents.setup import Scope

    client, known = setups.client_named(name), places()
    top: Path | None = None
    if wanted.scope == "project":
        location = open_session().location
        if location.top is None:
            raise CmgitError("a bare repository has no settings of its own for a client", "use --scope user")
        top = Path(location.top)
    scope = Scope(known, top)
    if wanted.undo:
        pieces = client.all_pieces(scope, server=True, skill=True)
        kept = setups.lasting_folders(known) if top is None else (top,)
        return Step(
            name,
            wanted.scope or "user",
            wiring.uninstall_changes(pieces, kept) + undo_retention(name, known),
        )
    server = client.needs_server if wanted.server is None else wanted.server
    skill = has_notes() if wanted.skill is None else wanted.skill
    pieces = client.all_pieces(scope, server=server, skill=skill)
    if top is not None:
        wiring.check_inside(pieces, top)
    changes = wiring.install_changes(pieces)
    after = list(client.after) if changes else []
    if name == "dsh":
        from cmgit.agents import retention

        more, told = retention.install_changes(setups.dsh_folder(known), wanted.retention)
        changes, after = changes + more, [*after, *told]
    elif wanted.retention is not None:
        raise UsageError(f"--cache-retention is for dsh, not for {name}")
    return Step(name, wanted.scope or "user", changes, after)


def undo_retention(name: str, known: Places) -> list[Change]:
    if name != "dsh":
        return []
    from cmgit.agents import retention, setups

    return retention.uninstall_changes(setups.dsh_folder(known))


def project_folder(location: Location, scope: str | None) -> Path:
    from pathlib import Path

    if scope == "user":
        raise UsageError("the pre-commit framework has no settings for all repositories", "leave --scope out")
    if location.top is None:
        raise CmgitError("a bare repository has no .pre-commit-config.yaml", "run this in a clone with a working tree")
    return Path(location.top)


def places() -> Places:
    """What the installation of clients depends on, from the environment."""
    from pathlib import Path

    from cmgit.agents import setups
    from cmgit.agents.program import hook_script
    from cmgit.agents.setup import Places

    script = hook_script()
    if script is None:
        raise CmgitError("the files of this installation are not complete", "install cmgit again")
    commands = {command for client in setups.CLIENTS for command in client.commands}
    return Places(
        home=Path(os.path.expanduser("~")),  # noqa: PTH111
        env={name: os.environ[name] for name in VARIABLES if os.environ.get(name)},
        hook=own_program("cm-hook"),
        tool=own_program("git-cm"),
        plugins=Path(script).parent,
        found=frozenset(name for name in commands if shutil.which(name)),
        mac=sys.platform == "darwin",
    )


def own_program(name: str) -> str:
    """The absolute path of a script of this installation: the one on the search path where it is ours, because pipx and
    uv keep that name while what it points to moves with each upgrade of Python."""
    beside = os.path.join(os.path.dirname(sys.executable), name)  # noqa: PTH118, PTH120
    on_path = shutil.which(name)
    if on_path is not None and (not os.path.exists(beside) or os.path.samefile(on_path, beside)):  # noqa: PTH110, PTH121
        return os.path.abspath(on_path)  # noqa: PTH100
    if not os.path.exists(beside):  # noqa: PTH110
        raise CmgitError(f"{name} of this installation is not found", "put it on the PATH, or install cmgit again")
    return beside


def has_notes() -> bool:
    """Whether this repository keeps notes."""
    try:
        top = open_session().location.top
    except NotARepository:
        return False
    return top is not None and os.path.isdir(os.path.join(top, ".memory"))  # noqa: PTH112, PTH118


def found_clients(known: Places) -> list[str]:
    """git, where there is a repository, and the clients of this machine."""
    from cmgit.agents import setups

    names = [client.name for client in setups.CLIENTS if client.is_there(known)]
    try:
        open_session()
    except NotARepository:
        return names
    return ["git", *names]
