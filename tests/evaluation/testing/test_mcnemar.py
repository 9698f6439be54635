"""McNemar's test and its tally over resamples."""

import numpy as np
import pytest
from scipy import stats

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.testing.paired_tests import mcnemar, tally_mcnemar


def wrong(both, only_first, only_second, neither):
    counts = [both, only_first, only_second, neither]
    return np.repeat([True, True, False, False], counts), np.repeat([True, False, True, False], counts)


def test_the_two_culture_media_of_armitage_and_berry():
    """20, 12, 2 and 16 of 50 sputum specimens; published: exact P = 0.0129."""
    found = mcnemar(*wrong(16, 2, 12, 20))
    assert (found.only_first, found.only_second, found.n_rows, found.statistic) == (2, 12, 50, 2)
    assert found.is_exact
    assert found.p_value == pytest.approx(0.0129, abs=5e-5)
    assert found.effect == pytest.approx(-0.2)


def test_an_example_by_hand():
    """One against seven: 2 (1 + 8) / 256."""
    assert mcnemar(*wrong(0, 1, 7, 2)).p_value == pytest.approx(18 / 256, rel=1e-14)


@pytest.mark.parametrize(("b", "c"), [(0, 1), (0, 24), (3, 9), (12, 12), (11, 13)])
def test_few_rows_are_tested_by_the_binomial_distribution(b, c):
    found = mcnemar(*wrong(5, b, c, 30))
    assert found.is_exact
    assert found.p_value == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-12)


@pytest.mark.parametrize(("b", "c"), [(0, 25), (10, 15), (121, 59), (400, 300)])
def test_many_rows_are_tested_by_chi_square_with_the_continuity_correction(b, c):
    found = mcnemar(*wrong(5, b, c, 30))
    assert not found.is_exact
    assert found.statistic == pytest.approx((abs(b - c) - 1) ** 2 / (b + c), rel=1e-15)
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 1), rel=1e-12)


@pytest.mark.parametrize("count", [0, 5, 40])
def test_as_many_errors_of_both_are_no_difference(count):
    found = mcnemar(*wrong(3, count, count, 1))
    assert found.p_value == 1
    assert found.effect == 0


def test_the_order_of_methods_changes_only_the_sign():
    first, second = wrong(2, 3, 17, 40)
    there, back = mcnemar(first, second), mcnemar(second, first)
    assert there.p_value == back.p_value
    assert there.effect == -back.effect


def test_resamples_are_tallied():
    pairs = [wrong(1, 0, 12, 9), wrong(1, 12, 0, 9), wrong(5, 3, 4, 80), wrong(0, 1, 30, 5), wrong(4, 0, 0, 0)]
    tally = tally_mcnemar([a for a, _ in pairs], [b for _, b in pairs])
    assert (tally.better, tally.worse, tally.no_difference) == (2, 1, 2)
    strict = tally_mcnemar([a for a, _ in pairs], [b for _, b in pairs], level=1e-6)
    assert (strict.better, strict.worse, strict.no_difference) == (1, 0, 4)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([], [], "first_wrong is empty"),
        ([True], [True, False], "first_wrong has 1, second_wrong has 2"),
        ([0.0, np.nan], [0.0, 1.0], "first_wrong must be boolean"),
        ([0, 2], [0, 1], "first_wrong must be boolean"),
        ([[True]], [[True]], "1 dimension"),
        (["yes"], ["no"], "array of numbers"),
    ],
)
def test_what_is_not_rows_right_and_wrong_is_refused(first, second, message):
    with pytest.raises(InvalidInput, match=message):
        mcnemar(first, second)


def test_no_resamples_and_no_level_are_refused():
    with pytest.raises(InvalidInput, match="no resamples"):
        tally_mcnemar([], [])
    with pytest.raises(InvalidInput, match="first_wrong has 1, second_wrong has 0"):
        tally_mcnemar([[True]], [])
    with pytest.raises(InvalidParameter, match="level must lie strictly between 0 and 1, got 5"):
        tally_mcnemar([[True]], [[True]], level=5)
