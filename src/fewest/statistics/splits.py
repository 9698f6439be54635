"""Splits of rows into folds, and statistics that know the fold of each row."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Indices
from fewest.data.block import Block
from fewest.errors import InvalidInput, InvalidParameter
from fewest.memory import CHUNK
from fewest.protocols import Evidence


def is_split(cv: object) -> bool:
    """Whether cv itself assigns rows to folds, rather than being their number."""
    return (hasattr(cv, "split") or isinstance(cv, Iterable)) and not isinstance(cv, str | type)


def split_rows(cv: object, codes: Codes) -> tuple[Indices, int]:
    """The fold in which each row of these classes is tested, and the number of folds."""
    try:
        pairs = cv.split(np.zeros((len(codes), 1)), codes) if hasattr(cv, "split") else cv
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


@dataclass(frozen=True)
class GivenFolds:
    """Folds that are known beforehand, by row number."""

    fold_of_row: Indices
    n_folds: int

    def afresh(self) -> GivenFolds:
        return self

    def next_folds(self, block: Block) -> Indices:
        """The fold of each row of the next block."""
        return self.fold_of_row[block.all_row_numbers()]


class SpreadFolds:
    """Random folds over which every class is spread evenly.

    Among every n_folds consecutive rows of one class each fold has one, in an order drawn for that class, seeded by the
    label's text. Rows are met once, in order, so this works on a stream.
    """

    def __init__(self, n_folds: int, seed: int) -> None:
        self.n_folds = n_folds
        self.seed = seed
        self._draws: dict[str, np.random.Generator] = {}
        self._left: dict[str, Indices] = {}

    def afresh(self) -> SpreadFolds:
        """The same folds, from the first row on."""
        return SpreadFolds(self.n_folds, self.seed)

    def next_folds(self, block: Block) -> Indices:
        """The fold of each row of the next block."""
        folds = np.empty(block.n_rows, dtype=np.intp)
        for code in np.unique(block.codes):
            rows = np.flatnonzero(block.codes == code)
            folds[rows] = self._next_of_class(str(block.classes[code]), len(rows))
        return folds

    def _next_of_class(self, label: str, count: int) -> Indices:
        label_seed = zlib.crc32(label.encode(errors="surrogatepass"))
        draw = self._draws.setdefault(label, np.random.default_rng([self.seed, label_seed]))
        left = self._left.get(label, np.empty(0, dtype=np.intp))
        n_rounds = -(-max(count - len(left), 0) // self.n_folds)
        rounds = draw.permuted(np.tile(np.arange(self.n_folds), (n_rounds, 1)), axis=1).ravel()
        folds = np.concatenate([left, rounds])
        self._left[label] = folds[count:]
        return folds[:count]


E = TypeVar("E", bound=Evidence)


class Folded(Generic[E]):
    """One statistic a fold; merged without one fold, the statistic of its training rows.

    Parameters
    ----------
    statistic : Evidence
        An empty statistic of the kind to collect in each fold.
    assignment : SpreadFolds or GivenFolds
        The fold of each row.

    See Also
    --------
    ClassMoments : A statistic that several criteria use.
    """

    def __init__(self, statistic: E, assignment: SpreadFolds | GivenFolds) -> None:
        self.is_columnwise = statistic.is_columnwise
        self.takes_integers = statistic.takes_integers
        self.folds: list[E] = [statistic.empty() for _ in range(assignment.n_folds)]
        self.assignment = assignment.afresh()

    @property
    def n_folds(self) -> int:
        return len(self.folds)

    @property
    def n_rows(self) -> int:
        return sum(fold.n_rows for fold in self.folds)

    def empty(self) -> Self:
        return type(self)(self.folds[0], self.assignment)

    def update(self, block: Block) -> None:
        for piece in block.pieces(CHUNK):
            fold_of_row = self.assignment.next_folds(piece)
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

    is_columnwise = False

    def __init__(self, outside: Sequence[E], of_all: E, assignment: SpreadFolds | GivenFolds) -> None:
        self.takes_integers = of_all.takes_integers
        self.outside = list(outside)
        self.of_all = of_all
        self.assignment = assignment.afresh()

    @property
    def n_folds(self) -> int:
        return len(self.outside)

    @property
    def n_rows(self) -> int:
        return self.of_all.n_rows

    def empty(self) -> Self:
        return type(self)([one.empty() for one in self.outside], self.of_all.empty(), self.assignment)

    def update(self, block: Block) -> None:
        for piece in block.pieces(CHUNK):
            fold_of_row = self.assignment.next_folds(piece)
            self.of_all.update(piece)
            for k, one in enumerate(self.outside):
                one.update(piece.take(np.flatnonzero(fold_of_row != k)))

    def merge(self, other: Self) -> None:
        self.of_all.merge(other.of_all)
        for one, its in zip(self.outside, other.outside, strict=True):
            one.merge(its)

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("This statistic needs all columns at once: is_columnwise is False.")

    def whole(self) -> E:
        """The statistic of all rows."""
        return self.of_all

    def without(self, k: int) -> E:
        """The statistic of the rows that are not in fold k."""
        return self.outside[k]


class RowSample:
    """A random share of the rows, those of weight zero left out, each with its fold: to evaluate a few columns.

    Attributes
    ----------
    values : rows by columns, missing values as NaN
    codes, weights, folds : the class, the weight and the fold of each row
    categorical_columns : the columns that hold codes of text or categories, whose order means nothing
    """

    is_columnwise = True
    takes_integers = False

    def __init__(self, assignment: SpreadFolds | GivenFolds, share: float = 1.0, seed: int = 0) -> None:
        self._assignment = assignment.afresh()
        self._share = share
        self._seed = seed
        self._draw = np.random.default_rng(seed)
        self.values: Floats = np.empty((0, 0))
        self.categorical_columns: Sequence[int] = ()
        self.codes: Codes = np.empty(0, dtype=np.int32)
        self.weights: Floats = np.empty(0)
        self.folds: Indices = np.empty(0, dtype=np.intp)

    def empty(self) -> Self:
        return type(self)(self._assignment, self._share, self._seed)

    def update(self, block: Block) -> None:
        folds = self._assignment.next_folds(block)
        self.categorical_columns = block.categorical_columns
        weights = block.row_weights
        is_kept = weights > 0
        if self._share < 1.0:
            is_kept &= self._draw.random(block.n_rows) < self._share
        rows = np.flatnonzero(is_kept)
        self._append(block.take(rows).dense_values, block.codes[rows], weights[rows], folds[rows])

    def merge(self, other: Self) -> None:
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._append(other.values, other.codes, other.weights, other.folds)

    def join(self, parts: Sequence[Self]) -> Self:
        joined, first = self.empty(), parts[0]
        starts = np.cumsum([0, *(part.values.shape[1] for part in parts)])
        joined.categorical_columns = [
            int(start) + column
            for part, start in zip(parts, starts, strict=False)
            for column in part.categorical_columns
        ]
        joined._append(np.hstack([part.values for part in parts]), first.codes, first.weights, first.folds)
        return joined

    def _append(self, values: NDArray[np.floating], codes: Codes, weights: Floats, folds: Indices) -> None:
        width = values.shape[1]
        self.values = np.concatenate([self.values.reshape(len(self.codes), width), values.astype(np.float64)])
        self.codes = np.concatenate([self.codes, codes])
        self.weights = np.concatenate([self.weights, weights])
        self.folds = np.concatenate([self.folds, folds])
