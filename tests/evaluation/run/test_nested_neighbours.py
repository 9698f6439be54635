"""The classes of the nearest rows for many numbers of columns at once, against all distances sorted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest._core import nearest_neighbour_classes


def found(train, codes, test, ends, k, n_threads=1):
    predicted = np.full((len(ends), len(test)), -1, dtype=np.int32)
    nearest_neighbour_classes(
        np.ascontiguousarray(train.T), codes, test, np.array(ends), k, int(codes.max()) + 1, predicted, n_threads
    )
    return predicted


def by_sorting(train, codes, test, ends, k):
    """Every distance, the rows in its order, equals in the order of rows; the commonest class, of equals the first."""
    lines = []
    for end in ends:
        squares = np.square(test[:, None, :end] - train[None, :, :end]).sum(axis=2)
        nearest = np.argsort(squares, axis=1, kind="stable")[:, :k]
        lines.append([np.bincount(codes[rows]).argmax() for rows in nearest])
    return np.array(lines)


def test_three_rows_worked_by_hand():
    train = np.array([[0.0, 5.0], [1.0, 0.0], [3.0, 0.0]])
    codes, test = np.array([0, 1, 1], dtype=np.int32), np.array([[0.4, 0.0]])
    # By the first column the first row is nearest (0.4); by both the second (0.6 against more than 5).
    assert found(train, codes, test, [1, 2], 1).tolist() == [[0], [1]]
    # Of two neighbours of two classes the first class is said.
    assert found(train, codes, test, [1, 2], 2).tolist() == [[0], [1]]
    assert found(train, codes, test, [1], 3).tolist() == [[1]]


@pytest.mark.parametrize("n_rows", [1, 3, 17, 511, 513, 1200])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_whole_numbers_with_many_ties_are_told_as_by_sorting(n_rows, k):
    # Whole numbers: their squares have no rounding, so that equals are equals for both.
    random = np.random.default_rng(n_rows + k)
    train, test = (random.integers(0, 3, (n, 9)).astype(float) for n in (n_rows, 21))
    codes = random.integers(0, 4, n_rows).astype(np.int32)
    ends, k = [1, 1, 2, 5, 9], min(k, n_rows)
    expected = by_sorting(train, codes, test, ends, k)
    assert_array_equal(found(train, codes, test, ends, k), expected)
    assert_array_equal(found(train, codes, test, ends, k, n_threads=3), expected)


def test_distances_too_large_for_a_number_are_infinite_and_go_to_the_first_rows():
    train, test = np.array([[1e200], [-1e200], [1e200]]), np.array([[-1e200], [0.0]])
    codes = np.array([2, 1, 0], dtype=np.int32)
    assert found(train, codes, test, [1], 1).tolist() == [[1, 2]]
    assert found(train, codes, test, [1], 2).tolist() == [[1, 1]]


def test_no_columns_leave_all_rows_equally_far():
    train, codes = np.arange(6.0).reshape(3, 2), np.array([1, 0, 0], dtype=np.int32)
    assert found(train, codes, train, [0, 2], 1).tolist() == [[1, 1, 1], [1, 0, 0]]


def test_what_does_not_fit_is_refused():
    train, codes = np.zeros((3, 2)), np.zeros(3, dtype=np.int32)
    for k in (0, 4):
        with pytest.raises(ValueError, match="neighbours"):
            found(train, codes, train, [1], k)
    for ends in ([2, 1], [3], [-1]):
        with pytest.raises(ValueError, match="ends"):
            found(train, codes, train, ends, 1)
    with pytest.raises(ValueError, match="shape"):
        found(train, codes[:2], train, [1], 1)
    with pytest.raises(ValueError, match="class"):
        found(train, codes - 1, train, [1], 1)
