"""PairMoments of rows that are stored in any way, thin or wide, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from threadpoolctl import threadpool_limits

from fewest.methods.scatter.pair_moments import PairMoments

from ...reference.scatter.products import pair_scatter
from .pair_scatters import (
    assert_agree,
    block_of,
    empty_of,
    exact_tables,
    gappy,
    merged,
    parts_of,
    statistic_of,
    table,
    tables_of,
)


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
        "missing": np.where(rng.random((90, 6)) < 0.1, np.nan, dense),
        "thin": thin,
        "thin with a missing value": np.where(np.arange(540).reshape(90, 6) == 77, np.nan, thin),
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
    for name in ("dense", "thin with a missing value", "thin and wide but for a column far from zero"):
        with pytest.raises(TypeError):
            statistic_of(sparse.csr_array(tables[name]), y)


def test_thin_and_dense_parts_with_and_without_gaps_merge():
    tables = stored_tables()
    names = ("thin", "missing", "dense", "thin but for a column far from zero", "thin with a missing value", "thin")
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
    if kind == "missing":
        X = gappy(X, 0.01)
    if kind == "thin":
        X = sparse.csr_array(np.where(rng.random(X.shape) < 0.02, X, 0.0))
    return X, y, rng.random(700)


@pytest.mark.parametrize("kind", ["plain", "missing", "thin"])
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
