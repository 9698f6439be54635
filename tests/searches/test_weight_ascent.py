"""Weights are found uphill; ties go by the gradient, then to the lowest column."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import Selection, WeightAscent
from fewest.errors import InvalidParameter


class Hill:
    """-|w - top|^2: with weights that are not negative, the top's positive part is best."""

    is_additive = False

    def __init__(self, top, start=None):
        self.top = np.asarray(top, dtype=np.float64)
        self.start = np.ones(len(self.top)) if start is None else np.asarray(start)
        self.n_columns = len(self.top)

    def start_weights(self):
        return self.start

    def score_weights(self, weights):
        return -np.square(weights - self.top).sum(), -2 * (weights - self.top)


def test_it_finds_the_best_weights_that_are_not_negative():
    found = WeightAscent().run(Hill([2.0, -1.0, 0.5, 3.0]), 2)
    assert found.indices == (3, 0)
    assert_allclose(found.column_scores, [2.0, 0.0, 0.5, 3.0], atol=1e-6)
    assert_allclose(found.value, -1.0)
    assert found.scores == tuple(found.column_scores[[3, 0]])


def test_weights_of_zero_are_ranked_by_what_it_would_cost_to_raise_them_then_by_column():
    found = WeightAscent().run(Hill([-3.0, -1.0, 2.0, -1.0, -2.0]), 5)
    assert found.indices == (2, 1, 3, 4, 0)


def test_a_column_on_which_nothing_depends_comes_after_those_that_would_cost_and_one_without_a_value_last():
    class WithIdle(Hill):
        def score_weights(self, weights):
            value, gradient = super().score_weights(weights)
            return value + np.square(weights[0] - self.top[0]), np.where(np.arange(3) == 0, 0.0, gradient)

    found = WeightAscent().run(WithIdle([0.0, -4.0, 1.0], start=[0.0, 1.0, 1.0]), 3)
    assert found.indices == (2, 1, 0)
    found = WeightAscent().run(Hill([5.0, -4.0, 1.0], start=[np.nan, 1.0, 1.0]), 3)
    assert found.indices == (2, 1, 0)
    assert np.isnan(found.column_scores[0])


def test_in_logarithms_no_weight_becomes_zero_and_one_that_begins_there_stays():
    found = WeightAscent(logarithmic=True, tolerance=1e-14).run(Hill([2.0, 0.3, -1.0], start=[1.0, 1.0, 0.0]), 3)
    assert_allclose(found.column_scores, [2.0, 0.3, 0.0], atol=1e-5)


def test_in_logarithms_a_hill_without_a_top_leaves_numbers():
    class NoTop(Hill):
        def score_weights(self, weights):
            return np.log1p(weights).sum(), 1 / (1 + weights)

    found = WeightAscent(logarithmic=True).run(NoTop([1.0, 1.0]), 2)
    assert np.isfinite(found.column_scores).all()
    assert np.isfinite(found.value)


def test_the_history_rises_from_the_start_to_the_value():
    hill = Hill(np.linspace(-1, 4, 9))
    found = WeightAscent().run(hill, 3)
    assert found.history[0] == hill.score_weights(hill.start)[0]
    assert list(found.history) == sorted(found.history)
    assert found.history[-1] == found.value
    assert len(found.history) > 1
    assert Selection.from_json(found.to_json()).history == found.history


def test_what_is_tuned_with_the_weights_is_not_ranked():
    class WithOneMore(Hill):
        def __init__(self):
            super().__init__([1.0, 2.0, 50.0])
            self.n_columns = 2

    found = WeightAscent().run(WithOneMore(), None)
    assert found.indices == (1, 0)
    assert_allclose(found.value, 0.0, atol=1e-9)


class Ridge(Hill):
    """-(w - top)' A (w - top), with a gradient in part; its sample has another top and another A."""

    def __init__(self, top, matrix, sample=None):
        super().__init__(top)
        self.matrix, self.sample, self.n_sums = matrix, sample, 0

    def score_weights(self, weights):
        self.n_sums += 1
        away = weights - self.top
        return float(-away @ self.matrix @ away), -2 * self.matrix @ away

    def score_weights_among(self, weights, among):
        value, gradient = self.score_weights(weights)
        return value, gradient[among]

    def on_sample(self):
        return self.sample

    def start_value(self):
        return Ridge.score_weights(self, self.start)[0]


def ridges(seed, n=90, difference=0.1):
    """The whole, without and with a sample: second derivatives of the sample differ by a share of them."""
    random = np.random.default_rng(seed)
    factor = random.normal(size=(n, n)) / np.sqrt(n)
    matrix = factor @ factor.T + np.diag(random.uniform(0.2, 5.0, n))
    top = np.where(np.arange(n) < 12, random.uniform(0.5, 3.0, n), -random.uniform(0.1, 1.0, n))
    noise = random.normal(size=(n, n)) / np.sqrt(n)
    of_sample = matrix + difference * (noise @ noise.T)
    sample = Ridge(top + 0.1 * random.normal(size=n), of_sample)
    return Ridge(top, matrix), Ridge(top, matrix, sample)


@pytest.mark.parametrize("seed", range(6))
def test_steps_on_a_sample_end_at_the_maximum_of_all_rows_with_fewer_sums_over_them(seed):
    plain, sampled = ridges(seed)
    expected, found = (WeightAscent(tolerance=1e-12).run(one, None) for one in (plain, sampled))
    assert_allclose(found.value, expected.value, rtol=1e-9)
    assert_allclose(found.column_scores, expected.column_scores, atol=1e-4)
    assert found.history[0] == expected.history[0]
    assert list(found.history) == sorted(found.history)
    assert sampled.n_sums < 0.7 * plain.n_sums


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_that_misleads_changes_nothing_in_the_end(seed):
    plain, sampled = ridges(seed, difference=0.0)
    sampled.sample.top = -sampled.sample.top
    sampled.sample.matrix = sampled.sample.matrix[::-1, ::-1].copy()
    expected, found = (WeightAscent(tolerance=1e-12).run(one, None) for one in (plain, sampled))
    assert_allclose(found.value, expected.value, rtol=1e-8)
    assert_allclose(found.column_scores, expected.column_scores, atol=1e-3)


def test_where_weights_vanish_roots_are_climbed_and_reach_zero():
    class Vanishing(Hill):
        def __init__(self, top, is_vanishing):
            super().__init__(top)
            self.n_columns, self.is_vanishing, self.n_sums = len(top) - 1, is_vanishing, 0

        def weights_vanish(self):
            return self.is_vanishing

        def score_weights(self, weights):
            self.n_sums += 1
            return super().score_weights(weights)

    top = [2.0, -1.0, 0.5, -3.0, 40.0]  # the last is tuned beside the weights
    by_roots, by_logarithms = Vanishing(top, True), Vanishing(top, False)
    roots, logarithms = (WeightAscent(logarithmic=True).run(one, None) for one in (by_roots, by_logarithms))
    assert_allclose(roots.column_scores, [2.0, 0.0, 0.5, 0.0], atol=1e-2)
    assert_allclose(roots.value, -10.0, rtol=1e-4)
    assert roots.value >= logarithms.value - 1e-6 * 10.0
    assert by_roots.n_sums < by_logarithms.n_sums
    assert roots.indices[:2] == logarithms.indices[:2] == (0, 2)


def test_at_the_top_already_it_stays_there():
    found = WeightAscent().run(Hill([1.0, 1.0]), 1)
    assert_array_equal(found.column_scores, [1.0, 1.0])
    assert found.history == (0.0,)


@pytest.mark.parametrize(("name", "value"), [("max_steps", 0), ("max_steps", True), ("tolerance", 1.5)])
def test_parameters_that_mean_nothing_are_refused(name, value):
    with pytest.raises(InvalidParameter, match=name):
        WeightAscent(**{name: value})
