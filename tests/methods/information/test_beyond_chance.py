"""Information beyond chance: by hand, against the formula, of columns without information and with all of it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.cluster import expected_mutual_information

from fewest import MRMR, ChiSquare, InformationGain, MaxDependency, MaxRelevance, scan
from fewest.criteria import Discretizer, JointInformation, RelevanceRedundancy
from fewest.errors import InvalidParameter
from fewest.methods.information.beyond_chance import Chance, chance_chi_square, chance_information
from fewest.searches import GreedyForward

from ...binding import bind
from ...reference.information.information import (
    corrected_chi_square,
    corrected_information,
    corrected_joint_information,
    expected_information,
    information,
)

FORMS = ["difference", "quotient"]


def counts_of(*numbers):
    return np.array(numbers, dtype=np.int64)


def named(numbers):
    """Numbers as names of categories: digits alone would be read as numbers."""
    return np.char.add("k", np.asarray(numbers).astype(str))


def a_table(seed, n=None, pooled=True):
    """Columns of 2 to n categories, one of them a driver, one a copy of it, one an identifier; and the class."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(60, 200))
    driver = rng.integers(0, 14, n)
    y = np.where(rng.random(n) < 0.8, driver % 3, rng.integers(0, 3, n))
    columns = [rng.integers(0, k, n) for k in (2, 5, 10, 12, 25, n // 4)]
    return np.column_stack([*columns, driver, (driver * 5 + 3) % 14, np.arange(n)]), y


def test_two_columns_of_two_rows_a_category_worked_by_hand():
    # 2 + 2 rows in both: k rows in both first categories are 0, 1, 2 with shares 1/6, 4/6, 1/6.
    # With 0 or 2 the columns determine each other, I = log 2; with 1 they are independent. So E = log 2 / 3.
    chance = chance_information(counts_of(2, 2), [counts_of(2, 2)])
    assert_allclose(chance.mean, [np.log(2) / 3], rtol=1e-14)
    assert_allclose(chance.largest, [np.log(2)], rtol=1e-15)
    # One degree of freedom: a chi-square of 2 n I has variance 2.
    assert_allclose(chance.deviation, [np.sqrt(2) / 8], rtol=1e-15)
    # The level is log 2 / 3 + sqrt(2) / 4 = 0.584602; 0.65 is 0.065398 / 0.108545 of log 2 beyond it.
    assert_allclose(chance.beyond(np.array([0.65])), [0.41762], atol=5e-6)
    assert_array_equal(chance.beyond(np.array([0.5])), [0.0])
    assert_allclose(chance.beyond(chance.largest), chance.largest, rtol=1e-15)
    # Chi-square is 0 or 4: the mean is (4 + 4) / 6 = 4/3 = n / (n - 1), the largest 4.
    assert_allclose(chance_chi_square(counts_of(2, 2), [counts_of(2, 2)]), [[4 / 3], [np.sqrt(2)], [4.0]])


def test_the_expected_information_is_the_mean_over_all_orders_of_the_rows():
    x, y = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]
    mean = np.mean([information(x, order) for order in permutations(y)])
    assert expected_information([3, 2, 1], [2, 4]) == pytest.approx(mean, rel=1e-12)
    assert_allclose(chance_information(counts_of(3, 2, 1), [counts_of(2, 4)]).mean, [mean], rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_expected_information_is_that_of_the_formula_and_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 400))
    x, y = rng.integers(0, rng.integers(1, n + 1), n), rng.integers(0, rng.integers(1, 40), n)
    first, second = (np.unique(column, return_counts=True)[1] for column in (x, y))
    found = float(chance_information(first, [second]).mean[0])
    assert found == pytest.approx(expected_information(first.tolist(), second.tolist()), rel=1e-10, abs=1e-13)
    table = np.zeros((x.max() + 1, y.max() + 1), dtype=np.int64)
    np.add.at(table, (x, y), 1)
    peers = expected_mutual_information(table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0], n)
    assert found == pytest.approx(float(peers), rel=1e-8, abs=1e-11)


def test_the_expected_information_of_a_million_rows_keeps_its_digits():
    first, second = np.full(50, 20_000), counts_of(300_000, 700_000)
    # For large cells it approaches (R - 1)(C - 1) / 2 n.
    assert_allclose(chance_information(first, [second]).mean, [49 / 2e6], rtol=1e-3)


def test_columns_with_the_same_counts_have_the_same_numbers_to_the_bit():
    rng = np.random.default_rng(0)
    first, others = rng.integers(1, 30, 40), [rng.integers(1, 30, 30) for _ in range(3)]
    total = max(int(other.sum()) for other in [first, *others])
    first, others = np.append(first, total - first.sum() + 1), [np.append(o, total - o.sum() + 1) for o in others]
    together = chance_information(first, others)
    for index, other in enumerate(others):
        for order in (slice(None), slice(None, None, -1)):
            alone = chance_information(first[order], [other[order]])
            assert_array_equal([number[index] for number in together], [number[0] for number in alone])


@pytest.mark.parametrize("form", FORMS)
def test_relevance_and_redundancy_are_those_of_the_formula(form):
    for seed in range(8):
        X, y = a_table(seed)
        columns, p = X.T.tolist(), X.shape[1]
        objective = bind(RelevanceRedundancy(form, Discretizer(None)), X, y)
        relevance = np.array([corrected_information(x, y.tolist()) for x in columns])
        assert_allclose(objective.score_features(), relevance, rtol=1e-9, atol=1e-11)
        selected = [6, 3, 0]
        redundancy = np.array([np.mean([corrected_information(x, columns[s]) for s in selected]) for x in columns])
        expected = relevance - redundancy if form == "difference" else relevance / (redundancy + 1e-4 * np.log(2))
        others = np.setdiff1d(np.arange(p), selected)
        assert_allclose(objective.score_additions(selected, others), expected[others], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_the_lazy_search_finds_what_the_full_one_finds_and_bounds_are_bounds(form):
    for seed in range(8):
        X, y = a_table(seed)
        criterion = RelevanceRedundancy(form, Discretizer(None))
        lazy = GreedyForward().run(bind(criterion, X, y), 9)
        assert lazy == GreedyForward(lazy=False).run(bind(criterion, X, y), 9)
        objective = bind(criterion, X, y)
        for k in range(1, 9):
            selected, others = list(lazy.indices[:k]), np.array(lazy.indices[k:])
            assert (objective.bound_additions(selected)[others] >= objective.score_additions(selected, others)).all()


def test_a_copy_with_other_names_ties_and_is_entirely_redundant():
    X, y = a_table(0)
    found = MaxRelevance().fit(pd.DataFrame(named(X)), y).scores_
    assert found[6] == found[7] > 0
    objective = bind(RelevanceRedundancy("difference", Discretizer(None)), X, y)
    first = float(objective.score_features()[6])
    counts = np.unique(X[:, 6], return_counts=True)[1] / len(y)
    entropy = float(-(counts * np.log(counts)).sum())
    assert objective.score_additions([6], np.array([7]))[0] == pytest.approx(first - entropy, abs=1e-9)


def test_chi_square_and_gain_are_those_of_the_formula():
    for seed in range(6):
        X, y = a_table(seed)
        frame = pd.DataFrame(named(X))
        expected = [corrected_chi_square(x, y.tolist()) for x in X.T.tolist()]
        assert_allclose(ChiSquare().fit(frame, y).scores_, expected, rtol=1e-9, atol=1e-9)
        assert_array_equal(InformationGain().fit(frame, y).scores_, MaxRelevance().fit(frame, y).scores_)


def test_joint_information_is_that_of_the_formula():
    for seed in range(4):
        X, y = a_table(seed, 150)
        columns, classes = X.T.tolist(), y.tolist()
        objective = bind(JointInformation(Discretizer(None)), X, y)
        # Nothing selected: the relevance. Two columns of few categories: those of few add the plain information.
        found = objective.score_additions([], np.arange(9))
        assert_allclose(found, objective.score_features(), atol=1e-12)
        joint = list(zip(columns[0], columns[1], strict=True))
        expected = [
            information(list(zip(joint, x, strict=True)), classes)
            if len(set(x)) <= 10
            else corrected_joint_information(joint, x, classes)
            for x in columns[2:]
        ]
        assert_allclose(objective.score_additions([0, 1], np.arange(2, 9)), expected, rtol=1e-9, atol=1e-11)
        # After a column of many categories all add what is beyond chance.
        joint = list(zip(columns[6], columns[0], strict=True))
        expected = [corrected_joint_information(joint, columns[j], classes) for j in (1, 2, 3, 4)]
        found = objective.score_additions([6, 0], np.array([1, 2, 3, 4]))
        if not objective.adds_by_chance:
            assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def test_where_nothing_adds_beyond_chance_relevance_decides_and_a_note_says_so():
    X, y = a_table(0, 200)
    frame = pd.DataFrame(named(X))
    fitted = MaxDependency(n_features=4).fit(frame, y)
    assert fitted.selection_.indices[0] == 6
    assert "no more than chance; the rest are ranked by the information of each alone" in fitted.notes_[0]


@pytest.mark.parametrize("n_categories", [11, 30, 100, 300, 1000])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_column_without_information_has_none_whatever_its_categories(n_categories, n_classes):
    rng = np.random.default_rng(n_categories)
    y = np.arange(1000) % n_classes
    X = pd.DataFrame(named(rng.integers(0, n_categories, (1000, 40))))
    found, plain = MaxRelevance().fit(X, y).scores_, MaxRelevance(correction=None).fit(X, y).scores_
    assert found.mean() < 0.02 * plain.mean()
    assert np.count_nonzero(found) <= 6
    assert (ChiSquare().fit(X, y).scores_ > 0).sum() <= 6


def test_a_driver_of_many_categories_keeps_its_information():
    rng = np.random.default_rng(0)
    town, y = rng.integers(0, 40, 2000), rng.integers(0, 2, 2000)
    flips = rng.random(2000) < 0.2
    X = pd.DataFrame(
        {
            "all": [f"k{t}{c}" for t, c in zip(town, y, strict=True)],
            "most": [f"k{t}{c}" for t, c in zip(town, y ^ flips, strict=True)],
            "none": named(town),
            "id": named(np.arange(2000)),
        }
    )
    found, plain = MaxRelevance().fit(X, y).scores_, MaxRelevance(correction=None).fit(X, y).scores_
    # Without towns, "most" would be a flag that is wrong in a fifth of the rows.
    clean = information((y ^ flips).tolist(), y.tolist())
    assert found[0] == pytest.approx(plain[0], rel=1e-9)
    assert found[1] == pytest.approx(clean, rel=0.1)
    assert found[2] < 0.01
    assert found[3] == 0.0
    assert MRMR(n_features=2, correction=None).fit(X, y).selection_.features[0] in ("all", "id")
    assert MRMR(n_features=1).fit(X[["most", "none", "id"]], y).selection_.features == ("most",)


def test_a_large_stream_gives_the_same_to_the_bit(tmp_path):
    X, y = a_table(1, 300)
    frame = pd.DataFrame(named(X)).add_prefix("c").assign(n=np.random.default_rng(0).normal(size=300), label=y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    for selector in (MRMR(n_features=6), MaxRelevance(), ChiSquare()):
        expected = selector.fit(frame.drop(columns="label"), y).scores_
        source = scan(tmp_path / "t.csv", "label")
        criterion, search = selector.sentence()
        source = source.with_text_as_codes()
        for few_bytes in (0, 1 << 40):
            summary = source.collect(criterion.column_summary())
            objective = criterion.bind(source.collect(criterion.second_pass(summary, few_bytes)))
            found = search.run(objective, 6)
            assert_array_equal(found.scores, expected[list(found.indices)])


def test_missing_values_left_out_are_corrected_in_proportion():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 2000)
    X = pd.DataFrame({f"c{j}": named(rng.integers(0, 60, 2000)) for j in range(12)})
    X["driver"] = [f"k{t}{c}" for t, c in zip(rng.integers(0, 20, 2000), y, strict=True)]
    X = X.mask(rng.random(X.shape) < 0.3)
    found = MRMR(n_features=3, missing="pairwise").fit(X, y)
    assert found.selection_.features[0] == "driver"
    scores = MaxRelevance(missing="pairwise").fit(X, y).scores_
    assert scores[-1] == pytest.approx(np.log(2), rel=1e-3)
    assert np.count_nonzero(scores[:-1]) <= 2


def test_a_weight_is_a_repetition_and_the_names_of_categories_do_not_matter():
    X, y = a_table(2)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    frame = pd.DataFrame(named(X))
    weighted = MRMR(n_features=5).fit(frame, y, sample_weight=weights)
    repeated = MRMR(n_features=5).fit(frame.iloc[rows[::-1]], y[rows[::-1]])
    renamed = MRMR(n_features=5).fit(pd.DataFrame(named(X[rows] * 7919 % 10007)), y[rows])
    assert weighted.selection_.scores == repeated.selection_.scores == renamed.selection_.scores
    assert weighted.selection_.indices == repeated.selection_.indices == renamed.selection_.indices


def test_bins_of_numbers_are_corrected_beyond_ten_and_columns_without_rows_share_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    plain, found = (
        MaxRelevance(discretize="frequency", n_bins=25, correction=c).fit(X, y).scores_ for c in (None, "auto")
    )
    assert (found < plain).all()
    few = [MaxRelevance(discretize="frequency", n_bins=10, correction=c).fit(X, y).scores_ for c in (None, "auto")]
    assert_array_equal(*few)
    assert_array_equal(np.concatenate(chance_information(counts_of(0), [counts_of(0)])), np.zeros(3))
    assert_array_equal(Chance(*np.zeros((3, 1))).beyond(np.ones(1)), [0.0])


def test_an_unknown_correction_is_refused():
    for selector in (MRMR(correction="yes"), ChiSquare(correction=True)):
        with pytest.raises(InvalidParameter, match="correction must be one of 'auto', None"):
            selector.fit(*a_table(0))
