"""mRMR and its relatives on tables as they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from fewest import MRMR, ChiSquare, InformationGain, MaxDependency, MaxRelevance, scan
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter

from ...reference.information.information import chi_square, information, joint, mrmr


def three_categories(X):
    mean, spread = X.mean(axis=0), X.std(axis=0, ddof=1)
    return ((mean + spread < X).astype(int) - (mean - spread > X)).T.tolist()


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("criterion", ["difference", "quotient"])
def test_the_order_is_that_of_the_formula(load, criterion):
    X, y = load(return_X_y=True)
    k = min(15, X.shape[1])
    X, y = X[:300], y[:300]
    fitted = MRMR(n_features=k, criterion=criterion, discretize="sigma").fit(X, y)
    with np.errstate(invalid="ignore"):
        expected = mrmr(three_categories(X), y.tolist(), k, criterion)
    assert list(fitted.selection_.indices) == expected


def test_relevance_gain_and_chi_square_are_those_of_the_formula():
    X, y = load_wine(return_X_y=True)
    categories = three_categories(X)
    relevance = [information(x, y.tolist()) for x in categories]
    np.testing.assert_allclose(MaxRelevance().fit(X, y).scores_, relevance, atol=1e-12)
    np.testing.assert_allclose(InformationGain().fit(X, y).scores_, relevance, atol=1e-12)
    np.testing.assert_allclose(
        ChiSquare().fit(X, y).scores_, [chi_square(x, y.tolist()) for x in categories], rtol=1e-9
    )


def test_dependency_is_that_of_the_joint_categories_until_they_determine_the_class():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 8)), rng.integers(0, 2, 60)
    fitted = MaxDependency(n_features=8).fit(X, y)
    (note,) = fitted.notes_
    until = int(note.split()[1])
    assert 1 < until < 6
    assert "ranked by the information of each alone" in note
    taken = fitted.selection_.indices
    assert list(taken[:until]) == joint(X.T.tolist(), y.tolist(), until)
    by_relevance = np.argsort(-MaxRelevance().fit(X, y).scores_, kind="stable").tolist()
    assert list(taken[until:]) == [column for column in by_relevance if column not in taken[:until]]


@pytest.fixture
def mixed():
    rng = np.random.default_rng(0)
    n = 300
    y = rng.choice(["good", "bad", "ugly"], n)
    kind = pd.factorize(y)[0]
    color = np.where(rng.random(n) < 0.7, np.array(["red", "green", "blue"])[kind], rng.choice(["red", "grey"], n))
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "color": color,
            "weight": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) + 1.5 * kind),
            "copy": pd.Categorical(color),
            "flag": rng.random(n) < 0.2 + 0.3 * (kind == 2),
            "city": rng.choice(list("abc"), n),
        }
    )
    frame.loc[::25, "color"] = None
    return frame, y


def test_text_numbers_booleans_and_missing_values_of_one_table(mixed):
    frame, y = mixed
    fitted = MRMR(n_features=3).fit(frame, y)
    assert fitted.selection_.features == ("copy", "weight", "flag")
    assert list(fitted.set_output(transform="pandas").transform(frame).columns) == ["weight", "copy", "flag"]
    categories = frame["copy"].tolist()
    assert MaxRelevance().fit(frame, y).scores_[3] == pytest.approx(information(categories, y.tolist()), abs=1e-12)


def test_every_source_of_text_gives_the_same(mixed, tmp_path):
    frame, y = mixed
    labelled = frame.assign(label=y)
    labelled.to_csv(tmp_path / "t.csv", index=False)
    labelled.to_parquet(tmp_path / "t.parquet")
    expected = MaxRelevance().fit(frame, y).scores_
    for source in (pl.from_pandas(labelled), tmp_path / "t.csv", tmp_path / "t.parquet"):
        np.testing.assert_array_equal(MaxRelevance().fit(scan(source, "label")).scores_, expected)


def test_the_size_is_evaluated_with_one_hot_columns_of_text():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    # The code of a town says nothing; its name says all.
    towns = np.array(list("abcdefgh"))
    town = np.where(y == 1, rng.choice(towns[::2], 400), rng.choice(towns[1::2], 400))
    frame = pd.DataFrame({"noise": rng.normal(size=400), "town": town})
    fitted = MRMR(n_features="auto").fit(frame, y)
    assert fitted.selection_.features == ("town",)
    assert fitted.size_curve_[1][0] == 0.0


def test_a_missing_value_is_a_category_or_left_out():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [np.nan], [np.nan]])
    y = [0, 0, 1, 1, 0, 1]
    as_category = MaxRelevance(missing="state").fit(X, y).scores_[0]
    assert as_category == pytest.approx(information([0, 0, 1, 1, 2, 2], y), abs=1e-15)
    assert MaxRelevance(missing="pairwise").fit(X, y).scores_[0] == pytest.approx(np.log(2), abs=1e-15)
    with pytest.raises(InvalidInput, match="Joint categories need every value"):
        MaxDependency(missing="pairwise").fit(X, y)


def test_an_integer_weight_is_a_repetition_and_a_fraction_is_refused():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = MRMR(n_features=5).fit(X, y, sample_weight=weight)
    repeated = MRMR(n_features=5).fit(X[rows], y[rows])
    assert weighted.selection_.indices == repeated.selection_.indices
    np.testing.assert_allclose(weighted.selection_.scores, repeated.selection_.scores, atol=1e-15)
    with pytest.raises(InvalidInput, match="sample_weight must be a whole number: how often the row counts"):
        MRMR().fit(X, y, sample_weight=weight + 0.5)


def test_text_in_parts_is_refused_since_codes_would_differ(mixed):
    frame, y = mixed
    with pytest.raises(InvalidInput, match="needs numbers, and 3 column"):
        MRMR(n_features=2).partial_fit(frame, y)


def test_a_column_without_a_value_comes_last_with_a_warning():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([np.full(len(y), np.nan), X[:, :3]])
    with pytest.warns(FewestWarning, match="hold no value at all"):
        fitted = MRMR(n_features=4).fit(X, y)
    assert fitted.selection_.indices[-1] == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "ratio"}, "criterion must be one of 'difference', 'quotient', got 'ratio'"),
        ({"discretize": "bins"}, "discretize must be one of"),
        ({"n_bins": 0}, "n_bins must be a whole number from 2 to 1000"),
        ({"missing": None}, "missing must be one of"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        MRMR(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("move", [lambda X: X + 10**9, lambda X: X + 10**15, lambda X: 1000 * X, lambda X: -7 * X])
def test_few_integers_are_categories_wherever_they_lie(move):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 120)
    X = np.where(rng.random((120, 6)) < 0.3, y[:, None], rng.integers(0, 4, (120, 6)))
    expected = MRMR(n_features=4).fit(X, y).selection_
    found = MRMR(n_features=4).fit(move(X), y).selection_
    assert (found.indices, found.scores) == (expected.indices, expected.scores)
