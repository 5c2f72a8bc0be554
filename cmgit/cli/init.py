"""`git cm init`: the first snapshot."""

from __future__ import annotations

import click

from cmgit.cli.building import NO_VECTORS, build_tree, describe
from cmgit.cli.options import json_option, no_vectors_option
from cmgit.cli.output import note, print_json, print_text
from cmgit.cli.session import open_session


@click.command(name="init")
@no_vectors_option
@json_option
def command(no_vectors: bool, as_json: bool) -> None:
    """Build the first snapshot of this repository, and say what to do with it.

    Everything is written below the git directory, in its cm/ folder, and into the user's cache folder.
    """
    session = open_session()
    report = build_tree(session, None, no_vectors=no_vectors)
    vectors = session.config.vectors and not no_vectors
    if as_json:
        print_json(report.as_json())
        return
    print_text(describe(report, vectors=vectors))
    if not vectors:
        note(NO_VECTORS)
    print_text('\nAsk it:  git cm retrieve "what you are about to do"')
    print_text("A reading command answers for the files as they are, so nothing has to be run after an edit;")
    print_text("`git cm install git` lets git's own hooks keep it quick after each commit (`git cm index` by hand).")
