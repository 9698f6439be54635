"""What every statistic obeys: empty is the identity of merge, any split of the rows gives the whole, and it pickles."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import criteria
from fewest.data.array import ArraySource
from fewest.data.block import Block
from fewest.data.labels import Target, label_texts
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.rows import NumberedRows, Rows
from fewest.statistics.splits import Folded, GivenFolds
from fewest.statistics.stratified_rows import StratifiedRows

N_ROWS = 90
FOLDS = np.arange(N_ROWS) % 3


def of_criteria():
    """The kinds of statistics that criteria need, each once."""
    found = {}
    for name in criteria.__all__:
        if hasattr(getattr(criteria, name), "offers"):
            statistic = getattr(criteria, name)().statistic()
            found.setdefault(type(statistic).__name__, getattr(criteria, name)().statistic)
    return found


STATISTICS = {
    **of_criteria(),
    "ClassMoments": ClassMoments,
    "Rows": Rows,
    "NumberedRows": NumberedRows,
    "StratifiedRows": partial(StratifiedRows, 40),
    "Folded": lambda: Folded(ClassMoments(), GivenFolds(FOLDS, 3)),
}


@pytest.fixture(params=STATISTICS, ids=str)
def make(request):
    return STATISTICS[request.param]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, N_ROWS)]
    # Quarters: sums of them are exact, so that any order of adding gives the same bits.
    X = rng.integers(-20, 20, (N_ROWS, 5)) / 4
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def collected(make, X, y, first_row=0):
    """The statistic of these rows, which come after first_row others."""
    statistic = make()
    labels, codes = np.unique(y, return_inverse=True)
    block = Block(np.ascontiguousarray(X), codes.astype(np.int32), labels.tolist(), first_row=first_row)
    statistic.update(block)
    return statistic


def merged(make, parts):
    whole = make()
    for part in parts:
        whole.merge(part)
    return whole


def summary(statistic):
    """What two statistics of the same rows share, whatever order these came in."""
    if isinstance(statistic, Folded):
        return [entry for fold in statistic.folds for entry in summary(fold)]
    entries = [statistic.n_rows, statistic.counts_by_class(), statistic.fingerprint()]
    moments = getattr(statistic, "moments", statistic)
    if isinstance(moments, ClassMoments) and moments.n_rows:
        order = np.argsort(label_texts(moments.classes))
        entries += [moments.weight[order], moments.mean[order], moments.scatter[order], moments.missing]
        entries += [moments.lowest, moments.highest]
    if isinstance(statistic, Rows | StratifiedRows) and statistic.n_rows:
        labels = np.array(label_texts(statistic.classes))[statistic.codes]
        by = np.lexsort((*statistic.values.T, labels))
        entries += [statistic.values[by], labels[by], statistic.weights[by]]
    return entries


def assert_same(first, second):
    for one, other in zip(summary(first), summary(second), strict=True):
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        elif isinstance(one, np.ndarray):
            assert_array_equal(one, other)
        else:
            assert one == other


def test_empty_is_the_identity_of_merge(make, table):
    whole = collected(make, *table)
    assert_same(merged(make, [whole.empty(), collected(make, *table)]), whole)
    before_and_after = collected(make, *table)
    before_and_after.merge(whole.empty())
    assert_same(before_and_after, whole)
    assert_same(whole.empty(), make())


@pytest.mark.parametrize("cuts", [(45,), (1, 89), (10, 30, 31, 60)])
def test_any_split_of_the_rows_gives_the_whole(make, table, cuts):
    X, y = table
    edges = [0, *cuts, N_ROWS]
    parts = [collected(make, X[a:b], y[a:b], a) for a, b in pairwise(edges)]
    whole = collected(make, X, y)
    assert_same(merged(make, parts), whole)
    updated = make()
    for a, b in pairwise(edges):
        labels, codes = np.unique(y[a:b], return_inverse=True)
        updated.update(Block(X[a:b].copy(), codes.astype(np.int32), labels.tolist(), first_row=a))
    assert_same(updated, whole)


def test_merge_is_associative_and_commutative(make, table):
    X, y = table

    def part(a, b):
        return collected(make, X[a:b], y[a:b], a)

    first = part(0, 20)
    first.merge(part(20, 50))
    first.merge(part(50, 90))
    second = part(20, 50)
    second.merge(part(50, 90))
    third = part(0, 20)
    third.merge(second)
    assert_same(first, third)
    backwards = part(50, 90)
    backwards.merge(part(20, 50))
    backwards.merge(part(0, 20))
    assert_same(first, backwards)


def test_merging_leaves_the_other_as_it_was(make, table):
    X, y = table
    other = collected(make, X[40:], y[40:], 40)
    collected(make, X[:40], y[:40]).merge(other)
    assert_same(other, collected(make, X[40:], y[40:], 40))


def test_it_pickles(make, table):
    whole = collected(make, *table)
    assert_same(pickle.loads(pickle.dumps(whole)), whole)


def test_groups_of_columns_join_to_all(make, table):
    X, y = table
    if not make().is_columnwise:
        pytest.skip("needs all columns at once")
    parts = [collected(make, X[:, :2], y), collected(make, X[:, 2:], y)]
    assert_same(make().join(parts), collected(make, X, y))


def test_a_row_of_weight_zero_is_not_there(make, table):
    if isinstance(make(), Folded):
        pytest.skip("folds are given by row numbers")
    X, y = table
    weights = np.ones(N_ROWS)
    weights[:30] = 0
    weighted = ArraySource(X, Target(y, weights)).collect(make())
    assert_same(weighted, collected(make, X[30:], y[30:]))
