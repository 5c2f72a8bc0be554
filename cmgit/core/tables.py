"""Columns that are kept beside the facts: terms, text keys, edges. Same conventions as `cmgit.core.facts`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from cmgit.core.record import record


@record
class BlobTerms:
    """Terms of one blob's units, for word search. Rows are grouped by term, terms sorted by code point.

    terms: distinct terms of the blob. starts: first row of each term, one more entry at the end. unit: unit row.
    counts: packed occurrences, see `FIELD_BITS`. lengths: for each unit row the number of term occurrences (an
    integer, so that averages over a tree are exact in any order).
    """

    terms: tuple[str, ...]
    starts: Sequence[int]
    unit: Sequence[int]
    counts: Sequence[int]
    lengths: Sequence[int]


FIELD_BITS = ((0, 15), (4, 15), (8, 255), (16, 255), (24, 255))
"""Occurrences by field (name, owner, doc comment, strings, body) are packed into an unsigned 32-bit integer: the first
bit of each, and the most that it holds."""


@record
class BlobTexts:
    """Keys of the texts that are embedded for one blob's units.

    unit: unit row, ascending, a unit may have several texts (windows). key: 16-byte digests of the texts; the same
    text has the same key in every blob, so it is embedded once.
    """

    unit: Sequence[int]
    key: Sequence[bytes]


class EdgeStatus(IntEnum):
    RESOLVED = 0  # bound to a unit of this tree
    EXTERNAL = 1  # another package or a built-in
    UNKNOWN = 2  # could not be decided; never shown as "none"


class Confidence(IntEnum):
    PROVEN = 0  # by scope, import or type
    LIKELY = 1  # by a stated rule

    @property
    def label(self) -> str:
        return self.name.lower()


class DependKind(IntEnum):
    """What linking noted of a file, so that a later tree can be linked in part. Operands stand beside each."""

    TOKEN = 0  # path, name: its edges were read from this: an export of a file, or a mark of `cmgit.link.reads`
    REQUEST = 1  # name: a specifier in it; path: the file that it means, or NONE; a: 1 for another package
    STAR = 2  # name: the specifier of an `export *` in it
    GLOBAL = 3  # name: a global that it declares; a: value row
    HEIR = 4  # path, name, a: an interface or class (file, name, unit) that its unit b extends or implements
    LITERAL = 5  # path, name, a: a type (as for HEIR; -2 - row for an object type) that its object literal b is for


@record
class FileDepends:
    """What the edges of one file depend on. kind: DependKind. path, name: indices into `names`, or NONE."""

    names: tuple[str, ...] = ()
    kind: Sequence[int] = ()
    path: Sequence[int] = ()
    name: Sequence[int] = ()
    a: Sequence[int] = ()
    b: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.kind)

    def rows(self) -> Iterator[tuple[int, str | None, str, int, int]]:
        """(kind, path, name, a, b) with the strings themselves."""
        names = self.names
        for kind, path, name, a, b in zip(self.kind, self.path, self.name, self.a, self.b, strict=True):
            yield kind, names[path] if path >= 0 else None, names[name], a, b


NO_DEPENDS = FileDepends()


@dataclass(frozen=True, slots=True)
class FileEdges:
    """Edges that start in one file of one tree, in document order of their evidence.

    is_import: 1 where `source` is a row of the blob's imports, 0 where it is a row of its references. A row may occur
    several times (overloads, unions). target_path: string index into `paths` or NONE. target_unit: unit row in the
    target's blob or NONE. rule: string index into `rules`. confidence, status: as above. depends: for linking a later
    tree in part; not set where edges are read back for an answer.
    """

    paths: tuple[str, ...]
    rules: tuple[str, ...]
    is_import: Sequence[int]
    source: Sequence[int]
    target_path: Sequence[int]
    target_unit: Sequence[int]
    confidence: Sequence[int]
    rule: Sequence[int]
    status: Sequence[int]
    depends: FileDepends = field(default=NO_DEPENDS, compare=False)

    def __len__(self) -> int:
        return len(self.source)
