"""beta and gamma of FisherMarkov by cross-validation, and notes on parameters without effect."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fewest import (
    ChiSquare,
    FewestError,
    FisherMarkov,
    FisherScore,
    ForestImportance,
    KolmogorovSmirnov,
    MaxRelevance,
    PearsonCorrelation,
    Relief,
    StumpBoosting,
    Wrapper,
)
from fewest.errors import InvalidInput

from ...nearest_means import NearestMeans


def table(n=120, p=12, n_useful=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :n_useful] += 1.5 * y[:, None]
    return X, y


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("scale", ["auto", "range"])
def test_beta_auto_chooses_a_threshold_and_the_columns_above_it(degree, scale):
    X, y = table()
    found = FisherMarkov(degree=degree, scale=scale, beta="auto").fit(X, y)
    same = FisherMarkov(degree=degree, scale=scale, beta=found.beta_).fit(X, y)
    assert found.selection_.indices == same.selection_.indices
    assert found.selection_.is_optimal
    if degree == 1:
        assert set(found.selection_.indices) == set(np.flatnonzero(found.theta_ > found.beta_).tolist())
        assert 1 <= found.n_features_ <= 6
        assert found.selection_.indices[0] < 3
    assert found.n_features_ in found.size_curve_
    assert any(note.startswith("beta = ") and "cross-validation" in note for note in found.notes_)
    assert found.get_params()["beta"] == "auto"


def test_beta_auto_by_the_least_error_is_that_of_the_curve():
    X, y = load_wine(return_X_y=True)
    found = FisherMarkov(beta="auto", rule="min").fit(X, y)
    errors = {size: error for size, (error, _) in found.size_curve_.items()}
    assert errors[found.n_features_] == min(errors.values())


def test_neither_the_order_of_the_rows_nor_the_names_of_the_classes_change_what_is_chosen():
    X, y = table()
    found = FisherMarkov(beta="auto", gamma="auto", scale="range").fit(X, y)
    order = np.random.default_rng(1).permutation(len(y))
    other = FisherMarkov(beta="auto", gamma="auto", scale="range").fit(X[order], np.array(["z", "a"])[y][order])
    assert (other.beta_, other.gamma_) == pytest.approx((found.beta_, found.gamma_), rel=1e-9)
    assert set(other.selection_.indices) == set(found.selection_.indices)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_gamma_auto_takes_the_alternative_of_the_least_error(degree):
    X, y = table()
    found = FisherMarkov(degree=degree, scale="range", gamma="auto", n_features=2).fit(X, y)
    same = FisherMarkov(degree=degree, scale="range", gamma=found.gamma_, n_features=2).fit(X, y)
    assert found.gamma_ in (0.0, -0.5, -1.0, 0.25, 0.5)
    assert found.selection_.indices == same.selection_.indices
    assert any(f"gamma = {found.gamma_:g} chosen by 5-fold cross-validation among 5" in note for note in found.notes_)


def test_a_column_on_which_everything_depends_is_not_lost_where_a_fold_takes_nothing():
    X, y = np.zeros((40, 3)), np.arange(40) % 2
    X[:, 1] = y
    found = FisherMarkov(beta="auto").fit(X, y)
    assert 1 in found.selection_.indices


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("beta", [0.0, 0.05, 10.0])
def test_gamma_is_chosen_with_a_given_threshold_by_what_passes_it_in_every_fold(degree, beta):
    # In the folds other numbers of columns pass than on all rows, or none.
    for seed in range(4):
        X, y = table(40, 6, seed=seed)
        found = FisherMarkov(degree, gamma="auto", beta=beta, scale="symmetric").fit(X, y)
        same = FisherMarkov(degree, gamma=found.gamma_, beta=beta, scale="symmetric").fit(X, y)
        assert found.selection_.indices == same.selection_.indices
        assert found.beta_ == beta


def test_auto_needs_all_rows_at_once():
    assert hasattr(FisherMarkov(beta=0.1), "partial_fit")
    for parameters in ({"beta": "auto"}, {"gamma": "auto", "scale": "range"}):
        assert not hasattr(FisherMarkov(**parameters), "partial_fit")


def test_words_that_are_no_choice_are_refused():
    X, y = table()
    with pytest.raises(FewestError, match="gamma must be a finite number or 'auto', got 'best' instead"):
        FisherMarkov(gamma="best").fit(X, y)
    with pytest.raises(FewestError, match="beta must be"):
        FisherMarkov(beta="best").fit(X, y)
    with pytest.raises(FewestError, match="Give beta or n_features, not both"):
        FisherMarkov(beta="auto", n_features=3).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "inert"),
    [
        ({}, set()),
        ({"gamma": -0.5}, {"gamma"}),
        ({"gamma": "auto"}, {"gamma"}),
        ({"gamma": 0.7, "scale": "std"}, {"gamma"}),
        ({"gamma": -0.5, "scale": "range"}, set()),
        ({"gamma": -0.5, "beta": 0.1, "n_features": None}, set()),
        ({"gamma": -0.5, "beta": "null", "n_features": None}, {"gamma"}),
        ({"gamma": -0.5, "degree": 2}, set()),
        ({"kernel": "homogeneous"}, {"kernel"}),
        ({"kernel": "homogeneous", "degree": 2}, set()),
        ({"level": 0.1}, {"level"}),
        ({"keep_pairs": True}, {"keep_pairs"}),
    ],
    ids=repr,
)
def test_parameters_without_effect_are_noted_and_have_none(parameters, inert):
    X, y = table()
    given = FisherMarkov(**{"n_features": 4, **parameters}).fit(X, y)
    noted = {note.split()[0] for note in given.notes_ if "has no effect" in note}
    assert noted == inert
    plain = {name: value for name, value in parameters.items() if name not in inert}
    without = FisherMarkov(**{"n_features": 4, **plain}).fit(X, y)
    if inert:
        assert given.selection_.indices == without.selection_.indices


@pytest.mark.parametrize(
    "selector",
    [
        FisherScore(),
        PearsonCorrelation(),
        ChiSquare(),
        MaxRelevance(),
        KolmogorovSmirnov(),
        StumpBoosting(),
        Wrapper(NearestMeans(), cv=2),
        ForestImportance(n_trees=5),
    ],
    ids=lambda selector: selector.name,
)
def test_a_scale_that_does_nothing_is_noted_and_does_nothing(selector):
    X, y = table(60)
    plain = selector.set_params(n_features=2).fit(X, y)
    indices = plain.selection_.indices
    assert not any("no effect" in note for note in plain.notes_)
    scaled = selector.set_params(scale="range").fit(X, y)
    assert scaled.selection_.indices == indices
    assert any(note.startswith("scale has no effect: ") for note in scaled.notes_)


def test_a_scale_that_does_something_is_not_noted():
    X, y = table(60)
    assert not any("no effect" in note for note in Relief(n_features=2, scale="std").fit(X, y).notes_)


def test_beta_auto_of_columns_without_a_value_is_refused():
    with pytest.raises(InvalidInput, match="No column has a score"):
        FisherMarkov(beta="auto").fit(np.full((30, 2), np.nan), np.arange(30) % 2)
