"""The maximum of many curves is found between the points of a grid."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from fewest.methods.kernels.width_search import LAST_STEP, best_positions, eta_at


def search(curve, n):
    """best_positions for the curves of numbers 0 ... n - 1, and how often they were asked."""
    asked = []

    def evaluate(positions, which):
        asked.append(len(which))
        return curve(positions, which)

    everything = np.arange(n)
    grid = [curve(np.full(n, float(step)), everything) for step in range(LAST_STEP + 1)]
    return (*best_positions(np.column_stack(grid), evaluate), asked)


def test_tops_anywhere_also_at_and_beyond_the_ends():
    random = np.random.default_rng(0)
    top, width, wave = random.uniform(-3, 43, 300), random.uniform(0.5, 10, 300), random.uniform(-0.3, 0.3, 300)

    def curve(positions, which):
        hill = np.exp(-np.square((positions - top[which]) / width[which]))
        return hill * (1 + wave[which] * np.sin(positions / 3)) + 0.01 * positions

    positions, values, asked = search(curve, 300)
    fine = np.linspace(0, LAST_STEP, 20001)
    for i in range(300):
        assert values[i] >= curve(fine, np.full(len(fine), i)).max() * (1 - 1e-9)
    assert_allclose(values, curve(positions, np.arange(300)), rtol=1e-12)
    assert ((positions >= 0) & (positions <= LAST_STEP)).all()
    assert sum(asked) < 12 * 300


def test_a_curve_that_is_flat_is_not_searched_and_its_first_position_is_taken():
    positions, values, asked = search(lambda positions, which: np.ones(len(positions)), 3)
    assert_array_equal(positions, [0, 0, 0])
    assert_array_equal(values, [1, 1, 1])
    assert asked == []


def test_what_one_curve_finds_does_not_depend_on_the_others():
    random = np.random.default_rng(1)
    top = random.uniform(0, 40, 20)

    def curve(positions, which):
        return -np.square(positions - top[which]) + np.cos(positions)

    together = search(curve, 20)[1]
    for i in range(20):
        alone = search(lambda positions, which, i=i: curve(positions, np.full(len(positions), i)), 1)[1]
        assert_array_equal(alone[0], together[i])


def test_widths_go_by_the_mean_distance():
    assert_allclose(eta_at(np.array([0.0, 20.0, 40.0, 3.0]), np.array([2.0, 2.0, 2.0, 0.0])), [2**-11, 0.5, 512, 0])
