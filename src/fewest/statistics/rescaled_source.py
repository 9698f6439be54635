"""A source whose extreme columns are multiplied by powers of two, so that their squares neither vanish nor overflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Floats, Indices, Integers
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.statistics.class_moments import ClassMoments

#: Powers of two: between these limits even the fourth power of a column is far from both ends of what float64 holds.
_SMALLEST, _LARGEST = -200, 200
#: The largest power that is itself a finite number.
_MOST = 1000


class RescaledSource(_DerivedSource):
    """Another source with each column multiplied by a power of two.

    exponents : the power of each column
    """

    def __init__(self, source: Source, exponents: Integers) -> None:
        super().__init__(source)
        self._multiply = _Multiplication(np.ldexp(1.0, exponents))

    def with_text_as_codes(self) -> Source:
        return self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        for g, block in self.source.group_blocks(groups):
            yield g, self._multiply(replace(block, columns=groups[g]))

    def _block_map(self) -> Callable[[Block], Block]:
        return self._multiply


@dataclass(frozen=True)
class _Multiplication:
    """Multiplies each column of a block by its factor."""

    factors: Floats

    def __call__(self, block: Block) -> Block:
        columns = block.columns
        factors = self.factors if columns is None else self.factors[np.asarray(columns, dtype=np.intp)]
        return replace(block, values=_multiplied(block.values, factors))


def _multiplied(values: Matrix, factors: Floats) -> Matrix:
    if not is_sparse(values):
        return values.astype(np.float64) * factors
    scaled = values.astype(np.float64).tocsr()
    scaled = scaled.copy() if scaled is values else scaled
    scaled.data = scaled.data * factors[scaled.indices]
    return scaled


def extreme_exponents(criterion: object, statistic: object, n_columns: int) -> Integers | None:
    """Return the power of two that brings each column of a table near 1, zero for ordinary ones; None where all are.

    Columns that the criterion takes as they are, unscaled or for a classifier of the user's, stay as they are.
    """
    if getattr(criterion, "scale", "std") is None or getattr(criterion, "estimator", None) is not None:
        return None
    moments = getattr(statistic, "moments", statistic)
    if not isinstance(moments, ClassMoments):
        return None
    lowest, highest = moments.lowest, moments.highest
    largest = np.maximum(np.abs(lowest), np.abs(highest))
    is_observed = np.isfinite(largest)
    with np.errstate(invalid="ignore", over="ignore"):
        is_tiny = is_observed & (highest > lowest) & (highest - lowest < 2.0**_SMALLEST)
    is_extreme = is_tiny | (is_observed & (largest > 2.0**_LARGEST))
    if not is_extreme.any():
        return None
    exponents = np.zeros(n_columns, dtype=np.int64)
    powers = np.clip(-np.frexp(np.where(is_extreme, largest, 1.0))[1], -_MOST, _MOST)
    exponents[_columns_of(statistic, moments, n_columns)[is_extreme]] = powers[is_extreme]
    return exponents


def _columns_of(statistic: object, moments: ClassMoments, n_columns: int) -> Indices:
    """The column of the table that each column of the moments is, or is part of."""
    if moments.feature_of is not None:
        return moments.feature_of
    own = getattr(statistic, "float_columns", None)
    return np.arange(n_columns) if own is None or len(own) != moments.n_features else np.asarray(own, dtype=np.intp)
