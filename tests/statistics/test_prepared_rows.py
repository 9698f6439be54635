"""Prepared rows: order, scale, missing values, duplicates, and scores expanded to all columns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.statistics.prepared_rows import (
    PreparedRows,
    content_order,
    merge_duplicates,
    order_by_class_size,
    order_by_label,
    reject_missing_values,
    varying_columns,
)
from fewest.statistics.rows import Rows

X = np.array([[1.0, 7.0, np.nan, 2.0], [3.0, 7.0, np.nan, 8.0], [5.0, 7.0, np.nan, 2.0], [9.0, 7.0, np.nan, 5.0]])
Y = np.array([1, 0, 1, 1], dtype=np.int32)


def rows_of(values, codes=Y, classes=("a", "b"), weights=None):
    rows = Rows()
    rows.update(Block(np.ascontiguousarray(values), codes, list(classes), weights))
    return rows


def content_rows(values, codes=Y, layout="C", weights=None):
    rows = rows_of(values, codes, weights=weights)
    return PreparedRows(rows, *content_order(rows), varying_columns(rows), layout)


def test_scores_expand_to_zero_for_constant_columns_and_nan_for_those_without_a_value():
    prepared = content_rows(X)
    assert_array_equal(prepared.varying, [0, 3])
    assert prepared.n_columns == 4
    assert_array_equal(prepared.expand(np.array([0.5, 2.0])), [0.5, 0.0, np.nan, 2.0])


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("scale", ["std", "range", "symmetric", None])
def test_the_order_in_which_rows_came_changes_no_bit(scale, layout):
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=(50, 6)), rng.integers(0, 2, 50, dtype=np.int32)
    other = rng.permutation(50)
    first, second = content_rows(values, codes, layout), content_rows(values[other], codes[other], layout)
    for prepared in (first, second):
        prepared.scale_by_rows(scale)
    assert_array_equal(first.values, second.values)
    assert first.values.flags[f"{layout}_CONTIGUOUS"]


def test_columns_sort_by_their_values_in_either_layout():
    for layout in ("C", "F"):
        prepared = content_rows(X[:, [3, 1, 0]], layout=layout)
        by_column = dict(zip(prepared.varying.tolist(), prepared.columns.copy(), strict=True))
        prepared.sort_columns()
        for column, values in zip(prepared.varying.tolist(), prepared.columns, strict=True):
            assert_array_equal(values, by_column[column])
        assert prepared.values.flags[f"{layout}_CONTIGUOUS"]


def test_columns_that_share_their_first_values_sort_by_the_later_ones():
    rng = np.random.default_rng(0)
    values = rng.choice([-1.0, 0.0, 0.5, 1.0], size=(5, 300))
    prepared = PreparedRows(rows_of(values, np.arange(5, dtype=np.int32) % 2), np.arange(5))
    order = prepared.sort_columns()
    assert order.tolist() == sorted(range(300), key=lambda column: values[:, column].tobytes())


def test_columns_in_another_order_are_taken_in_that_order():
    rows = rows_of(X)
    prepared = PreparedRows(rows, np.arange(4), columns=np.array([3, 1, 0, 2]))
    assert_array_equal(prepared.values, X[:, [3, 1, 0, 2]])


def test_scaling_by_moments_makes_a_constant_column_zero_and_leaves_missing_values():
    prepared = PreparedRows(rows_of(X), np.arange(4))
    prepared.scale_by_moments("range")
    expected = np.column_stack([[0, 0.25, 0.5, 1], np.zeros(4), np.full(4, np.nan), [0, 1, 0, 0.5]])
    assert_array_equal(prepared.values, expected)


def test_weights_count_as_repetitions_in_the_standard_deviation():
    prepared = content_rows(X, weights=np.array([1.0, 2.0, 1.0, 3.0]))
    prepared.scale_by_rows("std")
    assert_allclose(prepared.weighted_sums(prepared.values), 0, atol=1e-14)
    assert_allclose(prepared.weighted_sums(np.square(prepared.values)) / 7, 1)


def test_missing_values_become_the_mean():
    values = X[:, [0, 3]].copy()
    values[1, 0] = np.nan
    rows = rows_of(values)
    prepared = PreparedRows(rows, *order_by_class_size(rows), varying_columns(rows))
    prepared.centre_and_fill("symmetric")
    assert_allclose(prepared.values.sum(axis=0), 0, atol=1e-15)
    assert prepared.values[np.flatnonzero(prepared.order == 1)[0], 0] == 0


def test_rows_by_label_and_by_class_size():
    rows = rows_of(X, np.array([0, 1, 0, 0], dtype=np.int32), ("b", "a"))
    order, ranks = order_by_label(rows)
    assert_array_equal(order, [1, 0, 2, 3])
    assert_array_equal(ranks, [1, 0])
    order, ranks = order_by_class_size(rows)
    assert order[0] == 1
    assert_array_equal(ranks, [1, 0])


def test_duplicates_are_one_row_of_their_total_weight():
    values = np.array([[1.0, 0.0], [1.0, -0.0], [1.0, 0.0], [2.0, 0.0]])
    merged = merge_duplicates(rows_of(values, np.array([0, 0, 1, 0], dtype=np.int32), weights=np.array([1.0, 2, 3, 4])))
    assert sorted(zip(merged.values[:, 0], merged.codes, merged.weights, strict=True)) == [
        (1.0, 0, 3.0), (1.0, 1, 3.0), (2.0, 0, 4.0),
    ]  # fmt: skip


def test_missing_values_are_rejected_with_reason_and_advice():
    values = X.copy()
    reject_missing_values(rows_of(values), "rows are compared", "or drop them")
    values[0, 0] = np.nan
    message = r"1 values are missing, in 1 of 4 columns .*number 0\), and rows are compared. .* or drop them"
    with pytest.raises(InvalidInput, match=message):
        reject_missing_values(rows_of(values), "rows are compared", "or drop them")
    with pytest.raises(InvalidInput, match="in 2 of 4 columns"):
        reject_missing_values(rows_of(values), "rows are compared", "or drop them", even_without_values=True)


def plain_content_order(values, codes, weights, times, categorical, seed):
    """The formula of content_order, cell by cell."""

    def mixed(number):
        number = (number + 0x9E3779B97F4A7C15) % 2**64
        number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        number = (number ^ (number >> 27)) * 0x94D049BB133111EB % 2**64
        return number ^ (number >> 31)

    def bits(value):
        return int(np.float64(np.nan if np.isnan(value) else value + 0.0).view(np.uint64))

    n, p = values.shape
    hashes = [mixed((bits(weight) + mixed(seed)) % 2**64) for weight in weights]
    for _ in range(3):
        of_class = [mixed(sum(hashes[i] * times[i] for i in range(n) if codes[i] == c) % 2**64) for c in range(2)]
        with_class = [mixed((hashes[i] + of_class[codes[i]]) % 2**64) for i in range(n)]
        totals = [0] * n
        for j in range(p):
            cells = [bits(value) for value in values[:, j]]
            if j in categorical:
                of_value = {
                    value: sum(with_class[i] * times[i] for i in range(n) if values[i, j] == value)
                    for value in values[:, j]
                }
                cells = [mixed(of_value[value] % 2**64) for value in values[:, j]]
            own = mixed(sum(mixed((cells[i] + with_class[i]) % 2**64) * times[i] for i in range(n)) % 2**64)
            totals = [(totals[i] + mixed((cells[i] + own) % 2**64)) % 2**64 for i in range(n)]
        hashes = [mixed((with_class[i] + totals[i]) % 2**64) for i in range(n)]
    sums = [sum(hashes[i] * times[i] for i in range(n) if codes[i] == c) % 2**64 for c in range(2)]
    ranks = np.argsort(np.argsort(np.array(sums, dtype=np.uint64)))
    return np.lexsort((np.array(hashes, dtype=np.uint64), ranks[codes])), ranks


@pytest.mark.parametrize("categorical", [(), (1, 3)])
def test_the_order_by_content_is_that_of_the_formula(categorical):
    rng = np.random.default_rng(4)
    values, codes = rng.integers(-2, 3, size=(30, 5)).astype(float), rng.integers(0, 2, 30, dtype=np.int32)
    values[3, 0], values[5, 2], values[6, 4] = np.nan, -0.0, 1e100
    counts, weights = rng.integers(1, 4, 30), rng.choice([0.5, 2.0], 30)
    rows = rows_of(values, codes, weights=weights)
    rows.categorical_columns = categorical
    for seed in (0, 7):
        found = content_order(rows, counts, weights, seed)
        expected = plain_content_order(values, codes, weights, counts.tolist(), categorical, seed)
        assert_array_equal(found[1], expected[1])
        assert_array_equal(found[0], expected[0])


def test_sums_of_columns_in_parts_are_those_of_all_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=(60, 9)), rng.integers(0, 2, 60, dtype=np.int32)
    whole = content_rows(values, codes, "F")
    whole.scale_by_rows("std")
    monkeypatch.setattr("fewest.statistics.prepared_rows.CHUNK", 1000)
    in_parts = content_rows(values, codes, "F")
    in_parts.scale_by_rows("std")
    assert_array_equal(in_parts.values, whole.values)


def test_rows_are_merged_where_they_differ_in_nothing_but_the_sign_of_zero():
    values = np.arange(600.0).reshape(200, 3)
    codes = (np.arange(200) % 2).astype(np.int32)
    distinct = rows_of(values, codes)
    assert merge_duplicates(distinct) is distinct
    values[7] = values[91] = [0.0, 5.0, np.nan]
    values[91, 0] = -0.0
    merged = merge_duplicates(rows_of(values, codes))
    assert merged.n_rows == 199
    assert sorted(merged.weights.tolist()) == [1.0] * 198 + [2.0]
    # The class is part of a row.
    codes[91] = 1 - codes[7]
    assert merge_duplicates(rows_of(values, codes)).n_rows == 200


@pytest.mark.parametrize("scale", ["std", "range", "symmetric", None])
def test_centring_some_columns_at_a_time_changes_no_digit(scale, monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 7)) * 10.0 ** rng.integers(-3, 4, size=7)
    values[rng.random((50, 7)) < 0.1] = np.nan
    codes, weights = (np.arange(50) % 2).astype(np.int32), rng.uniform(0.5, 2.0, size=50)
    whole = content_rows(values, codes, weights=weights)
    whole.centre_and_fill(scale)
    monkeypatch.setattr("fewest.statistics.prepared_rows.CHUNK", 1)
    in_parts = content_rows(values, codes, weights=weights)
    in_parts.centre_and_fill(scale)
    assert_array_equal(in_parts.values, whole.values)
