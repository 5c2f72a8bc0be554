"""Retention: what no reader and no worktree needs any more is removed.

Kept are the trees that the caller names (checked out, branch tips seen last), the newest N, and for a day what was made
for `--rev`. A reader holds a shared lock on its manifest; what cannot be locked is left. The collector holds the
builder's lock, so segments that a running builder has not named yet are safe.

Where locks do not work, a manifest is first hidden from new readers, and removed after a grace period
(Kilo-Org/kilocode#12914: a cleaner pulled files from under its readers).
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cmgit.core.atomic import TEMP_PREFIX, storage_errors, sync_folder
from cmgit.core.errors import FormatMismatch, ManifestDamaged
from cmgit.snapshot.lock import BuilderLock, claim, try_lock
from cmgit.snapshot.manifest import Manifest, decode_manifest
from cmgit.snapshot.publish import TREE_FILE, Published, check_format, head_files, published, worktree_file
from cmgit.store.segments import SEGMENT_FILE

DAY = 86_400.0
GRACE = 3_600.0
HIDDEN = ".dropped-"
_OWN_TEMP = re.compile(re.escape(TEMP_PREFIX) + r"([0-9]+)-")


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed: names below `cm/`, and their bytes. busy: a builder runs, nothing was done."""

    files: tuple[str, ...] = ()
    bytes: int = 0
    busy: bool = False


@dataclass(slots=True)
class _Sweep:
    """One run of the collector."""

    root: Path
    files: list[str] = field(default_factory=list)
    bytes: int = 0

    def remove(self, path: Path) -> None:
        """Remove a file and count it; one that the system holds (Windows) stays for the next time."""
        if path.is_dir() and not path.is_symlink():
            for part in sorted(path.iterdir()):
                self.remove(part)
            with contextlib.suppress(OSError):
                path.rmdir()
            return
        try:
            size = path.lstat().st_size
            path.unlink()
        except (FileNotFoundError, PermissionError):
            return
        self.files.append(path.relative_to(self.root).as_posix())
        self.bytes += size


def collect(
    cm_dir: str,
    keep_trees: Collection[str],
    *,
    newest: int = 8,
    worktrees: Collection[str] | None = None,
    held: BuilderLock | None = None,
    now: float | None = None,
) -> Collected:
    """Remove what nothing needs.

    Args:
        keep_trees: tree ids of the checked-out worktrees and of the branch tips seen last.
        newest: so many (tree, recipe) pairs stay whatever else.
        worktrees: ids of the worktrees that exist; heads of others are removed. None: all heads stay.
        held: the builder's lock, when the caller has it. now: seconds since the epoch, for tests.

    Raises:
        CmgitError: the folder cannot be written. FormatMismatch: the store is of another format.
    """
    if not check_format(cm_dir):
        return Collected()
    lock = held or try_lock(cm_dir, "gc")
    if lock is None:
        return Collected(busy=True)
    sweep = _Sweep(Path(cm_dir))
    try:
        with storage_errors(sweep.root / "segments"):
            _collect(sweep, set(keep_trees), newest, worktrees, time.time() if now is None else now)
    finally:
        if held is None:
            lock.close()
    return Collected(tuple(sorted(sweep.files)), sweep.bytes)


def _collect(sweep: _Sweep, trees: set[str], newest: int, worktrees: Collection[str] | None, now: float) -> None:
    found = published(str(sweep.root))
    manifests: dict[Published, Manifest | None] = {}
    damaged: list[Published] = []
    for entry in found:
        try:
            manifests[entry] = _whole(sweep.root / "trees" / entry.file_name)
        except ManifestDamaged:  # no reader will ever use it
            manifests[entry] = None
            damaged.append(entry)
    gone = {entry for entry in damaged if _drop(sweep, sweep.root / "trees" / entry.file_name, now)}
    entries = [entry for entry in found if entry not in gone]
    kept = _kept(sweep.root, entries, manifests, trees, newest, now)
    for entry in entries:
        if entry not in kept and not _drop(sweep, sweep.root / "trees" / entry.file_name, now):
            kept.add(entry)
    hidden = _drop_hidden(sweep, now)
    remaining = [*(manifests[entry] for entry in kept), *hidden]
    whole = [manifest for manifest in remaining if manifest is not None]
    # What a damaged manifest named is unknown: segments stay for this once, its tree may be built anew from them
    # before the next run (vectors are dear).
    if not damaged and len(whole) == len(remaining):
        _remove_segments(sweep, {ref.file_name for manifest in whole for ref in manifest.segments})
    _remove_leftovers(sweep)
    if worktrees is not None:
        alive = {worktree_file(worktree) for worktree in worktrees}
        for path in head_files(str(sweep.root)):
            if path.name not in alive:
                sweep.remove(path)
    for name in ("trees", "segments"):
        if (sweep.root / name).is_dir():
            sync_folder(sweep.root / name)


def _whole(path: Path) -> Manifest | None:
    """A manifest, None when it is of another format or gone. An error of the disk is not damage: it ends the run.

    Raises:
        ManifestDamaged: cut short, or other bytes than those that were written.
    """
    try:
        return decode_manifest(path.read_bytes())
    except (FormatMismatch, FileNotFoundError):
        return None


def _read(path: Path) -> Manifest | None:
    """As `_whole`, and None when it is damaged."""
    try:
        return _whole(path)
    except ManifestDamaged:
        return None


def _kept(
    root: Path,
    entries: list[Published],
    manifests: dict[Published, Manifest | None],
    trees: set[str],
    newest: int,
    now: float,
) -> set[Published]:
    """The newest whole manifest of each tree that stays; a damaged one only where the tree has no whole one."""
    best: dict[tuple[str, str], Published] = {}
    for entry in entries:  # newest first
        key = (entry.tree, entry.recipe8)
        if key not in best or (manifests[best[key]] is None and manifests[entry] is not None):
            best[key] = entry
    ranked = sorted(best.values(), reverse=True)
    kept = set(ranked[:newest])
    for entry in ranked[newest:]:
        manifest = manifests[entry]
        # A clock that was wrong when the file was written must not keep it for ever, hence the absolute value.
        fresh = abs(now - _mtime(root / "trees" / entry.file_name, now)) < DAY
        if entry.tree in trees or (manifest is not None and manifest.on_demand and fresh):
            kept.add(entry)
    return kept


def _mtime(path: Path, default: float) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return default


def _drop(sweep: _Sweep, path: Path, now: float) -> bool:
    """Remove a manifest that no reader holds; False when one does, or none can be excluded."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        free = claim(fd)
        if free:
            sweep.remove(path)
    finally:
        os.close(fd)
    if free is None:
        _hide(path, now)
    return bool(free) or free is None


def _hide(path: Path, now: float) -> None:
    hidden = path.with_name(HIDDEN + path.name)
    with contextlib.suppress(PermissionError):
        path.replace(hidden)
        os.utime(hidden, (now, now))


def _drop_hidden(sweep: _Sweep, now: float) -> list[Manifest | None]:
    """Remove hidden manifests after the grace period, and give the others: their segments stay."""
    waiting = []
    for path in _names(sweep.root / "trees"):
        if not path.name.startswith(HIDDEN):
            continue
        if abs(now - _mtime(path, now)) > GRACE:
            sweep.remove(path)
        else:
            waiting.append(_read(path))
    return waiting


def _remove_segments(sweep: _Sweep, used: set[str]) -> None:
    for path in _names(sweep.root / "segments"):
        if SEGMENT_FILE.fullmatch(path.name) and path.name not in used:
            sweep.remove(path)


def _remove_leftovers(sweep: _Sweep) -> None:
    """Files of writers that died. Only the holder of the builder's lock writes segments and manifests."""
    for path in _names(sweep.root / "segments", folders=True):
        if not SEGMENT_FILE.fullmatch(path.name):
            sweep.remove(path)
    for path in _names(sweep.root / "trees"):
        if not TREE_FILE.fullmatch(path.name) and not path.name.startswith(HIDDEN):
            sweep.remove(path)
    for path in [*_names(sweep.root), *_names(sweep.root / "heads")]:
        writer = _OWN_TEMP.match(path.name)
        if writer is not None and not _is_alive(int(writer[1])):
            sweep.remove(path)


def _names(folder: Path, folders: bool = False) -> Iterable[Path]:
    try:
        return sorted(path for path in folder.iterdir() if folders or not path.is_dir())
    except FileNotFoundError:
        return []


def _is_alive(pid: int) -> bool:
    if pid == os.getpid() or os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
