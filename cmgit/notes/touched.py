"""Which anchors a change touched: their text differs between a revision and the view."""

from __future__ import annotations

from cmgit.core.errors import CmgitError
from cmgit.core.records import BlobKey
from cmgit.git.objects import open_objects
from cmgit.git.removals import changed_between
from cmgit.git.revisions import tree_of
from cmgit.notes.anchors import Checker
from cmgit.notes.standing import Standing
from cmgit.notes.texts import rows_by_name, rows_named, unit_hash
from cmgit.notes.uri import Uri

LARGEST = 4_000_000


class Touched:
    """A change from an old revision to what a view shows. new: the view's revision, None for the working tree."""

    def __init__(self, standing: Standing, old: str, new: str | None) -> None:
        location = standing.location
        self._tree = tree_of(location, old)
        target = None if new is None else tree_of(location, new)
        untracked = (change.path for change in standing.changes or ())
        self._paths = {*changed_between(location, self._tree, target), *untracked}
        self._objects = open_objects(location)
        self._before: dict[str, bytes | None] = {}

    def touches(self, checker: Checker, uri: Uri) -> bool:
        if uri.path not in self._paths:
            return False
        if uri.kind == "file":
            return self._data(uri.path) != checker.read(uri.path)
        return self._unit_before(checker, uri) != _unit_now(checker, uri)

    def _data(self, path: str) -> bytes | None:
        if path not in self._before:
            try:
                entry = self._objects.find_entry(self._tree, path)
                self._before[path] = self._objects.read_blob(entry.oid) if entry is not None else None
            except CmgitError:
                self._before[path] = None
        return self._before[path]

    def _unit_before(self, checker: Checker, uri: Uri) -> str:
        from cmgit.index.blobs import process_blob
        from cmgit.languages.table import language_of

        data = self._data(uri.path)
        index = checker.view.file_index(uri.path)
        language = checker.view.places[index].language if index is not None else language_of(uri.path)
        if data is None or language is None:
            return ""
        facts = process_blob(BlobKey("", language), data, LARGEST).facts
        found = rows_named(rows_by_name(facts), uri.name)
        return unit_hash(data, facts, found[1]) if found is not None else ""


def _unit_now(checker: Checker, uri: Uri) -> str:
    file = checker.file(uri.path)
    found = rows_named(file.named, uri.name) if file is not None else None
    return unit_hash(file.data, file.facts, found[1]) if file is not None and found is not None else ""
