from __future__ import annotations

import numpy as np

from cmgit.embed.quantize import BLOCK_ROWS, quantize, scores


def unit_rows(count: int, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, 384)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_row_comes_back_within_half_a_step() -> None:
    rows = unit_rows(50)
    matrix, scales = quantize(rows)
    assert matrix.dtype == np.int8
    assert scales.dtype == np.float32
    assert np.abs(matrix).max() == 127
    assert (np.abs(matrix.astype(np.float32) * scales[:, None] - rows) <= scales[:, None] * 0.5001).all()


def test_a_rows_result_depends_on_that_row_alone() -> None:
    rows = unit_rows(300)
    matrix, scales = quantize(rows)
    for at in (0, 7, 299):
        alone, scale = quantize(rows[at : at + 1])
        assert (alone[0] == matrix[at]).all()
        assert scale[0] == scales[at]


def test_zeros_and_no_rows_are_fine() -> None:
    matrix, scales = quantize(np.zeros((2, 384), np.float32))
    assert not matrix.any()
    assert not scales.any()
    matrix, scales = quantize(np.zeros((0, 384), np.float32))
    assert matrix.shape == (0, 384)
    assert scores(np.ones(384, np.float32), matrix, scales).shape == (0,)


def test_scores_are_the_exact_products_across_blocks() -> None:
    rows = unit_rows(BLOCK_ROWS * 2 + 17)
    matrix, scales = quantize(rows)
    query = unit_rows(1, seed=2)[0]
    found = scores(query, matrix, scales)
    exact = (matrix.astype(np.float64) @ query.astype(np.float64)) * scales
    assert found.dtype == np.float32
    assert np.abs(found - exact).max() < 1e-5
    assert found.argmax() == (rows @ query).argmax()


def test_a_rows_own_vector_scores_highest() -> None:
    rows = unit_rows(500)
    matrix, scales = quantize(rows)
    assert all(scores(rows[at], matrix, scales).argmax() == at for at in (0, 250, 499))
