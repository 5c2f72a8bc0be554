"""`git cm index`: make sure that a tree's snapshot exists."""

from __future__ import annotations

import click

from cmgit.cli.building import NO_VECTORS, build_tree, describe
from cmgit.cli.options import json_option, no_vectors_option, rev_option
from cmgit.cli.output import note, print_json, print_text
from cmgit.cli.session import open_session


@click.command(name="index")
@rev_option
@no_vectors_option
@json_option
def command(rev: str | None, no_vectors: bool, as_json: bool) -> None:
    """Make sure that the snapshot of HEAD's tree (or of --rev's) exists. Only what is new is parsed and embedded."""
    session = open_session()
    report = build_tree(session, rev, no_vectors=no_vectors)
    vectors = session.config.vectors and not no_vectors
    if as_json:
        print_json(report.as_json())
        return
    print_text(f"tree {report.tree}")
    print_text(describe(report, vectors=vectors))
    if not vectors:
        note(NO_VECTORS)
