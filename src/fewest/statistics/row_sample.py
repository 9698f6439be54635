"""A random sample of the rows, each with its fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Indices
from fewest.data.block import Block
from fewest.statistics.splits import GivenFolds, SpreadFolds


class RowSample:
    """A random sample of the rows, each with its fold: to evaluate a few columns, not to select among many.

    Stores a share of the rows, or all where the share is one; those of weight zero are left out.

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
        joined = self.empty()
        first = parts[0]
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
