"""The tree that a commit in the making will have, without touching the repository.

`git write-tree` locks and rewrites the index that it reads and writes tree objects. So it works on a copy of the
index, writes into a folder of its own, and finds everything else in the repository's objects as alternates. Seen to
give the committed tree for plain `git commit`, `-a`, `-p` and `-- PATH` (entireio/cli#2330).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cmgit.git.plumbing import run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

# The copy is written whole: a split index would put its shared part into the git directory. Objects that a partial
# clone lacks are not asked for.
_WRITE_TREE = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "write-tree", "--missing-ok")


def write_tree_aside(location: Location, index_copy: str, objects_dir: str) -> str:
    """The tree of an index.

    Args:
        index_copy: a copy that may be locked and rewritten.
        objects_dir: an existing folder that takes the new tree objects; pass it to `open_objects`.

    Raises:
        GitFailed: the index is unmerged or damaged.
    """
    env = {
        "GIT_INDEX_FILE": str(Path(index_copy).absolute()),
        "GIT_OBJECT_DIRECTORY": str(Path(objects_dir).absolute()),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(str(Path(location.common_dir) / "objects")),
    }
    return run_git(location, _WRITE_TREE, env=env).decode().strip()


def quoted(folder: str) -> str:
    """A folder in a list of alternates, where a separator or a leading quote has to be quoted."""
    if os.pathsep not in folder and not folder.startswith('"'):
        return folder
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'
