"""Columns of categories in the compiled core, against scikit-learn and the formula."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mutual_info_score

from fewest._core import CategoryColumns, encode_columns, few_distinct

from ...core.levels import LEVELS, at_level
from ...reference.information.information import chi_square, information, joint


def encoded(*columns, n_categories=None, dtype=np.uint16, n_threads=1):
    codes = np.array(columns, dtype=dtype)
    counts = (
        [int(column.max(initial=-1)) + 1 for column in codes.astype(np.int64)] if n_categories is None else n_categories
    )
    is_complete = ~(codes == np.iinfo(dtype).max).any(axis=1)
    table = CategoryColumns(np.array(counts, dtype=np.int32), is_complete, np.zeros(len(codes), bool), codes.shape[1])
    table.fill(np.arange(len(codes)), codes, np.zeros(len(codes), dtype=np.int64), n_threads)
    return table


def measured(measure, column, others, n_threads=1):
    out = np.empty(len(others))
    measure(column, np.array(others, dtype=np.int64), out, n_threads)
    return out


def random_pair(rng):
    n = int(rng.integers(1, 2000))
    n_first, n_second = rng.choice([1, 2, 3, 8, 15, 16, 17, 40, 300], 2)
    first = rng.integers(0, n_first, n)
    second = np.where(rng.random(n) < rng.random(), first, rng.integers(0, n_second, n)) % n_second
    return first, second, n_first, n_second


def test_four_rows_worked_by_hand():
    # x = 0 0 1 1, c = 0 0 1 1: x determines c, log 2. x = 0 1 0 1 is independent of c.
    table = encoded([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1])
    assert measured(table.information, 2, [0, 1]).tolist() == [pytest.approx(np.log(2), rel=1e-15), 0.0]
    assert measured(table.chi_square, 2, [0, 1]).tolist() == [4.0, 0.0]


def test_information_is_that_of_scikit_learn_on_a_thousand_pairs():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        first, second, *n_categories = random_pair(rng)
        table = encoded(first, second, n_categories=n_categories)
        found = measured(table.information, 0, [1])[0]
        assert found == pytest.approx(mutual_info_score(first, second), abs=1e-12)
        assert found == measured(table.information, 1, [0])[0]  # to the bit


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_categories", [3, 16, 17, 200])
def test_missing_rows_are_left_out_of_a_pair(dtype, n_categories):
    rng = np.random.default_rng(1)
    missing = np.iinfo(dtype).max
    columns = rng.integers(0, n_categories, (3, 400))
    columns[1, 50:60], columns[2] = columns[0, 50:60], columns[0]
    is_missing = rng.random(columns.shape) < 0.3
    table = encoded(*np.where(is_missing, missing, columns), n_categories=[n_categories] * 3, dtype=dtype)
    as_lists = [
        [None if m else int(c) for c, m in zip(*pair, strict=True)] for pair in zip(columns, is_missing, strict=True)
    ]
    expected = [information(as_lists[0], other) for other in as_lists]
    assert_allclose(measured(table.information, 0, [0, 1, 2]), expected, atol=1e-12)


def test_a_column_that_is_constant_or_never_observed_has_no_information():
    missing = np.iinfo(np.uint8).max
    table = encoded([0] * 5, [0, 1, 2, 0, 1], [missing] * 5, n_categories=[1, 3, 4], dtype=np.uint8)
    assert measured(table.information, 1, [0, 2]).tolist() == [0.0, 0.0]
    assert measured(table.chi_square, 1, [0, 2]).tolist() == [0.0, 0.0]


def test_the_names_of_categories_do_not_matter_to_the_bit():
    rng = np.random.default_rng(2)
    for n_categories in (3, 9, 30):
        columns = rng.integers(0, n_categories, (2, 500))
        columns[1, ::3] = columns[0, ::3]
        renamed = rng.permutation(n_categories)[columns[0]]
        table = encoded(columns[0], columns[1], renamed, n_categories=[n_categories] * 3)
        assert len(set(measured(table.information, 1, [0, 2]).tolist())) == 1


def test_chi_square_is_that_of_the_formula():
    rng = np.random.default_rng(3)
    for _ in range(100):
        first, second, *n_categories = random_pair(rng)
        found = measured(encoded(first, second, n_categories=n_categories).chi_square, 0, [1])[0]
        assert found == pytest.approx(chi_square(first.tolist(), second.tolist()), rel=1e-9, abs=1e-8)


def test_sums_of_information_are_added_in_the_order_of_the_selected():
    rng = np.random.default_rng(4)
    table = encoded(*rng.integers(0, 4, (6, 90)), n_categories=[4] * 6)
    sums = np.array([1.0, 2.0, 0.5])
    table.add_information(np.array([5, 1, 2]), np.array([0, 3, 4]), np.array([0, 2, 3]), sums, 2)
    pairs = {c: measured(table.information, c, [0, 3, 4]) for c in (5, 1, 2)}
    assert sums.tolist() == [
        1.0 + pairs[5][0] + pairs[1][0] + pairs[2][0],
        2.0 + pairs[2][1],
        0.5,
    ]


def test_joint_categories_have_the_pairs_all_their_columns():
    rng = np.random.default_rng(5)
    for n_categories in (2, 5, 20):
        columns = rng.integers(0, n_categories, (5, 120))
        y = (columns[1] + columns[3]) % 3
        table = encoded(*columns, y, n_categories=[n_categories] * 5 + [3])
        taken, so_far, n_joint = [], np.zeros(120, dtype=np.int32), 1
        for expected in joint(columns.tolist(), y.tolist(), 3):
            out = np.empty(5)
            table.joint_information(5, so_far, n_joint, np.arange(5), out, 2)
            together = [
                information(list(zip(*columns[[*taken, j]].tolist(), strict=True)), y.tolist()) for j in range(5)
            ]
            assert_allclose(out, together, atol=1e-12)
            taken.append(expected)
            n_joint = table.refine(so_far, n_joint, expected)
            assert n_joint == len({tuple(row) for row in columns[taken].T.tolist()}) == so_far.max() + 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_rows", [1, 63, 64, 700, 20_000])
def test_simd_levels_and_threads_change_no_bit(level, n_rows):
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 5, (40, n_rows)).astype(np.uint8)
    n_categories = [5] * 40
    with at_level(level):
        table = encoded(*codes, n_categories=n_categories, dtype=np.uint8, n_threads=4)
        found = measured(table.information, 0, range(40), 4)
    with at_level("base"):
        expected = measured(encoded(*codes, n_categories=n_categories, dtype=np.uint8).information, 0, range(40))
    assert_array_equal(found, expected)
    assert expected[3] == pytest.approx(mutual_info_score(codes[0], codes[3]), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_categories", [1, 4, 16, 40])
@pytest.mark.parametrize("has_missing", [False, True])
def test_rows_filled_in_run_by_run_are_those_filled_in_at_once(dtype, n_categories, has_missing):
    rng = np.random.default_rng(9)
    codes = rng.integers(0, n_categories, (6, 1000)).astype(dtype)
    if has_missing:
        codes[:, rng.random(1000) < 0.2] = np.iinfo(dtype).max
    expected = measured(encoded(*codes, n_categories=[n_categories] * 6, dtype=dtype).information, 0, range(6))
    counts, no = np.full(6, n_categories, dtype=np.int32), np.zeros(6, bool)
    table = CategoryColumns(counts, np.full(6, not has_missing), no, 1000)
    for first, end in ((0, 1), (1, 64), (64, 64), (64, 300), (300, 301), (301, 940), (940, 1000)):
        run = codes[:, first:end].copy()
        # The codes of a run may begin anywhere.
        is_seen = run != np.iinfo(dtype).max
        run[is_seen] += first % 5
        table.fill(np.arange(6), run, np.full(6, first % 5), 2)
    assert_array_equal(measured(table.information, 0, range(6)), expected)


def test_a_run_may_begin_above_the_first_category_or_below_any_byte():
    # Column 0 has the categories 300 ... 303; the run's byte 0 stands for 302, then for 100.
    table = CategoryColumns(np.array([4, 2], np.int32), np.ones(2, bool), np.zeros(2, bool), 200)
    y = np.arange(200, dtype=np.uint8) % 2
    table.fill(np.array([0]), y[None, :100], np.array([-2]), 1)
    table.fill(np.array([0]), (y + 200)[None, 100:], np.array([200]), 1)
    table.fill(np.array([1]), y[None], np.array([0]), 1)
    whole = np.concatenate([y[:100] + 2, y[100:]])
    assert measured(table.information, 1, [0])[0] == pytest.approx(mutual_info_score(whole, y), abs=1e-12)


@pytest.mark.parametrize("n_categories", [2, 5, 16, 30, 400])
@pytest.mark.parametrize("has_missing", [False, True])
def test_listed_columns_have_the_pairs_filled_ones(n_categories, has_missing):
    rng = np.random.default_rng(10)
    for n_rows in (1, 7, 300):
        codes = np.where(rng.random((8, n_rows)) < 0.2, rng.integers(0, n_categories, (8, n_rows)), n_categories // 2)
        codes[1] = codes[0]
        codes[2] = n_categories // 2
        if has_missing:
            codes[rng.random(codes.shape) < 0.1] = 65535
        codes[7] = rng.integers(0, n_categories, n_rows)
        dense = encoded(*codes, n_categories=[n_categories] * 8)
        is_listed = np.arange(8) < 5
        listed = CategoryColumns(np.full(8, n_categories, np.int32), ~(codes == 65535).any(axis=1), is_listed, n_rows)
        listed.fill(np.arange(5, 8), codes[5:].astype(np.uint16), np.zeros(3, np.int64), 1)
        # Rows in the usual category may be listed too.
        entries = [np.flatnonzero((codes[c] != n_categories // 2) | (np.arange(n_rows) % 3 == 0)) for c in range(5)]
        starts = np.cumsum([0, *map(len, entries)])
        rows, categories = np.concatenate(entries), np.concatenate([codes[c][entries[c]] for c in range(5)])
        usual = np.full(5, n_categories // 2, np.int32)
        listed.list(np.arange(5), starts, rows.astype(np.int32), categories.astype(np.uint16), usual)
        for measure in ("information", "chi_square"):
            for column in range(8):
                expected = measured(getattr(dense, measure), column, range(8))
                found = measured(getattr(listed, measure), column, range(8), 2)
                assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
                if measure == "information":
                    assert_array_equal(found, expected)
        if not has_missing:
            joint = [np.zeros(n_rows, np.int32) for _ in range(2)]
            n_joint = [table.refine(so_far, 1, 0) for table, so_far in zip((dense, listed), joint, strict=True)]
            assert_array_equal(*joint)
            pairs = np.empty((2, 8))
            for table, so_far, n, out in zip((dense, listed), joint, n_joint, pairs, strict=True):
                table.joint_information(7, so_far, n, np.arange(8), out, 1)
            assert_array_equal(*pairs)


def test_what_cannot_be_is_refused():
    for dtype in (np.uint8, np.uint16):
        for code in (3, 200):
            with pytest.raises(ValueError, match="there is no such category"):
                encoded([0, code], n_categories=[2], dtype=dtype)
            with pytest.raises(ValueError, match="there is no such category"):
                encoded([0, code], n_categories=[20 if code == 200 else 2], dtype=dtype)
    with pytest.raises(ValueError, match="there is no such category"):
        encoded([0, 256], n_categories=[2])
    with pytest.raises(ValueError, match="one number of categories a column"):
        CategoryColumns(np.ones(1, np.int32), np.ones(2, bool), np.zeros(1, bool), 3)
    table = encoded([0, 1, 0], [1, 0, 1])
    for column, others in ((2, [0]), (0, [2]), (0, [-1])):
        with pytest.raises(ValueError, match="no such column"):
            measured(table.information, column, others)
    with pytest.raises(ValueError, match="no such joint category"):
        table.joint_information(0, np.array([0, 1, 2], dtype=np.int32), 2, np.array([1]), np.empty(1), 1)
    with pytest.raises(ValueError, match="no such rows"):
        table.fill(np.array([0]), np.zeros((1, 1), np.uint8), np.zeros(1, np.int64), 1)
    with pytest.raises(ValueError, match="named twice"):
        table.fill(np.array([0, 0]), np.zeros((2, 1), np.uint8), np.zeros(2, np.int64), 1)


def test_there_is_no_answer_before_all_rows_are_filled_in():
    table = CategoryColumns(np.full(2, 2, np.int32), np.ones(2, bool), np.array([False, True]), 3)
    table.fill(np.array([0]), np.array([[0, 1]], np.uint8), np.zeros(1, np.int64), 1)
    with pytest.raises(ValueError, match="yet to be filled in"):
        measured(table.information, 0, [1])
    one = np.array([1])
    with pytest.raises(ValueError, match="ascending"):
        table.list(one, np.array([0, 2]), np.array([1, 0], np.int32), np.zeros(2, np.uint16), np.zeros(1, np.int32))
    table = CategoryColumns(np.full(2, 2, np.int32), np.ones(2, bool), np.array([False, True]), 3)
    table.fill(np.array([0]), np.array([[0, 1, 1]], np.uint8), np.zeros(1, np.int64), 1)
    table.list(one, np.array([0, 2]), np.array([1, 2], np.int32), np.ones(2, np.uint16), np.zeros(1, np.int32))
    assert measured(table.information, 0, [1])[0] == pytest.approx(mutual_info_score([0, 1, 1], [0, 1, 1]))


VALUES = {
    "few integers": ([3.0, 1.0, 3.0, np.nan, 2.0], [1.0, 2.0, 3.0]),
    "integers with a hole": ([0.0, 3.0, 0.0, 3.0, np.nan], [0.0, 1.0, 2.0, 3.0]),
    "far apart": ([-1e6, 5.0, 1e12, 5.0, 5.0], [-1e6, 5.0, 1e12]),
    "one value": ([7.0] * 5, [7.0]),
    "negative": ([-2.0, -1.0, -2.0, -2.0, -1.0], [-2.0, -1.0]),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_values_are_listed_and_encoded_by_their_rank(name, dtype):
    values, expected = VALUES[name]
    rows = np.array(values, dtype=dtype)[:, None]
    distinct, count = np.zeros((1, 4)), np.zeros(1, dtype=np.int32)
    few_distinct(rows, True, distinct, count, 1)
    assert_array_equal(distinct[0, : count[0]], np.array(expected, dtype=dtype))
    codes = np.empty((1, 5), dtype=np.uint8)
    encode_columns(rows, distinct, count - 1, codes, 1)
    for value, code in zip(rows[:, 0], codes[0], strict=True):
        assert code == 255 if np.isnan(value) else distinct[0, code] == value


def test_thresholds_one_apart_are_counted_as_any_others():
    rng = np.random.default_rng(8)
    values = np.concatenate([rng.normal(0, 4, 300), np.arange(-6, 7), [np.nan, 1e300, -1e300, np.inf, -np.inf]])
    for first, n_thresholds in ((-2.0, 5), (0.0, 1), (-3.5, 8), (1e6, 3)):
        thresholds = first + np.arange(n_thresholds)[None]
        codes = np.empty((1, len(values)), dtype=np.uint8)
        encode_columns((values + first)[:, None], thresholds, np.array([n_thresholds], dtype=np.int32), codes, 1)
        expected = np.where(np.isnan(values), 255, ((values + first)[:, None] > thresholds).sum(axis=1))
        assert_array_equal(codes[0], expected)


def test_too_many_values_fractions_and_nothing_are_reported():
    rows = np.column_stack([np.arange(40) * 100.0, np.linspace(0, 1, 40), np.full(40, np.nan), np.arange(40) % 2])
    distinct, counts = np.zeros((4, 10)), np.zeros(4, dtype=np.int32)
    few_distinct(rows, True, distinct, counts, 2)
    assert counts.tolist() == [11, -1, 0, 2]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_thresholds", [0, 1, 2, 16, 17, 100])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(("stored_as", "order"), [(np.float32, "F"), (np.float64, "F"), (np.float64, "C")])
def test_a_code_is_the_number_of_thresholds_that_a_value_exceeds(level, n_thresholds, dtype, stored_as, order):
    rng = np.random.default_rng(7)
    rows = np.asarray(rng.normal(size=(200, 70)).astype(np.float32), dtype=stored_as, order=order)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    thresholds = rng.normal(size=(70, n_thresholds))
    thresholds[:, :1] = rows[:1].T  # a value at a cut does not exceed it
    thresholds = np.sort(np.nan_to_num(thresholds), axis=1)
    codes = np.empty((70, 200), dtype=dtype)
    with at_level(level):
        encode_columns(rows, thresholds, np.full(70, n_thresholds, dtype=np.int32), codes, 2)
    expected = (rows.T[:, :, None] > thresholds[:, None, :]).sum(axis=2)
    assert_array_equal(codes, np.where(np.isnan(rows.T), np.iinfo(dtype).max, expected))
