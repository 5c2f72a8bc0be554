"""`git cm doctor`: what is wrong and what to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click

from cmgit.cli import checks
from cmgit.cli.checks import Finding
from cmgit.cli.options import json_option
from cmgit.cli.output import pending_json, print_json, print_text
from cmgit.cli.reader_check import check_reader
from cmgit.cli.session import config_from, current_folder
from cmgit.core.config import Config
from cmgit.core.errors import CmgitError
from cmgit.core.records import Pending
from cmgit.git.locate import Location, locate
from cmgit.git.settings import read_settings

MARKS = {"ok": "ok   ", "note": "note ", "wrong": "WRONG"}


@click.command(name="doctor")
@json_option
def command(as_json: bool) -> int:
    """Look at git, the settings, the hooks, the index, the background builds, the resident reader and the model, and
    say what to run where something is wrong. Changes nothing; exit code 1 when something has to be mended."""
    findings = list(examine(current_folder()))
    wrong = any(finding.state == "wrong" for finding in findings)
    if as_json:
        rows = [{"check": f.check, "state": f.state, "message": f.message, "hint": f.hint} for f in findings]
        print_json({"findings": rows, "pending": pending_json(Pending())})
        return int(wrong)
    for finding in findings:
        print_text(f"{MARKS[finding.state]}  {finding.check:<10} {finding.message}")
        if finding.hint:
            print_text(f"{'':<18} → {finding.hint}")
    return int(wrong)


def examine(cwd: str) -> Iterator[Finding]:
    """Every finding, in the order in which they matter. One that cannot be looked at is a finding too."""
    try:
        yield checks.check_git()
        location = locate(cwd)
    except CmgitError as error:
        yield Finding("repository", "wrong", error.message, error.hint)
        return
    yield Finding("repository", "ok", location.top or location.git_dir)
    settings = read_settings(location)
    yield from checks.check_settings(settings, config_from)
    try:
        config = config_from(settings)
    except CmgitError:
        config = Config()
    yield checks.check_folder(location)
    looks: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
        ("hooks", lambda: checks.check_hooks(location)),
        ("index", lambda: index(location, config)),
        ("lock", lambda: checks.check_lock(location)),
        ("builds", lambda: checks.check_jobs(location)),
        ("reader", lambda: check_reader(location)),
    )
    for name, look in looks:
        try:
            yield from look()
        except CmgitError as error:
            yield Finding(name, "wrong", error.message, error.hint)
    yield checks.check_model(config)


def index(location: Location, config: Config) -> Iterator[Finding]:
    from cmgit.git.revisions import head_tree
    from cmgit.index.recipes import current_recipes

    yield from checks.check_store(location, head_tree(location), current_recipes(config).snapshot)
