"""`git cm gc`: drop what nothing needs."""

from __future__ import annotations

import click

from cmgit.cli.building import megabytes
from cmgit.cli.options import json_option
from cmgit.cli.output import counted, note, pending_json, print_json, print_text
from cmgit.cli.session import open_session
from cmgit.core.records import Pending


@click.command(name="gc")
@json_option
def command(as_json: bool) -> None:
    """Remove snapshots that nothing needs: checked-out trees, branch tips and the newest few stay, and so does
    everything that a reader holds."""
    from cmgit.index.retention import collect_garbage

    session = open_session()
    removed = collect_garbage(session.location, session.config, None)
    if as_json:
        print_json(
            {
                "removed": list(removed.files),
                "bytes": removed.bytes,
                "busy": removed.busy,
                "pending": pending_json(Pending()),
            }
        )
        return
    print_text(f"{counted(len(removed.files), 'file')} removed, {megabytes(removed.bytes)}")
    if removed.busy:
        note("a build is running: run it again later")
