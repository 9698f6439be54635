"""Numbers are written with few digits, and never as zero when they are not."""

from __future__ import annotations

import math

import pytest

from fewest.display import formatting


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.11, "11 %"),
        (0.114, "11 %"),
        (0.0616, "6.2 %"),
        (0.06, "6.0 %"),
        (0.0996, "10 %"),
        (0.0084, "0.84 %"),
        (0.00996, "1.0 %"),
        (1e-16, "0 %"),
        (0.00001, "< 0.01 %"),
        (0.0, "0 %"),
        (1, "100 %"),
        (0.9998, "99.9 %"),
        (0.994, "99 %"),
        (-0.021, "−2.1 %"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_percentages_have_two_significant_digits(share, expected):
    assert (formatting.percent(share)) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.06, 0.18, "6–18 %"),
        (0.004, 0.18, "0–18 %"),
        (0.061, 0.0775, "6.1–7.8 %"),
        (0.0081, 0.0092, "0.81–0.92 %"),
        (0.2, 0.2, "20 %"),
        (0.0, 0.001, "0–0.10 %"),
        (0.2, 0.20001, "20 %"),
        (0.201, 0.204, "20.1–20.4 %"),
        (0.0021, 0.078, "0.2–7.8 %"),
        (-0.05, 0.01, "−5.0 to 1.0 %"),
        (-0.001, 0.1, "0 to 10 %"),
        (None, 0.1, "–"),
    ],
)
def test_both_ends_of_an_interval_have_the_decimals_that_the_larger_has_by_itself(low, high, expected):
    assert (formatting.interval(low, high)) == expected


def test_numbers_of_one_column_have_the_same_decimals():
    assert formatting.numbers([0.0616, 0.03, None, -0.00001]) == ["0.0616", "0.0300", "–", "0"]
    assert formatting.numbers([1234.5, 3.21]) == ["1,234", "3"]
    assert formatting.numbers([2e-7, 1e-7]) == ["2 × 10⁻⁷", "1 × 10⁻⁷"]


def test_frequencies_have_no_zeros_at_their_end():
    assert [formatting.frequency(share) for share in (0.05, 1, 0.333, 0.004, None)] == [
        "5 %",
        "100 %",
        "33 %",
        "0.4 %",
        "–",
    ]


def test_an_error_is_followed_by_its_interval_where_there_is_one():
    assert (formatting.with_interval(0.11, 0.06, 0.18)) == "11 % (6–18 %)"
    assert (formatting.with_interval(0.11, None, 0.18)) == "11 %"


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.03, "p = .03"),
        (0.2, "p = .20"),
        (0.0042, "p = .004"),
        (0.0099, "p = .01"),
        (0.001, "p = .001"),
        (0.00099, "p < .001"),
        (0.0, "p < .001"),
        (0.997, "p > .99"),
        (1.0, "p = 1"),
        (None, "–"),
    ],
)
def test_p_values_are_written_without_the_zero(p, expected):
    assert formatting.p_value(p) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.42, "0.42"),
        (0.41234, "0.412"),
        (1234.5, "1,234"),
        (12.345, "12.3"),
        (0.0012, "0.0012"),
        (0.00000012, "1.2 × 10⁻⁷"),
        (-3e9, "−3 × 10⁹"),
        (0, "0"),
        (None, "–"),
    ],
)
def test_other_numbers_have_three_significant_digits(value, expected):
    assert formatting.number(value) == expected


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        (0.00001, "< 0.1 ms"),
        (0.0004, "0.4 ms"),
        (0.12, "0.12 s"),
        (31.4, "31 s"),
        (59.7, "1 min 0 s"),
        (93.1, "1 min 33 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_have_the_unit_that_fits(duration, expected):
    assert (formatting.seconds(duration)) == expected


def test_counts_have_their_thousands_apart_and_know_one_from_many():
    assert formatting.count(2000) == "2,000"
    assert formatting.count(9.5) == "9.5"
    assert formatting.counted(1, "feature") == "1 feature"
    assert formatting.counted(2000, "class", "classes") == "2,000 classes"


@pytest.mark.parametrize(
    ("difference", "expected"), [(-0.021, "−2.1"), (0.003, "+0.3"), (0.0, "0"), (0.06, "+6"), (None, "–")]
)
def test_differences_are_points_with_their_sign(difference, expected):
    assert formatting.points(difference) == expected


@pytest.mark.parametrize("exponent", range(-14, 1))
def test_nothing_but_zero_is_written_as_zero(exponent):
    value = 3.7 * 10.0**exponent
    for written in (formatting.percent, formatting.number, formatting.seconds, formatting.points):
        words = written(value)
        assert any(digit in words for digit in "123456789"), words


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.0, "p < .001"),
        (0.0004, "p < .001"),
        (0.0042, "p = .004"),
        (0.031, "p = .03"),
        (0.0496, "p = .0496"),
        (0.05, "p = .05"),
        (0.0504, "p = .05"),
        (0.35, "p = .35"),
        (0.998, "p > .99"),
        (1.0, "p = 1"),
    ],
)
def test_p_values_are_rounded_on_their_side_of_the_level(p, expected):
    assert formatting.p_value(p) == expected


def test_points_have_the_digits_of_their_uncertainty():
    assert formatting.precise_points(0.0213) == "2.1"
    assert formatting.precise_points(0.213) == "21"
    assert formatting.precise_points(0.00213) == "0.21"
    assert formatting.precise_points(0.0213, 0.12) == "2"
    assert formatting.precise_points(0.0213, 0.0004) == "2.130"
    assert formatting.precise_points(0.0) == "0.0"
