"""KolmogorovSmirnov and StumpBoosting as estimators: what they take, refuse and report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ks_2samp
from sklearn.datasets import load_breast_cancer, load_wine

from fewest import FisherScore, KolmogorovSmirnov, StumpBoosting
from fewest.data.block import Block
from fewest.errors import InvalidInput, InvalidParameter
from fewest.statistics.rows import Rows

from ...cli.running import run
from ...reference.thresholds import boosted, distribution_distances


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def rows_of(X, y):
    rows = Rows()
    rows.update(Block(X, y.astype(np.int32), [0, 1, 2]))
    return rows


def test_two_classes_are_as_far_apart_as_scipy_says(cancer):
    X, y = cancer
    expected = [ks_2samp(x[y == 0], x[y == 1], method="asymp").statistic for x in X.T]
    assert_allclose(KolmogorovSmirnov().fit(X, y).scores_, expected, rtol=1e-13)


def test_more_classes_are_compared_each_with_all_others(wine):
    assert_allclose(KolmogorovSmirnov().fit(*wine).scores_, distribution_distances(*wine), rtol=1e-13)


def test_a_difference_in_spread_alone_is_seen():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 20))
    X[:, 13] *= 1 + 4 * y
    assert KolmogorovSmirnov(n_features=1).fit(X, y).selection_.indices == (13,)
    assert FisherScore(n_features=1).fit(X, y).selection_.indices != (13,)


@pytest.mark.parametrize("table", ["wine", "cancer"])
def test_columns_are_taken_as_slow_boosting_uses_them(table, request):
    X, y = request.getfixturevalue(table)
    X, y = X[::3, :13], y[::3]
    order, rounds = boosted(X, y, 5, n_rounds=15)
    fitted = StumpBoosting(15, n_features=5).fit(X, y)
    assert list(fitted.selection_.indices) == order
    assert [one.column for one in fitted.rounds_] == [column for column, *_ in rounds]
    assert_allclose([one.error for one in fitted.rounds_], [error for *_, error in rounds], rtol=1e-9)


def test_columns_that_no_round_used_come_last_and_a_note_says_why(wine):
    fitted = StumpBoosting(2, n_features=5).fit(*wine)
    assert len(fitted.rounds_) == 2
    assert fitted.notes_ == ("all 2 rounds were run: 2 column(s) were used, further ones by their best stump alone",)
    assert fitted.selection_.indices == (12, 9, 0, 6, 11)
    alone = StumpBoosting(n_features=13).sentence()[0].bind(rows_of(*wine)).score_features()
    assert fitted.selection_.scores[2:] == tuple(alone[[0, 6, 11]])
    assert list(alone[[0, 6, 11]]) == sorted(np.delete(alone, [12, 9]), reverse=True)[:3]
    assert StumpBoosting(n_features=2).fit(*wine).notes_ == ()


def test_rounds_name_classes_by_their_labels(wine):
    X, y = wine
    fitted = StumpBoosting(n_features=1).fit(X, np.array(["barolo", "grignolino", "barbera"])[y])
    (first,) = fitted.rounds_
    assert (first.column, first.threshold, first.below, first.above) == (12, 755.0, "grignolino", "barolo")


@pytest.mark.parametrize("selector", [KolmogorovSmirnov, StumpBoosting])
class TestBoth:
    def test_the_size_can_be_chosen(self, selector, cancer):
        fitted = selector(n_features="auto", max_features=6).fit(*cancer)
        assert 1 <= fitted.n_features_ <= 6
        assert "chosen by 5-fold cross-validation" in fitted.notes_[0]

    def test_no_map_that_keeps_the_order_of_values_changes_the_answer(self, selector, cancer):
        X, y = cancer
        mapped = np.arcsinh(1e3 * X)
        expected, found = selector(n_features=8).fit(X, y), selector(n_features=8).fit(mapped, y)
        assert found.selection_.indices == expected.selection_.indices
        assert found.selection_.scores == expected.selection_.scores

    def test_missing_values_and_text_are_taken(self, selector, cancer):
        X, y = cancer
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
        assert selector(n_features=3).fit(X, y).n_features_ == 3
        frame = pd.DataFrame({"size": [1.0, 3.0, 1.5, 2.5], "name": ["a", "b", "c", "b"]})
        assert selector(n_features=1).fit(frame, [0, 1, 0, 1]).selection_.scores == (1.0,)
        assert selector(n_features=1).fit(frame[["name"]], [0, 1, 0, 1]).selection_.scores == (1.0,)

    def test_rows_that_are_too_many_are_refused_where_they_come_in_parts(self, selector, cancer, monkeypatch):
        criterion, _ = selector().sentence()
        monkeypatch.setattr(type(criterion), "statistic", lambda _: Rows(max_bytes=1000))
        X, y = cancer
        with pytest.raises(InvalidInput, match="This method keeps the rows, and"):
            selector(n_features=2).partial_fit(X[:300], y[:300]).partial_fit(X[300:], y[300:])

    def test_the_command_knows_it(self, selector):
        assert run("select", "wine", "--method", selector.name, "--features", "2") == 0


def test_the_number_of_rounds_is_checked():
    with pytest.raises(InvalidParameter, match="n_rounds must be a whole number of at least 1, got 0"):
        StumpBoosting(0).fit([[1.0], [2.0]], [0, 1])
