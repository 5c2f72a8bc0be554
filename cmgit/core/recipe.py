"""Recipes: a hash over everything that changes an output, derived by construction.

A recipe hashes the bytes of the modules that make the output, so nobody has to remember to raise a version. It is read
at every start, so it must cost little: a few small files, no import of what it names.
"""

from __future__ import annotations

import hashlib
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
        place = PACKAGE / name
        files = sorted(p for p in place.iterdir() if p.is_file()) if place.is_dir() else [place]
        for file in files:
            digest.update(file.name.encode() + b"\0")
            digest.update(hashlib.blake2b(file.read_bytes(), digest_size=16).digest())
    for fact in facts:
        digest.update(fact.encode() + b"\0")
    return digest.hexdigest()


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
    for folder in sorted(site.glob("*.dist-info")):
        if folder.name.lower().startswith(prefix):
            return folder.name[len(prefix) : -len(".dist-info")]
    return "unknown"
