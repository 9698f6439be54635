"""The paired t test for resampled errors, and who is not worse than the best."""

from math import inf

import numpy as np
import pytest
from scipy import stats

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.testing.significance import corrected_t, holm, not_worse_than_best

from ..reference import evaluation as reference


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


def test_the_interval_ends_at_nought_where_p_is_its_level(errors):
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


def test_a_constant_difference_has_no_variance_and_p_is_nought():
    found = corrected_t([0.3, 0.4, 0.5], [0.28, 0.38, 0.48], 90, 10)
    assert (found.p_value, found.statistic, found.effect) == (0, inf, inf)
    assert found.lower == found.upper == pytest.approx(0.02)
    assert found.sentence() == ("the second errs 2.0 points less than the first (95 % interval 2.0 to 2.0, p < .001)")


def test_the_sentence_tells_the_lead_of_the_better_one():
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
    assert found.sentence() == "best errs least; near is not significantly worse"


def test_adjusting_can_make_a_method_not_worse():
    """p = .03 alone is .03 * 2 beside another of .5."""
    few = {"a": [0.10, 0.12, 0.11, 0.13, 0.09], "b": [0.12, 0.15, 0.125, 0.16, 0.10]}
    alone = not_worse_than_best(few, 80, 20)
    p = alone.tests[0].p_value
    assert 0.01 < p < 0.05
    assert alone.methods == ("a",)
    assert alone.sentence() == "a errs least, and all others are significantly worse"
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
    assert found.sentence() == "only is the only method"


def test_methods_are_refused_where_something_is_missing():
    with pytest.raises(InvalidInput, match="no methods"):
        not_worse_than_best({}, 80, 20)
    with pytest.raises(InvalidInput, match=r"errors\['b'\] holds nan"):
        not_worse_than_best({"a": [0.1, 0.2], "b": [0.1, np.nan]}, 80, 20)
    with pytest.raises(InvalidInput, match="a has 2, b has 1"):
        not_worse_than_best({"a": [0.1, 0.2], "b": [0.1]}, 80, 20)
    with pytest.raises(InvalidInput, match="n_features has no number for 'b'"):
        not_worse_than_best({"a": [0.1, 0.2], "b": [0.1, 0.3]}, 80, 20, {"a": 3})
