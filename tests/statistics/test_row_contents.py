"""Hashes of the contents of rows, against the formula one value at a time."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest._core import add_row_contents
from fewest.statistics.row_contents import ContentHash

RNG = np.random.default_rng(3)
ODD = np.array([0.0, -0.0, 1.0, -1.0, np.nan, -np.nan, np.inf, -np.inf, 5e-324, 1e308, 2.0**53, 0.1])


def contents_of(row, keys):
    """The sum over the columns of (bits xor bits >> 29) times the key, modulo 2**64, of one zero and one NaN."""
    total = 0
    for value, key in zip(row, keys, strict=True):
        plain = float("nan") if value != value else float(value) + 0.0
        (bits,) = struct.unpack("<Q", struct.pack("<d", plain))
        total += (bits ^ (bits >> 29)) * int(key)
    return total % 2**64


def test_an_example_by_hand():
    # 1.0 is 0x3FF0000000000000; shifted by 29 it is 0x1FF800000. -0.0 is 0, and gives nothing.
    sums = np.array([5], dtype=np.uint64)
    add_row_contents(
        np.array([[1.0, -0.0]]), np.array([3, 7], dtype=np.uint64), np.ones(2, dtype=bool), sums, 1
    )  # fmt: skip
    assert int(sums[0]) == (5 + 3 * 0x3FF00001FF800000) % 2**64


@pytest.mark.parametrize("n_columns", [0, 1, 3, 4, 9])
@pytest.mark.parametrize("n_rows", [0, 1, 2049, 5000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_layout_gives_the_formula(n_rows, n_columns, dtype):
    with np.errstate(over="ignore"):
        values = RNG.choice([*ODD, *RNG.normal(size=30)], size=(n_rows, n_columns)).astype(dtype)
    keys = RNG.integers(0, 2**64, n_columns, dtype=np.uint64)
    content = ContentHash(keys)
    shown = RNG.choice(n_rows, min(n_rows, 200), replace=False)
    expected = [contents_of(values[row], content.column_keys) for row in shown]
    wide = np.zeros((n_rows, 2 * n_columns), dtype=dtype)
    wide[:, ::2] = values
    layouts = [values, np.asfortranarray(values), wide[:, ::2], np.repeat(values, 2, axis=0)[::2], values[::-1][::-1]]
    for layout in layouts:
        layout.flags.writeable = False
        assert_array_equal(content.sums(layout, ())[shown], np.array(expected, dtype=np.uint64))
    if n_rows and n_columns:
        stored = sparse.csr_array(values.astype(np.float64))
        assert_array_equal(content.of(stored, ()), content.of(values, ()))


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_columns_that_are_not_counted_add_nothing(n_threads):
    values = np.asfortranarray(RNG.normal(size=(6000, 11)))
    keys = RNG.integers(0, 2**64, 11, dtype=np.uint64)
    is_counted = RNG.random(11) < 0.6
    sums, expected = np.zeros((2, 6000), dtype=np.uint64)
    add_row_contents(values, keys, is_counted, sums, n_threads)
    add_row_contents(values[:, is_counted].copy(), keys[is_counted], np.ones(is_counted.sum(), bool), expected, 1)
    assert_array_equal(sums, expected)


def test_groups_of_columns_add_up_with_text_by_its_hash_and_integers_as_numbers():
    names = np.array([11, 5, 900], dtype=np.uint64)
    content = ContentHash(RNG.integers(0, 2**64, 4, dtype=np.uint64), lambda column, n_known: names)
    values = np.column_stack([RNG.normal(size=50), RNG.integers(0, 3, 50), RNG.integers(-9, 9, 50), np.arange(50.0)])
    parts = [
        content.sums(values[:, group], [group.index(1)] if 1 in group else [], group) for group in ([2, 1], [0, 3])
    ]
    whole = content.sums(values, [1])
    assert_array_equal(parts[0] + parts[1], whole)
    numbers = np.delete(content.column_keys, 1)
    expected = [contents_of(np.delete(row, 1), numbers) for row in values]
    of_text = names[values[:, 1].astype(int)] * content.column_keys[1]
    assert_array_equal(whole, np.array(expected, dtype=np.uint64) + of_text)
    whole_numbers = values[:, 2:3].astype(np.int16)
    assert_array_equal(content.sums(whole_numbers, [], [2]), content.sums(values[:, 2:3], [], [2]))


def test_the_wrong_number_of_keys_is_refused():
    with pytest.raises(ValueError, match="one key a column"):
        add_row_contents(np.ones((2, 3)), np.ones(2, np.uint64), np.ones(3, bool), np.zeros(2, np.uint64), 1)
