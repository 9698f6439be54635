"""Densities, shares of categories, the best pair and redundancy, from rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fewest.evaluation.design.labelled_tables import to_tables
from fewest.evaluation.summary.pictures import pictures_of


def table_of(y, **columns):
    frame = pd.DataFrame(columns)
    return to_tables({"t": (frame, np.asarray(y))}, None)[0]


def pictures(y, **columns):
    return pictures_of(table_of(y, **columns), range(len(columns)), seed=0)


random = np.random.default_rng(0)
CODES = np.arange(120) % 2


def test_a_density_runs_from_the_least_to_the_largest_value_and_has_the_area_one_in_every_class():
    values = random.exponential(size=120) + CODES - 1
    (found,) = pictures(CODES, x=values).densities
    assert found.grid[0] == pytest.approx(values.min(), rel=1e-3)
    assert found.grid[-1] == pytest.approx(values.max(), rel=1e-3)
    for part, code in zip(found.classes, (0, 1), strict=True):
        assert np.trapezoid(part.density, found.grid) == pytest.approx(1.0, abs=0.02)
        assert part.mean == pytest.approx(values[code == CODES].mean(), rel=1e-3)


def test_an_outlier_does_not_press_the_density_into_a_corner():
    values = random.normal(size=600)
    values[0] = 1e6
    (found,) = pictures(np.arange(600) % 2, x=values).densities
    assert found.is_cut
    assert found.grid[-1] < 10


def test_skewed_positive_numbers_are_drawn_by_their_logarithm():
    values = np.exp(random.normal(size=120) * 1.5 + 0.5 * CODES)
    (found,) = pictures(CODES, x=values).densities
    assert found.is_logarithmic
    assert np.diff(np.log(found.grid)) == pytest.approx([np.ptp(np.log(values)) / 63] * 63, rel=0.05)
    for part in found.classes:
        assert np.trapezoid(part.density, np.log(found.grid)) == pytest.approx(1.0, abs=0.02)
    (found,) = pictures(CODES, x=values - 1).densities
    assert not found.is_logarithmic


def test_missing_values_are_counted_and_left_out_of_densities():
    values = random.normal(size=120)
    values[:30] = np.nan
    (found,) = pictures(CODES, x=values).densities
    assert found.missing == 0.25
    assert all(np.isfinite(part.density).all() for part in found.classes)


def test_text_is_shown_as_the_share_of_each_category_in_each_class():
    text = np.where(CODES == 1, "high", np.where(np.arange(120) % 4 == 0, "low", "high"))
    found = pictures(CODES, x=text)
    assert found.densities == []
    (shares,) = found.shares
    assert list(shares.categories) == ["high", "low"]
    assert [list(part.shares) for part in shares.classes] == [[0.5, 0.5], [1.0, 0.0]]


def test_rare_categories_are_shown_together_and_missing_ones_by_themselves():
    text = np.array([f"c{min(i % 20, 12)}" for i in range(120)], dtype=object)
    text[:12] = None
    (shares,) = pictures(CODES, x=text).shares
    assert shares.categories[0] == "c12"
    assert shares.categories[-2:] == ["7 others", "missing"]
    assert len(shares.categories) == 8
    for part in shares.classes:
        assert sum(part.shares) == pytest.approx(1.0, abs=1e-3)


def test_numbers_of_few_values_are_bars_in_the_order_of_the_values():
    (shares,) = pictures(CODES, x=np.arange(120) // 2 % 3).shares
    assert list(shares.categories) == ["0", "1", "2"]
    assert shares.classes[0].shares == pytest.approx([1 / 3] * 3, abs=1e-3)


def test_the_pair_is_the_one_with_the_least_error_of_the_nearest_neighbour():
    # The class is the exclusive or of the signs of b and d: alone neither of them says anything.
    b, d = random.uniform(-1, 1, size=(2, 240))
    found = pictures((b > 0) ^ (d > 0), a=random.normal(size=240), b=b, c=random.normal(size=240), d=d).pair
    assert (found.x, found.y, found.n_features) == ("b", "d", 4)
    distances = np.square(b[:, None] - b) / b.var() + np.square(d[:, None] - d) / d.var() + 1e9 * np.eye(240)
    y = (b > 0) ^ (d > 0)
    assert found.error == pytest.approx((y[distances.argmin(axis=1)] != y).mean())


def test_of_many_rows_large_classes_are_drawn_alike_and_a_small_one_whole():
    codes = np.repeat([0, 1, 2], [3000, 50, 2000])
    found = pictures(codes, a=random.normal(size=len(codes)), b=random.normal(size=len(codes))).pair
    assert np.bincount([code for _, _, code in found.points]).tolist() == [275, 50, 275]


def test_redundancy_of_categories_sees_copies_and_independence():
    colour = np.array(["red", "green", "blue"])[np.arange(120) % 3]
    size = np.where(colour == "red", 3.0, np.where(colour == "green", -1.0, 5.0)) + 0.01 * random.normal(size=120)
    other = np.array(["a", "b"])[random.integers(0, 2, 120)]
    found = pictures(CODES, colour=colour, copy=np.char.upper(colour), size=size, other=other).redundancy
    matrix = dict(zip(found.features, found.matrix, strict=True))
    assert found.measure == "association"
    assert matrix["colour"][1] == pytest.approx(1.0, abs=1e-6)
    assert matrix["colour"][2] > 0.99
    assert matrix["colour"][3] < 0.2
    assert matrix["size"][3] < 0.2


def test_redundancy_of_numbers_is_the_absolute_correlation():
    a, b = random.normal(size=(2, 120))
    found = pictures(CODES, a=a, b=a - b, c=-b).redundancy
    assert found.measure == "|correlation|"
    assert np.array(found.matrix) == pytest.approx(np.abs(np.corrcoef([a, a - b, -b])), abs=1e-3)
