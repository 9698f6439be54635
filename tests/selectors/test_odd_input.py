"""Input that is odd but right: every way to write the same table gives the same answer."""

from __future__ import annotations

import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut

from fewest import FisherMarkov, FisherScore, PearsonCorrelation, Selection, scan

from .whole_numbers import EXPECTED, FRAME, NAMES, SELECTOR, X, Y, assert_same


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def strided(values):
    wide = np.full((2 * len(values), 3 * values.shape[1]), np.nan)
    wide[::2, 1::3] = values
    return wide[::2, 1::3]


def unaligned(values):
    return np.frombuffer(b"x" + values.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(values.shape)


def in_a_record(values):
    records = np.zeros(len(values), dtype=[("flag", np.uint8), ("values", np.float64, (values.shape[1],))])
    records["values"] = values
    return records["values"]


TABLES = {
    "lists": X.tolist(),
    "tuples": tuple(map(tuple, X.tolist())),
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "longdouble": X.astype(np.longdouble),
    "int8": X.astype(np.int8),
    "int64": X.astype(np.int64),
    "big-endian": X.astype(">f8"),
    "big-endian float32": X.astype(">f4"),
    "big-endian int16": X.astype(">i2"),
    "column-major": np.asfortranarray(X),
    "read-only": read_only(X),
    "strided": strided(X),
    "backwards": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "backwards float32": np.ascontiguousarray(X[::-1, ::-1]).astype(np.float32)[::-1, ::-1],
    "unaligned": unaligned(X),
    "strides that are no multiple of a number": in_a_record(X),
    "objects": X.astype(object),
    "objects of many kinds": np.array(
        [[int(a), decimal.Decimal(b), fractions.Fraction(c), np.float32(d)] for a, b, c, d in X.tolist()], dtype=object
    ),
    "numbers as text": X.astype(str),
    "numbers as bytes": X.astype("S8"),
    "numbers as text in objects": X.astype(str).astype(object),
    "masked, nothing hidden": np.ma.masked_array(X, np.zeros_like(X, dtype=bool)),
    "pandas": FRAME,
    "pandas int8": FRAME.astype(np.int8),
    "pandas float16": FRAME.astype(np.float16),
    "pandas objects": FRAME.astype(object),
    "pandas nullable integers": FRAME.astype("Int64"),
    "pandas nullable floats": FRAME.astype("Float32"),
    "pandas of Arrow": FRAME.astype("double[pyarrow]"),
    "pandas of Arrow decimals": FRAME.astype(pd.ArrowDtype(pa.decimal128(10, 2))),
    "pandas of several types": FRAME.astype({"a": "Int8", "b": object, "c": "float32", "d": "int64[pyarrow]"}),
    "pandas, sparse": FRAME.astype(pd.SparseDtype(float, 0.0)),
    "pandas, numbered names": pd.DataFrame(X),
    "pandas, names of two levels": pd.DataFrame(X, columns=pd.MultiIndex.from_product([["a", "b"], [1, 2]])),
    "pandas, any index": FRAME.set_index(np.arange(20)[::-1]),
    "polars": pl.from_pandas(FRAME),
    "polars int128": pl.from_pandas(FRAME).cast(pl.Int128),
    "polars decimals": pl.from_pandas(FRAME).cast(pl.Decimal(10, 2)),
    "polars of several types": pl.from_pandas(FRAME).cast({"a": pl.Int8, "b": pl.Float32, "c": pl.Decimal(10, 2)}),
    "Arrow": pa.Table.from_pandas(FRAME),
    "Arrow in chunks": pa.concat_tables([pa.Table.from_pandas(FRAME[:7]), pa.Table.from_pandas(FRAME[7:])]),
    "Arrow decimals": pa.Table.from_pandas(FRAME).cast(pa.schema([(name, pa.decimal128(10, 2)) for name in NAMES])),
    "CSR": sparse.csr_array(X),
    "CSC": sparse.csc_array(X),
    "COO": sparse.coo_array(X),
    "LIL": sparse.lil_array(X),
    "DOK": sparse.dok_array(X),
    "BSR": sparse.bsr_array(X),
    "DIA": sparse.dia_array(X),
    "CSR matrix": sparse.csr_matrix(X),
    "CSR int8": sparse.csr_array(X.astype(np.int8)),
    "CSC int64": sparse.csc_array(X.astype(np.int64)),
    "CSR float32": sparse.csr_array(X.astype(np.float32)),
    "CSR longdouble": sparse.csr_array(X.astype(np.longdouble)),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_same_numbers_give_the_same_answer_however_they_are_kept(name):
    assert_same(clone(SELECTOR).fit(TABLES[name], Y))


@pytest.mark.parametrize("name", TABLES)
def test_the_same_numbers_give_the_same_columns_however_they_are_kept(name):
    fitted = clone(SELECTOR).fit(TABLES[name], Y)
    taken = fitted.transform(TABLES[name])
    if sparse.issparse(taken):
        taken = taken.toarray()
    assert_array_equal(np.asarray(taken, dtype=float), X[:, fitted.support_])


def with_duplicates(matrix):
    """Every entry in two halves."""
    halves = (np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), 2 * matrix.indptr)
    return type(matrix)(halves, shape=matrix.shape)


def with_zeros_stored(matrix):
    return type(matrix)((X.ravel(), np.tile(np.arange(4), 20), np.arange(0, 81, 4)), shape=matrix.shape)


def unsorted(matrix):
    return type(matrix)((X[:, ::-1].ravel(), np.tile(np.arange(4)[::-1], 20), np.arange(0, 81, 4)), shape=matrix.shape)


def with_wide_indices(matrix):
    parts = (matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64))
    wide = type(matrix)(parts, shape=matrix.shape)
    wide.indices, wide.indptr = parts[1:]
    return wide


@pytest.mark.parametrize("change", [with_duplicates, with_zeros_stored, unsorted, with_wide_indices])
def test_how_a_sparse_matrix_is_stored_changes_neither_the_answer_nor_the_matrix(change):
    matrix = change(sparse.csr_array(X))
    before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
    assert_same(clone(SELECTOR).fit(matrix, Y))
    for part, expected in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        assert_array_equal(part, expected)
    assert_same(clone(SELECTOR).fit(change(sparse.csr_array(X)).tocsc(), Y))


MISSING = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
FRAME_WITH_MISSING = pd.DataFrame(MISSING, columns=NAMES)


def objects_with(missing):
    objects = MISSING.astype(object)
    objects[np.isnan(MISSING)] = missing
    return objects


@pytest.mark.parametrize(
    "table",
    [
        MISSING.astype(np.float32),
        objects_with(None),
        objects_with(np.nan),
        objects_with(pd.NA),
        np.ma.masked_array(np.nan_to_num(MISSING, nan=99.0), np.isnan(MISSING)),
        np.ma.masked_array(np.nan_to_num(MISSING, nan=99.0).astype(int), np.isnan(MISSING)),
        FRAME_WITH_MISSING,
        FRAME_WITH_MISSING.astype("Int64"),
        FRAME_WITH_MISSING.astype("Float64"),
        FRAME_WITH_MISSING.astype("int64[pyarrow]"),
        pd.DataFrame(objects_with(None), columns=NAMES),
        pd.DataFrame(objects_with(pd.NA), columns=NAMES),
        pl.from_pandas(FRAME_WITH_MISSING),
        pl.from_pandas(FRAME_WITH_MISSING.astype("Int64")),
        pa.Table.from_pandas(FRAME_WITH_MISSING.astype("Int64")),
        pa.Table.from_pandas(FRAME_WITH_MISSING),
        sparse.csr_array(MISSING),
        sparse.csc_array(MISSING.astype(np.float32)),
    ],
    ids=lambda table: f"{type(table).__module__.split('.')[0]} {getattr(table, 'dtype', '')}",
)
def test_a_gap_is_a_gap_however_it_is_written(table):
    assert_same(clone(SELECTOR).fit(table, Y), clone(SELECTOR).fit(MISSING, Y))


def test_booleans_are_zero_and_one_and_may_have_gaps():
    truth = X > 0
    expected = clone(SELECTOR).fit(truth.astype(float), Y)
    frame = pd.DataFrame(truth, columns=NAMES)
    for table in (truth, sparse.csr_array(truth), frame, frame.astype("boolean"), pl.from_pandas(frame)):
        assert_same(clone(SELECTOR).fit(table, Y), expected)
    missing = truth.astype(float)
    missing[0] = np.nan
    nullable = frame.astype("boolean")
    nullable.iloc[0] = pd.NA
    for table in (nullable, pl.from_pandas(nullable), pa.Table.from_pandas(nullable), nullable.astype("bool[pyarrow]")):
        assert_same(clone(SELECTOR).fit(table, Y), clone(SELECTOR).fit(missing, Y))


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (np.int64, -(2**63), 2**63 - 1),
        (np.uint64, 0, 2**64 - 1),
        (np.int32, -(2**31), 2**31 - 1),
        (np.int8, -128, 127),
        (np.float32, -3.4e38, 3.4e38),
    ],
)
def test_numbers_at_the_limits_of_their_type_are_numbers(dtype, low, high):
    column = np.where(Y == 1, np.array(high, dtype), np.array(low, dtype))
    table = np.c_[np.arange(20).astype(dtype) % 3, column]
    for given in (table, pd.DataFrame(table, columns=["a", "b"]), pl.DataFrame(table, schema=["a", "b"])):
        fitted = PearsonCorrelation(n_features=1).fit(given, Y)
        assert fitted.selection_.indices == (1,)
        assert fitted.scores_[1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("offset", [1e6, 1e9, 1e12])
@pytest.mark.parametrize(
    "keep", [np.asarray, np.asfortranarray, sparse.csr_array, pd.DataFrame], ids=lambda f: f.__name__
)
def test_a_huge_offset_loses_nothing_that_the_numbers_still_hold(keep, offset):
    assert_allclose(clone(SELECTOR).fit(keep(X + offset), Y).scores_, EXPECTED.scores_, rtol=1e-12)


def test_any_scale_that_can_be_squared_gives_the_same_scores():
    for factor in (1e150, 1e-150):
        assert_allclose(clone(SELECTOR).fit(X * factor, Y).scores_, EXPECTED.scores_, rtol=1e-12)


@pytest.mark.parametrize("selector", [FisherMarkov, FisherScore, PearsonCorrelation])
def test_ties_go_to_the_lowest_column(selector):
    copies = np.repeat(X[:, [2]], 5, axis=1)
    assert selector(n_features=3).fit(copies, Y).selection_.indices == (0, 1, 2)
    assert selector(n_features=3).fit(np.c_[X[:, 0], copies], Y).selection_.indices == (1, 2, 3)
    constant = selector(n_features=2).fit(np.full((20, 4), 7.5), Y)
    assert constant.selection_.indices == (0, 1)
    assert constant.scores_.tolist() == [0.0] * 4
    assert selector(n_features=5).fit(np.c_[np.ones(20), X], Y).selection_.indices[-1] == 0


def test_a_constant_column_of_any_offset_scores_nothing():
    for value in (0.1, 1e8 + 0.1, -1e15, 1e-300, 0.0):
        scores = clone(SELECTOR).fit(np.c_[np.full(20, value), X], Y).scores_
        assert scores[0] == 0.0
        assert_allclose(scores[1:], EXPECTED.scores_, rtol=1e-12)


WORDS = np.where(Y == 1, "yes", "no")

LABELS = {
    "a list of numbers": Y.tolist(),
    "a list of words": WORDS.tolist(),
    "a tuple of words": tuple(WORDS.tolist()),
    "a range of classes": pd.Series(Y, index=range(20)[::-1]),
    "booleans": Y == 1,
    "a list of booleans": (Y == 1).tolist(),
    "floats": Y.astype(float),
    "float16": Y.astype(np.float16),
    "int8": Y.astype(np.int8),
    "the ends of int8": np.where(Y == 1, 127, -128).astype(np.int8),
    "the ends of int16": np.where(Y == 1, 2**15 - 1, -(2**15)).astype(np.int16),
    "the ends of int64": np.where(Y == 1, 2**63 - 1, -(2**63)),
    "the ends of uint64": np.where(Y == 1, np.uint64(2**64 - 1), np.uint64(0)),
    "float16 whose difference is none": np.where(Y == 1, 2048, -1).astype(np.float16),
    "integers beyond any type": [10**30 if label else 0 for label in Y],
    "big-endian": Y.astype(">i4"),
    "read-only": read_only(Y),
    "every second": np.repeat(Y, 2)[::2],
    "backwards": Y[::-1],
    "words": WORDS,
    "bytes": WORDS.astype(bytes),
    "objects": WORDS.astype(object),
    "words with a NUL": np.where(Y == 1, "a\0b", "a").astype(object),
    "half a character": np.where(Y == 1, "a\ud800", "a").astype(object),
    "dates": np.where(Y == 1, np.datetime64("2020-01-01"), np.datetime64("2021-01-01")),
    "a word and a number": [1 if label else "one" for label in Y],
    "numbers as text": Y.astype(str),
    "floats as text": Y.astype(float).astype(str),
    "tuples": pd.Series([(0, label) for label in Y]),
    "pandas": pd.Series(WORDS),
    "pandas text": pd.Series(WORDS, dtype="string"),
    "pandas integers": pd.Series(Y, dtype="Int64"),
    "pandas booleans": pd.Series(Y == 1, dtype="boolean"),
    "pandas categories": pd.Categorical(WORDS, categories=["yes", "unused", "no"]),
    "pandas categories of numbers": pd.Series(Y, dtype="category"),
    "polars": pl.Series(Y),
    "polars text": pl.Series(WORDS),
    "polars categories": pl.Series(WORDS, dtype=pl.Categorical),
    "polars booleans": pl.Series(Y == 1),
    "Arrow": pa.array(Y),
    "Arrow text": pa.array(WORDS),
    "Arrow categories": pa.array(WORDS).dictionary_encode(),
    "Arrow in chunks": pa.chunked_array([WORDS[:3], WORDS[3:]]),
    "masked, nothing hidden": np.ma.masked_array(Y),
}


@pytest.mark.parametrize("n_features", [2, "auto"])
@pytest.mark.parametrize("name", LABELS)
def test_the_names_of_the_classes_change_no_score(name, n_features):
    fitted = FisherMarkov(n_features=n_features).fit(X, LABELS[name])
    assert_allclose(fitted.scores_, EXPECTED.scores_, rtol=1e-12)
    assert sorted(fitted.selection_.provenance.class_counts.values()) == [10, 10]
    assert Selection.from_json(fitted.selection_.to_json()) == fitted.selection_


def test_a_number_and_its_own_text_are_one_class():
    numbers = [label if row % 3 else str(label) for row, label in enumerate(Y.tolist())]
    counts = clone(SELECTOR).fit(X, numbers).selection_.provenance.class_counts
    assert counts == {"0": 10, "1": 10}
    mixed = clone(SELECTOR).partial_fit(X, Y).partial_fit(X, Y.astype(str)).selection_.provenance
    assert mixed.class_counts == {"0": 20, "1": 20}


@pytest.mark.parametrize("n_features", [2, "auto"])
def test_rare_classes_and_tiny_tables_get_an_answer(n_features):
    assert FisherMarkov(n_features=n_features).fit(X, [1] + [0] * 19).n_features_ >= 1
    assert FisherMarkov(n_features=n_features).fit(X[:2], [0, 1]).n_features_ >= 1
    assert FisherMarkov(n_features=n_features).fit(X, np.arange(20)).n_features_ >= 1
    assert FisherMarkov(n_features=n_features, cv=LeaveOneOut()).fit(X, Y).n_features_ >= 1
    assert FisherMarkov(n_features=1 if n_features == 2 else n_features).fit(X[:, :1], Y).n_features_ == 1


@pytest.mark.parametrize(
    "weights",
    [2.0, np.full(20, 2), [2] * 20, pd.Series([2.0] * 20), pl.Series([2] * 20), pa.array([2.0] * 20), "strided"],
)
def test_weights_come_as_any_kind_of_numbers(weights):
    if isinstance(weights, str):
        weights = read_only(np.full(40, 2.0))[::-2]
    fitted = clone(SELECTOR).fit(X, Y, weights)
    twice = clone(SELECTOR).fit(np.r_[X, X], np.r_[Y, Y])
    assert_allclose(fitted.scores_, twice.scores_, rtol=1e-12)


@pytest.mark.parametrize("n_features", [2, "auto"])
def test_rows_without_a_label_or_weight_are_as_if_they_were_not_there(n_features):
    labels = np.where(np.arange(20) % 5 == 0, np.nan, Y)
    kept = ~np.isnan(labels)
    expected = FisherMarkov(n_features=n_features).fit(X[kept], Y[kept])
    for table in (X, FRAME, sparse.csr_array(X), X.astype(object)):
        fitted = FisherMarkov(n_features=n_features).fit(scan(table, labels, drop_unlabelled=True))
        assert_allclose(fitted.scores_, expected.scores_, rtol=1e-12)
        assert fitted.selection_.indices == expected.selection_.indices
        assert fitted.selection_.provenance.n_rows == 16
    assert_allclose(FisherMarkov(n_features=2).fit(X, Y, kept).scores_, expected.scores_, rtol=1e-12)
