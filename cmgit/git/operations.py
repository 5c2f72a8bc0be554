"""Whether a command that moves HEAD step by step is under way in a worktree."""

from __future__ import annotations

import os

_STATES = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase or am"),
    ("sequencer", "cherry-pick or revert"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("MERGE_HEAD", "merge"),
    ("BISECT_LOG", "bisect"),
)


def operation_in_progress(git_dir: str) -> str | None:
    """What is under way in the worktree with this git directory, None when nothing is. Starts no process."""
    for name, operation in _STATES:
        if os.path.lexists(os.path.join(git_dir, name)):  # noqa: PTH118 - asked ten times a second
            return operation
    return None
