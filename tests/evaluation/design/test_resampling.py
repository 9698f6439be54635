"""Splits into training rows and test rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.resampling import (
    GivenSplits,
    LeaveOneOut,
    RandomSplits,
    RepeatedFolds,
    assign_folds,
    to_resampling,
)

CODES = np.repeat([0, 1, 2], [40, 17, 3]).astype(np.int32)


@pytest.mark.parametrize("resampling", [RandomSplits(7), RepeatedFolds(4, 2), LeaveOneOut()], ids=str)
def test_every_split_is_all_rows_and_no_row_twice(resampling):
    splits = resampling.splits(CODES, 0)
    for train, test in splits:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(60))
        assert len(np.unique(CODES[train])) == 3
    again = resampling.splits(CODES, 0)
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))


def test_random_splits_take_the_same_share_of_every_class():
    splits = RandomSplits(200).splits(CODES, 1)
    for _, test in splits:
        assert_array_equal(np.bincount(CODES[test]), [10, 4, 1])
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=60)
    assert times[:40].min() > 30
    assert times[:40].max() < 72
    assert len({tuple(test) for _, test in splits}) == 200


def test_a_class_of_two_has_one_row_on_either_side():
    codes = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    for train, test in RandomSplits(5, 0.9).splits(codes, 0):
        assert (codes[train] == 0).sum() == (codes[test] == 0).sum() == 1


def test_folds_are_tested_once_each_time_and_are_as_long_as_each_other():
    splits = RepeatedFolds(5, 3).splits(CODES, 0)
    assert len(splits) == 15
    for repeat in range(3):
        tested = np.concatenate([test for _, test in splits[5 * repeat : 5 * repeat + 5]])
        assert_array_equal(np.sort(tested), np.arange(60))
    assert {len(test) for _, test in splits} == {12}
    sizes = np.bincount(assign_folds(CODES, 7, np.random.default_rng(0)))
    assert sizes.max() - sizes.min() <= 1


def test_given_splits_are_rows_or_flags():
    flags = np.arange(60) % 2 == 0
    (one,) = GivenSplits([(flags, ~flags)]).splits(CODES, 0)
    (other,) = GivenSplits([(np.flatnonzero(flags)[::-1], np.flatnonzero(~flags))]).splits(CODES, 0)
    assert_array_equal(one[0], other[0])
    for pair, says in (
        (([0, 1], [1, 2]), "both a training row and a test row"),
        (([0, 1], [2]), "training rows of two classes"),
        ((flags, []), "numbers of rows"),
        (([0, 60], [1]), "from 0 to 59"),
        ((flags[:5], ~flags), "5 flags, and there are 60 rows"),
    ):
        with pytest.raises(InvalidInput, match=says):
            GivenSplits([pair]).splits(CODES, 0)


def test_words_name_the_ways():
    assert to_resampling(8) == to_resampling("8") == RandomSplits(8)
    assert to_resampling("loo") == LeaveOneOut()
    assert to_resampling("10-fold") == RepeatedFolds(10)
    assert to_resampling("5x10-fold") == RepeatedFolds(10, 5)
    assert str(to_resampling("5x10-fold")) == "10-fold cross-validation, 5 times"
    assert to_resampling([([0, 1], [2])]).pairs == [([0, 1], [2])]
    for wrong in ("ten", "x-fold", 0, True, None, [1, 2], "1-fold"):
        with pytest.raises(InvalidParameter):
            to_resampling(wrong)
