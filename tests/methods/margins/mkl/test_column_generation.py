"""The relaxed program on working columns, and solves in parts: the same optimum as on all columns and at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest.methods.margins.mkl import active_set, column_generation, factorizations, fixed_subset

from .test_svm_margin import objective, table


@pytest.mark.parametrize("sizes", [(3,), (2, 5, 9)])
def test_several_svms_on_working_columns_have_the_optimum_of_all_columns(sizes, monkeypatch):
    X, y = table(90, 40, 3, seed=1)
    X[:, 30:] = X[:, :10] @ np.random.default_rng(0).normal(size=(10, 10))  # columns that depend on others
    expected = objective(X, y, 1.0, 1.0).subset_svms
    for name in ("_START_NEWTON_COLUMNS", "_START_NEWTON_COLUMNS_EACH"):
        monkeypatch.setattr(column_generation, name, 2)
    monkeypatch.setattr(column_generation, "_START_COLUMNS", 8)  # of which half are added at a time
    found = objective(X, y, 1.0, 1.0).subset_svms
    assert len(found.relaxation._first_columns(sizes[0])) < 10
    for size in sizes:
        assert_allclose(found.relax(size).value, expected.relax(size).value, rtol=1e-10)
        assert found.relax(size).duality_gap < 1e-10
        assert_allclose(found.relax(size).alpha, expected.relax(size).alpha, atol=1e-6)
        assert set(np.flatnonzero(found.relax(size).kernel_weights)) <= set(found.relaxation.working_columns.tolist())


@pytest.mark.parametrize("compiled_columns", [0, 4, 200])
@pytest.mark.parametrize("is_near", [True, False])
def test_svms_from_a_start_are_those_from_none(compiled_columns, is_near):
    X, y = table(120, 9, 3, seed=2)
    program = objective(X, y, 1.0, 1.0).subset_svms.program
    expected = fixed_subset.solve_svms(program)
    other = fixed_subset.solve_svms(program.with_columns(np.arange(8)))
    start = (other.alpha, other.intercepts) if is_near else (np.zeros_like(other.alpha), np.full(3, 5.0))
    found = fixed_subset.solve_svms(program, start, compiled_columns=compiled_columns)
    assert_allclose(found.value, expected.value, rtol=1e-11)
    assert_allclose(found.alpha, expected.alpha, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_svms_of_many_rows_are_those_of_the_methods_on_matrices(n_classes):
    """A step from a cold start takes hundreds of rows to other pieces of the loss."""
    X, y = table(700, 6, n_classes, seed=6)
    program = objective(X, y, 0.5, 1.5).subset_svms.program
    expected, found = fixed_subset.solve_svms(program, compiled_columns=0), fixed_subset.solve_svms(program)
    assert found.duality_gap < 1e-13
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.alpha, expected.alpha, atol=1e-9)


@pytest.mark.parametrize("n_columns", [12, 13])
def test_many_rows_are_solved_in_parts(monkeypatch, n_columns):
    """By Cholesky's method too; not where a column is a copy, which has half of the weight."""
    X, y = table(200, 12, 2, seed=3)
    X = np.column_stack([X, X[:, :1]])[:, :n_columns]
    expected = objective(X, y, 1.0, 1.0).subset_svms.relax(4)
    monkeypatch.setattr(active_set, "_MAX_SOLVED", 0)
    monkeypatch.setattr(active_set, "_MANY_COLUMNS", 1)
    monkeypatch.setattr(factorizations, "_ROWS_AT_ONCE", 64)
    found = objective(X, y, 1.0, 1.0).subset_svms.relax(4)
    assert found.duality_gap < 1e-12
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.kernel_weights, expected.kernel_weights, atol=1e-9)
