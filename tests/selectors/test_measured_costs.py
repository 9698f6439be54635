"""What every method was measured to cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.selectors.measured_costs import MeasuredCost, fitted_exponent, measured_costs, written_seconds
from fewest.selectors.registry import methods_by_name

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


def test_every_method_is_measured():
    assert list(measured_costs()) == list(methods_by_name())


@pytest.mark.parametrize(("name", "cost"), measured_costs().items())
def test_every_measurement_has_enough_points_and_stands_on_the_page(name, cost):
    for points in (cost.rows, cost.columns, cost.classes):
        sizes, seconds = zip(*points, strict=True)
        assert len(sizes) >= 3
        assert list(sizes) == sorted(set(sizes))
        assert min(seconds) > 0
    powers = (f"{fitted_exponent(points):.2f}" for points in (cost.rows, cost.columns, cost.classes))
    (line,) = (line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| [`{name}`]"))
    assert f"| {written_seconds(cost.seconds)} | {' | '.join(powers)} | {cost.memory:.1f} ×" in line


def test_exponents_are_slopes_of_logarithms_at_the_largest_sizes():
    assert fitted_exponent([(1, 5.0), (10, 2.0), (20, 8.0), (40, 32.0)]) == pytest.approx(2.0)
    # By hand: times 1, 2, 2 at sizes 1, 2, 4 have slopes 1 and 0, of which least squares makes a half.
    assert fitted_exponent([(1, 1.0), (2, 2.0), (4, 2.0)]) == pytest.approx(0.5)


def test_a_cost_is_written_with_its_exponents_and_without_those_that_are_none():
    linear, flat = [(1, 1.0), (2, 2.0), (4, 4.0)], [(2, 1.0), (4, 1.0), (8, 1.0)]
    assert str(MeasuredCost(0.00423, linear, linear, flat, 0.25)) == (
        "4.2 ms for 1,000 × 100, growing as rows^1.0 × columns^1.0; memory 0.2 × a table of 100,000 × 100 besides it"
    )
    assert str(MeasuredCost(12.3, linear, flat, flat, 0.9, 500)).endswith("besides it, with sample=500")


def test_a_forecast_goes_on_as_the_largest_sizes_grow():
    square = [(1000, 1.0), (2000, 4.0), (4000, 16.0)]
    assert MeasuredCost(1.0, square, square, square, 0.5).forecast(8000, 100) == pytest.approx(64.0 * 100 / 50)


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.00051, "0.51 ms"), (0.0423, "42 ms"), (0.512, "512 ms"), (2.34, "2.3 s"), (123.4, "123 s")],
)
def test_durations_have_two_digits_or_three(seconds, written):
    assert written_seconds(seconds) == written
