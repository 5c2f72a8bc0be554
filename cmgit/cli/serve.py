"""`git cm serve`: the resident reader, in the foreground or the background."""

from __future__ import annotations

import time

import click

from cmgit.cli.options import json_option
from cmgit.cli.output import counted, note, one_line, pending_json, print_json, print_text
from cmgit.core.errors import CmgitError
from cmgit.core.records import Pending

START_SECONDS = 10.0
ASK_SECONDS = 2.0


@click.command(name="serve")
@click.option("--background", is_flag=True, help="Start it apart from this terminal and return when it listens.")
@click.option("--stop", is_flag=True, help="Ask the running one to leave.")
@click.option("--status", is_flag=True, help="Tell whether one runs, and what it holds.")
@click.option(
    "--idle", type=click.IntRange(1), default=900, show_default=True, help="Seconds without a question, then it leaves."
)
@json_option
def command(background: bool, stop: bool, status: bool, idle: int, as_json: bool) -> None:
    """Keep this worktree's view and the model in memory, and answer hooks and commands over a private socket.

    One runs for each worktree. It leaves by itself: after 15 idle minutes, when the repository is removed, when cmgit
    is upgraded.
    """
    from cmgit.cli.session import open_session

    if background + stop + status > 1:
        raise click.UsageError("--background, --stop and --status exclude each other")
    location = open_session().location
    if stop:
        shown = stop_reader(location.git_dir)
    elif status:
        shown = reader_state(location.git_dir)
    elif background:
        from cmgit.cli.runtime import start_reader

        if location.top is None:
            raise CmgitError("a bare repository has no working tree", "the reader serves worktrees")
        start_reader(location)
        shown = wait_for_reader(location.git_dir)
    else:
        from cmgit.cli.reader import run_reader

        reason = run_reader(location, idle, lambda path: note(f"listening at {one_line(path)}; end it with Ctrl-C"))
        if reason is None:
            raise CmgitError("a reader serves this worktree already", "`git cm serve --status` tells about it")
        shown = {"running": False, "left": reason}
    if as_json:
        print_json({**shown, "pending": pending_json(Pending())})
    else:
        print_text(sentence(shown))


def reader_state(git_dir: str) -> dict[str, object]:
    """What the running reader says of itself; `running` alone where there is none."""
    from cmgit.cli.runtime import runtime_dir, version
    from cmgit.view.resident import ask, socket_path

    path = socket_path(git_dir, runtime_dir())
    told = ask(path, {"op": "ping"}, ASK_SECONDS)
    if told is None:
        return {"running": False, "socket": path}
    ours = told.pop("version", None) == version()
    return {"running": True, "socket": path, "same_installation": ours, **told}


def stop_reader(git_dir: str) -> dict[str, object]:
    from cmgit.cli.runtime import is_taken, runtime_dir
    from cmgit.view.resident import ask, socket_path

    path = socket_path(git_dir, runtime_dir())
    stopped = ask(path, {"op": "stop"}, ASK_SECONDS) is not None
    end = time.monotonic() + ASK_SECONDS
    while stopped and is_taken(path) and time.monotonic() < end:
        time.sleep(0.02)
    return {"running": False, "stopped": stopped}


def wait_for_reader(git_dir: str) -> dict[str, object]:
    from cmgit.cli.runtime import serve_wanted

    if not serve_wanted():
        raise CmgitError("CMGIT_SERVE=off keeps the reader out", "unset it")
    end = time.monotonic() + START_SECONDS
    while True:
        shown = reader_state(git_dir)
        if shown["running"] or time.monotonic() > end:
            break
        time.sleep(0.05)
    if not shown["running"]:
        raise CmgitError("the reader did not start", "`git cm serve` in the foreground says why")
    return shown


def sentence(shown: dict[str, object]) -> str:
    if not shown["running"]:
        if "left" in shown:
            return f"The reader left: {shown['left']}."
        if shown.get("stopped"):
            return "The reader was stopped."
        return "No reader runs for this worktree; prompts are answered without one."
    view, memory = shown.get("view"), shown.get("memory_bytes")
    held = "still opening the index"
    if isinstance(view, dict):
        held = f"{counted(view['files'], 'file')}, {counted(view['units'], 'unit')}"
    size = f", {memory // 1_000_000} MB" if isinstance(memory, int) and memory else ""
    other = "" if shown.get("same_installation") else "; it is of another installation or sees other settings"
    return f"A reader runs, process {shown.get('pid')}{size}: {held}, {shown.get('answered')} answered{other}."
