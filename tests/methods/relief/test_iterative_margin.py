"""Iterative Relief: the formula, by hand and on all sorts of tables."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest.criteria import IterativeMargin
from fewest.data.block import Block
from fewest.errors import InvalidParameter

from ...reference.relief.relief import iterative_margins
from ..random_tables import random_table, scores_of


def test_one_round_worked_by_hand():
    # One column, so its weight stays 1. Rows at 0, .5 | 1: from 0 the hit is at .5, the miss at 1; width .5, so f = 1/e
    # and 1/e^2, and 1 - o = (1/e)/(1/e + 1/e^2) = e/(1 + e). From .5 both are at .5. The last row is alone.
    X, y = np.array([[0.0], [5], [10]]), np.array([0, 0, 1])
    e = np.e
    assert_allclose(scores_of(IterativeMargin(), X, y), [(e / (1 + e) * 0.5 + 0.5 * 0.0) / 2], rtol=1e-14)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_it_is_the_formula_on_all_sorts_of_tables(first):
    for seed in range(first, first + 20):
        X, y, is_categorical = random_table(seed)
        metric = "l2" if seed % 4 == 0 else "l1"
        found = scores_of(IterativeMargin(metric, max_rounds=9), X, y, is_categorical)
        expected = iterative_margins(X, y, metric, is_categorical, n_rounds=9)
        assert_allclose(found, expected, atol=1e-12, rtol=0, err_msg=str(seed))


def test_it_goes_on_until_the_weights_converge():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 6))
    X[:, :2] += 2 * y[:, None]
    rows = IterativeMargin().statistic()
    rows.update(Block(X, y.astype(np.int32), [0, 1], is_all=True))
    objective = IterativeMargin().bind(rows)
    assert objective.has_converged
    assert 2 < objective.n_rounds < 200
    assert_allclose(objective.score_features(), iterative_margins(X, y), atol=1e-12, rtol=0)
    assert not IterativeMargin(max_rounds=2).bind(rows).has_converged


def test_rows_far_from_all_others_count_too():
    X = np.concatenate([np.zeros((4, 500)), np.ones((4, 500))]) + np.arange(8)[:, None] * 1e-3
    y = np.arange(8) // 4
    scores = scores_of(IterativeMargin(width=1e-3), X, y)  # exp(-t/width) is zero to any other class
    assert np.isfinite(scores).all()
    assert (scores > 0.9).all()


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 5)), rng.integers(0, 3, 150)
    with threadpool_limits(1):
        expected = scores_of(IterativeMargin(), X, y)
    with threadpool_limits(4):
        assert_array_equal(scores_of(IterativeMargin(), X, y), expected)


def test_parameters_out_of_range_are_refused():
    for wrong in ({"width": 0}, {"width": np.inf}, {"width": "wide"}, {"max_rounds": 0}):
        with pytest.raises(InvalidParameter, match=r"got .* instead"):
            IterativeMargin(**wrong)
