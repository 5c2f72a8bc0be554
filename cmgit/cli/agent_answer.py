"""A prompt's context: from the resident reader, or worked out here by a child process before the time is up."""

# ruff: noqa: PTH118
from __future__ import annotations

import os
import time
from contextlib import suppress

from cmgit.agents.answer import MOST_CHARACTERS, compose, files_of, rows_of, summary
from cmgit.agents.events import COMPACT, PROMPT, SESSION_START, Event
from cmgit.agents.gate import bounded, cleaned
from cmgit.agents.session import LONGEST_PROMPT, Session
from cmgit.agents.where import Where
from cmgit.cli import runtime
from cmgit.cli.agent_child import NO_SNAPSHOT, Child
from cmgit.cli.agent_git import AskedGit
from cmgit.cli.agent_hook import ASK_SECONDS, SLOW_SECONDS, Document, Hook, is_on
from cmgit.cli.agent_line import reader_path
from cmgit.view import resident


def answer_event(hook: Hook, event: Event, where: Where, asked: AskedGit) -> None:
    """Say what this event gets, and note and log what it got. asked: git's settings."""
    settings = read_settings(asked, hook.settings_left)
    if settings is None:  # the context may be switched off
        hook.log("nothing: git does not say in time what the settings are")
        return
    hook.settings = settings
    if not is_on(hook.settings, "cm.context", True):
        hook.log("nothing: switched off by cm.context")
        return
    session = Session(where.cm_dir, event.client, event.session, event.agent)
    if event.kind == SESSION_START:
        reader = ", a reader too" if start_reader(where) else ""
        told = hook.send_at_start() if where.is_indexed else False
        hook.log(("told of the tools: " if told else "nothing: ") + "the session starts" + reader)
        return
    prompt = bounded(cleaned(event.prompt)) or session.prompt
    if not prompt:
        hook.log("nothing: no prompt was answered before")
        return
    if not session.first(event.kind, prompt, event.turn):
        hook.log("nothing: another hook answers this event")
        return
    if event.kind == COMPACT:
        session.forget()
    request: Document = {
        "op": "retrieve",
        "prompt": prompt,
        "seen": [row[:5] for row in session.shown],
        "near": where.package,
        "most": MOST_CHARACTERS,
    }
    started = time.monotonic()
    document, from_reader = ask_reader(hook, where, request), True
    if document is None:
        child = hook.child or Child(hook, event.cwd)
        document, from_reader = child.ask(settings, request), False
    slow = not from_reader and time.monotonic() - started > SLOW_SECONDS
    said = say(hook, session, document, prompt)
    if slow and start_reader(where):
        said += "; a reader was started"
    if is_behind(where, document):
        said += "; a build was asked for" if ask_for_build(where) else ""
    hook.log(f"{said} ({'reader' if from_reader else 'cold'})")


def say(hook: Hook, session: Session, document: Document | None, prompt: str) -> str:
    """Print the document's text for the client and note what it shows; what was done, for the log."""
    if document is None:
        return "nothing: no answer in time"
    failed, text, quiet = document.get("failed"), document.get("text"), document.get("silence")
    if isinstance(failed, str):
        return f"nothing: {failed}"
    rows, again = rows_of(document.get("items")), document.get("again")
    if quiet and isinstance(quiet, str):
        return f"nothing: {quiet}"
    if not isinstance(text, str) or not (rows or again):
        return "nothing: nothing was found"
    if hook.event is not None and hook.where is not None:
        hook.event.files = files_of(rows, hook.where.top)
    if not hook.send(compose(text, greeted=session.greeted)):
        return "nothing: the answer could not be given"
    assert hook.event is not None
    kept = {"prompt": prompt[:LONGEST_PROMPT]} if hook.event.kind == PROMPT else {}
    session.note(shown=rows, greeted=True, **kept)
    return summary(document)


def read_settings(asked: AskedGit, seconds: float) -> dict[str, str] | None:
    """`git config cm.*`, as `ask_settings` asked; None where git does not answer in time."""
    answer = asked.answer(seconds)
    if answer is None:
        return None
    settings: dict[str, str] = {}
    for record in filter(None, answer[1].split(b"\0")):
        key, found, value = record.decode("utf-8", "surrogateescape").partition("\n")
        settings[key] = value if found else "true"
    return settings


def ask_reader(hook: Hook, where: Where, request: Document) -> Document | None:
    """The resident reader's answer; None where there is none."""
    if hook.line is None:
        return None
    path, seconds = reader_path(where), min(hook.left, ASK_SECONDS)
    return resident.ask(path, {**request, "version": runtime.version(), "deadline": seconds * 0.8}, seconds, hook.line)


def start_reader(where: Where) -> bool:
    """Start the reader of an indexed repository, unless one runs."""
    return where.is_indexed and runtime.start_reader(where)


def is_behind(where: Where, document: Document | None) -> bool:
    """Whether the tree that was asked about has no snapshot of its own yet, or one without its vectors."""
    if document is None:
        return not os.path.isdir(os.path.join(where.cm_dir, "trees"))  # noqa: PTH112
    if document.get("failed") == NO_SNAPSHOT or document.get("unmade"):
        return True
    tree = document.get("tree")
    if not isinstance(tree, str) or not tree:
        return False
    try:
        published = os.listdir(os.path.join(where.cm_dir, "trees"))  # noqa: PTH208
    except OSError:
        return True
    return not any(name.startswith(tree) for name in published)


def ask_for_build(where: Where) -> bool:
    """Leave a request for HEAD's snapshot in the queue of git's hooks, and see to it that somebody serves it."""
    from cmgit.agents.program import hook_script, interpreter
    from cmgit.git.process import git_environment

    script = hook_script()
    if script is None or not hasattr(os, "posix_spawn"):
        return False
    environment = {**git_environment(), "GIT_DIR": where.git_dir}
    with suppress(OSError):
        os.makedirs(where.cm_dir, exist_ok=True)  # noqa: PTH103 - the log has its place there
        os.posix_spawn("/bin/sh", ["sh", script, *interpreter(), "prompt"], environment)
        return True
    return False
