"""From what a user calls a revision to the tree that it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmgit.core.errors import UnknownRevision
from cmgit.git.plumbing import run_git
from cmgit.git.process import GitFailed

if TYPE_CHECKING:
    from cmgit.git.locate import Location


def tree_of(location: Location, rev: str) -> str:
    """The tree of a commit, tag, branch, tree id or any other revision that git understands.

    Raises:
        UnknownRevision: it names nothing, or nothing that has a tree.
    """
    if not rev or "\0" in rev:
        raise UnknownRevision("an empty revision names no tree")
    try:
        # The second form is for `HEAD:folder`, which takes no suffix.
        return _one(location, f"{rev}^{{tree}}") or _one(location, _one(location, rev) + "^{tree}", required=True)
    except GitFailed as error:
        raise UnknownRevision(
            f"the revision {rev!r} names no tree of this repository", "`git log --oneline` lists commits"
        ) from error


def _one(location: Location, rev: str, required: bool = False) -> str:
    """The object that a revision names, "" where there is none and none is required."""
    args = ["rev-parse", "--verify", "--quiet", "--end-of-options", rev]
    answer = run_git(location, args, ok=(0,) if required else (0, 1, 128))
    # Some versions repeat --end-of-options. A range or a negation gives several lines, or one that begins with ^.
    named = [line for line in answer.decode().split() if line != "--end-of-options"]
    if len(named) > 1 or (named and not named[0].isalnum()):
        raise UnknownRevision(f"{rev} names no single commit or tree", "give one commit, tag or tree: HEAD~1, v1.2.0")
    return named[0] if named else ""


def head_tree(location: Location) -> str | None:
    """HEAD's tree; None on an unborn branch."""
    try:
        return tree_of(location, "HEAD")
    except UnknownRevision:
        return None


def branch_tips(location: Location) -> list[str]:
    """Trees of all local branches, the latest commit first, each once."""
    answer = run_git(location, ["for-each-ref", "--sort=-committerdate", "--format=%(tree)", "refs/heads"])
    return list(dict.fromkeys(answer.decode().split()))


def worktree_heads(location: Location) -> list[str]:
    """Trees that the worktrees of this repository have checked out, the main one first, each once.

    A worktree with an unborn branch, or whose commit is gone, has none.
    """
    try:
        answer = run_git(location, ["worktree", "list", "--porcelain", "-z"]).split(b"\0")
    except GitFailed as error:
        if error.code != 129:
            raise
        answer = run_git(location, ["worktree", "list", "--porcelain"]).split(b"\n")  # git before 2.36
    commits = [line[5:] for line in answer if line.startswith(b"HEAD ")]
    asked = b"".join(commit + b"^{tree}\n" for commit in commits)
    if not asked:
        return []
    found = run_git(location, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked)
    trees = [line.split()[0].decode() for line in found.splitlines() if line.endswith(b" tree")]
    return list(dict.fromkeys(trees))
