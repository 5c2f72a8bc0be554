"""Code inside other text: script blocks of components, frontmatter.

Everything else is blanked, so that all blocks are parsed as one module with the outer file's own offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cmgit.extract.blanks import blank

_TAGS = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(?P<name>script|style)(?=[\s>/])(?P<attributes>(?:[^>\"'{]|\"[^\"]*\"|'[^']*'|\{[^}]*\})*)>"
    rb"|(?P<endless><(?:script|style)(?=[\s>/]))",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    rb"(?P<name>[^\s=\"'<>/{]+)(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|\{[^}]*\}|(?P<bare>[^\s\"'=<>`{]+)))?"
)
MOST_ENDLESS = 20
"""Tags that never end: each is looked for to the end of the file, so after these the rest is taken for text."""
_FENCE = re.compile(rb"\A\s*---[ \t]*(?:\r\n|\r|\n)")
_FENCE_END = re.compile(rb"^---", re.MULTILINE)
_CODE_TYPES = frozenset({b"", b"module", b"text/javascript", b"application/javascript", b"text/babel", b"ts"})
_CODE_TYPES |= {b"text/typescript", b"text/ecmascript", b"application/ecmascript", b"text/ts", b"text/jsx", b"text/tsx"}
_TYPED = frozenset({b"ts", b"typescript", b"text/typescript", b"text/ts"})
_MARKUP = frozenset({b"tsx", b"jsx", b"text/jsx", b"text/tsx"})


@dataclass(frozen=True, slots=True)
class Block:
    """A block's code, in bytes of the outer file; `source_range` is the `src` value of a block that has its code
    elsewhere, quotes included, and `tag_start` where its tag begins."""

    start: int
    end: int
    lang: bytes
    tag_start: int
    source_range: tuple[int, int] | None = None


def embedded_text(data: bytes, language: str) -> tuple[bytes, tuple[str, ...]]:
    """The code of a component as one text of the same length, and the grammars to try.

    `<script src="./x.ts">` becomes `import "./x.ts"` in its own place: its code is read where it is.
    """
    blocks = _script_blocks(data)
    if language == "astro":
        blocks = _frontmatter(data) + blocks
    text = bytearray(data)
    blank(text, 0, len(text))
    for block in blocks:
        if block.source_range is not None:
            start, end = block.source_range
            text[block.tag_start : block.tag_start + 6] = b"import"
            text[start:end] = data[start:end]
            continue
        text[block.start : block.end] = data[block.start : block.end]
        # Two blocks may stand on one line: a line break of our own ends the first, and counts nowhere.
        if block.end < len(text):
            text[block.end] = 0x0A
    return bytes(text), _grammars(blocks, language)


def _grammars(blocks: list[Block], language: str) -> tuple[str, ...]:
    langs = {block.lang for block in blocks}
    if langs & _MARKUP:
        return ("tsx",)
    if langs & _TYPED or language == "astro":
        return ("typescript", "tsx")
    return ("javascript", "typescript")


def _frontmatter(data: bytes) -> list[Block]:
    begin = _FENCE.match(data)
    if begin is None:
        return []
    end = _FENCE_END.search(data, begin.end())
    return [Block(begin.end(), end.start() if end else len(data), b"ts", 0)]


def _script_blocks(data: bytes) -> list[Block]:
    blocks: list[Block] = []
    position = endless = 0
    while (tag := _TAGS.search(data, position)) is not None:
        position = tag.end()
        if tag.group("endless"):
            endless += 1
            if endless > MOST_ENDLESS:
                break
        name = tag.group("name")
        if name is None:
            continue
        raw = tag.group("attributes")
        if raw.endswith(b"/"):
            end = position
        else:
            closing = re.compile(rb"</" + name + rb"\s*>", re.IGNORECASE).search(data, position)
            end = closing.start() if closing else len(data)
        if name.lower() == b"script":
            block = _block(tag.start("attributes"), raw, tag, end)
            if block is not None:
                blocks.append(block)
        position = end
    return blocks


def _block(offset: int, raw: bytes, tag: re.Match[bytes], end: int) -> Block | None:
    values: dict[bytes, tuple[bytes, int, int]] = {}
    for found in _ATTRIBUTE.finditer(raw.removesuffix(b"/")):
        group = next((g for g in ("double", "single", "bare") if found.group(g) is not None), None)
        value = (found.group(group), found.start(group), found.end(group)) if group else (b"", -1, -1)
        values.setdefault(found.group("name").lower(), value)
    if values.get(b"type", (b"", 0, 0))[0].lower() not in _CODE_TYPES:
        return None
    lang = values.get(b"lang", values.get(b"type", (b"", 0, 0)))[0].lower()
    src = values.get(b"src")
    if src is None:
        return Block(tag.end(), end, lang, tag.start())
    quoted = src[1] > 0 and raw[src[1] - 1 : src[1]] in (b'"', b"'")
    if not quoted:
        return None
    return Block(0, 0, lang, tag.start(), (offset + src[1] - 1, offset + src[2] + 1))
