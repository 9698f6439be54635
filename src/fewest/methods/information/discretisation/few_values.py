"""The distinct values of columns that hold few whole numbers, however far apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._core import few_distinct
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.threads import thread_count


@dataclass(frozen=True)
class FewValues:
    """The distinct values of each column, as long as they are few and whole.

    values : (n_columns, most) ascending; behind the last of them infinite
    are_few : (n_columns,) whether these are all there are
    """

    values: Floats
    are_few: Mask

    @classmethod
    def none(cls, n_columns: int, most: int) -> FewValues:
        """Of columns of which no row was met."""
        return cls(np.full((n_columns, most), np.inf), np.ones(n_columns, dtype=bool))

    @classmethod
    def of(cls, rows: NDArray[Any], most: int) -> FewValues:
        """Of rows by columns of floats."""
        n_columns = rows.shape[1]
        values, counts = np.zeros((n_columns, most)), np.zeros(n_columns, dtype=np.int32)
        few_distinct(rows, True, values, counts, thread_count())
        are_few = (counts >= 0) & (counts <= most)
        values[(np.arange(most) >= counts[:, None]) | ~are_few[:, None]] = np.inf
        return cls(values, are_few)

    @classmethod
    def of_counts(cls, counts: Integers, lowest: Integers, most: int) -> FewValues:
        """Of columns of which counts[:, k] rows hold lowest + k."""
        is_held = counts > 0
        held_first = np.argsort(~is_held, axis=1, kind="stable")[:, :most]
        n_held = is_held.sum(axis=1)
        values = np.where(np.arange(most) < n_held[:, None], lowest[:, None] + held_first, np.inf)
        return cls(values, n_held <= most)

    def put(self, columns: Indices, of_columns: FewValues) -> None:
        """Let these stand for some of the columns."""
        self.values[columns], self.are_few[columns] = of_columns.values, of_columns.are_few

    @property
    def counts(self) -> Codes:
        """How many values each column has; 0 where they are not few, or there are none."""
        return np.where(self.are_few, np.isfinite(self.values).sum(axis=1), 0).astype(np.int32)

    def with_those_of(self, other: FewValues) -> FewValues:
        """Of the rows of both."""
        most = self.values.shape[1]
        together = np.sort(np.hstack([self.values, other.values]), axis=1)
        together[:, 1:][together[:, 1:] == together[:, :-1]] = np.inf
        together.sort(axis=1)
        are_few = self.are_few & other.are_few & ~np.isfinite(together[:, most:]).any(axis=1)
        return FewValues(np.ascontiguousarray(together[:, :most]), are_few)
