"""Columns that alone separate the classes: the error against trying everything, and how improbable it is by chance."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from fewest import check_data
from fewest.checks.column_traits import ValueCells
from fewest.checks.separation import _by_intervals, _error_by_values

from ..reference.separation import least_interval_error, value_error


def table_of(values, classes):
    """Rows by value and class, and as shares of the class."""
    distinct, which = np.unique(values, return_inverse=True)
    labels, codes = np.unique(classes, return_inverse=True)
    table = np.zeros((len(distinct), len(labels)), dtype=np.int64)
    np.add.at(table, (which, codes), 1)
    return table, table / table.sum(axis=0)


def cells_of(values, classes):
    """The pairs of value and class that occur."""
    table, _ = table_of(values, classes)
    value, code = np.nonzero(table)
    cells = ValueCells(np.unique(values), value, code, table[value, code], table.shape[1])
    assert (cells.table() == table).all()
    return cells


def test_an_example_by_hand():
    # Below 3 all are of class 0 but one of four; above it all are of class 1.
    values, classes = np.array([1, 1, 2, 2, 2, 4, 4, 5]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    error, predicted = _by_intervals(*table_of(values, classes))
    assert error == pytest.approx(1 / 8)
    assert predicted.tolist() == [[4, 1], [0, 3]]
    # The 5 is alone; without one of its rows the value 2 is a tie, or the class 1 there is outvoted.
    error = _error_by_values(cells_of(values, classes))
    assert error == pytest.approx(4 / 8)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_separable_columns_have_the_least_error_of_all_intervals(n_classes, seed):
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(12) % n_classes)
    values = 4 * rng.permutation(n_classes)[classes] + rng.integers(0, 4, 12)
    values[rng.integers(12)] = rng.integers(0, 12)
    error, _ = _by_intervals(*table_of(values, classes))
    assert error == pytest.approx(least_interval_error(values, classes))


@pytest.mark.parametrize("seed", range(20))
def test_intervals_of_two_classes_have_the_least_error_in_one_of_both_orders(seed):
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(14) % 2)
    values = rng.integers(0, 8, 14) + 2 * classes
    error, _ = _by_intervals(*table_of(values, classes))
    assert error >= least_interval_error(values, classes) - 1e-12
    if error < 0.3:
        assert error == pytest.approx(least_interval_error(values, classes))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_rows_are_predicted_by_the_others_of_their_value(n_classes, seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, 40)
    values = rng.integers(0, 9, 40) + 9 * (classes * (rng.random(40) < 0.7))
    error = _error_by_values(cells_of(values, classes))
    assert error == pytest.approx(value_error(values, classes))


def flagged(X, y):
    return [one for one in check_data(X, y).findings if one.kind in ("leak", "target-copy")]


def test_noise_is_never_flagged_in_many_columns():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.hstack([rng.normal(size=(30, 1000)), rng.integers(0, 4, (30, 1000))])
        assert not flagged(X, rng.permutation(np.arange(30) % 2))
        assert not flagged(X, rng.permutation(np.arange(30) % 3))


def test_a_perfect_column_is_flagged_from_the_number_of_rows_on_at_which_it_is_no_chance():
    rng = np.random.default_rng(0)
    found = []
    for n_rows in (10, 16, 24, 40, 80):
        y = rng.permutation(np.arange(n_rows) % 2)
        X = rng.normal(size=(n_rows, 500))
        X[:, 77] = y + rng.uniform(0, 0.5, n_rows)
        found.append([one.columns for one in flagged(X, y)])
    assert found[:2] == [[], []]
    assert found[3:] == [[("x77",)]] * 2


def test_identifiers_that_follow_the_class_are_set_aside_and_not_called_leaks():
    y = np.repeat(["a", "b"], 60)
    frame = pd.DataFrame({"id": 500 + np.arange(120) * 3, "x": np.random.default_rng(0).normal(size=120)})
    assert check_data(frame, y).set_aside == ("id",)
    assert not flagged(frame, y)


def test_one_class_of_three_that_is_separated_is_no_leak():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    assert not flagged(np.where(y == 0, 10.0, 0.0)[:, None] + rng.normal(size=(300, 1)), y)


def test_a_leak_with_some_errors_is_flagged_where_it_is_far_ahead_of_all_others():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    noise = rng.normal(size=(600, 4))
    wrong = rng.permutation(600)[:20]
    sent = y.copy()
    sent[wrong] = 1 - sent[wrong]
    (found,) = flagged(pd.DataFrame(noise).assign(sent=np.where(sent, "Y", "N")).rename(columns=str), y)
    assert found.columns == ("sent",)
    # A measurement about as good makes both likely to be what they seem.
    other = y * 3.4 + rng.normal(size=600)
    assert not flagged(pd.DataFrame(noise).assign(sent=sent, other=other).rename(columns=str), y)
    # So does a table of little else; and with more errors it is a good feature.
    assert not flagged(pd.DataFrame({"sent": sent}), y)
    sent[rng.permutation(600)[:30]] = 1
    assert not flagged(pd.DataFrame(noise).assign(sent=sent).rename(columns=str), y)


def test_thousands_of_values_and_of_classes_need_no_table_of_both():
    """A gene table that is read the wrong way: all columns are text of thousands of values, and so is the target."""
    rng = np.random.default_rng(0)
    texts = np.char.add("x", rng.lognormal(size=(6000, 3)).round(3).astype(str))
    tracemalloc.start()
    found = check_data(pd.DataFrame(texts, columns=["s0", "s1", "s2"]), target="s0")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n_rows == 6000
    assert peak < 40e6
