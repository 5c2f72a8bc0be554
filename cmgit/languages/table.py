"""The explicit table from a file's name to its language.

A language names how a blob is read: the same bytes in another language are other facts. `.jsx` is `javascript`, whose
grammar knows JSX; `.ts` and `.tsx` differ because `<T>x` is a cast in one and an element in the other.
"""

from __future__ import annotations

import re

SUFFIXES: dict[str, str] = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".es6": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".vue": "vue",
    ".svelte": "svelte",
    ".astro": "astro",
}
"""Lower-case suffix to language; the last suffix of a name counts, in any case (`A.TS`, `b.d.mts`)."""

COMPONENT_LANGUAGES = frozenset({"vue", "svelte", "astro"})
"""Languages whose code stands in blocks inside another text."""

SHEBANGS: dict[str, str] = {
    "node": "javascript",
    "nodejs": "javascript",
    "bun": "typescript",
    "deno": "typescript",
    "tsx": "typescript",
    "ts-node": "typescript",
    "ts-node-esm": "typescript",
    "zx": "javascript",
}
"""Interpreter to language, for a file without a suffix."""

_CONFIG_NAMES = frozenset({"package.json", "pnpm-workspace.yaml", "pnpm-workspace.yml", "lerna.json"})
_CONFIG_PATTERN = re.compile(r"(?:tsconfig|jsconfig)(?:[.-][^/]*)?\.json\Z")
_SHEBANG = re.compile(rb"\A(?:\xef\xbb\xbf)?#![ \t]*([^\r\n]*)")
_VERSION = re.compile(r"[\d.]+\Z")


def language_of(path: str, head: bytes | None = None) -> str | None:
    """The language of a file by its name, else by the `#!` line of its first bytes, else None.

    Args:
        path: repository-relative, with `/`.
        head: the first bytes of the file, which tell where a name has no suffix; None where they are not at hand.
    """
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    # `.ts` alone is a hidden file without a suffix.
    if dot and stem:
        return SUFFIXES.get("." + suffix.lower())
    if head is None:
        return None
    return _language_of_shebang(head)


def is_config(path: str) -> bool:
    """Whether linking reads this file as text to resolve module names."""
    name = path.rpartition("/")[2]
    return name in _CONFIG_NAMES or _CONFIG_PATTERN.match(name) is not None


def _language_of_shebang(head: bytes) -> str | None:
    found = _SHEBANG.match(head)
    if found is None:
        return None
    words = found.group(1).decode("utf-8", "replace").split()
    if not words:
        return None
    program = words[0].rpartition("/")[2]
    if program == "env":
        # `#!/usr/bin/env -S NODE_ENV=test node --flag`
        rest = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        program = rest[0].rpartition("/")[2] if rest else ""
    return SHEBANGS.get(_VERSION.sub("", program))
