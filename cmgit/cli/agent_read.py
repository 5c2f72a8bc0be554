"""The client's own read of a file: what the conversation holds already need not be sent a second time."""

from __future__ import annotations

import os

from cmgit.agents.answer import read_reference
from cmgit.agents.events import Event
from cmgit.agents.session import Session
from cmgit.agents.where import Where
from cmgit.cli.agent_hook import Hook, is_on
from cmgit.core.digests import digest_of

LEAST_BYTES = 400
"""A shorter file costs no more than the reference to it."""
LARGEST_FILE = 4_000_000


def answer_read(hook: Hook, event: Event, where: Where) -> None:
    """Shorten the first read of a file that was shown whole and is the same; note what was read whole."""
    if not event.whole or not event.session:
        return
    session = Session(where.cm_dir, event.client, event.session, event.agent)
    if not session.exists:
        return  # nothing was shown to this conversation
    real = os.path.realpath(event.path)
    path = os.path.relpath(real, where.top).replace(os.sep, "/")
    data = None if path.startswith("../") else read_bytes(real)
    if data is None:
        return
    shown = session.whole(path)
    if not shown or shown != blob_id(data, len(shown)):
        oid = blob_id(data, len(str(session.shown[-1][1])))
        session.note(shown=[[path, oid, 0, len(data), digest_of(data), True]])
        return
    if (path, shown) in session.shortened or len(data) < LEAST_BYTES:
        return
    from cmgit.cli.agent_answer import read_settings  # most reads are not shortened
    from cmgit.cli.agent_git import ask_settings

    settings = read_settings(ask_settings(where.top), hook.settings_left)
    if settings is None or not is_on(settings, "cm.context", True):
        return
    session.note(shortened=[path, shown])
    if hook.send(read_reference(path, shown)):
        hook.log(f"read of {path} shortened by {len(data)} bytes")


def read_bytes(path: str) -> bytes | None:
    """A regular file's bytes, no link followed."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        if os.fstat(fd).st_size > LARGEST_FILE or not os.path.isfile(path):  # noqa: PTH113
            return None
        return file.read()


def blob_id(data: bytes, digits: int) -> str:
    """git's object id, of the kind that has so many digits."""
    import hashlib

    kind = hashlib.sha256 if digits == 64 else hashlib.sha1
    return kind(b"blob %d\0" % len(data) + data).hexdigest()
