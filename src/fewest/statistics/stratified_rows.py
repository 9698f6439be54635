"""Some rows of every class, drawn by their own values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Hashes, Indices
from fewest.data.block import Block
from fewest.statistics.class_moments import WithMoments
from fewest.statistics.hashing import bits_of, mixed

#: Hashes of so many values are mixed at a time.
_AT_ONCE = 1 << 20


class StratifiedRows(WithMoments):
    """At most so many rows of a table of any length, of every class in proportion, and the moments of all rows.

    Which rows is decided by a hash of their values and a seed: the same for any order of the rows, any split into
    blocks, and any number of merges. Rows of a class that hold the same are one, with as many copies.

    size : how many rows are drawn, two of every class at least
    seed : which

    Memory: `size` rows of every class as float64 while they are read. Cost: one read, and a hash of every value.

    Attributes
    ----------
    moments : ClassMoments of all rows, drawn or not
    values : (n_drawn, n_features) float64, missing values as NaN
    codes : (n_drawn,) the class of each, as an index into classes
    weights : (n_drawn,) the weight of each, copies added up
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, size: int, seed: int = 0) -> None:
        super().__init__()
        self.size = size
        self.seed = seed
        self.categorical_columns: Sequence[int] = ()
        self._kept: dict[int, _Lowest] = {}
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
        for piece in block.pieces(8 * _AT_ONCE):
            weights = np.ones(piece.n_rows) if piece.weights is None else piece.weights
            values = piece.values.toarray() if sparse.issparse(piece.values) else piece.values
            keys = self._keys(values)
            places = self.class_indices(piece.classes)[piece.codes]
            for place in np.unique(places[weights > 0]).tolist():
                rows = np.flatnonzero((places == place) & (weights > 0))
                self._lowest(place).add(keys[rows], values, rows, weights[rows])

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._drawn = None
        for place, lowest in zip(self.class_indices(other.classes), range(len(other.classes)), strict=True):
            if lowest in other._kept:
                kept = other._kept[lowest]
                self._lowest(int(place)).add(kept.keys, kept.values, np.arange(len(kept.keys)), kept.weights)

    def _lowest(self, place: int) -> _Lowest:
        return self._kept.setdefault(place, _Lowest(self.size, self.n_features))

    def _keys(self, values: Any) -> Hashes:
        """A number for each row, from its values and where they stand."""
        keys = np.full(len(values), self.seed, dtype=np.uint64)
        for j in range(values.shape[1]):
            # float32 as the float64 that it is
            keys = mixed(keys ^ bits_of(values[:, j].astype(np.float64)))
        return keys

    def _draw(self) -> tuple[Floats, Codes, Floats]:
        """Of every class in proportion to its rows, those with the lowest keys."""
        if self._drawn is None:
            counts = np.array(self.moments.class_counts, dtype=np.float64)
            share = self.size / max(float(counts.sum()), 1.0)
            parts = []
            for place, kept in sorted(self._kept.items()):
                wanted = len(kept.keys) if share >= 1 else max(2, round(share * counts[place]))
                first = np.argsort(kept.keys)[:wanted]
                parts.append((kept.values[first], np.full(len(first), place, dtype=np.int32), kept.weights[first]))
            nothing = (np.empty((0, self.n_features)), np.empty(0, dtype=np.int32), np.empty(0))
            values, codes, weights = zip(nothing, *parts, strict=True)
            self._drawn = np.concatenate(values), np.concatenate(codes), np.concatenate(weights)
        return self._drawn


class _Lowest:
    """The different rows of one class with the lowest keys."""

    def __init__(self, size: int, n_features: int) -> None:
        self.size = size
        self.keys: Hashes = np.empty(0, dtype=np.uint64)
        self.values: Floats = np.empty((0, n_features))
        self.weights: Floats = np.empty(0)

    def add(self, keys: Hashes, values: Any, rows: Indices, weights: Floats) -> None:
        if len(self.keys) == self.size:
            near = keys <= self.keys[-1]
            keys, rows, weights = keys[near], rows[near], weights[near]
        together = np.concatenate([self.keys, keys])
        distinct, firsts, which = np.unique(together, return_index=True, return_inverse=True)
        totals = np.bincount(which, np.concatenate([self.weights, weights]), len(distinct)).astype(np.float64)
        firsts = firsts[: self.size]
        old = firsts < len(self.keys)
        kept = np.empty((len(firsts), self.values.shape[1]))
        kept[old] = self.values[firsts[old]]
        kept[~old] = values[rows[firsts[~old] - len(self.keys)]]
        self.keys, self.values, self.weights = distinct[: self.size], kept, totals[: self.size]
