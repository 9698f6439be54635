"""Splits of rows into folds, and statistics that know the fold of each row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Generic, Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Hashes, Indices
from fewest.data.block import Block
from fewest.errors import InvalidInput, InvalidParameter
from fewest.memory import CHUNK
from fewest.protocols import Evidence, Questions, StaysWithRows
from fewest.statistics.prepared_rows import splitmix64
from fewest.statistics.shared_passes import pass_key_of


def is_split(cv: object) -> bool:
    """Whether cv itself assigns rows to folds, rather than being their number."""
    return (hasattr(cv, "split") or isinstance(cv, Iterable)) and not isinstance(cv, str | type)


def split_rows(cv: object, codes: Codes, groups: Codes | None = None) -> tuple[Indices, int]:
    """The fold in which each row of these classes, and of these groups, is tested, and the number of folds."""
    try:
        pairs = cv.split(np.zeros((len(codes), 1)), codes, groups) if hasattr(cv, "split") else cv
        splits = list(pairs) if isinstance(pairs, Iterable) else []
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"cv={cv!r} cannot split the {len(codes)} rows: {error} Use a count.") from None
    times_tested = np.zeros(len(codes), dtype=np.intp)
    folds = np.zeros(len(codes), dtype=np.intp)
    try:
        for k, (_, test) in enumerate(splits):
            folds[test] = k
            np.add.at(times_tested, test, 1)
    except (IndexError, TypeError, ValueError):
        raise InvalidParameter("cv must be a count, a splitter, or (train, test) pairs of row numbers.") from None
    if len(splits) < 2 or np.any(times_tested != 1):
        raise InvalidInput(
            f"cv must test every row once, in at least two folds; {np.count_nonzero(times_tested != 1)} of "
            f"{len(codes)} rows are not. Use a count or a k-fold splitter."
        )
    return folds, len(splits)


class Assignment(Protocol):
    """Which fold each row of a source is in, and which rows evaluate a choice of columns."""

    @property
    def n_folds(self) -> int: ...

    def folds_of(self, block: Block) -> NDArray[np.integer]:
        """The fold of each row of a block."""

    def fold_key(self) -> Hashable:
        """The same where all rows are in the same folds."""

    def positions_of(self, block: Block) -> Indices:
        """The position of each row of a block among those that evaluate; -1 for a row that is not among them."""


@dataclass(frozen=True)
class GivenFolds:
    """Folds by row number.

    position_of_row : the position of each row among those that evaluate, or -1; None: all, in their order
    class_ranks : the code that each class has where rows evaluate; None: its own
    """

    fold_of_row: NDArray[np.integer]
    n_folds: int
    position_of_row: Indices | None = None
    class_ranks: Indices | None = None

    def folds_of(self, block: Block) -> NDArray[np.integer]:
        return self.fold_of_row[block.all_row_numbers()]

    def fold_key(self) -> Hashable:
        return self.n_folds, self.fold_of_row.tobytes()

    def positions_of(self, block: Block) -> Indices:
        rows = block.all_row_numbers()
        return rows if self.position_of_row is None else self.position_of_row[rows]

    def __reduce__(self) -> tuple[object, ...]:
        """What travels to another process: of the positions only those of rows that evaluate, which are few."""
        if self.position_of_row is None:
            return GivenFolds, (self.fold_of_row, self.n_folds, None, self.class_ranks)
        rows = np.flatnonzero(self.position_of_row >= 0)
        positions = rows, self.position_of_row[rows], len(self.position_of_row)
        return _with_positions, (self.fold_of_row, self.n_folds, positions, self.class_ranks)


def _with_positions(
    fold_of_row: NDArray[np.integer], n_folds: int, positions: tuple[Indices, Indices, int], class_ranks: Indices | None
) -> GivenFolds:
    position_of_row = np.full(positions[2], -1, dtype=np.intp)
    position_of_row[positions[0]] = positions[1]
    return GivenFolds(fold_of_row, n_folds, position_of_row, class_ranks)


@dataclass(frozen=True)
class NumberedFolds:
    """Folds by a hash of the row number, for streams of more rows than can be stored in order.

    max_rows : about this number of rows evaluate
    share : their share of all rows
    """

    n_folds: int
    seed: int
    max_rows: int
    share: float = 1.0

    def for_rows(self, n_rows: int) -> NumberedFolds:
        """The same folds, of which max_rows out of this number of rows evaluate."""
        return replace(self, share=min(1.0, self.max_rows / max(n_rows, 1)))

    def folds_of(self, block: Block) -> NDArray[np.integer]:
        return (self._hashes(block) % np.uint64(self.n_folds)).astype(np.intp)

    def fold_key(self) -> Hashable:
        return self.n_folds, self.seed

    def positions_of(self, block: Block) -> Indices:
        hashes = splitmix64(self._hashes(block))
        positions = (hashes >> np.uint64(1)).astype(np.intp)
        return np.where(hashes < self.share * 2.0**64, positions, -1)

    def _hashes(self, block: Block) -> Hashes:
        seed = splitmix64(np.array([self.seed], dtype=np.uint64))
        return splitmix64(block.all_row_numbers().astype(np.uint64) + seed)


E = TypeVar("E", bound=Evidence)


class Folded(Generic[E]):
    """One statistic a fold; merged without one fold, the statistic of its training rows.

    Parameters
    ----------
    statistic : Evidence
        An empty statistic of the kind to collect in each fold.
    assignment : GivenFolds or NumberedFolds
        The fold of each row.

    See Also
    --------
    ClassMoments : A statistic that several criteria use.

    Examples
    --------
    >>> from fewest import scan
    >>> from fewest.statistics import ClassMoments, Folded
    >>> from fewest.statistics.splits import NumberedFolds
    >>> folded = scan("iris").collect(Folded(ClassMoments(), NumberedFolds(n_folds=5, seed=0, max_rows=150)))
    >>> folded.n_rows, folded.without(0).n_rows
    (150, 125)
    """

    def __init__(self, statistic: E, assignment: Assignment) -> None:
        self.is_columnwise = statistic.is_columnwise
        self.takes_integers = statistic.takes_integers
        self.folds: list[E] = [statistic.empty() for _ in range(assignment.n_folds)]
        self.assignment = assignment

    @classmethod
    def of(cls, folds: Sequence[E], assignment: Assignment) -> Folded[E]:
        """The folds of which the statistics are known."""
        folded = cls(folds[0], assignment)
        folded.folds = list(folds)
        return folded

    @property
    def n_folds(self) -> int:
        return len(self.folds)

    @property
    def n_rows(self) -> int:
        return sum(fold.n_rows for fold in self.folds)

    def empty(self) -> Self:
        return type(self)(self.folds[0], self.assignment)

    def pass_key(self) -> Hashable:
        of_fold = pass_key_of(self.folds[0])
        return None if of_fold is None else (of_fold, self.assignment.fold_key())

    def update(self, block: Block) -> None:
        for piece in block.pieces(CHUNK):
            fold_of_row = self.assignment.folds_of(piece)
            for k, fold in enumerate(self.folds):
                fold.update(piece.take(np.flatnonzero(fold_of_row == k)))

    def merge(self, other: Self) -> None:
        for fold, other_fold in zip(self.folds, other.folds, strict=True):
            fold.merge(other_fold)

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.folds = [fold.join([part.folds[k] for part in parts]) for k, fold in enumerate(self.folds)]
        return joined

    def whole(self) -> E:
        """The statistic of all rows."""
        return self._merged(self.folds)

    def without(self, k: int) -> E:
        """The statistic of the rows that are not in fold k."""
        return self._merged([fold for i, fold in enumerate(self.folds) if i != k])

    def _merged(self, folds: Sequence[E]) -> E:
        merged = self.folds[0].empty()
        for fold in folds:
            merged.merge(fold)
        return merged


class LeftOut(Generic[E]):
    """A statistic for the rows outside each fold, and one for all rows.

    For a second pass, where the first decides what is collected, so that statistics of folds cannot be merged.
    """

    def __init__(self, outside: Sequence[E], of_all: E, assignment: Assignment) -> None:
        self.takes_integers = of_all.takes_integers
        self.is_columnwise = all(one.is_columnwise for one in (*outside, of_all))
        self.outside = list(outside)
        self.of_all = of_all
        self.assignment = assignment

    @property
    def n_folds(self) -> int:
        return len(self.outside)

    @property
    def n_rows(self) -> int:
        return self.of_all.n_rows

    def empty(self) -> Self:
        return type(self)([one.empty() for one in self.outside], self.of_all.empty(), self.assignment)

    @property
    def stays_with_rows(self) -> bool:
        """Whether a part is as large as the rows: then all are asked where the rows are."""
        return any(isinstance(one, StaysWithRows) and one.stays_with_rows for one in (self.of_all, *self.outside))

    def for_partition(self) -> LeftOut[Evidence]:
        """Return the same, without rows yet, for those that stay with one worker of an engine."""
        of_all, *outside = (cast(StaysWithRows, one).for_partition() for one in (self.of_all, *self.outside))
        return LeftOut(outside, of_all, self.assignment)

    def over(self, parts: Questions) -> LeftOut[Evidence]:
        """Return the statistics of rows that stay with the workers of an engine."""
        of_all = cast(StaysWithRows, self.of_all).over(parts.of(attrgetter("of_all")))
        outside = [cast(StaysWithRows, one).over(parts.of(_Outside(k))) for k, one in enumerate(self.outside)]
        return LeftOut(outside, of_all, self.assignment)

    def update(self, block: Block) -> None:
        for piece in block.pieces(CHUNK):
            fold_of_row = self.assignment.folds_of(piece)
            self.of_all.update(piece)
            for k, one in enumerate(self.outside):
                one.update(piece.take(np.flatnonzero(fold_of_row != k)))

    def merge(self, other: Self) -> None:
        self.of_all.merge(other.of_all)
        for one, its in zip(self.outside, other.outside, strict=True):
            one.merge(its)

    def join(self, parts: Sequence[Self]) -> Self:
        outside = [one.join([part.outside[k] for part in parts]) for k, one in enumerate(self.outside)]
        return type(self)(outside, self.of_all.join([part.of_all for part in parts]), self.assignment)

    def whole(self) -> E:
        """The statistic of all rows."""
        return self.of_all

    def without(self, k: int) -> E:
        """The statistic of the rows that are not in fold k."""
        return self.outside[k]


@runtime_checkable
class SharesRows(Protocol):
    """A statistic that can be collected together with others of its kind, of the rows outside each fold."""

    def left_out(self, outside: Sequence[Evidence], assignment: Assignment) -> LeftOut[Evidence]:
        """Return what collects this of all rows, and the others of those outside each fold."""


@dataclass(frozen=True)
class _Outside:
    """Takes out the statistic of the rows outside one fold."""

    fold: int

    def __call__(self, left_out: LeftOut[Evidence]) -> Evidence:
        return left_out.outside[self.fold]


class RowSample:
    """The rows that evaluate, those of weight zero left out: all of their values in some columns.

    Attributes
    ----------
    values : rows by columns, missing values as NaN
    codes, weights, folds, positions : the class, the weight, the fold and the position of each row
    classes : the labels, in order of the codes
    categorical_columns : the columns that hold codes of text or categories, whose order means nothing
    """

    is_columnwise = True
    takes_integers = False

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self.values: Floats = np.empty((0, 0))
        self.categorical_columns: Sequence[int] = ()
        self.classes: Sequence[Hashable] = ()
        self.codes: Codes = np.empty(0, dtype=np.int32)
        self.weights: Floats = np.empty(0)
        self.folds: Indices = np.empty(0, dtype=np.intp)
        self.positions: Indices = np.empty(0, dtype=np.intp)

    def empty(self) -> Self:
        return type(self)(self._assignment)

    def update(self, block: Block) -> None:
        positions = self._assignment.positions_of(block)
        self.categorical_columns = block.categorical_columns
        self.classes = max(self.classes, block.classes, key=len)
        weights = block.row_weights
        rows = np.flatnonzero((weights > 0) & (positions >= 0))
        own = block.take(rows)
        self._append(own.dense_values, own.codes, weights[rows], self._assignment.folds_of(own), positions[rows])

    def merge(self, other: Self) -> None:
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self.classes = max(self.classes, other.classes, key=len)
        self._append(other.values, other.codes, other.weights, other.folds, other.positions)

    def join(self, parts: Sequence[Self]) -> Self:
        joined, one = self.empty(), parts[0]
        starts = np.cumsum([0, *(part.values.shape[1] for part in parts)])
        joined.categorical_columns = [
            int(start) + column
            for part, start in zip(parts, starts, strict=False)
            for column in part.categorical_columns
        ]
        joined.classes = one.classes
        joined._append(np.hstack([part.values for part in parts]), one.codes, one.weights, one.folds, one.positions)
        return joined

    def in_order(self, class_ranks: Indices) -> Self:
        """The rows in the order of their positions, with new codes of classes, and of categories as they appear."""
        order = np.argsort(self.positions, kind="stable")
        own = self.empty()
        own.categorical_columns, own.classes = self.categorical_columns, self.classes
        codes = class_ranks[self.codes[order]].astype(np.int32)
        values = self.values[order]
        for column in self.categorical_columns:
            is_known = ~np.isnan(values[:, column])
            _, firsts, which = np.unique(values[is_known, column], return_index=True, return_inverse=True)
            values[is_known, column] = np.argsort(np.argsort(firsts))[which]
        own._append(values, codes, self.weights[order], self.folds[order], self.positions[order])
        return own

    def _append(
        self,
        values: NDArray[np.floating],
        codes: Codes,
        weights: Floats,
        folds: NDArray[np.integer],
        positions: Indices,
    ) -> None:
        width = values.shape[1]
        self.values = np.concatenate([self.values.reshape(len(self.codes), width), values.astype(np.float64)])
        self.codes = np.concatenate([self.codes, codes])
        self.weights = np.concatenate([self.weights, weights])
        self.folds = np.concatenate([self.folds, folds.astype(np.intp)])
        self.positions = np.concatenate([self.positions, positions])
