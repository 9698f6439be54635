"""The Relief family as estimators: what they take, refuse and report."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import roc_auc_score

from fewest import (
    FeatureSelector,
    HitMissMargin,
    IndividualRanking,
    IterativeRelief,
    MAPRelief,
    Relief,
    ReliefF,
    scan,
)
from fewest.criteria import IterativeMargin
from fewest.data.block import Block
from fewest.datasets import add_probes
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.relief.neighbour_criteria import balanced_neighbours

from ...cli.running import run
from ...reference.relief.relief import iterative_margins, margins

ALL = (Relief, ReliefF, MAPRelief, IterativeRelief)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_scores_are_those_of_the_formulas(wine, metric):
    X, y = wine
    for selector, expected in (
        (Relief(metric=metric), margins(X, y, "balanced", 1, metric)),
        (Relief(metric=metric, balance=False), margins(X, y, "relief", 1, metric)),
        (ReliefF(metric=metric), margins(X, y, "balanced", 10, metric)),
        (ReliefF(metric=metric, balance=False), margins(X, y, "relieff", 10, metric)),
        (ReliefF(3, printed=True, metric=metric), margins(X, y, "printed", 3, metric)),
        (MAPRelief(metric=metric), margins(X, y, "map", 1, metric)),
        (IterativeRelief(metric=metric), iterative_margins(X, y, metric)),
    ):
        assert_allclose(selector.fit(X, y).scores_, expected, atol=1e-12, rtol=0)
        positive = np.clip(expected, 0, None)
        assert_allclose(selector.weights_, positive / np.linalg.norm(positive), atol=1e-10)


def test_with_two_classes_and_one_neighbour_relieff_is_relief():
    X, y = load_breast_cancer(return_X_y=True)
    assert_array_equal(ReliefF(1).fit(X, y).scores_, Relief().fit(X, y).scores_)
    plain = Relief(balance=False).fit(X, y).scores_
    assert_allclose(ReliefF(1, balance=False).fit(X, y).scores_, plain, rtol=1e-12)
    assert np.abs(ReliefF(1, printed=True).fit(X, y).scores_ - plain).max() > 0.01


@pytest.mark.parametrize("selector", [Relief(), ReliefF(), IterativeRelief()], ids=repr)
def test_with_shuffled_labels_real_columns_look_like_probes(selector):
    X, y = load_breast_cancer(return_X_y=True)
    if isinstance(selector, IterativeRelief):
        X, y = X[::3], y[::3]
    is_real = np.repeat([True, False], [30, 50])
    found = []
    for seed in range(12):
        table = add_probes(X, 50, seed=seed)
        scores = selector.fit(table, np.random.default_rng(seed).permutation(y)).scores_
        found.append(roc_auc_score(is_real, scores))
    assert 0.4 <= np.mean(found) <= 0.6
    assert roc_auc_score(is_real, selector.fit(table, y).scores_) > 0.75


def unbalanced_table(n_small, seed):
    """Columns that lie near each other row by row, with probes that do not; a small class and one of 150 rows."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n_small, 150])
    hidden = rng.normal(size=(len(y), 2))
    real = hidden[:, np.arange(20) % 2] + 0.4 * rng.normal(size=(len(y), 20)) + 0.6 * (np.arange(20) < 12) * y[:, None]
    return add_probes(real, 30, seed=seed), rng.permutation(y), y, np.repeat([True, False], [20, 30])


@pytest.mark.parametrize("n_small", [15, 75, 150])
@pytest.mark.parametrize("selector", [Relief, ReliefF])
def test_unequal_classes_with_shuffled_labels_do_not_separate_real_columns_from_probes(selector, n_small):
    found, plain, true = [], [], []
    for seed in range(12):
        X, shuffled, y, is_real = unbalanced_table(n_small, seed)
        found.append(roc_auc_score(is_real, selector().fit(X, shuffled).scores_))
        plain.append(roc_auc_score(is_real, selector(balance=False).fit(X, shuffled).scores_))
        true.append(roc_auc_score(is_real, selector().fit(X, y).scores_))
    assert 0.4 <= np.mean(found) <= 0.6
    assert np.mean(true) > (0.6 if n_small < 50 else 0.7)
    if n_small < 50 and selector is ReliefF:
        assert np.mean(plain) > 0.7


def test_classes_of_equal_size_need_no_balance():
    X, y = load_wine(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == c)[:48] for c in range(3)])
    for k in (1, 10):
        plain = ReliefF(k, balance=False).fit(X[rows], y[rows]).scores_
        assert_array_equal(ReliefF(k).fit(X[rows], y[rows]).scores_, plain)


def test_larger_classes_have_more_neighbours_but_no_more_than_eight_times_as_many():
    assert balanced_neighbours(np.array([100, 100]), 10).tolist() == [10, 10]
    assert balanced_neighbours(np.array([60, 700]), 1).tolist() == [1, 15]  # 8 times (1 + 1), less one
    assert balanced_neighbours(np.array([100, 233]), 10).tolist() == [10, 25]  # 11 * 2.33 - 1 = 24.6
    assert balanced_neighbours(np.array([2, 0, 88]), 10).tolist() == [10, 10, 21]  # as if the smallest had 44 rows


def test_map_relief_says_that_it_counts_the_prior_twice(wine):
    (note,) = MAPRelief().fit(*wine).notes_
    assert "counts the prior twice" in note
    assert Relief().fit(*wine).notes_ == ()


def test_iterative_relief_reports_the_number_of_rounds(wine):
    fitted = IterativeRelief().fit(*wine)
    assert 1 < fitted.n_rounds_ < 200
    assert fitted.notes_ == ()


@pytest.mark.parametrize("selector", ALL)
def test_weights_of_rows_are_refused_by_name(selector, wine):
    X, y = wine
    weights = np.arange(len(y)) % 3
    with pytest.raises(InvalidInput, match="sample_weight is refused"):
        selector().fit(X, y, sample_weight=weights)
    with pytest.raises(InvalidInput, match="sample_weight is refused"):
        selector().fit(X, y, weights)
    with pytest.raises(InvalidInput, match="sample_weight is refused"):
        selector().partial_fit(X, y, sample_weight=weights)
    with pytest.raises(TypeError, match="weight_of_rows"):
        selector().fit(X, y, weight_of_rows=weights)


def test_any_search_may_use_the_margins_but_weights_are_refused_there_too(wine):
    X, y = wine
    chosen = FeatureSelector(HitMissMargin(), IndividualRanking(), n_features=3).fit(X, y)
    assert chosen.selection_.indices == ReliefF(n_features=3).fit(X, y).selection_.indices
    with pytest.raises(InvalidInput, match="sample_weight is refused"):
        chosen.fit(X, y, sample_weight=np.full(len(y), 2.0))


@pytest.mark.parametrize("selector", ALL)
def test_text_differs_or_does_not(selector):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    colour = np.where(rng.random(120) < 0.9, np.array(["red", "blue"])[y], "green").astype(object)
    colour[3] = None
    frame = pd.DataFrame({"noise": rng.normal(size=120), "colour": colour, "more": rng.normal(size=120)})
    frame.loc[5:9, "more"] = np.nan
    fitted = selector(n_features=1).fit(frame, y)
    assert fitted.selection_.features == ("colour",)
    other_names = frame.assign(colour=frame["colour"].map({"red": "z", "blue": "a", "green": "m"}))
    assert_allclose(selector().fit(other_names, y).scores_, fitted.scores_, rtol=1e-12)


def test_text_in_a_file_is_categories(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40) % 7, "label": ["p", "q"] * 20})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert ReliefF(n_features=1).fit(scan(tmp_path / "t.csv", "label")).selection_.features == ("a",)
    assert run("select", str(tmp_path / "t.csv"), "--target", "label", "--method", "relieff", "--features", "1") == 0


def test_a_sparse_table_is_as_a_dense_one():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, (90, 20)).astype(float), rng.integers(0, 3, 90)
    for selector in ALL:
        assert_array_equal(selector().fit(sparse.csr_array(X), y).scores_, selector().fit(X, y).scores_)


@pytest.mark.parametrize("selector", ALL)
def test_some_rows_may_stand_for_all(selector):
    X, y = load_breast_cancer(return_X_y=True)
    whole = selector().fit(X, y).scores_
    some = selector(n_queries=150).fit(X, y).scores_
    assert np.corrcoef(some, whole)[0, 1] > 0.9
    assert np.abs(some - whole).max() > 0
    assert_array_equal(selector(n_queries=150).fit(X, y).scores_, some)
    assert_array_equal(selector(n_queries=10_000).fit(X, y).scores_, whole)
    assert np.abs(selector(n_queries=150, random_state=1).fit(X, y).scores_ - some).max() > 0
    rows = np.random.default_rng(0).permutation(len(y))
    names = np.array(["z", "a"])[y]
    assert_allclose(selector(n_queries=150).fit(X[rows], names[rows]).scores_, some, rtol=1e-9, atol=1e-12)


def test_some_rows_are_drawn_evenly_from_the_classes(wine):
    X, y = wine
    drawn = HitMissMargin(n_queries=50)
    rows = drawn.statistic()
    rows.update(Block(X, y.astype(np.int32), [0, 1, 2], is_all=True))
    prepared = drawn.prepare(rows)
    counts = np.diff(np.searchsorted(prepared.queries, [0, *prepared.class_ends]))
    assert_allclose(counts, 50 * np.bincount(y) / len(y), atol=1)


@pytest.mark.parametrize("selector", ALL)
def test_wrong_parameters_are_refused_before_anything_is_read(selector):
    wrong = [{"metric": "l0"}, {"n_queries": 0}, {"n_queries": "all"}]
    wrong += [{"n_neighbors": 0}, {"printed": 1}] if selector is ReliefF else []
    wrong += [{"balance": "yes"}] if selector in (Relief, ReliefF) else []
    wrong += [{"width": -1.0}, {"width": None}] if selector is IterativeRelief else []
    for parameters in wrong:
        with pytest.raises(InvalidParameter, match=r"got .* instead"):
            selector(**parameters).fit(None, None)


@pytest.mark.parametrize("selector", ALL)
def test_constant_columns_and_rows_alone_in_their_class(selector):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    X[:, 1] = 7.0
    y[7] = 2
    scores = selector().fit(X, y).scores_
    assert scores[1] == 0.0
    assert np.isfinite(scores).all()
    assert np.abs(scores - selector().fit(np.delete(X, 7, 0), np.delete(y, 7)).scores_).max() > 0  # it is a miss
    with pytest.raises(InvalidInput, match="one of them with two rows"):
        selector().fit(X[:2], [0, 1])
    # Columns that say nothing at all.
    assert_array_equal(selector().fit(np.ones((6, 2)), [0, 1] * 3).scores_, 0.0)


def test_a_fit_that_takes_minutes_names_the_parameter_that_makes_it_shorter_before_it_begins(monkeypatch):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 50)), np.arange(200) % 2
    # As measured, a fit of 100,000 rows takes minutes, and one of 1,000 does not.
    assert "about" in IterativeRelief()._time_note(100_000, 50)
    assert IterativeRelief()._time_note(1_000, 50) is None
    assert IterativeRelief(n_queries=10)._time_note(100_000, 50) is None
    monkeypatch.setattr("fewest.methods.relief.selectors._WORTH_A_NOTE", 0.0)
    begun = []
    bind = IterativeMargin.bind
    monkeypatch.setattr(IterativeMargin, "bind", lambda *arguments: begun.append(1) or bind(*arguments))

    def hear(message, *_):
        assert not begun
        assert str(message) == (
            "iterative-relief compares each of 200 rows with all others, which takes about 1 min of processor time: "
            "n_queries=5000 averages the margins of 5,000 rows, which takes time linear in the rows"
        )
        begun.append(0)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", hear)
        IterativeRelief(n_features=2).fit(X, y)
    assert begun == [0, 1]
