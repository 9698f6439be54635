"""Counts of all pairs of categories give the information that the rows do, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest._core import CategoryColumns, PairTables

N_CATEGORIES = np.array([3, 1, 17, 4, 300, 2], dtype=np.int32)


def encoded(codes, n_categories=N_CATEGORIES):
    is_complete = ~(codes == 65535).any(axis=1)
    table = CategoryColumns(n_categories, is_complete, np.zeros(len(codes), bool), codes.shape[1])
    table.fill(np.arange(len(codes)), codes.astype(np.uint16), np.zeros(len(codes), np.int64), 1)
    return table


def codes_of(n_rows, has_missing=False, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, n, n_rows) for n in N_CATEGORIES])
    if has_missing:
        codes[:5][rng.random((5, n_rows)) < 0.2] = 65535
    return codes


def measured(measure, column, others):
    out = np.empty(len(others))
    measure(column, np.array(others, dtype=np.int64), out, 1)
    return out


def test_four_rows_worked_by_hand():
    # x = 0 0 1 1 determines the class 0 0 1 1: log 2, chi square 4.
    tables = PairTables(np.array([2, 2], np.int32), True)
    tables.add(encoded(np.array([[0, 0, 1, 1], [0, 0, 1, 1]]), np.array([2, 2], np.int32)), 1)
    assert measured(tables.information, 1, [0])[0] == pytest.approx(np.log(2), rel=1e-15)
    assert measured(tables.chi_square, 0, [1])[0] == 4.0


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("cuts", [[], [70], [1, 64, 200]])
def test_tables_of_runs_give_the_information_of_all_rows_to_the_bit(has_missing, cuts):
    codes = codes_of(500, has_missing)
    rows = encoded(codes)
    of_all, of_class, merged = (
        PairTables(N_CATEGORIES, True),
        PairTables(N_CATEGORIES, False),
        PairTables(N_CATEGORIES, True),
    )
    for first, end in zip([0, *cuts], [*cuts, 500], strict=True):
        run = encoded(codes[:, first:end])
        of_all.add(run, 3)
        of_class.add(run, 1)
        part = PairTables(N_CATEGORIES, True)
        part.add(run, 1)
        merged.merge(part)
    assert of_all.n_rows == merged.n_rows == 500
    for column in range(6):
        others = [c for c in range(6) if c != column]
        for tables in (of_all, merged):
            for measure in ("information", "chi_square"):
                expected = measured(getattr(rows, measure), column, others)
                found = measured(getattr(tables, measure), column, others)
                assert_array_equal(found, expected) if measure == "information" else np.testing.assert_allclose(
                    found, expected, rtol=1e-12, atol=1e-12
                )
    assert_array_equal(measured(of_class.information, 5, range(5)), measured(rows.information, 5, range(5)))
    sums = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    for table, so_far in zip((rows, of_all), sums, strict=True):
        table.add_information(np.array([3, 0, 4]), np.array([2, 1]), np.array([0, 2]), so_far, 1)
    assert_array_equal(*sums)


def test_what_cannot_be_is_refused():
    tables, of_class = PairTables(N_CATEGORIES, True), PairTables(N_CATEGORIES, False)
    with pytest.raises(ValueError, match="other columns, or other categories"):
        tables.add(encoded(np.zeros((2, 3), int), np.array([1, 1], np.int32)), 1)
    with pytest.raises(ValueError, match="cannot be added"):
        tables.merge(of_class)
    for refused, column, others in ((of_class, 0, [1]), (tables, 0, [0]), (tables, 6, [0]), (tables, 0, [-1])):
        with pytest.raises(ValueError, match="no table of such columns"):
            measured(refused.information, column, others)
    with pytest.raises(ValueError, match="no table of such columns"):
        of_class.add_information(np.array([1]), np.array([2]), np.array([0]), np.zeros(1), 1)
    unfilled = CategoryColumns(N_CATEGORIES, np.ones(6, bool), np.zeros(6, bool), 3)
    with pytest.raises(ValueError, match="yet to be filled in"):
        tables.add(unfilled, 1)
