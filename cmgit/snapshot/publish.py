"""Publishing and finding manifests.

`cm/trees/<tree>-<recipe8>.<generation>`: every publication is a new file, so a reader of the one before keeps it, and
a damaged one has a predecessor. Generations count up over the whole store: the newest is the highest number, whatever
a clock says.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from cmgit.core.atomic import TEMP_PREFIX, write_atomic
from cmgit.core.errors import CmgitError, FormatMismatch, ManifestDamaged, SegmentDamaged
from cmgit.core.record import record
from cmgit.snapshot.lock import share
from cmgit.snapshot.manifest import Manifest, decode_manifest, encode_manifest
from cmgit.store.segments import SegmentStore

STORE_FORMAT = 1
"""History: docs/formats.md."""

TREE_FILE = re.compile(r"([0-9a-f]{40,64})-([0-9a-f]{8})\.([0-9]{1,18})")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_RETRIES = 20


@record
class Published:
    """A manifest file, by its name alone; nothing was read."""

    generation: int
    tree: str
    recipe8: str

    def __lt__(self, other: Published) -> bool:
        return (self.generation, self.tree, self.recipe8) < (other.generation, other.tree, other.recipe8)

    @property
    def file_name(self) -> str:
        return f"{self.tree}-{self.recipe8}.{self.generation}"


@record
class Head:
    """Which manifest was published last for a worktree."""

    tree: str
    recipe: str
    generation: int


class _OpenFile:
    """A descriptor with a shared lock: as long as it is open the collector leaves the manifest and its segments."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()


def recipe8(recipe: str) -> str:
    """Eight hex digits for a file's name; the whole recipe stands in the manifest."""
    short = recipe[:8].lower()
    if re.fullmatch(r"[0-9a-f]{8}", short):
        return short
    return hashlib.blake2b(recipe.encode(), digest_size=4).hexdigest()


def check_format(cm_dir: str) -> bool:
    """Whether the store is there and of this format.

    Raises:
        FormatMismatch: it is of another one.
    """
    path = Path(cm_dir) / "format"
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CmgitError(f"{path} cannot be read: {error.strerror}", "check the owner and the mode") from error
    if text != b"%d\n" % STORE_FORMAT:
        shown = text[:20].decode("ascii", "backslashreplace").strip()
        raise FormatMismatch(
            f"the index in {cm_dir} has format {shown!r}, this version of cmgit writes {STORE_FORMAT}",
            f"use the version that wrote it, or remove {cm_dir} and run `git cm index`",
        )
    return True


def ensure_format(cm_dir: str) -> None:
    """Write the format's number on first use. The caller holds the builder's lock.

    Raises:
        FormatMismatch, CmgitError: as `check_format` and `write_atomic`.
    """
    if not check_format(cm_dir):
        write_atomic(Path(cm_dir) / "format", b"%d\n" % STORE_FORMAT)


def published(cm_dir: str) -> list[Published]:
    """All manifests by their file names, newest first."""
    try:
        names = [path.name for path in (Path(cm_dir) / "trees").iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [Published(int(m[3]), m[1], m[2]) for m in map(TREE_FILE.fullmatch, names) if m]
    return sorted(found, reverse=True)


def publish(cm_dir: str, manifest: Manifest) -> Manifest:
    """Make a manifest visible, whole, as the newest. The caller holds the builder's lock.

    Returns:
        The manifest with its generation.

    Raises:
        SegmentDamaged: a segment that it names is not there.
        CmgitError: the folder cannot be written; what was published before stays.
    """
    ensure_format(cm_dir)
    store = SegmentStore(cm_dir)
    for ref in manifest.segments:
        if not store.has(ref):
            raise SegmentDamaged(f"segment {ref.name} ({ref.kind}) is missing", "run `git cm index` again")
    newest = max((entry.generation for entry in published(cm_dir)), default=0)
    numbered = replace(manifest, generation=newest + 1, lease=None)
    entry = Published(numbered.generation, numbered.tree, recipe8(numbered.recipes.snapshot))
    write_atomic(Path(cm_dir) / "trees" / entry.file_name, encode_manifest(numbered))
    return numbered


def load(cm_dir: str, tree: str, recipe: str, damaged: Callable[[str], None] = lambda _: None) -> Manifest | None:
    """The newest whole manifest of a tree, held against the collector by its lease; None when there is none.

    Needs no write access and takes no lock but the shared one. A damaged manifest counts as absent; the one before it
    is taken.

    Args:
        damaged: is told the file name of each damaged one that was met on the way.

    Raises:
        FormatMismatch: the store is of another format.
    """
    if not check_format(cm_dir):
        return None
    wanted = recipe8(recipe)
    for _ in range(_RETRIES):
        entries = [e for e in published(cm_dir) if e.tree == tree and e.recipe8 == wanted]
        gone = False
        for entry in entries:
            try:
                manifest = load_entry(cm_dir, entry)
            except ManifestDamaged:
                damaged(f"trees/{entry.file_name}")
                continue
            if manifest is None:
                gone = True
            elif manifest.recipes.snapshot == recipe and manifest.tree == tree:
                return manifest
        if not gone:
            return None
    return None


def load_entry(cm_dir: str, entry: Published) -> Manifest | None:
    """One manifest, held by its lease; None when the collector took it meanwhile.

    Raises:
        ManifestDamaged: unreadable, or not what was written.
    """
    path = Path(cm_dir) / "trees" / entry.file_name
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ManifestDamaged(f"{path.name} cannot be read: {error.strerror}") from error
    lease = _OpenFile(fd)
    try:
        if share(fd) and not _still_named(path, fd):
            lease.close()
            return None
        with os.fdopen(os.dup(fd), "rb") as stream:
            manifest = decode_manifest(stream.read(), lease)
    except OSError as error:
        lease.close()
        raise ManifestDamaged(f"{path.name} cannot be read: {error.strerror}") from error
    except BaseException:
        lease.close()
        raise
    if manifest.generation != entry.generation or manifest.tree != entry.tree:
        lease.close()
        raise ManifestDamaged(f"{path.name} holds another manifest")
    return manifest


def _still_named(path: Path, fd: int) -> bool:
    """Between opening and locking the collector may have removed the file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except OSError:
        return False


def load_all(cm_dir: str, entries: Iterable[Published] | None = None) -> Iterator[Manifest]:
    """Every whole manifest, newest first."""
    for entry in published(cm_dir) if entries is None else entries:
        with contextlib.suppress(ManifestDamaged, FormatMismatch):
            manifest = load_entry(cm_dir, entry)
            if manifest is not None:
                yield manifest


def worktree_file(worktree: str) -> str:
    """The name of a worktree's file in `heads/`."""
    if _PLAIN_NAME.fullmatch(worktree):
        return worktree
    return "=" + hashlib.blake2b(worktree.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def set_head(cm_dir: str, worktree: str, manifest: Manifest) -> None:
    """Remember which manifest was published last for a worktree.

    Args:
        worktree: any text that names the worktree for good, "main" for the first one.
    """
    text = f"{manifest.tree} {manifest.recipes.snapshot} {manifest.generation}"
    data = f"{text} {zlib.crc32(text.encode()):08x}\n".encode()
    path = Path(cm_dir) / "heads" / worktree_file(worktree)
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return
    write_atomic(path, data)


def head_files(cm_dir: str) -> list[Path]:
    folder = Path(cm_dir) / "heads"
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if not path.name.startswith(TEMP_PREFIX))


def read_head(path: Path) -> Head:
    """One head file.

    Raises:
        ManifestDamaged: not what was written.
    """
    data = path.read_bytes()
    text, _, crc = data.rpartition(b" ")
    words = text.split(b" ")
    if crc != b"%08x\n" % zlib.crc32(text) or len(words) != 3:
        raise ManifestDamaged(f"heads/{path.name} is damaged", "it is written anew by the next `git cm index`")
    return Head(words[0].decode(), words[1].decode(), int(words[2]))
