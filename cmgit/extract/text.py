"""From a blob to the text that is parsed: the same length, so that every offset is the blob's own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cmgit.core.facts import BlobStatus
from cmgit.extract.blob_checks import as_utf8, reason_to_skip, text_start
from cmgit.extract.embedded import embedded_text
from cmgit.languages.table import COMPONENT_LANGUAGES

_GRAMMARS: dict[str, tuple[str, ...]] = {
    # Flow types in .js are errors for the JavaScript grammar and (mostly) TypeScript for the TSX grammar.
    "javascript": ("javascript", "tsx"),
    # A .ts file may hold JSX in a repository whose build tool does not mind.
    "typescript": ("typescript", "tsx"),
    "tsx": ("tsx",),
}
_LONE_CR = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class Text:
    """source: what is parsed. start: where the file's own text begins, past a byte-order mark. grammars: to try."""

    source: bytes
    start: int
    grammars: tuple[str, ...]


def readable_text(data: bytes, language: str, max_bytes: int) -> Text | BlobStatus:
    """The text of a blob, or why it has none."""
    reason = reason_to_skip(data, max_bytes)
    if reason is not None:
        return reason
    source = as_utf8(data)
    if source is None:
        return BlobStatus.BINARY
    start = text_start(data)
    if start:
        source = b" " * start + source[start:]
    if b"\r" in source:
        # The grammars end a line comment at CR, but a statement only at LF.
        source = _LONE_CR.sub(b"\n", source)
    if language in COMPONENT_LANGUAGES:
        source, grammars = embedded_text(source, language)
    else:
        grammars = _GRAMMARS[language]
    return Text(source, start, grammars)
