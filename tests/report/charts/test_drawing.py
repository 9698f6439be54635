"""Paths are short, and still go where they should."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest.report.charts.drawing import line_path


def read(path):
    """The points of a path of relative steps, as a browser reads it."""
    start, _, steps = path.removeprefix("M").partition("l")
    numbers = [[float(each) for each in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", part)] for part in (start, steps)]
    assert len(numbers[0]) == 2
    return np.cumsum([numbers[0], *np.reshape(numbers[1], (-1, 2))], axis=0)


def test_a_path_worked_by_hand():
    assert line_path([(10, 5), (10.26, 4), (9.5, 4.04), (20, 14)]) == "M10 5l.3-1-.8 0 10.5 10"
    assert line_path([(0.4, 300), (7, 299), (8, 12)], parts=1) == "M0 300l7-1 1-287"


def test_points_on_the_way_are_left_out_unless_each_has_a_mark():
    level = [(0, 5), (1, 5), (2, 5.04), (3, 5), (3, 6), (3, 8), (3, 7)]
    assert line_path(level) == "M0 5l3 0 0 3 0-1"
    assert line_path(level, keeps_all=True) == "M0 5l1 0 1 0 1 0 0 1 0 2 0-1"
    assert line_path([(1, 1), (1, 1)]) == "M1 1"
    assert line_path([(1, 1), (1, 1)], keeps_all=True) == "M1 1l0 0"


@pytest.mark.parametrize("parts", [1, 10])
def test_rounding_does_not_add_up(parts):
    random = np.random.default_rng(0)
    points = np.cumsum(random.normal(0, 3, (400, 2)), axis=0)
    found = read(line_path(points.tolist(), parts, keeps_all=True))
    assert_allclose(found, points, atol=0.5 / parts + 1e-9)
