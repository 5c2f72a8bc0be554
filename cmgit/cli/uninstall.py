"""`git cm uninstall`: take away what `install` put in place, to the byte."""

from __future__ import annotations

import click

from cmgit.cli.install import carry_out, client_argument, project_folder, scope_option, yes_option
from cmgit.cli.options import json_option
from cmgit.cli.session import open_session


@click.command(name="uninstall")
@scope_option
@yes_option
@json_option
@client_argument
def command(scope: str, yes: bool, as_json: bool, client: str) -> None:
    """Take the hooks of CLIENT (git or pre-commit) away again; what was there before stands as it did. The index stays;
    `rm -r` its cm/ folder to be rid of that too."""
    location = open_session().location
    if client == "git":
        from cmgit.agents.git_hooks import uninstall_changes
        from cmgit.git.hooks import read_hook_settings

        changes = uninstall_changes(location, read_hook_settings(location), user=scope == "user")
    else:
        from cmgit.agents import pre_commit

        changes = pre_commit.uninstall_changes(project_folder(location, scope))
    carry_out(changes, yes=yes, as_json=as_json, client=client, nothing="nothing of cmgit's stands there")
