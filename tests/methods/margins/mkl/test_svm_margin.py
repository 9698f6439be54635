"""The margin of SVMs on subsets of columns, and of the relaxed program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import SvmMargin
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidInput, InvalidParameter, OverflowingColumn
from fewest.methods.margins.mkl.fixed_subset import solve_svms

from ....reference.margins import svm_margin as reference

SETTINGS = [(1.0, 1.0), (0.01, 1.0), (0.05, 0.02), (10.0, 0.01), (3.0, 10.0)]


def objective(X, y, C=1.0, tau=1.0, scale="std", weights=None):
    criterion = SvmMargin(C, tau, scale)
    return criterion.bind(ArraySource(X, Target(np.asarray(y), weights)).collect(criterion.statistic()))


def value_of(of, weights):
    """w of kernel weights, from the SVMs on columns scaled by their roots."""
    program = of.subset_svms.program
    columns = np.asfortranarray(program.columns * np.sqrt(np.asarray(weights)))
    return solve_svms(replace(program, columns=columns)).value


def table(n, d, n_classes=2, seed=0, apart=0.7):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(n_classes, d))[y], y


def test_two_rows_worked_by_hand():
    # Standardized, the rows are -1 and 1. Both alphas are a, the projection 2 a: w = max 4 a - 2 a^2 - 4 a^2, a = 1/3.
    # Without columns it is max 4 a - 2 a^2 with a at most C = 1: 2.
    of = objective(np.array([[3.0], [5.0]]), [0, 1])
    assert_allclose(of.subset_svms.fit([0]).value, 2 / 3)
    assert_allclose(of.subset_svms.fit([0]).alpha, 1 / 3)
    assert_allclose(of.subset_svms.fit([]).value, 2.0)
    assert_allclose(of.score_subset([0]), 2 / 3)
    # Of two copies one is as good as halves of both.
    twice = objective(np.array([[3.0, 3.0], [5.0, 5.0]]), [0, 1]).subset_svms.relax(1)
    assert_allclose((twice.value, twice.bound), 2 / 3)
    assert_allclose(twice.kernel_weights, 0.5)
    assert_allclose(twice.weights, twice.projections / 2)


@pytest.mark.parametrize(("C", "tau"), SETTINGS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_w_of_a_subset_is_what_a_general_solver_finds(C, tau, n_classes):
    X, y = table(11, 6, n_classes)
    of = objective(X, y, C, tau)
    for subset in ([2], [0, 3, 5]):
        weights = np.isin(np.arange(6), subset).astype(float)
        svms = of.subset_svms.fit(subset)
        assert_allclose(svms.value, reference.w(reference.standardized(X), y, weights, C, tau), rtol=1e-7)
        assert svms.duality_gap < 1e-10
    weights = np.linspace(0, 1, 6)
    assert_allclose(value_of(of, weights), reference.w(reference.standardized(X), y, weights, C, tau), rtol=1e-7)


@pytest.mark.parametrize(
    ("n", "d", "n_classes", "C", "tau"),
    [*((n, d, 2, *pair) for n, d in ((10, 4), (7, 9)) for pair in SETTINGS), (7, 3, 3, 3.0, 10.0), (6, 3, 3, 1.0, 1.0)],
)
def test_the_least_w_of_kernel_weights_is_what_a_general_solver_finds(n, d, n_classes, C, tau):
    X, y = table(n, d, n_classes, seed=1)
    of = objective(X, y, C, tau)
    found = of.subset_svms.relax(2)
    assert found.duality_gap < 1e-8
    assert_allclose(found.value, reference.least_w(reference.standardized(X), y, 2, C, tau), rtol=2e-6)
    assert_allclose(value_of(of, found.kernel_weights), found.value, rtol=1e-8)


def optimality_error(of, found, size, C, tau):
    """How far the conditions for the optimum are from holding: they are enough, since the program is convex."""
    signs, columns = of.subset_svms.program.signs, of.rows.values
    p, alpha = found.kernel_weights[of.rows.varying], found.alpha
    projections = (alpha * signs) @ columns
    optimal = np.clip((1 - signs * ((p * projections) @ columns.T + found.intercepts[:, None])) / tau, 0, C)
    squares = np.square(projections).sum(axis=0)
    level = np.sort(squares)[-size]
    inside, full = (p > 0) & (p < 1), p == 1
    return max(
        np.abs(alpha - optimal).max() / C,
        np.abs((alpha * signs).sum(axis=1)).max() / alpha.sum(),
        abs(p.sum() - size) / size,
        np.abs(squares[inside] - level).max(initial=0) / level,
        np.maximum(level - squares[full], 0).max(initial=0) / level,
        np.maximum(squares[p == 0] - level, 0).max(initial=0) / level,
    )


def test_the_conditions_for_the_optimum_hold_on_random_tables():
    rng = np.random.default_rng(2)
    for seed in range(40):
        n, d = int(rng.integers(8, 90)), int(rng.integers(2, 120))
        size, C, tau = int(rng.integers(1, d)), 10 ** rng.uniform(-2, 1), 10 ** rng.uniform(-2, 1)
        of = objective(*table(n, d, seed=seed, apart=rng.uniform(0, 1.5)), C, tau)
        found = of.subset_svms.relax(size)
        assert found.duality_gap < 1e-12
        assert optimality_error(of, found, size, C, tau) < 1e-9


@pytest.mark.parametrize(("n", "d", "n_classes"), [(12, 60, 3), (40, 200, 4), (40, 30, 3), (30, 25, 5)])
def test_the_duality_gap_of_several_svms_is_closed_for_wide_and_long_tables(n, d, n_classes):
    for seed, (C, tau) in enumerate(SETTINGS):
        of = objective(*table(n, d, n_classes, seed), C, tau)
        for size in (1, d // 5, d - 1):
            found = of.subset_svms.relax(size)
            assert found.duality_gap < 1e-8
            assert abs(found.kernel_weights.sum() - size) < 1e-7 * size


def test_columns_outside_the_first_working_set_are_not_missed():
    X, y = table(40, 1500, seed=3)
    of = objective(X, y)
    found = of.subset_svms.relax(5)
    assert optimality_error(of, found, 5, 1.0, 1.0) < 1e-9
    assert 0 < len(of.subset_svms.relaxation.working_columns) < 600


def test_the_solution_of_one_size_changes_nothing_for_the_next():
    X, y = table(40, 30, seed=4)
    of = objective(X, y)
    for size in range(1, 30):
        found, alone = of.subset_svms.relax(size), objective(X, y).subset_svms.relax(size)
        assert_allclose((found.value, found.bound), alone.value, rtol=1e-12)
        assert_allclose(found.alpha, alone.alpha, atol=1e-9)
    values = [of.subset_svms.relax(size).value for size in range(1, 31)]
    assert np.all(np.diff(values) <= 1e-12)
    assert_allclose(values[-1], of.subset_svms.fit(range(30)).value, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_weight_of_two_is_the_row_twice(n_classes):
    X, y = table(30, 8, n_classes, seed=5)
    weights = np.random.default_rng(0).integers(0, 4, 30).astype(float)
    weights[:3] = 1
    rows = np.repeat(np.arange(30), weights.astype(int))
    weighted, repeated = objective(X, y, weights=weights), objective(X[rows], y[rows])
    assert_allclose(weighted.subset_svms.relax(3).value, repeated.subset_svms.relax(3).value, rtol=1e-8)
    assert_allclose(weighted.subset_svms.fit([1, 4]).value, repeated.subset_svms.fit([1, 4]).value, rtol=1e-10)


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("tau", [0.01, 1.0])
@pytest.mark.parametrize("kind", ["separable", "inseparable", "3 against 37", "copies", "zeros"])
def test_hard_tables_are_solved(kind, C, tau):
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], [3, 37] if kind == "3 against 37" else 20)
    X = rng.normal(size=(40, 12)) + (y * {"separable": 10.0, "inseparable": 0.0}.get(kind, 1.0))[:, None]
    if kind == "copies":
        X[:, 6:] = X[:, :6] * [1, -1, 2, 1, 1, 1]
    if kind == "zeros":
        X[:, 5:] = 0.0
    of = objective(X, y, C, tau)
    for size in (1, 4, 8):
        found = of.subset_svms.relax(size)
        assert found.duality_gap < 1e-9
        assert of.subset_svms.fit(range(size)).value >= found.bound * (1 - 1e-12)
    if kind == "copies":
        p = of.subset_svms.relax(4).kernel_weights
        assert_allclose(p[:6], p[6:], atol=1e-6)
    if kind == "zeros":
        assert_array_equal(of.subset_svms.relax(8).kernel_weights, np.arange(12) < 5)


def test_a_shift_changes_nothing_and_a_missing_value_is_the_mean():
    X, y = table(40, 5, seed=7)
    plain = objective(X, y, scale="range").subset_svms.relax(2)
    assert_allclose(objective(X + 1e6, y, scale="range").subset_svms.relax(2).value, plain.value, rtol=1e-7)
    missing = X.copy()
    missing[::7, 1] = np.nan
    filled = np.where(np.isnan(missing), np.nanmean(missing, axis=0), missing)
    unit = (np.nanstd(missing, axis=0) / filled.std(axis=0)) ** 2  # missing values do not count in the variance
    expected = value_of(objective(filled, y), np.array([1.0, 1 / unit[1], 1.0, 0, 0]))
    assert_allclose(objective(missing, y).subset_svms.fit([0, 1, 2]).value, expected, rtol=1e-9)


@pytest.mark.parametrize("scale", ["std", "range", "symmetric", None])
def test_scales_are_units_of_the_columns(scale):
    X, y = table(11, 4, seed=8)
    X *= [1, 3, 0.5, 2]
    spans = np.ptp(X, axis=0)
    unit = {"std": X.std(axis=0), "range": spans, "symmetric": spans / 2, None: 1.0}[scale]
    expected = reference.w(X / unit - (X / unit).mean(axis=0), y, np.ones(4), 1.0, 1.0)
    assert_allclose(objective(X, y, scale=scale).subset_svms.fit(range(4)).value, expected, rtol=1e-7)


def test_wrong_use_is_refused():
    X, y = table(10, 3)
    for wrong in (0, -1.0, np.inf, np.nan, "much", True, None):
        with pytest.raises(InvalidParameter, match="C must be a number from 1e-9 to 1e9, got"):
            SvmMargin(C=wrong)
        with pytest.raises(InvalidParameter, match="tau must be"):
            SvmMargin(tau=wrong)
    with pytest.raises(InvalidInput, match="at least two classes"):
        objective(X, np.zeros(10, dtype=int))
    with pytest.raises(OverflowingColumn):
        objective(X * [1, 1e120, 1], y, scale=None)
    assert objective(X * [1, 1e120, 1], y).subset_svms.relax(1).duality_gap < 1e-9
