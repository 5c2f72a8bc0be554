"""From a blob to the text that is parsed: the same length, so that every offset is the blob's own."""

from __future__ import annotations

from dataclasses import dataclass

from cmgit.core.facts import BlobStatus

GRAMMARS: dict[str, tuple[str, ...]] = {
    # Flow types in .js are errors for the JavaScript grammar and (mostly) TypeScript for the TSX grammar.
    "javascript": ("javascript", "tsx"),
    "typescript": ("typescript",),
    "tsx": ("tsx",),
}


@dataclass(frozen=True, slots=True)
class Text:
    """source: what is parsed. start: where the file's own text begins, past a byte-order mark. grammars: to try."""

    source: bytes
    start: int
    grammars: tuple[str, ...]


def readable_text(data: bytes, language: str, max_bytes: int) -> Text | BlobStatus:
    """The text of a blob, or why it has none."""
    if not data.strip():
        return BlobStatus.EMPTY
    return Text(data, 0, GRAMMARS.get(language, ("typescript",)))
