"""The distinct values of columns, with how many rows hold each."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.methods.information.discretisation.value_counts import ValueCounts


def columns_of(counts):
    return [
        dict(zip(counts.values[a:b].tolist(), counts.counts[a:b].tolist(), strict=True))
        for a, b in zip(counts.starts[:-1], counts.starts[1:], strict=True)
    ]


def counted(column):
    seen = column[~np.isnan(column)]
    return {float(value): int((seen == value).sum()) for value in np.unique(seen)}


def test_three_columns_worked_by_hand():
    counts = ValueCounts.of_table(np.array([[2, 0, 1], [0, 0, 0], [0, 4, 0]]), np.array([5, 0, -1]))
    assert columns_of(counts) == [{5.0: 2, 7.0: 1}, {}, {0.0: 4}]
    assert counts.total().tolist() == [3, 0, 4]
    assert counts.ranks.tolist() == [0, 1, 0]
    assert counts.lowest.tolist() == [5.0, np.inf, 0.0]
    mean, spread = counts.mean_and_spread()
    # 5, 5, 7: mean 17/3, squares 4/9 + 4/9 + 16/9 = 24/9 over 2.
    assert mean[0] == pytest.approx(17 / 3, rel=1e-15)
    assert spread[0] == pytest.approx(np.sqrt(12 / 9), rel=1e-15)
    assert np.isnan(mean[1])
    assert (mean[2], spread[2]) == (0.0, 0.0)


def test_means_spreads_and_quantiles_are_those_of_numpy():
    rng = np.random.default_rng(0)
    for offset in (0.0, 1e8):
        column = rng.integers(0, 12, 301) + offset
        counts = ValueCounts.of_column(np.append(column, np.nan))
        mean, spread = counts.mean_and_spread()
        assert mean[0] == pytest.approx(column.mean(), rel=1e-15)
        assert spread[0] == pytest.approx((column - offset).std(ddof=1), rel=1e-13)
        shares = np.arange(1, 7) / 7
        assert_array_equal(counts.lower_quantiles(shares)[0], np.quantile(column, shares, method="lower"))
    assert ValueCounts.of_column(np.full(9, 0.1)).mean_and_spread()[1][0] == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sparse_matrix_has_the_values_of_the_dense_one(dtype):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 12)) < 0.3, rng.integers(-2, 4, (40, 12)) / 2, 0).astype(dtype)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 3], X[:, 4], X[:, 5] = 0.0, np.arange(1, 41), np.nan
    matrix = sparse.csc_matrix(X)
    matrix.data[:3] = 0.0  # stored, and zero all the same
    X = matrix.toarray()
    counts, of_entry, of_zero = ValueCounts.of_sparse(matrix)
    assert columns_of(counts) == [counted(column) for column in X.T.astype(np.float64)]
    stored = np.repeat(np.arange(12), np.diff(matrix.indptr))
    for entry, (column, value) in enumerate(zip(stored, matrix.data, strict=True)):
        at = of_entry[entry]
        assert at == -1 if np.isnan(value) else counts.values[at] == value and counts.columns[at] == column
    for column, at in enumerate(of_zero):
        n_stored = matrix.indptr[column + 1] - matrix.indptr[column]
        assert at == -1 if n_stored == 40 else counts.values[at] == 0 and counts.columns[at] == column
    assert_allclose(counts.mean_and_spread()[0][0], np.nanmean(X[:, 0]), rtol=1e-6)
