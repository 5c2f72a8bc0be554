"""`git cm install`: put hooks in place, after showing what changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from cmgit.cli.options import json_option
from cmgit.cli.output import note, pending_json, print_json, print_text
from cmgit.cli.session import open_session
from cmgit.core.errors import CmgitError, UsageError
from cmgit.core.records import Pending

if TYPE_CHECKING:
    from pathlib import Path

    from cmgit.agents.changes import Change
    from cmgit.git.locate import Location

CLIENTS = ("git", "pre-commit")

scope_option = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    default="project",
    show_default=True,
    help="This repository, or all of yours (git 2.54 or newer; acts where there is an index).",
)
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")
client_argument = click.argument("client", type=click.Choice(CLIENTS), default="git")


@click.command(name="install")
@scope_option
@yes_option
@json_option
@client_argument
def command(scope: str, yes: bool, as_json: bool, client: str) -> None:
    """Wire up git's hooks (CLIENT git) or the pre-commit framework (CLIENT pre-commit), so that a commit is indexed in
    the background. Shows the change and asks; `uninstall` takes back every byte."""
    location = open_session().location
    after = ""
    if client == "git":
        from cmgit.agents.git_hooks import install_changes, this_program
        from cmgit.git.hooks import read_hook_settings

        changes = install_changes(location, read_hook_settings(location), this_program(), user=scope == "user")
    else:
        from cmgit.agents import pre_commit

        top = project_folder(location, scope)
        changes = pre_commit.install_changes(top)
        after = f"then run:  {pre_commit.activate_command()}"
    carry_out(changes, yes=yes, as_json=as_json, client=client, nothing="already in place: nothing to change")
    if after and not as_json:
        note(after)


def project_folder(location: Location, scope: str) -> Path:
    from pathlib import Path

    if scope == "user":
        raise UsageError("the pre-commit framework has no settings for all repositories", "leave --scope out")
    if location.top is None:
        raise CmgitError("a bare repository has no .pre-commit-config.yaml", "run this in a clone with a working tree")
    return Path(location.top)


def carry_out(changes: list[Change], *, yes: bool, as_json: bool, client: str, nothing: str) -> None:
    """Show, ask, do. With --json nothing is asked: without --yes it only shows."""
    from cmgit.agents.changes import apply_all

    shown = [change.describe() for change in changes]
    if as_json:
        if yes:
            apply_all(changes)
        print_json({"client": client, "changes": shown, "applied": yes, "pending": pending_json(Pending())})
        return
    if not changes:
        print_text(nothing)
        return
    for text in shown:
        print_text(text)
    if not yes:
        sys.stdout.flush()
        if not sys.stdin.isatty():
            raise CmgitError("nothing was changed: there is no terminal to ask on", "add --yes to do it")
        if not click.confirm("Do it?", default=True, err=True):
            raise CmgitError("nothing was changed")
    apply_all(changes)
    print_text("done")
