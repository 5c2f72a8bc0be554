"""Recipes: a hash over everything that changes an output, derived by construction.

A recipe hashes the bytes of the modules that make the output, so nobody has to remember to raise a version. It is read
at every start, so it must cost little: a few small files, no import of what it names.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def hash_modules(folders_or_files: Iterable[str], *facts: str) -> str:
    """32 hex digits over source files of this package and further facts (versions, settings).

    Args:
        folders_or_files: relative to the package: `extract`, `core/facts.py`. A folder stands for its .py and .scm
            files and other data, without sub-folders.
        facts: further strings that change the output.
    """
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(folders_or_files):
        for file_name, path in _files(f"{PACKAGE}/{name}"):
            digest.update(file_name.encode() + b"\0")
            with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - a hundred files at every start: no Path
                digest.update(hashlib.blake2b(stream.read(), digest_size=16).digest())
    for fact in facts:
        digest.update(fact.encode() + b"\0")
    return digest.hexdigest()


def _files(place: str) -> list[tuple[str, str]]:
    """(name, path) of the files of a folder, sorted, or of the one file that `place` is."""
    if place.endswith((".py", ".scm")):
        return [(place.rsplit("/", 1)[-1], place)]
    with os.scandir(place) as entries:
        return sorted((entry.name, entry.path) for entry in entries if entry.is_file())


@cache
def distribution_version(distribution: str, module: str) -> str:
    """The installed version of a distribution, from the name of its metadata folder; "unknown" where there is none.

    `importlib.metadata` costs more than every other import of a reader; a folder listing does not.
    """
    spec = PathFinder.find_spec(module)
    if spec is None or spec.origin is None:
        return "unknown"
    origin = Path(spec.origin)
    site = origin.parent.parent if origin.name.startswith("__init__") else origin.parent
    prefix = distribution.replace("-", "_").lower() + "-"
    for name in _distributions(str(site)):
        if name.lower().startswith(prefix):
            return name[len(prefix) : -len(".dist-info")]
    return "unknown"


@cache
def _distributions(site: str) -> list[str]:
    return sorted(name for name in os.listdir(site) if name.endswith(".dist-info"))  # noqa: PTH208
