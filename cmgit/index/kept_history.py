"""The history of HEAD, kept by a build: git reads it while the build links, so that it costs the build little time."""

from __future__ import annotations

import threading
from contextlib import suppress

from cmgit.core.errors import CmgitError
from cmgit.core.history import History
from cmgit.git.locate import Location
from cmgit.git.past import commit_of
from cmgit.index.history import Told, history_at, place_of, read_past
from cmgit.index.tables import TableBlobs
from cmgit.snapshot.manifest import Manifest


class KeptHistory:
    """What the commits before HEAD say, so that no question has to wait for it.

    Part of no snapshot: it is the commit's, and a tree may have several. Nothing here where HEAD is another tree, and
    where git cannot tell: who asks is told.

    Args:
        wanted: False for a build of some revision.
    """

    def __init__(self, location: Location, tree: str, *, wanted: bool) -> None:
        self._location, self._tree, self._wanted = location, tree, wanted
        self._reading: _Reading | None = None

    def begin(self) -> None:
        """git begins to read, where nothing is kept; a thread waits for it."""
        with suppress(CmgitError):
            commit = self._commit()
            if commit is not None and self._reading is None and not place_of(self._location, commit).exists():
                self._reading = _Reading(self._location, commit)

    def keep(self, manifest: Manifest | None = None) -> None:
        """Make sure that the history is kept. manifest: of the tree, where there is one."""
        with suppress(CmgitError):
            self._make(manifest)

    def recent_changes(self) -> dict[str, int]:
        """Path → how many of the commits that count ago it was changed last."""
        recent: dict[str, int] = {}
        with suppress(CmgitError):
            history = self._make(None)
            if history is not None:
                for row, path in zip(history.changed_commit.tolist(), history.changed_path.tolist(), strict=True):
                    name = history.paths[path]
                    recent[name] = min(row, recent.get(name, row))
        return recent

    def _make(self, manifest: Manifest | None) -> History | None:
        commit = self._commit()
        if commit is None:
            return None
        reading = self._reading
        told = reading.told if reading is not None and reading.commit == commit else None
        return history_at(
            self._location, commit, blobs=TableBlobs(manifest.files) if manifest is not None else None, told=told
        )

    def _commit(self) -> str | None:
        commit = commit_of(self._location, "HEAD") if self._wanted else None
        return commit.oid if commit is not None and commit.tree == self._tree else None


class _Reading:
    """A thread that reads the commits before one."""

    def __init__(self, location: Location, commit: str) -> None:
        self.commit = commit
        self._location = location
        self._told: Told | None = None
        self._failed: Exception | None = None
        self._thread = threading.Thread(target=self._read, name="history", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            self._told = read_past(self._location, self.commit)
        except Exception as error:  # raised again for who asks
            self._failed = error

    def told(self) -> Told:
        self._thread.join()
        if self._failed is not None:
            raise self._failed
        assert self._told is not None
        return self._told
