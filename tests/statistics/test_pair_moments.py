"""PairMoments against the formula in rational arithmetic, whatever the rows come in and however they are split."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from threadpoolctl import threadpool_limits

from fewest.criteria.scaling import origin_of, shift_and_unit
from fewest.errors import InfiniteValue, InvalidInput
from fewest.protocols import Block
from fewest.statistics import Folded, GivenFolds, PairMoments

from ..reference.kernel_trace import scaled
from ..reference.pairs import exact_pair_scatter, pair_scatter, theta_pairs

SCALES = ("std", "range", "symmetric", None)


def empty_of(scale=None, with_total=True):
    return PairMoments(with_total, partial(origin_of, scale=scale))


def block_of(X, y, weights=None, classes=range(5), is_all=False):
    return Block(X, np.asarray(y, dtype=np.int32), list(classes), weights, is_all=is_all)


def statistic_of(X, y, weights=None, scale=None, with_total=True, is_all=True):
    statistic = empty_of(scale, with_total)
    statistic.update(block_of(X, y, weights, is_all=is_all))
    return statistic


def parts_of(X, y, edges, weights=None, scale=None, with_total=True):
    """A statistic for each run of rows; an empty one for none."""
    parts = []
    for start, stop in pairwise(edges):
        rows = slice(start, stop)
        block = block_of(X[rows], y[rows], None if weights is None else weights[rows])
        parts.append(empty_of(scale, with_total))
        if start < stop:
            parts[-1].update(block)
    return parts


def merged(parts):
    whole = parts[0].empty()
    for part in parts:
        whole.merge(part)
    return whole


def tables_of(statistic, scale=None):
    return statistic.scatter(*shift_and_unit(statistic, scale))


def exact_tables(X, y, scale=None, weights=None):
    return [np.array(table, dtype=np.float64) for table in exact_pair_scatter(X, y, scale, weights)]


def assert_agree(found, expected, size=None, rtol=1e-12):
    """Each to so much of the total variance of its product, or of another size."""
    size = expected[1] if size is None else np.maximum(size, expected[1])
    for a, b in zip(found, expected, strict=True):
        if a is not None:
            # What lies this far below all the others is rounding, of the reference as well.
            excess = np.abs(a - b) - rtol * size - 1e-25 * size.max(initial=0.0)
            assert excess.max(initial=0.0) <= 0.0, np.unravel_index(np.argmax(excess), excess.shape)


def assert_same_tables(one, other, scale=None):
    for a, b in zip(tables_of(one, scale), tables_of(other, scale), strict=True):
        assert_array_equal(a, b)


def variance_if_independent(X, scale, weights=None):
    """(p, p) the variance that products would have were the columns independent."""
    Z = np.nan_to_num(scaled(X, scale, weights))
    weights = np.ones(len(Z)) if weights is None else weights
    if not weights.any():  # no row counts
        return np.zeros((Z.shape[1],) * 2)
    mean = np.average(Z, axis=0, weights=weights)
    variance = np.average((Z - mean) ** 2, axis=0, weights=weights)
    return np.outer(variance + mean**2, variance + mean**2) - np.outer(mean**2, mean**2)


def table(n=60, p=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, 3, p) + y[:, None] * np.linspace(0, 2, p) - 1
    return X, y


def gappy(X, share=0.2, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


@pytest.mark.parametrize("is_all", [False, True])
def test_two_columns_of_four_rows_worked_by_hand(is_all):
    # class 0: (1, 2), (3, 0); class 1: (0, 1), (2, 2).
    # x1 x2: 2, 0 | 0, 4. means 1 and 2, of all 1.5: between 0.25; squares 4 + 16 over 4, less 2.25: total 2.75.
    # x1 x1: 1, 9 | 0, 4. means 5 and 2, of all 3.5: between 2.25; 98 / 4 - 12.25 = 12.25.
    # x2 x2: 4, 0 | 1, 4. means 2 and 2.5, of all 2.25: between 0.0625; 33 / 4 - 5.0625 = 3.1875.
    X = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    statistic = statistic_of(X, [0, 0, 1, 1], is_all=is_all)
    between, total = tables_of(statistic)
    assert between.tolist() == [[2.25, 0.25], [0.25, 0.0625]]
    assert total.tolist() == [[12.25, 2.75], [2.75, 3.1875]]
    assert tables_of(statistic_of(X, [0, 0, 1, 1], with_total=False))[1] is None
    # From 0 to 1 they are x1 / 3 and x2 / 2.
    between, total = tables_of(statistic_of(X, [0, 0, 1, 1], scale="range", is_all=is_all), "range")
    assert_agree((between, total), ([[2.25 / 81, 0.25 / 36], [0.25 / 36, 1 / 256]], total), rtol=1e-15)
    assert total[0, 1] == pytest.approx(2.75 / 36, rel=1e-15)


@pytest.mark.parametrize("is_all", [False, True])
def test_a_gap_takes_a_row_from_its_own_pairs_alone_worked_by_hand(is_all):
    # As above, and (missing, 7) in class 1. x2 x2: 4, 0 | 1, 4, 49: means 2 and 18, of all 11.6.
    # between 2/5 9.6^2 + 3/5 6.4^2 = 61.44; total (16 + 0 + 1 + 16 + 2401) / 5 - 11.6^2 = 352.24.
    X = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0], [2.0, 2.0], [np.nan, 7.0]])
    between, total = tables_of(statistic_of(X, [0, 0, 1, 1, 1], is_all=is_all))
    assert_agree((between, total), (np.array([[2.25, 0.25], [0.25, 61.44]]), np.array([[12.25, 2.75], [2.75, 352.24]])))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("is_all", [False, True])
def test_scatter_agrees_with_rational_arithmetic(scale, has_gaps, is_weighted, is_all):
    for seed in range(3):
        X, y = table(seed=seed)
        X[:, 3] = -7.25
        if has_gaps:
            X = gappy(X)
        weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y)) if is_weighted else None
        expected = exact_tables(X, y, scale, weights)
        found = tables_of(statistic_of(X, y, weights, scale, is_all=is_all), scale)
        assert_agree(found, expected)
        for table_ in found:
            assert_array_equal(table_, table_.T)
            assert not table_[3].any()
        without_total, none = tables_of(statistic_of(X, y, weights, scale, with_total=False), scale)
        assert none is None
        assert_agree((without_total, None), expected)
        for gamma in (-0.5, 0.3):
            theta = theta_pairs(X, y, gamma, scale, weights)
            assert_agree((found[0] - gamma * found[1], None), (theta, expected[1]))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("is_all", [False, True])
@pytest.mark.parametrize("offset", [1e3, -1e6, 1e6])
def test_an_offset_costs_no_digits(scale, is_all, offset):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 4)) + 0.5 * y[:, None] + offset
    for data in (X, gappy(X)):
        expected = exact_tables(data, y, scale)
        found = tables_of(statistic_of(data, y, scale=scale, is_all=is_all), scale)
        without_total = tables_of(statistic_of(data, y, scale=scale, with_total=False), scale)[0]
        assert_agree(found, expected, rtol=1e-13)
        assert_agree((without_total, None), expected, rtol=1e-13)
        for gamma in (0.0, -0.5):
            theta = expected[0] - gamma * expected[1]
            # Of itself each has as many digits as are left of its size.
            assert np.max(np.abs(found[0] - gamma * found[1] - theta) / np.abs(theta)) <= 1e-12


def degenerate_tables():
    X, y = table(24, 4, seed=3)
    apart = X.copy()
    apart[::2, 0] = np.nan
    apart[1::2, 1] = np.nan
    unknown = X.copy()
    unknown[y == 1, 0] = np.nan
    empty = X.copy()
    empty[:, 2] = np.nan
    nothing = np.full_like(X, np.nan)
    few = np.full_like(X, np.nan)
    few[4] = X[4]
    return {
        "a pair never observed together": (apart, y),
        "a class never observed in a column": (unknown, y),
        "a column never observed": (empty, y),
        "nothing observed": (nothing, y),
        "a single row observed": (few, y),
        "a class of one row": (X, np.where(np.arange(24) == 7, 3, 0)),
        "one class": (X, np.zeros(24, dtype=int)),
        "one row": (X[:1], y[:1]),
        "two rows": (X[:2], y[:2]),
        "one column": (X[:, :1], y),
        "whole numbers": (np.round(X), y),
        "all constant": (np.full_like(X, 0.1), y),
    }


@pytest.mark.parametrize("name", degenerate_tables())
@pytest.mark.parametrize("scale", SCALES)
def test_degenerate_tables_agree_with_rational_arithmetic(name, scale):
    X, y = degenerate_tables()[name]
    weights = np.random.default_rng(2).choice([0.0, 0.7, 2.0], len(y))
    weights[:5] = 1.0
    for w in (None, weights):
        for is_all in (False, True):
            found = tables_of(statistic_of(X, y, w, scale, is_all=is_all), scale)
            assert_agree(found, exact_tables(X, y, scale, w), variance_if_independent(X, scale, w))


def test_nothing_seen_and_no_row_of_any_weight_is_zero():
    between, total = PairMoments(True).scatter(np.zeros(0), np.zeros(0))
    assert between.shape == total.shape == (0, 0)
    X, y = table()
    statistic = statistic_of(X, y, np.zeros(len(y)))
    assert not np.any(tables_of(statistic))
    assert statistic.n_rows == 0
    statistic = empty_of()
    statistic.update(block_of(X[:0], y[:0]))
    assert not np.any(tables_of(statistic))
    assert tables_of(statistic)[0].shape == (5, 5)


def storages(X):
    padded = np.zeros((X.shape[0] * 2, X.shape[1] + 3))
    padded[::2, 1 : X.shape[1] + 1] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    zeros = sparse.csr_array(np.where(X == 0, 1.0, X))
    zeros.data[X.ravel() == 0] = 0.0
    return {
        "C order": X,
        "Fortran order": np.asfortranarray(X),
        "every second row of a wider array": padded[::2, 1 : X.shape[1] + 1],
        "reversed rows and columns": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "strided both ways": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "read-only": read_only,
        "float32": X.astype(np.float32),
        "CSR": sparse.csr_array(X),
        "CSC": sparse.csc_array(X),
        "CSR of float32": sparse.csr_array(X.astype(np.float32)),
        "CSR with explicit zeros": zeros,
        "CSC with explicit zeros": zeros.tocsc(),
    }


def stored_tables():
    rng = np.random.default_rng(11)
    dense = (np.where(rng.random((90, 6)) < 0.5, rng.normal(size=(90, 6)) + 1, 0.0)).astype(np.float32)
    thin = np.where(rng.random((90, 6)) < 0.03, dense + 1, 0.0)
    thin[0] = 1.0
    thin[:, 3] = 0.0
    near = thin.copy()
    near[:, 1] = dense[:, 1] + 3
    far = thin.copy()
    far[:, 1] = dense[:, 1] + 1e6
    wide = np.zeros((90, 30))
    wide[:, :6] = thin
    wide[:, 29] = dense[:, 0] + np.float32(1e6)
    return {
        "dense": dense,
        "gaps": np.where(rng.random((90, 6)) < 0.1, np.nan, dense),
        "thin": thin,
        "thin with a gap": np.where(np.arange(540).reshape(90, 6) == 77, np.nan, thin),
        "thin but for a column": near,
        "thin but for a column far from zero": far,
        "thin and wide but for a column far from zero": wide,
    }


@pytest.mark.parametrize("data", stored_tables())
@pytest.mark.parametrize("scale", ["std", None])
def test_storage_does_not_matter(data, scale):
    X = stored_tables()[data].astype(np.float32).astype(np.float64)
    rng = np.random.default_rng(0)
    y, weights = rng.integers(0, 3, len(X)), rng.choice([0.0, 1.0, 2.5], len(X))
    columns = np.flatnonzero(X.any(axis=0)) if X.shape[1] > 6 else np.arange(6)
    some = np.ix_(columns, columns)
    for w in (None, weights):
        expected = exact_tables(X[:, columns], y, scale, w)
        for values in storages(X).values():
            for with_total, is_all in ((True, True), (True, False), (False, True)):
                found = tables_of(statistic_of(values, y, w, scale, with_total, is_all), scale)
                assert_agree([None if t is None else t[some] for t in found], expected)


def test_thin_rows_are_multiplied_as_sparse_ones_and_others_are_not(monkeypatch):
    tables = stored_tables()
    y = np.arange(90) % 3
    monkeypatch.setattr(PairMoments, "_add_dense", None)
    for name in ("thin", "thin and wide but for a column far from zero"):
        thin = sparse.csr_array(tables[name][:, :20])
        assert tables_of(statistic_of(thin, y))[0].any()
        assert tables_of(statistic_of(thin, y, is_all=False))[0].any()
    for name in ("dense", "thin with a gap", "thin and wide but for a column far from zero"):
        with pytest.raises(TypeError):
            statistic_of(sparse.csr_array(tables[name]), y)


def test_thin_and_dense_parts_with_and_without_gaps_merge():
    tables = stored_tables()
    names = ("thin", "gaps", "dense", "thin but for a column far from zero", "thin with a gap", "thin")
    y = np.arange(90 * len(names)) % 4
    X = np.vstack([tables[name] for name in names])
    expected = exact_tables(X, y, "range")
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [1, 0, 5, 4, 3, 2], [2, 4, 0, 3, 5, 1]):
        one, statistics = empty_of("range"), []
        for i in order:
            block = block_of(sparse.csr_array(tables[names[i]]), y[90 * i : 90 * i + 90])
            one.update(block)
            statistics.append(empty_of("range"))
            statistics[-1].update(block)
        for whole in (one, merged(statistics)):
            assert_agree(tables_of(whole, "range"), expected)


@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_more_columns_than_a_tile_holds(has_gaps, is_weighted):
    X, y = table(30, 300, seed=4)
    X = gappy(X) if has_gaps else X
    weights = np.random.default_rng(1).choice([0.0, 0.5, 2.0], 30) if is_weighted else None
    some = [0, 1, 17, 254, 255, 256, 257, 299]
    expected = pair_scatter(X[:, some], y, "symmetric", weights)
    whole = statistic_of(X, y, weights, "symmetric")
    in_parts = merged(parts_of(X, y, [0, 4, 19, 30], weights, "symmetric"))
    for statistic in (whole, in_parts):
        for found, exact in zip(tables_of(statistic, "symmetric"), expected, strict=True):
            assert_array_equal(found, found.T)
            assert_agree((found[np.ix_(some, some)], None), (exact, expected[1]))


def many_columns(kind):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(700, 600)) + 2, rng.integers(0, 3, 700)
    if kind == "gaps":
        X = gappy(X, 0.01)
    if kind == "thin":
        X = sparse.csr_array(np.where(rng.random(X.shape) < 0.02, X, 0.0))
    return X, y, rng.random(700)


@pytest.mark.parametrize("kind", ["plain", "gaps", "thin"])
@pytest.mark.parametrize("with_total", [False, True])
def test_the_number_of_threads_changes_no_bit(kind, with_total):
    X, y, weights = many_columns(kind)
    with threadpool_limits(1):
        alone = statistic_of(X, y, weights, "std", with_total)
        expected = tables_of(alone, "std")
        first, *others = parts_of(X, y, [0, 300, 700], weights, "std", with_total)
        first.merge(others[0])
        expected_merged = tables_of(first, "std")
    for n_threads in (2, 4):
        with threadpool_limits(n_threads):
            found = tables_of(statistic_of(X, y, weights, "std", with_total), "std")
            first, *others = parts_of(X, y, [0, 300, 700], weights, "std", with_total)
            first.merge(others[0])
            found_merged = tables_of(first, "std")
        for a, b in zip((*found, *found_merged), (*expected, *expected_merged), strict=True):
            assert_array_equal(a, b)


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
    with pytest.raises(NotImplementedError, match="never collected in groups"):
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


def test_an_infinite_value_is_named():
    X, y = table()
    X[7, 2] = np.inf
    with pytest.raises(InfiniteValue, match=r"Column 2 holds infinity \(row 7\)"):
        statistic_of(X, y)
    weights = np.where(np.arange(len(y)) == 7, 0.0, 1.0)
    X[7] = 1e6
    assert_agree(tables_of(statistic_of(X, y, weights)), exact_tables(X, y, None, weights))


@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("kind", ["plain", "gaps", "thin"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_copies_are_found_and_nothing_else_is_taken_for_one(convert, kind, is_weighted):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    x = rng.normal(size=200)
    if kind == "gaps":
        x[rng.random(200) < 0.2] = np.nan
    if kind == "thin":
        x[rng.random(200) < 0.97] = 0.0
    within_classes = np.concatenate([x[:100][::-1], x[100:]])
    nearly = x.copy()  # two rows of a class exchanged, whose values are all but equal
    x[[3, 9]] = 1.5, 1.5 + 2e-16
    nearly[[3, 9]] = x[[9, 3]]
    constant, empty = np.full(200, 0.0 if kind == "thin" else 7.1), np.full(200, np.nan)
    if kind == "thin":
        empty = constant
    a_little_more = np.where(x == 0, x, x + 1e-9)
    columns = [x, within_classes, x, nearly, a_little_more, constant, empty, nearly, constant, empty, -x]
    weights = rng.random(200) if is_weighted else None
    if is_weighted:
        weights[50] = 0.0
        columns[2] = np.where(np.arange(200) == 50, 9.0, x)  # a row that is not there tells nothing
    X = np.column_stack(columns)
    expected = [0, 1, 0, 3, 4, 5, 5, 3, 5, 5, 10] if kind == "thin" else [0, 1, 0, 3, 4, 5, 6, 3, 5, 6, 10]
    values = convert(X)
    row_by_row = values.tocsr() if sparse.issparse(values) else values
    for with_total in (False, True):
        whole = statistic_of(values, y, weights, with_total=with_total)
        in_parts = parts_of(row_by_row, y, [0, 60, 61, 200], weights, None, with_total)
        for statistic in (whole, merged(in_parts), merged(in_parts[::-1])):
            assert statistic.copies().tolist() == expected


def test_columns_are_copies_only_where_they_are_in_every_part():
    X, y = table(40, 4)
    X[:20, 1] = X[:20, 0]
    X[20:, 2] = X[20:, 0]
    X[:, 3] = X[:, 0]
    first, second = parts_of(X, y, [0, 20, 40])
    assert first.copies().tolist() == [0, 0, 2, 0]
    assert second.copies().tolist() == [0, 1, 0, 0]
    assert merged([first, second]).copies().tolist() == merged([second, first]).copies().tolist() == [0, 1, 2, 0]
    assert first.copies().tolist() == [0, 0, 2, 0]


def test_a_gap_is_not_the_value_that_sums_run_about():
    x, other = [np.nan, 0.0, 1.0, -1.0], [0.0, np.nan, 1.0, -1.0]
    for is_all in (False, True):
        statistic = statistic_of(np.column_stack([x, other, x]), [0] * 4, is_all=is_all)
        assert not statistic.pivot.any()
        assert statistic.copies().tolist() == [0, 1, 0]


def test_a_constant_column_does_not_make_sums_move(monkeypatch):
    X, y = table(90, 3)
    X[:, 1] = 0.1
    weights = np.random.default_rng(0).random(90)
    monkeypatch.setattr(PairMoments, "_add_moved", None)
    whole = empty_of()
    for start in range(0, 90, 15):
        rows = slice(start, start + 15)
        whole.update(block_of(X[rows], y[rows], weights[rows]))
    assert_agree(tables_of(whole), exact_tables(X, y, None, weights))


def test_zeros_of_either_sign_are_equal():
    y = np.arange(30) % 2
    x = np.where(np.arange(30) % 3 == 0, 0.0, np.arange(30.0))
    X = np.column_stack([x, np.where(x == 0, -0.0, x)])
    for values in (X, sparse.csr_array(X)):
        assert statistic_of(values, y).copies().tolist() == [0, 0]


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e5])
@pytest.mark.parametrize("is_all", [False, True])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_what_varies_only_by_rounding_varies_no_more_than_its_class_means(offset, is_all, has_gaps):
    # Scaled to +-1 the product of a column of two values with itself, or with its opposite, is 1 or -1.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    x = rng.choice([0.3, 0.7], 3000)
    X = np.column_stack([x, 1 - x, x, rng.normal(size=3000)]) + offset
    X = gappy(X) if has_gaps else X
    between, total = tables_of(statistic_of(X, y, scale="symmetric", is_all=is_all), "symmetric")
    assert between[:3, :3].max() < 1e-20
    assert_array_equal(total[:3, :3], between[:3, :3])
    assert (total[3] > 1e-3).all()


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_very_large_and_very_small_columns_can_be_scaled(size):
    X, y = table(30, 3)
    X[:, 1] *= size
    for with_total in (False, True):
        found = tables_of(statistic_of(X, y, scale="symmetric", with_total=with_total), "symmetric")
        assert_agree(found, exact_tables(X, y, "symmetric"))
    X[:, 1] *= size
    found = tables_of(statistic_of(X, y, scale="symmetric", with_total=False), "symmetric")
    assert_agree(found, exact_tables(X, y, "symmetric"))


def test_a_huge_constant_counts_as_zero():
    X, y = table(30, 3)
    X[:, 1] = 1e100
    for values in (X, gappy(X)):
        for scale in SCALES:
            for is_all in (False, True):
                found = tables_of(statistic_of(values, y, scale=scale, is_all=is_all), scale)
                assert_agree(found, exact_tables(values, y, scale))
    # Thin rows keep zero for a pivot, and then its products with the others overflow.
    wide = np.zeros((30, 40))
    wide[:, 1] = 1e150
    wide[np.arange(30), np.arange(30) % 3 * 2] = 1e6 * X[:, 0]
    found = tables_of(statistic_of(sparse.csr_array(wide), y))
    assert_agree([t[:5, :5] for t in found], exact_tables(wide[:, :5], y))
