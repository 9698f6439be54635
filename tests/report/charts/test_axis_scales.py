"""Ticks are few and round, labels do not lie upon each other, many columns become few marks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fewest.report.charts.axis_scales import Scale, round_values, spread_apart
from fewest.report.charts.feature_charts import binned


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 0.37, 6, [0, 0.1, 0.2, 0.3]),
        (-1.7, 3.2, 6, [-1, 0, 1, 2, 3]),
        (5, 5, 6, [5]),
    ],
)
def test_ticks_are_round(low, high, most, expected):
    assert round_values(low, high, most) == pytest.approx(expected)


def test_a_logarithmic_scale_has_even_steps_between_powers():
    scale = Scale(1, 100, 0, 200, is_logarithmic=True)
    assert [scale(value) for value in (1, 10, 100)] == pytest.approx([0, 100, 200])
    assert scale.ticks(9) == pytest.approx([1, 2, 5, 10, 20, 50, 100])
    assert scale.ticks(3) == pytest.approx([1, 10, 100])


def test_a_scale_of_one_value_puts_it_in_the_middle():
    assert Scale(3, 3, 0, 100)(3) == 50


def test_labels_are_moved_apart_and_stay_within_the_picture():
    moved = spread_apart([50, 51, 10, 99], 16, 0, 100)
    in_order = sorted(moved)
    assert all(after - before >= 16 - 1e-9 for before, after in pairwise(in_order))
    assert 0 <= in_order[0] <= in_order[-1] <= 100
    # The order is kept, and what is free stays where it is.
    assert moved[2] == 10
    assert moved[2] < moved[0] < moved[1] < moved[3]


def test_columns_are_put_together_by_their_highest():
    assert binned([1, 5, None, 2, None, None, 7], 3) == [(0, 2, 5), (2, 4, 2), (4, 7, 7)]
    assert binned([1.0, None], 10) == [(0, 1, 1.0)]
    assert len(binned(list(range(5000)), 500)) == 500
