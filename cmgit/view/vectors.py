"""Vectors of a view's units: the wanted text keys, looked up in the vector segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.core.record import record
from cmgit.store.segments import TextsSegment, VectorsSegment
from cmgit.view.layout import FilePlace, IntArray, Units, locations, ranges, spread

KeyMatrix = npt.NDArray[np.uint8]


@record
class WantedTexts:
    """Every text that the view's units want, in view order: view row of the unit, and key, uint8 (texts, 16)."""

    units: IntArray
    keys: KeyMatrix

    def __len__(self) -> int:
        return len(self.units)


@record
class UnitVectors:
    """One row for each wanted text that has a vector, in view order; a unit may have several (windows).

    matrix: int8 (rows, dimensions). scales: float32 (rows,). units: view row of each. missing: wanted texts without.
    """

    matrix: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    units: IntArray
    missing: int


def wanted_texts(places: Sequence[FilePlace], units: Units, segments: Sequence[TextsSegment]) -> WantedTexts:
    starts, counts = ranges(locations([place.texts for place in places]), [s.offsets for s in segments])
    take = spread(starts, counts)
    if not len(take):
        return WantedTexts(np.zeros(0, np.int64), np.zeros((0, 16), np.uint8))
    local = np.concatenate([np.asarray(s.unit, np.int64) for s in segments])[take]
    keys = np.concatenate([s.matrix for s in segments])[take]
    return WantedTexts(local + np.repeat(units.first[:-1], counts), keys)


def unit_vectors(wanted: WantedTexts, segments: Sequence[VectorsSegment]) -> UnitVectors:
    """Join wanted texts with the vectors that exist; the result does not depend on how segments are cut."""
    places = np.full(len(wanted), NONE, np.int64)
    base = 0
    for segment in segments:
        sought = np.flatnonzero(places == NONE)
        rows = segment.find(wanted.keys[sought])
        places[sought] = np.where(rows != NONE, rows + base, NONE)
        base += len(segment)
    have = places != NONE
    missing = int(np.count_nonzero(~have))
    if missing == len(places):
        return UnitVectors(np.zeros((0, 0), np.int8), np.zeros(0, np.float32), np.zeros(0, np.int64), missing)
    filled = [s for s in segments if len(s)]
    matrix = np.concatenate([s.matrix for s in filled])[places[have]]
    scales = np.concatenate([s.scales for s in filled])[places[have]]
    return UnitVectors(matrix, scales, wanted.units[have], missing)


def missing_keys(wanted: WantedTexts, segments: Sequence[VectorsSegment]) -> set[bytes]:
    """Distinct keys that no segment has a vector for."""
    lacking = np.arange(len(wanted))
    for segment in segments:
        lacking = lacking[segment.find(wanted.keys[lacking]) == NONE]
    return {row.tobytes() for row in wanted.keys[lacking]}
