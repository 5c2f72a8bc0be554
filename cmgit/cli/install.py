"""`git cm install`: put hooks in place, in git and in the agents' clients, after showing what changes."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from cmgit.cli.options import json_option
from cmgit.cli.output import note, pending_json, print_json, print_text
from cmgit.cli.session import open_session
from cmgit.core.errors import CmgitError, NotARepository, UsageError
from cmgit.core.records import Pending

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cmgit.agents.changes import Change
    from cmgit.agents.setups import Places
    from cmgit.git.locate import Location

AGENTS = ("claude", "codex", "dsh", "gemini", "opencode", "cursor", "copilot", "vscode")
NAMES = ("git", "pre-commit", *AGENTS)
VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "DSH_HOME", "OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME",
)  # fmt: skip
"""What moves a client's settings."""

scope_option = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    help="This repository, or all of yours. Without it: git and pre-commit in this repository, agents in your own "
    "settings. (git itself in all of yours needs 2.54, and acts where there is an index.)",
)
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")
mcp_option = click.option(
    "--mcp/--no-mcp",
    "server",
    default=None,
    help="The MCP server too; by itself only where hooks cannot bring context.",
)
skill_option = click.option(
    "--skill/--no-skill", default=None, help="The skill for notes too; by itself only where there is a .memory folder."
)
client_argument = click.argument("clients", metavar="[CLIENT]...", type=click.Choice(NAMES), nargs=-1)


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


@click.command(name="install")
@scope_option
@mcp_option
@skill_option
@click.option(
    "--cache-retention",
    "retention",
    type=click.Choice(["none", "short", "long"]),
    help="For dsh: how long its providers keep what was sent (see docs/clients.md).",
)
@yes_option
@json_option
@client_argument
def command(
    scope: str | None, server: bool | None, skill: bool | None, retention: str | None, yes: bool, as_json: bool,
    clients: tuple[str, ...],
) -> None:  # fmt: skip
    """Wire up git's hooks, the pre-commit framework or an agent, so that commits are indexed in the background and a
    prompt finds its source. CLIENT is git, pre-commit, claude, codex, dsh, gemini, opencode, cursor, copilot or vscode;
    with none it lists what is there and what it would do. Shows the change and asks; `uninstall` takes back every
    byte."""
    wanted = Wanted(scope, server, skill, retention)
    if not clients and not yes:
        list_found(wanted, as_json=as_json)
        return
    steps = [step_of(name, wanted) for name in clients or found_clients(places())]
    carry_out(steps, yes=yes, as_json=as_json, nothing="already in place: nothing to change")


def step_of(name: str, wanted: Wanted) -> Step:
    """What a client takes. Raises: CmgitError."""
    if name == "git":
        return git_step(wanted)
    if name == "pre-commit":
        return pre_commit_step(wanted)
    return agent_step(name, wanted)


def git_step(wanted: Wanted) -> Step:
    from cmgit.agents.git_hooks import install_changes, this_program, uninstall_changes
    from cmgit.git.hooks import read_hook_settings

    location = open_session().location
    settings, user = read_hook_settings(location), wanted.scope == "user"
    changes = (
        uninstall_changes(location, settings, user=user)
        if wanted.undo
        else install_changes(location, settings, this_program(), user=user)
    )
    return Step("git", wanted.scope or "project", changes)


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

    client, known = setups.client_named(name), places()
    top: Path | None = None
    if wanted.scope == "project":
        location = open_session().location
        if location.top is None:
            raise CmgitError("a bare repository has no settings of its own for a client", "use --scope user")
        top = Path(location.top)
    scope = setups.Scope(known, top)
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

    script = hook_script()
    if script is None:
        raise CmgitError("the files of this installation are not complete", "install cmgit again")
    commands = {command for client in setups.CLIENTS for command in client.commands}
    return setups.Places(
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


def list_found(wanted: Wanted, *, as_json: bool) -> None:
    """What is there and what would be done; nothing is changed."""
    found = found_clients(places())
    steps: list[Step] = []
    refused: dict[str, str] = {}
    for name in found:
        try:
            steps.append(step_of(name, wanted))
        except CmgitError as error:
            refused[name] = f"{error.message} ({error.hint})" if error.hint else error.message
    if as_json:
        print_json({**document(steps, applied=False), "found": found, "refused": refused})
        return
    for name in found:
        if name in refused:
            print_text(f"{name}: {refused[name]}")
    for step in steps:
        print_text(f"{step.client} ({step.scope}): " + ("would" if step.changes else "in place"))
        for change in step.changes:
            print_text("  " + change.describe().replace("\n", "\n  "))
    rest = [name for name in AGENTS if name not in found]
    print_text(f"not found here: {', '.join(rest)}" if rest else "every client that cmgit knows is here")
    if any(step.changes for step in steps):
        print_text("name the ones to install (`git cm install claude`), or add --yes for all of them")


def document(steps: Sequence[Step], *, applied: bool) -> dict[str, object]:
    shown = [
        {"client": s.client, "scope": s.scope, "changes": [c.describe() for c in s.changes], "after": s.after}
        for s in steps
    ]
    changes = [change.describe() for step in steps for change in step.changes]
    one = steps[0].client if len(steps) == 1 else None
    return {"client": one, "clients": shown, "changes": changes, "applied": applied, "pending": pending_json(Pending())}


def carry_out(steps: Sequence[Step], *, yes: bool, as_json: bool, nothing: str) -> None:
    """Show, ask, do. With --json nothing is asked: without --yes it only shows."""
    from cmgit.agents.changes import apply_all

    # Two clients may share a file.
    changes = list(dict.fromkeys(change for step in steps for change in step.changes))
    if as_json:
        if yes:
            apply_all(changes)
        print_json(document(steps, applied=yes))
        return
    if changes:
        ask_and_apply(changes, yes=yes)
    else:
        print_text(nothing)
    for step in steps:
        for text in step.after:
            note(text if len(steps) == 1 else f"{step.client}: {text}")


def ask_and_apply(changes: Sequence[Change], *, yes: bool) -> None:
    from cmgit.agents.changes import apply_all

    for change in changes:
        print_text(change.describe())
    if not yes:
        sys.stdout.flush()
        if not sys.stdin.isatty():
            raise CmgitError("nothing was changed: there is no terminal to ask on", "add --yes to do it")
        if not click.confirm("Do it?", default=True, err=True):
            raise CmgitError("nothing was changed")
    apply_all(changes)
    print_text("done")
