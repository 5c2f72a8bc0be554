"""The pre-commit framework (and prek, which reads the same file): one block of text in `.pre-commit-config.yaml`.

The file is edited as text, so that its order, comments and quoting stay; where its form leaves any doubt, nothing is
edited and the block is shown instead.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from cmgit.agents.changes import Change, RemoveFile, WriteFile, content
from cmgit.core.errors import CmgitError

CONFIG_FILE = ".pre-commit-config.yaml"
HOOK_TYPES = ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite")
_BEGIN = "# >>> git-cm: `git cm uninstall pre-commit` takes these lines away"
_END = "# <<< git-cm"
_NEW_FILE = "repos:\n"
_REPOS = re.compile(r"repos: *(?:#.*)?")
_ITEM = re.compile(r"( *)- ")

# A machine without cmgit has a hook that does nothing, never one that fails: `unset` commands block every commit of a
# colleague.
_HOOK = """\
- repo: local
  hooks:
  - id: cm-stage
    name: cmgit, parse what is committed
    entry: sh -c 'git-cm-hook pre-commit || git-cm hook pre-commit || exit 0'
    language: system
    stages: [pre-commit]
    always_run: true
    pass_filenames: false
  - id: cm-index
    name: cmgit, index HEAD
    entry: sh -c 'git-cm-hook post-commit || git-cm hook post-commit || exit 0'
    language: system
    stages: [post-commit, post-checkout, post-merge, post-rewrite]
    always_run: true
    pass_filenames: false
"""


def activate_command() -> str:
    """What puts the framework's own scripts in place."""
    return "pre-commit install " + " ".join(f"-t {kind}" for kind in HOOK_TYPES)


def install_changes(top: Path) -> list[Change]:
    """The addition to the configuration; empty when it stands there.

    Raises:
        CmgitError: the file has a form in which a place cannot be chosen with certainty; the hint is what to add.
    """
    path = top / CONFIG_FILE
    data = content(path)
    if data is None:
        return [WriteFile(path, None, (_NEW_FILE + block("")).encode(), 0o644)]
    before = data.decode("utf-8", "surrogateescape")
    if _BEGIN in before:
        return []
    after = with_block(before)
    if after is None:
        raise CmgitError(
            f"{CONFIG_FILE} is not edited: its list of repos is written in a way that leaves a doubt where to add",
            "add this to the list yourself:",
            _HOOK,
        )
    return [WriteFile(path, data, after.encode("utf-8", "surrogateescape"), stat.S_IMODE(path.stat().st_mode))]


def uninstall_changes(top: Path) -> list[Change]:
    """Takes the block away; the file too where the block is all of it."""
    path = top / CONFIG_FILE
    data = content(path)
    if data is None:
        return []
    before = data.decode("utf-8", "surrogateescape")
    after = without_block(before)
    if after == before:
        return []
    if after == _NEW_FILE:
        return [RemoveFile(path, data)]
    return [WriteFile(path, data, after.encode("utf-8", "surrogateescape"), stat.S_IMODE(path.stat().st_mode))]


def block(indent: str, newline: str = "\n") -> str:
    lines = [_BEGIN, *_HOOK.splitlines(), _END]
    return "".join(f"{indent}{line}{newline}" for line in lines)


def with_block(text: str) -> str | None:
    """The text with the block after the last item of `repos`, None where that place is in doubt."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    bare = [line.removesuffix("\r") for line in lines]
    starts = [number for number, line in enumerate(bare) if line.startswith("repos:")]
    documents = [line for line in bare if line in ("---", "...")]
    if len(starts) != 1 or not _REPOS.fullmatch(bare[starts[0]]) or "\t" in text or bare[-1] != "":
        return None
    if (
        len(documents) > 1
        or (documents and bare.index(documents[0]) > starts[0])
        or (newline == "\r\n" and "\n" in text.replace("\r\n", ""))
    ):
        return None
    indent: str | None = None
    last = starts[0]
    for number in range(starts[0] + 1, len(bare)):
        line = bare[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM.match(line)
        if indent is None:
            if item is None:
                return None
            indent = item[1]
        depth = len(line) - len(line.lstrip())
        if depth < len(indent) or (depth == len(indent) and item is None):
            break
        if line.rstrip().endswith(("|", ">", "|-", ">-", "|+", ">+")):
            return None  # a block of text may hold lines that only look like structure
        last = number
    if indent is None:
        return None
    head = "\n".join(lines[: last + 1]) + "\n"
    return head + block(indent, newline) + "\n".join(lines[last + 1 :])


def without_block(text: str) -> str:
    found = re.search(rf"^ *{re.escape(_BEGIN)}\r?\n.*?^ *{re.escape(_END)}\r?\n", text, re.S | re.M)
    return text if found is None else text[: found.start()] + text[found.end() :]
