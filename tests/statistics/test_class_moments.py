"""ClassMoments against the formulas, exactly where exactness is promised."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from threadpoolctl import threadpool_limits

from fewest import _core
from fewest.data.block import Block
from fewest.errors import FewestError, InfiniteValue, InvalidInput
from fewest.statistics.class_moments import ClassMoments

from ..reference.scatter.scatter import exact_scatter, scatter


def block_of(X, y, weights=None, classes=None):
    y = np.asarray(y, dtype=np.int32)
    return Block(X, y, list(range(y.max() + 1)) if classes is None else classes, weights)


def moments_of(X, y, weights=None):
    moments = ClassMoments()
    moments.update(block_of(X, y, weights))
    return moments


def raw_state(moments):
    return [part.copy() for part in moments._arrays()]


def assert_same_bits(one, other):
    for a, b in zip(raw_state(one), raw_state(other), strict=True):
        assert_array_equal(a, b)


def test_a_column_of_three_values_worked_by_hand():
    # class 0: 1, 3 (mean 2, squares 2); class 1: 8 (mean 8). Overall mean 4.
    # between = 2/3 * (2-4)^2 + 1/3 * (8-4)^2 = 8; within = 2/3.
    moments = moments_of(np.array([[1.0], [8.0], [3.0]]), [0, 1, 0])
    between, within, weight = moments.between_and_within()
    assert (between[0], weight[0]) == (8.0, 3.0)
    assert within[0] == pytest.approx(2 / 3, rel=1e-15)
    assert moments.mean[:, 0].tolist() == [2.0, 8.0]
    assert moments.scatter[:, 0].tolist() == [2.0, 0.0]
    assert (moments.lowest[0], moments.highest[0]) == (1.0, 8.0)
    assert moments.class_counts.tolist() == [2, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e8])
@pytest.mark.parametrize("first_is_outlier", [False, True])
@pytest.mark.parametrize("counts", [(20, 20), (3, 30, 7), (1, 25)])
def test_scatter_agrees_with_exact_rational_arithmetic(dtype, offset, first_is_outlier, counts):
    rng = np.random.default_rng(hash((offset, first_is_outlier, counts)) % 2**32)
    y = np.repeat(np.arange(len(counts)), counts)
    rng.shuffle(y)
    X = (offset + rng.normal(size=(len(y), 5)) + 0.5 * y[:, None]).astype(dtype)
    if first_is_outlier:
        X[0] = 0.0
    between, within, _ = moments_of(X, y).between_and_within()
    for j in range(X.shape[1]):
        exact_between, exact_within = exact_scatter(X[:, j], y.tolist())
        total = float(exact_between + exact_within)
        if total == 0.0:
            assert between[j] == within[j] == 0.0
            continue
        assert abs(between[j] - float(exact_between)) <= 1e-12 * total
        assert abs(within[j] - float(exact_within)) <= 1e-12 * total
        for gamma in (-0.5, 0.0, 0.5):
            exact = float((1 - gamma) * float(exact_between) - gamma * float(exact_within))
            assert abs(between[j] - gamma * (between[j] + within[j]) - exact) <= 1e-12 * total


def test_a_shift_keeps_digits_where_the_whole_variance_lies_far_from_zero():
    # Differences from 1e8 are exact in float64, so the moments must be those of the differences, to rounding.
    rng = np.random.default_rng(1)
    near = np.round(rng.normal(size=(10_000, 3)) * 2**20) / 2**20
    y = rng.integers(0, 3, 10_000)
    far = moments_of(near + 2.0**27, y).between_and_within()
    for a, b in zip(far, moments_of(near, y).between_and_within(), strict=True):
        assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 1), (50, 17), (5000, 9), (9000, 33), (64, 2100)])
@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_moments_agree_with_the_formulas(shape, has_missing, is_weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape[1])
    y = rng.integers(0, 4, shape[0])
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], shape[0]) if is_weighted else None
    if has_missing:
        X[rng.random(shape) < 0.3] = np.nan
    moments = moments_of(X, y, weights)
    between, within, _ = moments.between_and_within()
    columns = range(shape[1]) if shape[1] < 40 else rng.choice(shape[1], 40)
    for j in columns:
        expected = scatter(X[:, j], y, weights)
        assert_allclose((between[j], within[j]), expected, rtol=1e-11, atol=1e-300)
    rows = slice(None) if weights is None else weights > 0
    assert_array_equal(moments.missing, np.isnan(X[rows]).sum(axis=0))
    seen = np.where(np.isnan(X[rows]), np.inf, X[rows])
    assert_array_equal(moments.lowest, seen.min(axis=0, initial=np.inf))


def data_sets():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 9000)
    plain = rng.normal(size=(9000, 21))
    missing = plain.copy()
    missing[rng.random(missing.shape) < 0.01] = np.nan
    wide = rng.normal(size=(40, 3000))
    return {
        "plain": (plain, y),
        "missing": (missing, y),
        "wide": (wide, y[:40]),
        "float32": (plain.astype(np.float32), y),
    }


@pytest.mark.parametrize("name", data_sets())
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_number_of_threads_changes_no_bit(name, is_weighted):
    X, y = data_sets()[name]
    weights = np.random.default_rng(5).random(len(y)) if is_weighted else None
    for storage in (X, np.asfortranarray(X), sparse.csr_array(np.where(X > 0.5, X, 0)), sparse.csc_array(X)):
        with threadpool_limits(1):
            alone = moments_of(storage, y, weights)
        for n_threads in (2, 4):
            with threadpool_limits(n_threads):
                assert_same_bits(moments_of(storage, y, weights), alone)


@pytest.mark.parametrize("name", data_sets())
def test_permuting_columns_permutes_the_moments_to_the_bit(name):
    X, y = data_sets()[name]
    order = np.random.default_rng(7).permutation(X.shape[1])
    for convert in (np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_array):
        straight, permuted = moments_of(convert(X), y), moments_of(convert(X[:, order]), y)
        for a, b in zip(raw_state(straight), raw_state(permuted), strict=True):
            assert_array_equal(a[..., order] if a.shape[-1] == len(order) else a, b)


@pytest.mark.parametrize("level", ["base", "x86-64-v2"])
def test_every_simd_level_gives_the_same_bits(level):
    newest = _core.simd_level()
    if not _core.use_simd_level(level):
        assert not _core.use_simd_level("no such level")
        return
    try:
        for X, y in data_sets().values():
            for storage in (X, np.asfortranarray(X)):
                for weights in (None, np.random.default_rng(5).random(len(y))):
                    _core.use_simd_level(level)
                    lower = moments_of(storage, y, weights)
                    _core.use_simd_level(newest)
                    assert_same_bits(moments_of(storage, y, weights), lower)
    finally:
        _core.use_simd_level(newest)


def storages(X):
    padded = np.zeros((X.shape[0] * 2, X.shape[1] + 3))
    padded[::2, 1 : X.shape[1] + 1] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "Fortran order": np.asfortranarray(X),
        "every second row of a wider array": padded[::2, 1 : X.shape[1] + 1],
        "reversed rows and columns": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "strided both ways": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "read-only": read_only,
        "CSR": sparse.csr_array(X),
        "CSC": sparse.csc_array(X),
        "CSR matrix with 64-bit indices": _wide_indices(sparse.csr_matrix(X)),
        "CSR with explicit zeros": _with_explicit_zeros(X),
    }


def _wide_indices(matrix):
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def _with_explicit_zeros(X):
    full = sparse.csr_array(np.where(X == 0, 1.0, X))
    full.data[X.ravel() == 0] = 0.0
    return full


@pytest.mark.parametrize("name", storages(np.eye(3)))
@pytest.mark.parametrize("is_weighted", [False, True])
def test_storage_does_not_matter(name, is_weighted):
    rng = np.random.default_rng(11)
    X = np.where(rng.random((600, 13)) < 0.4, rng.normal(size=(600, 13)) + 3, 0.0)
    X[rng.random(X.shape) < 0.02] = np.nan
    y = rng.integers(0, 3, 600)
    weights = rng.choice([0.0, 1.0, 2.5], 600) if is_weighted else None
    expected, found = moments_of(X, y, weights), moments_of(storages(X)[name], y, weights)
    for a, b in zip(expected.between_and_within(), found.between_and_within(), strict=True):
        assert_allclose(b, a, rtol=1e-12)
    assert_allclose(found.mean, expected.mean, rtol=1e-12)
    assert_array_equal(found.lowest, expected.lowest)
    assert_array_equal(found.highest, expected.highest)
    assert_array_equal(found.missing, expected.missing)
    assert found.fingerprint() == expected.fingerprint()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_split_and_any_merge_order_gives_the_whole(data):
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(1, 60))
    X = rng.normal(size=(n, 4)) + data.draw(st.sampled_from([0.0, 1e3, 1e6]))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 4, n)
    weights = rng.integers(0, 3, n).astype(float) if data.draw(st.booleans()) else None
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    edges = [0, *cuts, n]
    parts = []
    for start, stop in pairwise(edges):
        rows = slice(start, stop)
        if start < stop:
            parts.append(moments_of(X[rows], y[rows], None if weights is None else weights[rows]))
        else:
            parts.append(ClassMoments())
    merged = ClassMoments()
    for i in data.draw(st.permutations(range(len(parts)))):
        merged.merge(parts[i])
    whole = moments_of(X, y, weights)
    order = [merged.classes.index(label) for label in whole.classes if label in merged.classes]
    kept = [i for i, label in enumerate(whole.classes) if label in merged.classes]
    assert_allclose(merged.mean[order], whole.mean[kept], rtol=1e-12, atol=1e-12)
    total = whole.between_and_within()[0] + whole.between_and_within()[1]
    for a, b in zip(merged.between_and_within(), whole.between_and_within(), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-12 * max(total.max(), 1e-300))


def test_merging_an_empty_statistic_changes_nothing_either_way():
    X, y = data_sets()["missing"]
    moments, untouched = moments_of(X, y), moments_of(X, y)
    moments.merge(ClassMoments())
    assert_same_bits(moments, untouched)
    empty = ClassMoments()
    empty.merge(moments)
    assert_same_bits(empty, untouched)


def test_a_row_of_weight_two_is_the_row_twice_and_of_weight_zero_is_not_there():
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(50, 6)), rng.integers(0, 3, 50)
    repeats = rng.integers(0, 4, 50)
    for convert in (np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array):
        weighted = moments_of(convert(X), y, repeats.astype(float))
        repeated = moments_of(convert(np.repeat(X, repeats, axis=0)), np.repeat(y, repeats))
        for a, b in zip(weighted.between_and_within(), repeated.between_and_within(), strict=True):
            assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("value", [0.1, -7.3e8, 1e-300, 0.0])
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_a_constant_column_has_no_scatter_at_all(value, convert):
    X = np.full((10_000, 3), value)
    weights = np.random.default_rng(0).random(10_000)
    for w in (None, weights):
        moments = moments_of(convert(X), np.arange(10_000) % 7, w)
        between, within, _ = moments.between_and_within()
        assert between.tolist() == within.tolist() == [0.0] * 3


def test_a_class_may_first_appear_in_a_later_block():
    X = np.arange(12.0).reshape(6, 2)
    moments = ClassMoments()
    moments.update(block_of(X[:2], [0, 0], classes=["b"]))
    moments.update(block_of(X[2:], [1, 0, 1, 2], classes=["b", "a", "c"]))
    assert moments.classes == ["b", "a", "c"]
    assert moments.counts_by_class() == {"a": 2, "b": 3, "c": 1}
    whole = moments_of(X, [0, 0, 1, 0, 1, 2])
    assert_allclose(moments.between_and_within()[0], whole.between_and_within()[0], rtol=1e-14)


def test_joining_groups_of_columns_gives_all_columns():
    X, y = data_sets()["missing"]
    parts = [moments_of(X[:, :5], y), moments_of(X[:, 5:6], y), moments_of(X[:, 6:], y)]
    assert_same_bits(parts[0].join(parts), moments_of(X, y))


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_one_error_names_the_row_and_column_of_the_first_infinite_value(value, convert):
    X = np.random.default_rng(0).normal(size=(9000, 5))
    X[4, 0] = np.nan
    X[8123, 3] = X[8500, 2] = value
    with pytest.raises(InfiniteValue, match=r"Column 2 holds .* \(row 8500\)"):
        moments_of(convert(X), np.arange(9000) % 2)


def test_moments_of_different_widths_do_not_merge():
    one, other = moments_of(np.ones((2, 2)), [0, 1]), moments_of(np.ones((2, 3)), [0, 1])
    with pytest.raises(InvalidInput, match="2 and of 3 columns"):
        one.merge(other)
    assert issubclass(InvalidInput, FewestError)


def test_moments_pickle():
    moments = moments_of(*data_sets()["missing"])
    assert_same_bits(pickle.loads(pickle.dumps(moments)), moments)


def test_the_fingerprint_knows_values_and_labels_but_neither_order_nor_width():
    X, y = data_sets()["plain"]
    X = X.astype(np.float32).astype(np.float64)
    fingerprint = moments_of(X, y).fingerprint()
    rows = np.random.default_rng(2).permutation(len(y))
    assert moments_of(X[rows], y[rows]).fingerprint() == fingerprint
    assert moments_of(X.astype(np.float32), y).fingerprint() == fingerprint
    changed = X.copy()
    changed[17, 3] = np.nextafter(changed[17, 3], 9.0)
    assert moments_of(changed, y).fingerprint() != fingerprint
    moved = y.copy()
    moved[[3, 4]] = (y[[3, 4]] + 1) % 3
    assert moments_of(X, moved).fingerprint() != fingerprint
    assert moments_of(X[:, ::-1], y).fingerprint() != fingerprint
