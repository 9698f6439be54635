"""The best of all subsets, against brute force over tables of the value of every subset."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from fewest import FeatureSelector, KernelAlignment, KernelSeparability, Wrapper
from fewest.criteria import BayesError, KernelScatter, KernelTrace, ScatterTrace, SvmMargin, TargetAlignment
from fewest.errors import InvalidParameter
from fewest.searches import Exhaustive

from ..binding import bind
from .coefficients import HARMFUL, REAL, WHOLE, draw


class Tabulated:
    """An objective that is a table: the value of the subset whose columns are the bits of its position."""

    def __init__(self, values, is_monotone=False, is_observed=None):
        self.values = np.asarray(values, dtype=float)
        self.n_columns = len(values).bit_length() - 1
        self.is_monotone = is_monotone
        self.n_asked = 0
        if is_observed is not None:
            self.is_observed = np.array(is_observed)

    def score_subset(self, subset):
        self.n_asked += 1
        return float(self.values[sum(1 << column for column in subset)])


def subsets_of(p, sizes):
    return list(chain.from_iterable(combinations(range(p), k) for k in sizes))


def brute_force(values, sizes, beta=0.0):
    """The first of the largest values, where smaller subsets come first, and then those of lower columns."""
    p = len(values).bit_length() - 1
    subsets = subsets_of(p, sizes)
    worth = [values[sum(1 << column for column in subset)] - beta * len(subset) for subset in subsets]
    return subsets[int(np.argmax(worth))], max(worth)


def monotone(values):
    """The largest value of any part of each subset."""
    values = np.array(values)
    for column in range(len(values).bit_length() - 1):
        has = (np.arange(len(values)) >> column) & 1 > 0
        values[has] = np.maximum(values[has], values[np.flatnonzero(has) - (1 << column)])
    return values


def random_values(rng, kind):
    n = 2 ** int(rng.integers(1, 10))
    values = {"real": rng.normal(size=n), "ties": rng.integers(-2, 3, n), "flat": np.zeros(n)}[kind].astype(float)
    values[0] = 0.0
    return values


@pytest.mark.parametrize("kind", ["real", "ties", "flat"])
@pytest.mark.parametrize("is_monotone", [False, True])
def test_the_answer_is_that_of_brute_force_ties_included(kind, is_monotone):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = random_values(rng, kind)
        values = monotone(values) if is_monotone else values
        objective = Tabulated(values, is_monotone)
        for size in range(1, objective.n_columns + 1):
            found = Exhaustive().run(objective, size)
            expected, worth = brute_force(values, [size])
            assert tuple(sorted(found.indices)) == expected
            assert found.value == found.bound == worth
            assert found.is_optimal


@pytest.mark.parametrize("kind", ["real", "ties", "flat"])
@pytest.mark.parametrize("is_monotone", [False, True])
@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0, -0.5])
def test_with_a_cost_the_best_of_any_size_is_found_of_equals_the_smallest(kind, is_monotone, beta):
    for seed in range(30):
        values = random_values(np.random.default_rng(seed), kind)
        values = monotone(values) if is_monotone else values
        objective = Tabulated(values, is_monotone)
        found = Exhaustive(beta=beta).run(objective, None)
        expected, worth = brute_force(values, range(objective.n_columns + 1), beta)
        assert tuple(sorted(found.indices)) == expected
        assert found.value == pytest.approx(worth, rel=1e-12, abs=1e-12)
        assert found.beta == beta


def test_an_example_by_hand():
    # Columns 0 and 1 have 3 and 2 alone and 3.5 together; column 2 has 1, and 4.5 together with column 1.
    values = [0, 3, 2, 3.5, 1, 3.25, 4.5, 5]
    chosen = Exhaustive(path=True).run(Tabulated(values), 2)
    # Without column 1 the pair {1, 2} loses 4.5 - 1, without column 2 it loses 4.5 - 2.
    assert chosen.indices == (1, 2)
    assert chosen.scores == (3.5, 2.5)
    assert chosen.path == {1: (0,), 2: (1, 2)}


def test_branch_and_bound_leaves_out_most_subsets():
    weights = 2.0 ** -np.arange(14)
    values = np.array([weights[[bool(i >> j & 1) for j in range(14)]].sum() for i in range(2**14)])
    objective = Tabulated(values, is_monotone=True)
    assert Exhaustive().run(objective, 7).indices == tuple(range(7))
    assert objective.n_asked < 200  # of 3,432


def test_a_near_tie_goes_to_the_lowest_columns_and_ties_do_not_add_up():
    values = np.zeros(2**6)
    for column in range(6):
        values[1 << column] = 1 + 4e-13 * column
    # 1e-12 of the largest value below it are columns 3 to 5.
    assert Exhaustive().run(Tabulated(values), 1).indices == (3,)


def test_a_column_without_a_value_is_taken_only_where_there_are_too_few_others():
    values = np.zeros(2**3)
    values[[1, 2, 4]] = 5.0, -1.0, -2.0
    objective = Tabulated(values, is_observed=[False, True, True])
    assert Exhaustive().run(objective, 1).indices == (1,)
    chosen = Exhaustive().run(objective, 3)
    assert chosen.indices[2] == 0
    assert np.isnan(chosen.scores[2])


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("kind", [*WHOLE, *REAL, *HARMFUL])
def test_a_subset_never_beats_what_is_proved_of_scores_of_pairs(kind, degree):
    for seed in range(8):
        tables = draw(kind, seed, degree)
        p = len(tables[0])
        masks = (np.arange(2**p)[:, None] >> np.arange(p)) & 1
        values = sum(
            np.einsum("si,ij,sj->s", masks, table, masks) / 2
            if table.ndim == 2
            else np.einsum("si,sj,sk,ijk->s", masks, masks, masks, table, optimize=True) / 6
            if table.ndim == 3
            else masks @ table
            for table in tables
        )
        is_monotone = all((table >= 0).all() for table in tables)
        for size in range(1, p + 1):
            found = Exhaustive().run(Tabulated(values, is_monotone), size)
            assert found.value >= values[masks.sum(axis=1) == size].max() - 1e-12 * np.abs(values).max()


CRITERIA = [
    SvmMargin(),
    BayesError(),
    BayesError(density="neighbors"),
    KernelScatter(),
    KernelScatter(kernel="laplacian"),
    TargetAlignment(),
    KernelTrace(),
    ScatterTrace(scale=None),
    ScatterTrace(degree=2, scale="symmetric"),
    ScatterTrace(degree=2, gamma=0.4, scale="symmetric"),
    ScatterTrace(degree=3, scale="symmetric"),
    ScatterTrace(degree=3, gamma=0.4, kernel="homogeneous", scale="std"),
]


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_of_every_criterion_no_subset_has_a_larger_value(criterion):
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X[::3, :6], X[::3, 0], np.ones(60)])  # a copy, and a constant column
    objective = bind(criterion, X, y[::3])
    for size in (1, 2, 3, 5):
        found = Exhaustive().run(objective, size)
        values = {subset: objective.score_subset(subset) for subset in combinations(range(8), size)}
        best = max(values.values())
        assert found.value == pytest.approx(best, rel=1e-9, abs=1e-12)
        # Among copies the lower column is taken.
        first = next(subset for subset, value in values.items() if value >= best - 1e-10 * abs(best))
        assert tuple(sorted(found.indices)) == first
        assert found.is_optimal


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_many_subsets_at_once_have_the_values_of_each(criterion):
    X, y = load_wine(return_X_y=True)
    objective = bind(criterion, X[::4], y[::4])
    if not hasattr(objective, "score_subsets"):
        return
    subsets = [(), (3,), (0, 4), (0, 7), (12, 3, 5), (0, 4, 9), (5,), tuple(range(13))]
    expected = [objective.score_subset(subset) for subset in subsets]
    np.testing.assert_allclose(objective.score_subsets(subsets), expected, rtol=1e-11, atol=1e-14)


def test_what_is_called_monotone_is():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X[:, :6], X[:, 0], np.ones(len(y))])
    is_monotone = []
    for criterion in [*CRITERIA, ScatterTrace(gamma=-0.5), ScatterTrace(gamma=0.5)]:
        objective = bind(criterion, X[::2], y[::2])
        is_monotone.append(bool(getattr(objective, "is_monotone", False)))
        if not is_monotone[-1]:
            continue
        values = {frozenset(s): objective.score_subset(s) for s in subsets_of(8, range(9))}
        for subset, value in values.items():
            for column in subset:
                assert values[subset - {column}] <= value + 1e-10
    assert any(is_monotone)
    assert not all(is_monotone)


def test_too_many_subsets_are_refused_with_their_number_before_any_row_is_read():
    class NeverRead:
        """Rows that must not be read."""

    X, y = np.random.default_rng(0).normal(size=(40, 60)), np.arange(40) % 2
    selector = FeatureSelector(KernelTrace(kernel=NeverRead), Exhaustive(), n_features=10)
    with pytest.raises(InvalidParameter, match=r"There are 75,394,027,566 subsets of 10 of 60 columns"):
        selector.fit(X, y)
    with pytest.raises(InvalidParameter, match=r"about 10\^18 subsets of any size of 60 columns"):
        FeatureSelector(KernelTrace(kernel=NeverRead), Exhaustive(beta=0.1)).fit(X, y)
    with pytest.raises(InvalidParameter, match=r"1,830 subsets of up to 2 of 60 columns"):
        FeatureSelector(
            KernelTrace(kernel=NeverRead), Exhaustive(max_subsets=1000), n_features="auto", max_features=2
        ).fit(X, y)


def test_the_size_can_be_chosen_by_cross_validation_or_by_a_cost():
    X, y = load_wine(return_X_y=True)
    chosen = FeatureSelector(SvmMargin(), Exhaustive(), n_features="auto").fit(X[:, :7], y)
    assert set(chosen.size_curve_) == set(range(1, 8))
    chosen = FeatureSelector(ScatterTrace(scale="range"), Exhaustive(beta=0.02)).fit(X, y).selection_
    theta = FeatureSelector(ScatterTrace(scale="range"), Exhaustive(), n_features=13).fit(X, y).scores_
    assert set(chosen.indices) == set(np.flatnonzero(theta > 0.02).tolist())
    assert "no subset of any size" in chosen.certificate.words


@pytest.mark.parametrize("criterion", [SvmMargin(), BayesError(), KernelScatter()], ids=repr)
def test_the_number_of_threads_changes_no_bit(criterion):
    X, y = load_wine(return_X_y=True)
    found = []
    for n_threads in (1, 4):
        with threadpool_limits(n_threads):
            found.append(Exhaustive().run(bind(criterion, X[:, :7], y), 3))
    assert found[0] == found[1]


def test_subsets_of_features_that_are_text_are_scored_with_all_their_columns():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    text = np.array(["a", "b", "c"])[np.where(rng.random(90) < 0.2, rng.integers(0, 3, 90), y)]
    table = pd.DataFrame({"noise": rng.normal(size=90), "text": text, "weak": rng.normal(size=90) + 0.3 * y})
    for criterion in (SvmMargin(), KernelScatter(), BayesError(), ScatterTrace(degree=2, scale="symmetric")):
        chosen = FeatureSelector(criterion, Exhaustive(), n_features=2).fit(table, y).selection_
        assert sorted(chosen.features) == ["text", "weak"]
        assert chosen.is_optimal


@pytest.mark.parametrize(
    "selector",
    [
        KernelSeparability("exhaustive", n_features=2),
        KernelAlignment("exhaustive", n_features=2),
        Wrapper(GaussianNB(), "exhaustive", n_features=2),
    ],
    ids=lambda selector: selector.name,
)
def test_selectors_can_be_told_to_try_all_subsets(selector):
    X, y = load_wine(return_X_y=True)
    chosen = selector.fit(X[::2, :6], y[::2]).selection_
    objective = bind(selector.sentence()[0], X[::2, :6], y[::2])
    values = {subset: objective.score_subset(subset) for subset in combinations(range(6), 2)}
    assert values[tuple(sorted(chosen.indices))] == max(values.values())
    assert chosen.is_optimal
    assert chosen.bound == chosen.value
    assert set(chosen.path) == {1, 2}


def test_the_wrapper_finds_the_least_error_of_any_size():
    X, y = load_wine(return_X_y=True)
    wrapper = Wrapper(GaussianNB(), "exhaustive").fit(X[:, :6], y)
    objective = bind(wrapper.sentence()[0], X[:, :6], y)
    errors = [objective.error(subset) for subset in subsets_of(6, range(7))]
    assert wrapper.selection_.value == min(errors)
    assert wrapper.selection_.certificate.words.startswith("proved optimal: no other")
