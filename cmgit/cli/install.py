"""`git cm install`: put hooks in place, in git and in the agents' clients, after showing what changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from cmgit.cli.install_steps import Step, Wanted, found_clients, places, step_of
from cmgit.cli.options import json_option
from cmgit.cli.output import note, pending_json, print_json, print_text
from cmgit.core.errors import CmgitError
from cmgit.core.records import Pending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cmgit.agents.changes import Change

AGENTS = ("claude", "codex", "dsh", "gemini", "opencode", "cursor", "copilot", "vscode")
NAMES = ("git", "pre-commit", *AGENTS)

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

    if yes:
        apply_all(changes)  # first: whoever reads what is printed may close the pipe
    for change in changes:
        print_text(change.describe())
    if not yes:
        sys.stdout.flush()
        if not sys.stdin.isatty():
            raise CmgitError("nothing was changed: there is no terminal to ask on", "add --yes to do it")
        if not click.confirm("Do it?", default=True, err=True):
            raise CmgitError("nothing was changed", "`git cm install` without a name lists what could be done")
        apply_all(changes)
    print_text("done")
