"""The gains of a forest are scikit-learn's, and no order or copy matters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from fewest import ForestGain
from fewest.errors import InvalidParameter
from fewest.methods.wrappers import forest_gain

from ..kernels.test_kernel_separability import objective_of


def test_they_are_those_of_scikit_learn_but_for_the_draw():
    X, y = load_wine(return_X_y=True)
    ours = np.mean([objective_of(X, y, ForestGain(60, seed)).score_features() for seed in range(3)], axis=0)
    theirs = np.mean(
        [RandomForestClassifier(60, random_state=seed).fit(X, y).feature_importances_ for seed in range(3)], axis=0
    )
    assert_allclose(ours.sum(), 1.0)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95


def test_neither_threads_nor_the_number_of_trees_in_memory_change_a_bit(monkeypatch):
    X, y = load_wine(return_X_y=True)
    found = objective_of(X, y, ForestGain(11)).score_features()
    columns = X.T.astype(np.float32)
    order = [group[0] for group in forest_gain._equal_columns(columns)]
    forest = RandomForestClassifier(11, random_state=3).fit(columns[order].T, y, np.ones(len(y)))
    monkeypatch.setattr(forest_gain, "_ROWS_OF_TREES", 1)
    assert_array_equal(objective_of(X, y, ForestGain(11)).score_features(), found)
    for limit in (1, 2, 3):
        with threadpool_limits(limit, user_api="openmp"):
            assert_array_equal(objective_of(X, y, ForestGain(11)).score_features(), found)
            ours = forest_gain._mean_importances(columns[order].T, y, np.ones(len(y)), 11, 3)
        assert_array_equal(ours, forest.feature_importances_)


def test_columns_come_in_the_order_of_their_bytes_and_copies_together():
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2, size=(40, 200)).astype(np.float32)
    columns[:, :100] = 1.0
    columns[30:] = columns[:10]
    groups = forest_gain._equal_columns(columns)
    content = [columns[group[0]].tobytes() for group in groups]
    assert content == sorted(set(content))
    assert sorted(i for group in groups for i in group) == list(range(40))
    assert all(columns[i].tobytes() == columns[group[0]].tobytes() for group in groups for i in group)


def test_copies_share_the_gain_of_one_and_missing_values_can_be_split():
    X, y = load_wine(return_X_y=True)
    alone = objective_of(X, y, ForestGain(20)).score_features()
    twice = objective_of(np.hstack([X, X[:, [6]]]), y, ForestGain(20)).score_features()
    assert twice[6] == twice[13]
    assert_allclose(np.append(twice[:6], twice[7:13]), np.append(alone[:6], alone[7:]), atol=0.15)
    missing = np.where((y == 1)[:, None], np.nan, 1.0)
    assert objective_of(np.hstack([X * 0, missing]), y, ForestGain(10)).score_features()[13] == 1.0


def test_parameters_that_mean_nothing_are_refused():
    for wrong in ({"n_trees": 0}, {"n_trees": 2.5}, {"random_state": -1}):
        with pytest.raises(InvalidParameter, match=next(iter(wrong))):
            ForestGain(**wrong)
