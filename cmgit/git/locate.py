"""Where a repository is: one call of git, from any folder in or under it.

Discovery is left to git, so that its rules (ceilings, `safe.directory`, `.git` files, bare repositories) hold; no
variable of the environment chooses the repository, only the folder does (j178/prek#2505).
"""

# Bytes paths and descriptors, and pathlib costs 5 ms of a cold start:
# ruff: noqa: PTH118, PTH119, PTH120, PTH123
from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError, NotARepository, ObjectUnreadable
from cmgit.core.record import record
from cmgit.git.plumbing import GitCall, GitDone, failure, place, run_calls, run_git, start_calls
from cmgit.git.process import GitFailed

if TYPE_CHECKING:
    from cmgit.core.records import Change

# In this order: each question may end the answer (no work tree in a bare repository, no commit on an unborn branch),
# and those before it are answered already.
_QUESTIONS = (
    "rev-parse",
    "--path-format=absolute",
    "--is-bare-repository",
    "--is-inside-git-dir",
    "--show-object-format",
    "--git-dir",
    "--git-common-dir",
)
_HEAD = ("HEAD", "HEAD^{tree}")


@record
class Location:
    """One repository as seen from one worktree. Paths are absolute.

    top: root of the worktree, None for a bare repository. git_dir: of this worktree. common_dir: shared by all of
    them. object_format: "sha1" or "sha256".
    """

    top: str | None
    git_dir: str
    common_dir: str
    object_format: str
    bare: bool

    @property
    def cm_dir(self) -> str:
        """Where everything that cmgit keeps lies."""
        return os.path.join(self.common_dir, "cm")

    @property
    def worktree_id(self) -> str:
        """A file name for this worktree, stable while it exists: "main", or "linked-<git's name for it>"."""
        if self.git_dir == self.common_dir:
            return "main"
        return "linked-" + os.path.basename(self.git_dir)


@record
class Probe:
    """A location with what stands there. head_commit, head_tree: None on an unborn branch.

    changes: the working tree against that very tree where asked for, else None; empty in a bare repository.
    """

    location: Location
    head_commit: str | None
    head_tree: str | None
    changes: tuple[Change, ...] | None = None


def locate(cwd: str) -> Location:
    """The repository that `cwd` stands in: a sub-folder, a linked worktree, a bare repository or inside `.git`.

    Raises:
        NotARepository: no repository, or one that git refuses (another owner); the hint is git's own advice.
    """
    (done,) = run_calls([GitCall((*place(cwd), *_QUESTIONS, "--show-toplevel"))])
    return _location(cwd, done)[0]


@record
class Located:
    """A location, and what git said of HEAD at that moment: its commit and its tree, a line for each."""

    location: Location
    head: tuple[str, ...]


def located_call(cwd: str) -> GitCall:
    """The call that `located_answer` reads, for whoever runs it beside others."""
    return GitCall((*place(cwd), *_QUESTIONS, "--show-toplevel", *_HEAD))


def located_answer(cwd: str, done: GitDone) -> Located:
    """Raises: see `locate`."""
    location, head = _location(cwd, done)
    return Located(location, tuple(head))


def probe(cwd: str, with_changes: bool = False, attempts: int = 5) -> Probe:
    """Location, HEAD and (if asked for) the changed paths: one git call, or three side by side.

    Raises:
        NotARepository: as `locate`.
        ObjectUnreadable: HEAD names a commit whose objects are missing or damaged.
    """
    return StartedProbe(cwd, with_changes).answer(attempts)


class StartedProbe:
    """A probe whose calls run while something else is done; the state is that of the moment when they ran.

    Args:
        cwd: as of `probe`.
        located: what git said of it just before, so that it is not asked again.
    """

    def __init__(self, cwd: str, with_changes: bool = True, located: Located | None = None) -> None:
        self._cwd, self._with_changes = cwd, with_changes
        self._located = located
        self._found: Probe | None = None
        self._where = start_calls([located_call(cwd)] if located is None else [])
        self._status = start_calls([])
        if with_changes:
            from cmgit.git.worktree import status_calls

            self._status = start_calls(status_calls(cwd))

    def end(self) -> None:
        """Nobody wants the answer."""
        self._where.end()
        self._status.end()

    def located(self) -> Located:
        """Without waiting for the changes. Raises: see `locate`."""
        if self._located is None:
            self._located = located_answer(self._cwd, self._where.answers()[0])
        return self._located

    def answer(self, attempts: int = 5) -> Probe:
        """The same at every time of asking. Raises: see `probe`."""
        if self._found is None:
            self._found = self._answer(attempts)
        return self._found

    def _answer(self, attempts: int) -> Probe:
        cwd, location, head = self._cwd, self.located().location, list(self.located().head)
        if location.top is None or len(head) < 1:
            # A bare repository answers nothing after --show-toplevel.
            (again,) = run_calls([GitCall((*place(location), "rev-parse", *_HEAD))])
            head = again.stdout.decode().splitlines()
        commit, tree = _head(head, location)
        if not self._with_changes:
            return Probe(location, commit, tree)
        if location.top is None:
            return Probe(location, commit, tree, ())
        status = self._status.answers()
        if status[0].code != 0 and cwd != location.top:
            return probe(location.top, True)  # inside `.git` there is no status
        from cmgit.git.worktree import status_answer

        seen, found = status_answer(location, status)
        if seen != commit and attempts > 1:
            return probe(cwd, True, attempts - 1)  # HEAD moved between the two answers
        if seen != commit:
            raise CmgitError("HEAD keeps moving while it is read", "try again when the running git command has ended")
        return Probe(location, commit, tree, tuple(found))


def _location(cwd: str, done: GitDone) -> tuple[Location, list[str]]:
    """The location, and the lines that follow it."""
    lines = os.fsdecode(done.stdout).split("\n")
    if len(lines) < 5 or lines[0] not in ("true", "false"):
        raise _refused(cwd, done)
    bare, inside, object_format = lines[0] == "true", lines[1] == "true", lines[2]
    paths = lines[3:-1]
    top: str | None = None
    if done.code == 0 or not (bare or inside):
        if len(paths) < 3:
            raise _refused(cwd, done)
        top = paths.pop(2)
    git_dir, common_dir, rest = paths[0], paths[1], paths[2:]
    if any(len(line) not in (40, 64) and line not in _HEAD for line in rest):
        return _location_by_single_questions(cwd), []
    if inside and not bare:
        top = _worktree_of(git_dir, common_dir)
    return Location(top, git_dir, common_dir, object_format, bare), rest


def _location_by_single_questions(cwd: str) -> Location:
    """One call for each path: for paths with a line feed in them."""

    def ask(question: str) -> str:
        return os.fsdecode(run_git(cwd, ["rev-parse", "--path-format=absolute", question]).removesuffix(b"\n"))

    try:
        bare = ask("--is-bare-repository") == "true"
        git_dir, common_dir, object_format = ask("--git-dir"), ask("--git-common-dir"), ask("--show-object-format")
        if ask("--is-inside-git-dir") == "true":
            top = None if bare else _worktree_of(git_dir, common_dir)
        else:
            top = ask("--show-toplevel")
    except GitFailed as error:
        raise NotARepository(error.message, error.hint) from error
    return Location(top, git_dir, common_dir, object_format, bare)


def _worktree_of(git_dir: str, common_dir: str) -> str | None:
    """The worktree of a git directory that we stand inside of; git itself does not say."""
    if git_dir != common_dir:
        try:
            with open(os.path.join(git_dir, "gitdir"), "rb") as file:
                return os.fsdecode(os.path.dirname(file.read().removesuffix(b"\n")))
        except OSError:
            return None
    named = run_git(git_dir, ["config", "-z", "--get", "core.worktree"], ok=(0, 1)).removesuffix(b"\0")
    if named:
        return os.path.realpath(os.path.join(git_dir, os.fsdecode(named)))
    head, tail = os.path.split(git_dir)
    return head if tail == ".git" else None


def _head(lines: list[str], location: Location) -> tuple[str | None, str | None]:
    """Commit and tree of HEAD. git repeats a name that it cannot resolve."""
    digits = 64 if location.object_format == "sha256" else 40
    oids = [line for line in lines[:2] if len(line) == digits]
    if len(oids) == 1:
        raise ObjectUnreadable(f"the commit {oids[0]} of HEAD cannot be read", "run `git fsck`, then `git fetch`")
    return (oids[0], oids[1]) if oids else (None, None)


def _refused(cwd: str, done: GitDone) -> NotARepository:
    """git's refusal as a message and an advice."""
    said = done.stderr.decode("utf-8", "replace")
    if "dubious ownership" in said or "unsafe repository" in said:
        advice = next((line.strip() for line in said.splitlines() if line.strip().startswith("git config")), "")
        hint = f"if you trust it, run `{advice}`" if advice else "see safe.directory in `git help config`"
        return NotARepository("git refuses this repository: it belongs to another user", hint)
    if "not a git repository" in said:
        return NotARepository(f"not a git repository: {cwd}", "run this inside a repository, or `git init` first")
    if "cannot change to" in said:
        return NotARepository(f"there is no folder {cwd}")
    error = failure(("rev-parse",), done)
    return NotARepository(f"git cannot open the repository: {done.complaint or error.message}")
