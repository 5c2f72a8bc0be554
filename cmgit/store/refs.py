"""What a manifest says about a segment."""

from __future__ import annotations

from dataclasses import dataclass, field

FACTS, TERMS, TEXTS, VECTORS, EDGES = KINDS = ("facts", "terms", "texts", "vectors", "edges")


@dataclass(frozen=True, slots=True, order=True)
class SegmentRef:
    """A segment by its content.

    name: 32 hex digits, BLAKE2b of the file's bytes. kind: one of KINDS. recipe: what made the rows. rows: blobs
    (facts, terms, texts), vectors, or files (edges). size: bytes of the file. crc32: of the file. places: for each
    column (begin, length, begin, length, …) of its values within the file, as they were found when it was written, so
    that a reader needs no Lance; empty where they are unknown, and Lance reads the file.
    """

    name: str
    kind: str
    recipe: str
    rows: int
    size: int
    crc32: int
    places: tuple[tuple[str, tuple[int, ...]], ...] = field(default=(), compare=False, repr=False)

    @property
    def file_name(self) -> str:
        return f"{self.name}.lance"
