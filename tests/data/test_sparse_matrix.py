"""Sparse matrices whose indices are of any type work; those that point outside are refused, and never followed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import MRMR, FisherMarkov, check_data
from fewest.data.scan import scan
from fewest.errors import FewestError, InvalidInput, InvalidType
from fewest.memory import MOST_COLUMNS

RANDOM = np.random.default_rng(5)
LABELS = np.arange(20) % 2
DENSE = np.where(RANDOM.random((20, 6)) < 0.5, RANDOM.normal(size=(20, 6)), 0.0)
DENSE[:, 2] = LABELS


def with_types(form, indices, starts):
    """A matrix whose index arrays have these types, as no constructor of SciPy makes it."""
    matrix = sparse.csr_matrix(DENSE).asformat(form)
    matrix.indices, matrix.indptr = matrix.indices.astype(indices), matrix.indptr.astype(starts)
    return matrix


TYPES = [("int16", "int16"), ("uint32", "uint32"), ("int32", "int64"), ("int64", "int32"), ("uint64", "int32"),
         ("float64", "float64"), ("float32", "int32"), ("uint8", "int32"), (">i4", ">i4")]  # fmt: skip


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("types", TYPES, ids=map(str, TYPES))
@pytest.mark.parametrize("selector", [FisherMarkov(), MRMR(n_features=2)], ids=["FisherMarkov", "MRMR"])
def test_index_arrays_of_any_type_give_the_answer_of_the_usual_ones(form, types, selector):
    matrix = with_types(form, *types)
    expected = selector.fit(sparse.csr_matrix(DENSE).asformat(form), LABELS).selection_
    assert selector.fit(matrix, LABELS).selection_.indices == expected.indices
    assert selector.selection_.scores == expected.scores
    assert selector.fit(scan(matrix, LABELS)).selection_.indices == expected.indices
    assert_array_equal(selector.transform(matrix).toarray(), selector.transform(DENSE))
    assert (matrix.indices.dtype, matrix.indptr.dtype) == (np.dtype(types[0]), np.dtype(types[1]))


def broken(form, **parts):
    matrix = sparse.csr_matrix(DENSE).asformat(form)
    for name, change in parts.items():
        setattr(matrix, name, change(getattr(matrix, name).copy()))
    return matrix


def put(position, value):
    def change(array):
        array[position] = value
        return array

    return change


BROKEN = {
    "a column beyond the last": broken("csr", indices=put(3, 600)),
    "a negative column": broken("csr", indices=put(3, -1)),
    "a row beyond the last": broken("csc", indices=put(3, 10**8)),
    "fractions": broken("csr", indices=lambda array: array + 0.5),
    "not a number": broken("csr", indices=lambda array: np.full(len(array), np.nan)),
    "starts that go back": broken("csr", indptr=put(3, 10**6)),
    "too few starts": broken("csr", indptr=lambda array: array[:-2]),
    "starts of two dimensions": broken("csr", indptr=lambda array: array[:, None]),
    "text for indices": broken("csr", indices=lambda array: array.astype(str)),
    "too large for int64": broken("csr", indices=lambda array: array.astype(np.uint64) + np.uint64(2**63)),
    "coordinates beyond the last": broken("coo", col=put(3, 10**9)),
    "negative coordinates": broken("coo", row=put(3, -5)),
    "too few coordinates": broken("coo", row=lambda array: array[:-3]),
    "blocks beyond the last": broken("bsr", indices=put(0, 10**7)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_indices_that_point_outside_are_refused(name):
    uses = [
        lambda matrix: FisherMarkov().fit(matrix, LABELS),
        lambda matrix: scan(matrix, LABELS),
        lambda matrix: check_data(matrix, LABELS),
    ]
    for use in uses:
        with pytest.raises(InvalidInput, match=r"sparse matrix"):
            use(BROKEN[name])


def test_a_sparse_matrix_of_objects_is_refused():
    matrix = sparse.csr_matrix(DENSE)
    matrix.data = matrix.data.astype(object)
    for use in (lambda: scan(matrix, LABELS), lambda: FisherMarkov().fit(matrix, LABELS)):
        with pytest.raises((InvalidType, InvalidInput), match=r"sparse matrix must hold numbers, got object"):
            use()


@pytest.mark.parametrize("n_columns", [50_000_000, 10**12])
def test_more_columns_than_can_be_scored_are_refused_before_anything_is_allocated(n_columns):
    rows = sparse.csr_matrix(DENSE)
    matrix = sparse.csr_matrix((rows.data, rows.indices.astype(np.int64), rows.indptr), shape=(20, n_columns))
    says = rf"X has {n_columns:,} columns, and at most {MOST_COLUMNS:,}"
    for use in (
        lambda: FisherMarkov().fit(matrix, LABELS),
        lambda: scan(matrix, LABELS),
        lambda: check_data(matrix, LABELS),
    ):
        with pytest.raises(FewestError, match=says):
            use()
