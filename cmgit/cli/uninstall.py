"""`git cm uninstall`: take away what `install` put in place, to the byte."""

from __future__ import annotations

import click

from cmgit.cli.install import carry_out, client_argument, scope_option, yes_option
from cmgit.cli.install_steps import Wanted, step_of
from cmgit.cli.options import json_option


@click.command(name="uninstall")
@scope_option
@yes_option
@json_option
@client_argument
def command(scope: str | None, yes: bool, as_json: bool, clients: tuple[str, ...]) -> None:
    """Take the hooks of each CLIENT away again (without one: git's); what was there before stands as it did. The index
    stays; `rm -r` its cm/ folder to be rid of that too."""
    wanted = Wanted(scope, server=None, skill=None, undo=True)
    steps = [step_of(name, wanted) for name in clients or ("git",)]
    carry_out(steps, yes=yes, as_json=as_json, nothing="nothing of cmgit's stands there")
