"""Vectors as int8 with a scale for each row, and exact search over them. numpy only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK_ROWS = 256
"""Rows cast to float32 at once: 400 KB at 384 dimensions, which stays in a core's own cache; 4,096 took 2.5 times as
long."""

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]


def quantize(vectors: Floats) -> tuple[Bytes, Floats]:
    """Symmetric int8 for each row.

    Args:
        vectors: float32[n, d].

    Returns:
        int8[n, d] in -127…127 and float32[n] scales: `matrix * scales[:, None]` is about `vectors`. A row of zeros has
        the scale 0. A row's result depends on that row alone.
    """
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if rows.size == 0:
        return rows.astype(np.int8), np.zeros(len(rows), np.float32)
    scales = np.abs(rows).max(axis=1) / np.float32(127)
    safe = np.where(scales > 0, scales, np.float32(1))
    return np.rint(rows / safe[:, None]).astype(np.int8), scales


def scores(query: Floats, matrix: Bytes, scales: Floats) -> Floats:
    """Cosine of a query to every row, exact over the int8 rows.

    Args:
        query: float32[d], unit length.
        matrix: int8[n, d]. scales: float32[n].

    Returns:
        float32[n].
    """
    found = np.empty(len(matrix), np.float32)
    wide = np.empty((min(BLOCK_ROWS, len(matrix)), matrix.shape[1]), np.float32)
    for start in range(0, len(matrix), BLOCK_ROWS):
        part = matrix[start : start + BLOCK_ROWS]
        rows = wide[: len(part)]
        rows[...] = part
        np.dot(rows, query, out=found[start : start + len(part)])
    found *= scales
    return found
