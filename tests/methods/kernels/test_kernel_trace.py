"""The kernel objective against double loops, polynomial kernels and a worked example."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from threadpoolctl import threadpool_limits

from fewest import KernelTrace
from fewest.data.array import ArraySource
from fewest.data.block import Block
from fewest.data.labels import Target
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.kernels.kernel_trace import KernelTraceObjective
from fewest.statistics.rows import Rows

from ...binding import bind
from ...reference.scatter.kernel_trace import KERNELS, kernel_trace, scaled
from ...reference.scatter.scatter import theta

SCALES = ("std", "range", "symmetric", None)
#: Of which scikit-learn's default width is one over the number of columns.
WITH_WIDTH = ("poly", "polynomial", "rbf", "laplacian", "sigmoid")


def objective_of(X, y, weights=None, **parameters):
    return bind(KernelTrace(**parameters), X, y, weights)


def table(seed=0, n=25, p=5, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return rng.normal(size=(n, p)) + y[:, None] * np.linspace(0, 1, p), y


def test_three_rows_worked_by_hand():
    # Classes {0, 2} and {4}; the kernel 1 + x z has the matrix [[1, 1, 1], [1, 5, 9], [1, 9, 17]].
    # Sum(K_a)/2 + Sum(K_b)/1 = 8/2 + 17 = 21; Tr K = 23; Sum K = 45.
    X, y = [[0.0], [2.0], [4.0]], ["a", "a", "b"]

    def score(**parameters):
        return objective_of(X, y, kernel=lambda A, B: 1 + A @ B.T, scale=None, **parameters).score_subset([0])

    assert score() == pytest.approx((21 - 45 / 3) / 3)
    assert score(gamma=1.0) == pytest.approx((21 - 23) / 3)
    assert score(gamma=-0.5, beta=0.25) == pytest.approx((21 + 23 / 2 - 1.5 * 45 / 3) / 3 - 0.25)


@pytest.mark.parametrize("kernel", sorted(KERNELS))
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3])
def test_every_kernel_of_scikit_learn_agrees_with_the_double_loop(kernel, gamma):
    X, y = table()
    scale = "range" if "chi2" in kernel else "symmetric"
    objective = objective_of(X, y, kernel=kernel, gamma=gamma, beta=0.125, scale=scale)
    # The width is one over all five columns, however many are in the subset.
    of_two_rows = partial(KERNELS[kernel], g=1 / 5) if kernel in WITH_WIDTH else KERNELS[kernel]
    for subset in ([2], [0, 3], [4, 1, 0], range(5)):
        expected = kernel_trace(scaled(X, scale), y, subset, of_two_rows, gamma, 0.125)
        assert objective.score_subset(subset) == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize(
    ("kernel", "kernel_params", "expected_params"),
    [
        ("rbf", {"gamma": 2.0}, {"g": 2.0}),
        ("rbf", {"gamma": None}, {"g": 1 / 5}),
        ("laplacian", {"gamma": 0.5}, {"g": 0.5}),
        ("poly", {"gamma": 0.5, "degree": 2, "coef0": 0.25}, {"g": 0.5, "d": 2, "c": 0.25}),
        ("sigmoid", {"coef0": -1.0}, {"g": 1 / 5, "c": -1.0}),
        ("chi2", {"gamma": 0.1}, {"g": 0.1}),
    ],
)
def test_kernel_params_reach_the_kernel(kernel, kernel_params, expected_params):
    X, y = table()
    found = objective_of(X, y, kernel=kernel, kernel_params=kernel_params, scale="range").score_subset([1, 4])
    expected = kernel_trace(scaled(X, "range"), y, [1, 4], partial(KERNELS[kernel], **expected_params))
    assert found == pytest.approx(expected, rel=1e-10)


def test_kernel_params_reach_a_function_and_it_sees_every_column():
    X, y = table()

    def kernel(A, B, power):
        assert A.shape[1] == B.shape[1] == 5
        assert not B[:, [0, 2, 3]].any()
        return (A @ B.T) ** power

    found = objective_of(X, y, kernel=kernel, kernel_params={"power": 2}).score_subset([1, 4])
    expected = kernel_trace(scaled(X, "symmetric"), y, [1, 4], lambda x, z: (x @ z) ** 2)
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3, 1.0])
def test_the_linear_kernel_gives_the_sum_of_theta(scale, gamma):
    X, y = table(1)
    objective = objective_of(X, y, kernel="linear", gamma=gamma, scale=scale)
    thetas = [theta(x, y, gamma) for x in scaled(X, scale).T]
    for size in range(6):
        for subset in combinations(range(5), size):
            assert objective.score_subset(subset) == pytest.approx(sum(thetas[j] for j in subset), abs=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.3])
@pytest.mark.parametrize("is_homogeneous", [False, True])
def test_a_quadratic_kernel_gives_the_sum_of_theta_over_columns_and_pairs(scale, gamma, is_homogeneous):
    X, y = table(2)
    Z = scaled(X, scale)

    def kernel(A, B):
        s = A @ B.T
        return s**2 / 2 if is_homogeneous else s + s**2 / 2

    objective = objective_of(X, y, kernel=kernel, gamma=gamma, scale=scale)
    for subset in ([1], [0, 3], [1, 2, 4], range(5)):
        expected = sum(theta(Z[:, j] * Z[:, k], y, gamma) for j in subset for k in subset) / 2
        if not is_homogeneous:
            expected += sum(theta(Z[:, j], y, gamma) for j in subset)
        assert objective.score_subset(subset) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine"])
def test_a_weight_of_two_is_the_row_twice_and_one_of_zero_no_row(kernel):
    X, y = table(3)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    found = objective_of(X, y, weights, kernel=kernel, gamma=0.3, scale="std").score_subset([0, 2, 3])
    X, y = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    assert found == pytest.approx(objective_of(X, y, kernel=kernel, gamma=0.3, scale="std").score_subset([0, 2, 3]))


def in_blocks(X, y, criterion, max_numbers):
    rows = ArraySource(X, Target(y)).collect(criterion.statistic())
    return KernelTraceObjective(rows, criterion, max_numbers)


@pytest.mark.parametrize("max_rows", [1, 7, 24, 25, 26])
def test_the_kernel_may_be_summed_in_blocks_of_any_number_of_rows(max_rows):
    X, y = table(4)
    whole = objective_of(X, y, gamma=0.3).score_subset([0, 2])
    seen = []

    def kernel(A, B):
        seen.append(len(A))
        return np.exp(-np.square(A[:, None] - B).sum(axis=2) / 5)

    objective = in_blocks(X, y, KernelTrace(kernel, gamma=0.3), max_rows * len(X))
    assert objective.score_subset([0, 2]) == pytest.approx(whole, rel=1e-12)
    assert max(seen) <= max_rows
    assert sum(seen) == 25


def test_a_block_has_at_most_the_allowed_numbers():
    seen = []

    def kernel(A, B):
        seen.append(A.shape[0] * B.shape[0])
        return A @ B.T

    in_blocks(*table(), KernelTrace(kernel), 60).score_subset([0])
    assert max(seen) <= 60


def test_many_classes_of_few_rows_agree_with_the_double_loop():
    X, y = table(5, n=30, p=2, n_classes=14)
    found = objective_of(X, y, kernel="rbf", gamma=0.2).score_subset([0, 1])
    expected = kernel_trace(scaled(X, "symmetric"), y, [0, 1], partial(KERNELS["rbf"], g=1 / 2), 0.2)
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_columns_far_from_zero_keep_their_digits(kernel):
    X, y = table(6, n=200)
    X = np.round(X * 2**20) / 2**20
    near = objective_of(X, y, kernel=kernel, gamma=0.1, scale=None).score_subset([0, 2, 4])
    far = objective_of(X + 2.0**27, y, kernel=kernel, gamma=0.1, scale=None).score_subset([0, 2, 4])
    assert far == pytest.approx(near, rel=1e-10)


@pytest.mark.parametrize("gamma", [-0.37, 0.0, 0.83])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "laplacian", "cosine", "linear"])
def test_the_empty_subset_and_constant_columns_have_the_value_zero(kernel, gamma):
    X, y = table(7)
    X[:, 3] = 17.3
    objective = objective_of(X, y, kernel=kernel, gamma=gamma)
    assert objective.score_subset([]) == objective.score_subset([3]) == 0.0
    assert objective.score_subset([0, 3]) == pytest.approx(objective.score_subset([0]), rel=1e-12)


def test_threads_do_not_change_a_bit():
    X, y = table(8, n=1500, p=20)
    objective = objective_of(X, y)
    with threadpool_limits(1):
        alone = objective.score_subset(range(20))
    with threadpool_limits(4):
        assert objective.score_subset(range(20)) == alone


def test_the_rows_given_are_not_written_to():
    X, y = table()
    before = X.copy()
    for scale in SCALES:
        objective_of(X, y, kernel="linear", scale=scale).score_subset([0, 1])
    assert_allclose(X, before, rtol=0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": np.nan}, "gamma must be a finite number, got nan"),
        ({"gamma": "0"}, "gamma must be a finite number, got '0'"),
        ({"beta": np.inf}, "beta must be a finite number, got inf"),
        ({"scale": "minmax"}, "scale must be one of 'std'"),
        ({"kernel": "rbff"}, r"kernel must be one of .*'rbf'.* got 'rbff' \(did you mean 'rbf'\?\)"),
        ({"kernel": 3}, "kernel must be one of .* got 3 instead"),
        ({"kernel": ["rbf"]}, "kernel must be one of"),
        ({"kernel_params": 0.5}, r"kernel_params must be a dict .* got 0.5"),
        ({"kernel_params": {"width": 1.0}}, r"The kernel 'rbf' has no parameter 'width' \(it has gamma\)"),
        ({"kernel": "linear", "kernel_params": {"gamma": 1.0}}, r"has no parameter 'gamma' \(it has none\)"),
        ({"kernel_params": {"gamma": "auto"}}, "gamma of the kernel 'rbf' must be a finite number, got 'auto'"),
        ({"kernel": "poly", "kernel_params": {"degree": None}}, "degree of the kernel 'poly' must be a finite number"),
    ],
)
def test_invalid_parameters_are_rejected(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        KernelTrace(**parameters)


@pytest.mark.parametrize(
    ("subset", "message"),
    [
        ([0, 5], "Column 5 of the subset is not there: there are 5 columns"),
        ([-1], "Column -1 of the subset is not there"),
        ([1, 2, 1], "Column 1 is in the subset more than once"),
        ([True, False], "numbers of its columns"),
        ([0.5], "numbers of its columns"),
        (["a"], "numbers of its columns"),
        (3, "numbers of its columns"),
    ],
)
def test_an_invalid_subset_is_rejected(subset, message):
    with pytest.raises(InvalidParameter, match=message):
        objective_of(*table()).score_subset(subset)


def test_missing_values_are_counted_and_rejected_with_advice():
    X, y = table()
    X[[0, 1, 4], [2, 2, 3]] = np.nan
    with pytest.raises(
        InvalidInput, match=r"3 values are missing, in 2 of 5 columns.*Impute.*ScatterTrace\(degree=2\)"
    ):
        objective_of(X, y)


@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_chi2_of_values_below_zero_is_rejected_with_advice(kernel):
    with pytest.raises(InvalidInput, match=f"The kernel '{kernel}' .*negative.*scale='range'"):
        objective_of(*table(), kernel=kernel).score_subset([0])


def test_a_kernel_that_overflows_is_rejected():
    X, y = table()
    with pytest.raises(InvalidInput, match="The kernel 'poly' is infinite or undefined on some rows"):
        objective_of(X * 1e100, y, kernel="poly", scale=None).score_subset([0, 1])


@pytest.mark.parametrize(
    ("kernel", "what"),
    [
        (lambda A, B: A @ A.T @ np.ones(len(A)), r"shape \(25,\)"),
        (lambda A, B: B @ A[:2].T, r"shape \(25, 2\)"),
        (lambda A, B: 1.0, "float"),
        (lambda A, B: None, "NoneType"),
        (lambda A, B: "text", "str"),
    ],
)
def test_a_function_that_returns_no_matrix_is_rejected(kernel, what):
    with pytest.raises(InvalidParameter, match=r"here an array of shape \(25, 25\); got " + what):
        objective_of(*table(), kernel=kernel).score_subset([0])


def test_a_function_that_fails_is_named_as_the_cause():
    with pytest.raises(InvalidParameter, match=r"kernel\(X, Y\) of two arrays of rows raised TypeError: "):
        objective_of(*table(), kernel=int).score_subset([0])


def test_no_rows_are_rejected():
    rows = Rows()
    rows.update(Block(np.ones((2, 3)), np.zeros(2, dtype=np.int32), ["a"], np.zeros(2)))
    with pytest.raises(InvalidInput, match="There are no rows"):
        KernelTrace().bind(rows)
