"""Trees and blobs of a repository, by id.

Trees are listed by git in one process. Blobs come from pygit2, which reads them in this process, or from
`git cat-file --batch` where pygit2 refuses the repository (sha256, reftable, unknown extensions: libgit2/pygit2#1411,
Ataraxy-Labs/sem#451) or is not worth its import. Nothing is ever written, and nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cmgit.core.errors import ObjectUnreadable
from cmgit.core.records import TreeEntry
from cmgit.git.batch import BatchReader, unreadable
from cmgit.git.plumbing import GitFailed, run_git

if TYPE_CHECKING:
    from cmgit.git.locate import Location

_LINK = 0o120000
_GITLINK = 0o160000


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """One path in which two trees differ. An absent side has mode 0 and oid ""."""

    path: str
    old_mode: int
    old_oid: str
    mode: int
    oid: str


class Objects:
    """The objects of one repository. Usable from any thread; close it, or use it in a `with` statement."""

    def __init__(self, location: Location, library: _LibraryReader | None, object_dirs: Sequence[str] = ()) -> None:
        self._location = location
        self._library = library
        joined = os.pathsep.join(_quoted(folder) for folder in object_dirs)
        self._env = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": joined} if joined else {}
        self._batch = BatchReader(location, self._env)

    @property
    def uses_library(self) -> bool:
        """Whether blobs are read in this process."""
        return self._library is not None

    def list_tree(self, tree: str) -> list[TreeEntry]:
        """Every blob, link and gitlink below a tree, sorted by raw path bytes.

        Raises:
            ObjectUnreadable: the tree or one below it is missing or damaged.
        """
        answer = self._ask_trees(tree, ["ls-tree", "-r", "-z", "--full-tree", tree])
        entries: list[TreeEntry] = []
        # One decoding for all: a NUL never stands inside a sequence, so the result is that of path_text for each.
        for record in answer.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            head, _, path = record.partition("\t")
            entries.append(TreeEntry(path, int(head[:6], 8), head.rpartition(" ")[2]))
        return entries

    def diff_trees(self, old: str, new: str) -> list[TreeDifference]:
        """The paths in which two trees differ, sorted by raw path bytes. A rename is two of them.

        Raises:
            ObjectUnreadable: one of the trees, or one below it, is missing or damaged.
        """
        answer = self._ask_trees(new, ["diff-tree", "-r", "-z", "--no-renames", "--full-index", "--raw", old, new])
        fields = answer.decode("utf-8", "surrogateescape").split("\0")
        found: list[TreeDifference] = []
        for head, path in zip(fields[0:-1:2], fields[1::2], strict=True):
            old_mode, new_mode, old_oid, new_oid, _ = head[1:].split(" ")
            before, after = int(old_mode, 8), int(new_mode, 8)
            found.append(TreeDifference(path, before, old_oid if before else "", after, new_oid if after else ""))
        return found

    def read_blob(self, oid: str) -> bytes:
        """The bytes of a blob.

        Raises:
            ObjectUnreadable: it is missing, damaged or no blob.
        """
        if self._library is not None:
            data = self._library.read(oid)
            if data is not None:
                return data
        # Another look with git itself: it knows of packs that came since, and says what is wrong.
        return self._batch.read(oid)

    def read_blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | ObjectUnreadable]]:
        """Many blobs in the order asked; one that cannot be read comes as the error."""
        if self._library is None:
            asked = list(oids)
            yield from zip(asked, self._batch.read_many(asked), strict=True)
            return
        for oid in oids:
            try:
                yield oid, self.read_blob(oid)
            except ObjectUnreadable as error:
                yield oid, error

    def blob_size(self, oid: str) -> int:
        """Size of a blob in bytes, without reading it.

        Raises:
            ObjectUnreadable: it is missing or no blob.
        """
        return self._batch.size(oid)

    def has_tree(self, tree: str) -> bool:
        """Whether the tree itself is here (what is below it may still be missing)."""
        try:
            return run_git(self._location, ["cat-file", "-t", tree], env=self._env).strip() == b"tree"
        except GitFailed:
            return False

    def close(self) -> None:
        self._batch.close()
        if self._library is not None:
            self._library.close()

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask_trees(self, tree: str, args: Sequence[str]) -> bytes:
        try:
            return run_git(self._location, args, env=self._env)
        except GitFailed as error:
            if error.code < 0 or error.code == 127:
                raise
            raise ObjectUnreadable(
                f"the tree {tree} cannot be read: {error.message}", "it may have been pruned; `git fsck` says more"
            ) from error


def open_objects(location: Location, *, library: bool = True, object_dirs: Sequence[str] = ()) -> Objects:
    """Open a repository's objects.

    Args:
        location: from `cmgit.git.locate`.
        library: read blobs with pygit2 where it can; False for a reader that needs few and starts cold.
        object_dirs: further object folders (the staged objects of a commit in the making).
    """
    return Objects(location, _LibraryReader.open(location, object_dirs) if library else None, object_dirs)


class _LibraryReader:
    """Blobs by pygit2."""

    def __init__(self, location: Location, object_dirs: Sequence[str], repository: Any) -> None:
        self._location = location
        self._object_dirs = tuple(object_dirs)
        self._repository = repository

    @classmethod
    def open(cls, location: Location, object_dirs: Sequence[str]) -> _LibraryReader | None:
        """None where pygit2 is not there or refuses the repository."""
        if location.object_format != "sha1":
            return None
        repository = _open_repository(location, object_dirs)
        return None if repository is None else cls(location, object_dirs, repository)

    def read(self, oid: str) -> bytes | None:
        """None when it is missing, damaged or no blob. Looks twice: a gc may have moved it (go-git/go-git#2242)."""
        found = self._read(oid)
        if found is None:
            repository = _open_repository(self._location, self._object_dirs)
            if repository is None:
                return None
            self._repository = repository
            found = self._read(oid)
        return found

    def _read(self, oid: str) -> bytes | None:
        import pygit2

        try:
            kind, data = self._repository.read(oid)
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return bytes(data) if kind == pygit2.enums.ObjectType.BLOB else None

    def close(self) -> None:
        self._repository.free()


def _open_repository(location: Location, object_dirs: Sequence[str]) -> Any:
    try:
        import pygit2
    except ImportError:
        return None
    try:
        repository = pygit2.Repository(os.fsencode(location.git_dir).decode("utf-8"))
        for folder in object_dirs:
            repository.odb.add_disk_alternate(folder)
    except (KeyError, ValueError, OSError, pygit2.GitError):
        return None
    return repository


def _quoted(folder: str) -> str:
    """A folder for GIT_ALTERNATE_OBJECT_DIRECTORIES, where a leading quote starts a quoted name."""
    if os.pathsep not in folder and not folder.startswith('"'):
        return folder
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


__all__ = ["Objects", "TreeDifference", "open_objects", "unreadable"]
