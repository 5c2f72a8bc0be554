"""Word postings of a view: per-segment postings, masked to the files that the view has, as view rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import NONE
from cmgit.store.segments import TermsSegment
from cmgit.view.layout import FilePlace, IntArray, Units, spread


class Postings:
    """Which units hold a term, and how often in which field. Statistics are exact integers over the view's units."""

    def __init__(self, places: Sequence[FilePlace], units: Units, segments: Sequence[TermsSegment]) -> None:
        self._places, self._units, self._segments = places, units, segments
        rows: list[list[tuple[int, int]]] = [[] for _ in segments]
        for index, place in enumerate(places):
            segment, row = place.terms
            if segment != NONE:
                rows[segment].append((row, index))
        # One blob may stand at several paths: its row then maps to several files.
        self._maps = [np.array(sorted(pairs), np.int64).reshape(-1, 2) for pairs in rows]

    def postings(self, term: str) -> tuple[IntArray, npt.NDArray[np.uint32]]:
        """View rows that hold the term, ascending, and their packed counts (`core.tables.pack_counts`)."""
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
        for index, place in enumerate(self._places):
            segment, row = place.terms
            if segment != NONE:
                lengths = np.asarray(self._segments[segment].lengths(row), np.int64)
                first = int(self._units.first[index])
                out[first : first + len(lengths)] = lengths
        return out
