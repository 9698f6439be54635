"""density="parzen" of MRMR, MaxRelevance and MaxDependency on tables as they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fewest import MRMR, ChiSquare, InformationGain, MaxDependency, MaxRelevance
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter, MissingValues

from ...cli.running import refused, run
from ...reference.information.parzen import dependency, kernel, mrmr, of_class


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("criterion", ["difference", "quotient"])
def test_the_order_is_that_of_the_formula(load, criterion):
    X, y = load(return_X_y=True)
    X, y = X[:400], y[:400]
    fitted = MRMR(n_features=10, criterion=criterion, density="parzen").fit(X, y)
    expected, scores = mrmr(X.T, y, 10, criterion)
    assert list(fitted.selection_.indices) == expected
    assert_allclose(fitted.selection_.scores, scores, rtol=1e-8, atol=1e-9)


def test_relevance_is_that_of_the_formula():
    X, y = load_wine(return_X_y=True)
    assert_allclose(MaxRelevance(density="parzen").fit(X, y).scores_, [of_class(kernel(x), y) for x in X.T], atol=1e-12)


def test_dependency_is_that_of_the_formula():
    X, y = load_iris(return_X_y=True)
    fitted = MaxDependency(n_features=4, density="parzen").fit(X, y)
    expected, scores = dependency(X.T, y, 4)
    assert list(fitted.selection_.indices) == expected
    assert_allclose(fitted.selection_.scores, scores, atol=1e-12)
    assert fitted.notes_ == ()


def test_once_the_class_seems_determined_relevance_decides_and_a_note_says_so():
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    X = rng.normal(size=(12, 40))
    fitted = MaxDependency(n_features=40, density="parzen").fit(X, y)
    (note,) = fitted.notes_
    until = int(note.split()[1])
    assert 1 < until < 40
    assert "their joint densities determine the class of every row" in note
    taken = fitted.selection_.indices
    by_relevance = np.argsort(-MaxRelevance(density="parzen").fit(X, y).scores_, kind="stable").tolist()
    assert list(taken[until:]) == [column for column in by_relevance if column not in taken[:until]]


def test_parameters_of_discretisation_have_no_effect():
    X, y = load_wine(return_X_y=True)
    expected = MRMR(n_features=5, density="parzen").fit(X, y).scores_
    for parameters in ({"discretize": None}, {"discretize": "width", "n_bins": 3}, {"factor": 0.5}):
        np.testing.assert_array_equal(MRMR(n_features=5, density="parzen", **parameters).fit(X, y).scores_, expected)


def test_the_size_is_chosen_by_cross_validation():
    X, y = load_wine(return_X_y=True)
    fitted = MRMR(n_features="auto", density="parzen").fit(X, y)
    assert 2 <= fitted.n_features_ <= 13
    path = MRMR(n_features=fitted.n_features_, density="parzen").fit(X, y).selection_.indices
    assert fitted.selection_.indices == path


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_a_weight_may_be_a_fraction_and_2_is_the_row_twice(load):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = MRMR(n_features=5, density="parzen").fit(X, y, sample_weight=weight)
    repeated = MRMR(n_features=5, density="parzen").fit(X[rows], y[rows])
    assert weighted.selection_.indices == repeated.selection_.indices
    assert_allclose(weighted.selection_.scores, repeated.selection_.scores, atol=1e-9)
    fractions = np.random.default_rng(1).uniform(0.2, 2, len(y))
    fitted = MRMR(n_features=5, density="parzen").fit(X, y, sample_weight=fractions)
    assert list(fitted.selection_.indices) == mrmr(X.T, y, 5, "difference", fractions)[0]


def test_missing_values_are_refused_with_the_column_s_name():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.iloc[3, 2] = np.nan
    for selector in (MRMR, MaxRelevance, MaxDependency):
        with pytest.raises(MissingValues, match=r"1 value\(s\) of column 'petal length \(cm\)' are missing"):
            selector(density="parzen").fit(X, y)
    fitted = MRMR(density="parzen").fit(X.fillna(0.0), y)
    with pytest.raises(InvalidInput, match="contains NaN or infinity, which MRMR with these parameters does not take"):
        fitted.transform(X)


def test_a_column_without_a_value_comes_last_with_a_warning():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([np.full(len(y), np.nan), X[:, :3]])
    with pytest.warns(FewestWarning, match="hold no value at all"):
        fitted = MRMR(n_features=4, density="parzen").fit(X, y)
    assert fitted.selection_.indices[-1] == 0
    assert fitted.transform(X).shape == X.shape


def test_text_is_indicators():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["color"] = pd.Series(["red", "green"] * 75)
    as_numbers = X.assign(color=(X["color"] == "red").astype(float))
    for selector in (MRMR(density="parzen"), MaxRelevance(density="parzen"), MaxDependency(density="parzen")):
        expected = selector.fit(as_numbers, y).selection_
        found = selector.fit(X, y).selection_
        assert found.indices == expected.indices
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("selector", [MRMR, MaxRelevance, MaxDependency])
@pytest.mark.parametrize("density", ["gauss", None, 3])
def test_another_density_is_refused_before_data_are_read(selector, density):
    with pytest.raises(InvalidParameter, match="density must be one of 'discrete', 'parzen', got"):
        selector(density=density).fit("no table at all", None)


@pytest.mark.parametrize("selector", [InformationGain, ChiSquare])
def test_what_is_a_count_by_definition_has_no_density(selector):
    assert "density" not in selector().get_params()


def test_the_command_sets_it(capsys):
    assert run("select", "iris", "--method", "mrmr", "--set", "density=parzen", "--features", "2") == 0
    printed = capsys.readouterr().out
    X, y = load_iris(return_X_y=True, as_frame=True)
    for name in MRMR(n_features=2, density="parzen").fit(X, y).selection_.features:
        assert name in printed
    assert run("select", "iris", "--method", "mrmr", "--set", "density=gauss") != 0
    assert "density must be one of 'discrete', 'parzen', got 'gauss'" in refused(capsys)
