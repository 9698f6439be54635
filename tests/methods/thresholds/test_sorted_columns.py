"""Sweeps over sorted columns in the compiled core: nothing out of bounds."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._core import (
    bin_columns,
    distribution_distances,
    sort_columns,
    sort_sparse_columns,
    stump_bounds,
    stumps_right,
)

VALUES = np.random.default_rng(0).random((6, 3))
SWEEPS = {distribution_distances: np.float64, stumps_right: np.int64}


def swept(sweep, codes=(0, 0, 1, 1, 2, 2), counts=(1,) * 6, n_classes=3, n_out=3):
    out = np.empty(n_out, dtype=SWEEPS[sweep])
    codes, counts = np.array(codes, dtype=np.int32), np.array(counts, dtype=np.int64)
    among = () if sweep is distribution_distances else (np.arange(3),)
    sweep(sort_columns(VALUES, 2), codes, counts, n_classes, *among, out, 2)
    return out


def from_held(values=(1.0, 2.0), rows=(0, 5), starts=(0, 1, 2), n_rows=6):
    rows, starts = np.array(rows, dtype=np.int32), np.array(starts, dtype=np.int32)
    return sort_sparse_columns(np.array(values, dtype=float), rows, starts, n_rows, 2)


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: sweep.__name__)
@pytest.mark.parametrize(
    "wrong",
    [
        {"codes": (0,) * 5}, {"codes": (0, 0, 1, 1, 2, 3)}, {"codes": (0, 0, 1, 1, 2, -1)}, {"counts": (1,) * 5},
        {"counts": (1, 1, 1, 1, 1, -1)}, {"counts": (2**60,) * 6}, {"n_classes": 0}, {"n_classes": 2}, {"n_out": 2},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_refused(sweep, wrong):
    swept(sweep)
    with pytest.raises(ValueError):
        swept(sweep, **wrong)


@pytest.mark.parametrize(
    "wrong", [{"rows": (0, 6)}, {"rows": (0, -1)}, {"rows": (0,)}, {"starts": (0, 3, 2)}, {"starts": (0, 1, 3)},
              {"starts": (1, 1, 2)}, {"starts": ()}, {"n_rows": 2**31}],
    ids=str,
)  # fmt: skip
def test_a_sparse_matrix_that_does_not_fit_is_refused(wrong):
    assert (from_held().n_rows, from_held().n_columns) == (6, 2)
    with pytest.raises(ValueError):
        from_held(**wrong)


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_tables_without_rows_or_columns_are_swept_over(shape):
    ordered = sort_columns(np.empty(shape), 2)
    codes, counts = np.zeros(shape[0], dtype=np.int32), np.ones(shape[0], dtype=np.int64)
    distances, right = np.zeros(shape[1]), np.zeros(shape[1], dtype=np.int64)
    distribution_distances(ordered, codes, counts, 2, distances, 2)
    stumps_right(ordered, codes, counts, 2, np.arange(shape[1]), right, 2)
    assert np.isnan(distances).all()
    assert (right == 0).all()


@pytest.mark.parametrize("n_rows", [1, 40, 3000])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", ["numbers", "counts", "two values", "mostly equal", "missing", "constant"])
def test_bounds_by_bins_are_never_below_what_stumps_get_right(kind, n_classes, n_rows):
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(0, n_classes, n_rows).astype(np.int32)
    counts = rng.integers(0, 1 << 40, n_rows)
    values = rng.normal(size=(n_rows, 6)) + 0.5 * codes[:, None]
    if kind == "counts":
        values = np.rint(3 * values)
    elif kind == "two values":
        values = np.where(values > 0.3, 1.0, 0.0)
    elif kind == "mostly equal":
        values[rng.random(values.shape) < 0.8] = 0.1  # a long run of equal values is not listed
    elif kind == "missing":
        values[rng.random(values.shape) < 0.3] = np.nan
    elif kind == "constant":
        values[:, :3] = 2.0
        values[:, 3] = np.nan
    ordered = sort_columns(values, 1)
    right, bounds, again = (np.empty(6, dtype=np.int64) for _ in range(3))
    stumps_right(ordered, codes, counts, n_classes, np.arange(6), right, 1)
    stump_bounds(bin_columns(ordered, codes, n_classes, 1), counts, bounds, 1)
    stump_bounds(bin_columns(ordered, codes, n_classes, 3), counts, again, 3)
    assert (bounds >= right).all()
    np.testing.assert_array_equal(again, bounds)
    if kind in ("two values", "constant") or n_rows == 1:
        exact = slice(3) if kind == "constant" else slice(None)
        np.testing.assert_array_equal(bounds[exact], right[exact])  # every threshold lies between two bins
    elif n_rows == 3000:
        assert (bounds - right <= 0.02 * counts.sum()).all()


@pytest.mark.parametrize("wrong", [{"codes": (0,) * 5}, {"codes": (0, 0, 1, 1, 2, 3)}, {"n_out": 2}], ids=str)
def test_bins_that_do_not_fit_are_refused(wrong):
    def bounds(codes=(0, 0, 1, 1, 2, 2), n_out=3):
        binned = bin_columns(sort_columns(VALUES, 1), np.array(codes, dtype=np.int32), 3, 1)
        stump_bounds(binned, np.ones(6, dtype=np.int64), np.empty(n_out, dtype=np.int64), 1)

    bounds()
    with pytest.raises(ValueError):
        bounds(**wrong)
