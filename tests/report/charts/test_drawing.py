"""Paths are short, and still go where they should."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest.report.charts.drawing import RowNames, line_path, text_width


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


@pytest.mark.parametrize(
    ("name", "width"),
    # In units of the letters, by the metrics of DejaVu Sans, a wide font.
    [("ENSG00001322", 7.93), ("H00001", 3.93), ("MAOA", 3.02), ("cg0000100", 5.63), ("1234567890123", 8.27)],
)
def test_names_of_capitals_and_digits_have_room_in_a_wide_font(name, width):
    assert 13 * width <= text_width(name) <= 13 * 1.15 * width
    assert RowNames.at([name], 760).left - 8 >= 13 * width
