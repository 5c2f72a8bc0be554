"""Records that cross stages. Frozen and slotted; what is many is columns (`cmgit.core.facts`, `cmgit.core.tables`).

Paths are `str`, repository-relative, with `/`, decoded from git's raw bytes as UTF-8 with `surrogateescape`, so any
name that git accepts makes the round trip (`path_bytes`). Object ids are lower-case hex of 40 or 64 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from cmgit.core.record import record


def path_text(raw: bytes) -> str:
    """A raw git path as text; bytes that are not UTF-8 become lone surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def path_bytes(path: str) -> bytes:
    """The raw git path of a text made by `path_text`."""
    return path.encode("utf-8", "surrogateescape")


class Role(IntEnum):
    """What a file is in its repository. A role damps ranking; it never hides a file."""

    SOURCE = 0
    TEST = 1
    FIXTURE = 2
    GENERATED = 3
    VENDORED = 4
    MINIFIED = 5
    BUILD = 6  # build output: dist/, build/, out/
    DECLARATION = 7  # .d.ts
    EXAMPLE = 8  # examples, demos, stories, docs, benchmarks
    CONFIG = 9  # vite.config.ts, .eslintrc.cjs, …

    @property
    def label(self) -> str:
        return self.name.lower()


@record
class TreeEntry:
    """One entry of a git tree, flattened. mode: git's, as an int (0o100644, 0o120000 link, 0o160000 gitlink)."""

    path: str
    mode: int
    oid: str


class ChangeKind(IntEnum):
    MODIFIED = 0  # content, mode or type on disk differs from the tree
    ADDED = 1  # in the index or untracked and not ignored, not in the tree
    DELETED = 2  # in the tree, not on disk
    CONFLICTED = 3  # unmerged; disk holds what the user sees


@record
class Change:
    """One path in which the working tree differs from a tree, as git itself says. Renames are DELETED + ADDED.

    oid: the index's blob that stands for a file which sparse checkout keeps off the disk; empty for every other path.
    """

    path: str
    kind: ChangeKind
    oid: str = ""


@record
class BlobKey:
    """What facts are stored under: the same bytes in another language are other facts."""

    oid: str
    language: str


@record
class FileEntry:
    """One file of a tree that belongs in an index: source in a known language, or a config file that linking reads.

    language: name in `cmgit.languages`, or `facts.CONFIG_LANGUAGE` for a config file (package.json, tsconfig.json, …).
    """

    path: str
    oid: str
    mode: int
    language: str
    role: Role


@record
class Progress:
    """A step of a long job. total: 0 while unknown. unit: what is counted ("files", "units")."""

    stage: str
    done: int
    total: int
    unit: str = ""


ProgressCallback = Callable[[Progress], None]


def no_progress(_: Progress) -> None:
    """For callers that show nothing."""


@record
class Pending:
    """What a view still lacks; all 0 for a complete one. history: 1 where earlier commits could not be read, or not in
    time."""

    files: int = 0
    vectors: int = 0
    history: int = 0


@record
class UnitView:
    """One unit as it is now. `unit` is its global row in the view; lines from 1 inclusive, bytes from 0 exclusive."""

    unit: int
    path: str
    name: str
    qualname: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    exported: bool


@record
class RankedUnit:
    """A unit with its score; `why` names each signal's share (the sum is the score)."""

    unit: int
    score: float
    why: tuple[tuple[str, float], ...] = ()


class ItemRole(IntEnum):
    ROOT = 0
    DEPENDENCY = 1
    WHOLE_FILE = 2
    SIGNATURE = 3
    PART = 4

    @property
    def label(self) -> str:
        return self.name.lower()


@record
class ContextItem:
    """One piece of source in a context; the range is exactly what is shown. `masked`: shown text differs from disk.
    digest: of the piece's own bytes, for telling whether it is the same later."""

    role: ItemRole
    path: str
    name: str
    qualname: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    oid: str
    score: float
    masked: bool = False
    digest: str = ""


@record
class CallSite:
    """A use of a unit. kind: `call`, `new`, … or `value`, where it is passed on without being called."""

    of: str
    path: str
    line: int
    caller: str
    confidence: str = "proven"
    kind: str = "call"


@record
class Context:
    """The answer to one prompt.

    omitted: what the roots need and the budget did not hold, {reason: count}. again: pieces that the asker was shown
    before; the text only points at them. silence: why the answer is not worth giving to somebody who did not ask for
    it, "" where it is. notes: that came along, as they stand in JSON. unknown: paths that the prompt names and that
    mean no file of the index, or several.
    """

    route: str
    tree: str
    dirty: int
    items: tuple[ContextItem, ...]
    call_sites: tuple[CallSite, ...]
    omitted: dict[str, int]
    source_bytes: int
    text: str
    pending: Pending
    seconds: dict[str, float]
    explain: tuple[dict[str, object], ...] = ()
    again: tuple[ContextItem, ...] = ()
    silence: str = ""
    notes: tuple[dict[str, object], ...] = ()
    unknown: tuple[str, ...] = ()
