"""Columns of text in methods that need numbers: by hand, by brute force over features, and what must not change."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import LinearSVC

from fewest import (
    FSV,
    L1SVM,
    R2W2,
    SVMRFE,
    FeatureSelector,
    FisherMarkov,
    FisherScore,
    ForestImportance,
    KernelAlignment,
    KernelSeparability,
    KolmogorovSmirnov,
    NonMonotonicMKL,
    PearsonCorrelation,
    RadiusMargin,
    StumpBoosting,
    SVMWeights,
)
from fewest.criteria import BayesError, KernelTrace, SvmMargin
from fewest.data.scan import scan
from fewest.errors import InvalidInput
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.searches import GreedyBackward, GreedyFloating, GreedyForward, IndividualRanking
from fewest.selectors.collection import features_of, on_features, readable_by


def a_table(seed=0, n=120):
    """Two columns of numbers and three of text, the class depending on one of each; and the class."""
    rng = np.random.default_rng(seed)
    kind, size, town = rng.choice(list("abc"), n), rng.choice(["s", "m", "l", "xl"], n), rng.choice(list("pqrstu"), n)
    a, b = rng.normal(size=n), rng.normal(size=n)
    y = (a + 1.5 * (kind == "a") + rng.normal(size=n) * 0.7 > 0.7).astype(int)
    return pd.DataFrame({"b": b, "kind": kind, "a": a, "size": size, "town": town}), y


def objective_of(criterion, X, y):
    """The objective on columns, that on features, and which columns are one feature."""
    source = scan(X.assign(label=y), "label").with_text_as_codes()
    statistic = readable_by(criterion, source).collect(criterion.statistic())
    on_columns = criterion.bind(statistic)
    return on_columns, on_features(on_columns, statistic), ColumnGroups(features_of(statistic))


def indicators(column):
    """All indicators of a column, the most frequent first, then by name."""
    names, counts = np.unique(column.astype(str), return_counts=True)
    order = sorted(range(len(names)), key=lambda i: (-counts[i], names[i]))
    return np.column_stack([column == names[i] for i in order]).astype(float)


def test_six_rows_worked_by_hand():
    # a a b | b c c: the shares by class are (2/3, 1/3, 0) and (0, 1/3, 2/3), overall 1/3 each.
    # Between: a and c have (1/3)^2 = 1/9 each, b has 0: 2/9. Total: three times 1/3 - 1/9 = 2/9: 2/3. Ratio 1/3.
    X, y = pd.DataFrame({"kind": list("aabbcc")}), [0, 0, 0, 1, 1, 1]
    assert_allclose(PearsonCorrelation().fit(X, y).scores_, [np.sqrt(1 / 3)])
    assert_allclose(FisherScore().fit(X, y).scores_, [(2 / 9) / (2 / 3 - 2 / 9)])
    assert_allclose(FisherMarkov(gamma=0.1).fit(X, y).scores_, [1 / 3 - 0.1])
    # Without a scale 2/9; with different categories a distance of 1 apart half of that.
    assert_allclose(FisherMarkov(scale=None).fit(X, y).theta_, [2 / 9])
    assert_allclose(FisherMarkov(scale="range").fit(X, y).theta_, [1 / 9])
    # |mean_1 - mean_0|^2 = 4/9 + 4/9; the variances within a class are 2/9 + 2/9 + 0.
    assert_allclose(FisherScore(printed=True).fit(X, y).scores_, [np.sqrt((8 / 9) / (8 / 9))])
    # The best threshold is in one indicator: 2/3 of a class have a, none of the other.
    assert_allclose(KolmogorovSmirnov().fit(X, y).scores_, [2 / 3])


@pytest.mark.parametrize(
    "selector",
    [
        FisherMarkov(n_features=2), FisherMarkov(degree=2, n_features=2), FisherMarkov(degree=3, n_features=2),
        FisherScore(n_features=2), KolmogorovSmirnov(n_features=2), SVMRFE(n_features=2), L1SVM(n_features=2),
        NonMonotonicMKL(n_features=2), KernelSeparability(n_features=2), KernelAlignment(n_features=2),
        StumpBoosting(n_features=2), ForestImportance(n_features=2),
    ],
    ids=repr,
)  # fmt: skip
def test_text_of_two_categories_is_a_column_of_zeros_and_ones(selector):
    X, y = a_table()
    X["kind"] = np.where(X["kind"] == "a", "red", "blue")
    text = X[["b", "kind", "a"]]
    numbers = text.assign(kind=(X["kind"] == "blue").astype(float))
    found, expected = selector.fit(text, y).selection_, selector.fit(numbers, y).selection_
    assert found.indices == expected.indices
    assert_allclose(found.scores, expected.scores, rtol=1e-9)
    assert (found.value, found.bound, found.is_optimal) == (expected.value, expected.bound, expected.is_optimal)
    assert found.provenance.fingerprint == expected.provenance.fingerprint


@pytest.mark.parametrize("gamma", [0.0, -0.5])
@pytest.mark.parametrize("degree", [2, 3])
def test_the_best_features_are_those_of_all_subsets_of_features(degree, gamma):
    X, y = a_table(1)
    criterion, _ = FisherMarkov(degree=degree, gamma=gamma).sentence()
    on_columns, objective, groups = objective_of(criterion, X, y)
    assert objective.n_columns == 5
    for size in range(1, 6):
        values = {
            subset: on_columns.score_subset(groups.columns_of(subset).tolist())
            for subset in combinations(range(5), size)
        }
        for subset, value in values.items():
            assert objective.score_subset(subset) == pytest.approx(value, rel=1e-9)
        found = FisherMarkov(degree=degree, gamma=gamma, n_features=size).fit(X, y).selection_
        assert found.value == pytest.approx(values[tuple(sorted(found.indices))], rel=1e-9)
        assert max(values.values()) <= found.bound + 1e-9
        if found.is_optimal:
            assert found.value == pytest.approx(max(values.values()), rel=1e-9)
    fitted = FisherMarkov(degree=degree, gamma=gamma, keep_pairs=True, n_features=2).fit(X, y)
    assert fitted.theta_.shape == (5,)
    assert fitted.theta_pairs_.shape == (5, 5)


def test_the_test_against_the_null_keeps_its_level_for_columns_of_text():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = pd.DataFrame({f"c{j}": rng.choice(list("abcdefgh")[: 3 + j % 5], 300) for j in range(200)})
    criterion, _ = FisherMarkov().sentence()
    p_values = objective_of(criterion, X, y)[1].p_values()
    for level in (0.05, 0.2, 0.5):
        assert abs((p_values <= level).mean() - level) < 0.08
    X["driver"] = np.where(rng.random(300) < 0.6, np.array(list("xyz"))[y], "w")
    assert FisherMarkov(beta="null").fit(X, y).selection_.features[0] == "driver"


def test_columns_without_information_score_alike_however_many_categories_they_have():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    columns = {f"n{j}": rng.normal(size=400) for j in range(8)}
    columns |= {f"t{j}": rng.integers(0, 40, 400).astype(str) for j in range(8)}
    X = pd.DataFrame(columns).map(lambda value: value if isinstance(value, float) else f"k{value}")
    for selector in (FisherScore(), SVMWeights(), NonMonotonicMKL(n_features=16), L1SVM(), KolmogorovSmirnov()):
        scores = selector.fit(X, y).scores_
        numbers, texts = scores[:8], scores[8:]
        assert np.median(texts) < 2 * np.median(numbers), type(selector).__name__


def test_svm_weights_of_a_column_of_text_are_what_it_adds_by_degree_of_freedom():
    X, y = a_table(2)
    parts = [X[["b"]].to_numpy(), indicators(X["kind"]), X[["a"]].to_numpy(), indicators(X["size"])]
    parts = [part - part.mean(axis=0) for part in parts]
    parts = [part / np.sqrt(part.var(axis=0).sum()) for part in parts]
    svm = LinearSVC(dual=False, tol=1e-10, max_iter=100_000).fit(np.hstack(parts), y)
    weights = np.split(svm.coef_[0], np.cumsum([part.shape[1] for part in parts])[:-1])
    expected = [
        np.sqrt(np.square(part.std(axis=0) * w).sum() / max(len(w) - 1, 1))
        for part, w in zip(parts, weights, strict=True)
    ]
    fitted = SVMWeights().fit(X[["b", "kind", "a", "size"]], y)
    assert_allclose(fitted.scores_, expected, rtol=1e-4)
    assert_array_equal(fitted.weights_, fitted.scores_)


def test_recursive_elimination_drops_the_feature_that_adds_least():
    X, y = a_table(3)
    left, dropped = list(X.columns), []
    while len(left) > 1:
        scores = SVMWeights().fit(X[left], y).scores_
        dropped.append(left.pop(int(np.argmin(scores))))
    expected = [*left, *reversed(dropped)]
    assert list(SVMRFE(n_features=5).fit(X, y).selection_.features) == expected
    assert SVMRFE(step=2, n_features=2).fit(X, y).n_features_ == 2


def test_the_bound_of_multiple_kernel_learning_holds_for_all_features_of_that_number():
    X, y = a_table(4)
    criterion, _ = NonMonotonicMKL().sentence()
    on_columns, _, groups = objective_of(criterion, X, y)
    for size in (1, 2, 3, 5):
        fitted = NonMonotonicMKL(n_features=size, path=True, theorem=True).fit(X, y)
        found = fitted.selection_
        values = [
            on_columns.subset_svms.fit(groups.columns_of(subset)).value for subset in combinations(range(5), size)
        ]
        assert found.bound <= min(values) + 1e-9
        assert found.value == pytest.approx(on_columns.subset_svms.fit(groups.columns_of(found.indices)).value)
        assert list(found.path) == list(range(1, size + 1))
        assert fitted.weights_.shape == fitted.relaxed_.shape == (5,)
    assert found.is_optimal


@pytest.mark.parametrize("search", [GreedyForward(lazy=False), GreedyBackward(), GreedyFloating()], ids=repr)
@pytest.mark.parametrize("criterion", [BayesError(), SvmMargin(), KernelTrace()], ids=repr)
def test_a_search_of_subsets_evaluates_all_columns_of_its_features(criterion, search):
    if not search.requires <= criterion.offers:
        pytest.skip("does not fit")
    X, y = a_table(5, 60)
    on_columns, objective, groups = objective_of(criterion, X, y)
    found = FeatureSelector(criterion, search, n_features=2).fit(X, y).selection_
    assert len(found) == 2
    features, among = list(found.indices), np.arange(5)

    def value(subset):
        return on_columns.score_subset(groups.columns_of(subset).tolist())

    others = np.setdiff1d(among, features)
    expected = [value([*features, j]) - value(features) for j in others]
    assert_allclose(objective.score_additions(features, others), expected, rtol=1e-6, atol=1e-9)
    expected = [value([k for k in features if k != j]) - value(features) for j in features]
    assert_allclose(objective.score_removals(features, np.array(features)), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("mode", ["weights", "elimination", "forward", "backward", "individual"])
def test_kernels_have_one_weight_a_feature(mode):
    X, y = a_table(6, 150)
    fitted = KernelSeparability(mode, n_features=2).fit(X, y)
    assert "a" in fitted.selection_.features
    assert fitted.weights_.shape == fitted.scores_.shape == (5,)
    sampled = KernelSeparability(mode, n_features=2, sample=40).fit(X, y)
    assert sampled.sampling_error_ > 0


def test_radius_margin_bounds_have_one_weight_a_feature():
    X, y = a_table(7, 40)
    X = X[["b", "kind", "a"]]
    for mode in ("weights", "forward", "individual"):
        fitted = RadiusMargin(mode, n_features=2, max_steps=3).fit(X, y)
        assert fitted.weights_.shape == (3,)
        assert fitted.n_features_ == 2
    assert R2W2(n_features=2, max_steps=5).fit(X, y).weights_.shape == (3,)


def test_stumps_are_of_the_features():
    X, y = a_table(8)
    fitted = StumpBoosting(n_features=3).fit(X, y)
    assert {one.column for one in fitted.rounds_} <= set(range(5))
    assert len(set(fitted.selection_.indices)) == 3


def test_missing_text_is_zero_in_all_indicators_and_columns_without_text_come_last():
    X, y = a_table(9)
    X.loc[::3, "kind"] = None
    X["none"] = pd.Series([None] * len(X), dtype=object)
    X.loc[0, "none"] = "x"
    X["id"] = [f"row {i}" for i in range(len(X))]
    X["empty"] = pd.Series([None] * len(X), dtype="string")
    with pytest.warns(match="1 column.* hold no value at all and are ranked last: 'empty'"):
        fitted = FisherScore(n_features=8).fit(X, y)
    assert fitted.scores_[list(X.columns).index("id")] == 0.0
    assert fitted.selection_.features[-1] == "empty"
    (note,) = [note for note in fitted.notes_ if "identifiers" in note]
    assert note.startswith("1 column(s) of text have more than 10 categories, none of them in 5 rows")
    assert "'id'" in note
    # Linear SVMs take no missing number; a missing category is none.
    assert SVMWeights().fit(X.drop(columns="empty"), y).scores_.shape == (7,)


def test_a_date_is_refused_by_name_and_text_in_parts_too():
    X, y = a_table(0, 12)
    X["when"] = pd.date_range("2020-01-01", periods=12)
    with pytest.raises(InvalidInput, match="'when' holds dates"):
        FisherMarkov().fit(X, y)
    with pytest.raises(InvalidInput, match="FisherMarkov needs numbers, and 3 column"):
        FisherMarkov().partial_fit(X.drop(columns="when"), y)
    fitted = FisherMarkov(n_features=2).fit(X.drop(columns="when"), y)
    assert not hasattr(fitted, "partial_fit")


@pytest.mark.parametrize("selector", [FisherMarkov(n_features="auto"), FSV(n_features=2)], ids=repr)
def test_neither_row_order_nor_the_kind_of_frame_nor_files_matter(selector, tmp_path):
    X, y = a_table(10)
    expected = selector.fit(X, y).selection_
    X.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    X.assign(label=y).to_parquet(tmp_path / "t.parquet", row_group_size=30)
    order = np.random.default_rng(0).permutation(len(X))
    fits = [(X.iloc[order], y[order]), (X.astype({"kind": "category"}), y)]
    fits += [(scan(tmp_path / name, "label"), None) for name in ("t.csv", "t.parquet")]
    for data, labels in fits:
        found = selector.fit(data, labels).selection_
        assert found.features == expected.features
        assert_allclose(found.scores, expected.scores, rtol=1e-9)


def test_individual_ranking_of_kernels_takes_missing_numbers_beside_text():
    X, y = a_table(11)
    X.loc[::4, "b"] = np.nan
    fitted = KernelSeparability("individual", n_features=2).fit(X, y)
    assert set(fitted.selection_.features) == {"a", "kind"}
    assert FeatureSelector(SvmMargin(), IndividualRanking(), n_features=1).fit(X, y).n_features_ == 1
