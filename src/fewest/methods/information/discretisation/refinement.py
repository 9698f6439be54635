"""Categories of which those of several discretizers are unions, so that rows are kept once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewest._core import encode_columns
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.errors import ChangedData
from fewest.methods.information.discretisation.discretizer import FittedDiscretizer
from fewest.methods.information.discretisation.value_counts import ByteTable
from fewest.threads import thread_count

#: The category of a row that is in none.
_MISSING = np.iinfo(np.uint16).max


class _Steps(NamedTuple):
    """A column's category as a function of its value: categories[i] where it exceeds i of the cuts, which ascend."""

    cuts: Floats
    categories: Integers

    @classmethod
    def of(cls, fitted: FittedDiscretizer, column: int) -> _Steps:
        index = _index_of(fitted.float_columns, column)
        if index is not None:
            cuts = fitted._own_thresholds.get(index, fitted._thresholds[index, : fitted._n_thresholds[index]])
            return cls(cuts, fitted._pooled.get(index, np.arange(len(cuts) + 1)))
        lowest = int(fitted._lowest[column])
        index = _index_of(fitted._looked_up, column)
        if index is None:
            n_kept = int(fitted.n_categories[column])
            return cls(lowest + np.arange(n_kept - 1.0), np.arange(n_kept))
        categories = fitted._categories_of_bytes[index]
        held = np.flatnonzero(categories != ByteTable.MISSING)
        if len(held) == 0:
            return cls(np.zeros(0), np.zeros(1, dtype=np.int64))
        categories = categories[held].astype(np.int64)
        changes = np.flatnonzero(categories[1:] != categories[:-1])
        return cls((lowest + held[changes]).astype(np.float64), categories[np.append(changes, len(held) - 1)])


def _index_of(columns: Indices, column: int) -> int | None:
    """Where a column stands among ascending ones; None where it does not."""
    index = int(np.searchsorted(columns, column))
    return index if index < len(columns) and columns[index] == column else None


class Refinement:
    """The coarsest categories of each column of which those of several discretizers are unions.

    The code of a value is the number of cuts that it exceeds; that of a missing one is the column's last.

    n_codes : (n_columns,) the number of codes of each column
    """

    def __init__(self, discretizers: Sequence[FittedDiscretizer], has_missing: Mask) -> None:
        n_columns = len(has_missing)
        self._has_missing = has_missing
        self._discretizers = list(discretizers)
        self._cuts: list[Floats] = [np.zeros(0)] * n_columns
        self._categories: list[list[Integers]] = [[np.zeros(0, dtype=np.int64)] * n_columns for _ in discretizers]
        is_plain = np.ones(n_columns, dtype=bool)
        for fitted in discretizers:
            is_cut = np.zeros(n_columns, dtype=bool)
            is_cut[fitted.float_columns] = True
            is_cut[fitted.float_columns[list(fitted._own_thresholds)]] = False
            is_plain &= is_cut
        self._refine_together(np.flatnonzero(is_plain))
        for column in np.flatnonzero(~is_plain).tolist():
            self._refine(column)
        self.n_codes: Codes = np.array([len(cuts) + 1 for cuts in self._cuts], dtype=np.int32) + has_missing

    def _refine(self, column: int) -> None:
        steps = [_Steps.of(fitted, column) for fitted in self._discretizers]
        cuts = self._cuts[column] = np.unique(np.concatenate([own.cuts for own in steps]))
        for categories, own in zip(self._categories, steps, strict=True):
            n_exceeded = np.append(0, np.searchsorted(own.cuts, cuts, side="right"))
            categories[column] = own.categories[n_exceeded]

    def _refine_together(self, columns: Indices) -> None:
        """The same for columns that all discretizers compare with thresholds, which most columns are."""
        of_each = []
        for fitted in self._discretizers:
            at = np.searchsorted(fitted.float_columns, columns)
            is_used = np.arange(fitted._thresholds.shape[1]) < fitted._n_thresholds[at, None]
            of_each.append(np.where(is_used, fitted._thresholds[at], np.inf))
        cuts = np.sort(np.hstack(of_each), axis=1)
        cuts[:, 1:][cuts[:, 1:] == cuts[:, :-1]] = np.inf
        cuts.sort(axis=1)
        n_cuts = np.isfinite(cuts).sum(axis=1).tolist()
        for row, column in enumerate(columns.tolist()):
            self._cuts[column] = cuts[row, : n_cuts[row]]
        for categories, thresholds in zip(self._categories, of_each, strict=True):
            n_exceeded = np.zeros((len(columns), cuts.shape[1] + 1), dtype=np.int64)
            for threshold in thresholds.T:
                n_exceeded[:, 1:] += threshold[:, None] <= cuts
            for row, column in enumerate(columns.tolist()):
                categories[column] = n_exceeded[row, : n_cuts[row] + 1]

    def categories(self, index: int, columns: range) -> NDArray[np.uint16]:
        """Return the category of each code of consecutive columns, by the discretizer of this index."""
        fitted = self._discretizers[index]
        found = np.full(
            (len(columns), int(self.n_codes[columns.start : columns.stop].max())), _MISSING, dtype=np.uint16
        )
        for row, column in enumerate(columns):
            own = self._categories[index][column]
            found[row, : len(own)] = own
            if self._has_missing[column] and fitted._has_missing_category[column]:
                found[row, len(own)] = fitted.n_categories[column] - 1
        return found

    def encoder(self, columns: range) -> Encoder:
        """Return what gives the codes of consecutive columns."""
        part = slice(columns.start, columns.stop)
        return Encoder(self._cuts[part], self._has_missing[part])


class Encoder:
    """The codes of columns: the number of cuts that each value exceeds, the largest number of the type for none.

    has_missing : which columns may have missing values; ChangedData is raised at one in any other
    """

    def __init__(self, cuts: Sequence[Floats], has_missing: Mask) -> None:
        self._has_missing = has_missing
        n_cuts = np.array([len(own) for own in cuts], dtype=np.int32)
        self._dtype = np.uint8 if n_cuts.max(initial=0) < ByteTable.MISSING - 1 else np.uint16
        self._cuts = np.full((len(cuts), max(int(n_cuts.max(initial=0)), 1)), np.inf)
        for row, own in enumerate(cuts):
            self._cuts[row, : len(own)] = own
        self._n_cuts = n_cuts

    def __call__(self, values: NDArray[np.floating]) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return columns by rows."""
        codes = np.empty((values.shape[1], len(values)), dtype=self._dtype)
        encode_columns(values, self._cuts, self._n_cuts, codes, thread_count())
        if np.any((codes.max(axis=1, initial=0) == np.iinfo(self._dtype).max) & ~self._has_missing):
            raise ChangedData
        return codes
