"""Elimination by the weights of kernel class separability, against ascents that start from the formulas."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import KernelScatter, KernelSeparability, WeightAscent, WeightElimination
from fewest.methods.kernels import scatter_objective

from ...binding import bind
from ...reference.kernels import kernel_scatter as reference


def random_table(seed):
    """Rows of every kind: few and many, classes of one row, columns constant, copied or of few values."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(5, 24)), int(random.integers(2, 7))
    y = random.integers(0, int(random.integers(2, 4)), n)
    y[:3] = 0, 1, 1
    if seed % 5 == 0:
        y[:] = 1
        y[0] = 0
    X = random.normal(size=(n, d)) + y[:, None] * random.normal(size=d)
    if seed % 3 == 0:
        X = np.round(X)
    if seed % 4 == 0:
        X[:, 0] = 2.5
    if seed % 7 == 0:
        X[:, -1] = X[:, 0]
    if seed % 11 == 0:
        X *= 10.0 ** random.integers(-100, 100, d)
    return X, y


class ByHand:
    """b'w - w'Aw/2 with b = (2, 3, 1/2): column 1 replaces part of columns 0 and 2."""

    n_columns = 3
    is_additive = False
    quadratic = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])
    linear = np.array([2.0, 3.0, 0.5])

    def start_weights(self):
        return np.full(3, 0.1)

    def score_weights(self, weights):
        slope = self.quadratic @ weights
        return float(self.linear @ weights - weights @ slope / 2), self.linear - slope


def test_three_weights_by_hand():
    # b'w - w'Aw/2 is highest where Aw = b. All three: w0 + w1/2 = 2, w0/2 + w1 + w2/4 = 3 and w1/4 + w2 = 1/2, so
    # (1 - 1/4 - 1/16) w1 = 3 - 1 - 1/8, w1 = 30/11, w0 = 7/11 and w2 = -2/11: w2 is zero instead, with w1 = 8/3,
    # w0 = 2/3 and the value b'w/2 = 14/3. Column 2 goes first, at no cost, then column 0; w1 = 3 alone, of 9/2.
    found = WeightElimination().run(ByHand(), 1)
    assert found.indices == (1,)
    assert found.path.order == (1, 0, 2)
    assert_allclose(found.history, [14 / 3, 14 / 3, 9 / 2], rtol=1e-7)
    assert_allclose(found.column_scores, [0, 3, 0], atol=1e-4)
    two = WeightElimination().run(ByHand(), 2)
    assert two.indices == (1, 0)
    assert_allclose(two.column_scores, [2 / 3, 8 / 3, 0], atol=1e-4)
    # Two at a time: column 2 with column 0, by the weights of all; two are those of the larger weights there.
    pairs = WeightElimination(step=2).run(ByHand(), 2)
    assert pairs.path.order == (1, 0, 2)
    assert_allclose(pairs.column_scores, two.column_scores, atol=1e-4)


def test_three_points_of_two_columns_by_hand():
    # Rows (0, 0), (1, 1), (0, 1) of the classes a, a, b: column 0 keeps b at the place of the first row, column 1 at
    # that of the second. Scaled to -1 and 1 a step is 2, so with p = exp(-4 eta_0), q = exp(-4 eta_1) the kernel has
    # pq within a, p and q across: J = 1 + pq + 1 - (3 + 2pq + 2p + 2q)/3 = 1 + (pq - 2p - 2q)/3, symmetric in both
    # and falling in p and q. Equal weights: column 1, the higher, goes; J with p alone is 1 - (p + 2)/3.
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array(["a", "a", "b"])
    objective = bind(KernelScatter(regularization=0.0), X, y)
    p, q = np.exp(-4 * 0.3), np.exp(-4 * 0.8)
    assert_allclose(objective.score_weights(np.array([0.3, 0.8]))[0], 1 + (p * q - 2 * p - 2 * q) / 3)
    found = WeightElimination().run(objective, 1)
    assert found.indices == (0,)
    p = np.exp(-4 * found.column_scores[0])
    assert_allclose(found.value, 1 - (p + 2) / 3)


def test_it_agrees_with_the_formulas():
    n_compared = 0
    for seed in range(300):
        X, y = random_table(seed)
        strength, step = (0.0, 0.25, 0.75)[seed % 3], 1 + (seed // 3) % 2
        objective = bind(KernelScatter(regularization=strength), X, y)
        Z, start = reference.scaled(X), objective.start_weights()
        expected, removed, closest = reference.eliminate(Z, y, start, strength, step)
        # Where weights nearly tie, or rise without end, the order is that of rounding.
        if closest < 1e-3 or max(weights.max() for _, weights, _ in expected.values()) > 20:
            continue
        n_compared += 1
        order = (*expected[1][0], *reversed(removed))
        for size in {1, 1 + seed % X.shape[1]}:
            found = WeightElimination(step).run(objective, size)
            assert found.path.order == order, (seed, size)
            assert sorted(found.indices) == sorted(order[:size])
            if size in expected:
                columns, weights, value = expected[size]
                assert_allclose(found.value, value, rtol=1e-6, atol=1e-9)
                if strength > 0:  # without, the value may rise ever more slowly in a weight
                    assert_allclose(found.column_scores[columns], weights, rtol=1e-2, atol=2e-3)
                assert not np.delete(found.column_scores, columns).any()
    assert n_compared >= 200


@pytest.mark.parametrize("seed", range(12))
def test_every_size_is_a_maximum_in_its_own_weights(seed):
    X, y = random_table(seed)
    objective = bind(KernelScatter(), X, y)
    found = WeightElimination().run(objective, 1)
    assert len(found.history) == X.shape[1]
    for size in range(1, X.shape[1] + 1):
        one = WeightElimination().run(objective, size)
        assert one.value == found.history[X.shape[1] - size]
        gradient = objective.score_weights(one.column_scores)[1][list(one.indices)]
        free = one.column_scores[list(one.indices)] > 0
        assert np.abs(gradient[free]).max(initial=0.0) < 1e-2
        assert gradient[~free].max(initial=0.0) < 1e-2
    assert WeightElimination().run(objective, None).indices == WeightAscent().run(objective, None).indices


def test_columns_that_do_not_vary_go_first_and_of_copies_the_last():
    random = np.random.default_rng(4)
    y = np.repeat([0, 1], 12)
    x = random.normal(size=24) + 2 * y
    X = np.column_stack([np.full(24, 3.0), random.normal(size=24), x, x, np.zeros(24)])
    found = WeightElimination().run(bind(KernelScatter(), X, y), 3)
    assert found.path.order[-2:] == (0, 4)
    assert found.path.order[0] == 2
    assert set(found.indices) == {1, 2, 3}
    nothing = WeightElimination().run(bind(KernelScatter(), np.ones((6, 3)), [0, 0, 0, 1, 1, 1]), 2)
    assert nothing.path.order == (0, 1, 2)
    assert nothing.scores == (0.0, 0.0)


def test_a_sample_of_many_rows_leads_to_the_same_columns(monkeypatch):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 700)
    X = random.normal(size=(700, 8)) + y[:, None] * np.linspace(0, 1.2, 8)
    expected = WeightElimination().run(bind(KernelScatter(), X, y), 3)
    monkeypatch.setattr(scatter_objective, "_SAMPLED_ROWS", 150)
    objective = bind(KernelScatter(), X, y)
    assert objective.on_sample() is not None
    found = WeightElimination().run(objective, 3)
    assert found.path.order == expected.path.order
    assert_allclose(found.value, expected.value, rtol=1e-6)
    assert_allclose(found.column_scores, expected.column_scores, rtol=1e-2, atol=1e-3)


def test_threads_change_no_bit_and_row_order_neither():
    random = np.random.default_rng(1)
    y = random.integers(0, 3, 600)
    X = random.normal(size=(600, 12)) + y[:, None] * np.linspace(0, 1, 12)
    fitted = []
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads):
            fitted.append(KernelSeparability("elimination", n_features=4).fit(X, y))
    order = random.permutation(600)
    fitted.append(KernelSeparability("elimination", n_features=4).fit(X[order], y[order]))
    for other in fitted[1:]:
        assert_array_equal(other.weights_, fitted[0].weights_)
        assert_array_equal(other.objective_, fitted[0].objective_)
        assert other.selection_.path.order == fitted[0].selection_.path.order


def test_sizes_are_chosen_along_the_path():
    random = np.random.default_rng(3)
    y = np.arange(90) % 2
    X = random.normal(size=(90, 6))
    X[:, 4] += 2.5 * y
    chosen = KernelSeparability("elimination", n_features="auto", max_features=4, cv=3).fit(X, y)
    assert set(chosen.size_curve_) == {1, 2, 3, 4}
    assert 4 in chosen.selection_.indices
    tuned = KernelSeparability("elimination", regularization="auto", n_features=1, cv=3, step=2).fit(X, y)
    assert tuned.selection_.indices == (4,)
    assert tuned.regularization_ in (0.0, 0.1, 0.25, 0.5, 0.75, 0.99)
