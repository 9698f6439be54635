"""What each recommended feature is worth: the error without it, the best swap, the most similar column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB

from fewest import Comparison, compare
from fewest.evaluation.design.labelled_tables import to_tables
from fewest.evaluation.run.classifiers import to_classifiers
from fewest.evaluation.run.trial import Plan, inner_splits
from fewest.evaluation.summary.substitutes import _common_swap, _replacement, _some_rows

OPTIONS = {"classifiers": ["nb"], "outer": 4, "inner": 3, "leak": False, "n_jobs": 1}


@pytest.fixture(scope="module")
def data():
    """Two columns that separate the classes, a near copy of the first, and noise."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = pd.DataFrame(random.normal(size=(120, 6)), columns=list("abcdef"))
    X["a"] += 1.5 * y
    X["b"] += 1.5 * y
    X["copy"] = -X["a"] + 0.1 * random.normal(size=120)
    return X, y


@pytest.fixture(scope="module")
def found(data):
    # The copy is as good as the column itself, so that the one or the other is recommended.
    return compare("mrmr", *data, **OPTIONS, sizes=[1, 2, 4], size=2)


def by_hand(data, columns):
    """The error of naive Bayes in the inner folds of all rows, averaged over the folds."""
    (table,) = to_tables(*data)
    plan = Plan(to_classifiers("nb"), (1, 2, 4), 3, "1se", 0, "std", is_choosing=True)
    X, y = data[0].to_numpy()[table.row_numbers], data[1][table.row_numbers]
    errors = []
    for train, test in inner_splits(table, np.arange(120), plan):
        Z = ((X - X[train].mean(axis=0)) / X[train].std(axis=0))[:, [data[0].columns.get_loc(c) for c in columns]]
        predicted = GaussianNB(var_smoothing=0.01).fit(Z[train], y[train]).predict(Z[test])
        errors.append((predicted != y[test]).mean())
    return np.mean(errors)


def test_errors_are_those_of_the_classifier_in_the_inner_folds_of_all_rows(found, data):
    best = found.summary.tables[0].recommended
    names = [one.name for one in best.features]
    assert set(names) in ({"a", "b"}, {"copy", "b"})
    assert_allclose(best.fold_error, by_hand(data, names))
    for one in best.features:
        rest = [name for name in names if name != one.name]
        assert_allclose(one.error_without, by_hand(data, rest))
        others = [name for name in data[0].columns if name not in names]
        errors = {name: by_hand(data, [name if own == one.name else own for own in names]) for name in others}
        assert_allclose(one.swap.error, errors[one.swap.feature])
        assert one.swap.error <= errors["copy" if "a" in names else "a"] + 1e-12


def test_the_most_similar_column_is_that_of_the_largest_correlation(found, data):
    for one in found.summary.tables[0].recommended.features:
        correlations = data[0].corr()[one.name].drop(one.name)
        assert one.similar.feature == correlations.abs().idxmax()
        assert_allclose(one.similar.correlation, correlations[one.similar.feature], atol=6e-4)
    pair = {one.name: one.similar for one in found.summary.tables[0].recommended.features}
    first = pair.get("a") or pair["copy"]
    assert first.feature in ("a", "copy")
    assert first.correlation < -0.99


def test_text_has_substitutes_too(data):
    X, y = data
    random = np.random.default_rng(1)
    colour = np.where(random.random(120) < 0.9, np.array(["red", "blue"])[y], "grey")
    frame = X[["b", "c"]].assign(colour=colour, shade=np.char.add("dark ", colour), weight=(colour == "red") * 1.0)
    best = compare("mrmr", frame, y, **OPTIONS, sizes=[1, 2], size=2).summary.tables[0].recommended
    similar = {one.name: one.similar for one in best.features}
    text = similar.get("colour") or similar.get("shade")
    assert text.feature in ("colour", "shade")
    assert text.correlation > 0.99


def test_json_holds_them_and_the_terminal_shows_them(found):
    again = Comparison.from_json(found.to_json())
    assert again.summary == found.summary
    text = str(found)
    assert "without  best swap" in text
    assert "in the inner folds of all rows, which also chose the features" in text
    first = found.summary.tables[0].recommended.features[0]
    assert f"{first.swap.feature} " in text


def test_a_single_feature_has_no_error_without_it(data):
    best = compare("mrmr", *data, **OPTIONS, sizes=1).summary.tables[0].recommended
    assert best.features[0].error_without is None
    assert best.features[0].swap is not None
    assert best.fold_error is not None


def test_all_columns_have_nothing_to_swap_with(data):
    X, y = data
    best = compare("mrmr", X[["a", "b"]], y, **OPTIONS, sizes=2).summary.tables[0].recommended
    assert all(one.swap is None and one.error_without is not None for one in best.features)


def test_a_column_that_would_replace_most_is_named_once():
    assert _common_swap([7, 7, 3], 3) == 7
    assert _common_swap([7, 7, 3, 3], 4) is None
    assert _common_swap([7], 1) is None
    assert _common_swap([], 4) is None
    plan = Plan((), (), 3, "1se", 0, None, is_choosing=True)
    better = _replacement("ash", [0.07, 0.08, 0.08], 4, 0.08, 0.05, plan)
    lead = "ash could take the place of 3 of these 4 features at no loss: it belongs in the set"
    assert better.startswith(f"{lead}. Added to them")
    assert "5.0 % in the same folds, 8.0 % without it" in better
    as_good = _replacement("ash", [0.08, 0.08, 0.07], 4, 0.08, 0.08, plan)
    assert as_good.startswith(f"{lead} as much as they do")
    assert "gains nothing (8.0 % in the same folds)" in as_good


def test_the_best_of_bad_swaps_does_not_belong_in_the_set():
    plan = Plan((), (), 3, "1se", 0, None, is_choosing=True)
    assert _replacement("noise", [0.15, 0.16, 0.11], 4, 0.08, 0.08, plan) is None
    assert _replacement("noise", [0.08, 0.16, 0.11], 4, 0.08, 0.08, plan) is None
    # Not even where it happens to gain something in the folds that chose the features.
    assert _replacement("noise", [0.08, 0.16, 0.11], 4, 0.08, 0.07, plan) is None


def test_many_rows_are_sampled_with_the_shares_of_the_classes():
    random = np.random.default_rng(2)
    y = np.repeat([0, 1], [900, 100])
    (table,) = to_tables(random.normal(size=(1000, 2)), y)
    rows = _some_rows(table, 200)
    assert np.bincount(table.codes[rows]).tolist() == [180, 20]
    assert _some_rows(table, 1000).tolist() == list(range(1000))
