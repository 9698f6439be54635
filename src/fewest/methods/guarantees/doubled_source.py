"""A table with a copy of each column beside its columns, as a source."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from scipy import sparse

from fewest.arrays import Indices, Mask
from fewest.data.block import Block
from fewest.data.retained import RetainedSource
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, is_sparse


class DoubledSource(RetainedSource):
    """Columns and their copies: each pair at positions j and n + j, the copy first where the pair is swapped.

    Ties go to the first of two columns, so that without swaps originals would win them all.

    source : the columns, whose names and categories the copies have too
    block : the rows
    copies : rows by columns
    is_swapped : by column
    """

    def __init__(self, source: Source, block: Block, copies: Matrix, is_swapped: Mask) -> None:
        n = source.n_features
        #: Where each column is, and its copy.
        self.own: Indices = np.where(is_swapped, n + np.arange(n), np.arange(n))
        self.of_copies: Indices = np.where(is_swapped, np.arange(n), n + np.arange(n))
        values = _beside(block.values, copies)
        order = np.empty(2 * n, dtype=np.intp)
        order[self.own], order[self.of_copies] = np.arange(n), n + np.arange(n)
        doubled = Block(values[:, order], block.codes, block.classes, is_all=True)
        super().__init__(source, [doubled])
        self.n_features = self.columns_at_once = 2 * n
        self.column_kinds = [*source.column_kinds, *source.column_kinds]
        self._of_copy: dict[str, str] = {}
        if source.feature_names is not None:
            names = list(source.feature_names)
            self._of_copy = {_free_name(name, names): name for name in names}
            both = [*names, *self._of_copy]
            texts = set(source.text_columns)
            self.feature_names = [both[position] for position in order.tolist()]
            self.text_columns = [name for name in self.feature_names if self._of_copy.get(name, name) in texts]

    def categories_of(self, name: str) -> Sequence[Hashable] | None:
        return super().categories_of(self._of_copy.get(name, name))


def _free_name(name: str, names: Sequence[str]) -> str:
    copy = f"{name} (copy)"
    while copy in names:
        copy += "'"
    return copy


def _beside(values: Matrix, copies: Matrix) -> Matrix:
    if is_sparse(values) and is_sparse(copies):
        return sparse.hstack([values, copies], format="csr")
    dense = values.toarray() if is_sparse(values) else np.asarray(values)
    return np.hstack([dense, copies])
