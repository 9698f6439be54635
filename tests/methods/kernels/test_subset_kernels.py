"""Sums of Gaussian kernels over pairs of rows, on subsets that differ by one column."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import _core

from ...core.levels import LEVELS, at_level


def table(n, d, n_classes=3, seed=0):
    random = np.random.default_rng(seed)
    columns = np.ascontiguousarray(random.normal(size=(d, n)))
    codes = random.integers(0, n_classes, n).astype(np.int32)
    tables = random.normal(size=(2, n_classes, n_classes))
    return columns, codes, random.uniform(0.5, 2, n), np.ascontiguousarray(tables + tables.transpose(0, 2, 1))


def sums(columns, codes, weights, tables, selected, among, sign, eta, is_squared=(False, True), n_threads=1):
    out = np.empty((len(among), len(tables)))
    _core.subset_kernel_sums(
        columns, np.array(selected, dtype=np.int64), np.array(among, dtype=np.int64), sign, codes, weights, tables,
        np.asarray(eta, dtype=np.float64), np.array(is_squared), out, n_threads,
    )  # fmt: skip
    return out


def grid(columns, codes, weights, tables, selected, among, sign, eta, n_widths, n_threads=1):
    out = np.empty((len(among), len(tables), n_widths))
    _core.subset_kernel_ladder(
        columns, np.array(selected, dtype=np.int64), np.array(among, dtype=np.int64), sign, codes, weights, tables,
        np.asarray(eta, dtype=np.float64), out, n_threads,
    )  # fmt: skip
    return out


def expected(columns, codes, weights, table, subset, eta):
    Z = columns[list(subset)]
    K = np.exp(-eta * np.square(Z[:, :, None] - Z[:, None, :]).sum(axis=0))
    return np.tril(np.outer(weights, weights) * table[codes][:, codes] * K, -1).sum()


@pytest.mark.parametrize("n", [1, 2, 5, 64, 65, 66, 130, 200])
def test_they_are_the_sums(n):
    columns, codes, weights, tables = table(n, 6)
    among, eta = [3, 0, 5], [0.3, 2.0, 40.0]
    joined = sums(columns, codes, weights, tables, [1, 2], among, 1.0, eta)
    left = sums(columns, codes, weights, tables, range(6), among, -1.0, eta)
    for a, (column, width) in enumerate(zip(among, eta, strict=True)):
        rest = [j for j in range(6) if j != column]
        for f, power in enumerate((1, 2)):
            one = expected(columns, codes, weights, tables[f], [1, 2, column], power * width)
            assert_allclose(joined[a, f], one, rtol=1e-11, atol=1e-11)
            other = expected(columns, codes, weights, tables[f], rest, power * width)
            assert_allclose(left[a, f], other, rtol=1e-11, atol=1e-11)


def test_a_grid_of_widths_has_the_sums_at_each_width():
    columns, codes, weights, tables = table(70, 4)
    eta = np.array([2.0**-9, 2.0**-12])
    found = grid(columns, codes, weights, tables, [2], [0, 3], 1.0, eta, 44)
    for k in range(44):
        exact = sums(columns, codes, weights, tables, [2], [0, 3], 1.0, eta * 2 ** (k / 2), (False, False))
        # Squared again and again, errors double on each second step.
        assert_allclose(found[:, :, k], exact, rtol=1e-11, atol=1e-9 if k > 20 else 1e-11)


def test_far_apart_is_nothing_and_one_point_is_one():
    columns = np.array([[0.0, 1e6, 0.0]])
    codes, weights, tables = np.zeros(3, dtype=np.int32), np.ones(3), np.ones((1, 1, 1))
    assert_allclose(sums(columns, codes, weights, tables, [], [0], 1.0, [1.0], (False,)), [[1.0]])
    assert_allclose(grid(columns, codes, weights, tables, [], [0], 1.0, [1.0], 40)[0, 0], np.ones(40))


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_and_number_of_threads_gives_the_same_bits(level):
    arguments = (*table(150, 40), [5, 6], list(range(7, 40)), 1.0)
    eta = np.geomspace(1e-3, 1e2, 33)
    plain, steps = sums(*arguments, eta), grid(*arguments, eta, 12)
    with at_level(level):
        for n_threads in (1, 2, 4):
            assert_array_equal(sums(*arguments, eta, n_threads=n_threads), plain)
            assert_array_equal(grid(*arguments, eta, 12, n_threads=n_threads), steps)


def test_arguments_that_do_not_fit_are_rejected():
    columns, codes, weights, tables = table(10, 3)
    for change in (
        {"codes": codes[:5]}, {"weights": weights[:5]}, {"tables": tables[:, :, :2].copy()}, {"selected": [3]},
        {"among": [-1]}, {"codes": codes + 5}, {"eta": [1.0, 2.0]},
    ):  # fmt: skip
        arguments = {"columns": columns, "codes": codes, "weights": weights, "tables": tables, "selected": [0]}
        arguments |= {"among": [1], "sign": 1.0, "eta": [1.0], **change}
        with pytest.raises(ValueError, match=r"differ|no such|one width"):
            sums(**arguments)
    with pytest.raises(ValueError, match="even number"):
        grid(columns, codes, weights, tables, [0], [1], 1.0, [1.0], 3)
