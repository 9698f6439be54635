"""What one read collects: any split of the rows gives the whole, and the sample is drawn by content."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from fewest.checks.row_counters import RowCounters
from fewest.checks.row_sample import RowSample
from fewest.checks.table_statistic import TableStatistic
from fewest.data.block import Block
from fewest.statistics.row_contents import ContentHash, text_hashes

N_ROWS = 900
CONTENT = ContentHash(text_hashes(["a", "b", "c", "row"]))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 5, (N_ROWS, 4)) / 2
    X[:, 1] = rng.normal(size=N_ROWS)
    X[:, 3] = 7 + 3 * np.arange(N_ROWS)
    X[rng.random(N_ROWS) < 0.05, 0] = np.nan
    y = rng.integers(0, 3, N_ROWS)
    return X, y


def small(size=100):
    statistic = TableStatistic(CONTENT)
    statistic.sample.size = size
    return statistic


def block_of(X, y, first_row=0):
    classes, codes = np.unique(y, return_inverse=True)
    return Block(X, codes.astype(np.int32), classes.tolist(), first_row=first_row)


def collected(X, y, first_row=0, size=100):
    statistic = small(size)
    statistic.update(block_of(X, y, first_row))
    return statistic


def contents(statistic):
    """What two statistics of the same rows share."""
    sample = statistic.sample
    labels = np.array(sample.classes)[sample.codes].tolist()
    rows = sorted(zip(map(str, sample.values.tolist()), labels, sample.counts.tolist(), strict=True))
    moments, steps = statistic.figures.moments, statistic.figures.counters.steps
    figures = [one.tolist() for one in (moments.missing, moments.lowest, moments.highest, np.nan_to_num(steps))]
    return dict(sorted(statistic.class_counts.items())), rows, sample.is_all, figures


@pytest.mark.parametrize("size", [100, 2000])
@pytest.mark.parametrize("cuts", [(450,), (1, 899), (10, 300, 301, 600)])
def test_any_split_of_the_rows_gives_the_whole(table, cuts, size):
    X, y = table
    whole = collected(X, y, size=size)
    edges = [0, *cuts, N_ROWS]
    updated, merged, backwards = small(size), small(size), small(size)
    for a, b in pairwise(edges):
        updated.update(block_of(X[a:b], y[a:b], a))
        merged.merge(collected(X[a:b], y[a:b], a, size))
    for a, b in reversed(list(pairwise(edges))):
        backwards.merge(collected(X[a:b], y[a:b], a, size))
    assert contents(updated) == contents(whole)
    assert contents(merged) == contents(whole)
    assert contents(backwards) == contents(whole)
    assert contents(pickle.loads(pickle.dumps(whole))) == contents(whole)


def test_empty_is_the_identity_of_merge(table):
    whole = collected(*table)
    before = small()
    before.merge(whole)
    whole.merge(small())
    assert contents(before) == contents(whole) == contents(collected(*table))


def test_the_sample_holds_all_copies_of_a_row_or_none():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(300, 4)), 3, axis=0)
    rows = rng.permutation(900)
    sample = collected(X[rows], np.zeros(900, dtype=int)).sample
    assert len(sample.counts) == 100
    assert set(sample.counts.tolist()) == {3}


def test_a_table_of_few_distinct_rows_is_kept_with_their_numbers():
    X = np.tile([[0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]], (5000, 1))
    sample = collected(X, np.arange(10_000) % 2).sample
    assert sorted(sample.counts.tolist()) == [5000, 5000]


def test_the_sample_is_about_even_over_the_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 4))
    sample = collected(X, np.zeros(20_000, dtype=int), size=2000).sample
    assert abs(sample.values[:, 0].mean()) < 0.1
    assert np.quantile(sample.values[:, 1], 0.9) == pytest.approx(1.28, abs=0.1)
    assert abs(sample.row_numbers.mean() / 20_000 - 0.5) < 0.05


def test_sparse_rows_are_drawn_as_well(table):
    X, y = np.nan_to_num(table[0]), table[1]
    first = collected(sparse.csr_matrix(X), y).sample
    parts = small()
    for a, b in ((0, 100), (100, 900)):
        parts.update(block_of(sparse.csr_matrix(X[a:b]), y[a:b], a))
    assert len(first.counts) == len(parts.sample.counts)
    assert sorted(first.row_numbers) == sorted(parts.sample.row_numbers)


def test_rows_that_differ_in_one_bit_have_other_hashes():
    sample = RowSample(10, CONTENT)
    X = np.zeros((4, 4))
    X[1, 2], X[2, 2], X[3, 2] = np.nextafter(0, 1), -0.0, 1.0
    hashes = sample._hash(X)
    assert hashes[0] == hashes[2]
    assert len({int(one) for one in hashes}) == 3


@pytest.mark.parametrize(
    ("column", "step"),
    [
        (np.arange(50), 1), (1000 - 4 * np.arange(50), -4), (1e9 + np.arange(50), 1), (0.1 * np.arange(50), 0.1),
        (np.full(50, 3.0), None), (np.arange(50) // 2, None), (np.append(np.arange(49), 50), None),
        (np.append(np.nan, np.arange(49)), None), (np.sqrt(np.arange(50)), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("length", [1, 7, 50])
def test_a_counter_grows_by_the_same_step_with_every_row(column, step, length):
    counters = RowCounters(1)
    for start in range(0, 50, length):
        part = np.asarray(column, dtype=float)[start : start + length, None]
        counters.update(block_of(part, np.zeros(len(part), dtype=int), start))
    assert counters.steps[0] == pytest.approx(step) if step is not None else np.isnan(counters.steps[0])


def test_rows_that_were_left_out_do_not_break_a_counter():
    numbers = np.array([0, 3, 4, 9, 20])
    block = block_of(numbers[:, None] * 2.0, np.zeros(5, dtype=int))
    counters = RowCounters(1)
    counters.update(Block(block.values, block.codes, block.classes, row_numbers=numbers))
    assert counters.steps[0] == 2
