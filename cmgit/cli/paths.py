"""Paths as a user types them → paths in the repository."""

from __future__ import annotations

import os

from cmgit.cli.session import current_folder
from cmgit.core.errors import UsageError
from cmgit.core.records import path_text
from cmgit.git.locate import Location


def repository_path(location: Location, typed: str) -> str:
    """A path relative to the current folder (or absolute) as a path in the repository.

    Raises:
        UsageError: it points outside.
    """
    if location.top is None:
        return typed.strip("/")
    folder, name = os.path.split(os.path.normpath(os.path.join(current_folder(), typed)))  # noqa: PTH118
    # The folder may have been entered through a link, and git names the real one; the last part stays as it is.
    for base, place in ((location.top, folder), (os.path.realpath(location.top), os.path.realpath(folder))):
        relative = os.path.relpath(os.path.join(place, name), base)  # noqa: PTH118
        if relative != ".." and not relative.startswith(".." + os.sep):
            return path_text(os.fsencode(relative.replace(os.sep, "/")))
    raise UsageError(f"{typed} is outside this repository", f"paths must lie below {location.top}")
