"""`cm/notes/`, where packs are kept. Nothing in it is needed, and failing to write it is no failure."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

from cmgit.core.atomic import write_atomic
from cmgit.core.errors import CmgitError
from cmgit.core.recipe import hash_modules
from cmgit.notes.packs import Pack, Words, read_pack_bytes, read_words_bytes

KEPT_PACKS = 4
KEPT_POINTERS = 64
_READERS = tuple(f"notes/{name}.py" for name in ("front", "model", "packs", "parse", "uri", "yaml_door"))


@cache
def packs_recipe() -> str:
    """Changes whenever a row could."""
    return hash_modules(_READERS)[:8]


@cache
def words_recipe() -> str:
    """Changes whenever a term or a row could."""
    from cmgit.words.recipe import words_recipe

    return hash_modules((*_READERS, "notes/terms.py"), words_recipe())[:8]


@lru_cache(maxsize=4)
def _read_pack(path: str, _stamp: tuple[int, int]) -> Pack | None:
    try:
        return read_pack_bytes(Path(path).read_bytes())
    except OSError:
        return None


@lru_cache(maxsize=2)
def _read_words(path: str, _stamp: tuple[int, int]) -> Words | None:
    try:
        return read_words_bytes(Path(path).read_bytes())
    except OSError:
        return None


class PackFolder:
    def __init__(self, cm_dir: str) -> None:
        self.folder = Path(cm_dir) / "notes"

    def pack(self, name: str) -> Pack | None:
        return _read_pack(*found) if (found := self._stamped(f"{name}-{packs_recipe()}.heads")) else None

    def words(self, name: str) -> Words | None:
        return _read_words(*found) if (found := self._stamped(f"{name}-{words_recipe()}.words")) else None

    def newest(self) -> Pack | None:
        """The pack that was written last."""
        names = [n for n in self._newest_first(f"-{packs_recipe()}.heads") if not n.startswith("loose-")]
        return self.pack(names[0].rsplit("-", 1)[0]) if names else None

    def pointer(self, tree: str) -> tuple[str, dict[str, str]] | None:
        """The pack that serves a tree, and the notes that differ from it: path → oid, "" where there is none now."""
        try:
            name, recipe, differing = json.loads((self.folder / f"{tree}.at").read_bytes())
        except (OSError, ValueError, TypeError):
            return None
        return (name, differing) if recipe == packs_recipe() else None

    def write_pointer(self, tree: str, name: str, differing: dict[str, str]) -> None:
        self._write(f"{tree}.at", json.dumps([name, packs_recipe(), differing]).encode())
        self._prune(".at", KEPT_POINTERS)

    def write_pack(self, name: str, data: bytes) -> None:
        self._write(f"{name}-{packs_recipe()}.heads", data)
        self._prune(".heads", KEPT_PACKS)

    def write_words(self, name: str, data: bytes) -> None:
        self._write(f"{name}-{words_recipe()}.words", data)
        self._prune(".words", KEPT_PACKS)

    def _stamped(self, name: str) -> tuple[str, tuple[int, int]] | None:
        """A file with what tells it from another of the same name."""
        path = os.path.join(self.folder, name)  # noqa: PTH118 - a path object costs more than the look-up
        try:
            seen = os.stat(path)  # noqa: PTH116
        except OSError:
            return None
        return path, (seen.st_mtime_ns, seen.st_size)

    def _write(self, name: str, data: bytes) -> None:
        with suppress(CmgitError, OSError):
            write_atomic(self.folder / name, data)

    def _newest_first(self, suffix: str) -> list[str]:
        try:
            found = [(entry.stat().st_mtime_ns, entry.name) for entry in os.scandir(self.folder)]
        except OSError:
            return []
        return [name for _, name in sorted(found, reverse=True) if name.endswith(suffix)]

    def _prune(self, suffix: str, keep: int) -> None:
        for name in self._newest_first(suffix)[keep:]:
            with suppress(OSError):
                (self.folder / name).unlink()
