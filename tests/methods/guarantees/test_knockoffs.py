from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import MRMR, FisherMarkov, FisherScore, Knockoffs, compare, scan
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter
from fewest.methods.guarantees.knockoff_filter import (
    differences,
    importances,
    knockoff_threshold,
    least_level,
    signed_maxima,
)

from ...reference.guarantees import knockoffs as reference
from .simulated_tables import in_the_mean, shifted, simulated


@pytest.fixture(scope="module")
def table():
    return shifted(0, 200, 40, 15)


def test_thresholds_by_hand():
    statistics = np.array([5.0, 4.0, 3.0, -1.0, 2.0, 0.0])
    # t = 1: (1 + 1) / 4; t = 2: (1 + 0) / 4; at t = 5: 1 / 1.
    assert knockoff_threshold(statistics, 0.5, 1) == 1.0
    assert knockoff_threshold(statistics, 0.3, 1) == 2.0
    assert knockoff_threshold(statistics, 0.2, 1) == math.inf
    assert knockoff_threshold(statistics, 0.2, 0) == 2.0
    assert least_level(statistics, 1) == (0.25, 4)
    assert least_level(-np.abs(statistics), 1) == (math.inf, 0)
    assert least_level(np.zeros(3), 1) == (math.inf, 0)


@pytest.mark.parametrize("seed", range(30))
def test_thresholds_are_those_of_the_slow_formula(seed):
    random = np.random.default_rng(seed)
    statistics = random.integers(-4, 9, size=int(random.integers(1, 40))) / random.choice([1.0, 7.0])
    for level in (0.05, 0.1, 0.2, 1 / 3, 0.5):
        for offset in (0, 1):
            assert knockoff_threshold(statistics, level, offset) == reference.threshold(statistics, level, offset)


def test_scores_that_are_missing_or_infinite():
    assert importances(np.array([np.nan, -2.0, 3.0])).tolist() == [-2.0, -2.0, 3.0]
    assert importances(np.array([np.nan, np.nan])).tolist() == [0.0, 0.0]
    assert importances(np.array([np.inf, 3.0, -np.inf, np.inf])).tolist() == [6.0, 3.0, -6.0, 6.0]
    assert importances(np.array([np.inf, np.nan])).tolist() == [1.0, 0.0]
    assert differences(np.array([3.0, 1.0]), np.array([2.0, 1.0])).tolist() == [1.0, 0.0]
    assert signed_maxima(np.array([5.0, 1.0, 0.0]), np.array([2.0, 4.0, 0.0])).tolist() == [5.0, -4.0, 0.0]


@pytest.mark.parametrize("kind", ["gaussian", "permuted"])
def test_statistics_are_differences_of_scores_and_the_threshold_is_that_of_knockoff_plus(kind, table):
    X, y, true = table
    fitted = Knockoffs("fisher-score", kind=kind, level=0.2).fit(X, y)
    assert_array_equal(fitted.statistics_, fitted.column_scores_ - fitted.knockoff_scores_)
    assert_array_equal(fitted.scores_, fitted.statistics_)
    # Each column on its own scores as it does without copies.
    np.testing.assert_allclose(fitted.column_scores_, FisherScore().fit(X, y).scores_, rtol=1e-9)
    assert fitted.threshold_ == reference.threshold(fitted.statistics_, 0.2, 1)
    assert_array_equal(fitted.support_, fitted.statistics_ >= fitted.threshold_)
    n_lost = np.count_nonzero(fitted.statistics_ <= -fitted.threshold_)
    assert fitted.estimated_rate_ == (1 + n_lost) / fitted.n_features_ <= 0.2
    assert len(set(fitted.selection_.indices) & set(true)) >= 10
    assert f"{fitted.n_features_} columns beat their copies" in fitted.notes_[0]


@pytest.mark.parametrize("name", ["relieff", "svm-weights", "forest-importance(n_trees=20)", "mrmr", "svm-rfe"])
@pytest.mark.parametrize("kind", ["gaussian", "permuted"])
def test_any_scores_will_do(name, kind, table):
    X, y, true = table
    fitted = Knockoffs(name, kind=kind, level=0.3, n_features=8).fit(X, y)
    assert len(set(fitted.selection_.indices) & set(true)) >= 5
    counts_order = any("the order of its first 80 counts instead" in note for note in fitted.notes_)
    assert counts_order == (name == "mrmr")


def test_a_sample_that_is_too_small_is_told_with_the_number_that_is_needed(table):
    X, y, _ = table
    with pytest.warns(FewestWarning, match="No features were selected"):
        few = Knockoffs(level=0.1).fit(X[:, :6], y)
    assert few.threshold_ == math.inf
    assert math.isnan(few.estimated_rate_)
    assert (
        "at this level 10 features pass at least, or none, and there are 6 columns. A level of 0.17" in few.notes_[-1]
    )
    noise = np.random.default_rng(0).normal(size=(60, 40))
    with pytest.warns(FewestWarning, match="No features were selected"):
        none = Knockoffs(level=0.05).fit(noise, np.arange(60) % 2)
    assert "at this level 20 features pass at least, or none." in none.notes_[-1]


def test_a_number_of_features_has_its_estimated_rate(table):
    X, y, _ = table
    fitted = Knockoffs(level=0.2, n_features=30).fit(X, y)
    assert len(fitted.selection_) == 30
    assert "30 features asked for, and " in fitted.notes_[-1]
    assert fitted.estimated_rate_ > 0.2


def test_ties_go_to_columns_and_copies_alike():
    # Columns of two values tie often, and the first of two that tie is taken.
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, size=(16, 300)), np.arange(16) % 2
    with pytest.warns(FewestWarning, match="No features were selected"):
        fitted = Knockoffs(MRMR(n_features=300), kind="permuted", level=0.05).fit(X, y)
    n_won, n_lost = np.count_nonzero(fitted.statistics_ > 0), np.count_nonzero(fitted.statistics_ < 0)
    assert abs(n_won - n_lost) < 4 * np.sqrt(n_won + n_lost)


def test_constant_and_equal_columns(table):
    X, y, _ = table
    X = X.copy()
    X[:, 20] = 1.0
    X[:, 21] = X[:, 0]
    fitted = Knockoffs(level=0.3, n_features=8).fit(X, y)
    # Equal columns and their copies can hardly be told apart, which leaves the others as they are.
    assert np.abs(fitted.statistics_[[0, 21]]).max() < 0.05 < fitted.selection_.scores[5]
    assert fitted.statistics_[20] == 0.0
    assert math.isnan(fitted.column_scores_[20])
    assert 0 < fitted.shrinkage_ <= 0.011
    assert "1 constant column left out" in fitted.notes_
    with pytest.warns(FewestWarning, match="No features were selected"):
        assert Knockoffs().fit(np.ones((20, 3)), np.arange(20) % 2).selection_.indices == ()


def test_two_rows_of_a_class_are_enough():
    X, y = np.random.default_rng(0).normal(size=(12, 20)), np.array([0] * 10 + [1] * 2)
    with pytest.warns(FewestWarning, match="No features were selected"):
        Knockoffs(level=0.05).fit(X, y)


def test_text_and_missing_values_need_permuted_copies():
    random = np.random.default_rng(0)
    y = np.arange(90) % 2
    frame = pd.DataFrame(random.normal(size=(90, 5)), columns=list("abcde"))
    frame["town"] = np.where(random.random(90) < 0.9, np.where(y == 1, "Rome", "Oslo"), "Bern")
    with pytest.raises(InvalidInput, match=r"1 column\(s\) hold text or categories: 'town'. Use kind='permuted'"):
        Knockoffs().fit(frame, y)
    frame.loc[3, "b"] = np.nan
    with pytest.raises(InvalidInput, match=r"'b'.*Gaussian knockoffs need every value.*kind='permuted'"):
        Knockoffs().fit(frame.drop(columns="town"), y)
    fitted = Knockoffs("mrmr", kind="permuted", n_features=1).fit(frame, y)
    assert fitted.selection_.features == ("town",)


def test_columns_of_few_values_are_noted(table):
    X, y, _ = table
    X = np.column_stack([X, np.arange(200) // 2 % 2])
    assert any("1 column hold at most 10 different values" in n for n in Knockoffs(n_features=3).fit(X, y).notes_)


@pytest.mark.parametrize("kind", ["gaussian", "permuted"])
def test_sparse_streamed_and_dense_rows_give_the_same(kind, table, tmp_path):
    X, y, _ = table
    X = np.where(np.abs(X) > 0.7, X, 0.0).astype(np.float32)
    selector = Knockoffs(kind=kind, level=0.3)
    expected = selector.fit(X, y).statistics_
    np.testing.assert_allclose(selector.fit(sparse.csc_array(X), y).statistics_, expected, rtol=1e-9, atol=1e-12)
    pd.DataFrame(X.astype(float)).add_prefix("c").assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_allclose(selector.fit(scan(tmp_path / "t.csv", "y")).statistics_, expected, rtol=1e-9, atol=1e-12)
    rows, columns = np.random.default_rng(0).permutation(200), np.random.default_rng(1).permutation(40)
    again = selector.fit(X[rows][:, columns], y[rows]).statistics_
    np.testing.assert_allclose(again, expected[columns], rtol=1e-9, atol=1e-12)
    assert selector.set_params(random_state=1).fit(X, y).statistics_.tolist() != expected.tolist()


def test_very_many_columns_are_refused_before_any_data_are_read():
    X = sparse.csr_array((10, 50_000))
    with pytest.raises(InvalidInput, match=r"50,000 columns take .* Use kind='permuted' \(--set kind=permuted\)"):
        Knockoffs().fit(X, np.arange(10) % 2)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"level": 0}, "level must be a number between 0 and 1, got 0"),
        ({"kind": "x"}, "kind must be one of 'gaussian', 'permuted'"),
        ({"construction": "sdp"}, "construction must be one of 'auto', 'mvr', 'equicorrelated'"),
        ({"offset": 2}, "offset must be 1 or 0, got 2"),
        ({"selector": "reliefff"}, "There is no method 'reliefff'"),
        ({"selector": MRMR(n_features="auto")}, "MRMR.n_features='auto'. chooses its number of features"),
        ({"selector": Knockoffs()}, "Knockoffs cannot audit itself"),
    ],
)
def test_parameters_are_checked(parameters, says):
    with pytest.raises(InvalidParameter, match=says):
        Knockoffs(**parameters).fit(np.eye(4), [0, 1, 0, 1])


def test_a_weight_of_two_is_the_row_twice(table):
    X, y, _ = table
    weights = np.arange(200) % 3
    twice = Knockoffs(n_features=5).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).statistics_
    np.testing.assert_allclose(Knockoffs(n_features=5).fit(X, y, sample_weight=weights).statistics_, twice, rtol=1e-9)


def test_a_threshold_of_the_selector_does_not_matter_and_parameters_without_effect_are_noted(table):
    X, y, _ = table
    plain = Knockoffs(FisherMarkov(), kind="permuted", level=0.3).fit(X, y)
    fitted = Knockoffs(FisherMarkov(beta=0.1), kind="permuted", construction="mvr", level=0.3, cv=3).fit(X, y)
    assert_array_equal(fitted.statistics_, plain.statistics_)
    assert any("construction has no effect" in note for note in fitted.notes_)
    assert any("cv has no effect" in note for note in fitted.notes_)


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize(
    ("kind", "correlation", "name"),
    [("gaussian", 0.0, "fisher-score"), ("gaussian", 0.5, "fisher-score"), ("gaussian", 0.5, "svm-weights"),
     ("permuted", 0.0, "fisher-score")],
)  # fmt: skip
def test_the_mean_share_of_false_ones_is_at_most_the_level(kind, correlation, name):
    shares, n_found = [], 0
    for seed in range(40):
        X, y, true = simulated(seed, 300, 50, 12, correlation, effect=0.8)
        fitted = Knockoffs(name, kind=kind, level=0.2).fit(X, y)
        n_true = np.count_nonzero(fitted.support_[true])
        shares.append((fitted.n_features_ - n_true) / max(1, fitted.n_features_))
        n_found += n_true
    mean, error = in_the_mean(shares)
    assert mean <= 0.2 + 2 * error
    assert n_found >= 40  # of 480


def test_it_takes_part_in_a_comparison(table):
    X, y, _ = table
    found = compare(["knockoffs(kind=permuted)"], X, y, sizes=[1, 3], outer=2, inner=2)
    assert found.summary.tables[0].methods[0].failed is None
