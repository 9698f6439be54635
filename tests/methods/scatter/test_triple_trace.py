"""The cubic form against its formula, its kernel and worked examples."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import prod

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidParameter, OverflowingColumn
from fewest.methods.scatter import triple_trace as module
from fewest.methods.scatter.triple_trace import cubic_coefficients, cubic_objective
from fewest.statistics.rows import Rows

from ...reference.scatter import products as reference
from ...reference.scatter.kernel_trace import kernel_trace, scaled
from ...reference.scatter.scatter import exact_scatter

SCALES = ("std", "range", "symmetric", None)


def rows_of(X, y, weights=None):
    return ArraySource(np.asarray(X, dtype=np.float64), Target(np.asarray(y), weights)).collect(Rows())


def objective_of(X, y, weights=None, gamma=0.0, scale="symmetric", kernel="inhomogeneous"):
    return cubic_objective(rows_of(X, y, weights), gamma, scale, kernel)


def table(seed=0, n=60, p=5):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
    return rng.normal(size=(n, p)) * [1, 3, 0.5, 1, 2][:p] + y[:, None] * np.linspace(0, 1, p) + 0.5, y


def corners(p):
    """All rows of p columns of plus and minus one."""
    return np.array(list(product([1.0, -1.0], repeat=p)))


def test_an_exclusive_or_worked_by_hand():
    # The class is the product of two columns of +-1: theta_1 = theta_2 = 0 and theta_12 = 1 at gamma 0, and every
    # total is 1. The squares are constant: theta_11 = 0, theta_111 = theta_1, theta_112 = theta_2.
    X = corners(2)
    y = X.prod(axis=1).astype(int)
    objective = objective_of(X, y)
    assert objective.score_features().tolist() == [0.0, 0.0]
    assert objective.score_pairs().tolist() == [[0.0, 2.0], [2.0, 0.0]]
    assert objective.score_triples().tolist() == np.zeros((2, 2, 2)).tolist()
    assert objective.score_subset([0, 1]) == 2.0
    assert objective.theta.tolist() == [0.0, 0.0]
    assert objective.theta_pairs.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    # x1 * x1 * x2 is x2, which knows nothing of the class.
    assert objective.exact_gamma == 0.0
    # At gamma -0.5 half the total comes on top: theta_1 = 0.5, theta_12 = 1.5, theta_111 = theta_112 = 0.5.
    objective = objective_of(X, y, gamma=-0.5)
    assert_allclose(objective.score_features(), 0.5 + 0.5 / 3)
    assert_allclose(objective.score_pairs(), [[0, 4], [4, 0]])
    assert objective.score_subset([0, 1]) == pytest.approx(2 * (0.5 + 0.5 / 3) + 4)
    objective = objective_of(X, y, gamma=-0.5, kernel="homogeneous")
    assert_allclose(objective.score_features(), 0.5 / 3)
    assert_allclose(objective.score_pairs(), [[0, 1], [1, 0]])
    assert objective.score_subset([0, 1]) == pytest.approx(1 / 3 + 1)


def test_a_parity_of_three_worked_by_hand():
    # Only the product of all three tells the classes: theta_123 = 1, and it comes six times in (x1 + x2 + x3)^3 / 3.
    X = corners(3)
    objective = objective_of(X, X.prod(axis=1) > 0)
    assert not objective.score_features().any()
    assert not objective.score_pairs().any()
    triples = objective.score_triples()
    assert all(triples[order] == 2.0 for order in [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
    assert np.count_nonzero(triples) == 6
    assert objective.score_subset([0, 1, 2]) == 2.0
    assert objective.score_subset([0, 1]) == objective.score_subset([]) == 0.0


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3])
@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_coefficients_agree_with_the_formula(scale, gamma, has_gaps, is_weighted):
    X, y = table()
    rng = np.random.default_rng(1)
    X[:, 3] = 7.25
    if has_gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(y)) if is_weighted else None
    found = cubic_coefficients(rows_of(X, y, weights), gamma, scale)
    Z = scaled(X, scale, weights)
    Z[:, 3] *= 0.0
    expected = reference.coefficients(Z, y, gamma, weights)
    for a, b in zip((found.theta1, found.theta2, found.theta3), expected, strict=True):
        assert_allclose(a, b, rtol=1e-10, atol=1e-10 * np.abs(b).max())
    for theta in (found.theta1, found.theta2, found.theta3):
        assert not theta[3].any()


@pytest.mark.parametrize("seed", range(10))
def test_random_tables_agree_with_the_formula(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 400))
    X, y = table(seed, n + 3, 4)
    X[rng.random(X.shape) < rng.choice([0.0, 0.05, 0.7])] = np.nan
    found = cubic_coefficients(rows_of(X, y), 0.1, "range")
    expected = reference.coefficients(scaled(X, "range"), y, 0.1)
    for a, b in zip((found.theta1, found.theta2, found.theta3), expected, strict=True):
        assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("is_homogeneous", [False, True])
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3])
def test_a_subset_is_worth_what_the_cubic_kernel_says(is_homogeneous, gamma):
    X, y = table(2, n=20, p=4)
    objective = objective_of(X, y, gamma=gamma, kernel="homogeneous" if is_homogeneous else "inhomogeneous")

    def kernel(x, z):
        s = x @ z
        # A constant changes nothing: (1 + s)^3 / 3 is s + s^2 + s^3 / 3 and a third.
        return s**3 / 3 if is_homogeneous else (1 + s) ** 3 / 3

    for subset in ([0], [2, 1], [0, 1, 3], range(4)):
        expected = kernel_trace(scaled(X, "symmetric"), y, subset, kernel, gamma)
        assert objective.score_subset(subset) == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("kernel", ["inhomogeneous", "homogeneous"])
def test_a_subset_is_worth_its_columns_pairs_and_triples(kernel):
    X, y = table(3)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    objective = objective_of(X, y, gamma=-0.2, kernel=kernel)
    features, pairs, triples = objective.score_features(), objective.score_pairs(), objective.score_triples()
    assert_array_equal(pairs, pairs.T)
    assert_array_equal(triples, triples.transpose(2, 0, 1))
    assert not np.diagonal(pairs).any()
    assert not np.einsum("jjl->jl", triples).any()
    for size in range(6):
        for subset in combinations(range(5), size):
            expected = sum(features[j] for j in subset)
            expected += sum(pairs[pair] for pair in combinations(subset, 2))
            expected += sum(triples[triple] for triple in combinations(subset, 3))
            assert objective.score_subset(subset) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("kernel", ["inhomogeneous", "homogeneous"])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_up_to_exact_gamma_no_pair_and_no_triple_is_negative(kernel, has_gaps):
    X, y = table(4)
    X += 2.0 * y[:, None]
    if has_gaps:
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    gamma = objective_of(X, y, scale="range", kernel=kernel).exact_gamma
    degrees = (3,) if kernel == "homogeneous" else (2, 3)
    assert gamma == pytest.approx(reference.smallest_ratio(scaled(X, "range"), y, degrees), rel=1e-10)
    assert 0.0 < gamma < 1.0
    objective = objective_of(X, y, gamma=gamma, scale="range", kernel=kernel)
    assert objective.exact_gamma == gamma
    assert objective.score_pairs().min() >= 0.0
    assert objective.score_triples().min() >= 0.0
    theta3 = objective_of(X, y, gamma=gamma * 1.01, scale="range", kernel=kernel).coefficients.theta3
    assert theta3.min() < 0.0 or kernel == "inhomogeneous"


def test_exact_gamma_is_one_where_no_product_of_different_columns_varies():
    X, y = table()
    assert objective_of(X[:, :1], y).exact_gamma == 1.0
    X[:, 1:] = 3.0
    assert objective_of(X, y).exact_gamma == 1.0


@pytest.mark.parametrize("offset", [0.0, 0.1, 1 / 3])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_what_varies_only_by_rounding_does_not_vary(offset, has_gaps):
    # Of columns with two values scaled to +-1 the squares are 1, whatever the data and however often each value comes.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = rng.choice([offset, 0.7], size=(500, 3))
    if has_gaps:
        X[rng.random(X.shape) < 0.3] = np.nan
    for gamma in (-1.0, 0.0, 0.5):
        coefficients = cubic_coefficients(rows_of(X, y), gamma, "symmetric")
        assert not np.diagonal(coefficients.theta2).any()
        assert np.all(np.diagonal(coefficients.ratio2) == 1.0)


@pytest.mark.parametrize("offset", [1e6, -1e6])
def test_large_offsets_keep_their_digits(offset):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 3)) + 0.5 * y[:, None] + offset
    exact = [[Fraction(value) for value in row] for row in X.tolist()]
    for gamma in (-0.5, 0.0, 0.1):
        found = cubic_coefficients(rows_of(X, y), gamma, None)
        for degree, theta in enumerate((found.theta1, found.theta2, found.theta3), 1):
            for indices in combinations_with_replacement(range(3), degree):
                z = [prod(row[j] for j in indices) for row in exact]
                between, within = exact_scatter([value - z[0] for value in z], y.tolist())
                assert theta[indices] == pytest.approx(between - gamma * float(between + within), rel=1e-8)


def test_a_weight_of_two_is_the_row_twice():
    X, y = table(6)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    found = objective_of(X, y, weights, gamma=0.2).coefficients
    expected = objective_of(np.repeat(X, weights, axis=0), np.repeat(y, weights), gamma=0.2).coefficients
    for name in ("theta1", "theta2", "theta3", "ratio2", "ratio3"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-10, atol=1e-14)


def test_a_column_never_observed_has_no_score_and_is_worth_nothing():
    X, y = table(7)
    X[:, 2] = np.nan
    objective = objective_of(X, y, gamma=-0.5)
    for scores in (objective.score_features(), objective.theta):
        assert np.flatnonzero(np.isnan(scores)).tolist() == [2]
    assert not objective.score_pairs()[2].any()
    assert not objective.score_triples()[2].any()
    assert objective.score_subset([0, 2]) == objective.score_subset([0])


def test_columns_that_are_never_observed_together_have_no_pair():
    X, y = table(8)
    X[::2, 0] = np.nan
    X[1::2, 1] = np.nan
    objective = objective_of(X, y, gamma=-0.5)
    assert objective.score_pairs()[0, 1] == 0.0
    assert not objective.score_triples()[0, 1].any()
    assert np.isfinite(objective.score_features()).all()


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_neither_threads_nor_the_order_of_rows_and_columns_change_a_bit(is_weighted, has_gaps):
    X, y = table(9, n=1000)
    X = np.hstack([X, X**2, np.sin(X), X])
    rng = np.random.default_rng(0)
    if has_gaps:
        X[:, 15:][rng.random((1000, 5)) < 0.01] = np.nan
    weights = rng.choice([0.3, 1.0, 1.7], 1000) if is_weighted else np.ones(1000)
    names = np.array(["x", "b", "m"])[y]
    rows, columns = rng.permutation(1000), rng.permutation(20)
    with threadpool_limits(1):
        alone = objective_of(X, names, weights, gamma=0.1).coefficients
    with threadpool_limits(4):
        together = objective_of(X[rows][:, columns], names[rows], weights[rows], gamma=0.1).coefficients
    for name in ("theta1", "theta2", "theta3", "ratio2", "ratio3"):
        expected = getattr(alone, name)
        assert_array_equal(getattr(together, name), expected[np.ix_(*[columns] * expected.ndim)])


def test_a_copied_column_scores_the_same_to_the_bit():
    X, y = table(11, n=333)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    objective = objective_of(np.hstack([X, X]), y, gamma=0.1, scale="std")
    assert_array_equal(objective.score_features()[:5], objective.score_features()[5:])
    pairs = objective.score_pairs()
    off_diagonal = ~np.eye(5, dtype=bool)
    assert_array_equal(pairs[:5, :5][off_diagonal], pairs[5:, 5:][off_diagonal])


@pytest.mark.parametrize("rows_at_once", [1, 7, 1000])
def test_the_rows_may_be_taken_in_runs_of_any_length(rows_at_once, monkeypatch):
    X, y = table(10)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    whole = objective_of(X, y, gamma=0.3).coefficients
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", rows_at_once)
    assert_allclose(objective_of(X, y, gamma=0.3).coefficients.theta3, whole.theta3, rtol=1e-11, atol=1e-14)


def test_one_class_and_one_row_hold_nothing_apart():
    X, y = table()
    assert objective_of(X, np.zeros(len(y), dtype=int)).score_subset(range(5)) == 0.0
    assert objective_of(X[:1], [0]).score_subset(range(5)) == 0.0


def test_a_column_too_large_to_cube_is_named():
    X, y = table()
    X[:, 2] *= 1e80
    with pytest.raises(OverflowingColumn, match="The variance of column 2 overflows"):
        objective_of(X, y, scale=None)
    assert np.isfinite(objective_of(X, y, scale="symmetric").score_features()).all()


def test_more_than_sixty_columns_are_refused_with_a_way_out():
    X = np.random.default_rng(0).normal(size=(10, 61))
    with pytest.raises(InvalidParameter, match=r"There are 61 columns, and the cubic form is for at most 60.*degree=2"):
        objective_of(X, np.arange(10) % 2)
    assert objective_of(X[:, :60], np.arange(10) % 2).score_triples().shape == (60, 60, 60)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be one of 'inhomogeneous', 'homogeneous', got 'cubic'"),
        ({"scale": "minmax"}, "scale must be one of 'std'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        objective_of(*table(), **parameters)


def test_a_subset_with_a_column_that_is_not_there_is_refused():
    with pytest.raises(InvalidParameter, match="Column 5 of the subset is not there"):
        objective_of(*table()).score_subset([5])
