"""What the working tree is at this moment, as git says, cheaply enough for every question: two git calls, side by side.

The third that a command needs, the flags of index entries, is asked again only when the index is another one: its last
bytes are a checksum of all of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError
from cmgit.core.records import Change, ChangeKind
from cmgit.git.disk import blob_oid, read_file
from cmgit.git.locate import Location
from cmgit.git.plumbing import GitDone, run_calls
from cmgit.git.revisions import tree_of
from cmgit.git.settings import settings_answer, settings_call
from cmgit.git.worktree import status_answer, status_calls
from cmgit.index.plan import ATTRIBUTES, SHEBANG_BYTES
from cmgit.languages.table import is_config, language_of
from cmgit.snapshot.publish import Published, published

Configure = Callable[[dict[str, str]], Config]
ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Sight:
    """commit, tree: HEAD's, None on an unborn branch. changes: against it. contents: what a view would read of each
    changed path, as an object id, "" where it would not look into it. snapshots: those that are published."""

    config: Config
    commit: str | None
    tree: str | None
    changes: tuple[Change, ...]
    contents: tuple[str, ...]
    snapshots: tuple[Published, ...]

    def same_code(self, other: Sight) -> bool:
        """Both show the same files, with the same past, and are to be read by the same settings."""
        return replace(self, snapshots=()) == replace(other, snapshots=())

    def dirty(self) -> dict[str, str]:
        return {change.path: oid for change, oid in zip(self.changes, self.contents, strict=True)}


class Looker:
    """Looks at one worktree again and again."""

    def __init__(self, location: Location, configure: Configure) -> None:
        self.location, self._configure = location, configure
        self._trees: dict[str, str] = {}
        self._flags: tuple[bytes, GitDone] | None = None
        self._settings: tuple[Mapping[str, str], Config] | None = None

    def look(self) -> Sight:
        """The working tree, its settings and the published snapshots, now.

        Raises:
            CmgitError: the repository is gone or damaged, a setting is wrong.
        """
        for _ in range(ATTEMPTS):
            index = self._index()
            known = self._flags if self._flags is not None and index and self._flags[0] == index else None
            status, flags = status_calls(self.location)
            calls = [status, settings_call(self.location), *(() if known else (flags,))]
            answers = run_calls(calls)
            told = known[1] if known is not None else answers[2]
            commit, changes = status_answer(self.location, [answers[0], told])
            if self._index() != index:
                continue  # the flags may be another index's
            self._flags = (index, told)
            return Sight(
                self._config(settings_answer(answers[1])),
                commit,
                self._tree(commit) if commit is not None else None,
                tuple(changes),
                tuple(map(self._content, changes)),
                tuple(published(self.location.cm_dir)),
            )
        raise CmgitError("git's index keeps changing while it is read", "try again when the running command has ended")

    def _index(self) -> bytes:
        """What tells this state of the index from every other; empty where nothing does (`index.skipHash`)."""
        try:
            with (Path(self.location.git_dir) / "index").open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                digits = 20 if self.location.object_format == "sha1" else 32
                file.seek(max(0, size - digits))
                checksum = file.read()
        except OSError:
            return b""
        return b"%d " % size + checksum if checksum.strip(b"\0") else b""

    def _config(self, settings: dict[str, str]) -> Config:
        if self._settings is None or self._settings[0] != settings:
            self._settings = (settings, self._configure(settings))
        return self._settings[1]

    def _tree(self, commit: str) -> str:
        if commit not in self._trees:
            self._trees = {commit: tree_of(self.location, commit)}
        return self._trees[commit]

    def _content(self, change: Change) -> str:
        top, path = self.location.top, change.path
        assert top is not None
        if change.kind is ChangeKind.DELETED:
            return ""
        name = path.rsplit("/", 1)[-1]
        if not is_config(path) and name != ATTRIBUTES:
            head = read_file(top, path, SHEBANG_BYTES) if "." not in name else None
            if language_of(path, head) is None:
                return ""
        data = read_file(top, path)
        return blob_oid(data, self.location.object_format) if data is not None else change.oid
