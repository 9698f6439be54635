"""Splits of rows into folds, and a statistic for each fold from one read."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Generic, Self, TypeVar

import numpy as np

from fewest.arrays import Codes, Indices
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


class GivenFolds:
    """Folds that are known beforehand, by row number."""

    def __init__(self, fold_of_row: Indices, n_folds: int) -> None:
        self.fold_of_row = fold_of_row
        self.n_folds = n_folds

    def afresh(self) -> GivenFolds:
        return self

    def next_folds(self, block: Block) -> Indices:
        """The fold of each row of the next block."""
        if block.row_numbers is not None:
            return self.fold_of_row[block.row_numbers]
        return self.fold_of_row[block.first_row : block.first_row + block.n_rows]


class SpreadFolds:
    """Random folds over which every class is spread evenly.

    Among every n_folds consecutive rows of one class each fold has one, in an order drawn for that class. Rows are
    met once, in order, so this works on a stream; the label's text seeds the draw, so the folds do not depend on where
    the rows come from.
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
    """One statistic a fold; merged without one fold, the statistic of its training rows."""

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

    For a second pass, where a first one over the same training rows decides what is collected, so that statistics of
    folds cannot be merged.
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
