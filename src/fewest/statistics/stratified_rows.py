"""A sample of the rows of every class, drawn by their own values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Hashes, Indices
from fewest.data.block import Block
from fewest.memory import MIB
from fewest.statistics.class_moments import WithMoments
from fewest.statistics.prepared_rows import bits_of, splitmix64


class StratifiedRows(WithMoments):
    """A sample of a table of any length, of every class in proportion, and the moments of all rows.

    A hash of their values and a seed decides which rows, the same for any order, split into blocks and merges. Equal
    rows of a class are one, of their total weight.
    Memory: `size` rows of every class as float64. Cost: one read, and a hash of every value.

    Parameters
    ----------
    size : int
        The number of rows drawn, two of every class at least.
    seed : int, default=0
        Another seed draws other rows.

    Attributes
    ----------
    moments : ClassMoments
        The moments of all rows, drawn or not.
    values : array of shape (n_drawn, n_features)
        float64, missing values as NaN.
    codes, weights : arrays of shape (n_drawn,)
        The class of each row drawn, as an index into classes, and its weight.

    See Also
    --------
    Rows : All rows.
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, size: int, seed: int = 0) -> None:
        super().__init__()
        self.size = size
        self.seed = seed
        self.categorical_columns: Sequence[int] = ()
        self._of_class: dict[int, _LowestHashes] = {}
        self._drawn: tuple[Floats, Codes, Floats] | None = None

    @property
    def values(self) -> Floats:
        return self._draw()[0]

    @property
    def codes(self) -> Codes:
        return self._draw()[1]

    @property
    def weights(self) -> Floats:
        return self._draw()[2]

    def empty(self) -> Self:
        return type(self)(self.size, self.seed)

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        self.moments.update(block)
        self.categorical_columns = block.categorical_columns
        self._drawn = None
        for piece in block.pieces(8 * MIB):
            weights, values = piece.row_weights, piece.dense_values
            hashes = self._hashes(values)
            codes = self.class_indices(piece.classes)[piece.codes]
            for code in np.unique(codes[weights > 0]).tolist():
                rows = np.flatnonzero((codes == code) & (weights > 0))
                self._lowest(code).add(hashes[rows], values, rows, weights[rows])

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._drawn = None
        for code, other_code in zip(self.class_indices(other.classes), range(len(other.classes)), strict=True):
            if other_code in other._of_class:
                kept = other._of_class[other_code]
                self._lowest(int(code)).add(kept.hashes, kept.values, np.arange(len(kept.hashes)), kept.weights)

    def _lowest(self, code: int) -> _LowestHashes:
        return self._of_class.setdefault(code, _LowestHashes(self.size, self.n_features))

    def _hashes(self, values: NDArray[np.floating]) -> Hashes:
        """A number for each row, from its values and their columns."""
        hashes = np.full(len(values), self.seed, dtype=np.uint64)
        for j in range(values.shape[1]):
            hashes = splitmix64(hashes ^ bits_of(values[:, j].astype(np.float64)))
        return hashes

    def _draw(self) -> tuple[Floats, Codes, Floats]:
        """Of every class in proportion to its rows, those with the lowest hashes."""
        if self._drawn is None:
            counts = np.array(self.moments.class_counts, dtype=np.float64)
            share = self.size / max(float(counts.sum()), 1.0)
            parts = []
            for code, kept in sorted(self._of_class.items()):
                n_drawn = len(kept.hashes) if share >= 1 else max(2, round(share * counts[code]))
                first = np.argsort(kept.hashes)[:n_drawn]
                parts.append((kept.values[first], np.full(len(first), code, dtype=np.int32), kept.weights[first]))
            nothing = (np.empty((0, self.n_features)), np.empty(0, dtype=np.int32), np.empty(0))
            values, codes, weights = zip(nothing, *parts, strict=True)
            self._drawn = np.concatenate(values), np.concatenate(codes), np.concatenate(weights)
        return self._drawn


class _LowestHashes:
    """The distinct rows of one class with the lowest hashes."""

    def __init__(self, size: int, n_features: int) -> None:
        self.size = size
        self.hashes: Hashes = np.empty(0, dtype=np.uint64)
        self.values: Floats = np.empty((0, n_features))
        self.weights: Floats = np.empty(0)

    def add(self, hashes: Hashes, values: NDArray[np.floating], rows: Indices, weights: Floats) -> None:
        if len(self.hashes) == self.size:
            is_low = hashes <= self.hashes[-1]
            hashes, rows, weights = hashes[is_low], rows[is_low], weights[is_low]
        together = np.concatenate([self.hashes, hashes])
        distinct, firsts, which = np.unique(together, return_index=True, return_inverse=True)
        totals = np.bincount(which, np.concatenate([self.weights, weights]), len(distinct)).astype(np.float64)
        firsts = firsts[: self.size]
        old = firsts < len(self.hashes)
        kept = np.empty((len(firsts), self.values.shape[1]))
        kept[old] = self.values[firsts[old]]
        kept[~old] = values[rows[firsts[~old] - len(self.hashes)]]
        self.hashes, self.values, self.weights = distinct[: self.size], kept, totals[: self.size]
