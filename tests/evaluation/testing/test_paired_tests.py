"""The corrected t test, the methods not worse than the best, Holm's adjustment, Cohen's d and rho."""

from math import inf

import numpy as np
import pytest
from scipy import stats

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.testing.paired_tests import (
    cohens_d,
    corrected_t,
    holm,
    holm_adjusted,
    not_worse_than_best,
    rm_characteristic,
)

from ...reference import evaluation as reference


@pytest.fixture
def errors():
    random = np.random.default_rng(0)
    return random.uniform(0.1, 0.2, 10), random.uniform(0.15, 0.25, 10)


def test_an_example_by_hand():
    """d = (-.02, -.04, -.06): mean -.04, variance .0004, corrected by 1/3 + 1/2, so t = -.04 / sqrt(.001 / 3)."""
    found = corrected_t([0.10, 0.11, 0.12], [0.12, 0.15, 0.18], n_train=100, n_test=50)
    assert found.mean_difference == pytest.approx(-0.04)
    assert found.statistic == pytest.approx(-0.04 / np.sqrt(0.001 / 3))
    assert found.degrees_of_freedom == 2
    assert found.effect == pytest.approx(-2)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_formula(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 40))
    first, second = random.random(n), random.random(n)
    found = corrected_t(first, second, 90, 10)
    t = reference.corrected_t(list(first), list(second), 90, 10)
    assert found.statistic == pytest.approx(t, rel=1e-10)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-9)


def test_without_the_correction_it_is_the_paired_t_test(errors):
    found = corrected_t(*errors, n_train=1e12, n_test=1)
    plain = stats.ttest_rel(*errors)
    interval = plain.confidence_interval(0.95)
    assert found.p_value == pytest.approx(plain.pvalue, rel=1e-8)
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high), rel=1e-8)


def test_the_interval_ends_at_zero_where_p_is_its_level(errors):
    found = corrected_t(*errors, 90, 10)
    edge = corrected_t(*errors, 90, 10, confidence=1 - found.p_value)
    assert edge.upper == pytest.approx(0, abs=1e-12)


def test_the_order_of_resamples_changes_nothing(errors):
    turned = np.random.default_rng(1).permutation(10)
    assert corrected_t(*errors, 90, 10) == corrected_t(errors[0][turned], errors[1][turned], 90, 10)


def test_equal_errors_do_not_differ_even_if_rounding_does():
    found = corrected_t([0.1 + 0.2, 0.5, 0.7], [0.3, 0.5, 0.7], 90, 10)
    assert (found.p_value, found.statistic, found.mean_difference, found.effect) == (1, 0, 0, 0)
    assert found.sentence() == (
        "no significant difference between the first and the second (95 % interval 0.0 to 0.0, p = 1)"
    )


def test_a_constant_difference_has_no_variance_and_p_is_zero():
    found = corrected_t([0.3, 0.4, 0.5], [0.28, 0.38, 0.48], 90, 10)
    assert (found.p_value, found.statistic, found.effect) == (0, inf, inf)
    assert found.lower == found.upper == pytest.approx(0.02)
    assert found.sentence() == ("the second errs 2.0 points less than the first (95 % interval 2.0 to 2.0, p < .001)")


def test_the_sentence_gives_the_lead_of_the_better_one():
    """Mean -.022, variance 8.25e-5, so -.022 give or take 2.776 sqrt(.45 * 8.25e-5) = .0169."""
    first = [0.125, 0.115, 0.12, 0.13, 0.11]
    second = [0.15, 0.13, 0.15, 0.14, 0.14]
    words = "mrmr errs 2.2 points less than relieff (95 % interval 0.5 to 3.9, p = .02)"
    assert corrected_t(first, second, 80, 20, names=("mrmr", "relieff")).sentence() == words
    assert corrected_t(second, first, 80, 20, names=("relieff", "mrmr")).sentence() == words
    unsure = corrected_t([0.1, 0.3, 0.2], [0.2, 0.25, 0.24], 80, 20, names=("mrmr", "relieff")).sentence()
    assert unsure.startswith("no significant difference between mrmr and relieff (mrmr errs 3 points less, 95 % in")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([], [], "first_errors is empty"),
        ([0.1], [0.2], "One resample has no variance"),
        ([0.1, np.nan], [0.1, 0.2], r"first_errors holds nan \(at 1\)"),
        ([0.1, 0.2], [0.1, np.inf], r"second_errors holds inf \(at 1\)"),
        ([0.1, 0.2], [0.1], "first_errors has 2, second_errors has 1"),
        (["a", "b"], [0.1, 0.2], "must be an array of numbers"),
    ],
)
def test_what_is_not_errors_of_resamples_is_refused(first, second, message):
    with pytest.raises(InvalidInput, match=message):
        corrected_t(first, second, 90, 10)


def test_rows_are_counted_from_one():
    with pytest.raises(InvalidParameter, match="n_train and n_test must be positive, got 0 and 10"):
        corrected_t([0.1, 0.2], [0.2, 0.4], 0, 10)


RESAMPLED = {
    "far": [0.40, 0.42, 0.41, 0.43, 0.39],
    "best": [0.10, 0.12, 0.11, 0.13, 0.09],
    "near": [0.11, 0.11, 0.13, 0.12, 0.10],
}


def test_the_best_is_tested_against_all_others_and_adjusted():
    found = not_worse_than_best(RESAMPLED, 80, 20)
    assert found.best == "best"
    assert found.methods == ("best", "near")
    assert [test.second for test in found.tests] == ["far", "near"]
    raw = [test.p_value for test in found.tests]
    assert raw == [corrected_t(RESAMPLED["best"], RESAMPLED[name], 80, 20).p_value for name in ("far", "near")]
    assert [test.adjusted_p_value for test in found.tests] == list(holm(raw))
    assert found.tests[0].sentence() == (
        "best errs 30 points less than far (95 % interval 30 to 30, p < .001 after Holm)"
    )


def test_adjusting_can_make_a_method_not_worse():
    """p = .03 alone is .03 * 2 together with another of .5."""
    few = {"a": [0.10, 0.12, 0.11, 0.13, 0.09], "b": [0.12, 0.15, 0.125, 0.16, 0.10]}
    alone = not_worse_than_best(few, 80, 20)
    p = alone.tests[0].p_value
    assert 0.01 < p < 0.05
    assert alone.methods == ("a",)
    more = {**few, **{f"c{i}": [0.11, 0.11, 0.13, 0.12, 0.10] for i in range(5)}}
    assert "b" in not_worse_than_best(more, 80, 20).methods


def test_equal_errors_go_to_fewer_features_then_to_the_first_named():
    errors = {"wide": [0.1, 0.2], "slim": [0.2, 0.1], "late": [0.1 + 1e-17, 0.2]}
    sizes = {"wide": 30, "slim": 4, "late": 4}
    assert not_worse_than_best(errors, 80, 20, sizes).methods == ("slim", "late", "wide")
    assert not_worse_than_best(errors, 80, 20).methods == ("wide", "slim", "late")


def test_less_error_beats_fewer_features():
    found = not_worse_than_best({"slim": [0.2, 0.3], "wide": [0.1, 0.35]}, 80, 20, {"slim": 1, "wide": 50})
    assert found.best == "wide"
    assert found.methods == ("wide", "slim")


def test_one_method_is_the_best():
    found = not_worse_than_best({"only": [0.1, 0.2]}, 80, 20)
    assert (found.best, found.methods, found.tests) == ("only", ("only",), ())


def test_methods_are_refused_where_something_is_missing():
    with pytest.raises(InvalidInput, match="no methods"):
        not_worse_than_best({}, 80, 20)
    with pytest.raises(InvalidInput, match=r"errors\['b'\] holds nan"):
        not_worse_than_best({"a": [0.1, 0.2], "b": [0.1, np.nan]}, 80, 20)
    with pytest.raises(InvalidInput, match="a has 2, b has 1"):
        not_worse_than_best({"a": [0.1, 0.2], "b": [0.1]}, 80, 20)
    with pytest.raises(InvalidInput, match="n_features has no number for 'b'"):
        not_worse_than_best({"a": [0.1, 0.2], "b": [0.1, 0.3]}, 80, 20, {"a": 3})


def test_holm_by_hand():
    """.01 * 4, .02 * 3, .03 * 2 but no less than .06, .5 * 1; in the order given."""
    assert list(holm([0.5, 0.01, 0.03, 0.02])) == pytest.approx([0.5, 0.04, 0.06, 0.06])


@pytest.mark.parametrize("seed", range(6))
def test_holm_is_the_formula(seed):
    random = np.random.default_rng(seed)
    p = np.round(random.random(int(random.integers(1, 12))) ** 3, 2)
    assert list(holm(p)) == pytest.approx(reference.holm(p.tolist()), rel=1e-12)


def test_one_p_value_stays_and_none_exceeds_one():
    assert list(holm([0.04])) == [0.04]
    assert list(holm([0.9, 0.8])) == [1, 1]
    assert list(holm([0.0, 1.0])) == [0, 1]


@pytest.mark.parametrize("p", [[], [np.nan], [-0.1], [1.1]])
def test_what_is_no_p_value_is_refused(p):
    with pytest.raises(InvalidInput, match="p_values"):
        holm(p)


def test_tests_are_adjusted_together_and_say_so():
    tests = [
        corrected_t([0.1, 0.12, 0.11, 0.1], [0.2, 0.23, 0.2, 0.21], 80, 20),
        corrected_t([0.1, 0.12, 0.11, 0.1], [0.13, 0.12, 0.12, 0.13], 80, 20),
    ]
    adjusted = holm_adjusted(tests)
    assert [test.p_value for test in adjusted] == [test.p_value for test in tests]
    assert [test.adjusted_p_value for test in adjusted] == list(holm([test.p_value for test in tests]))
    assert adjusted[1].sentence().endswith(" after Holm)")
    assert holm_adjusted([]) == ()


def test_the_adjusted_p_value_decides():
    test = corrected_t([0.1, 0.12, 0.11, 0.1], [0.13, 0.15, 0.13, 0.14], 80, 20)
    assert test.is_significant()
    crowd = holm_adjusted([test, *[corrected_t([0.1, 0.2], [0.2, 0.15], 80, 20)] * 60])
    assert crowd[0].p_value == test.p_value
    assert not crowd[0].is_significant()
    assert crowd[0].sentence().startswith("no significant difference")


def test_cohens_d_by_hand():
    assert cohens_d([1, 2, 3]) == 2
    assert cohens_d([0, 0]) == 0
    assert cohens_d([-0.1, -0.1]) == -np.inf
    assert cohens_d([0.3]) == np.inf
    with pytest.raises(InvalidInput, match="differences is empty"):
        cohens_d([])


FIRST = {1: 0.30, 2: 0.20, 3: 0.10, 4: 0.10, 5: 0.05}
SECOND = {1: 0.30, 2: 0.25, 3: 0.08, 4: 0.15, 6: 0.01}


def test_rho_by_hand():
    """Of the sizes 1 to 4 the first errs less at 2 and 4; at 1 they are equal, 5 and 6 only one has."""
    assert rm_characteristic(FIRST, SECOND) == 0.5


def test_equal_errors_count_for_neither():
    assert rm_characteristic(SECOND, FIRST) == 0.25
    assert rm_characteristic({1: 0.3}, {1: 0.1 + 0.2}) == 0
    assert rm_characteristic(FIRST, FIRST) == 0


def test_without_common_sizes_or_errors_there_is_no_rho():
    with pytest.raises(InvalidInput, match="no size in common"):
        rm_characteristic({1: 0.1}, {2: 0.1})
    with pytest.raises(InvalidInput, match="no size in common"):
        rm_characteristic({}, {})
    with pytest.raises(InvalidInput, match="second_errors holds nan"):
        rm_characteristic({1: 0.1}, {1: np.nan})
