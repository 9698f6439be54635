"""Unequal classes, made by hiding rows of one of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fewest.datasets import hide_class, load
from fewest.errors import InvalidInput, InvalidParameter


def test_four_fifths_of_the_smallest_class_are_hidden_and_nothing_else() -> None:
    y = load("breast-cancer").y
    rows = hide_class(y)
    # .8 * 212 = 169.6, so 170 rows go and 42 stay.
    assert Counter(y[rows].tolist()) == {"benign": 357, "malignant": 42}
    assert (np.diff(rows) > 0).all()


def test_the_class_may_be_named() -> None:
    y = load("iris").y
    rows = hide_class(y, share=0.5, label="virginica")
    assert Counter(y[rows].tolist()) == {"setosa": 50, "versicolor": 50, "virginica": 25}


def test_of_classes_as_small_the_first_in_order_is_taken_whatever_the_order_of_rows() -> None:
    y = np.array(["b"] * 5 + ["a"] * 5 + ["c"] * 9)
    assert Counter(y[hide_class(y, share=0.4)].tolist()) == {"a": 3, "b": 5, "c": 9}


@pytest.mark.parametrize(("share", "n_left"), [(0.0, 7), (0.29, 5), (0.5, 3), (0.8, 1), (0.99, 1)])
def test_the_number_hidden_is_the_nearest_and_never_all(share: float, n_left: int) -> None:
    y = np.array([0] * 7 + [1] * 20)
    assert np.count_nonzero(y[hide_class(y, share)] == 0) == n_left


def test_the_same_seed_hides_the_same_rows_and_another_seed_others() -> None:
    y = load("wine").y
    np.testing.assert_array_equal(hide_class(y, seed=2), hide_class(y, seed=2))
    assert not np.array_equal(hide_class(y, seed=2), hide_class(y, seed=3))


def test_every_row_of_the_class_is_as_likely_to_be_hidden() -> None:
    y = np.array([0] * 5 + [1] * 6)
    times_kept = np.zeros(11)
    for seed in range(2000):
        times_kept[hide_class(y, share=0.6, seed=seed)] += 1
    assert (times_kept[5:] == 2000).all()
    # Two of five stay: 800 of 2,000 each, with a standard deviation of 22.
    np.testing.assert_allclose(times_kept[:5], 800, atol=90)


@pytest.mark.parametrize("y", [[True, False, False], [1.0, 2.0, 2.0], ["a", "b", "b"], [1, "b", "b"]])
def test_labels_may_be_of_any_kind(y: list[Any]) -> None:
    labels = np.array(y, dtype=object)
    assert hide_class(labels, share=0.5, label=y[1]).tolist() in ([0, 1], [0, 2])


def test_rows_without_a_label_stay() -> None:
    y = np.array(["a", None, "a", "b", None, "b", "b"], dtype=object)
    rows = hide_class(y, share=0.9)
    assert {1, 4} <= set(rows.tolist())
    assert len(rows) == 6


@pytest.mark.parametrize("share", [1.0, -0.1, 2, float("nan"), "0.8", True, None])
def test_a_share_that_is_not_a_share_is_refused(share: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"share must be a number of at least 0 and below 1, got .* instead"):
        hide_class([0, 0, 1, 1], share=share)


def test_a_label_that_is_no_class_is_refused_with_those_that_are() -> None:
    with pytest.raises(InvalidParameter, match=r"label must be a class of y \('a', 'b'\), got 'c' instead"):
        hide_class(["b", "a"], label="c")


@pytest.mark.parametrize("y", [[], ["a", "a"]])
def test_one_class_cannot_be_unequal(y: list[str]) -> None:
    with pytest.raises(InvalidInput, match="at least two classes"):
        hide_class(np.array(y, dtype=object))


def test_a_table_of_labels_is_refused() -> None:
    with pytest.raises(InvalidInput, match="one label a row"):
        hide_class(np.zeros((3, 2)))


def test_a_quantity_is_no_label() -> None:
    with pytest.raises(InvalidInput, match="continuous quantity"):
        hide_class([0.5, 1.5, 0.5, 1.5])


def test_every_kind_of_missing_label_stays() -> None:
    labels = pd.Series(["a", "b", "a", "b", pd.NA, None, np.nan, "b"], dtype=object)
    assert set(hide_class(labels, share=0.5)) >= {4, 5, 6}
