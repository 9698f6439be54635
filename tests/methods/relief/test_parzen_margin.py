"""Parzen-Relief's margins are those of the sums over all pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.criteria import ParzenMargin
from fewest.errors import InvalidParameter

from ...binding import bind
from ...reference.relief.parzen_relief import parzen_relief


def scores(X, y, weights=None, **parameters):
    return bind(ParzenMargin(**parameters), X, y, weights).score_features()


def test_four_rows_by_hand():
    # x = 0, 1 of class a and 2, 4 of class b, s = 1: k = exp(-d^2 / 2) at the distances between them.
    x, y = np.array([[0.0], [1.0], [2.0], [4.0]]), ["a", "a", "b", "b"]
    within_a, within_b = np.exp(-1 / 2), np.exp(-4 / 2)
    between = np.exp([-4 / 2, -16 / 2, -1 / 2, -9 / 2]).sum()
    # Balanced: the mean of the two means within, less the mean of the four kernels between.
    expected = ((within_a - between / 4) + (within_b - between / 4)) / 2
    assert_allclose(scores(x, y, width=1.0, scale=None), [expected], rtol=1e-12)
    # Printed: S_aa = 2 + 2 k, and so on, each over 2; over N = 4.
    printed = ((2 + 2 * within_a) / 2 - between / 2 + (2 + 2 * within_b) / 2 - between / 2) / 4
    assert_allclose(scores(x, y, width=1.0, scale=None, printed=True), [printed], rtol=1e-12)


def table(n, seed):
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 3, n - 1), 9)  # a class of one
    X = np.column_stack(
        [
            rng.normal(size=n) + y, rng.integers(0, 4, n), rng.standard_cauchy(n), 1e8 + rng.normal(size=n),
            1e-200 * rng.random(n), rng.random(n).round(1), np.full(n, 3.0), rng.integers(0, 40, n),
            np.where(rng.random(n) < 0.8, 0.0, rng.random(n) + y),
        ]
    )  # fmt: skip
    return X, y


@pytest.mark.parametrize("width", ["sd/2", "silverman", 0.01, 0.1, 1])
@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("n", [3, 30, 400])
def test_the_margins_are_those_of_all_pairs(n, printed, width):
    X, y = table(n, n)
    rng = np.random.default_rng(n + 1)
    with_missing = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    with_missing[:, 1] = np.nan
    for values in (X, with_missing):
        for weights in (None, rng.integers(1, 4, n).astype(float), rng.uniform(0.5, 3, n)):
            expected = parzen_relief(values, y, width, printed, weights)
            for stored in (values, sparse.csr_array(values), sparse.csc_array(values), np.asfortranarray(values)):
                found = scores(stored, y, weights, width=width, printed=printed)
                assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
            assert found[6] == 0.0


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_weight_is_a_repetition(data):
    n = data.draw(st.integers(2, 12))
    x = data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    y = [0, 1, *data.draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2))]
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if len({label for label, t in zip(y, times, strict=True) if t}) < 2:
        return
    X, y = np.array(x, dtype=float)[:, None], np.array(y)
    for printed in (False, True):
        weighted = scores(X, y, np.array(times, dtype=float), printed=printed)
        repeated = scores(np.repeat(X, times, axis=0), np.repeat(y, times), printed=printed)
        assert_allclose(weighted, repeated, rtol=1e-10, atol=1e-12)


def test_shifts_and_units_change_nothing():
    X, y = table(200, 5)
    for parameters in ({}, {"width": "silverman"}, {"width": 0.05}):
        expected = scores(X[:, :2], y, **parameters)
        assert_allclose(scores(1e-3 * X[:, :2] + 7, y, **parameters), expected, rtol=1e-9)


def test_a_column_seen_in_one_class_only_has_no_margin():
    X = np.array([[1.0, 5.0], [2.0, 4.0], [3.0, np.nan], [np.nan, np.nan]])
    assert scores(X, [0, 0, 1, 1])[1] == 0.0
    assert scores(X, [0, 0, 1, 1], printed=True)[1] == 0.0


def test_classes_of_one_row_leave_no_margin():
    assert_array_equal(scores(np.array([[1.0], [2.0]]), [0, 1]), [0.0])


def test_values_are_never_written_to():
    X, y = table(50, 0)
    for stored in (X, sparse.csc_array(X)):
        before = stored.copy()
        scores(stored, y)
        assert (abs(stored - before)).sum() == 0


@pytest.mark.parametrize("width", [0, -1.0, np.nan, np.inf, "sd", True, None, [1]])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(InvalidParameter, match="width must be a positive number or one of 'sd/2', 'silverman', got"):
        ParzenMargin(width=width)
    with pytest.raises(InvalidParameter, match="scale must be one of"):
        ParzenMargin(scale="unit")
