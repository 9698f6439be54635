"""Kernel class separability against its formulas, and the bounds of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from fewest import GreedyBackward, GreedyForward, IndividualRanking, KernelScatter, WeightAscent
from fewest.data.block import Block
from fewest.errors import InvalidInput, InvalidParameter
from fewest.statistics.rows import Rows

from ...binding import bind
from ...reference.kernels import kernel_scatter as reference

PLAIN = KernelScatter(regularization=0.0)


def objective_of(X, y, criterion=PLAIN):
    return bind(criterion, X, y)


def random_table(seed):
    """Rows of every kind: few and many, equal and not, columns constant, copied or of few values."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(3, 40)), int(random.integers(1, 7))
    y = random.integers(0, int(random.integers(2, 5)), n)
    y[:2] = 0, 1
    X = random.normal(size=(n, d)) + y[:, None] * random.normal(size=d)
    if seed % 3 == 0:
        X = np.round(X)
    if seed % 4 == 0:
        X[:, 0] = 2.5
    if seed % 5 == 0:
        X[:, -1] = X[:, 0]
    return X, y, random


def test_three_points_by_hand():
    # On a line at 0, 2 and 4, scaled to -1, 0 and 1, the first alone in its class. With k = exp(-eta):
    # Sum(K_aa)/n_a are 1 and (2 + 2k)/2, Sum(K) = 3 + 4k + 2 k^4.
    objective = objective_of([[0.0], [2.0], [4.0]], ["a", "b", "b"])
    value, gradient = objective.score_weights(np.array([0.7]))
    k = np.exp(-0.7)
    assert_allclose(value, 1 + (1 + k) - (3 + 4 * k + 2 * k**4) / 3)
    assert_allclose(gradient, [-k + (4 * k + 8 * k**4) / 3])


@pytest.mark.parametrize("seed", range(200))
def test_values_gradients_and_the_bounds_of_the_paper(seed):
    X, y, random = random_table(seed)
    Z = reference.scaled(X)
    n, eta = len(y), random.exponential(size=X.shape[1]) * (random.random(X.shape[1]) < 0.8)
    K = reference.gaussian(Z, eta)
    between, within, total = reference.traces(K, y)
    assert_allclose(reference.traces_fast(K, y), (between, within, total), atol=1e-10)
    value, gradient = objective_of(X, y).score_weights(eta)
    assert_allclose(value, between, atol=1e-10)
    assert_allclose(gradient, reference.between_gradient(Z, y, eta), atol=1e-10)
    ratio, slope = objective_of(X, y, KernelScatter(form="ratio", ridge=0.1, regularization=0.0)).score_weights(eta)
    n_classes = len(np.unique(y))
    expected = (between + 0.1 * (n_classes - 1)) / max(within + 0.1 * (n - n_classes), 1e-9 * n)
    assert_allclose(ratio, expected, rtol=1e-9)
    assert np.isfinite(slope).all()
    # the identity, and Eqs. 6, 17 and 19
    assert_allclose(total, between + within, atol=1e-10)
    assert total <= n - 1 + 1e-10
    assert (K * K).sum() <= n * (n - total) + 1e-9
    assert -1e-12 <= between <= n - np.square(np.bincount(y)).sum() / n + 1e-10
    assert radius(K) >= total / n - 1e-9
    # Eq. 21: no ratio of traces exceeds the best along a line, that of kernel Fisher discriminant analysis.
    if total > 1e-9:
        best = reference.discriminant_ratio(K, y)
        assert between / total <= best + 1e-6
        assert best <= 1 + 1e-6
    assert_allclose([np.trace(part) for part in reference.scatter_matrices(K, y)], (between, total), atol=1e-9)
    assert reference.determinant_ratio(K, y, 0.1) >= -1e-9
    if n_classes == 2:
        sizes = np.bincount(y)
        sizes = sizes[sizes > 0]
        # The tight form of Eq. 16: half the distance of the class means bounds the margin.
        assert margin(K, y) <= n * between / (4 * sizes[0] * sizes[1]) + 1e-9


def radius(K):
    """R^2 of the smallest ball, from below: any feasible point of its dual is a lower bound."""
    beta = np.full(len(K), 1 / len(K))
    for _ in range(100):
        far = np.argmax(np.diagonal(K) - 2 * K @ beta)
        beta = beta + (np.eye(len(K))[far] - beta) * 0.05
    uniform = np.full(len(K), 1 / len(K))
    return max(b @ np.diagonal(K) - b @ K @ b for b in (beta, uniform))


def margin(K, y):
    """The squared margin from above: a quarter of the squared distance between points of the classes' convex hulls."""
    first = y == y[0]
    sign = np.where(first, 1.0, -1.0)

    def distance(weights):
        c = sign * weights
        return c @ K @ c, 2 * sign * (K @ c)

    start = np.where(first, 1 / first.sum(), 1 / (~first).sum())
    sums = [
        {"type": "eq", "fun": lambda w, m=m: w[m].sum() - 1, "jac": lambda w, m=m: m * 1.0} for m in (first, ~first)
    ]
    found = minimize(
        distance, start, jac=True, method="SLSQP", bounds=[(0, 1)] * len(y), constraints=sums, options={"maxiter": 4}
    )
    return found.fun / 4


def test_the_ratio_of_scatters_along_a_line_and_of_determinants_of_four_points_by_hand():
    # A linear kernel of the points 0, 2 of one class and 4, 6 of the other: S_B = 4 * 2^2 = 16, S_W = 4, S_T = 20.
    x = np.array([-3.0, -1.0, 1.0, 3.0])
    K, y = np.outer(x, x), np.array([0, 0, 1, 1])
    assert_allclose(reference.traces(K, y), (16, 4, 20))
    assert_allclose(reference.discriminant_ratio(K, y), 16 / 20)
    assert_allclose(reference.determinant_ratio(K, y, 0.5), np.log(20.5 / 4.5))


@pytest.mark.parametrize("seed", range(8))
def test_gradients_agree_with_finite_differences(seed):
    X, y, random = random_table(seed)
    for criterion in (KernelScatter(), KernelScatter(form="ratio", ridge=0.2), KernelScatter(scale="std")):
        objective = objective_of(X, y, criterion)
        eta = random.exponential(size=X.shape[1])
        gradient = objective.score_weights(eta)[1]
        for f in range(len(eta)):
            step = 1e-6 * np.eye(len(eta))[f]
            up, down = objective.score_weights(eta + step)[0], objective.score_weights(eta - step)[0]
            assert_allclose(gradient[f], (up - down) / 2e-6, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_columns_and_subsets_have_the_value_of_the_best_of_very_many_widths(seed):
    X, y, random = random_table(seed)
    Z, objective = reference.scaled(X), objective_of(X, y)
    scores = objective.score_features()
    for f in range(X.shape[1]):
        best, eta = reference.best_between(Z[:, [f]], y)
        # Between two steps of the grid there may be a second maximum, which is not found.
        assert best - 1e-3 * abs(best) <= scores[f] <= best + 1e-4 * abs(best)
        assert_allclose(objective.score_subset([f]), scores[f], rtol=1e-9, atol=1e-12)
        if eta > 0:
            at_width = reference.traces_fast(reference.gaussian(Z[:, [f]], objective.widths()[f]), y)[0]
            assert_allclose(at_width, scores[f], rtol=1e-9, atol=1e-12)
    subset = random.permutation(X.shape[1])[: X.shape[1] // 2 + 1].tolist()
    best, _ = reference.best_between(Z[:, subset], y)
    assert best - 1e-3 * abs(best) <= objective.score_subset(subset) <= best + 1e-4 * abs(best)


@pytest.mark.parametrize("form", ["between", "ratio"])
def test_additions_and_removals_are_differences_of_subsets(form):
    X, y, _ = random_table(17)
    objective = objective_of(X, y, KernelScatter(form=form, ridge=0.01))
    everything, d = np.arange(X.shape[1]), X.shape[1]
    gains = objective.score_additions([0, 2], everything[3:])
    expected = [objective.score_subset([0, 2, f]) - objective.score_subset([0, 2]) for f in range(3, d)]
    assert_allclose(gains, expected, rtol=1e-9, atol=1e-10)
    losses = objective.score_removals(everything, everything)
    expected = [objective.score_subset(np.delete(everything, f)) - objective.score_subset(everything) for f in range(d)]
    assert_allclose(losses, expected, rtol=1e-8, atol=1e-9)


def test_one_weight_for_all_columns_is_the_best_up_to_its_cap():
    for seed in range(6):
        X, y, _ = random_table(seed + 50)
        Z = reference.scaled(X)
        best, eta = reference.best_between(Z, y, last=2.0)
        objective = objective_of(X, y)
        assert_allclose(objective.shared_weight, eta, rtol=0.05)
        assert objective.shared_weight <= 4.0001 / reference.mean_distance(Z)
        start = objective.start_weights()
        assert objective.score_weights(start)[0] >= best - 1e-6 * abs(best)
        assert_array_equal(start == 0, np.ptp(Z, axis=0) == 0)


def test_a_rotation_changes_nothing_where_all_columns_share_one_weight():
    X, y, random = random_table(7)
    turned = X @ np.linalg.qr(random.normal(size=(X.shape[1],) * 2))[0]
    plain, other = (objective_of(table, y, KernelScatter(scale=None)) for table in (X, turned))
    assert_allclose(other.score_subset(range(X.shape[1])), plain.score_subset(range(X.shape[1])), rtol=1e-9)
    same = np.full(X.shape[1], 0.3)
    assert_allclose(other.score_weights(same)[0], plain.score_weights(same)[0], rtol=1e-9)


def test_in_a_narrow_kernel_every_row_is_alone_and_in_a_wide_one_all_rows_coincide():
    X, y, _ = random_table(2)
    objective = objective_of(X, y)
    assert_allclose(objective.score_weights(np.full(X.shape[1], 1e7))[0], len(np.unique(y)) - 1, rtol=1e-9)
    assert_allclose(objective.score_weights(np.zeros(X.shape[1]))[0], 0.0, atol=1e-12)


def test_regularization_pulls_towards_the_shared_weight():
    X, y, _ = random_table(11)
    objective = objective_of(X, y, KernelScatter(regularization=0.4))
    eta, start = np.full(X.shape[1], 2.0), objective.start_weights()
    plain = objective_of(X, y).score_weights(eta)
    value, gradient = objective.score_weights(eta)
    assert_allclose(value, 0.6 * plain[0] - 0.4 * np.square(eta - start).sum())
    assert_allclose(gradient, 0.6 * plain[1] - 0.8 * (eta - start))


def test_a_weight_of_two_is_the_row_twice():
    X, y, _ = random_table(13)
    weights = np.arange(len(y)) % 3.0
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted, plain = Rows(), Rows()
    codes = y.astype(np.int32)
    labels = list(range(codes.max() + 1))
    weighted.update(Block(X, codes, labels, weights))
    plain.update(Block(X[repeated], codes[repeated], labels))
    one, other = PLAIN.bind(weighted), PLAIN.bind(plain)
    eta = np.linspace(0.1, 2, X.shape[1])
    assert_allclose(one.score_weights(eta)[0], other.score_weights(eta)[0], rtol=1e-10)
    assert_allclose(one.score_features(), other.score_features(), rtol=1e-9)
    assert_allclose(one.score_subset([0, 1]), other.score_subset([0, 1]), rtol=1e-9)


def test_many_rows_are_summed_in_tiles_of_pairs_to_the_same_value():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 700)
    X = random.normal(size=(700, 4)) + y[:, None]
    eta = np.array([0.5, 0.0, 2.0, 0.1])
    Z = reference.scaled(X)
    value, gradient = objective_of(X, y).score_weights(eta)
    assert_allclose(value, reference.traces_fast(reference.gaussian(Z, eta), y)[0], rtol=1e-11)
    M = np.where(y[:, None] == y, 1 / np.bincount(y)[y][:, None], 0) - 1 / 700
    W = M * reference.gaussian(Z, eta)
    assert_allclose(gradient, [-(W * np.square(c[:, None] - c)).sum() for c in Z.T], rtol=1e-9)


@pytest.mark.parametrize("kernel", ["laplacian", "linear", "poly", "cosine", "rbf"])
def test_other_kernels_are_normalised(kernel):
    from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels

    X, y, _ = random_table(7)
    parameters = {"gamma": 0.3} if kernel == "rbf" else {"gamma": 0.4, "degree": 2} if kernel == "poly" else {}
    criterion = KernelScatter(kernel, kernel_params=parameters)
    objective = objective_of(X, y, criterion)
    assert ("score_weights" in criterion.offers) == (kernel == "laplacian")
    Z = reference.scaled(X)[:, [0, 2]]
    if kernel == "laplacian":
        distance = np.abs(Z[:, None] - Z[None]).sum() / (len(Z) * (len(Z) - 1))
        widths = 2.0 ** np.linspace(-10, 10, 2001) / distance
        expected = max(reference.traces_fast(laplacian_kernel(Z, gamma=width), y)[0] for width in widths)
        assert_allclose(objective.score_subset([0, 2]), expected, rtol=1e-5)
        assert objective.width_of([0, 2]) > 0
    else:
        K = pairwise_kernels(Z, metric=kernel, **parameters)
        length = np.sqrt(np.diagonal(K))
        assert_allclose(objective.score_subset([0, 2]), reference.traces_fast(K / np.outer(length, length), y)[0])
    assert_allclose(objective.score_features()[1], objective.score_subset([1]))


def test_a_function_is_a_kernel_too():
    X, y, _ = random_table(7)
    named = objective_of(X, y, KernelScatter("rbf", kernel_params={"gamma": 0.5}))
    other = objective_of(X, y, KernelScatter(lambda A, B: np.exp(-0.5 * np.square(A[:, None] - B[None]).sum(axis=2))))
    assert_allclose(other.score_subset([0, 1]), named.score_subset([0, 1]))


class TestOddTables:
    searches = (WeightAscent(), GreedyForward(lazy=False), GreedyBackward(), IndividualRanking())

    def found(self, X, y, n=2):
        for search in self.searches:
            objective = objective_of(X, y)
            selection = search.run(objective, n)
            # Columns that vary have a score.
            varies = np.ptp(np.asarray(X)[:, list(selection.indices)], axis=0) > 0
            assert np.isfinite(np.array(selection.scores)[varies]).all(), search
            yield search, selection

    def test_a_column_that_does_not_vary_comes_last(self):
        random = np.random.default_rng(3)
        y = np.repeat([0, 1], 10)
        X = np.column_stack([np.full(20, 7.0), random.normal(size=20), random.normal(size=20) + 3 * y])
        for search, selection in self.found(X, y, 3):
            assert selection.indices[-1] == 0, search

    def test_nothing_varies(self):
        for search, selection in self.found(np.ones((6, 3)), [0, 0, 0, 1, 1, 1], 3):
            assert sorted(selection.indices) == [0, 1, 2], search
            assert set(np.nan_to_num(selection.scores)) == {0.0}

    def test_copies_share_their_weight_and_the_lowest_comes_first(self):
        random = np.random.default_rng(4)
        y = np.repeat([0, 1], 12)
        x = random.normal(size=24) + 2 * y
        X = np.column_stack([random.normal(size=24), x, x, random.normal(size=24)])
        for search, selection in self.found(X, y):
            assert selection.indices[0] == 1, search
        weights = WeightAscent().run(objective_of(X, y), 2).column_scores
        assert_allclose(weights[1], weights[2])

    def test_a_class_of_one_and_three_rows(self):
        for search, selection in self.found([[0.0, 5.0], [1.0, 1.0], [2.0, 5.0]], ["a", "b", "b"]):
            assert len(selection) == 2, search

    def test_rows_that_are_all_alike_but_for_their_class(self):
        for search, selection in self.found(np.repeat([[1.0, 2.0], [1.0, 2.0]], 3, axis=0), [0, 1, 0, 1, 0, 1]):
            assert set(np.nan_to_num(selection.scores)) == {0.0}, search

    def test_offsets_leave_distances_as_they_are(self):
        X, y, _ = random_table(1)
        far = objective_of(X + 1e6, y)
        assert_allclose(far.score_subset([0, 1]), objective_of(X, y).score_subset([0, 1]), rtol=1e-6)

    def test_a_missing_value_is_rejected_where_rows_are_compared_and_left_out_where_they_are_not(self):
        X, y, _ = random_table(7)
        X[3, 1] = np.nan
        objective = objective_of(X, y)
        whole = np.arange(len(y)) != 3
        # The column by itself goes by the rows that have it, on the scale of these.
        assert_allclose(objective.score_features()[1], objective_of(X[whole], y[whole]).score_features()[1], rtol=1e-9)
        for ask in (objective.start_weights, lambda: objective.score_subset([0])):
            with pytest.raises(InvalidInput, match=r"1 values are missing, in 1 of .* columns .*number 1"):
                ask()

    def test_values_too_far_apart_to_square_are_rejected_unless_they_are_scaled(self):
        X = np.array([[0.0, 1.0], [1e152, 2.0], [3.0, 1.0], [2e152, 0.0]])
        with pytest.raises(InvalidInput, match="variance of column 0 overflows"):
            objective_of(X, [0, 1, 0, 1], KernelScatter(scale=None)).score_subset([0])
        assert np.isfinite(objective_of(X, [0, 1, 0, 1]).score_subset([0, 1]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regularization": 1.0}, "regularization must be a number of at least 0 and below 1, got 1.0"),
        ({"regularization": "much"}, "regularization"),
        ({"form": "within"}, "form must be one of 'between', 'ratio'"),
        ({"ridge": -1}, "ridge must be a finite number of at least 0"),
        ({"kernel": "rfb"}, "kernel must be one of .*did you mean"),
        ({"sample": 2}, "sample must be a whole number of at least 4"),
        ({"sample": 100, "kernel": "linear"}, "sample needs the kernel 'rbf'"),
        ({"random_state": -1}, "random_state"),
        ({"scale": "unit"}, "scale"),
    ],
)
def test_invalid_parameters_are_rejected(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        KernelScatter(**parameters)


class TestSample:
    """A sample of the rows is an unbiased estimate with a standard error."""

    @staticmethod
    def table():
        random = np.random.default_rng(0)
        y = random.choice(3, 1200, p=[0.5, 0.3, 0.2])
        return np.round(random.normal(size=(1200, 5)) + y[:, None] * [1, 0.5, 0, 0, 0.2], 1), y

    eta = np.array([0.5, 0.5, 0.1, 0.0, 0.3])

    def samples(self, n):
        for seed in range(n):
            yield objective_of(*self.table(), KernelScatter(regularization=0.0, sample=200, random_state=seed))

    def test_it_is_right_on_average_and_its_standard_error_is_the_spread(self):
        exact = objective_of(*self.table()).score_weights(self.eta)[0]
        values, errors = [], []
        for objective in self.samples(60):
            error, value = objective.sampling_error(self.eta)
            assert_allclose(objective.score_weights(self.eta)[0], value, rtol=1e-10)
            values.append(value)
            errors.append(error)
        spread = np.std(values, ddof=1)
        assert abs(np.mean(values) - exact) < 3 * spread / np.sqrt(60)
        assert 0.75 < np.mean(errors) / spread < 1.35

    def test_subsets_and_weights_agree_on_a_sample(self):
        objective = next(self.samples(1))
        eta = objective.width_of([0, 4])
        weights = np.array([eta, 0, 0, 0, eta])
        assert_allclose(objective.score_subset([0, 4]), objective.score_weights(weights)[0], rtol=1e-9)
        assert_allclose(objective.score_features()[1], objective.score_subset([1]), rtol=1e-9)

    def test_a_sample_of_all_rows_is_all_rows(self):
        objective = objective_of(*self.table(), KernelScatter(regularization=0.0, sample=5000))
        assert_allclose(
            objective.score_weights(self.eta)[0], objective_of(*self.table()).score_weights(self.eta)[0], rtol=1e-9
        )
        assert objective.sampling_error(self.eta)[0] == 0.0
