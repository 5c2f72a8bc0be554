"""Word postings of a view: per-segment postings, masked to the files that the view has, as view rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.store.segments import TermsSegment
from cmgit.view.layout import FilePlace, IntArray, Units, locations, ranges, spread


class Postings:
    """Which units hold a term, and how often in which field. Statistics are exact integers over the view's units."""

    def __init__(self, places: Sequence[FilePlace], units: Units, segments: Sequence[TermsSegment]) -> None:
        self._places, self._units, self._segments = places, units, segments
        self._where = locations([place.terms for place in places])
        # One blob may stand at several paths: its row then maps to several files.
        self._maps = []
        for number in range(len(segments)):
            files = np.flatnonzero(self._where[:, 0] == number)
            order = np.argsort(self._where[files, 1], kind="stable")
            self._maps.append(np.stack([self._where[files, 1][order], files[order]], 1))

    def postings(self, term: str) -> tuple[IntArray, npt.NDArray[np.uint32]]:
        """View rows that hold the term, ascending, and their packed counts (`core.tables.FIELD_BITS`)."""
        found_units: list[IntArray] = []
        found_counts: list[npt.NDArray[np.uint32]] = []
        for segment, pairs in zip(self._segments, self._maps, strict=True):
            hit = segment.postings(term) if len(pairs) else None
            if hit is None:
                continue
            blob_row, unit, counts = hit.blob_row, hit.unit, hit.counts
            low = np.searchsorted(pairs[:, 0], blob_row, "left")
            copies = np.searchsorted(pairs[:, 0], blob_row, "right") - low
            files = pairs[spread(low.astype(np.int64), copies.astype(np.int64)), 1]
            found_units.append(self._units.first[:-1][files] + np.repeat(unit.astype(np.int64), copies))
            found_counts.append(np.repeat(counts.astype(np.uint32), copies))
        if not found_units:
            return np.zeros(0, np.int64), np.zeros(0, np.uint32)
        units, counts = np.concatenate(found_units), np.concatenate(found_counts)
        order = np.argsort(units, kind="stable")
        return units[order], counts[order]

    @cached_property
    def lengths(self) -> IntArray:
        """Occurrences of terms in each unit, shape (units,)."""
        out = np.zeros(len(self._units), np.int64)
        starts, counts = ranges(self._where, [s.unit_offsets for s in self._segments])
        targets = spread(self._units.first[:-1], counts)
        if len(targets):
            out[targets] = np.concatenate([s.unit_lengths for s in self._segments])[spread(starts, counts)]
        return out
