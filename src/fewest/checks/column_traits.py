"""Traits of the columns of a sample: whole numbers or not, few distinct values or many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from fewest._core import few_distinct
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.checks.profile import Profile, SampledRows
from fewest.threads import thread_count

#: Distinct values are counted up to this number.
FEW = 16
#: Rows that show most columns of fractions to be that.
_FIRST_ROWS = 32


@dataclass(frozen=True)
class ColumnTraits:
    """What the sampled values of each column have in common.

    n_distinct : the number of distinct values, missing ones left out; FEW + 1 where there are more than FEW
    distinct : (n_columns, FEW) those values, ascending; NaN behind the last, and where there are more
    is_integer : every value is a whole number; columns of text are not among these
    """

    n_distinct: Integers
    distinct: Floats
    is_integer: Mask


def traits_of(profile: Profile) -> ColumnTraits:
    """Find the traits of every column."""
    n_columns = profile.n_columns
    if profile.sample.is_sparse:
        return _sparse_traits(profile)
    counts = np.zeros(n_columns, dtype=np.int32)
    distinct = np.full((n_columns, FEW), np.nan)
    is_integer = np.zeros(n_columns, dtype=bool)
    for columns, values in profile.sample.column_chunks(np.arange(n_columns)):
        found = np.zeros((len(columns), FEW))
        n_found = np.zeros(len(columns), dtype=np.int32)
        few_distinct(values, False, found, n_found, thread_count())
        found[np.arange(FEW) >= n_found[:, None]] = np.nan
        found[n_found > FEW] = np.nan
        counts[columns], distinct[columns] = n_found, found
        is_integer[columns] = _are_integers(values, found, n_found <= FEW)
    return ColumnTraits(counts.astype(np.int64), distinct, is_integer & ~profile.is_text)


def _are_integers(values: Floats, distinct: Floats, is_few: Mask) -> Mask:
    is_integer = np.where(is_few, _all_whole(distinct.T), _all_whole(values[:_FIRST_ROWS]))
    many = np.flatnonzero(is_integer & ~is_few)
    is_integer[many] = _all_whole(values[:, many])
    return np.asarray(is_integer, dtype=bool)


def _all_whole(values: Floats) -> Mask:
    """Whether all values of each column are whole numbers or missing."""
    return np.asarray(((values == np.floor(values)) | np.isnan(values)).all(axis=0))


def _sparse_traits(profile: Profile) -> ColumnTraits:
    """The same by the stored values alone: zero, and one other value or more."""
    csc = profile.sample.values.tocsc()
    n_columns = profile.n_columns
    n_stored = np.diff(csc.indptr)
    filled = np.flatnonzero(n_stored)
    lowest, highest = np.zeros(n_columns), np.zeros(n_columns)
    is_integer = np.ones(n_columns, dtype=bool)
    if len(filled):
        starts = csc.indptr[filled]
        lowest[filled] = np.fmin.reduceat(csc.data, starts)
        highest[filled] = np.fmax.reduceat(csc.data, starts)
        is_whole = (csc.data == np.floor(csc.data)) | np.isnan(csc.data)
        is_integer[filled] = np.logical_and.reduceat(is_whole, starts)
    has_zero = n_stored < len(profile.sample)
    is_one_value = lowest == highest
    counts = np.where(n_stored == 0, 1, np.where(is_one_value, 1 + (has_zero & (lowest != 0)), FEW + 1))
    distinct = np.full((n_columns, FEW), np.nan)
    two = np.flatnonzero(counts == 2)
    distinct[two, :2] = np.sort(np.stack([np.zeros(len(two)), lowest[two]], axis=1), axis=1)
    return ColumnTraits(counts.astype(np.int64), distinct, is_integer)


@dataclass(frozen=True)
class ValueCells:
    """The rows of a sample by the value of a column and by class: the pairs of both that occur, by value, then class.

    With thousands of values and of classes nearly all pairs are empty, and a table of all would be large.

    distinct : the values, ascending with a missing one last as infinity
    value, code, count : of each pair the index of its value, its class, and its rows
    """

    distinct: Floats
    value: Indices
    code: Indices
    count: Integers
    n_classes: int

    @classmethod
    def of(cls, sample: SampledRows, column: int) -> Self:
        """Count the rows of one column."""
        values = sample.column(column)
        distinct, which = np.unique(np.where(np.isnan(values), np.inf, values), return_inverse=True)
        n_classes = len(sample.classes)
        pairs, pair_of_row = np.unique(which.astype(np.int64) * n_classes + sample.codes, return_inverse=True)
        count = np.bincount(pair_of_row, sample.counts, len(pairs)).astype(np.int64)
        return cls(distinct, pairs // n_classes, pairs % n_classes, count, n_classes)

    def only(self, is_in: Mask) -> Self:
        """These pairs alone."""
        return replace(self, value=self.value[is_in], code=self.code[is_in], count=self.count[is_in])

    def table(self) -> Integers:
        """The rows by value and class, empty pairs included."""
        table = np.zeros((len(self.distinct), self.n_classes), dtype=np.int64)
        table[self.value, self.code] = self.count
        return table
