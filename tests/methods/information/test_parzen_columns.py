"""Parzen sums in the compiled core: over pairs of rows and on a grid, and nothing out of bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest._core import ParzenColumns


def columns_of(values, weights=None, class_ends=None, is_flat=None):
    values = np.ascontiguousarray(values, dtype=np.float64)
    p, n = values.shape
    ends = np.array([n // 2, n] if class_ends is None else class_ends, dtype=np.int64)
    return ParzenColumns(values, weights, ends, np.zeros(p, dtype=bool) if is_flat is None else is_flat)


def measured(columns, p, on_grid, chosen, n_threads=1):
    """Relevance, and the sums of information of every column with the chosen ones."""
    relevance, log_sums, sums = np.empty(p), np.empty(p), np.zeros(p)
    columns.relevance(on_grid, relevance, log_sums, n_threads)
    nothing = np.empty((0, 0)), np.full(p, -1)
    which = np.arange(p)
    columns.add_information(
        log_sums, on_grid, *nothing, np.array(chosen), which, np.zeros(p, dtype=np.int64), sums, n_threads
    )
    return relevance, sums


def lines(rng, n):
    """Values in units of the width, as far apart as they can be, and as near."""
    far = rng.normal(size=n)
    far[0], far[-1], far[n // 2 :: 7] = -1e12, 3e15, 1e5 + rng.normal(size=len(far[n // 2 :: 7]))
    points = 0.465 * rng.integers(-9, 10, n)  # on the points of the grid, and half way between
    return np.array(
        [
            3 * rng.normal(size=n), far, points, points + 0.2325, np.full(n, 5.0), rng.integers(0, 2, n) * 30.0,
            rng.integers(0, 16, n) * 0.5, rng.integers(0, 17, n) * 0.5, np.arange(n) * 40.0, 1e-9 * rng.normal(size=n),
        ]
    )  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 3, 20, 300])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_on_a_grid_is_as_over_all_pairs(n, is_weighted):
    rng = np.random.default_rng(n)
    values = lines(rng, n)
    weights = rng.choice([1e-6, 0.5, 1.0, 3.0], n) if is_weighted else None
    columns = columns_of(values, weights)
    chosen = np.arange(len(values))
    by_pairs = measured(columns, len(values), False, chosen)
    on_grid = measured(columns, len(values), True, chosen)
    assert_allclose(on_grid[0], by_pairs[0], atol=1e-9, rtol=0)
    assert_allclose(on_grid[1], by_pairs[1], atol=1e-8, rtol=0)
    assert_array_equal(measured(columns, len(values), True, chosen, 4), on_grid)
    assert_array_equal(measured(columns, len(values), False, chosen, 4), by_pairs)


def test_classes_may_be_many_and_empty():
    rng = np.random.default_rng(0)
    values = lines(rng, 60)
    columns = columns_of(values, class_ends=[0, 1, 1, *range(2, 41), 60, 60])
    by_pairs, on_grid = (measured(columns, len(values), form, [0])[0] for form in (False, True))
    assert_allclose(on_grid, by_pairs, atol=1e-9)


def test_a_flat_column_adds_nothing_and_reads_nothing():
    values = np.vstack([np.full((1, 50), np.nan), np.random.default_rng(0).normal(size=(2, 50))])
    columns = columns_of(values, is_flat=np.array([True, False, False]))
    for on_grid in (False, True):
        relevance, sums = measured(columns, 3, on_grid, [0, 1])
        assert relevance[0] == sums[0] == 0.0
        assert (sums[1:] > 0).all()


def test_only_what_is_not_counted_is_added_in_order():
    values = np.random.default_rng(0).normal(size=(6, 300))
    columns = columns_of(values)
    log_sums = np.empty(6)
    columns.relevance(True, np.empty(6), log_sums, 1)
    for on_grid in (False, True):
        nothing = np.empty((0, 0)), np.full(6, -1)
        at_once, in_parts = np.zeros(6), np.zeros(6)
        chosen, which = np.array([4, 1, 2]), np.arange(6)
        columns.add_information(log_sums, on_grid, *nothing, chosen, which, np.zeros(6, dtype=np.int64), at_once, 1)
        for counted in range(3):
            columns.add_information(
                log_sums, on_grid, *nothing, chosen[: counted + 1], which, np.full(6, counted), in_parts, 1
            )
        assert_array_equal(in_parts, at_once)


def test_a_triangle_is_the_kernel_below_the_diagonal():
    x = np.array([0.0, 1.0, 3.0])
    out = np.empty((2, 3))
    columns_of([x, 2 * x]).triangles(np.array([1, 0]), out, 1)
    assert_allclose(out, np.exp([[-2.0, -18.0, -8.0], [-0.5, -4.5, -2.0]]), rtol=1e-15)


@pytest.mark.parametrize(
    "change",
    [
        {"weights": np.ones(3)},
        {"class_ends": np.array([2, 5])},
        {"class_ends": np.array([3, 2, 4])},
        {"class_ends": np.array([-1, 4])},
        {"class_ends": np.array([], dtype=np.int64)},
        {"is_flat": np.zeros(3, dtype=bool)},
    ],
    ids=str,
)
def test_shapes_that_differ_are_refused(change):
    with pytest.raises(ValueError, match=r"differ in shape|classes end"):
        columns_of(np.zeros((2, 4)), **change)


def test_what_is_not_there_is_refused():
    columns = columns_of(np.random.default_rng(0).normal(size=(2, 4)))
    numbers = np.zeros(2)
    kept = np.empty((1, 6))

    def add(kept=kept, at=(-1, -1), chosen=(0,), which=(0, 1), counted=(0, 0), sums=numbers, log_sums=numbers):
        lines = [np.array(line, dtype=np.int64) for line in (at, chosen, which, counted)]
        columns.add_information(log_sums, False, kept, *lines, sums, 1)

    add()
    for wrong in (
        {"chosen": (2,)}, {"which": (0, -1)}, {"counted": (0, -1)}, {"counted": (0,)}, {"sums": np.zeros(3)},
        {"at": (1, -1)}, {"at": (-1,)}, {"kept": np.empty((1, 5))}, {"log_sums": np.zeros(1)},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            add(**wrong)
    for call in (
        lambda: columns.relevance(True, np.empty(1), np.empty(2), 1),
        lambda: columns.triangles(np.array([0]), np.empty((1, 5)), 1),
        lambda: columns.triangles(np.array([2]), np.empty((1, 6)), 1),
        lambda: columns.joint_information(np.ones(5), np.array([0]), np.empty(1), 1),
        lambda: columns.joint_information(np.ones(6), np.array([-2]), np.empty(1), 1),
        lambda: columns.joint_information(np.ones(6), np.array([0]), np.empty(2), 1),
        lambda: columns.multiply(2, np.ones(6), 1),
        lambda: columns.multiply(0, np.ones(7), 1),
    ):
        with pytest.raises(ValueError):
            call()
