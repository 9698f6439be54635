"""PairMoments of rows that come in parts, however they are split and merged."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest.errors import InvalidInput
from fewest.statistics.splits import Folded, GivenFolds

from .pair_scatters import (
    SCALES,
    assert_agree,
    assert_same_tables,
    block_of,
    empty_of,
    exact_tables,
    gappy,
    merged,
    parts_of,
    statistic_of,
    table,
    tables_of,
    variance_if_independent,
)


@settings(max_examples=80)
@given(st.data())
def test_any_split_and_any_merge_order_gives_the_whole(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n = data.draw(st.integers(1, 40))
    X = rng.normal(size=(n, 4)) + data.draw(st.sampled_from([0.0, 1e3, 1e6]))
    if data.draw(st.booleans()):
        X = gappy(X, data.draw(st.sampled_from([0.05, 0.5])), seed=n)
    y = rng.integers(0, 4, n)
    weights = rng.integers(0, 3, n).astype(float) if data.draw(st.booleans()) else None
    scale, with_total = data.draw(st.sampled_from(SCALES)), data.draw(st.booleans())
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    parts = parts_of(X, y, [0, *cuts, n], weights, scale, with_total)
    in_parts = merged(data.draw(st.permutations(parts)))
    block_by_block = empty_of(scale, with_total)
    for start, stop in pairwise([0, *cuts, n]):
        rows = slice(start, stop)
        block_by_block.update(block_of(X[rows], y[rows], None if weights is None else weights[rows]))
    expected = exact_tables(X, y, scale, weights)
    size = variance_if_independent(X, scale, weights)
    for whole in (in_parts, block_by_block, statistic_of(X, y, weights, scale, with_total, is_all=False)):
        assert_agree(tables_of(whole, scale), expected, size)
        assert whole.n_rows == (n if weights is None else np.count_nonzero(weights))
    assert in_parts.fingerprint() == block_by_block.fingerprint()


@settings(max_examples=40)
@given(st.data())
def test_a_weight_of_two_is_the_row_twice(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, scale = data.draw(st.integers(2, 30)), data.draw(st.sampled_from(SCALES))
    X, y = rng.normal(size=(n, 3)) + data.draw(st.sampled_from([0.0, 1e4])), rng.integers(0, 3, n)
    X = gappy(X, data.draw(st.sampled_from([0.0, 0.3])), seed=n)
    repeats = rng.integers(0, 4, n)
    is_all, with_total = data.draw(st.booleans()), data.draw(st.booleans())
    convert = data.draw(st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]))
    once = statistic_of(convert(X), y, repeats.astype(float), scale, with_total, is_all)
    repeated, labels = np.repeat(X, repeats, axis=0), np.repeat(y, repeats)
    often = statistic_of(convert(repeated), labels, None, scale, with_total, is_all)
    expected, size = exact_tables(repeated, labels, scale), variance_if_independent(repeated, scale)
    for statistic in (once, often):
        assert_agree(tables_of(statistic, scale), expected, size)
    assert_array_equal(once.copies(), often.copies())


def test_classes_may_come_in_another_order_and_later_and_with_no_rows():
    X, y = table(40, 3, seed=6)
    names = np.array(["b", "a", "c"])[y]
    expected = exact_tables(X, names.tolist(), "std")

    def part(rows, classes):
        codes = [classes.index(name) for name in names[rows]]
        return block_of(X[rows], codes, classes=classes)

    no_c = np.flatnonzero(names != "c")
    rest = np.flatnonzero(names == "c")
    blocks = [
        part(no_c[:10], ["a", "b"]),
        part(no_c[10:15], ["b", "a", "z"]),
        part(rest[:0], ["y", "c"]),
        part(np.concatenate([no_c[15:], rest[3:]]), ["z", "c", "a", "b"]),
        part(rest[:3], ["c"]),
        part(rest[:0], ["x"]),
    ]
    statistics = []
    whole = empty_of("std")
    for block in blocks:
        whole.update(block)
        statistics.append(empty_of("std"))
        statistics[-1].update(block)
    for order in (range(6), [5, 4, 3, 2, 1, 0], [2, 5, 0, 4, 1, 3]):
        assert_agree(tables_of(merged([statistics[i] for i in order]), "std"), expected)
    assert_agree(tables_of(whole, "std"), expected)
    # A statistic that has met classes without rows is merged like any other.
    again = empty_of("std")
    again.merge(whole)
    assert_agree(tables_of(again, "std"), expected)


def test_merging_an_empty_statistic_changes_nothing_either_way():
    X, y = table()
    for data in (X, gappy(X)):
        for is_all in (False, True):
            statistic, untouched = (statistic_of(data, y, scale="std", is_all=is_all) for _ in range(2))
            statistic.merge(empty_of("std"))
            assert_same_tables(statistic, untouched, "std")
            empty = empty_of("std")
            empty.merge(statistic)
            assert_same_tables(empty, untouched, "std")
            assert_array_equal(empty.copies(), untouched.copies())


@pytest.mark.parametrize("offset", [1e3, 1e6])
@pytest.mark.parametrize("first", ["never observed", "of no weight", "constant", "far away", "without a column"])
def test_rows_seen_first_need_not_be_like_the_rest(first, offset):
    # The pivot is chosen when the first rows come, and they may know nothing of where the others are.
    X, y = table(300, 3, seed=9)
    X = X / X.std(axis=0) + offset
    weights = np.ones(300)
    if first == "never observed":
        X[:5] = np.nan
    elif first == "of no weight":
        weights[:5], X[:5] = 0.0, 0.0
    elif first == "without a column":
        X[:5, 1] = np.nan
    else:
        X[:1] = 0.5
        X[1:5] = 0.5 if first == "constant" else -offset
    for scale in ("std", None):
        expected = exact_tables(X, y, scale, weights)
        for values in (X, sparse.csr_array(X)):
            parts = parts_of(values, y, [0, 5, 6, 100, 300], weights, scale)
            whole = empty_of(scale)
            for start, stop in pairwise([0, 5, 6, 100, 300]):
                whole.update(block_of(values[start:stop], y[start:stop], weights[start:stop]))
            for statistic in (whole, merged(parts), merged(parts[::-1])):
                assert_agree(tables_of(statistic, scale), expected)


def test_thin_rows_may_be_followed_by_rows_far_from_zero():
    rng = np.random.default_rng(0)
    thin = np.zeros((40, 25))
    thin[np.arange(40), np.arange(40) % 3] = 1.0
    far = thin.copy()
    far[:, 1] = 1e6 + rng.normal(size=40)
    X, y = np.vstack([thin[:2], far]), np.arange(42) % 3
    whole = empty_of()
    for rows in (slice(0, 2), slice(2, 20), slice(20, 42)):
        whole.update(block_of(sparse.csr_array(X[rows]), y[rows]))
    expected = exact_tables(X[:, :4], y)
    assert_agree([found[:4, :4] for found in tables_of(whole)], expected)


def test_sums_that_are_closed_refuse_more_rows():
    X, y = table()
    message = r"Rows cannot be added to sums that were closed when all rows were there\. Begin with partial_fit\."
    closed, other_closed, open_ = (statistic_of(X, y, is_all=is_all) for is_all in (True, True, False))
    before = tables_of(closed)
    for one, other in ((closed, open_), (open_, closed), (closed, other_closed)):
        with pytest.raises(InvalidInput, match=message):
            one.merge(other)
    with pytest.raises(InvalidInput, match=message):
        closed.update(block_of(X, y))
    closed.update(block_of(X[:0], y[:0]))
    for a, b in zip(tables_of(closed), before, strict=True):
        assert_array_equal(a, b)
    assert closed.n_rows == open_.n_rows == len(y)
    # Without the total nothing is spared, and so nothing is closed.
    first = statistic_of(X, y, with_total=False)
    first.merge(statistic_of(X, y, with_total=False))
    assert first.n_rows == 2 * len(y)


def test_each_fold_left_out_gives_the_statistic_of_the_others():
    X, y = table(50, 3, seed=1)
    fold_of_row = np.arange(50) % 3
    folded = Folded(empty_of("symmetric"), GivenFolds(fold_of_row, 3))
    folded.update(block_of(X, y, is_all=True))
    for k in range(3):
        rest = fold_of_row != k
        assert_agree(tables_of(folded.without(k), "symmetric"), exact_tables(X[rest], y[rest], "symmetric"))
    assert_agree(tables_of(folded.whole(), "symmetric"), exact_tables(X, y, "symmetric"))


def test_statistics_of_different_widths_do_not_merge():
    X, y = table()
    one, other = statistic_of(X, y, is_all=False), statistic_of(X[:, :3], y, is_all=False)
    before = tables_of(one)
    with pytest.raises(InvalidInput, match="5 and of 3 columns"):
        one.merge(other)
    for a, b in zip(tables_of(one), before, strict=True):
        assert_array_equal(a, b)


def test_columns_are_never_collected_in_groups():
    statistic = statistic_of(*table())
    assert not statistic.is_columnwise
    with pytest.raises(NotImplementedError, match="needs all columns at once"):
        statistic.join([statistic])


@pytest.mark.parametrize("is_all", [False, True])
def test_pair_moments_pickle(is_all):
    X, y = table()
    statistic = statistic_of(gappy(X), y, scale="std", is_all=is_all)
    again = pickle.loads(pickle.dumps(statistic))
    assert_same_tables(again, statistic, "std")
    assert_array_equal(again.copies(), statistic.copies())
    assert again.fingerprint() == statistic.fingerprint()
    if not is_all:
        again.update(block_of(X, y))
        statistic.update(block_of(X, y))
        assert_same_tables(again, statistic, "std")
