"""The kernel that copies rows less a pivot: every stride, and nothing read or written out of bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest._core import shifted_rows


def shifted(X, rows, pivot, factor=None, n_threads=1):
    """What is written, and whether a value is NaN."""
    out = np.full((len(rows), X.shape[1]), 77.0)
    has_missing = shifted_rows(X, np.asarray(rows, dtype=np.int64), pivot, factor, out, n_threads)
    return out, has_missing


def expected(X, rows, pivot, factor=None):
    out = X[rows].astype(np.float64) - pivot
    return out if factor is None else out * factor[:, None]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 150)), rng.normal(size=150)


def test_two_rows_worked_by_hand():
    X = np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 7.0]])
    out, has_missing = shifted(X, [2, 0], np.array([1.0, 4.0]), np.array([2.0, 10.0]))
    assert out.tolist() == [[12.0, 6.0], [0.0, -20.0]]
    assert has_missing is False


def views(X):
    return {
        "C order": X,
        "Fortran order": np.asfortranarray(X),
        "reversed rows": X[::-1],
        "reversed columns": X[:, ::-1],
        "reversed both ways": np.asfortranarray(X)[::-1, ::-1],
        "every second row and third column": X[::2, ::3],
        "backwards in steps": X[::-3, ::-2],
        "a window": X[3:200, 5:77],
        "one column": X[:, 4:5],
        "a row seen many times": np.broadcast_to(X[:1], X.shape),
        "a column seen many times": np.broadcast_to(X[:, :1], X.shape),
    }


@pytest.mark.parametrize("name", views(np.zeros((4, 4))))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("has_factor", [False, True])
def test_rows_of_any_strides_are_written_to_the_bit(name, dtype, has_factor, table):
    X = views(table[0].astype(dtype))[name]
    rng = np.random.default_rng(1)
    rows = rng.integers(0, len(X), 131)  # in any order, and some of them more than once
    pivot = rng.normal(size=X.shape[1])
    factor = rng.random(131) if has_factor else None
    out, has_missing = shifted(X, rows, pivot, factor)
    assert_array_equal(out, expected(X, rows, pivot, factor))
    assert not has_missing


def test_read_only_arrays_can_be_read(table):
    X, pivot = table
    for array in (X, pivot):
        array.flags.writeable = False
    assert_array_equal(shifted(X, [5, 1], pivot)[0], expected(X, [5, 1], pivot))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("place", [(0, 0), (63, 63), (64, 64), (299, 149)])
def test_one_missing_value_among_the_chosen_rows_is_told_wherever_it_is(order, place, table):
    X, pivot = table
    X = np.array(X, order=order)
    X[place] = np.nan
    for n_threads in (1, 4):
        out, has_missing = shifted(X, np.arange(300), pivot, None, n_threads)
        assert has_missing is True
        assert np.argwhere(np.isnan(out)).tolist() == [list(place)]
        others = np.delete(np.arange(300), place[0])
        assert shifted(X, others, pivot, None, n_threads)[1] is False


def test_what_is_infinite_is_not_missing(table):
    X, pivot = table
    X[3, 3] = np.inf
    out, has_missing = shifted(X, [3], pivot)
    assert out[0, 3] == np.inf
    assert has_missing is False


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_number_of_threads_changes_no_bit(order, dtype, table):
    X, pivot = table
    X = np.array(X, order=order, dtype=dtype)
    X[7, 8] = np.nan
    rng = np.random.default_rng(2)
    rows, factor = rng.permutation(300), rng.random(300)
    alone = shifted(X, rows, pivot, factor, 1)
    for n_threads in (0, 2, 4, 100):
        out, has_missing = shifted(X, rows, pivot, factor, n_threads)
        assert_array_equal(out, alone[0])
        assert has_missing == alone[1]


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_no_rows_and_no_columns_are_fine(shape):
    for order in ("C", "F"):
        X = np.zeros(shape, order=order)
        out, has_missing = shifted(X, range(shape[0]), np.zeros(shape[1]), np.zeros(shape[0]), 2)
        assert out.shape == shape
        assert has_missing is False
    assert shifted(np.ones((4, 3)), [], np.zeros(3))[0].shape == (0, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"pivot": np.zeros(2)},
        {"pivot": np.zeros(4)},
        {"out": np.zeros((3, 3))},
        {"out": np.zeros((2, 4))},
        {"out": np.zeros((2, 2))},
        {"factor": np.ones(1)},
        {"factor": np.ones(3)},
        {"chosen": np.array([0])},
    ],
    ids=lambda change: "{} of shape {}".format(*next((k, v.shape) for k, v in change.items())),
)
def test_shapes_that_differ_are_refused(change):
    arrays = {"chosen": np.array([0, 1]), "pivot": np.zeros(3), "factor": np.ones(2), "out": np.full((2, 3), 7.0)}
    arrays |= change
    before = arrays["out"].copy()
    with pytest.raises(ValueError, match="rows, pivot, factor and out differ in shape"):
        shifted_rows(np.zeros((5, 3)), *arrays.values(), 1)
    assert_array_equal(arrays["out"], before)


@pytest.mark.parametrize("row", [-1, 5, 2**40, -(2**62)])
def test_a_row_that_is_not_there_is_refused(row):
    out = np.full((2, 3), 7.0)
    with pytest.raises(ValueError, match="there is no such row"):
        shifted_rows(np.zeros((5, 3)), np.array([0, row]), np.zeros(3), None, out, 1)
    assert (out == 7.0).all()


@pytest.mark.parametrize(
    "change",
    [
        {"rows": np.zeros((5, 3), dtype=np.int64)},
        {"rows": np.zeros(5)},
        {"chosen": np.array([0, 1], dtype=np.int32)},
        {"pivot": np.zeros(3, dtype=np.float32)},
        {"pivot": np.zeros(6)[::2]},
        {"factor": np.ones(2, dtype=np.float32)},
        {"out": np.zeros((2, 3), dtype=np.float32)},
        {"out": np.zeros((2, 3), order="F")},
    ],
    ids=str,
)
def test_arrays_of_another_kind_are_not_converted(change):
    # A converted copy of what is to be written to would be written to in vain.
    arrays = {"rows": np.zeros((5, 3)), "chosen": np.array([0, 1]), "pivot": np.zeros(3), "factor": np.ones(2)}
    arrays["out"] = np.zeros((2, 3))
    with pytest.raises(TypeError):
        shifted_rows(*(arrays | change).values(), 1)
    read_only = arrays["out"]
    read_only.flags.writeable = False
    with pytest.raises(TypeError):
        shifted_rows(*arrays.values(), 1)
