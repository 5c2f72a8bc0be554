"""A kept view, and whether it still is the view of what git says now."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from cmgit.core.errors import CmgitError
from cmgit.git.disk import blob_oid, read_file
from cmgit.git.locate import Location
from cmgit.git.plumbing import run_git
from cmgit.serve.sight import Sight
from cmgit.snapshot.manifest import Manifest
from cmgit.view.view import View


@dataclass(frozen=True, slots=True)
class Held:
    """A view, what was seen when it was made, and the snapshot under it. converts: attributes make git call files
    unchanged whose bytes on disk are others, so that git's word is not enough."""

    location: Location
    view: View
    sight: Sight
    base: Manifest | None
    converts: bool = False

    def stands(self, sight: Sight) -> bool:
        """The view is still the one of what was seen, on the snapshot that it would choose."""
        same = self.sight.same_code(sight) and not self._has_newer(sight)
        return same and not (self.converts and self._is_rewritten())

    def _is_rewritten(self) -> bool:
        """Some file's bytes on disk are not those that the view was made of."""
        top = self.location.top
        assert top is not None
        for place in self.view.places:
            data = read_file(top, place.path)
            if data is not None and blob_oid(data, self.location.object_format) != place.oid:
                return True
        return False

    def _has_newer(self, sight: Sight) -> bool:
        """A snapshot was published that this view would rather stand on."""
        if self.sight.snapshots == sight.snapshots:
            return False
        best = max((s for s in sight.snapshots if s.tree == sight.tree), default=None)
        base = self.base
        return base is None or (best is not None and (best.tree, best.generation) != (base.tree, base.generation))

    def differing(self, sight: Sight) -> int:
        """How many files the view shows otherwise than they were seen; at least one."""
        before, now = self.sight.dirty(), sight.dirty()
        paths = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
        if self.sight.tree != sight.tree and self.sight.tree and sight.tree:
            with suppress(CmgitError):
                changed = run_git(
                    self.location, ["diff-tree", "-r", "-z", "--name-only", self.sight.tree, sight.tree]
                ).split(b"\0")
                return len({*paths, *changed[:-1]})
        return max(1, len(paths))
