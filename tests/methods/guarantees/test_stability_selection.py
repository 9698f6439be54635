from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import (
    MRMR,
    FisherMarkov,
    FisherScore,
    NonMonotonicMKL,
    ReliefF,
    StabilitySelection,
    StumpBoosting,
    SVMWeights,
    compare,
    scan,
)
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter, TooManyRows
from fewest.methods.guarantees.complementary_pairs import draw_pairs

from .simulated_tables import in_the_mean, shifted, simulated


@pytest.fixture(scope="module")
def table():
    return simulated(0, 120, 40, 4, effect=1.5)


def fisher_ratio(values, labels):
    """Between-class over within-class scatter of each column."""
    means = np.array([values[labels == c].mean(axis=0) for c in np.unique(labels)])
    shares = np.array([np.mean(labels == c) for c in np.unique(labels)])[:, None]
    between = (shares * np.square(means - values.mean(axis=0))).sum(axis=0)
    return between / (values.var(axis=0) - between)


def test_frequencies_and_path_are_those_of_the_halves_one_by_one(table):
    X, y, _ = table
    # Rows are already class by class, and in an order that their contents decide: the selector's own.
    fitted = StabilitySelection(FisherScore(n_features=6), n_pairs=10).fit(X, y)
    from fewest.methods.guarantees.canonical_rows import CanonicalRows

    rows = CanonicalRows.of(scan(X, y), None, "")
    X, y = X[rows.order], y[rows.order]
    counts, first_two = np.zeros(40), np.zeros(40)
    for pair in draw_pairs(rows.codes, None, 10, 0):
        for half in pair:
            order = np.argsort(-fisher_ratio(X[half], y[half]))
            counts[order[:6]] += 1
            first_two[order[:2]] += 1
    assert_array_equal(fitted.frequencies_, counts / 20)
    assert_array_equal(fitted.scores_, fitted.frequencies_)
    path = fitted.path_
    assert path.sizes == (1, 2, 3, 4, 5, 6)
    assert_array_equal(path.columns, np.flatnonzero(counts))
    assert_array_equal(path.frequencies[1], first_two[path.columns] / 20)
    assert_array_equal(path.frequencies[-1], counts[path.columns] / 20)
    assert_array_equal(path.of_column(int(path.columns[0])), path.frequencies[:, 0])
    assert path.threshold == fitted.threshold_


def test_a_column_that_is_the_class_is_selected_on_every_half_and_alone():
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([random.normal(size=(40, 9)), y])
    fitted = StabilitySelection(FisherScore(n_features=1), bound="meinshausen-buhlmann").fit(X, y)
    assert fitted.selection_.indices == (9,)
    assert fitted.frequencies_.tolist() == [0.0] * 9 + [1.0]
    # By hand: 1 / ((2 t - 1) 10) <= 1 from t = 0.55 on.
    assert (fitted.q_, fitted.threshold_) == (1, 0.55)
    assert fitted.expected_false_ == pytest.approx(1.0)


def test_which_of_size_and_threshold_is_derived(table):
    X, y, _ = table
    given_size = StabilitySelection(FisherScore(n_features=5), n_pairs=10).fit(X, y)
    assert given_size.q_ == 5
    assert given_size.expected_false_ <= 1.0
    given_threshold = StabilitySelection(FisherScore(), threshold=0.9, n_pairs=10).fit(X, y)
    assert given_threshold.threshold_ == 0.9
    assert given_threshold.q_ > 5
    neither = StabilitySelection("fisher-score", n_pairs=10).fit(X, y)
    assert neither.threshold_ == 0.75
    both = StabilitySelection(FisherScore(n_features=0.1), threshold=0.9, n_pairs=10).fit(X, y)
    assert (both.q_, both.threshold_) == (4, 0.9)
    assert both.expected_false_ < given_threshold.expected_false_ <= 1.0
    stricter = StabilitySelection(FisherScore(n_features=5), n_pairs=10, expected_false=0.1).fit(X, y)
    assert stricter.threshold_ > given_size.threshold_
    assumed = [
        StabilitySelection(FisherScore(n_features=4), n_pairs=10, assumption=one).fit(X, y).threshold_
        for one in ("r-concave", "unimodal", "none")
    ]
    assert assumed == sorted(assumed)
    assert assumed[0] < assumed[-1]


def test_a_size_that_is_too_large_is_refused_with_the_largest_that_is_not(table):
    X, y, _ = table
    selector = StabilitySelection(FisherScore(n_features=12), bound="meinshausen-buhlmann", n_pairs=5)
    with pytest.raises(InvalidInput, match="Give the selector n_features=6, the largest that can"):
        selector.fit(X, y)  # 6^2 / 40 = 0.9
    with pytest.raises(InvalidInput, match="n_features=4, the largest that can, or None; or leave out the threshold"):
        selector.set_params(threshold=0.75).fit(X, y)  # 4^2 / 20 = 0.8
    with pytest.raises(InvalidInput, match="not even one feature a half"):
        selector.set_params(expected_false=1e-3).fit(X, y)


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        (MRMR(n_features="auto"), "MRMR.n_features='auto'. chooses its own number of features"),
        (FisherMarkov(beta=0.1), "chooses its own number of features"),
        ("mrmrr", r"There is no method 'mrmrr' .did you mean 'mrmr'"),
        ("mrmr(bins=3)", "mrmr has no parameter 'bins'"),
        (3, "selector must be a selector such as MRMR"),
        (StabilitySelection(), "within itself has no bound"),
    ],
)
def test_selectors_that_cannot_be_fitted_on_halves_are_refused_by_name(selector, says):
    with pytest.raises(InvalidParameter, match=says):
        StabilitySelection(selector).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"threshold": 0.5}, "threshold must be a number above 0.5 and up to 1, or None, got 0.5"),
        ({"threshold": 1.2}, "threshold must be"),
        ({"expected_false": 0}, "expected_false must be a positive number"),
        ({"n_pairs": 0}, "n_pairs must be a whole number of at least 1"),
        ({"bound": "x"}, "bound must be one of 'shah-samworth', 'meinshausen-buhlmann'"),
        ({"assumption": "x"}, "assumption must be one of 'r-concave', 'unimodal', 'none'"),
    ],
)
def test_parameters_are_checked(parameters, says):
    with pytest.raises(InvalidParameter, match=says):
        StabilitySelection(**parameters).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    "inner", [ReliefF(), SVMWeights(), StumpBoosting(), NonMonotonicMKL(), MRMR(criterion="quotient")]
)
def test_any_selector_will_do_nested_paths_or_not(inner, table):
    X, y, true = table
    fitted = StabilitySelection(inner, n_pairs=5).fit(X, y)
    assert 0 < fitted.n_features_ <= fitted.q_ / fitted.threshold_
    assert set(fitted.selection_.indices) & set(true)
    known = fitted.path_.frequencies[~np.isnan(fitted.path_.frequencies).any(axis=1)]
    assert np.all(
        known.sum(axis=1) <= np.array(fitted.path_.sizes)[~np.isnan(fitted.path_.frequencies).any(axis=1)] + 1e-9
    )


def test_constant_and_equal_columns():
    random = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = random.normal(size=(60, 12))
    X[:, 0] = 3.0
    X[:, 5] += 3 * y
    X[:, 8] = X[:, 5]
    fitted = StabilitySelection(FisherScore(n_features=1), n_pairs=25).fit(X, y)
    # Which of two equal columns is first differs from half to half: each is selected on about half of them.
    assert fitted.frequencies_[0] == 0.0
    assert fitted.frequencies_[5] + fitted.frequencies_[8] == 1.0
    assert 0.2 < fitted.frequencies_[5] < 0.8
    assert "1 constant column left out" in fitted.notes_
    assert "among 11 columns" in fitted.notes_[1]
    with pytest.warns(FewestWarning, match="No features were selected"):
        none = StabilitySelection(n_pairs=5).fit(np.ones((20, 3)), np.arange(20) % 2)
    assert none.selection_.indices == ()


def test_an_empty_answer_is_explained():
    X, y = np.random.default_rng(5).normal(size=(40, 30)), np.arange(40) % 2
    with pytest.warns(FewestWarning, match="No features were selected"):
        fitted = StabilitySelection(FisherScore(n_features=2), expected_false=0.05, n_pairs=20).fit(X, y)
    best = int(np.argmax(fitted.frequencies_))
    assert f"the most frequent, x{best}, is selected on" in fitted.notes_[-1]


def test_a_number_of_features_selects_the_most_frequent_and_says_what_the_bound_is_about(table):
    X, y, _ = table
    stable = StabilitySelection(FisherScore(n_features=5), n_pairs=10).fit(X, y)
    fitted = StabilitySelection(FisherScore(n_features=5), n_pairs=10, n_features=9).fit(X, y)
    assert len(fitted.selection_) == 9
    assert fitted.selection_.indices[: len(stable.selection_)] == stable.selection_.indices
    assert f"9 features asked for, and {len(stable.selection_)} reach the threshold" in fitted.notes_[-1]


def test_two_rows_of_a_class_are_enough_and_one_is_not():
    random = np.random.default_rng(0)
    X = random.normal(size=(12, 5))
    y = np.array([0] * 10 + [1] * 2)
    X[y == 1, 2] += 50.0
    assert 2 in StabilitySelection(FisherScore(n_features=1), n_pairs=5).fit(X, y).selection_.indices
    with pytest.raises(
        InvalidInput, match=r"Both halves of the rows need two classes, and 1 class\(es\) have two rows"
    ):
        StabilitySelection(n_pairs=5).fit(X[:11], y[:11])
    with pytest.raises(InvalidInput, match=r"relieff cannot select on half of the rows .2 of 4.*needs another row"):
        StabilitySelection("relieff", n_pairs=5).fit(X[8:], y[8:])


def test_text_and_missing_values_are_the_business_of_the_selector():
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    frame = pd.DataFrame(random.normal(size=(80, 4)), columns=list("abcd"))
    frame["town"] = np.where(random.random(80) < 0.9, np.where(y == 1, "Rome", "Oslo"), "Bern")
    frame.loc[3, "a"] = np.nan
    assert "town" in StabilitySelection("mrmr", n_pairs=10).fit(frame, y).selection_.features
    with pytest.raises(InvalidInput, match=r"svm-weights cannot select on half of the rows .*'a'"):
        StabilitySelection("svm-weights", n_pairs=10).fit(frame, y)


def test_sparse_streamed_and_dense_rows_give_the_same(table, tmp_path):
    X, y, _ = table
    X = np.where(np.abs(X) > 0.7, X, 0.0).astype(np.float32)
    selector = StabilitySelection(FisherScore(n_features=5), n_pairs=5)
    expected = selector.fit(X, y).frequencies_.tolist()
    assert selector.fit(sparse.csr_array(X), y).frequencies_.tolist() == expected
    pd.DataFrame(X.astype(float)).add_prefix("c").assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    assert selector.fit(scan(tmp_path / "t.csv", "y")).frequencies_.tolist() == expected
    # Ties between halves are drawn anew, so that the order of the columns changes nothing.
    order = np.random.default_rng(0).permutation(40)
    assert selector.fit(X[:, order], y).frequencies_.tolist() == np.array(expected)[order].tolist()


def test_a_stream_that_cannot_be_kept_is_refused_in_words(table, monkeypatch):
    from fewest.methods.guarantees import canonical_rows

    X, y, _ = table
    monkeypatch.setattr(canonical_rows, "STORED_ROWS", 1000)
    with pytest.raises(TooManyRows, match="Select on a sample of the rows"):
        StabilitySelection(n_pairs=2).fit(X, y)


def test_a_weight_of_two_is_the_row_twice_and_fractions_are_refused(table):
    X, y, _ = table
    weights = np.arange(120) % 3
    selector = StabilitySelection(FisherScore(n_features=5), n_pairs=5)
    twice = selector.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).frequencies_.tolist()
    assert selector.fit(X, y, sample_weight=weights).frequencies_.tolist() == twice
    with pytest.raises(InvalidInput, match="sample_weight must hold whole numbers"):
        selector.fit(X, y, sample_weight=weights + 0.5)


def test_rows_of_one_group_are_in_one_half():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    y = groups % 2
    # A column of the group, which every half can use and which tells nothing of other groups.
    X = np.column_stack([random.normal(size=(30, 10))[groups], random.normal(size=(120, 10)) + y[:, None]])
    fitted = StabilitySelection(FisherScore(n_features=4), n_pairs=10).fit(X, y, groups=groups)
    alone = StabilitySelection(FisherScore(n_features=4), n_pairs=10).fit(X, y)
    assert fitted.frequencies_.tolist() != alone.frequencies_.tolist()
    order = random.permutation(120)
    names = np.array([f"g{g}" for g in groups])
    again = StabilitySelection(FisherScore(n_features=4), n_pairs=10).fit(X[order], y[order], groups=names[order])
    assert again.frequencies_.tolist() == fitted.frequencies_.tolist()
    with pytest.raises(InvalidInput, match=r"0 class\(es\) have two groups of rows"):
        StabilitySelection().fit(X, y, groups=y)


def test_parameters_of_the_selector_have_no_effect_here(table):
    X, y, _ = table
    fitted = StabilitySelection(FisherScore(n_features=3), n_pairs=2, n_features=3, scoring="roc-auc").fit(X, y)
    assert "scoring has no effect: it is a parameter of the selector of the halves" in fitted.notes_
    fitted.set_params(scoring=None, bound="meinshausen-buhlmann", assumption="none", selector__n_features=2).fit(X, y)
    assert any("assumption has no effect" in note for note in fitted.notes_)
    assert fitted.q_ == 2


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize("correlation", [0.0, 0.7])
@pytest.mark.parametrize(
    "parameters",
    [{"bound": "meinshausen-buhlmann"}, {"assumption": "unimodal"}, {"assumption": "r-concave"}],
    ids=lambda parameters: next(iter(parameters.values())),
)
def test_the_mean_number_of_false_selections_is_at_most_its_bound(correlation, parameters):
    figures, n_found = [], 0
    for seed in range(20):
        X, y, true = shifted(seed, 80, 60, 3, correlation)
        fitted = StabilitySelection("fisher-score", n_pairs=15, **parameters).fit(X, y)
        n_true = np.count_nonzero(fitted.support_[true])
        figures.append(fitted.n_features_ - n_true)
        n_found += n_true
    mean, error = in_the_mean(figures)
    assert mean <= fitted.expected_false_ + 2 * error
    assert fitted.expected_false_ <= 1
    assert n_found >= 40  # of 60


def test_it_takes_part_in_a_comparison(table):
    X, y, _ = table
    found = compare(["stability-selection(selector=fisher-score, n_pairs=3)"], X, y, sizes=[1, 3], outer=2, inner=2)
    (method,) = found.summary.tables[0].methods
    assert method.failed is None
    assert method.paths.features[0].startswith("x")
    assert len(method.paths.frequencies) == len(method.paths.features)
    assert type(found).from_json(found.to_json()).summary.tables[0].methods[0].paths == method.paths


def test_forbidden_columns_are_left_out_and_other_constraints_refused():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = rng.normal(size=(100, 30))
    X[:, :4] += 2 * y[:, None]
    stable = StabilitySelection(FisherScore(n_features=5), forbid=[0, 7]).fit(X, y)
    left = np.delete(np.arange(30), [0, 7])
    alone = StabilitySelection(FisherScore(n_features=5)).fit(X[:, left], y)
    assert stable.selection_.indices == tuple(left[list(alone.selection_.indices)].tolist())
    assert np.isnan(stable.frequencies_[[0, 7]]).all()
    assert stable.frequencies_[left].tolist() == alone.frequencies_.tolist()
    assert stable.path_.columns.tolist() == left[alone.path_.columns].tolist()
    for selector, constraints in ((FisherScore(keep=[1]), {}), (FisherScore(), {"keep": [1]})):
        with pytest.raises(InvalidParameter, match="keep"):
            StabilitySelection(selector, **constraints).fit(X, y)
