"""Rows spread over grids: in any parts, with the sums of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidInput
from fewest.methods.relief.class_kernel_sums import KernelGrids
from fewest.statistics.class_moments import ClassMoments

from ...reference.relief.parzen_relief import class_sums


def collected(statistic, X, y, weights=None):
    return ArraySource(X, Target(np.asarray(y), weights)).collect(statistic)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 4)) + y[:, None]
    X[:, 1] = np.where(rng.random(300) < 0.7, 0.0, X[:, 1])
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 7.0
    return X, y, rng.uniform(0.5, 3, 300)


WIDTH = np.array([0.1, 0.4, 2.0, 0.0])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_the_sums_are_those_of_all_pairs(table, form):
    X, y, weights = table
    moments = collected(ClassMoments(), X, y, weights)
    within, total = collected(KernelGrids(moments, WIDTH), form(X), y, weights).sums()
    by_label = np.argsort(moments.classes)
    for j in range(3):
        S = class_sums(X[:, j], y, WIDTH[j], weights)
        assert_allclose(within[j], np.diag(S), rtol=1e-11)
        assert_allclose(total[j], S.sum(axis=1), rtol=1e-11)
        assert_allclose(
            moments.weight[by_label, j], [weights[(y == c) & ~np.isnan(X[:, j])].sum() for c in range(3)], rtol=1e-14
        )
    assert not within[3].any()


def test_any_split_of_the_rows_gives_the_whole(table):
    X, y, weights = table
    moments = collected(ClassMoments(), X, y, weights)
    whole = collected(KernelGrids(moments, WIDTH), X, y, weights)
    merged = KernelGrids(moments, WIDTH)
    for rows in np.array_split(np.random.default_rng(1).permutation(300), 4):
        merged.merge(collected(merged.empty(), X[rows], y[rows], weights[rows]))
    merged.merge(merged.empty())
    assert_allclose(merged.sums(), whole.sums(), rtol=1e-13)
    assert merged.fingerprint() == whole.fingerprint()
    # A block of rows after the other is as all at once, to the bit.
    in_order = KernelGrids(moments, WIDTH)
    for rows in (slice(0, 7), slice(7, 200), slice(200, 300)):
        for block in ArraySource(X[rows], Target(y[rows], weights[rows])).blocks():
            in_order.update(block)
    assert_array_equal(in_order.sums(), whole.sums())


def test_values_outside_the_known_range_are_refused(table):
    X, y, _ = table
    moments = collected(ClassMoments(), X, y)
    for value in (1e9, -1e9):
        X[5, 0] = value
        with pytest.raises(InvalidInput, match="changed between the first and the second pass"):
            collected(KernelGrids(moments, WIDTH), X, y)


def test_a_grid_that_takes_too_much_is_refused(table):
    X, y, _ = table
    moments = collected(ClassMoments(), X, y)
    for narrow in (1e-9, 1e-300):
        with pytest.raises(InvalidInput, match="Give a larger width"):
            KernelGrids(moments, np.full(4, narrow))


def test_rows_of_weight_zero_may_lie_outside_the_range_of_the_others(table):
    X, y, weights = table
    weights = weights.copy()
    weights[:5], X[:5, 0] = 0.0, 1e6
    moments = collected(ClassMoments(), X, y, weights)
    grids = collected(KernelGrids(moments, WIDTH), X, y, weights)
    assert_array_equal(grids.sums()[0], collected(KernelGrids(moments, WIDTH), X[5:], y[5:], weights[5:]).sums()[0])
