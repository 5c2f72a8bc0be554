"""Writing notes: one writer at a time, whole files, and nobody's edit lost.

Programs of ours wait for each other at a lock; editors know no lock, so a file is compared with what was read at the
last moment, and where the system can exchange two names, after it too: what turns out to be another's edit is put back.
A writer that dies leaves the old file or the new one, and its temporary file outside of the working tree.
"""

from __future__ import annotations

import ctypes
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cmgit.core.atomic import TEMP_PREFIX, make_folder, storage_errors, sync_file, sync_folder, temp_name
from cmgit.core.errors import CmgitError
from cmgit.git.disk import blob_oid, read_file
from cmgit.git.locate import Location
from cmgit.git.plumbing import run_git
from cmgit.notes.model import ENTITIES, NOTES, text_of
from cmgit.snapshot.lock import wait_lock

PATIENCE = 60.0  # seconds that a writer waits for the others
PAUSE = 0.005
TRIES = 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = LETTERS + "0123456789"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2

Edit = Callable[[str], str]


class NoteChanged(CmgitError):
    """The note is not what the writer had read. current, proposed: both texts; version: of the current one."""

    def __init__(self, path: str, current: str, version: str, proposed: str) -> None:
        super().__init__(
            f"{path} was changed by somebody else since it was read, and was not overwritten",
            "read it again, join the two, and give the version that you read",
        )
        self.current, self.version, self.proposed = current, version, proposed


@dataclass(frozen=True, slots=True)
class Written:
    path: str
    version: str


@contextmanager
def writing(location: Location) -> Iterator[Path]:
    """Hold the notes of a worktree; gives its top. Waits for other writers.

    Raises:
        CmgitError: a bare repository, `.memory` is a link, or another writer does not end.
    """
    if location.top is None:
        raise CmgitError("a bare repository has no notes to write", "write them in a worktree")
    top = Path(location.top)
    for part in (".memory", ".memory/notes", ENTITIES):
        if os.path.islink(top / part):  # noqa: PTH114
            raise CmgitError(f"{part} is a link", "notes are written only into the repository itself")
    lock = wait_lock(str(_own_folder(location)), "notes", timeout=PATIENCE, pause=PAUSE)
    if lock is None:
        raise CmgitError("another program is writing notes and does not end", "try again")
    with lock:
        _sweep(location, top)
        yield top


def _own_folder(location: Location) -> Path:
    return Path(location.cm_dir) / "notes" / f"write-{location.worktree_id}"


def _sweep(location: Location, top: Path) -> None:
    """What dead writers left: whoever holds the lock is the only living one."""
    for folder in (_own_folder(location), top / NOTES):
        with suppress(OSError):
            for entry in os.scandir(folder):
                if entry.name.startswith(TEMP_PREFIX):
                    Path(entry.path).unlink()


def create_file(
    location: Location, taken: Callable[[str], bool], text_for: Callable[[str], str]
) -> tuple[str, Written]:
    """A note under a new id.

    Args:
        taken: whether an id is in use, on disk or not. text_for: the file's text for an id.

    Returns:
        The id, and what was written.

    Raises:
        CmgitError: git ignores the folder, so that nobody would see the note.
    """
    with writing(location) as top:
        while True:
            ident = new_id()
            path = f"{NOTES}{ident}.md"
            target = top / path
            if taken(ident) or os.path.lexists(target):
                continue
            _refuse_ignored(location, path)
            data = _bytes(text_for(ident))
            with storage_errors(target), _staged(location, target, data) as staged:
                try:
                    os.link(staged, target)
                except FileExistsError:
                    continue
                except OSError:  # a file system without hard links
                    Path(staged).rename(target)
                sync_folder(target.parent)
            return ident, Written(path, blob_oid(data, location.object_format))


def new_id() -> str:
    """Five characters that every reader of YAML takes for text: the first is a letter."""
    while True:
        ident = secrets.choice(LETTERS) + "".join(secrets.choice(DIGITS) for _ in range(4))
        if ident != "false":
            return ident


def change_file(location: Location, path: str, edit: Edit, expected: str | None = None) -> Written:
    """Replace a note or the registry by an edit of what it is now.

    Args:
        edit: from the current text to the new one; called again when an editor was faster.
        expected: the version that the writer has read; None where the edit is right for any.

    Raises:
        NoteChanged: the file is another version than expected; nothing was written.
        CmgitError: it is gone, or the edit refuses.
    """
    with writing(location) as top:
        for _ in range(TRIES):
            before = read_file(str(top), path)
            if before is None:
                if path != ENTITIES:
                    raise CmgitError(f"{path} is not there any more", "`git cm note list` shows what is")
                _refuse_ignored(location, path)
            text = text_of(before or b"")
            version = blob_oid(before or b"", location.object_format)
            after = edit(text)
            if expected is not None and version != expected:
                raise NoteChanged(path, text, version, after)
            data = _bytes(after)
            if before is not None and data == before:
                return Written(path, version)
            if _replace(location, top / path, before, data, path):
                return Written(path, blob_oid(data, location.object_format))
        raise CmgitError(f"{path} keeps changing", "close the program that writes it, and try again")


def delete_file(location: Location, path: str, expected: str | None = None) -> None:
    """Remove a note's file.

    Raises:
        NoteChanged: it is another version than expected. CmgitError: it is not there.
    """
    with writing(location) as top:
        data = read_file(str(top), path)
        if data is None:
            raise CmgitError(f"{path} is not there any more")
        version = blob_oid(data, location.object_format)
        if expected is not None and version != expected:
            raise NoteChanged(path, text_of(data), version, "")
        with storage_errors(top / path):
            (top / path).unlink()
            sync_folder((top / path).parent)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _refuse_ignored(location: Location, path: str) -> None:
    if run_git(location, ["check-ignore", "--no-index", "--", path], ok=(0, 1)):
        raise CmgitError(
            f"git ignores {path}, so no view would show it",
            f"`git check-ignore -v {path}` names the rule; take it away, or add `!.memory/` behind it",
        )


@contextmanager
def _staged(location: Location, target: Path, data: bytes) -> Iterator[str]:
    """A synced file with these bytes beside nobody's work, on the target's own file system; removed at the end."""
    make_folder(target.parent)
    own = _own_folder(location)
    make_folder(own)
    folder = own if own.stat().st_dev == target.parent.stat().st_dev else target.parent
    staged = folder / temp_name()
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        staged.write_bytes(data)
        if mode is not None:
            staged.chmod(mode)
        sync_file(staged)
        yield str(staged)
    finally:
        with suppress(OSError):
            staged.unlink()


def _replace(location: Location, target: Path, before: bytes | None, data: bytes, path: str) -> bool:
    """Give the target these bytes if it still has those; False, with nothing changed, where it has not."""
    assert location.top is not None
    with storage_errors(target), _staged(location, target, data) as staged:
        if before is None:
            try:
                os.link(staged, target)
            except FileExistsError:
                return False
        else:
            if read_file(location.top, path) != before:
                return False
            if not _exchange(staged, str(target)):
                Path(staged).replace(target)
            elif Path(staged).read_bytes() != before:
                _exchange(staged, str(target))  # an editor was faster: its file goes back
                return False
        sync_folder(target.parent)
    return True


def _exchange(first: str, second: str) -> bool:
    """Exchange two names in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done: int = rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), ctypes.c_uint(_RENAME_EXCHANGE))
    return done == 0


def dated(before: str, now: str) -> str:
    """The time of a change, as exact as the note's own dates are."""
    return now[:10] if re.fullmatch(r"\d{4}-\d{2}-\d{2}", before) else now
