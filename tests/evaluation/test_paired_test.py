"""Holm's adjustment and effect sizes."""

import numpy as np
import pytest

from fewest.errors import InvalidInput
from fewest.evaluation.testing.significance import cohens_d, corrected_t, holm, holm_adjusted, rank_biserial

from ..reference import evaluation as reference


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


def test_effect_sizes_by_hand():
    assert cohens_d([1, 2, 3]) == 2
    assert cohens_d([0, 0]) == 0
    assert cohens_d([-0.1, -0.1]) == -np.inf
    assert cohens_d([0.3]) == np.inf
    assert rank_biserial([-1, 2, 3]) == pytest.approx((5 - 1) / 6)
    assert rank_biserial([0, -1]) == pytest.approx((0.5 - 2.5) / 3)
    assert rank_biserial([0, 0]) == 0
    with pytest.raises(InvalidInput, match="differences is empty"):
        cohens_d([])
    with pytest.raises(InvalidInput, match="differences holds nan"):
        rank_biserial([np.nan])
