"""The rows of a second pass outside each fold, and all of them, kept once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from fewest._core import CategoryColumns, PackedCodes
from fewest.arrays import Codes
from fewest.data.block import Block
from fewest.errors import ChangedData
from fewest.methods.information.discretisation.discretizer import EncodedColumns
from fewest.methods.information.discretisation.refinement import Encoder, Refinement
from fewest.methods.information.discretisation.value_counts import repeated
from fewest.statistics.splits import Assignment, LeftOut
from fewest.threads import thread_count

if TYPE_CHECKING:
    from fewest.methods.information.discretisation.second_pass import SecondPass


class _Group(NamedTuple):
    """Some columns of all rows, a part for each fold."""

    columns: range
    encode: Encoder
    folds: list[PackedCodes]


class FoldedCategories(LeftOut["SecondPass"]):
    """LeftOut of second passes that keep rows: these are kept once, by fold, in codes that refine all categories.

    Thresholds of the training rows of five folds, and of all rows, lie close together: of three categories each a value
    takes 4 bits instead of 10. Those of the rows outside a fold are made when they are asked for, and in any order:
    what is counted does not depend on it.
    """

    def __init__(self, outside: Sequence[SecondPass], of_all: SecondPass, assignment: Assignment) -> None:
        super().__init__(outside, of_all, assignment)
        self.is_columnwise = True
        discretizers = [one.discretizer for one in (*outside, of_all)]
        self._refinement = Refinement(discretizers, of_all.summary.missing > 0)
        n_rows = int(of_all.summary.class_weights.sum())
        self._n_rows_of_fold = [n_rows - int(one.summary.class_weights.sum()) for one in outside]
        self._groups: list[_Group] = []
        #: The class of each row, by fold, where the first column is among these.
        self._codes: list[list[Codes]] = [[] for _ in outside]

    def empty(self) -> Self:
        own = type(self).__new__(type(self))
        own.__dict__ |= self.__dict__
        own._groups, own._codes = [], [[] for _ in self.outside]
        return own

    def update(self, block: Block) -> None:
        block = repeated(block)
        if not self._groups:
            columns = range(block.values.shape[1])
            if block.columns is not None:
                columns = range(block.columns[0], block.columns[-1] + 1)
            n_codes = self._refinement.n_codes[columns.start : columns.stop]
            folds = [PackedCodes(n_codes, n_rows) for n_rows in self._n_rows_of_fold]
            self._groups = [_Group(columns, self._refinement.encoder(columns), folds)]
        group = self._groups[0]
        codes = group.encode(block.as_floats().values)
        fold_of_row = self.assignment.folds_of(block)
        classes = self.of_all.class_indices(block.classes)[block.codes]
        for k, packed in enumerate(group.folds):
            rows = np.flatnonzero(fold_of_row == k)
            try:
                packed.fill(codes, rows, thread_count())
            except ValueError:
                raise ChangedData from None
            if group.columns.start == 0:
                self._codes[k].append(classes[rows])

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Rows are filled in from the first to the last.")

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined._groups = [group for part in parts for group in part._groups]
        joined._codes = parts[0]._codes
        return joined

    def whole(self) -> SecondPass:
        return self.of_all.filled_by(lambda: self._columns_of(len(self.outside)))

    def without(self, k: int) -> SecondPass:
        return self.outside[k].filled_by(lambda: self._columns_of(k))

    def _columns_of(self, index: int) -> CategoryColumns:
        """The categories of the rows outside a fold, or of all rows where there is no such fold."""
        of = self.of_all if index == len(self.outside) else self.outside[index]
        folds = [k for k in range(len(self.outside)) if k != index]
        n_rows = sum(self._n_rows_of_fold[k] for k in folds)
        filled = of.discretizer.allocate(len(of.classes), n_rows)
        for group in self._groups:
            categories = self._refinement.categories(index, group.columns)
            for k in folds:
                group.folds[k].fill_in(filled, group.columns.start, categories, thread_count())
        codes = np.concatenate([np.empty(0, dtype=np.int32), *(part for k in folds for part in self._codes[k])])
        EncodedColumns.of_class(self.of_all.classes, codes, len(of.discretizer.n_categories)).fill(filled)
        return filled
