"""Integer columns of a narrow range as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest._core import byte_counts, room_for_bytes, to_bytes
from fewest.data.block import Block
from fewest.methods.information.discretisation.value_counts import ByteTable
from fewest.statistics.class_moments import ClassMoments

from ....core.levels import LEVELS, LEVELS_HERE, at_level

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def table_of(values, y=None):
    codes = np.zeros(len(values), np.int32) if y is None else y
    return ByteTable.of(np.asarray(values), codes, np.array([3, 5, 9], dtype=np.uint64))


def test_four_rows_worked_by_hand():
    table = table_of(np.array([[1.0, 0.5, 900.0], [np.nan, 1.0, 1000.0], [-3.0, 2.0, 1001.0], [1.0, 3.0, 950.0]]))
    assert table.fits.tolist() == [True, False, True]
    assert (table.codes[0] + table.base[0]).tolist() == [1, ByteTable.MISSING + table.base[0], -3, 1]
    assert (table.codes[2].astype(int) + table.base[2]).tolist() == [900, 1000, 1001, 950]
    assert (table.base + table.lowest)[[0, 2]].tolist() == [-3, 900]
    assert (table.base + table.highest_next - 1)[[0, 2]].tolist() == [1, 1001]
    assert table.missing[[0, 2]].tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 700), (130, 17), (5000, 40)])
def test_bytes_are_the_values_whatever_the_type_order_and_level(dtype, shape):
    rng = np.random.default_rng(0)
    low = 0 if np.dtype(dtype).kind == "u" else -30
    values = rng.integers(low, 90, shape).astype(dtype)
    values[:, 0] += 30
    if np.dtype(dtype).kind == "f":
        values[rng.random(shape) < 0.1] = np.nan
    y = rng.integers(0, 3, len(values)).astype(np.int32)
    moments = ClassMoments()
    moments.update(Block(values.astype(np.float64), y, ["a", "b", "c"]))
    keys = moments.keys_of(["a", "b", "c"])
    wide = np.repeat(np.repeat(values, 2, axis=0), 2, axis=1)
    for stored in (values, np.asfortranarray(values), wide[::2, ::2], values[::-1, ::-1][::-1, ::-1]):
        for level in LEVELS_HERE[:1] if stored is not values else LEVELS_HERE:
            with at_level(level):
                table = ByteTable.of(stored, y, keys)
            assert table.fits.all()
            assert_array_equal(table.numbers(np.arange(shape[1])), values.astype(np.float64))
            assert_array_equal(table.missing, moments.missing)
            assert_array_equal(table.checksums, moments.checksums)
            seen = moments.lowest <= moments.highest
            assert_array_equal((table.base + table.lowest)[seen], moments.lowest[seen])
            assert_array_equal((table.base + table.highest_next - 1)[seen], moments.highest[seen])


@pytest.mark.parametrize(
    "value",
    [0.5, -0.0, 1e9, -1e9, 1e300, np.inf, -np.inf, 250.0, -65.0, 2.0**31, 2.0**53],
)
@pytest.mark.parametrize("level", LEVELS)
def test_a_value_that_fits_no_byte_is_found_wherever_it_stands(value, level):
    with at_level(level):
        for row, column in ((0, 0), (37, 3), (99, 8)):
            values = np.ones((100, 9))
            values[row, column] = value
            table = table_of(values)
            # The first value decides where a column's bytes begin; the ones are then the misfits, or fit as well.
            expected = np.ones(9, bool)
            expected[column] = row == 0 and value == -65.0
            assert_array_equal(table.fits, expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_beyond_a_byte_are_found(dtype):
    values = np.ones((50, 5), dtype=dtype)
    extremes = [np.iinfo(dtype).max, np.iinfo(dtype).min]
    for extreme in extremes:
        values[20, 2] = extreme
        is_near = -64 <= int(extreme) <= 189
        assert table_of(values).fits.tolist() == [True, True, is_near, True, True]


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (5000, 700))
    values[4000, 100:300] = 10**6
    y = rng.integers(0, 3, 5000).astype(np.int32)
    found = []
    for n_threads in (1, 2, 5):
        table = ByteTable(
            room_for_bytes(700, 5000),
            *(np.empty(700, t) for t in (np.int64, np.uint8, np.uint8, bool, np.int64, np.uint64)),
        )
        to_bytes(
            values, y, np.array([3, 5, 7], np.uint64), table.base, table.fits, table.lowest, table.highest_next,
            table.missing, table.checksums, table.codes, False, n_threads,
        )  # fmt: skip
        found.append(table)
    fits = found[0].fits
    assert_array_equal(fits, (np.arange(700) < 100) | (np.arange(700) >= 300))
    for other in found[1:]:
        assert_array_equal(other.fits, fits)
        for one, two in zip(vars(found[0]).values(), vars(other).values(), strict=True):
            assert_array_equal(one[fits], two[fits])


def test_bytes_are_counted():
    codes = np.array([[3, 3, 255, 0], [1, 1, 1, 1]], np.uint8)
    counts = np.zeros((1, 256), np.int64)
    byte_counts(codes, np.array([0]), counts, 2)
    byte_counts(codes, np.array([0]), counts, 1)
    assert {byte: int(counts[0, byte]) for byte in np.flatnonzero(counts[0])} == {0: 2, 3: 4, 255: 2}
    with pytest.raises(ValueError, match="no such column"):
        byte_counts(codes, np.array([2]), counts, 1)


def test_shapes_that_differ_are_refused():
    with pytest.raises(ValueError, match="no such class"):
        ByteTable.of(np.zeros((2, 1)), np.array([0, 3], np.int32), np.array([1], np.uint64))
    with pytest.raises(ValueError, match="differ in shape"):
        ByteTable.of(np.zeros((2, 1)), np.zeros(3, np.int32), np.array([1], np.uint64))
