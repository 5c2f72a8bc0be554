"""Where a view's history comes from: the file that a build kept, else git, when it is first asked for."""

from __future__ import annotations

from typing import Protocol

from cmgit.core.errors import CmgitError
from cmgit.core.history import History
from cmgit.core.record import record
from cmgit.git.locate import Location


class Past(Protocol):
    """Gives a view its history."""

    @property
    def is_short(self) -> bool:
        """The last `complete` gave nothing because there was no time."""
        ...

    def complete(self) -> History | None: ...


@record
class PastSupply:
    """rev: whose ancestors are meant. tree: what that revision must still have, for HEAD may move. make: read git where
    no build has kept it, which takes a second or two. commit: the one that has this tree, where that is known already:
    git is not asked."""

    location: Location
    rev: str
    tree: str
    make: bool = True
    commit: str = ""

    @property
    def is_short(self) -> bool:
        return False

    def complete(self) -> History | None:
        """None for a tree without a commit, and where git cannot tell (an unborn branch, a partial clone)."""
        from cmgit.index.history import history_at

        if self.commit:
            return history_at(self.location, self.commit, make=self.make)
        from cmgit.git.past import commit_of

        try:
            named = commit_of(self.location, self.rev)
        except CmgitError:
            return None
        if named is None or named.tree != self.tree:
            return None
        return history_at(self.location, named.oid, make=self.make)
