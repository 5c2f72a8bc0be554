"""The text that stands in a hook, and how it is put into a script that is there already. Pure: bytes in, bytes out.

A shell script keeps its name and gets a block of lines after its first one: husky's scripts look at `$0`, so a renamed
script would not find its parts. Anything else (a link, another language, a file without the executable bit) is moved
aside and called by a small script of ours. Taking the block away gives the bytes that were there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

CHAINED_SUFFIX = ".git-cm-chained"
SHEBANG = b"#!/bin/sh\n"
END = b"# <<< git-cm\n"
_SHELL = re.compile(rb"#! *(?:/[^ \n]*/)?(?:env +)?(?:sh|bash|dash|zsh|ksh)(?: +-[aefhuvx]+)* *\n")


@dataclass(frozen=True, slots=True)
class Program:
    """What the hooks run: the script and interpreter of one installation, and the interpreter's flag."""

    script: str
    python: str
    flag: str


class Kind(Enum):
    """How the block got there; the value ends its first line."""

    FILE = "the file is ours"
    BLOCK = "these lines are ours"
    CHAIN = "the file is ours and calls the one that was here"


_BEGIN = {kind: f"# >>> git-cm: {kind.value}; `git cm uninstall git` takes them away\n".encode() for kind in Kind}
_BLOCK = re.compile(b"(" + b"|".join(re.escape(line) for line in _BEGIN.values()) + rb").*?" + re.escape(END), re.S)


def call(event: str, script: str, python: str, flag: str, separator: str = "\n", where: str = "") -> str:
    """Shell text that starts the hook and cannot fail: nothing where cmgit is gone, `git-cm` of the PATH where only
    this installation is.

    Args:
        separator: between commands. where: an assignment for the call, with its separator.
    """
    quoted, words = shlex.quote(script), shlex.join([python, flag, event])
    # A subshell that reads the script: no second shell has to be started, and nothing of it reaches the caller.
    run = f'(set +eu; {where}set -- {words} "$@"; . {quoted}) </dev/null >/dev/null 2>&1 || :'
    tests = [f"[ -r {quoted} ]; then", f"    {run}"]
    if event == "post-commit":
        # One pick of a rebase: its end has an event of its own (git-pkgs/git-pkgs#209).
        tests = ['[ -d "${GIT_DIR:-.git}/rebase-merge" ]; then', "    :", f"elif {tests[0]}", tests[1]]
    lines = [
        f"if {tests[0]}",
        *tests[1:],
        "elif command -v git-cm >/dev/null 2>&1; then",
        f'    git-cm hook {event} "$@" </dev/null >/dev/null 2>&1 || :',
        "fi",
    ]
    if separator == "\n":
        return "\n".join(lines) + "\n"
    return "".join(line.strip() + (" " if line.endswith("then") else "; ") for line in lines[:-1]) + lines[-1]


def block(kind: Kind, event: str, script: str, python: str, flag: str) -> bytes:
    """The lines of one event. Before a commit the script that was there runs first: it may change what is committed,
    or refuse."""
    text = call(event, script, python, flag)
    if event == "pre-commit" and kind is not Kind.FILE:
        text = (
            'if [ -z "${GIT_CM_CHAINED-}" ]; then\n'
            'GIT_CM_CHAINED=1 "$0" "$@" || exit $?\n'
            f"{text}"
            "exit 0\n"
            "fi\n"
            "unset GIT_CM_CHAINED\n"
        )
    return _BEGIN[kind] + encoded(text) + END


def chain_tail() -> bytes:
    return f'[ ! -x "$0{CHAINED_SUFFIX}" ] || exec "$0{CHAINED_SUFFIX}" "$@"\n'.encode()


def is_shell_script(data: bytes) -> bool:
    """Whether lines can be put after the first one."""
    return _SHELL.match(data) is not None


def with_block(data: bytes, lines: bytes) -> bytes:
    first = _SHELL.match(data)
    assert first is not None
    return data[: first.end()] + lines + data[first.end() :]


def split_block(data: bytes) -> tuple[Kind, bytes] | None:
    """The kind of our block in a script, and the script without it; None where there is no block."""
    found = _BLOCK.search(data)
    if found is None:
        return None
    kind = next(kind for kind, line in _BEGIN.items() if line == found[1])
    return kind, data[: found.start()] + data[found.end() :]


def config_command(event: str, script: str, python: str, flag: str, *, only_indexed: bool) -> str:
    """The value of `hook.NAME.command`: git appends its arguments, so it ends with the name of a function."""
    where = "CMGIT_WHERE=indexed; " if only_indexed else ""
    return f"git_cm() {{ {call(event, script, python, flag, '; ', where)}; return 0; }}; git_cm"


def line_for_scripts(*, only_indexed: bool = False) -> str:
    """For scripts that are not ours to change: the same line for each of them, as their last one."""
    where = "CMGIT_WHERE=indexed " if only_indexed else ""
    return f'! command -v git-cm-hook >/dev/null || {where}git-cm-hook "${{0##*/}}" "$@"\n'


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def names(events: Sequence[str]) -> str:
    return ", ".join(events)
