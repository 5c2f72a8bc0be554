"""A tree's entries → the files that belong in its index. Pure; the caller reads blobs when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cmgit.core.facts import CONFIG_LANGUAGE, BlobStatus
from cmgit.core.record import record
from cmgit.core.records import FileEntry, Role, TreeEntry
from cmgit.git.attributes import Attributes, read_attributes
from cmgit.languages.roles import role_of
from cmgit.languages.table import is_config, language_of

LINK_MODE = 0o120000
GITLINK_MODE = 0o160000
ATTRIBUTES = ".gitattributes"
"""Kept like a config file, so that an overlay can give roles without reading git."""

SHEBANG_BYTES = 256


@record
class Skipped:
    """An entry that is named in the manifest for its reason, and never opened."""

    entry: FileEntry
    status: BlobStatus


@record
class Plan:
    """files: what is parsed or read, in path order. skipped: links and gitlinks."""

    files: tuple[FileEntry, ...]
    skipped: tuple[Skipped, ...]


def plan_files(
    entries: Iterable[TreeEntry],
    read: Callable[[TreeEntry], bytes | None],
    known: Iterable[FileEntry] = (),
    beside: Iterable[TreeEntry] = (),
) -> Plan:
    """Choose the files of a tree and give each its language and role.

    Args:
        entries: the whole tree, sorted by raw path bytes; or a part of it, when `beside` has its attributes.
        read: content of an entry, None where it cannot be had. Called for `.gitattributes` files and for files
            without a suffix (is it a node script?).
        known: what another tree's plan chose, by these very rules. Where both have the same blob at the same path it
            stands, as long as their `.gitattributes` files are the same.
        beside: entries that are not planned; their `.gitattributes` count.
    """
    listed = list(entries)
    before = {entry.path: entry for entry in known}
    if {(e.path, e.oid) for e in before.values() if e.path.endswith(ATTRIBUTES) and is_attributes(e)} != {
        (e.path, e.oid) for e in listed if e.path.endswith(ATTRIBUTES) and is_attributes(e)
    }:
        before = {}
    attributes: Attributes | None = None
    files: list[FileEntry] = []
    skipped: list[Skipped] = []
    for entry in listed:
        chosen = before.get(entry.path)
        if chosen is not None and chosen.oid == entry.oid and chosen.mode == entry.mode:
            files.append(chosen)
            continue
        if entry.mode == GITLINK_MODE:
            skipped.append(Skipped(FileEntry(entry.path, entry.oid, entry.mode, "", Role.SOURCE), BlobStatus.GITLINK))
            continue
        if is_config(entry.path) or is_attributes(entry):
            language: str | None = CONFIG_LANGUAGE
        else:
            language = language_of(entry.path, head_of(entry, read))
        if language is None:
            continue
        if entry.mode == LINK_MODE:
            skipped.append(Skipped(FileEntry(entry.path, entry.oid, entry.mode, "", Role.SOURCE), BlobStatus.SYMLINK))
            continue
        if attributes is None:
            attributes = attributes_of([*listed, *beside], read)
        role = role_of(entry.path, attributes.generated(entry.path), attributes.vendored(entry.path))
        files.append(FileEntry(entry.path, entry.oid, entry.mode, language, role))
    return Plan(tuple(files), tuple(skipped))


def is_attributes(entry: TreeEntry | FileEntry) -> bool:
    path = entry.path
    return (
        path.endswith(ATTRIBUTES)
        and path.rsplit("/", 1)[-1] == ATTRIBUTES
        and entry.mode not in (LINK_MODE, GITLINK_MODE)
    )


def attributes_of(entries: Iterable[TreeEntry], read: Callable[[TreeEntry], bytes | None]) -> Attributes:
    found: dict[str, bytes] = {}
    for entry in entries:
        if is_attributes(entry):
            data = read(entry)
            if data is not None:
                found[entry.path] = data
    return read_attributes(found)


def head_of(entry: TreeEntry, read: Callable[[TreeEntry], bytes | None]) -> bytes | None:
    """The first bytes of a file that only its shebang can give a language: no suffix, a plain file."""
    name = entry.path.rsplit("/", 1)[-1]
    if "." in name or entry.mode in (LINK_MODE, GITLINK_MODE):
        return None
    data = read(entry)
    return data[:SHEBANG_BYTES] if data is not None else None
