"""p-values of categories by classes, and scores under permuted labels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2, chi2_contingency

from fewest import ChiSquare, InformationGain, MaxRelevance, scan
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.independence_tests import independence_p_values
from fewest.methods.information.information_criteria import ChiSquareStatistic, MutualInformation

from ...binding import bind
from ...reference.significance import independence

AS_THEY_ARE = Discretizer(None)
CRITERIA = {"G": MutualInformation(AS_THEY_ARE), "chi-square": ChiSquareStatistic(AS_THEY_ARE)}


def test_a_table_of_two_by_two_by_hand():
    # 30 and 10 rows of a class in one category, 10 and 30 in the other: 20 are expected in each cell.
    cells = np.array([[30, 10], [10, 30]])
    starts = np.array([0])
    # Chi-square: 4 * 10^2 / 20 = 20. G: 2 (2 * 30 log 1.5 + 2 * 10 log 0.5) = 20.93.
    assert_allclose(independence_p_values(cells, starts, is_g=False)[0], chi2.sf(20, 1))
    g = 4 * (30 * np.log(1.5) + 10 * np.log(0.5))
    assert_allclose(independence_p_values(cells, starts, is_g=True)[0], chi2.sf(g, 1))
    assert independence_p_values(cells, starts, is_g=True)[1].tolist() == [20.0]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", CRITERIA)
def test_they_are_those_of_scipy(seed, name):
    rng = np.random.default_rng(seed)
    n, n_classes = 600, int(rng.integers(2, 4))
    y = rng.integers(0, n_classes, n)
    X = (rng.random((n, 8)) * rng.integers(2, 6, 8) + 0.4 * y[:, None]).astype(int).astype(float)
    method = "log-likelihood" if name == "G" else "pearson"
    found = bind(CRITERIA[name], X, y).p_values()
    for j in range(8):
        table = np.array([[np.sum((X[:, j] == a) & (y == c)) for c in range(n_classes)] for a in np.unique(X[:, j])])
        scipy = chi2_contingency(table, correction=False, lambda_=method)
        if name == "chi-square" or scipy.expected_freq.min() >= 10:
            assert_allclose(found[j], scipy.pvalue, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", CRITERIA)
def test_they_are_those_of_the_formula_also_with_few_rows(seed, name):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    y = rng.integers(0, 3, n)
    y[:2] = [0, 1]
    X = rng.integers(0, rng.integers(1, 5, 6), (n, 6)).astype(float)
    expected = [independence(x, y, name == "G") for x in X.T]
    assert_allclose(bind(CRITERIA[name], X, y).p_values(), expected, rtol=1e-9)


@pytest.mark.parametrize("missing", ["state", "pairwise"])
def test_missing_values_are_a_category_or_left_out(missing):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = rng.integers(0, 3, (300, 4)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[y == 1, 3] = np.nan
    found = bind(MutualInformation(Discretizer(None, missing=missing)), X, y).p_values()
    for j in range(4):
        known = ~np.isnan(X[:, j])
        x, labels = (np.where(known, X[:, j], 9), y) if missing == "state" else (X[known, j], y[known])
        assert_allclose(found[j], independence(x, labels, True), rtol=1e-9)
    # Observed in one class only: nothing to test.
    assert (found[3] == 1) == (missing == "pairwise")


def test_weights_are_repetitions():
    rng = np.random.default_rng(2)
    y, X, weights = rng.integers(0, 2, 80), rng.integers(0, 3, (80, 5)).astype(float), rng.integers(0, 5, 80)
    repeated = np.repeat(np.arange(80), weights)
    for criterion in CRITERIA.values():
        assert_allclose(
            bind(criterion, X, y, weights).p_values(), bind(criterion, X[repeated], y[repeated]).p_values(), rtol=1e-12
        )


def test_columns_of_many_categories_are_tested_by_the_plain_statistic():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 2000)
    X = rng.integers(0, 30, (2000, 3)).astype(float)
    objective = bind(MutualInformation(AS_THEY_ARE), X, y)
    assert (objective.scores == 0).any()  # no more than chance
    assert_allclose(objective.p_values(), [independence(x, y, True) for x in X.T], rtol=1e-9)


def test_a_note_says_where_too_few_rows_are_expected():
    y = np.repeat([0, 1], [5, 45])
    X = np.column_stack([np.arange(50) % 2, np.arange(50) % 25]).astype(float)
    with pytest.warns(UserWarning, match="No features were selected"):
        chosen = InformationGain(n_features="fdr", discretize=None, correction=None).fit(X, y)
    assert any("1 column(s) have cells in which less than 1 row is expected" in note for note in chosen.notes_)


def test_a_stream_that_is_read_twice_has_the_same_p_values(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    X[:, 0] += y
    X[::7, 2] = np.nan
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=y)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=100)
    for kind in (MaxRelevance, ChiSquare):
        selector = kind(n_features="fdr")
        expected = selector.fit(X, y).p_values_
        source = scan(tmp_path / "t.parquet", target="label")

        class Streamed(kind):
            _stream_bytes = 10

        found = Streamed(n_features="fdr").fit(source)
        assert_allclose(found.p_values_, expected, rtol=1e-10)
        assert found.selection_.features == ("a",)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("missing", ["state", "pairwise"])
def test_scores_under_other_labels_are_those_of_rows_with_these_labels(name, missing):
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, k, 90) for k in (2, 3, 5, 20)]).astype(float)
    X = np.column_stack([X, rng.normal(size=(90, 3)), np.ones(90)])
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 90)
    discretizer = Discretizer(missing=missing)
    kind = MutualInformation if name == "G" else ChiSquareStatistic
    criterion = kind(discretizer, correction=None)
    rows = ArraySource(X, Target(y)).collect(criterion.permutation_rows())
    score = criterion.permutation_scorer(rows)
    code_of = np.array([list(rows.classes).index(c) for c in range(3)], dtype=np.int32)
    labels = np.array([rng.permutation(y) for _ in range(6)])
    features = np.array([0, 2, 3, 5, 7])
    found = score(code_of[labels], features)
    for permuted, scores in zip(labels, found, strict=True):
        assert_allclose(scores, bind(criterion, X, permuted).scores[features], rtol=1e-12, atol=1e-15)
