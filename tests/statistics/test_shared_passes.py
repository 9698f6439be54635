"""Several statistics from one pass over a stream: those of passes of their own, to the bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.criteria import RelevanceRedundancy
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.selectors.collection import announce_passes, collect_folds, collect_statistic
from fewest.statistics.class_moments import ClassMoments, WithMoments
from fewest.statistics.rows import Rows
from fewest.statistics.shared_passes import SharedPasses, pass_key_of
from fewest.statistics.splits import Folded, GivenFolds

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 90)
X = np.column_stack([
    RNG.normal(size=90) + Y,
    np.where(RNG.random(90) < 0.3, np.nan, Y),
    np.full(90, 2.0),
    np.full(90, np.nan),
    RNG.integers(0, 4, 90),
    RNG.integers(0, 300, 90),
    RNG.normal(size=90) * 1e-20,
])  # fmt: skip
WEIGHTS = RNG.integers(0, 3, 90).astype(float)
FOLDS = GivenFolds(RNG.integers(0, 4, 90), 5)  # the last is empty
GROUPS = (100, 3, 1)


class Stream(ArraySource):
    """Rows that are read 17 at a time; the number of passes over them is counted."""

    is_in_memory = False

    def __init__(self, values=X, weights=None, columns_at_once=100):
        super().__init__(values, Target(Y, weights))
        self.columns_at_once, self.readers_at_once, self.n_rows, self.n_passes = columns_at_once, 1, 90, 0

    def group_blocks(self, groups):
        self.n_passes += 1
        for g, whole in super().group_blocks(groups):
            for first in range(0, whole.n_rows, 17):
                rows = np.arange(first, min(first + 17, whole.n_rows))
                yield g, replace(whole.take(rows), first_row=first, row_numbers=None)


class Recorded(ClassMoments):
    """Class moments that may be found again by a key, record the types of blocks, and fail at some of the rows.

    fails_in : the first column of the groups in which it fails, at row 40
    """

    def __init__(self, key="own", takes_integers=True, fails_in=None):
        super().__init__()
        self.key, self.takes_integers, self.fails_in, self.types = key, takes_integers, fails_in, set()

    def empty(self):
        return Recorded(self.key, self.takes_integers, self.fails_in)

    def pass_key(self):
        return self.key

    def update(self, block):
        self.types.add(block.values.dtype.kind)
        if self.fails_in == (0 if block.columns is None else block.columns[0]) and block.first_row > 40:
            raise InvalidInput("No such row.")
        super().update(block.as_floats())

    def join(self, parts):
        joined = super().join(parts)
        joined.types = set().union(*(part.types for part in parts))
        return joined


def assert_same_summary(found, expected):
    for name in ("n_rows", "class_weights", "missing"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.fingerprint() == expected.fingerprint()
    one, other = Discretizer().fit(found), Discretizer().fit(expected)
    for name in ("n_categories", "float_columns", "_thresholds", "_n_thresholds"):
        assert_array_equal(getattr(one, name), getattr(other, name))


def assert_same_moments(found, expected):
    for name in ("mean", "scatter", "weight", "lowest", "highest"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.fingerprint() == expected.fingerprint()


@pytest.mark.parametrize("columns_at_once", GROUPS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["no weights", "weights"])
def test_what_is_announced_is_collected_in_the_next_pass_as_if_alone(weights, columns_at_once):
    stream = Stream(X, weights, columns_at_once)
    shared = SharedPasses(stream)
    shared.announce(ColumnSummary())
    shared.announce(Folded(ColumnSummary(), FOLDS))
    moments = shared.collect(ClassMoments())
    summary, folded = shared.collect(ColumnSummary()), shared.collect(Folded(ColumnSummary(), FOLDS))
    assert stream.n_passes == 1
    alone = Stream(X, weights, columns_at_once)
    assert_same_moments(moments, alone.collect(ClassMoments()))
    assert_same_summary(summary, alone.collect(ColumnSummary()))
    folded_alone = alone.collect(Folded(ColumnSummary(), FOLDS))
    for k in range(5):
        assert_same_summary(folded.without(k), folded_alone.without(k))
    assert alone.n_passes == 3


class Keeping(WithMoments):
    """A statistic of its own that needs class moments."""

    is_columnwise = True
    takes_integers = False

    def empty(self):
        return Keeping()

    def update(self, block):
        self.moments.update(block)

    def join(self, parts):
        joined = self.empty()
        joined.moments = ClassMoments().join([part.moments for part in parts])
        return joined


@pytest.mark.parametrize("columns_at_once", GROUPS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["no weights", "weights"])
def test_moments_that_both_need_are_those_of_a_pass_alone(weights, dtype, columns_at_once, monkeypatch):
    values = np.nan_to_num(X).astype(dtype) if np.dtype(dtype).kind == "i" else X.astype(dtype)
    shared = SharedPasses(Stream(values, weights, columns_at_once))
    shared.announce(ColumnSummary())
    updates = []
    update = ClassMoments.update
    monkeypatch.setattr(ClassMoments, "update", lambda self, block: (updates.append(block), update(self, block)))
    kept = shared.collect(Keeping())
    monkeypatch.undo()
    alone = Stream(values, weights, columns_at_once)
    assert_same_moments(kept.moments, alone.collect(Keeping()).moments)
    assert_same_summary(shared.collect(ColumnSummary()), alone.collect(ColumnSummary()))
    assert_same_moments(shared.collect(ColumnSummary()).moments, alone.collect(ColumnSummary()).moments)
    # Weights and integers are added by each in its own way; other moments are collected once.
    n_blocks = 6 * len(range(0, values.shape[1], min(columns_at_once, values.shape[1])))
    assert len(updates) == n_blocks * (1 if weights is None and np.dtype(dtype).kind == "f" else 2)


def test_what_has_a_key_is_read_once_and_what_has_none_whenever_it_is_asked_for():
    stream = Stream()
    shared = SharedPasses(stream)
    assert shared.find(ColumnSummary()) is None
    summary = shared.collect(ColumnSummary())
    assert shared.collect(ColumnSummary()) is shared.find(ColumnSummary()) is summary
    assert stream.n_passes == 1
    for n_passes in (2, 3):
        shared.collect(ClassMoments())
        assert stream.n_passes == n_passes
    assert pass_key_of(ClassMoments()) is None
    assert pass_key_of(Folded(ClassMoments(), FOLDS)) is None
    # Another type, other folds, and another key are something else.
    others = [
        Folded(ColumnSummary(), FOLDS),
        Folded(ColumnSummary(), GivenFolds(FOLDS.fold_of_row[::-1].copy(), 5)),
        Folded(ColumnSummary(), replace(FOLDS, n_folds=6)),
        Recorded("one"),
        Recorded("other"),
        Recorded(ColumnSummary().pass_key()),
    ]
    assert len({pass_key_of(one) for one in (ColumnSummary(), *others)}) == 7
    for one in others:
        assert shared.find(one) is None
        shared.collect(one)
    assert stream.n_passes == 9


def test_an_announcement_holds_for_one_pass():
    stream = Stream()
    shared = SharedPasses(stream)
    shared.announce(Recorded("own"))
    shared.collect(ColumnSummary())
    first = shared.find(Recorded("own"))
    shared.collect(ClassMoments())
    assert shared.find(Recorded("own")) is first
    assert stream.n_passes == 2


def test_what_needs_all_columns_is_neither_announced_nor_shares_its_pass():
    stream = Stream(columns_at_once=3)
    shared = SharedPasses(stream)
    of_all_columns = Recorded()
    of_all_columns.is_columnwise = False
    shared.announce(of_all_columns)
    shared.announce(ColumnSummary())
    assert_array_equal(shared.collect(Rows()).values, X)
    assert shared.find(ColumnSummary()) is None
    shared.collect(ClassMoments())
    assert shared.find(ColumnSummary()) is not None
    assert shared.find(of_all_columns) is None
    assert stream.n_passes == 2


@pytest.mark.parametrize("columns_at_once", GROUPS)
def test_what_fails_along_with_others_fails_when_it_is_asked_for(columns_at_once):
    stream = Stream(columns_at_once=columns_at_once)
    shared = SharedPasses(stream)
    failing = Recorded("failing", fails_in=0)
    for one in (failing, Recorded("own")):
        shared.announce(one)
    assert_same_summary(shared.collect(ColumnSummary()), Stream().collect(ColumnSummary()))
    assert_same_moments(shared.collect(Recorded("own")), Stream().collect(ClassMoments()))
    assert stream.n_passes == 1
    assert shared.find(failing) is None
    with pytest.raises(InvalidInput, match="No such row"):
        shared.collect(failing)
    assert stream.n_passes == 2


def test_an_error_of_what_is_asked_for_is_raised():
    stream = Stream()
    shared = SharedPasses(stream)
    shared.announce(ColumnSummary())
    with pytest.raises(InvalidInput, match="No such row"):
        shared.collect(Recorded(fails_in=0))
    assert shared.find(ColumnSummary()) is None
    assert_same_summary(shared.collect(ColumnSummary()), Stream().collect(ColumnSummary()))
    assert stream.n_passes == 2


def test_integers_come_as_they_are_to_what_takes_them_and_as_floats_to_others():
    shared = SharedPasses(Stream(np.nan_to_num(X[:, [2, 4, 5]]).astype(np.int32), columns_at_once=2))
    shared.announce(Recorded("floats", takes_integers=False))
    shared.announce(Recorded("integers"))
    shared.collect(Recorded("first", takes_integers=False))
    types = {key: shared.find(Recorded(key)).types for key in ("first", "floats", "integers")}
    assert types == {"first": {"f"}, "floats": {"f"}, "integers": {"i"}}


def test_a_part_of_more_rows_is_neither_kept_nor_found():
    stream = Stream()
    shared = SharedPasses(stream)
    shared.announce(ColumnSummary())
    shared.collect(ColumnSummary(), is_part=True)
    assert shared.find(ColumnSummary()) is None
    kept = shared.collect(ColumnSummary())
    assert shared.collect(ColumnSummary(), is_part=True) is not kept
    assert stream.n_passes == 3


def test_some_columns_are_read_by_themselves():
    shared = SharedPasses(Stream())
    shared.collect(ColumnSummary())
    assert shared.only([1, 4]).collect(ColumnSummary()).n_features == 2


@pytest.mark.parametrize("columns_at_once", GROUPS)
@pytest.mark.parametrize("n_others", [0, 1, 2])
def test_both_of_two_passes_go_along_with_others(n_others, columns_at_once):
    """What a criterion counts in all rows and outside each fold takes two passes, together, and with others."""
    criterion = RelevanceRedundancy()
    stream, alone = Stream(columns_at_once=columns_at_once), Stream(columns_at_once=columns_at_once)
    shared = SharedPasses(stream)
    announce_passes(criterion, shared, [FOLDS], 0)
    announce_passes(criterion, shared, [], 0)
    for number in range(n_others):
        shared.collect(Recorded(f"pass {number}"))
    folded, whole = collect_folds(criterion, shared, FOLDS, 0), collect_statistic(criterion, shared, 0)
    assert stream.n_passes == 2
    folded_alone, whole_alone = collect_folds(criterion, alone, FOLDS, 0), collect_statistic(criterion, alone, 0)
    assert alone.n_passes == 4
    pairs = [(whole, whole_alone), (folded.whole(), folded_alone.whole())]
    pairs += [(folded.without(k), folded_alone.without(k)) for k in range(5)]
    for found, expected in pairs:
        one, other = criterion.bind(found), criterion.bind(expected)
        assert_array_equal(one.score_features(), other.score_features())
        assert_array_equal(one.score_additions([0, 4], np.arange(7)), other.score_additions([0, 4], np.arange(7)))


def test_nothing_is_announced_where_one_pass_may_be_enough():
    shared = SharedPasses(Stream())
    announce_passes(RelevanceRedundancy(), shared, [], 10**9)
    shared.collect(ClassMoments())
    assert shared.find(ColumnSummary()) is None
