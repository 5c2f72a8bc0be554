"""The state that a view shows, as entries; and what of it no segment on disk holds, as segments in memory.

A dirty file takes the same path as a committed one (`index.blobs.process_blob`); only where the rows are kept differs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cmgit.core.config import Config
from cmgit.core.facts import BlobFacts, config_text
from cmgit.core.record import record
from cmgit.core.records import (
    BlobKey,
    Change,
    ChangeKind,
    FileEntry,
    Progress,
    ProgressCallback,
    TreeEntry,
    path_bytes,
)
from cmgit.git.disk import blob_oid, is_closed, read_file
from cmgit.git.locate import Location

if TYPE_CHECKING:
    from cmgit.index.blobs import BlobProducts
    from cmgit.snapshot.manifest import Manifest
    from cmgit.view.memory import Memory

REGULAR_MODE = 0o100644
ATTRIBUTES = ".gitattributes"
MOST_CONVERTED = 400_000
"""Bytes with other line endings than their blobs' that are worth half a second's parsing for each cold answer."""

_CONVERTS = re.compile(rb"^[^#\n]*\s(?:eol=crlf|filter=|ident\b|working-tree-encoding=)", re.M)


@record
class DiskState:
    """Entries of the working tree, path order by raw bytes. data: bytes of the files that differ from the tree.
    dirty: how many indexed files differ. closed: files that differ and cannot be read; they are no entries, for what
    the tree has in their place is not what is on disk."""

    entries: tuple[FileEntry, ...]
    data: dict[str, bytes]
    dirty: int
    closed: tuple[str, ...] = ()


def disk_state(
    base: Sequence[FileEntry],
    changes: Collection[Change],
    location: Location,
    blob: Callable[[str], bytes | None],
) -> DiskState:
    """The base's entries with the changed paths read from disk.

    Args:
        base: entries of the tree that `changes` are relative to, in path order, links and gitlinks left out.
        blob: content of the index's blobs that stand for files which sparse checkout keeps off the disk.
    """
    assert location.top is not None
    if not changes:
        return DiskState(tuple(base), {}, 0)
    from cmgit.index.plan import plan_files  # a clean tree plans nothing
    from cmgit.languages.table import is_config, language_of

    entries = {entry.path: entry for entry in base}
    found: list[TreeEntry] = []
    data: dict[str, bytes] = {}
    closed: list[str] = []
    touched = 0
    for change in changes:
        known = entries.pop(change.path, None)
        touched += known is not None
        content = None if change.kind is ChangeKind.DELETED else read_file(location.top, change.path)
        oid = blob_oid(content, location.object_format) if content is not None else change.oid
        if content is None and change.oid:
            content = blob(change.oid)
        if content is not None:
            mode = known.mode if known is not None else REGULAR_MODE
            data[change.path] = content
            found.append(TreeEntry(change.path, mode, oid))
        elif change.kind is not ChangeKind.DELETED and is_closed(location.top, change.path):
            closed.append(change.path)
    planned = plan_files(found, lambda entry: data.get(entry.path))
    before = {entry.path for entry in base}
    touched += sum(entry.path not in before for entry in planned.files)
    entries.update((entry.path, entry) for entry in planned.files)
    ordered = sorted(entries.values(), key=lambda entry: entry.path.encode("utf-8", "surrogateescape"))
    known_kinds = tuple(path for path in closed if language_of(path) or is_config(path))
    return DiskState(tuple(ordered), {e.path: data[e.path] for e in planned.files}, touched, known_kinds)


def has_conversions(location: Location, entries: Iterable[FileEntry], changes: Iterable[Change]) -> bool:
    """Whether the repository's attributes make git write other bytes to disk than a blob has: then clean files are
    compared by content too. What else may have converted them shows in their size, see `sized_otherwise`.

    Where a `.gitattributes` differs from the tree's, files stand as the earlier one had them, and git calls them clean.
    """
    assert location.top is not None
    if any(change.path.endswith(ATTRIBUTES) for change in changes):
        return True
    for entry in entries:
        if entry.path.endswith(ATTRIBUTES) and _CONVERTS.search(read_file(location.top, entry.path) or b""):
            return True
    return False


def sized_otherwise(location: Location, state: DiskState, base: Manifest | None) -> frozenset[str]:
    """Clean files that are longer or shorter on disk than their blob: what git wrote by `core.autocrlf` or `core.eol`
    alone, by attributes outside of the tree, or by ones that an earlier commit had. Files of which `base` knows no size
    are among them.

    Conversions that keep a file's length are found by their attributes only, see `has_conversions`. Of a large working
    tree with other line endings throughout (`core.autocrlf`), those that differ in nothing else are left out: each
    answer would parse all of it anew, for rows that differ in their offsets alone. What is shown is the disk's anyway.
    """
    assert location.top is not None
    table = base.files if base is not None else None
    sizes = dict(zip(table.path, zip(table.oid, table.size.tolist(), strict=True), strict=True)) if table else {}
    top = os.fsencode(location.top) + b"/"
    found: dict[FileEntry, int] = {}
    for entry in state.entries:
        if entry.path in state.data:
            continue
        oid, size = sizes.get(entry.path, ("", 0))
        try:
            there = os.lstat(top + path_bytes(entry.path)).st_size
        except OSError:
            continue  # kept off the disk, or gone meanwhile
        if oid != entry.oid or there != size:
            found[entry] = there
    if sum(found.values()) > MOST_CONVERTED:
        return frozenset(entry.path for entry in found if not _only_line_endings(location, entry))
    return frozenset(entry.path for entry in found)


def _only_line_endings(location: Location, entry: FileEntry) -> bool:
    """Whether the file on disk is its blob with other line endings."""
    data = read_file(location.top or "", entry.path) or b""
    return b"\r\n" in data and blob_oid(data.replace(b"\r\n", b"\n"), location.object_format) == entry.oid


def exact_state(state: DiskState, location: Location, exact: Callable[[str], bool]) -> DiskState:
    """The state with the disk's own bytes for files that git calls unchanged though their bytes differ (line endings,
    filters). Such files do not count as dirty."""
    assert location.top is not None
    data = dict(state.data)
    entries: list[FileEntry] = []
    for entry in state.entries:
        content = read_file(location.top, entry.path) if entry.path not in data and exact(entry.path) else None
        oid = blob_oid(content, location.object_format) if content is not None else entry.oid
        if content is not None and oid != entry.oid:
            data[entry.path] = content
            entry = replace(entry, oid=oid)  # noqa: PLW2901
        entries.append(entry)
    return DiskState(tuple(entries), data, state.dirty, state.closed)


def with_roles(
    entries: Sequence[FileEntry], facts_of: Callable[[BlobKey], BlobFacts | None], changed: Iterable[str]
) -> list[FileEntry]:
    """Entries with the roles that the state's own `.gitattributes` files give. Only those in `changed` need it,
    unless a `.gitattributes` file is among them."""
    from cmgit.git.attributes import read_attributes
    from cmgit.languages.roles import role_of

    attribute_files: dict[str, bytes] = {}
    for entry in entries:
        if entry.path.rsplit("/", 1)[-1] == ATTRIBUTES:
            facts = facts_of(BlobKey(entry.oid, entry.language))
            if facts is not None:
                attribute_files[entry.path] = config_text(facts).encode("utf-8", "surrogateescape")
    attributes = read_attributes(attribute_files)
    paths = set(changed)
    all_of_them = any(path.rsplit("/", 1)[-1] == ATTRIBUTES for path in paths)
    return [
        replace(entry, role=role_of(entry.path, attributes.generated(entry.path), attributes.vendored(entry.path)))
        if all_of_them or entry.path in paths
        else entry
        for entry in entries
    ]


def process_missing(
    entries: Iterable[FileEntry],
    known: Callable[[BlobKey], bool],
    data: Callable[[FileEntry], bytes | None],
    config: Config,
    progress: ProgressCallback,
    memory: Memory,
) -> dict[BlobKey, BlobProducts]:
    """Products of the blobs that no segment holds, in the order of the entries."""
    missing: dict[BlobKey, FileEntry] = {}
    for entry in entries:
        key = BlobKey(entry.oid, entry.language)
        if not known(key):
            missing.setdefault(key, entry)
    if not missing:
        memory.keep_products({})
        return {}
    from cmgit.index.blobs import process_blob, unreadable  # a clean tree loads no parser

    products: dict[BlobKey, BlobProducts] = {}
    for done, (key, entry) in enumerate(missing.items(), 1):
        kept = memory.known_product(key)
        if kept is None:
            content = data(entry)
            kept = unreadable(key) if content is None else process_blob(key, content, config.max_blob_bytes)
        products[key] = kept
        progress(Progress("overlay", done, len(missing), "files"))
    memory.keep_products(products)
    return products
