"""Ancestors of a commit → the columns that ranking reads, and the file that keeps them.

Kept is `cm/history/<commit>-<recipe>`: the columns, and the commits themselves, so that the next commit's history reads
only what is new. It is a cache: what is missing or damaged is made anew, and the answer is the same.
"""

from __future__ import annotations

import contextlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cmgit.core.atomic import TEMP_PREFIX, write_atomic
from cmgit.core.errors import CmgitError
from cmgit.core.history import History, PastChange, PastCommit
from cmgit.core.recipe import hash_modules
from cmgit.core.records import Role
from cmgit.git.locate import Location
from cmgit.git.past import ancestors, read_commits
from cmgit.git.plumbing import run_git
from cmgit.git.process import GitFailed
from cmgit.languages.roles import role_of
from cmgit.languages.table import SUFFIXES, language_of
from cmgit.words.recipe import words_recipe
from cmgit.words.split import terms_of

FOLDER = "history"
MOST_COMMITS = 1_000
MOST_KEPT = 8  # files; each is worth a second or two
MOST_CHARACTERS = 2_000  # of a message
MOST_PATHS = 30  # a commit that changed more sources is a sweep, and says nothing of each
MOST_LINES = 3  # of one place
_MAGIC = b"cmgit history 1\n"
_ASIDE = (Role.TEST, Role.FIXTURE, Role.VENDORED, Role.MINIFIED, Role.BUILD, Role.GENERATED)
_FOLDERS_ASIDE = ("test", "tests", "__tests__", "node_modules", "dist", "vendor", "fixtures")
_TRAILER = re.compile(r"^[A-Z][\w-]*-by\s*:.*$|^(?:change-id|cc|pr-url|refs)\s*:.*$", re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(r"\bhttps?://\S+|(?<!\w)(?:#\d+|GH-\d+)|\b[0-9a-f]{40}\b")
_COLUMNS = (
    "first", "commit", "count", "lengths", "changed_commit", "changed_path", "line_commit", "line_path", "line",
)  # fmt: skip
_NAMES = ("terms", "paths", "oids")


@cache
def history_recipe() -> str:
    modules = ("index/history.py", "git/past.py", "core/history.py", "languages")
    return hash_modules(modules, words_recipe())[:8]


def history_at(
    location: Location,
    commit: str,
    make: bool = True,
    blobs: Mapping[str, str] | None = None,
    told: Callable[[], Told] | None = None,
) -> History | None:
    """The history of a commit, kept or made now.

    Args:
        make: False takes only what is kept, and gives None where that is nothing.
        blobs: path → blob id of the commit's tree, where the caller has listed it.
        told: what `read_past` gives, where the caller has begun it.

    Raises:
        CmgitError: git cannot tell it (a partial clone lacks the blobs), or was ended from outside, twice.
    """
    place = place_of(location, commit)
    folder = place.parent
    kept = _load(place)
    if kept is not None:
        return kept[0]
    if not make:
        return None
    commits, words = read_past(location, commit) if told is None else told()
    history = history_of(commits, _blobs(location, commit) if blobs is None else blobs, words)
    # A store that cannot be written, or is removed meanwhile: the next reader makes it again.
    with contextlib.suppress(CmgitError, OSError):
        if Path(location.cm_dir).is_dir():
            write_atomic(place, _MAGIC + _encode(history, commits, words))
            _drop_old(folder)
    return history


def place_of(location: Location, commit: str) -> Path:
    """Where the history of a commit is kept."""
    return Path(location.cm_dir) / FOLDER / f"{commit}-{history_recipe()}"


def read_past(location: Location, commit: str) -> Told:
    """The commits, newest first, and the terms of those whose history was kept. Raises as `history_at`."""
    words = Words()
    folder = Path(location.cm_dir) / FOLDER
    try:
        return _read(location, commit, folder, words), words
    except GitFailed as error:
        if error.code >= 0:
            raise
        return _read(location, commit, folder, words), words  # killed by a signal: that says nothing of the repository


def _read(location: Location, commit: str, folder: Path, words: Words) -> list[PastCommit]:
    """The commit and those before it, newest first; what the newest kept file has of them is not read again."""
    oids = ancestors(location, commit, MOST_COMMITS)
    known = {past.oid: past for past in _newest(folder, words)}
    fresh = [oid for oid in oids if oid not in known]
    known.update({past.oid: _reduced(past) for past in read_commits(location, fresh, _pathspecs())})
    return [known[oid] for oid in oids]


class Words(dict[str, list[str]]):
    """Commit → terms of its message; those of older commits were kept, and splitting them all anew took half the time
    of a history."""

    def of(self, commit: PastCommit) -> list[str]:
        if commit.oid not in self:
            self[commit.oid] = message_terms(commit.message)
        return self[commit.oid]


Told = tuple[list[PastCommit], Words]


def history_of(commits: Iterable[PastCommit], blobs: Mapping[str, str], words: Words | None = None) -> History:
    """Columns of commits, newest first. blobs: path → blob id at the newest."""
    words = Words() if words is None else words
    by_term: dict[str, list[tuple[int, int]]] = {}
    lengths: list[int] = []
    changed: list[tuple[int, str]] = []
    lines: list[tuple[int, str, int]] = []
    files: dict[str, _Lines] = {}
    told = list(commits)
    # A sweep says nothing itself; it may move the lines of what others changed, and is followed in no other file.
    asked = {change.path for commit in told if len(commit.changes) <= MOST_PATHS for change in commit.changes}
    for commit in told:
        touched = [
            (change.path, line)
            for change in commit.changes
            if change.path in asked and change.path in blobs
            for line in files.setdefault(change.path, _Lines()).before(change)
        ]
        if not 0 < len(commit.changes) <= MOST_PATHS:
            continue
        row, counts = len(lengths), Counter(words.of(commit))
        lengths.append(counts.total())
        for term, count in counts.items():
            by_term.setdefault(term, []).append((row, count))
        changed += [(row, change.path) for change in commit.changes]
        lines += [(row, path, line) for path, line in touched]
    terms = tuple(sorted(by_term))
    paths = tuple(sorted({path for _, path in changed}))
    place = {path: i for i, path in enumerate(paths)}
    entries = [entry for term in terms for entry in by_term[term]]
    return History(
        terms=terms,
        first=_column([0, *np.cumsum([len(by_term[term]) for term in terms]).tolist()]),
        commit=_column([row for row, _ in entries]),
        count=_column([count for _, count in entries]),
        lengths=_column(lengths),
        paths=paths,
        oids=tuple(blobs.get(path, "") for path in paths),
        changed_commit=_column([row for row, _ in changed]),
        changed_path=_column([place[path] for _, path in changed]),
        line_commit=_column([row for row, _, _ in lines]),
        line_path=_column([place[path] for _, path, _ in lines]),
        line=_column([line for _, _, line in lines]),
    )


def message_terms(message: str) -> list[str]:
    return terms_of(_NUMBER.sub(" ", _TRAILER.sub(" ", message[:MOST_CHARACTERS])))


class _Lines:
    """Lines of one file as an older commit left it → lines of the newest blob, 0 for those that are gone."""

    def __init__(self) -> None:
        self._now: list[int] = []
        self._next = 1

    def before(self, change: PastChange) -> list[int]:
        """Step back over one commit; of the newest blob's lines a few for each place that the commit wrote."""
        written: list[int] = []
        for _, _, after, added in change.hunks:
            self._reach(after + added)
            span = self._now[after - 1 : after - 1 + added] if added else self._now[max(after - 1, 0) : after + 1]
            there = [line for line in span if line]
            written += sorted({there[0], there[len(there) // 2], there[-1]})[:MOST_LINES] if there else []
        for _, removed, after, added in reversed(change.hunks):
            if added:
                self._now[after - 1 : after - 1 + added] = [0] * removed
            else:
                self._now[after:after] = [0] * removed
        return written

    def _reach(self, line: int) -> None:
        missing = line + 1 - len(self._now)
        if missing > 0:
            self._now += range(self._next, self._next + missing)
            self._next += missing


def _column(values: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


@cache
def _speaks(path: str) -> bool:
    return language_of(path) is not None and role_of(path) not in _ASIDE


def _reduced(past: PastCommit) -> PastCommit:
    """What is kept of a commit: the beginning of its message, and sources; of a sweep its places alone."""
    changes = tuple(change for change in past.changes if _speaks(change.path))
    return PastCommit(past.oid, past.message[:MOST_CHARACTERS] if changes else "", changes)


@cache
def _pathspecs() -> tuple[str, ...]:
    """Sources, less the folders and files that are never asked about: their diffs are most of a history's bytes."""
    wanted = [f":(glob,icase)**/*{suffix}" for suffix in sorted(SUFFIXES)]
    aside = [f":(exclude,glob)**/{folder}/**" for folder in _FOLDERS_ASIDE]
    return (*wanted, *aside, ":(exclude,glob)**/*.min.js")


def _blobs(location: Location, commit: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in run_git(location, ["ls-tree", "-r", "-z", "--full-tree", commit]).split(b"\0"):
        head, _, path = entry.partition(b"\t")
        parts = head.split(b" ")
        if len(parts) == 3 and parts[1] == b"blob":
            found[path.decode("utf-8", "surrogateescape")] = parts[2].decode()
    return found


def _encode(history: History, commits: Sequence[PastCommit], words: Mapping[str, list[str]]) -> bytes:
    """Two parts, each with its length and checksum: the columns, and the commits."""
    names = {name: getattr(history, name) for name in _NAMES}
    sizes = {name: len(getattr(history, name)) for name in _COLUMNS}
    head = json.dumps([names, sizes]).encode()
    columns = b"".join(getattr(history, name).astype("<i4").tobytes() for name in _COLUMNS)
    raw = [
        [past.oid, past.message, [_flat(change) for change in past.changes], " ".join(words.get(past.oid, ()))]
        for past in commits
    ]
    parts = [len(head).to_bytes(4, "little") + head + columns, json.dumps(raw).encode()]
    packed = [zlib.compress(part, 3) for part in parts]
    return b"".join(len(part).to_bytes(4, "little") + zlib.crc32(part).to_bytes(4, "little") + part for part in packed)


def _flat(change: PastChange) -> tuple[str, list[int]]:
    return change.path, [number for hunk in change.hunks for number in hunk]


def _change(path: str, flat: Sequence[int]) -> PastChange:
    return PastChange(path, tuple(zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)))


def _load(place: Path) -> tuple[History, bytes] | None:
    """The columns of a kept file and its second part, still packed; None where it is missing or damaged."""
    try:
        data = place.read_bytes()
    except OSError:
        return None
    if not data.startswith(_MAGIC):
        return None
    first, rest = _part(data[len(_MAGIC) :])
    if first is None:
        return None
    length = int.from_bytes(first[:4], "little")
    names, sizes = json.loads(first[4 : 4 + length])
    columns: dict[str, Any] = {name: tuple(names[name]) for name in _NAMES}
    at = 4 + length
    for name in _COLUMNS:
        columns[name] = np.frombuffer(first, "<i4", sizes[name], at).astype(np.int64)
        at += 4 * sizes[name]
    return History(**columns), rest


def _part(data: bytes) -> tuple[bytes | None, bytes]:
    length, checksum = int.from_bytes(data[:4], "little"), int.from_bytes(data[4:8], "little")
    packed = data[8 : 8 + length]
    if not length or len(packed) != length or zlib.crc32(packed) != checksum:
        return None, b""
    return zlib.decompress(packed), data[8 + length :]


def _newest(folder: Path, words: dict[str, list[str]]) -> list[PastCommit]:
    """The commits of the history that was made last, by this recipe; the terms of their messages go to `words`."""
    for place in _by_age(folder):
        kept = _load(place) if place.name.endswith(history_recipe()) else None
        raw = _part(kept[1])[0] if kept else None
        if raw is not None:
            commits = json.loads(raw)
            words.update({oid: told.split(" ") for oid, _, _, told in commits if told})
            return [
                PastCommit(oid, message, tuple(_change(path, flat) for path, flat in changes))
                for oid, message, changes, _ in commits
            ]
    return []


def _by_age(folder: Path) -> list[Path]:
    """Files of the folder, the newest first, without those that are being written."""
    found: list[tuple[float, str, Path]] = []
    with contextlib.suppress(OSError):
        for place in folder.iterdir():
            if place.name.startswith(TEMP_PREFIX):
                continue
            with contextlib.suppress(OSError):
                found.append((-place.stat().st_mtime, place.name, place))
    return [place for _, _, place in sorted(found)]


def _drop_old(folder: Path) -> None:
    for place in _by_age(folder)[MOST_KEPT:]:
        with contextlib.suppress(OSError):
            place.unlink()
