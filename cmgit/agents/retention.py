"""`cacheRetention` of DeepSeek Harness: how long the providers of its pi-ai adapter keep the start of a conversation.

The setting stands in `settings.yaml` with each provider. Without it a provider's own default counts ("short", for
Anthropic five minutes); "long" is an hour there and a day at OpenAI, and writing costs more once; "none" marks nothing,
so that every request pays for the whole conversation anew. The route to DeepSeek itself has no such setting: its cache
is always on.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from cmgit.agents.changes import Change, WriteFile, content

MARK = "# git-cm"
_SECTION = "llm-pi-ai"


def install_changes(folder: Path, wanted: str | None) -> tuple[list[Change], list[str]]:
    """The settings with `wanted` for each provider that has none, and what the person has to know."""
    path, data = _read(folder)
    text = data.decode("utf-8", "surrogateescape") if data is not None else ""
    providers = _providers(text)
    if wanted is None:
        if not providers or all(kept for _, _, kept in providers):
            return [], []
        return [], [
            "cacheRetention is not set for " + ", ".join(name for name, _, kept in providers if not kept) + ": what a "
            "prompt brings stays in the conversation and is read from the provider's cache with each request, for five "
            "minutes after the last one; `git cm install dsh --cache-retention long` makes that an hour, for a dearer "
            "first write"
        ]
    if not providers:
        return [], [
            f"no provider stands below {_SECTION}.providers in {path}: --cache-retention has nothing to set "
            "(DeepSeek's own route caches by itself)"
        ]
    lines = _without(text).split("\n")
    for _, number, kept in reversed(_providers("\n".join(lines))):
        if not kept:
            indent = re.match(r" *", _first_member(lines, number))
            lines.insert(number + 1, f"{indent[0] if indent else ''}cacheRetention: {wanted} {MARK}")
    return _change(path, data, "\n".join(lines)), []


def uninstall_changes(folder: Path) -> list[Change]:
    path, data = _read(folder)
    return [] if data is None else _change(path, data, _without(data.decode("utf-8", "surrogateescape")))


def _read(folder: Path) -> tuple[Path, bytes | None]:
    path = (folder / "settings.yaml").resolve()
    return path, content(path)


def _change(path: Path, data: bytes | None, after: str) -> list[Change]:
    written = after.encode("utf-8", "surrogateescape")
    if data is None or written == data:
        return []
    return [WriteFile(path, data, written, stat.S_IMODE(path.stat().st_mode))]


def _without(text: str) -> str:
    return re.sub(rf"^ +cacheRetention: \w+ {re.escape(MARK)}\r?\n", "", text, flags=re.M)


def _providers(text: str) -> list[tuple[str, int, bool]]:
    """Name, line and whether it has the setting, for each provider written as a block of its own."""
    lines = text.split("\n")
    top = next((n for n, line in enumerate(lines) if re.match(rf"{_SECTION}:\s*(#.*)?$", line)), -1)
    block = _block(lines, top)
    head = next((n for n in block if re.match(r" +providers:\s*(#.*)?$", lines[n])), -1)
    members = _block(lines, head)
    depth = _depth(lines[members[0]]) if members else 0
    found = []
    for number in members:
        name = re.match(r" +([\w.-]+):\s*(#.*)?$", lines[number])
        if name is not None and _depth(lines[number]) == depth:
            inner = _block(lines, number)
            if inner:
                own = [n for n in inner if _depth(lines[n]) == _depth(lines[inner[0]])]
                found.append((name[1], number, any(lines[n].lstrip().startswith("cacheRetention:") for n in own)))
    return found


def _block(lines: list[str], head: int) -> list[int]:
    """Numbers of the lines below a key, without empty ones and comments."""
    if head < 0:
        return []
    inside = []
    for number in range(head + 1, len(lines)):
        line = lines[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if _depth(line) <= _depth(lines[head]):
            break
        inside.append(number)
    return inside


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _first_member(lines: list[str], head: int) -> str:
    return lines[_block(lines, head)[0]]
