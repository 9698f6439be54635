"""Pair moments of some rows, and what they are compared with."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.testing import assert_array_equal

from fewest.data.block import Block
from fewest.methods.scatter.pair_moments import PairMoments
from fewest.methods.scatter.pair_trace import shift_and_unit
from fewest.statistics.class_moments import origin_of

from ...reference.scatter.kernel_trace import scaled
from ...reference.scatter.products import exact_pair_scatter

SCALES = ("std", "range", "symmetric", None)


def empty_of(scale=None, with_total=True):
    return PairMoments(with_total, partial(origin_of, scale=scale))


def block_of(X, y, weights=None, classes=range(5), is_all=False):
    return Block(X, np.asarray(y, dtype=np.int32), list(classes), weights, is_all=is_all)


def statistic_of(X, y, weights=None, scale=None, with_total=True, is_all=True):
    statistic = empty_of(scale, with_total)
    statistic.update(block_of(X, y, weights, is_all=is_all))
    return statistic


def parts_of(X, y, edges, weights=None, scale=None, with_total=True):
    """A statistic for each run of rows; an empty one for none."""
    parts = []
    for start, stop in pairwise(edges):
        rows = slice(start, stop)
        block = block_of(X[rows], y[rows], None if weights is None else weights[rows])
        parts.append(empty_of(scale, with_total))
        if start < stop:
            parts[-1].update(block)
    return parts


def merged(parts):
    whole = parts[0].empty()
    for part in parts:
        whole.merge(part)
    return whole


def tables_of(statistic, scale=None):
    return statistic.scatter(*shift_and_unit(statistic, scale))


def exact_tables(X, y, scale=None, weights=None):
    return [np.array(table, dtype=np.float64) for table in exact_pair_scatter(X, y, scale, weights)]


def assert_agree(found, expected, size=None, rtol=1e-12):
    """Each to so much of the total variance of its product, or of another size."""
    size = expected[1] if size is None else np.maximum(size, expected[1])
    for a, b in zip(found, expected, strict=True):
        if a is not None:
            # What lies this far below all the others is rounding, of the reference as well.
            excess = np.abs(a - b) - rtol * size - 1e-25 * size.max(initial=0.0)
            assert excess.max(initial=0.0) <= 0.0, np.unravel_index(np.argmax(excess), excess.shape)


def assert_same_tables(one, other, scale=None):
    for a, b in zip(tables_of(one, scale), tables_of(other, scale), strict=True):
        assert_array_equal(a, b)


def variance_if_independent(X, scale, weights=None):
    """(p, p) the variance that products would have were the columns independent."""
    Z = np.nan_to_num(scaled(X, scale, weights))
    weights = np.ones(len(Z)) if weights is None else weights
    if not weights.any():  # no row counts
        return np.zeros((Z.shape[1],) * 2)
    mean = np.average(Z, axis=0, weights=weights)
    variance = np.average((Z - mean) ** 2, axis=0, weights=weights)
    return np.outer(variance + mean**2, variance + mean**2) - np.outer(mean**2, mean**2)


def table(n=60, p=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, 3, p) + y[:, None] * np.linspace(0, 2, p) - 1
    return X, y


def gappy(X, share=0.2, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)
