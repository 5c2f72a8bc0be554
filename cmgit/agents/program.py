"""What a hook is told to run: this installation's script and interpreter. Standard library only, and little of it."""

from __future__ import annotations

import os
import sys

import cmgit

SCRIPT = "git-hook.sh"


def hook_script() -> str | None:
    """The shell script that every git hook runs; None in an installation that lost it.

    It lies in the package of a wheel, and beside the package in a checkout.
    """
    package = os.path.dirname(os.path.abspath(cmgit.__file__))  # noqa: PTH100, PTH120 - pathlib costs a hook 5 ms
    for folder in (package, os.path.dirname(package)):  # noqa: PTH120
        path = os.path.join(folder, "hooks", SCRIPT)  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            return path
    return None


def interpreter() -> tuple[str, str]:
    """The absolute path of this Python, and the flag that keeps a repository's files out of its module path.

    `-I` also leaves out the environment and the user's site folder; where cmgit is installed in the latter, `-P` has
    to do. Without either, `-m` would look for modules in the folder that the hook runs in.
    """
    import site

    user = os.path.realpath(site.getusersitepackages())
    package = os.path.realpath(cmgit.__file__)
    # `python` and `python3` of one folder are the same: a hook's text must not depend on which of them asked.
    usual = os.path.join(os.path.dirname(sys.executable), "python3")  # noqa: PTH118, PTH120
    same = os.path.exists(usual) and os.path.samefile(usual, sys.executable)  # noqa: PTH110, PTH121
    return usual if same else sys.executable, "-P" if package.startswith(user + os.sep) else "-I"
