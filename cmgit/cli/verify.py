"""`git cm verify`: every checksum and count of the index."""

from __future__ import annotations

import click

from cmgit.cli.building import megabytes
from cmgit.cli.options import json_option
from cmgit.cli.output import counted, pending_json, print_json, print_text
from cmgit.cli.session import open_session
from cmgit.core.errors import CmgitError
from cmgit.core.records import Pending


@click.command(name="verify")
@json_option
def command(as_json: bool) -> int:
    """Read every manifest and segment and check checksums, rows and counts. Writes nothing; exit code 1 on a fault."""
    from cmgit.snapshot.verify import verify

    session = open_session()
    report = verify(session.location.cm_dir)
    if as_json:
        print_json(
            {
                "manifests": report.manifests,
                "segments": report.segments,
                "bytes": report.bytes,
                "faults": [{"file": fault.file, "what": fault.what} for fault in report.faults],
                "unreferenced": list(report.unreferenced),
                "pending": pending_json(Pending()),
            }
        )
        return 1 if report.faults else 0
    checked = (
        f"{counted(report.manifests, 'manifest')} and {counted(report.segments, 'segment')}, {megabytes(report.bytes)}"
    )
    if report.faults:
        for fault in report.faults:
            print_text(f"{fault.file}: {fault.what}")
        raise CmgitError(
            f"{len(report.faults)} faults in {checked}",
            "`git cm gc` removes what is damaged and `git cm index` makes it anew; no answer is made from damaged rows",
        )
    print_text(f"{checked}: all whole")
    if report.unreferenced:
        print_text(f"{len(report.unreferenced)} files that no manifest names (`git cm gc` removes them)")
    return 0
