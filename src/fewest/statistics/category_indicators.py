"""Columns of zeros and ones for the frequent categories of a column of text.

A column of up to 10 categories has an indicator for each. In a column of more, categories of at least 5 rows have one,
the 30 most frequent of them, and all others share one more. A missing value is zero in all. Two indicators of a column
without missing values say the same, and are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats, Hashes, Indices, Integers
from fewest.statistics.prepared_rows import bits_of, splitmix64

#: Up to this number every category has an indicator.
FEW_CATEGORIES = 10
#: Of more, those with this number of rows have one, and at most this number of them.
MIN_ROWS, MAX_INDICATORS = 5, 30


@dataclass(frozen=True)
class ColumnIndicators:
    """The indicators of one column of text.

    codes : the code of the category of each indicator, the most frequent first
    has_rest : whether one more indicator is 1 where the category is none of these
    """

    codes: Indices
    has_rest: bool

    @classmethod
    def of_counts(cls, counts: Integers | Floats, order: Indices, n_missing: float) -> ColumnIndicators:
        """Choose the categories that have an indicator.

        counts : the number of rows with each code
        order : the codes in the order of preference where two are as frequent
        """
        by_count = order[np.argsort(-counts[order], kind="stable")]
        known = by_count[counts[by_count] > 0]
        frequent = known
        if len(known) > FEW_CATEGORIES:
            frequent = known[counts[known] >= MIN_ROWS][:MAX_INDICATORS]
        has_rest = len(frequent) < len(known)
        if n_missing == 0 and len(frequent) + has_rest == 2:
            # The other is what this one leaves.
            return cls(frequent[:1], has_rest=False)
        return cls(frequent, has_rest)

    def __len__(self) -> int:
        # A column without any category still is one.
        return max(len(self.codes) + self.has_rest, 1)

    def fill(self, column: Floats, out: Floats) -> None:
        """Write the indicators of these codes, NaN for a missing one, to the columns of `out`."""
        out[...] = 0.0
        positions = np.full(int(max(self.codes.max(initial=-1), np.nanmax(column, initial=-1.0))) + 2, -1)
        if self.has_rest:
            positions[:-1] = len(self.codes)
        positions[self.codes] = np.arange(len(self.codes))
        # A missing value reads the last position, which is none.
        position = positions[np.where(np.isnan(column), -1, column).astype(np.intp)]
        rows = np.flatnonzero(position >= 0)
        out[rows, position[rows]] = 1.0


class TableIndicators:
    """The indicators of the columns of text of a table, by the categories of its training rows.

    ends : where each column of the table ends among the columns with indicators
    """

    def __init__(self, values: Floats, text_columns: Iterable[int]) -> None:
        self._of_column: dict[int, ColumnIndicators] = {}
        texts = sorted(set(text_columns))
        counts = {column: _counts(values[:, column]) for column in texts}
        hashes = _row_hashes(values, counts) if texts else np.empty(0, dtype=np.uint64)
        for column in texts:
            n_missing = int(np.isnan(values[:, column]).sum())
            order = np.argsort(_category_hashes(values[:, column], hashes, len(counts[column])), kind="stable")
            self._of_column[column] = ColumnIndicators.of_counts(counts[column], order, n_missing)
        widths = [len(self._of_column[j]) if j in self._of_column else 1 for j in range(values.shape[1])]
        self.ends: Indices = np.cumsum(widths, dtype=np.intp)

    @property
    def columns(self) -> Indices:
        """The column of the table that each column with indicators comes from."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    def transform(self, values: Floats) -> Floats:
        """Return rows of the table with the indicators in place of the codes of text."""
        if not self._of_column:
            return values
        out = np.empty((len(values), int(self.ends[-1])))
        for column, end in enumerate(self.ends.tolist()):
            if column in self._of_column:
                own = self._of_column[column]
                own.fill(values[:, column], out[:, end - len(own) : end])
            else:
                out[:, end - 1] = values[:, column]
        return out


def _counts(column: Floats) -> Integers:
    return np.bincount(column[~np.isnan(column)].astype(np.intp))


def _row_hashes(values: Floats, counts: dict[int, Integers]) -> Hashes:
    """Return a hash of what each row holds, with how frequent a category is in place of its code."""
    hashes = np.zeros(len(values), dtype=np.uint64)
    for column in range(values.shape[1]):
        cells = values[:, column]
        if column in counts:
            known = ~np.isnan(cells)
            cells = np.full(len(cells), np.nan)
            cells[known] = counts[column][values[known, column].astype(np.intp)]
        hashes = splitmix64(hashes ^ bits_of(cells.astype(np.float64)))
    return hashes


def _category_hashes(column: Floats, hashes: Hashes, n_codes: int) -> Hashes:
    """Return a hash for each code, from what its rows hold, whatever their order."""
    sums = np.zeros(n_codes, dtype=np.uint64)
    known = np.flatnonzero(~np.isnan(column))
    np.add.at(sums, column[known].astype(np.intp), splitmix64(hashes[known]))
    return sums
