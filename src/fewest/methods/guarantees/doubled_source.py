"""A table with a copy of each column beside its columns, as a source."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from fewest.arrays import Codes, Indices, Mask
from fewest.data.block import Block
from fewest.data.retained import RetainedSource
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix


class PairedColumns:
    """Where columns and copies are: each pair at positions j and n + j, the copy first where the pair is swapped.

    Ties go to the first of two columns, so that without swaps originals would win them all.
    """

    def __init__(self, is_swapped: Mask) -> None:
        n = len(is_swapped)
        self.own: Indices = np.where(is_swapped, n + np.arange(n), np.arange(n))
        self.of_copies: Indices = np.where(is_swapped, np.arange(n), n + np.arange(n))
        #: Of columns with all copies after them, the one at each position.
        self.order: Indices = np.argsort(np.concatenate([self.own, self.of_copies]))


class DoubledSource(RetainedSource):
    """Columns and their copies, which have the names of the columns, marked, and their categories.

    source : the columns
    values : rows by columns and copies, where `places` says
    """

    def __init__(
        self, source: Source, places: PairedColumns, values: Matrix, codes: Codes, classes: Sequence[Hashable]
    ) -> None:
        super().__init__(source, [Block(values, codes, classes, is_all=True)])
        self.n_features = self.columns_at_once = 2 * source.n_features
        self.column_kinds = [*source.column_kinds, *source.column_kinds]
        self._of_copy: dict[str, str] = {}
        if source.feature_names is not None:
            names = list(source.feature_names)
            self._of_copy = {_free_name(name, names): name for name in names}
            both = [*names, *self._of_copy]
            texts = set(source.text_columns)
            self.feature_names = [both[position] for position in places.order.tolist()]
            self.text_columns = [name for name in self.feature_names if self._of_copy.get(name, name) in texts]

    def categories_of(self, name: str) -> Sequence[Hashable] | None:
        return super().categories_of(self._of_copy.get(name, name))


def _free_name(name: str, names: Sequence[str]) -> str:
    copy = f"{name} (copy)"
    while copy in names:
        copy += "'"
    return copy
