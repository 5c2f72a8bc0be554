"""Where a view's history comes from: the file that a build kept, else git, when it is first asked for."""

from __future__ import annotations

from typing import Protocol

from cmgit.core.history import History
from cmgit.core.record import record
from cmgit.git.locate import Location


class Past(Protocol):
    """Gives a view its history."""

    @property
    def is_short(self) -> bool:
        """Where the last `complete` gave nothing, that was for want of time."""
        ...

    def complete(self) -> History | None:
        """None where there is none, or no time.

        Raises:
            CmgitError: there is one, and it cannot be read.
        """
        ...


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
        return not self.make and bool(self.commit)

    def complete(self) -> History | None:
        """None for a tree without a commit (an unborn branch), and where none is kept and none shall be made.

        Raises:
            CmgitError: git cannot tell (a partial clone lacks blobs).
        """
        from cmgit.index.history import history_at

        if self.commit:
            return history_at(self.location, self.commit, make=self.make)
        from cmgit.git.past import commit_of

        named = commit_of(self.location, self.rev)
        if named is None or named.tree != self.tree:
            return None
        return history_at(self.location, named.oid, make=self.make)
