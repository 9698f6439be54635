"""Rows prepared for a method: ordered by content, over chosen columns, scaled; scores expand back to all columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fewest._core import add_content_hashes, add_row_contents
from fewest.arrays import Codes, Floats, Hashes, Indices, Mask
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.errors import IncompleteColumns, OverflowingColumn
from fewest.memory import CHUNK
from fewest.statistics.class_moments import origin_and_unit, shared_units
from fewest.threads import thread_count

if TYPE_CHECKING:
    from fewest.statistics.rows import Rows
    from fewest.statistics.stratified_rows import StratifiedRows

#: Squares of larger numbers, summed, would overflow.
_LARGEST = 1e100
#: Enough for hashes to go from cells to rows to columns and back: what differs anywhere has different ones.
_ROUNDS = 3
#: The number of values that are made at a time in order to be hashed.
_MADE_AT_ONCE = 1 << 15
#: Rows whose columns are put in order at a time.
_ROWS_IN_ORDER = 4096


class PreparedRows:
    """A copy of rows in a given order, over some columns, with steps that scale it in place.

    Stepwise methods amplify the last digit of a sum: an order that the values decide (`content_order`,
    `order_by_class_size`) makes their answers independent of the order in which the rows came.

    Parameters
    ----------
    rows : Rows or StratifiedRows
        What is prepared; it is not changed.
    order : array of int
        The position in `rows` of each prepared row.
    class_ranks : array of int, default=None
        The new code of each class; None keeps the codes.
    columns : array of int, default=None
        The columns to take, such as `varying_columns(rows.moments)`; None for all.
    layout : {"C", "F"}, default="C"
        Memory order of `values`: "F" where kernels read column by column.

    Attributes
    ----------
    values : array of shape (n_rows, len(columns))
        The rows, scaled by the steps taken so far.
    codes, weights, order : arrays of shape (n_rows,)
        The class of each row after `class_ranks`, its weight, and its position as given.
    varying : array of shape (len(columns),)
        The index in the table of each column of `values`.
    is_observed : array of shape (n_columns,)
        Whether each column of the table has a value at all.
    moments : ClassMoments
        The moments of the table.
    """

    def __init__(
        self,
        rows: Rows | StratifiedRows,
        order: Indices,
        class_ranks: Indices | None = None,
        columns: Indices | None = None,
        layout: Literal["C", "F"] = "C",
    ) -> None:
        self.moments = rows.moments
        self.is_observed: Mask = rows.is_observed
        self.order = order
        self.varying: Indices = np.arange(rows.n_features) if columns is None else columns
        codes = rows.codes[order]
        self.codes: Codes = codes if class_ranks is None else class_ranks[codes].astype(np.int32)
        self.weights: Floats = rows.weights[order]
        values = rows.values
        if layout == "F":
            self.values: Floats = np.empty((len(order), len(self.varying)), order="F")
            width = max(1, CHUNK // max(4 * values.itemsize * len(order), 1))
            for first in range(0, len(self.varying), width):
                part = slice(first, first + width)
                self.values[:, part] = values[np.ix_(order, self.varying[part])]
        else:
            takes_all = np.array_equal(self.varying, np.arange(values.shape[1]))
            self.values = values[order] if takes_all else values[np.ix_(order, self.varying)]

    @property
    def columns(self) -> Floats:
        """(len(varying), n_rows) the same values a column at a time; in C order where the layout is "F"."""
        return self.values.T

    @property
    def n_columns(self) -> int:
        """The number of columns of the table."""
        return len(self.is_observed)

    def expand(self, scores: Floats) -> Floats:
        """Scores of all columns of the table: 0 for a constant column, NaN for one without a value."""
        expanded = np.where(self.is_observed, 0.0, np.nan)
        expanded[self.varying] = scores
        return expanded

    def sort_columns(self) -> Indices:
        """Order the columns by their values, so that their own order does not matter; return the new order."""
        self.values += 0.0  # one zero, so that what is equal is equal to the bit
        order = _order_of_bytes(self.columns)
        if self.values.flags.c_contiguous:
            # In place, without a second copy of the table.
            for first in range(0, len(self.values), _ROWS_IN_ORDER):
                block = slice(first, first + _ROWS_IN_ORDER)
                self.values[block] = self.values[block][:, order]
        else:
            self.values = np.ascontiguousarray(self.columns)[order].T
        self.varying = self.varying[order]
        return order

    def scale_by_moments(self, scale: str | None) -> None:
        """Scale by the moments of the table; a constant column becomes zero wherever it is not missing."""
        origin, unit = (of_column[self.varying] for of_column in origin_and_unit(self.moments, scale))
        self.values -= origin
        self.values /= np.where(unit > 0, unit, 1.0)
        if not unit.all():
            self.values[:, unit == 0] *= 0.0

    def scale_by_rows(self, scale: str | None, *, about_middle: bool = False) -> None:
        """Scale columns that vary, "std" by sums over these rows: moments depend on the order in which rows came.

        about_middle : shift "std" and None by the middle of the range first, which keeps more digits of distances
        """
        if about_middle and scale in ("std", None):
            self.values -= origin_and_unit(self.moments, "symmetric")[0][self.varying]
        if scale == "std":
            total = self.weights.sum()
            self.values -= self.weighted_sums(self.values) / total
            self.values /= self._shared(np.sqrt(self.weighted_sums(self.values, squared=True) / total), scale)
        elif scale is not None:
            self.scale_by_moments(scale)

    def centre_and_fill(self, scale: str | None) -> None:
        """Scale columns that vary about their mean, and set missing values to it; the same for any order of rows."""
        lowest, highest = np.fmin.reduce(self.values, axis=0), np.fmax.reduce(self.values, axis=0)
        half = highest / 2 - lowest / 2
        if scale is None and half.max(initial=0.0) > _LARGEST:
            raise OverflowingColumn(int(self.varying[int(np.argmax(half))]))
        units = half if scale is None else np.full(len(half), 2.0 if scale == "range" else 1.0)
        # Four arrays of the size of a part are made.
        for columns in _column_parts(self.values, 4):
            part, weights = self.values[:, columns], self.weights[:, None]
            # In a unit of its own each column can be squared.
            part -= lowest[columns]
            part /= half[columns]
            is_missing = np.isnan(part)
            if is_missing.any():
                weights = np.where(is_missing, 0.0, weights)
            total = weights.sum(axis=0)
            part[is_missing] = 0.0
            # Twice, so that the mean of what is left is zero to the last digit.
            for _ in range(2):
                part -= _sorted_sums(weights * part) / total
                part[is_missing] = 0.0
            if scale == "std":
                units[columns] = np.sqrt(_sorted_sums(weights * np.square(part)) / total)
        if scale is None:
            self.values *= units
        elif scale == "std" or self.moments.feature_of is not None:
            self.values /= self._shared(units, scale)
        elif scale == "range":
            self.values /= 2

    def _shared(self, units: Floats, scale: str) -> Floats:
        """The units of the columns, with one for all indicators of a column of text."""
        feature_of = self.moments.feature_of
        return units if feature_of is None else shared_units(units, feature_of[self.varying], scale)

    def weighted_sums(self, values: Floats, *, squared: bool = False) -> Floats:
        """The weighted sum of each column, or of its squares, some columns at a time.

        Not a matrix product, which may round a column by its position.
        """
        sums = np.empty(values.shape[1])
        for columns in _column_parts(values, 1):
            part = np.square(values[:, columns]) if squared else values[:, columns]
            sums[columns] = (self.weights[:, None] * part).sum(axis=0)
        return sums


def _column_parts(values: Floats, n_arrays: int) -> list[slice]:
    """The columns in parts, so that this number of arrays of a part takes little memory.

    No part is one column of several: its numbers would be added up in another order.
    """
    n_rows, n_columns = values.shape
    width = max(2, CHUNK // max(8 * n_arrays * n_rows, 1))
    ends = [*range(width, n_columns - 1, width), n_columns]
    return [slice(first, end) for first, end in zip([0, *ends], ends, strict=False)]


def _order_of_bytes(columns: Floats) -> Indices:
    """The lexicographic order of the lines of an array by their bytes; equal lines stay in order."""
    # Most lines differ in their first value already, whose bytes are compared as one whole number.
    first = np.ascontiguousarray(columns[:, 0]).view(">u8").astype(np.uint64)
    order = np.argsort(first, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(first[order]) != 0, True])
    for start, stop in pairwise(starts.tolist()):
        if stop - start > 1:
            order[start:stop] = sorted(order[start:stop], key=lambda line: columns[line].tobytes())
    return order


def reject_missing_values(
    rows: Rows | StratifiedRows, reason: str, advice: str, *, even_without_values: bool = False
) -> None:
    """Raise where a value is missing, except in columns that hold none at all.

    reason : why no value may be missing, after "and"
    advice : what else can be done, after "Impute them first,"
    even_without_values : columns that hold no value at all are rejected too
    """
    missing = np.where(rows.is_observed | even_without_values, rows.moments.missing, 0)
    if missing.any():
        if rows.moments.feature_of is not None:
            # Columns of the table, not the indicators of its text, none of which is missing.
            missing = np.bincount(rows.moments.feature_of, missing).astype(np.int64)
        n_incomplete, first = int(np.count_nonzero(missing)), int(np.flatnonzero(missing)[0])
        raise IncompleteColumns(first, int(missing.sum()), n_incomplete, len(missing), reason, advice)


def merge_duplicates(rows: Rows) -> Rows:
    """The distinct rows, each with the total weight of its copies: a row of weight 2 is exactly the row twice."""
    if not _may_have_duplicates(rows):
        return rows
    # One zero and one NaN, so that what is equal is equal to the bit.
    table = np.column_stack([rows.values, rows.codes]) + 0.0
    table[np.isnan(table)] = np.nan
    lines = table.view(np.dtype((np.void, table.itemsize * table.shape[1])))[:, 0]
    _, first, group = np.unique(lines, return_index=True, return_inverse=True)
    if len(first) == rows.n_rows:
        return rows
    # The weights of a group are added up in order of size, whatever order they came in.
    order = np.lexsort((rows.weights, group))
    starts = np.searchsorted(group[order], np.arange(len(first)))
    distinct = rows.empty()
    weights = np.add.reduceat(rows.weights[order], starts)
    feature_of = rows.moments.feature_of
    distinct.update(Block(rows.values[first], rows.codes[first], rows.classes, weights, feature_of=feature_of))
    return distinct


def _may_have_duplicates(rows: Rows) -> bool:
    """Whether two rows have the same hash of values and class: those that hold the same have."""
    hashes = splitmix64(rows.codes.astype(np.uint64))
    keys = splitmix64(np.arange(rows.n_features, dtype=np.uint64)) | np.uint64(1)
    add_row_contents(rows.values, keys, np.ones(len(keys), dtype=bool), hashes, thread_count())
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())


def order_by_label(rows: Rows | StratifiedRows) -> tuple[Indices, Indices]:
    """The rows class by class in the order of the labels, otherwise as they came; and the rank of each class."""
    ranks = np.argsort(sort_classes(rows.classes))
    return np.argsort(ranks[rows.codes], kind="stable"), ranks


def order_by_class_size(rows: Rows) -> tuple[Indices, Indices]:
    """The rows class by class, in their canonical order within one; and the rank of each class.

    Classes with fewer rows come first, then those with smaller sums of columns, exactly rounded; empty ones last.
    """
    order = rows.canonical_order()
    counts = np.bincount(rows.codes, minlength=len(rows.classes))
    weights = np.bincount(rows.codes, rows.weights, minlength=len(counts))
    keys = [[float(count == 0), float(count), float(weight)] for count, weight in zip(counts, weights, strict=True)]
    for column in range(rows.n_features):
        if len({tuple(key) for key in keys}) == len(keys):
            break
        for c, key in enumerate(keys):
            of_class = rows.values[order[rows.codes[order] == c], column]
            key.append(_exact_sum(of_class[~np.isnan(of_class)]))
    ranks = np.empty(len(counts), dtype=np.intp)
    ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(counts))
    return order[np.argsort(ranks[rows.codes[order]], kind="stable")], ranks


def _exact_sum(numbers: Floats) -> float:
    """The sum, exactly rounded; of numbers whose sum overflows, in units of a power of two."""
    try:
        return math.fsum(numbers.tolist())
    except OverflowError:
        return math.copysign(np.finfo(float).max, math.fsum((numbers / 2.0**64).tolist()))


def varying_columns(rows: Rows | StratifiedRows, scale: str | None = None) -> Indices:
    """The columns that vary, and whose unit at this scale does not underflow."""
    return np.flatnonzero(origin_and_unit(rows.moments, scale)[1] > 0)


def _sorted_sums(table: Floats) -> Floats:
    """The sum of each column, its numbers from the lowest to the highest: the same to the bit for any order of rows."""
    return np.asarray(np.sort(np.ascontiguousarray(table.T), axis=1).sum(axis=1))


class HashedRows(Protocol):
    """What an order by content is made from."""

    @property
    def values(self) -> Any:
        """Rows by columns, of which a range of columns can be taken."""

    @property
    def codes(self) -> Codes: ...

    @property
    def weights(self) -> Floats: ...

    @property
    def classes(self) -> Sequence[object]: ...

    @property
    def categorical_columns(self) -> Sequence[int]: ...

    @property
    def n_features(self) -> int: ...


def content_order(
    rows: HashedRows, counts: Indices | None = None, weights: Floats | None = None, seed: int = 0
) -> tuple[Indices, Indices]:
    """The rows, class by class, as if drawn at random; and the rank of each class.

    counts, weights : how often each row occurs (once by default), and the weight of a copy (that of the row)

    A row has a hash of the seed and its values, each value with the hash of its column's values. So the order of rows
    and columns, the names of classes and the codes of text do not matter. Rows of one hash hold the same, or might be
    exchanged together with columns or categories without a change to the table.
    """
    times = np.ones(len(rows.codes), np.uint64) if counts is None else counts.astype(np.uint64)
    hashes = splitmix64(
        bits_of(rows.weights if weights is None else weights)
        + splitmix64(np.array([int(seed) % 2**64], dtype=np.uint64))
    )
    is_number = np.ones(rows.n_features, dtype=bool)
    is_number[list(rows.categorical_columns)] = False
    n_classes = len(rows.classes)
    for _ in range(_ROUNDS):
        of_class = splitmix64(_sums(hashes * times, rows.codes, n_classes))
        with_class = splitmix64(hashes + of_class[rows.codes])
        totals = np.zeros(len(hashes), dtype=np.uint64)
        for part in _column_groups(rows.values, len(hashes), rows.n_features):
            values = np.asarray(rows.values[:, part], dtype=np.float64)
            add_content_hashes(values, with_class, times, is_number[part], totals, thread_count())
        for j in rows.categorical_columns:
            cells = _of_categories(rows.values[:, j], with_class * times)
            of_column = splitmix64((splitmix64(cells + with_class) * times).sum(dtype=np.uint64, keepdims=True))
            totals += splitmix64(cells + of_column)
        hashes = splitmix64(with_class + totals)
    ranks = np.empty(n_classes, dtype=np.intp)
    ranks[np.argsort(_sums(hashes * times, rows.codes, n_classes), kind="stable")] = np.arange(n_classes)
    return np.lexsort((hashes, ranks[rows.codes])), ranks


def _column_groups(values: object, n_rows: int, n_columns: int) -> list[slice]:
    """All columns of an array at once; in groups where each has to be made, such as from a sparse matrix."""
    width = max(1, n_columns if isinstance(values, np.ndarray) else _MADE_AT_ONCE // max(n_rows, 1))
    return [slice(first, min(first + width, n_columns)) for first in range(0, n_columns, width)]


def _of_categories(column: Floats, hashes: Hashes) -> Hashes:
    """A hash for each category, from the rows that have it, in place of its code."""
    known, which = np.unique(column, return_inverse=True)
    return splitmix64(_sums(hashes, which, len(known)))[which]


def _sums(hashes: Hashes, groups: NDArray[np.integer], n_groups: int) -> Hashes:
    """The sum of the hashes of each group, whatever their order, modulo 2**64."""
    sums = np.zeros(n_groups, dtype=np.uint64)
    np.add.at(sums, groups, hashes)
    return sums


def bits_of(values: Floats) -> Hashes:
    """Numbers as they are stored, with one zero and one NaN."""
    plain = values + 0.0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def splitmix64(hashes: Hashes) -> Hashes:
    """Each hash so that a change of any bit changes about half of all (the finaliser of SplitMix64)."""
    hashes = hashes + np.uint64(0x9E3779B97F4A7C15)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
