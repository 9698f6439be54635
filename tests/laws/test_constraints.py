"""What constraints on columns mean to every selector."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from fewest import (
    MRMR,
    Exhaustive,
    FeatureSelector,
    FisherMarkov,
    KernelAlignment,
    KernelSeparability,
    MaxDependency,
    MaxRelevance,
    NonMonotonicMKL,
    RadiusMargin,
    ScatterTrace,
    Selection,
    Wrapper,
    scan,
)
from fewest.errors import FewestError, FewestWarning, InvalidParameter

from ..nearest_means import NearestMeans
from .quick_selectors import QUICK_SELECTORS

OTHERS = {
    **{f"degree {degree}": FisherMarkov(degree=degree, n_features=3) for degree in (2, 3)},
    "degree 2, beta": FisherMarkov(degree=2, beta=0.01),
    "against the null": FisherMarkov(beta="null", level=0.5),
    **{
        f"kernel-separability, {mode}": KernelSeparability(mode=mode, n_features=3)
        for mode in ("elimination", "forward", "backward", "individual", "exhaustive")
    },
    "kernel-separability, laplacian": KernelSeparability(kernel="laplacian", n_features=3),
    **{f"kernel-alignment, {mode}": KernelAlignment(mode=mode, n_features=3) for mode in ("individual", "exhaustive")},
    **{f"radius-margin, {mode}": RadiusMargin(mode=mode, n_features=3) for mode in ("forward", "individual")},
    "mrmr, quotient": MRMR(criterion="quotient", n_features=3),
    "mrmr, parzen": MRMR(density="parzen", n_features=3),
    "max-relevance, parzen": MaxRelevance(density="parzen", n_features=3),
    "max-dependency, parzen": MaxDependency(density="parzen", n_features=3),
    **{
        f"wrapper, {direction}": Wrapper(NearestMeans(), direction=direction, n_features=3, cv=2)
        for direction in ("backward", "floating", "exhaustive")
    },
    "wrapper of any size": Wrapper(NearestMeans(), cv=2),
    "nonmonotonic-mkl, printed": NonMonotonicMKL(printed=True, n_features=3),
    "nonmonotonic-mkl, path": NonMonotonicMKL(path=True, n_features=3),
    "exhaustive": FeatureSelector(ScatterTrace(degree=2), Exhaustive(), n_features=3),
}
#: Guarantees are about columns that are selected freely: they obey forbid, and refuse all else (see their own tests).
GUARANTEES = {"stability-selection", "knockoffs"}
METHODS = {name: selector for name, selector in QUICK_SELECTORS.items() if name not in GUARANTEES}
VARIANTS = {**METHODS, **OTHERS}
every_method = pytest.mark.parametrize("name", METHODS)
every_variant = pytest.mark.parametrize("name", VARIANTS)

NAMES = [f"c{column}" for column in range(8)]
#: Which attributes have no number for every column.
NOT_BY_COLUMN = {"dual_", "objective_", "candidates_", "classes_", "width_"}


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 8)) + np.outer(y, [1.5, 0.0, 1.2, 0.3, 0.0, 0.8, 0.1, 0.5])
    X[:, 6] = X[:, 0] + 0.6 * rng.normal(size=n)
    return pd.DataFrame(X, columns=NAMES), y


def fitted(name, X, y=None, **constraints):
    """A selector of this name, fitted; that a number of features is more than constraints allow may be warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        return clone(VARIANTS[name]).set_params(**constraints).fit(X, y)


def chosen(selector):
    return set(selector.selection_.features)


def subsets_of(selector):
    """The names of the columns of the selection, and of every subset of its path."""
    selection = selector.selection_
    names = [str(name) for name in getattr(selector, "feature_names_in_", NAMES)]
    return [{names[column] for column in subset} for subset in (selection.indices, *selection.path.values())]


def numbers_by_name(selector, names):
    """Fitted numbers, those of columns in the order of their names, with value and bound."""
    found = {"value": selector.selection_.value, "bound": selector.selection_.bound}
    order = np.argsort(names)
    for attribute, value in vars(selector).items():
        if not attribute.endswith("_") or attribute in {"ranking_", "candidates_", "feature_names_in_"}:
            continue
        if isinstance(value, np.ndarray) and value.ndim and value.shape[-1] == len(names):
            found[attribute] = value[..., order]
        elif isinstance(value, np.ndarray | float | int):
            found[attribute] = value
        elif attribute == "errors_":
            found[attribute] = list(value.values())
    return {key: np.asarray(value, dtype=float) for key, value in found.items() if value is not None}


@every_variant
def test_what_is_kept_is_in_every_subset(name):
    X, y = table()
    found = fitted(name, X, y, keep=["c1", "c4"])
    assert all({"c1", "c4"} <= subset for subset in subsets_of(found))
    assert len(found.selection_) == 3 or VARIANTS[name].n_features is None
    assert Selection.from_json(found.selection_.to_json()).features == found.selection_.features


@every_variant
def test_forbidding_a_column_gives_the_answer_of_the_table_without_it(name):
    X, y = table()
    found, without = fitted(name, X, y, forbid=["c0", "c5"]), fitted(name, X.drop(columns=["c0", "c5"]), y)
    one, other = found.selection_, without.selection_
    assert one.features == other.features
    assert_array_equal(one.scores, other.scores)
    assert (one.value, one.bound, one.is_optimal) == (other.value, other.bound, other.is_optimal)
    left = [column for column, name in enumerate(NAMES) if name not in {"c0", "c5"}]
    for attribute, value in vars(found).items():
        if not attribute.endswith("_") or attribute in NOT_BY_COLUMN or not isinstance(value, np.ndarray):
            continue
        assert value.shape[-1] == found.n_features_in_ == 8, attribute
        if value.dtype.kind == "f":
            assert np.isnan(value[..., [0, 5]]).all(), attribute
            assert_array_equal(value[..., left], getattr(without, attribute), attribute)


@every_variant
def test_groups_are_taken_as_one_and_wherever_their_columns_are(name):
    X, y = table()
    orders = [["c3", "c6", "c0", "c1", "c2", "c4", "c5", "c7"], ["c0", "c1", "c2", "c4", "c5", "c7", "c3", "c6"]]
    first, last = (fitted(name, X[order], y, column_groups={"pair": ["c3", "c6"]}) for order in orders)
    for found in (first, last):
        assert all(len(subset & {"c3", "c6"}) in (0, 2) for subset in subsets_of(found))
    assert chosen(first) == chosen(last)
    numbers, others = (numbers_by_name(found, order) for found, order in zip((first, last), orders, strict=True))
    assert numbers.keys() == others.keys()
    for key in numbers:
        assert_allclose(numbers[key], others[key], rtol=1e-5, atol=1e-7, err_msg=key)


@every_variant
def test_a_kept_group_is_in_whole(name):
    X, y = table()
    found = fitted(name, X, y, column_groups={"pair": ["c2", "c4"]}, keep="c4")
    assert all({"c2", "c4"} <= subset for subset in subsets_of(found))


@every_variant
def test_caps_and_budgets_hold_in_every_subset(name):
    X, y = table()
    costs = {"c0": 5, "c2": 2, "*": 1}
    capped = fitted(name, X, y, at_most={"c[0246]": 1, ("c5", "c7"): 1})
    for subset in subsets_of(capped):
        assert len(subset & {"c0", "c2", "c4", "c6"}) <= 1
        assert len(subset & {"c5", "c7"}) <= 1
    for subset in subsets_of(fitted(name, X, y, costs=costs, budget=3)):
        assert sum({"c0": 5, "c2": 2}.get(column, 1) for column in subset) <= 3
    every = {"keep": "c4", "forbid": "c1", "at_most": {"c[0246]": 2}, "costs": costs, "budget": 4}
    for subset in subsets_of(fitted(name, X, y, column_groups=[["c3", "c5"]], **every)):
        assert "c4" in subset
        assert "c1" not in subset
        assert len(subset & {"c0", "c2", "c4", "c6"}) <= 2
        assert sum({"c0": 5, "c2": 2}.get(column, 1) for column in subset) <= 4
        assert len(subset & {"c3", "c5"}) in (0, 2)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "against the null"])
def test_prices_are_obeyed_or_refused(name):
    X, y = table()
    try:
        found = fitted(name, X, y, costs={"c0": 1e9, "*": 0}, cost_weight=1.0)
    except InvalidParameter as error:
        assert "cannot obey cost_weight" in str(error)  # noqa: PT017
    else:
        assert "c0" not in chosen(found)


@every_variant
@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"keep": "c1", "forbid": ["c1", "c2"]}, "keep and forbid both name 'c1'"),
        ({"keep": ["c0", "c1"], "costs": {"*": 2}, "budget": 3}, r"keep \(c0, c1\) cost 4, more than the budget of 3"),
        ({"keep": ["c0", "c2"], "at_most": {"c[02]": 1}}, r"keep holds 2 of 'c\[02\]' \(c0, c2\)"),
        ({"keep": "c88"}, r"keep: 'c88' is no column of the table; did you mean|keep: 'c88' is no column"),
        ({"column_groups": [["c0", "c1"], ["c1", "c2"]]}, "Column 'c1' is in the groups"),
        ({"column_groups": {"g": ["c0", "c1"]}, "forbid": "c1"}, "forbid names 'c1' of the group 'g'"),
        ({"budget": 3}, "budget needs costs"),
    ],
)
def test_contradictions_are_refused_with_the_columns_named(name, constraints, message):
    X, y = table()
    with pytest.raises(InvalidParameter, match=message):
        fitted(name, X, y, **constraints)


@every_method
def test_more_to_keep_than_asked_for_is_refused(name):
    X, y = table()
    with pytest.raises(InvalidParameter, match=r"keep holds 4 features \('c0', 'c1', 'c2', 'c3'\), and n_features=3"):
        fitted(name, X, y, keep=["c0", "c1", "c2", "c3"])


@every_method
def test_a_share_of_the_columns_and_a_size_by_cross_validation(name):
    X, y = table()
    shared = fitted(name, X, y, keep="c1", forbid=["c0", "c2"], n_features=0.5)
    assert len(shared.selection_) == 3
    assert "c1" in chosen(shared)
    automatic = fitted(
        name, X, y, keep="c1", column_groups=[["c2", "c3"]], n_features="auto", cv=2, max_features=3,
        estimator=NearestMeans(),
    )  # fmt: skip
    assert all("c1" in subset and len(subset & {"c2", "c3"}) in (0, 2) for subset in subsets_of(automatic))


def with_text(y, n=60):
    X, _ = table(n)
    rng = np.random.default_rng(5)
    X["ward"] = np.where(rng.random(n) < 0.8, np.where(y == 1, "east", "west"), rng.choice(["north", "south"], n))
    X["town"] = rng.choice(["A", "B", "C"], n)
    return X.drop(columns=["c3", "c4", "c7"])


@every_variant
def test_text_is_one_column_that_can_be_kept_forbidden_and_grouped(name):
    _, y = table()
    X = with_text(y)
    assert "town" in chosen(fitted(name, X, y, keep="town"))
    found, without = fitted(name, X, y, forbid="ward"), fitted(name, X.drop(columns="ward"), y)
    assert found.selection_.features == without.selection_.features
    grouped = fitted(name, X, y, column_groups={"both": ["c1", "ward"], "town": ["town", "c5"]}, at_most={"town": 0})
    for subset in subsets_of(grouped):
        assert len(subset & {"c1", "ward"}) in (0, 2)
        assert not subset & {"town", "c5"}


@every_method
def test_missing_values(name):
    X, y = table()
    if not clone(METHODS[name]).__sklearn_tags__().input_tags.allow_nan:
        pytest.skip("takes none")
    X = X.mask(np.random.default_rng(1).random(X.shape) < 0.1)
    X["c4"] = np.nan
    found = fitted(name, X, y, keep="c1", forbid="c0", at_most={"c[26]": 1})
    assert "c1" in chosen(found)
    assert "c0" not in chosen(found)
    assert len(chosen(found) & {"c2", "c6"}) <= 1
    assert "c4" in chosen(fitted(name, X, y, keep="c4"))


@every_method
def test_sparse_tables(name):
    X, y = table()
    values = np.where(X > 0.5, X, 0.0)
    constraints = {"keep": 1, "forbid": 0, "column_groups": [[2, 4]], "at_most": {(5, 6): 1}}
    try:
        found = fitted(name, sparse.csr_array(values), y, **constraints)
    except FewestError as error:
        assert "sparse" in str(error) or "dense" in str(error)  # noqa: PT017
        return
    assert found.selection_.indices == fitted(name, values, y, **constraints).selection_.indices


@every_method
def test_streams(name, tmp_path):
    X, y = table()
    X.assign(label=y).to_parquet(tmp_path / "rows.parquet")
    constraints = {"keep": "c1", "forbid": "c0", "column_groups": [["c2", "c4"]], "at_most": {("c5", "c6"): 1}}
    streamed = fitted(name, scan(str(tmp_path / "rows.parquet"), target="label"), **constraints)
    assert streamed.selection_.features == fitted(name, X, y, **constraints).selection_.features


@every_method
def test_partial_fit(name):
    X, y = table()
    selector = clone(METHODS[name]).set_params(keep="c1", forbid="c0", column_groups=[["c2", "c4"]])
    if not hasattr(selector, "partial_fit"):
        pytest.skip("needs all rows at once")
    for rows in (slice(0, 30), slice(30, 60)):
        selector.partial_fit(X[rows], y[rows])
    whole = clone(selector).fit(X, y)
    assert selector.selection_.features == whole.selection_.features
    assert_allclose(selector.scores_, whole.scores_)


def test_boosting_goes_on_from_what_is_kept_and_uses_only_what_may_be_taken():
    """Column 1 is a copy of 0: where 0 is kept, a stump on it comes first, and the copy avoids no errors after it."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    signal = np.where(rng.random(80) < 0.85, y, 1 - y)
    other = np.where(rng.random(80) < 0.8, y, 1 - y)
    noise = rng.integers(0, 2, 80)
    X = pd.DataFrame({"signal": signal, "copy": signal, "other": other, "noise": noise}, dtype=float)
    kept = VARIANTS["stump-boosting"].__class__(n_features=2, keep="signal").fit(X, y)
    assert kept.selection_.features == ("signal", "other")
    assert [one.column for one in kept.rounds_][:2] == [0, 2]
    useless = X.assign(constant=1.0)
    found = VARIANTS["stump-boosting"].__class__(n_features=3, keep="constant").fit(useless, y)
    assert found.selection_.features == ("constant", "signal", "other")
    capped = VARIANTS["stump-boosting"].__class__(n_features=2, at_most={("signal", "other"): 1}).fit(X, y)
    assert {one.column for one in capped.rounds_} <= {0, 1, 3}


def test_a_group_of_an_additive_objective_has_the_sum_of_its_columns():
    X, y = table()
    alone = FisherMarkov(n_features=8).fit(X, y)
    grouped = FisherMarkov(n_features=1, column_groups={"g": ["c2", "c5", "c6"]}).fit(X, y)
    assert chosen(grouped) == {"c2", "c5", "c6"}
    assert grouped.selection_.value == pytest.approx(alone.theta_[[2, 5, 6]].sum())
