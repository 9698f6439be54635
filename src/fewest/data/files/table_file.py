"""What files with named columns have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Mask
from fewest.data.block import Block
from fewest.data.categories import TextSource
from fewest.data.files.column_roles import ColumnRoles
from fewest.data.labels import ClassLabels
from fewest.errors import InvalidInput


@dataclass(frozen=True)
class RowBatch:
    """Some consecutive rows as they were read.

    values : rows by columns, float32 or float64
    codes, kept : the class of each row and which rows have one (None: all), as ClassLabels.encode gives them
    weights : checked, or None
    """

    values: NDArray[np.floating]
    codes: Codes
    kept: Mask | None
    weights: Floats | None


class TableFile(TextSource):
    """Rows of a file with named columns, one of them the target; read again from the file in every pass."""

    #: The number of rows, and of values, that are read at a time at most.
    rows_at_once: int
    values_at_once: int

    def __init__(
        self,
        where: str,
        roles: ColumnRoles,
        held: Mapping[str, str],
        drop_unlabelled: bool,
        columns_at_once: int | None = None,
    ) -> None:
        super().__init__(roles.features, held, where)
        if roles.weight in held:
            raise InvalidInput(f"The weight {roles.weight!r} of {where} is not a column of numbers. Name another.")
        self.where = where
        self.roles = roles
        self.columns_at_once = columns_at_once or self.n_features
        # One for all passes: a class keeps its code, in whichever block it first appears.
        self._labels = ClassLabels(roles.target, drop_unlabelled)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return (block for _, block in self.group_blocks([columns]))

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        features = self.roles.features
        names = [features if group is None else [features[column] for column in group] for group in groups]
        for group_names in names:
            self._refuse_text(group_names)
        last_row = 0
        for g, first_row, rows in self._read_groups(names):
            block = self._block(rows, first_row, groups[g])
            last_row = max(last_row, first_row + len(rows.codes))
            if block.n_rows:
                yield g, block
        self._check_rows(last_row)

    def _rows_of_batch(self, n_columns: int) -> int:
        """The number of rows to read at a time of this number of columns."""
        return max(1, min(self.rows_at_once, self.values_at_once // n_columns))

    def _block(self, rows: RowBatch, first_row: int, columns: Sequence[int] | None) -> Block:
        """The rows that have a label."""
        block = Block(rows.values, rows.codes, self._labels.values, rows.weights, first_row, columns=columns)
        return block if rows.kept is None else block.take(np.flatnonzero(rows.kept))

    def _check_rows(self, n_rows: int) -> None:
        """Raise, at the end of a pass, where there were no rows or no labels."""
        if n_rows == 0:
            raise InvalidInput(f"{self.where} has column names but no rows. Give a table with at least two.")
        if not self._labels.values:
            raise InvalidInput(f"No row of {self.where} has a label in {self.roles.target!r}. Name another target.")

    @abstractmethod
    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, int, RowBatch]]:
        """All rows over each group of named features: the group's number, the first row's number, and the rows."""
        ...


class SequentialFile(TableFile):
    """A file that can only be read from beginning to end: once for every group of columns."""

    @abstractmethod
    def _read(self, names: list[str]) -> Iterator[RowBatch]:
        """All rows over the named features, from the first."""
        ...

    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, int, RowBatch]]:
        for g, group_names in enumerate(names):
            first_row = 0
            for rows in self._read(group_names):
                yield g, first_row, rows
                first_row += len(rows.codes)
