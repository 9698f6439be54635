"""Class kernel sums in the compiled core: within the stated error, at every SIMD level, and nothing out of bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest._core import kernel_sums, sparse_kernel_sums

from ...core.levels import LEVELS, at_level
from ...reference.relief.parzen_relief import class_sums

#: The error of the sums: at most this share of a sum, and this for each pair of rows, besides rounding.
RELATIVE_ERROR, ABSOLUTE_ERROR = 1.1e-12, 1.5e-14


def summed(values, codes, width, weights=None, n_threads=1):
    values = np.ascontiguousarray(values, dtype=np.float64)
    codes = np.asarray(codes, dtype=np.int32)
    own, all_of_it = np.full((2, len(values), codes.max() + 1), np.nan)
    width = np.broadcast_to(np.asarray(width, dtype=np.float64), len(values)).copy()
    kernel_sums(values, codes, weights, np.nanmin(values, axis=1), width, own, all_of_it, n_threads)
    return own, all_of_it


def summed_sparse(values, codes, width, weights=None):
    """The same of what is not zero; values as [column][row]."""
    values, codes = np.asarray(values, dtype=np.float64), np.asarray(codes, dtype=np.int32)
    n_classes = codes.max() + 1
    own, all_of_it = np.full((2, len(values), n_classes), np.nan)
    columns, rows = np.nonzero(values)
    starts = np.searchsorted(columns, np.arange(len(values) + 1)).astype(np.int64)
    class_weights = np.bincount(codes, weights, minlength=n_classes).astype(np.float64)
    counts = np.bincount(codes, minlength=n_classes)
    arrays = (class_weights, counts, codes, weights, np.nanmin(values, axis=1), np.full(len(values), float(width)))
    sparse_kernel_sums(values[columns, rows], rows.astype(np.int64), starts, *arrays, own, all_of_it, 1)
    return own, all_of_it


def within_its_error(found, S, N_c):
    """S_cc and sum_d S_cd, against the exact ones, with some rounding."""
    own, all_of_it = found
    exact_own, exact_all = np.diag(S), S.sum(axis=1)
    for got, exact, pairs in ((own, exact_own, N_c**2), (all_of_it, exact_all, N_c * N_c.sum())):
        assert (np.abs(got - exact) <= (RELATIVE_ERROR + 1e-13) * exact + ABSOLUTE_ERROR * pairs).all()
        assert_allclose(got, exact, rtol=1e-10)


def lines(rng, n, codes):
    """Columns of every kind, over [0, 1]: as far apart as they can be, as near, on points of the grid and between."""
    heavy = rng.standard_cauchy(n)
    return [
        rng.random(n), rng.normal(size=n) + codes, heavy, rng.integers(0, 2, n), rng.integers(0, 17, n),
        rng.integers(0, 16, n), np.where(rng.random(n) < 0.9, 0, rng.random(n)), np.arange(n) // 2,
        np.where(np.arange(n) == 0, 1e3, rng.random(n)), codes + 1e-3 * rng.random(n), 0.4175 * rng.integers(0, 400, n),
    ]  # fmt: skip


def test_three_values_by_hand():
    # Class 0 at 0 and 1, class 1 at 3, width 1: kernels exp(-1/2), exp(-9/2), exp(-2).
    own, all_of_it = summed([[0.0, 1.0, 3.0]], [0, 0, 1], 1.0)
    a, b, c = np.exp([-0.5, -4.5, -2.0])
    assert_allclose(own, [[2 + 2 * a, 1.0]], rtol=1e-15)
    assert_allclose(all_of_it, [[2 + 2 * a + b + c, 1 + b + c]], rtol=1e-15)


@pytest.mark.parametrize("width", [1e-6, 0.01, 0.03, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("n", [2, 3, 17, 40, 500])
def test_the_stated_error_is_never_exceeded(n, width):
    rng = np.random.default_rng(n)
    codes = np.append(rng.integers(0, 3, n - 1), 3) if n > 3 else np.arange(n) % 2  # class 3 has one row
    codes = np.unique(codes, return_inverse=True)[1]
    for weights in (None, rng.choice([0.25, 1.0, 2.0, 30.0], n)):
        N_c = np.bincount(codes, weights).astype(np.float64)
        for x in lines(rng, n, codes):
            if np.ptp(x) > 0:
                x = (x - x.min()) / np.ptp(x)
                S = class_sums(x, codes, width, weights)
                own, all_of_it = summed([x], codes, width, weights)
                within_its_error((own[0], all_of_it[0]), S, N_c)
                own, all_of_it = summed_sparse([x], codes, width, weights)
                within_its_error((own[0], all_of_it[0]), S, N_c)


@pytest.mark.parametrize("width", [0.01, 0.2])
def test_five_thousand_rows_are_within_it_too(width):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 5000)
    x = rng.normal(size=5000) + codes
    x = (x - x.min()) / np.ptp(x)
    own, all_of_it = summed([x], codes, width)
    within_its_error((own[0], all_of_it[0]), class_sums(x, codes, width), np.bincount(codes).astype(float))


def test_a_grid_far_longer_than_its_values_is_passed_along_in_parts():
    # Values a few widths apart, over more points than are stored at a time, with distances of every length.
    rng = np.random.default_rng(0)
    apart = np.concatenate([rng.choice([0.0, 0.3, 5.0, 11.0, 12.0, 40.0, 1e4, 3e9], 600), np.full(3000, 7.0)])
    x = np.cumsum(rng.permutation(apart))
    codes = rng.integers(0, 3, len(x))
    within_its_error(
        tuple(sums[0] for sums in summed([x], codes, 1.0)), class_sums(x, codes, 1.0), np.bincount(codes).astype(float)
    )


def test_more_classes_than_points_are_kept_for():
    rng = np.random.default_rng(1)
    codes = np.arange(1400) % 700
    x = np.cumsum(rng.choice([0.1, 5.0, 60.0, 2000.0], 1400))
    kernel, is_member = np.exp(-((x[:, None] - x) ** 2) / 2), codes == np.arange(700)[:, None]
    own, all_of_it = summed([x], codes, 1.0)
    within_its_error((own[0], all_of_it[0]), is_member @ kernel @ is_member.T, np.full(700, 2.0))


def test_missing_values_are_not_there():
    rng = np.random.default_rng(2)
    x, codes = rng.random(300), rng.integers(0, 3, 300)
    gone = rng.random(300) < 0.3
    found = summed([np.where(gone, np.nan, x)], codes, 0.1)
    assert_array_equal(found, summed([x[~gone]], codes[~gone], 0.1))
    held = np.where(rng.random(300) < 0.5, 0.0, x)
    found = summed_sparse([np.where(gone, np.nan, held)], codes, 0.1)
    assert_allclose(found, summed([held[~gone]], codes[~gone], 0.1), rtol=1e-14)


def test_a_column_without_a_width_is_left_out():
    own, all_of_it = summed(np.random.default_rng(0).random((2, 50)), np.arange(50) % 2, [0.1, 0.0])
    assert (own[0] > 0).all()
    assert not own[1].any()
    assert not all_of_it[1].any()


@pytest.mark.parametrize("level", LEVELS)
def test_levels_and_threads_change_no_bit(level):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 5, 700)
    values, weights = np.array(lines(rng, 700, codes), dtype=np.float64), rng.random(700)
    width = 0.02 * np.ptp(values, axis=1)
    with at_level("base"):
        expected = summed(values, codes, width, weights)
    with at_level(level):
        for n_threads in (1, 4):
            assert_array_equal(summed(values, codes, width, weights, n_threads), expected)


def test_what_is_not_there_is_refused():
    codes, line, own = np.array([0, 1], dtype=np.int32), np.zeros(1), np.empty((1, 2))
    good = {
        "values": np.zeros((1, 2)), "codes": codes, "weights": None, "origin": line, "width": line, "own": own,
        "all": own.copy(),
    }  # fmt: skip
    kernel_sums(**good, n_threads=1)
    for wrong in (
        {"values": np.zeros((1, 3))}, {"values": np.zeros((2, 2))}, {"codes": codes + 1}, {"codes": -codes},
        {"weights": np.ones(3)}, {"origin": np.zeros(2)}, {"width": np.zeros(2)}, {"all": np.empty((1, 3))},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            kernel_sums(**{**good, **wrong}, n_threads=1)
    del good["values"]
    good |= {
        "values": np.ones(1), "rows": np.array([1]), "starts": np.array([0, 1]), "class_weights": np.ones(2),
        "class_counts": np.array([1, 1]),
    }  # fmt: skip
    sparse_kernel_sums(**good, n_threads=1)
    for wrong in (
        {"rows": np.array([2])}, {"rows": np.array([-1])}, {"starts": np.array([0, 2])}, {"starts": np.array([0])},
        {"starts": np.array([1, 0])}, {"starts": np.array([-1, 1])}, {"class_weights": np.ones(3)},
        {"class_counts": np.array([1])}, {"values": np.ones(2)},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            sparse_kernel_sums(**{**good, **wrong}, n_threads=1)
