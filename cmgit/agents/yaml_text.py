"""Lines of ours in YAML that a person keeps, as text between two marks; nothing else in the file is touched."""

from __future__ import annotations

import re

BEGIN = "# >>> git-cm: `git cm uninstall` takes these lines away"
END = "# <<< git-cm"
_WAS_EMPTY = "# []"
_BLOCK = re.compile(rf"(\r?\n)?^{re.escape(BEGIN)}\r?\n(.*?)^{re.escape(END)}(\r?\n)?", re.S | re.M)


class Doubtful(Exception):
    """The text is written in a way that leaves a doubt where to add. Says why."""


def add_items(text: str, lines: list[str]) -> str:
    """The text with items at the end of its list, which is the whole document. Raises: Doubtful."""
    bare = remove(text)
    newline = "\r\n" if "\r\n" in bare else "\n"
    content = [line for line in bare.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if content == ["[]"]:
        block = newline.join([BEGIN, _WAS_EMPTY, *lines, END])
        return re.sub(r"^\[\]", lambda _: block, bare, count=1, flags=re.M)
    if content and not content[0].startswith("- "):
        raise Doubtful("it is no list of items that begin with `- `")
    if any(line[0] not in " -" for line in content):
        raise Doubtful("something else than items stands at its left edge")
    block = newline.join([BEGIN, *lines, END])
    if not bare or bare.endswith("\n"):
        return bare + block + newline
    return bare + newline + block


def remove(text: str) -> str:
    """The text without the lines of ours."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    before, after = text[: found.start()], text[found.end() :]
    first, last = found[1] or "", found[3] or ""
    if found[2].startswith(_WAS_EMPTY):
        return before + first + "[]" + last + after
    # A block at the end of a file without a last line break brought the one before it.
    return before + after if not last and not after else before + first + after
