"""The top of many curves is found between the points of a ladder."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from fewest.methods.kernels.width_search import LAST_PLACE, best_places, width_at


def search(curve, n):
    """best_places for the curves of numbers 0 ... n - 1, and how often they were asked."""
    asked = []

    def evaluate(places, which):
        asked.append(len(which))
        return curve(places, which)

    everything = np.arange(n)
    rungs = [curve(np.full(n, float(rung)), everything) for rung in range(LAST_PLACE + 1)]
    return (*best_places(np.column_stack(rungs), evaluate), asked)


def test_tops_anywhere_also_at_and_beyond_the_ends():
    random = np.random.default_rng(0)
    top, width, wave = random.uniform(-3, 43, 300), random.uniform(0.5, 10, 300), random.uniform(-0.3, 0.3, 300)

    def curve(places, which):
        hill = np.exp(-np.square((places - top[which]) / width[which]))
        return hill * (1 + wave[which] * np.sin(places / 3)) + 0.01 * places

    places, values, asked = search(curve, 300)
    fine = np.linspace(0, LAST_PLACE, 20001)
    for i in range(300):
        assert values[i] >= curve(fine, np.full(len(fine), i)).max() * (1 - 1e-9)
    assert_allclose(values, curve(places, np.arange(300)), rtol=1e-12)
    assert ((places >= 0) & (places <= LAST_PLACE)).all()
    assert sum(asked) < 12 * 300


def test_a_curve_that_is_flat_is_not_searched_and_its_first_place_is_taken():
    places, values, asked = search(lambda places, which: np.ones(len(places)), 3)
    assert_array_equal(places, [0, 0, 0])
    assert_array_equal(values, [1, 1, 1])
    assert asked == []


def test_what_one_curve_finds_does_not_depend_on_the_others():
    random = np.random.default_rng(1)
    top = random.uniform(0, 40, 20)

    def curve(places, which):
        return -np.square(places - top[which]) + np.cos(places)

    together = search(curve, 20)[1]
    for i in range(20):
        alone = search(lambda places, which, i=i: curve(places, np.full(len(places), i)), 1)[1]
        assert_array_equal(alone[0], together[i])


def test_widths_go_by_the_mean_distance():
    assert_allclose(width_at(np.array([0.0, 20.0, 40.0, 3.0]), np.array([2.0, 2.0, 2.0, 0.0])), [2**-11, 0.5, 512, 0])
