"""The direct route: a prompt that names one short, self-contained file is answered with that file, and no index."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from cmgit.core.config import Config
from cmgit.core.facts import BlobFacts, BlobStatus, empty_facts
from cmgit.core.record import record
from cmgit.core.records import Context, ItemRole, Pending
from cmgit.languages.table import language_of
from cmgit.retrieve.parts import Span, lines_of
from cmgit.retrieve.prompt import Prompt
from cmgit.retrieve.render import Renderer, render
from cmgit.retrieve.seen import NOTHING_SEEN, Seen
from cmgit.retrieve.shown import Assembled, Shown, Uses

LARGEST = 6_000
_USES_OTHERS = re.compile(
    rb"\bimport\b|\brequire\s*\(|\bexport\s*(?:type\s*)?(?:\*|\{[^}]*\}\s*from\b)|<script\b[^>]*\bsrc="
)

FileReader = Callable[[str], tuple[bytes, str] | None]
"""From a repository-relative path to (bytes, object id) of a file that may be shown; None for every other path."""


@record
class _Source:
    """A file read without a view; nothing is known of its units."""

    data: bytes
    oid: str
    facts: BlobFacts
    checked_out: bool = True


def direct_context(
    prompt: Prompt,
    read: FileReader,
    config: Config,
    budget: int | None = None,
    seen: Seen = NOTHING_SEEN,
    absent: Collection[str] = (),
) -> Context | None:
    """The answer by the direct route, or None when the prompt needs an index.

    It is taken when exactly one path is named, which `read` knows, at most 6,000 bytes long and within the budget,
    without an import, `require` or re-export, and when every other name of the prompt occurs in that file.

    Args:
        absent: paths that `read` gave from git, because they are not checked out; looked at after reading.
    """
    paths = list(dict.fromkeys(place.path for place in prompt.places))
    limit = min(LARGEST, config.budget if budget is None else budget)
    if len(paths) != 1 or ".." in paths[0].split("/") or paths[0].startswith("/"):
        return None
    language = language_of(paths[0])
    found = read(paths[0]) if language else None
    if found is None:
        return None
    data, oid = found
    if not data.strip() or len(data) > limit or b"\0" in data or _USES_OTHERS.search(data):
        return None
    if any(name.last.encode("utf-8", "replace") not in data for name in prompt.names):
        return None
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    lines = lines_of(data, start, len(data), 1)
    name = paths[0].rsplit("/", 1)[-1]
    span = Span(start, len(data), 1, lines[-1].end_line)
    piece = Shown(ItemRole.WHOLE_FILE, 0, paths[0], name, name, "file", span, (1, span.end_line), 1.0, "whole file")
    assembled = Assembled((piece,), ((0, name),), Uses(), {}, len(data) - start)
    source = _source(data, oid, language or "", paths[0] not in absent)
    rendered = render(assembled, Renderer({0: source}, {0: language or ""}, seen))
    if len(rendered.text) > config.max_characters:
        return None
    return Context(
        route="direct",
        tree="",
        dirty=0,
        items=rendered.items,
        call_sites=(),
        omitted={},
        source_bytes=sum(item.end_byte - item.start_byte for item in rendered.items),
        text=rendered.text,
        pending=Pending(),
        seconds={},
        again=rendered.again,
    )


def _source(data: bytes, oid: str, language: str, checked_out: bool) -> _Source:
    return _Source(data, oid, empty_facts(language, BlobStatus.PARSED, len(data)), checked_out)


def with_tree(context: Context, tree: str, dirty: int) -> Context:
    """A direct answer, which was made without a view, for the tree that it was asked of."""
    return replace(context, tree=tree, dirty=dirty)
