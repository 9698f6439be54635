"""A source whose extreme columns are multiplied by powers of two, so that their squares neither vanish nor overflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Floats, Integers
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.data.sparse_matrix import Matrix, is_sparse


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
