"""What users set is checked with one form of message."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fewest.errors import InvalidParameter
from fewest.parameters import check_choice, check_count, check_flag, check_not_negative, check_number, check_positive


@pytest.mark.parametrize("value", [True, "1", None, np.nan, np.inf, 1j, [1]])
@pytest.mark.parametrize("check", [check_number, check_positive, check_not_negative])
def test_what_is_no_finite_number_is_refused(check, value):
    with pytest.raises(InvalidParameter, match=r"^size must be a .*number.*, got .* instead\.$"):
        check("size", value)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int8(1), Fraction(1, 2)])
def test_every_kind_of_number_is_taken(value):
    assert check_number("size", value) == float(value)
    check_positive("size", value)
    check_not_negative("size", value)


def test_limits_are_told_and_themselves_left_out():
    with pytest.raises(InvalidParameter, match="a positive number below 1 or 'auto', got 1 instead"):
        check_positive("size", 1, below=1, end=" or 'auto'")
    with pytest.raises(InvalidParameter, match="a number of at least 0 and below 1, got 1 instead"):
        check_not_negative("size", 1, below=1)
    with pytest.raises(InvalidParameter, match="a positive number, got 0 instead"):
        check_positive("size", 0)
    with pytest.raises(InvalidParameter, match="a finite number of at least 0, got -1 instead"):
        check_not_negative("size", -1)
    check_not_negative("size", 0)


@pytest.mark.parametrize("value", [2.0, True, 1, "3", None])
def test_counts_are_whole_numbers(value):
    assert check_count("size", np.int64(2), 2) == 2
    with pytest.raises(InvalidParameter, match="size must be a whole number of at least 2 or None, got"):
        check_count("size", value, 2, end=" or None")


def test_choices_and_flags():
    check_choice("kind", "a", ("a", None))
    assert check_flag("is_it", np.True_) is True
    for wrong in ("b", 0, np.zeros(2)):
        with pytest.raises(InvalidParameter, match="kind must be one of 'a', None, got"):
            check_choice("kind", wrong, ("a", None))
        with pytest.raises(InvalidParameter, match="is_it must be True or False, got"):
            check_flag("is_it", wrong)
