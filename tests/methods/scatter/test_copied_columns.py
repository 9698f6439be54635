"""Columns that are copies of each other, as PairMoments finds them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from fewest.methods.scatter.pair_moments import PairMoments

from .pair_scatters import (
    assert_agree,
    block_of,
    empty_of,
    exact_tables,
    merged,
    parts_of,
    statistic_of,
    table,
    tables_of,
)


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
