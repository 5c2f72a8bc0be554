"""Which snapshots stay: the one rule that the builder and `git cm gc` share."""

from __future__ import annotations

from cmgit.core.config import Config
from cmgit.git.locate import Location
from cmgit.git.revisions import branch_tips, worktree_heads
from cmgit.snapshot.collect import Collected, collect
from cmgit.snapshot.lock import BuilderLock


def collect_garbage(location: Location, config: Config, held: BuilderLock | None) -> Collected:
    """Remove manifests and segments beyond the retention.

    Args:
        held: the builder's lock where the caller has it.
    """
    keep = {*worktree_heads(location), *branch_tips(location)}
    return collect(location.cm_dir, keep, newest=config.keep_trees, held=held)
