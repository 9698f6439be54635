"""Margins in the compiled core: nothing out of bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest._core import neighbour_margins, weighted_margins

VALUES = np.random.default_rng(0).random((6, 3))


def by_neighbours(
    values=VALUES,
    ends=(3, 6),
    is_state=None,
    queries=(0, 1, 5),
    k=(2, 2),
    shares=(0.5, 0.5),
    hit=(1, 1),
    miss=(1, 1),
    n_sums=3,
):
    sums, counts = np.empty(n_sums), np.empty(n_sums, dtype=np.int64)
    neighbour_margins(
        values, np.array(ends, dtype=np.int64), is_state, 1.0, np.array(queries, dtype=np.int64),
        np.array(k, dtype=np.int64), False,
        None if shares is None else np.array(shares, dtype=float), np.array(hit, dtype=float),
        np.array(miss, dtype=float), sums, counts, 2,
    )  # fmt: skip
    return sums, counts


def by_weights(values=VALUES, ends=(3, 6), queries=(0, 5), weights=(1, 1, 1), width=0.5, n_sums=3):
    sums, counts = np.empty(n_sums), np.empty(n_sums, dtype=np.int64)
    weighted_margins(
        values, np.array(ends, dtype=np.int64), None, 1.0, np.array(queries, dtype=np.int64),
        np.array(weights, dtype=float), width, False, False, sums, counts, 2,
    )  # fmt: skip
    return sums, counts


@pytest.mark.parametrize(
    "wrong",
    [
        {"ends": ()}, {"ends": (3, 5)}, {"ends": (6, 3)}, {"ends": (-1, 6)}, {"queries": (6,)}, {"queries": (-1,)},
        {"n_sums": 2}, {"k": (0, 1)}, {"k": (1,)},
        {"shares": (1,)}, {"hit": (1,)}, {"miss": (1, 1, 1)}, {"is_state": np.zeros(2, bool)},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_refused(wrong):
    by_neighbours()
    with pytest.raises(ValueError):
        by_neighbours(**wrong)


@pytest.mark.parametrize("wrong", [{"ends": (7,)}, {"queries": (9,)}, {"weights": (1,)}, {"width": 0.0}, {"n_sums": 4}])
def test_what_does_not_fit_is_refused_with_weights(wrong):
    by_weights()
    with pytest.raises(ValueError):
        by_weights(**wrong)


def test_without_queries_or_columns_there_is_nothing_to_add():
    for of in (by_neighbours, by_weights):
        sums, counts = of(queries=())
        assert_array_equal(sums, 0.0)
        assert_array_equal(counts, 0)
    assert len(by_neighbours(values=np.empty((6, 0)), n_sums=0)[0]) == 0
    assert len(by_weights(values=np.empty((6, 0)), weights=(), n_sums=0)[0]) == 0


def test_classes_without_rows_are_left_out():
    expected = by_neighbours(queries=range(6))
    shares, ones = (0, 0.5, 0, 0.5, 0), [1] * 5
    found = by_neighbours(queries=range(6), ends=(0, 3, 3, 6, 6), k=[2] * 5, shares=shares, hit=ones, miss=ones)
    assert_array_equal(found, expected)
