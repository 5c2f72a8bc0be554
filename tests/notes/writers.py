"""A writer in a process of its own: by the commands or by the tools, until the time is up.

    python writers.py cli|process|mcp FOLDER SHARED-ID NAME SECONDS

It prints one JSON line for each thing that it was told is written.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from cmgit.cli.boundary import run_guarded
from cmgit.cli.main import cli
from cmgit.notes.write import NoteChanged


def tell(**what: object) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def by_command(*args: str) -> dict[str, Any]:
    """A command in this process, through its own boundary; its JSON."""
    import io

    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        code = run_guarded(lambda: cli.main(args=list(args), prog_name="git-cm", standalone_mode=False))
        answer = sys.stdout.getvalue()
    finally:
        sys.stdout = out
    assert code == 0, args
    found = json.loads(answer)
    assert isinstance(found, dict)
    return found


def by_process(*args: str) -> dict[str, Any]:
    """The same by a process of its own."""
    import subprocess

    argv = [str(Path(sys.executable).with_name("git-cm")), *args]
    found = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout)
    assert isinstance(found, dict)
    return found


def with_commands(shared: str, name: str, end: float, *, apart: bool) -> None:
    run = by_process if apart else by_command
    count = 0
    while time.monotonic() < end:
        count += 1
        made = run(
            "note", "create", "--summary", f"By {name}", "--body", f"{name}-{count}", "--core", "file:a.ts", "--json"
        )
        tell(made=made["id"], text=f"{name}-{count}")
        line = f"line {name}-{count}."
        run("note", "edit", shared, "--append", line, "--json")
        tell(appended=line)
        run("note", "edit", shared, "--incidental", f"symbol:a.ts::{name}.m{count}", "--json")
        tell(anchor=f"symbol:a.ts::{name}.m{count}")


def with_tools(folder: str, shared: str, name: str, end: float) -> None:
    from tests.notes.test_tools import tools_for

    tools = tools_for(Path(folder))
    count = 0
    while time.monotonic() < end:
        count += 1
        anchors = [{"uri": "file:a.ts", "weight": "core"}]
        made = tools["create_note"].call({"summary": f"By {name}", "body": f"{name}-{count}", "anchors": anchors})
        tell(made=made["id"], text=f"{name}-{count}")
        line = f"line {name}-{count}."
        while True:  # read, change, write; what somebody else wrote meanwhile is read again
            (shown,) = tools["get_notes"].call({"ids": [shared]})["notes"]  # type: ignore[misc]
            body = shown["body"].rstrip("\n") + f"\n\n{line}\n"
            try:
                answer = tools["update_note"].call({"id": shared, "version": shown["version"], "body": body})
            except NoteChanged:
                continue
            if not answer.get("conflict"):
                break
            if time.monotonic() > end + 20:
                return
        tell(appended=line)


if __name__ == "__main__":
    how, folder, shared, name, seconds = sys.argv[1:]
    os.chdir(folder)
    if how == "mcp":
        import tests.notes.test_tools  # noqa: F401 - what is loaded once does not count
    by_command("note", "show", shared, "--json")
    until = time.monotonic() + float(seconds)
    if how == "mcp":
        with_tools(folder, shared, name, until)
    else:
        with_commands(shared, name, until, apart=how == "process")
