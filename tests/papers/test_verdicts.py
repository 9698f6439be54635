"""Verdicts of hand-made measurements: each line of the table in verdicts.py."""

from __future__ import annotations

import pytest

from fewest.errors import InvalidInput
from fewest.papers.claims import Above, Beyond, NotBelow, paired_difference
from fewest.papers.numbers import Measured, Measurement, Number, numbers_of, wilson
from fewest.papers.verdicts import DOES_NOT, IN_PART, REPRODUCES, UNDECIDED, agreement, verdict_of


def measured(**values):
    cells = {(name,): Measurement.of_resamples(list(own), shared=0.0) for name, own in values.items()}
    return Measured(cells, "hand-made")


def test_ours_within_the_spread_of_the_paper_agrees():
    # Mean 90, interval 90 ± 12.7: the spread alone decides.
    ours = Measurement.of_resamples([89.0, 91.0], shared=0.0)
    assert agreement(Number(92.0, spread=2.0), ours) == "yes"
    assert agreement(Number(92.1, spread=2.0), ours) == "open"


def test_the_papers_number_within_our_interval_agrees():
    # t(3, .975) = 3.182, sd 1.155, so 10 ± 1.84.
    ours = Measurement.of_resamples([9.0, 11.0, 9.0, 11.0], shared=0.0)
    assert ours.high == pytest.approx(10 + 3.182446 * 1.154701 / 2, rel=1e-6)
    assert agreement(Number(11.8), ours) == "yes"
    assert agreement(Number(12.0), ours) == "no"


def test_an_interval_that_agrees_with_anything_is_open():
    ours = Measurement.of_resamples([0.0, 100.0], shared=0.0)
    assert agreement(Number(70.0), ours) == "open"


def test_resamples_that_share_rows_have_a_wider_interval():
    alone, shared = (Measurement.of_resamples([9.0, 11.0, 10.0], shared) for shared in (0.0, 1.0))
    assert shared.high - 10 == pytest.approx(2 * (alone.high - 10))  # √(1/3 + 1) is twice √(1/3)


def test_shares_of_groups_are_compared_with_both_intervals():
    # 15 of 30 against 27 of 30: Wilson's intervals are 33–67 and 74–97.
    ours = Measurement.of_shares([True] * 15 + [False] * 15)
    assert agreement(Number(90.0, n_groups=30), ours) == "no"
    assert agreement(Number(200 / 3, n_groups=30), ours) == "yes"
    # All of 30 is no more than all of 30: the interval goes down to 89.
    everything = Measurement.of_shares([True] * 30)
    assert agreement(Number(93.3, n_groups=30), everything) == "yes"
    assert agreement(Number(70.0, n_groups=30), everything) == "no"


def test_shares_of_few_groups_are_open():
    assert agreement(Number(60.0, n_groups=30), Measurement.of_shares([True, True, False])) == "open"


def test_a_number_of_one_split_is_compared_with_single_splits():
    ours = Measurement.of_resamples([float(value) for value in range(101)], shared=0.0)
    assert agreement(Number(3.0, is_single=True), ours) == "yes"
    assert agreement(Number(2.0, is_single=True), ours) == "no"
    assert agreement(Number(2.0, is_single=True), Measurement.of_resamples([3.0, 4.0], shared=0.0)) == "open"


def test_wilson_of_half():
    low, high = wilson(0.5, 30)
    assert (low, high) == (pytest.approx(0.3315, abs=1e-4), pytest.approx(0.6685, abs=1e-4))


def test_a_printed_digit_is_known_to_its_rounding():
    ours = Measurement.of_resamples([10.04, 10.04, 10.04], shared=0.0)
    assert agreement(Number(10.0, decimals=1), ours) == "yes"
    assert agreement(Number(10.0, decimals=2), ours) == "no"
    assert agreement(Number(10.0), ours) == "no"


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ([10.0, 11.0, 12.0], [1.0, 2.0, 3.5], "holds"),
        ([1.0, 2.0, 3.5], [10.0, 11.0, 12.0], "fails"),
        ([1.0, 9.0, 2.0], [2.0, 1.0, 9.0], "open"),
        ([5.0] * 5, [5.0] * 5, "fails"),  # equal: neither is above
        ([9.0] * 4, [5.0] * 4, "open"),  # too few that differ alike
    ],
)
def test_orderings_are_tested_as_orderings(first, second, outcome):
    assert Above(("a",), ("b",)).test(measured(a=first, b=second)).outcome == outcome


def test_differences_are_paired():
    # 10 apart in each of the pairs, which vary by 100.
    pairs = ([110.0, 10.0, 60.0, 20.0, 70.0], [100.0, 0.0, 50.0, 10.0, 60.0])
    a, b = (Measurement.of_resamples(values, 0.0) for values in pairs)
    assert paired_difference(a, b) == (10.0, 10.0, 10.0)
    # Of different numbers of resamples: not paired, so wide.
    _, low, high = paired_difference(a, Measurement.of_resamples([0.0, 100.0], 0.0))
    assert high - low > 50


def test_not_below_allows_a_margin():
    found = measured(a=[10.0, 10.0, 10.2], b=[11.0, 11.0, 11.0])
    assert NotBelow(("a",), ("b",), 2.0).test(found).outcome == "holds"
    assert NotBelow(("a",), ("b",), 0.1).test(found).outcome == "fails"
    assert NotBelow(("a",), ("a",)).test(measured(a=[1.0] * 5)).outcome == "holds"


def test_beyond_needs_the_whole_interval():
    found = Measured({("a",): Measurement((60.0,), 55.0, 65.0)}, "")
    outcomes = [Beyond(("a",), value).test(found).outcome for value in (50.0, 60.0, 70.0)]
    assert outcomes == ["holds", "open", "fails"]
    assert Beyond(("a",), 70.0, is_below=True).test(found).outcome == "holds"


ABOVE = Above(("a",), ("b",))
FOUND = measured(a=[10.0, 11.0, 12.0], b=[1.0, 2.0, 3.5])
GOOD, BAD = Number(11.0, spread=1.0), Number(50.0, spread=1.0)


@pytest.mark.parametrize(
    ("number", "claims", "word"),
    [
        (GOOD, [ABOVE], REPRODUCES),
        (GOOD, [], REPRODUCES),
        (None, [ABOVE], REPRODUCES),
        (BAD, [ABOVE], IN_PART),
        (GOOD, [Above(("b",), ("a",))], IN_PART),
        (None, [ABOVE, Above(("b",), ("a",))], IN_PART),
        (BAD, [Above(("b",), ("a",))], DOES_NOT),
        (None, [Above(("b",), ("a",))], DOES_NOT),
        (BAD, [], DOES_NOT),
    ],
)
def test_the_verdict(number, claims, word):
    numbers = {} if number is None else {("a",): number}
    assert verdict_of(numbers, claims, FOUND).word == word


def test_a_quick_run_in_which_most_is_open_is_undecided():
    found = measured(a=[1.0, 9.0, 2.0], b=[2.0, 1.0, 9.0])
    assert verdict_of({}, [ABOVE], found).word == DOES_NOT
    assert verdict_of({}, [ABOVE], found, is_quick=True).word == UNDECIDED
    assert verdict_of({}, [ABOVE], measured(a=[1.0, 2.0, 1.0], b=[11.0, 12.5, 11.0]), is_quick=True).word == DOES_NOT


def test_one_of_ten_numbers_may_miss():
    found = measured(**{f"c{i}": [1.0, 1.0] for i in range(10)})
    numbers = {(f"c{i}",): Number(1.0) for i in range(10)}
    assert verdict_of({**numbers, ("c0",): Number(9.0)}, [], found).word == REPRODUCES
    assert verdict_of({**numbers, ("c0",): Number(9.0), ("c1",): Number(9.0)}, [], found).word == IN_PART


def test_a_claim_whose_control_fails_is_open():
    found = measured(a=[90.0, 91.0, 92.0], b=[50.0, 51.0, 50.0], shuffled=[88.0, 89.0, 90.0], fair=[50.0, 51.0, 49.0])
    below = {name: Beyond((name,), 60.0, is_below=True) for name in ("shuffled", "fair")}
    verdict = verdict_of({}, [ABOVE], found, {("a",): below["shuffled"]})
    assert verdict.word == DOES_NOT
    assert verdict.findings[0].outcome == "open"
    assert "control" in verdict.reason
    assert verdict_of({}, [ABOVE], found, {("a",): below["fair"]}).word == REPRODUCES


def test_what_was_not_measured_is_not_counted():
    verdict = verdict_of({("a",): GOOD, ("z",): GOOD}, [ABOVE, Above(("z",), ("a",))], FOUND)
    assert verdict.word == REPRODUCES
    assert verdict.reason == "1 of 1 number agrees; 1 of 1 claim holds."


def test_nothing_to_compare_is_an_error():
    with pytest.raises(InvalidInput, match="nothing to compare"):
        verdict_of({("z",): GOOD}, [], FOUND)


def test_numbers_are_read_from_a_printed_table():
    found = numbers_of("| A | B\n1 | 93.9±1.9 | ~5\n2 | - | 4.67(0.25)", prefix=("toy",))
    assert found == {
        ("toy", "1", "A"): Number(93.9, 1.9, decimals=1),
        ("toy", "1", "B"): Number(5.0, is_read_off=True, decimals=0),
        ("toy", "2", "B"): Number(4.67, 5.0, decimals=2),  # a variance of 0.25 % is a standard deviation of 5 %
    }
    assert numbers_of("| A\nx | 15", n_groups=30, is_count=True) == {("x", "A"): Number(50.0, n_groups=30, decimals=1)}
    with pytest.raises(InvalidInput, match="2 numbers"):
        numbers_of("| A\nx | 1 | 2")
