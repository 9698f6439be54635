"""The quadratic form against its formula, its kernel and worked examples."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fewest import ScatterTrace
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidInput, InvalidParameter, OverflowingColumn
from fewest.statistics.splits import Folded, GivenFolds

from ...binding import bind
from ...reference.scatter.kernel_trace import kernel_trace, scaled
from ...reference.scatter.products import exact_pair_scatter, pair_scatter, theta_pairs
from ...reference.scatter.scatter import theta

SCALES = ("std", "range", "symmetric", None)


def objective_of(X, y, weights=None, scale="symmetric", **parameters):
    return bind(ScatterTrace(scale=scale, degree=2, **parameters), X, y, weights)


def table(n=60, p=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
    return rng.normal(size=(n, p)) * np.array([1, 3, 0.5, 1, 2])[:p] + y[:, None] * np.linspace(0, 1, p) + 0.5, y


def gappy(X, share=0.1):
    return np.where(np.random.default_rng(0).random(X.shape) < share, np.nan, X)


def test_an_exclusive_or_worked_by_hand():
    # The class is the product of two columns of +-1: theta_1 = theta_2 = 0 and theta_12 = 1 at gamma 0, and every
    # total is 1, but that of the squares, which are constant.
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    y = X.prod(axis=1) > 0
    objective = objective_of(X, y)
    assert objective.score_features().tolist() == [0.0, 0.0]
    assert objective.score_pairs().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert objective.score_subset([0, 1]) == 1.0
    assert objective.score_subset([1]) == 0.0
    # At gamma -0.5 half the total comes on top: theta_1 = 0.5 and theta_12 = 1.5; with a weight of 3 that is 4.5.
    objective = objective_of(X, y, gamma=-0.5, pair_weight=3.0)
    assert objective.score_features().tolist() == [0.5, 0.5]
    assert objective.score_pairs().tolist() == [[0.0, 4.5], [4.5, 0.0]]
    assert objective.score_subset([0, 1]) == 5.5
    objective = objective_of(X, y, gamma=-0.5, kernel="homogeneous")
    assert objective.score_features().tolist() == [0.0, 0.0]
    assert objective.score_subset([1, 0]) == 1.5


def test_four_rows_worked_by_hand():
    # As in the test of PairMoments: theta_11 = 2.25, theta_12 = 0.25, theta_22 = 0.0625, totals 12.25, 2.75, 3.1875.
    # x1: 1, 3 | 0, 2. means 2 and 1: theta_1 = 0.25, total 1.25. x2: 2, 0 | 1, 2. means 1 and 1.5: 0.0625, 0.6875.
    X, y = [[1.0, 2.0], [3.0, 0.0], [0.0, 1.0], [2.0, 2.0]], [0, 0, 1, 1]
    objective = objective_of(X, y, scale=None, pair_weight=0.5)
    assert objective.theta.tolist() == [0.25, 0.0625]
    assert objective.theta_pairs.tolist() == [[2.25, 0.25], [0.25, 0.0625]]
    assert objective.score_features().tolist() == [0.25 + 2.25 / 4, 0.0625 + 0.0625 / 4]
    assert objective.score_pairs().tolist() == [[0.0, 0.125], [0.125, 0.0]]
    assert objective.score_subset([0, 1]) == 0.25 + 2.25 / 4 + 0.0625 + 0.0625 / 4 + 0.125
    assert objective.exact_gamma == 0.0
    objective = objective_of(X, y, scale=None, gamma=1.0)
    assert objective.theta_pairs.tolist() == [[2.25 - 12.25, 0.25 - 2.75], [0.25 - 2.75, 0.0625 - 3.1875]]
    assert objective.score_features().tolist() == [-1 - 10 / 2, -0.625 - 3.125 / 2]
    assert objective.exact_gamma == pytest.approx(0.25 / 2.75, rel=1e-14)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3])
@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_scores_agree_with_the_formula(scale, gamma, has_gaps, is_weighted):
    X, y = table()
    X[:, 3] = 7.25
    X = gappy(X) if has_gaps else X
    rng = np.random.default_rng(1)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(y)) if is_weighted else None
    expected = theta_pairs(X, y, gamma, scale, weights)
    size = pair_scatter(X, y, scale, weights)[1]
    Z, rows = scaled(X, scale, weights), np.ones(len(y), dtype=int)
    if is_weighted:
        rows = (2 * weights).astype(int)
    alone = np.array([theta(np.repeat(z, rows), np.repeat(y, rows), gamma) for z in Z.T])
    for kernel in ("inhomogeneous", "homogeneous"):
        for w in (1.0, 0.25):
            objective = objective_of(X, y, weights, scale, gamma=gamma, kernel=kernel, pair_weight=w)
            features = w * np.diagonal(expected) / 2 + (alone if kernel == "inhomogeneous" else 0)
            assert_allclose(objective.score_features(), features, rtol=1e-12, atol=1e-12 * size.max())
            pairs = objective.score_pairs()
            assert_array_equal(pairs, pairs.T)
            assert not np.diagonal(pairs).any()
            off_diagonal = w * expected * ~np.eye(5, dtype=bool)
            assert np.all(np.abs(pairs - off_diagonal) <= 1e-12 * w * size)
            assert np.all(np.abs(objective.theta_pairs - expected) <= 1e-12 * size)
            # A constant column counts as zero.
            assert not pairs[3].any()
            assert objective.score_features()[3] == 0.0
            assert objective.score_subset([3]) == 0.0
            assert objective.score_subset([0, 3]) == objective.score_subset([0])


@pytest.mark.parametrize("is_homogeneous", [False, True])
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3])
@pytest.mark.parametrize("pair_weight", [1.0, 0.2])
def test_a_subset_is_worth_what_the_kernel_says(is_homogeneous, gamma, pair_weight):
    X, y = table(20, 4)
    name = "homogeneous" if is_homogeneous else "inhomogeneous"
    for scale in ("symmetric", None):
        objective = objective_of(X, y, gamma=gamma, kernel=name, pair_weight=pair_weight, scale=scale)

        def kernel(x, z):
            s = x @ z
            return (0.0 if is_homogeneous else s) + pair_weight * s**2 / 2

        for subset in ([0], [2, 1], [0, 1, 3], range(4)):
            expected = kernel_trace(scaled(X, scale), y, subset, kernel, gamma)
            assert objective.score_subset(subset) == pytest.approx(expected, rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("kernel", ["inhomogeneous", "homogeneous"])
def test_a_subset_is_worth_its_columns_and_its_pairs(kernel):
    X, y = table(seed=3)
    objective = objective_of(gappy(X), y, gamma=-0.2, kernel=kernel, pair_weight=0.7)
    features, pairs = objective.score_features(), objective.score_pairs()
    for size in range(6):
        for subset in combinations(range(5), size):
            expected = sum(features[j] for j in subset) + sum(pairs[pair] for pair in combinations(subset, 2))
            assert objective.score_subset(subset) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert objective.score_subset([4, 1, 2]) == objective.score_subset((2, 4, 1))


def without_diagonal(pairs):
    return pairs[~np.eye(len(pairs), dtype=bool)]


@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(5))
def test_up_to_exact_gamma_no_pair_is_negative_and_beyond_it_one_is(has_gaps, scale, seed):
    X, y = table(seed=seed)
    X += 2.0 * y[:, None]
    # A copy, whose pair with the original is a square, and a column that never varies count as well.
    X = np.column_stack([gappy(X) if has_gaps else X, np.full(len(y), 2.5)])
    X = np.column_stack([X, X[:, seed]])
    gamma = objective_of(X, y, scale=scale, gamma=-1.0).exact_gamma
    between, total = exact_pair_scatter(X, y, scale)
    ratios = [between[j][k] / total[j][k] for j, k in combinations(range(7), 2) if total[j][k]]
    assert gamma == pytest.approx(float(min(ratios)), rel=1e-10)
    assert 0.0 < gamma < 1.0
    for g in (gamma, gamma / 2, -gamma):
        objective = objective_of(X, y, scale=scale, gamma=g)
        assert objective.exact_gamma == gamma
        assert objective.score_pairs().min() >= 0.0
    assert without_diagonal(objective_of(X, y, scale=scale, gamma=gamma * (1 + 1e-13)).theta_pairs).min() < 0.0
    assert objective_of(X, y, scale=scale).exact_gamma == 0.0


def test_columns_of_two_values_leave_gamma_room():
    # A copy and an opposite of such a column have a constant product when scaled to +-1; a rounding error in the
    # variance of a constant must not count as variance that tells nothing.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    x = np.where(rng.random(4000) < 0.3, y, 1 - y) * 0.7 + 0.1
    objective = objective_of(np.column_stack([x, 0.9 - x, x, x + 0.1]), y, gamma=0.5)
    assert objective.exact_gamma == pytest.approx(1.0, rel=1e-14)
    assert objective.score_pairs().min() >= 0.0
    X = np.column_stack([x, 0.9 - x, x, y + rng.normal(size=4000)])
    ratio = float(pair_scatter(X[:, [0, 3]], y, "symmetric")[0][0, 1])
    ratio /= float(pair_scatter(X[:, [0, 3]], y, "symmetric")[1][0, 1])
    assert objective_of(X, y, gamma=ratio / 2).exact_gamma == pytest.approx(ratio, rel=1e-10)


def test_exact_gamma_is_one_where_no_product_of_different_columns_varies():
    X, y = table()
    assert objective_of(X[:, :1], y, gamma=0.1).exact_gamma == 1.0
    X[:, 1:] = 3.0
    assert objective_of(X, y, gamma=0.1).exact_gamma == 1.0


@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("kind", ["plain", "gaps", "thin"])
@pytest.mark.parametrize("gamma", [0.0, -0.5])
def test_copies_score_the_same_to_the_bit(convert, kind, gamma):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(333, 40)) + 0.3, rng.integers(0, 3, 333)
    if kind == "gaps":
        X = gappy(X, 0.05)
    if kind == "thin":
        X[rng.random(X.shape) < 0.98] = 0.0
    copied = rng.permutation(np.repeat(np.arange(40), 8))  # some 300 columns: copies lie in different tiles
    weights = rng.choice([0.5, 1.0, 2.0], 333)
    for w in (None, weights):
        objective = objective_of(convert(X[:, copied]), y, w, gamma=gamma, scale="std")
        features, pairs = objective.score_features(), objective.score_pairs()
        first = np.array([np.flatnonzero(copied == j)[0] for j in range(40)])[copied]
        assert_array_equal(features, features[first])
        assert_array_equal(pairs, pairs.T)
        with_squares = pairs.copy()
        np.fill_diagonal(with_squares, objective.theta_squares)
        # The pair of two copies is a square.
        assert_array_equal(with_squares, with_squares[np.ix_(first, first)])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gamma", [0.0, -0.5])
def test_constant_columns_contribute_nothing(scale, gamma):
    X, y = table()
    alone = objective_of(X, y, scale=scale, gamma=gamma)
    constants = np.column_stack([np.full(len(y), value) for value in (0.0, 0.1, -7.3e8, 1e100)])
    with_gaps = np.where(np.arange(60)[:, None] == 5, np.nan, constants)
    for added in (constants, with_gaps):
        objective = objective_of(np.column_stack([X, added]), y, scale=scale, gamma=gamma)
        assert objective.score_features()[5:].tolist() == [0.0] * 4
        assert not objective.score_pairs()[5:].any()
        # The others' sums may run about another zero, now that a column is far from it.
        assert objective.score_subset(range(9)) == pytest.approx(alone.score_subset(range(5)), rel=1e-13)


@pytest.mark.parametrize("gamma", [0.0, -0.5])
def test_a_column_never_observed_has_no_score_and_is_worth_nothing(gamma):
    X, y = table()
    X[:, 2] = np.nan
    for kernel in ("inhomogeneous", "homogeneous"):
        objective = objective_of(X, y, gamma=gamma, kernel=kernel)
        assert np.flatnonzero(np.isnan(objective.score_features())).tolist() == [2]
        assert np.flatnonzero(np.isnan(objective.theta)).tolist() == [2]
        assert not objective.score_pairs()[2].any()
        assert objective.score_subset([0, 2, 3]) == objective.score_subset([0, 3])
        assert objective.score_subset([2]) == 0.0


@pytest.mark.parametrize("gamma", [0.0, -0.5])
def test_columns_that_are_never_observed_together_have_no_pair(gamma):
    X, y = table(seed=8)
    X[::2, 0] = np.nan
    X[1::2, 1] = np.nan
    objective = objective_of(X, y, gamma=gamma)
    assert objective.score_pairs()[0, 1] == 0.0
    assert (without_diagonal(objective.score_pairs()) == 0.0).sum() == 2
    assert np.isfinite(objective.score_features()).all()


@pytest.mark.parametrize("gamma", [0.0, -0.5])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_a_column_too_large_to_square_is_named(gamma, convert):
    X, y = table()
    X[:, 2] *= 1e100
    with pytest.raises(OverflowingColumn, match="The variance of column 2 overflows"):
        objective_of(convert(X), y, scale=None, gamma=gamma)
    if gamma:
        # Scaled it may be small enough to square, but the total needs the fourth power before it is scaled.
        with pytest.raises(OverflowingColumn, match="The variance of column 2 overflows"):
            objective_of(convert(X), y, scale="symmetric", gamma=gamma)
    # One that is too large with each of the others, large as they are, is the one to name.
    X[:, [0, 1, 3, 4]] *= 1e60
    with pytest.raises(OverflowingColumn, match="The variance of column 2 overflows"):
        objective_of(convert(X), y, scale=None, gamma=gamma)


def test_one_value_too_large_to_square_twice_is_enough():
    X, y = table(1000)
    X[5, 2] = 2e77
    for scale in SCALES:
        with pytest.raises(OverflowingColumn, match="The variance of column 2 overflows"):
            objective_of(X, y, scale=scale, gamma=-0.5)
        if scale is not None:
            assert np.isfinite(objective_of(X, y, scale=scale).score_features()).all()


def test_parts_with_a_column_too_large_to_square_merge_without_a_word():
    X, y = table()
    X[:, 2] *= 1e100
    criterion = ScatterTrace(gamma=-0.5, scale=None, degree=2)
    folded = ArraySource(X, Target(y)).collect(Folded(criterion.statistic(), GivenFolds(np.arange(60) % 3, 3)))
    with pytest.raises(OverflowingColumn, match="The variance of column 2 overflows"):
        criterion.bind(folded.without(1))


def test_scaled_columns_may_be_very_large_or_very_small():
    X, y = table()
    expected = objective_of(X, y, gamma=-0.5)
    for factor in (1e-60, 1e60):
        found = objective_of(X * [1, factor, 1, 1, 1], y, gamma=-0.5)
        assert_allclose(found.score_features(), expected.score_features(), rtol=1e-12)
        assert_allclose(found.score_pairs(), expected.score_pairs(), rtol=1e-12)
    found = objective_of(X * [1, 1e-140, 1, 1, 1e140], y)
    assert_allclose(found.score_pairs(), objective_of(X, y).score_pairs(), rtol=1e-12)
    with pytest.raises(InvalidInput, match=r"Column 1 varies by \de-80: its square cannot be squared\. Rescale"):
        objective_of(X * [1, 1e-80, 1, 1, 1], y, gamma=-0.5)


@pytest.mark.parametrize("gamma", [0.0, 0.2])
def test_one_class_and_one_row_hold_nothing_apart(gamma):
    X, _ = table()
    assert objective_of(X[:1], [0], gamma=gamma).score_subset(range(5)) == 0.0
    assert objective_of(X, np.zeros(60), gamma=0.0).score_subset(range(5)) == 0.0


def test_without_a_weight_the_pairs_are_not_kept():
    X, y = table()
    objective = objective_of(X, y, pair_weight=0)
    assert_array_equal(objective.score_features(), objective.theta)
    assert not objective.score_pairs().any()
    with pytest.raises(InvalidInput, match="With pair_weight=0 the pairs were not kept"):
        objective.theta_pairs


def test_a_subset_with_a_column_that_is_not_there_is_refused():
    with pytest.raises(InvalidParameter, match="Column 5 of the subset is not there"):
        objective_of(*table()).score_subset([5])


def test_more_columns_than_memory_has_room_for_are_refused_with_a_way_out():
    criterion = ScatterTrace(degree=2)
    message = (
        r"degree=2 compares every two of 20,000 columns, which takes at least 11\.9 GiB; 4 GiB are allowed, enough for "
        r"11,585 columns\. Choose some 2,000 first, such as by make_pipeline\(FisherMarkov\(n_features=2000\), "
        r"FisherMarkov\(degree=2\)\), or use degree=1\."
    )
    with pytest.raises(InvalidInput, match=message):
        criterion.check_columns(20_000)
    criterion.check_columns(11_585)
    with pytest.raises(InvalidInput, match="11,586 columns"):
        criterion.check_columns(11_586)
    # Five folds are five statistics, and the total takes more tables.
    with pytest.raises(InvalidInput, match="enough for 6,688 columns"):
        criterion.check_columns(11_585, n_statistics=5)
    with pytest.raises(InvalidInput, match="enough for 8,757 columns"):
        ScatterTrace(gamma=-0.5, degree=2).check_columns(11_585)


def test_more_than_sixty_columns_are_too_many_for_degree_three_and_none_are_for_degree_one():
    with pytest.raises(InvalidParameter, match=r"There are 61 columns, .* at most 60 .*degree=2"):
        ScatterTrace(degree=3).check_columns(61)
    ScatterTrace(degree=3).check_columns(60)
    ScatterTrace().check_columns(10_000_000)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": 4}, "degree must be 1, 2 or 3, got 4"),
        ({"degree": 0}, "degree must be 1, 2 or 3, got 0"),
        ({"degree": True}, "degree must be 1, 2 or 3, got True"),
        ({"degree": "2"}, "degree must be 1, 2 or 3, got '2'"),
        ({"degree": 2, "pair_weight": -1}, "pair_weight must be a finite number of at least 0, got -1"),
        ({"degree": 2, "pair_weight": np.nan}, "pair_weight must be a finite number of at least 0, got nan"),
        ({"degree": 2, "pair_weight": np.inf}, "pair_weight must be a finite number of at least 0, got inf"),
        ({"degree": 2, "pair_weight": "a"}, "pair_weight must be a finite number of at least 0, got 'a'"),
        ({"degree": 2, "pair_weight": True}, "pair_weight must be a finite number of at least 0, got True"),
        ({"pair_weight": 0.5}, "pair_weight belongs to degree=2, and degree is 1"),
        ({"degree": 3, "pair_weight": 0.5}, "pair_weight belongs to degree=2, and degree is 3"),
        ({"degree": 2, "kernel": "rbf"}, "kernel must be one of 'inhomogeneous', 'homogeneous', got 'rbf'"),
        ({"degree": 2, "scale": "minmax"}, "scale must be one of 'std'"),
        ({"degree": 2, "gamma": np.inf}, "gamma must be a finite number, got inf"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        ScatterTrace(**parameters)
