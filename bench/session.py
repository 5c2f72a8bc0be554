"""A session of a real client with and without cmgit: `python bench/session.py [--repo PATH] [--client NAME …]`.

The clients are the real ones from npm, in homes of their own; so are the repository, the hooks and the edits. The model
is simulated: it says what a script tells it. Without cmgit the script searches, reads the file and edits it. With cmgit
it edits at once where the text that it edits stands in the first request, and where the client's rules allow an edit of
a file that was not read; else it reads first. Counted are requests of the conversation and the bytes of their bodies as
sent: system text and tools of the client are in every one of them. What a provider's cache would save is not counted,
and neither is what a model of flesh would do in another order.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.real.clients import Agent
from tests.real.scripted import DONE, ScriptedModel, Step

EXPRESS = "https://github.com/expressjs/express"
REVISION = "a3714473"


@dataclass(frozen=True)
class Task:
    """prompt: as typed. word: what a search looks for. old, new: the edit."""

    name: str
    prompt: str
    path: str
    word: str
    old: str
    new: str


TASKS = (
    Task(
        "a name", "res.redirect should refuse an address that is not a string instead of warning", "lib/response.js",
        "redirect", "    deprecate('Url must be a string');", "    throw new TypeError('Url must be a string');",
    ),
    Task(
        "words only", "setting a cookie whose max age is no number should throw instead of ignoring it",
        "lib/response.js", "maxAge", "    if (!isNaN(maxAge)) {", "    if (isNaN(maxAge)) throw new TypeError()\n    {",
    ),
    Task(
        "a path", "in lib/view.js the lookup of a view should tell debug how many roots it looks through",
        "lib/view.js", "lookup", "  debug('lookup \"%s\"', name);",
        "  debug('lookup \"%s\" in %d', name, roots.length);",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Count:
    requests: int
    size: int
    first: int


def steps_of(client: str, task: Task, top: Path, kind: str) -> list[Step]:
    """kind: search (look for a word, read, edit), read (read, edit) or edit."""
    absolute = str(top / task.path)
    if client == "claude":
        search: Step = {"tool": "Bash", "input": {"command": f"grep -rn {task.word} lib", "description": "search"}}
        read: Step = {"tool": "Read", "input": {"file_path": absolute}}
        edit: Step = {"tool": "Edit", "input": {"file_path": absolute, "old_string": task.old, "new_string": task.new}}
    elif client == "dsh":
        search = {"tool": "grep", "input": {"pattern": task.word, "path": "lib"}}
        read = {"tool": "read", "input": {"file_path": task.path}}
        edit = {"tool": "edit", "input": {"file_path": task.path, "old_string": task.old, "new_string": task.new}}
    else:
        program = "import sys; p, a, b = sys.argv[1:]; t = open(p).read(); open(p, 'w').write(t.replace(a, b, 1))"
        search = {"tool": "exec_command", "input": {"cmd": f"grep -rn {task.word} lib"}}
        read = {"tool": "exec_command", "input": {"cmd": f"cat {task.path}", "max_output_tokens": 20000}}
        words = [program, task.path, task.old, task.new]
        edit = {"tool": "exec_command", "input": {"cmd": "python3 -c " + " ".join(map(quoted, words))}}
    return {"search": [search, read, edit, DONE], "read": [read, edit, DONE], "edit": [edit, DONE]}[kind]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def play(client: str, task: Task, source: Path, installed: bool, kind: str) -> tuple[Count, bool, bool]:
    """One session in a fresh clone. Gives what it took, whether the edit stands, and whether it was shown its text."""
    with tempfile.TemporaryDirectory() as folder, ScriptedModel(prompt=task.prompt) as model:
        top = Path(folder) / "repo"
        subprocess.run(["git", "clone", "-q", "--shared", str(source), str(top)], check=True)
        subprocess.run(["git", "-C", str(top), "checkout", "-q", "--detach", "HEAD"], check=True)
        agent = Agent(client, Path(folder) / "home", top, model, reader=False)
        if installed:
            agent.cm("index")
            agent.cm("install", client, "--yes")
        model.play(steps_of(client, task, top, kind))
        agent.ask(task.prompt)
        requests = model.of("main")
        count = Count(len(requests), sum(request.size for request in requests), requests[0].size)
        return count, task.new in (top / task.path).read_text(), task.old in requests[0].conversation


def row(client: str, task: Task, source: Path) -> str:
    without, done, _ = play(client, task, source, False, "search")
    assert done, f"{client}: the edit of {task.name} failed without cmgit"
    kind = "edit"
    count, done, shown = play(client, task, source, True, kind)
    if not (shown and done):
        kind = "read" if shown else "search"
        count, done, _ = play(client, task, source, True, kind)
        assert done, f"{client}: the edit of {task.name} failed with cmgit"
    less = 100 - round(100 * count.size / without.size)
    how = {"edit": "edits at once", "read": "reads in short, edits", "search": "searches, reads, edits"}[kind]
    return (
        f"| {client} | {task.name} | {without.requests} | {without.size:,} | {how} | {count.requests} | {count.size:,} "
        f"| {count.first - without.first:+,} | {less} % |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, help=f"a clone of {EXPRESS} at {REVISION}; fetched where it is left out")
    parser.add_argument("--client", action="append", choices=["claude", "codex", "dsh"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = options.repo
        if source is None:
            source = Path(folder) / "express"
            subprocess.run(["git", "clone", "-q", EXPRESS, str(source)], check=True)
            subprocess.run(["git", "-C", str(source), "checkout", "-q", REVISION], check=True)
        print("| client | task given by | requests without | bytes without | with cmgit the script | requests | bytes "
              "| first request | saved |")  # fmt: skip
        print("|---|---|--:|--:|---|--:|--:|--:|--:|")
        for client in options.client or ["claude", "codex", "dsh"]:
            for task in TASKS:
                print(row(client, task, source), flush=True)


if __name__ == "__main__":
    main()
