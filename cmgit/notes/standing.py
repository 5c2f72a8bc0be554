"""Where notes are read, and whether there can be any. Light: who finds none loads nothing else of this folder."""

# pathlib costs 5 ms of a cold start:
# ruff: noqa: PTH110, PTH112, PTH118
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cmgit.core.record import record
from cmgit.notes.model import FOLDER

if TYPE_CHECKING:
    from cmgit.core.records import Change
    from cmgit.git.locate import Location


@record
class Standing:
    """tree: "" on an unborn branch. changes: the working tree against that tree, None for the tree itself."""

    location: Location
    tree: str
    changes: tuple[Change, ...] | None


def may_have_notes(location: Location, changes: Sequence[Change] | None) -> bool:
    """Whether to look: a folder on disk, or a sparse checkout that may keep it off. A tree has to be asked."""
    if changes is None:
        return True
    if location.top is None:
        return False
    sparse = os.path.join(location.git_dir, "info", "sparse-checkout")
    return os.path.isdir(os.path.join(location.top, FOLDER)) or os.path.exists(sparse)
