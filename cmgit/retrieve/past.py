"""What the past says of a prompt: files and units that commits with messages like it have changed."""

from __future__ import annotations

from bisect import bisect_left
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import NONE, UnitKind
from cmgit.core.history import History
from cmgit.core.record import record
from cmgit.retrieve import weights
from cmgit.retrieve.lexical import rarity
from cmgit.retrieve.ports import View
from cmgit.view.layout import distinct

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@record
class Past:
    """Shares, 1 for the best. similar: how like the prompt the messages of its commits are. often: how often it was
    changed, lately more. Of each file, and of each unit by the lines that are still there."""

    similar: Floats
    often: Floats
    unit_similar: Floats
    unit_often: Floats


@record
class _Touches:
    """Which commit changed which file, and which unit; each pair once. wide, unit_wide: root of how many of them each
    commit changed. fresh: 1 for the newest commit, falling with each that came after."""

    file_commit: Ints
    file: Ints
    unit_commit: Ints
    unit: Ints
    wide: Floats
    unit_wide: Floats
    fresh: Floats


_KNOWN: WeakKeyDictionary[View, _Touches] = WeakKeyDictionary()


def past(view: View, terms: dict[str, float]) -> Past | None:
    """Of all files and units of a view, for weighted terms; None where there is no history."""
    history = view.history()
    if history is None or not len(history) or not len(view.units):
        return None
    touches = _KNOWN.get(view)
    if touches is None:
        touches = _KNOWN[view] = _read(view, history)
    alike = _alike(history, terms) ** 2 * touches.fresh
    files, units = len(view.files), len(view.units)

    def told(commits: Ints, rows: Ints, values: Floats, many: int) -> Floats:
        return np.bincount(rows, weights=values[commits], minlength=many).astype(np.float64)

    return Past(
        np.sqrt(_share(told(touches.file_commit, touches.file, alike / touches.wide, files))),
        _share(np.log1p(told(touches.file_commit, touches.file, touches.fresh / touches.wide, files))),
        np.sqrt(_share(told(touches.unit_commit, touches.unit, alike / touches.unit_wide, units))),
        _share(np.log1p(told(touches.unit_commit, touches.unit, touches.fresh / touches.unit_wide, units))),
    )


def _share(values: Floats) -> Floats:
    best = float(values.max()) if len(values) else 0.0
    return values / best if best > 0 else values


def _alike(history: History, terms: dict[str, float]) -> Floats:
    """BM25 of each commit's message."""
    commits = len(history)
    norm = weights.PAST_K1 * (
        1.0 - weights.PAST_B + weights.PAST_B * history.lengths / max(float(history.lengths.mean()), 1.0)
    )
    found = np.zeros(commits, np.float64)
    for term, weight in terms.items():
        at = bisect_left(history.terms, term)
        if at < len(history.terms) and history.terms[at] == term:
            part = slice(int(history.first[at]), int(history.first[at + 1]))
            rows, counts = history.commit[part], history.count[part].astype(np.float64)
            gain = weight * rarity(commits, len(rows))
            found[rows] += gain * counts * (weights.PAST_K1 + 1.0) / (counts + norm[rows])
    return found


def _read(view: View, history: History) -> _Touches:
    files = np.array([NONE if i is None else i for i in map(view.file_index, history.paths)], np.int64)
    known = files[history.changed_path] != NONE
    # Lines are those of the blob at the commit: in a file that was edited since they mean nothing.
    same = [i != NONE and view.files[i].oid == oid for i, oid in zip(files.tolist(), history.oids, strict=True)]
    there = np.array(same, np.bool_)[history.line_path] if len(same) else np.zeros(0, np.bool_)
    units = _units_at(view, files[history.line_path[there]], history.line[there])
    held = units != NONE
    pairs = distinct(history.line_commit[there][held] * np.int64(len(view.units)) + units[held])
    unit_commit, unit = pairs // len(view.units), pairs % len(view.units)
    commits = len(history)

    def wide(rows: Ints) -> Floats:
        return np.sqrt(np.maximum(np.bincount(rows, minlength=commits), 1).astype(np.float64))

    return _Touches(
        history.changed_commit[known],
        files[history.changed_path[known]],
        unit_commit,
        unit,
        wide(history.changed_commit),
        wide(unit_commit),
        np.exp(-np.arange(commits) / weights.PAST_FADE),
    )


def _units_at(view: View, files: Ints, lines: Ints) -> Ints:
    """The innermost unit at each line of a file; NONE where only the file holds it."""
    column = view.units.column
    first, last = column("start_line").astype(np.int64), column("end_line").astype(np.int64)
    far = np.int64(1) << 32
    # Rows stand in the order of files and of their beginnings, so the last that begins before a line is in it or
    # stands beside it under a common owner.
    found = np.searchsorted(view.units.file * far + first, files * far + lines, side="right") - 1
    found = np.where((found >= 0) & (view.units.file[np.maximum(found, 0)] == files), found, NONE)
    for _ in range(64):
        beyond = (found != NONE) & (last[found] < lines)
        if not beyond.any():
            break
        found = np.where(beyond, view.units.owner[found], found)
    return np.where((found != NONE) & (column("kind")[found] != UnitKind.FILE), found, NONE)
