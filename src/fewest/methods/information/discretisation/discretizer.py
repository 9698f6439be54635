"""How columns become categories: the parameters, and what is learned from the training rows.

`Discretizer(...).fit(rows)` gives a `FittedDiscretizer`, whose `encode` gives the category of every value. It is fitted
to rows that are kept (`CategoricalRows`) or, for a stream too large to keep, to a first pass (`ColumnSummary`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._core import CategoryColumns, encode_columns
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput, OverflowingColumn
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.value_counts import ByteTable, FewValues, ValueCounts, shift
from fewest.parameters import check_choice, check_count, check_not_negative, is_whole, wrong
from fewest.threads import thread_count

#: A column with more categories is refused.
_MAX_CATEGORIES = 65_000
#: Byte columns that are categories as they are need no lookup table up to this range of values.
_NARROW_RANGE = 16
_MISSING_CODE = 65_535
#: Columns with more categories than discretisations make, or than numbers that stay as they are have.
MANY_CATEGORIES = FewValues.LIMIT

#: What a discretizer is fitted to: rows that are kept, or a first pass over them.
ColumnValues = CategoricalRows | ColumnSummary


@dataclass(frozen=True)
class Discretizer:
    """How columns become categories. Text and categories always stay as they are.

    Parameters
    ----------
    discretize : {"auto", None, "mean", "sigma", "width", "frequency"}, default="auto"
        As in fewest.MRMR; the standard deviation of "sigma" divides by n - 1, and values at a limit are within.
    n_bins : int, default=5
        The number of bins of "width" and "frequency".
    factor : float, default=1.0
        The number of standard deviations of "sigma".
    missing : {"state", "pairwise"}, default="state"
        As in fewest.MRMR.
    min_rows : int, default=5
        In a column of more than 10 categories that stay as they are, those with fewer rows are one category; with 0
        none are.

    See Also
    --------
    fewest.MRMR : The selector with these parameters: what they mean, and its reference.
    RelevanceRedundancy : The criterion of mRMR, on these categories.

    Examples
    --------
    >>> from fewest import Discretizer, FeatureSelector, IndividualRanking, MutualInformation, scan
    >>> relevance = MutualInformation(Discretizer("frequency", n_bins=4))
    >>> FeatureSelector(relevance, IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'color_intensity')
    """

    discretize: str | None = "auto"
    n_bins: int = 5
    factor: float = 1.0
    missing: str = "state"
    min_rows: int = 5

    def __post_init__(self) -> None:
        check_choice("discretize", self.discretize, ("auto", None, "mean", "sigma", "width", "frequency"))
        check_choice("missing", self.missing, ("state", "pairwise"))
        if not is_whole(self.n_bins) or not 2 <= self.n_bins <= 1000:
            raise wrong("n_bins", "a whole number from 2 to 1000", self.n_bins)
        check_not_negative("factor", self.factor)
        check_count("min_rows", self.min_rows, 0)

    def fit(self, values: ColumnValues) -> FittedDiscretizer:
        """Return the categories of each column, as learned from its values."""
        return FittedDiscretizer(self, values)

    def encode(self, rows: CategoricalRows) -> tuple[CategoryColumns, Mask]:
        """Return the category of each value, with the class, in the order of the labels, as one more column.

        Also returns which columns have many categories.
        """
        if any(sparse.issparse(chunk.values) for chunk in rows.chunks):
            encoded, is_many = self._encode_sparse(rows)
        else:
            fitted = self.fit(rows)
            encoded, is_many = fitted.allocate(len(rows.classes), rows.n_rows), fitted.is_many
            for chunk in rows.chunks:
                for part in fitted.encode(chunk.table, chunk.values):
                    part.fill(encoded)
        EncodedColumns.of_class(rows.classes, rows.codes, rows.n_features).fill(encoded)
        return encoded, is_many

    def categorize(self, counts: ValueCounts, is_text: Mask, columns: Indices) -> tuple[Integers, Codes, Mask]:
        """Return the category of each distinct value, the number of categories of each column, and which have many.

        is_text : which columns hold codes of text or categories
        columns : their indices, for an error
        """
        is_kept = is_text | (self.discretize is None)
        if self.discretize == "auto":
            n_fractions = np.bincount(counts.columns, counts.values != np.floor(counts.values), len(columns))
            is_kept |= (n_fractions == 0) & (counts.n_values <= FewValues.LIMIT)
        too_many = np.flatnonzero(is_kept & (counts.n_values > _MAX_CATEGORIES))
        if len(too_many):
            raise InvalidInput(
                f"Column {int(columns[too_many[0]])} has {int(counts.n_values[too_many[0]]):,} distinct values, more "
                f"than {_MAX_CATEGORIES:,} categories: it looks like a quantity or an identifier. Set discretize, or "
                "leave it out."
            )
        is_many = is_kept & (counts.n_values > MANY_CATEGORIES)
        if is_kept.all():
            n_categories = np.maximum(counts.n_values, 1)
            return *self._pool_rare(counts.ranks, n_categories.astype(np.int32), counts, is_many), is_many
        if self.discretize == "frequency":
            thresholds = self._quantiles(counts)
        else:
            thresholds = self.thresholds(*counts.mean_and_spread(), counts.lowest, counts.highest, columns)
        thresholds[~(counts.highest > counts.lowest)] = np.inf
        exceeded = np.count_nonzero(counts.values[:, None] > thresholds[counts.columns], axis=1)
        categories = np.where(is_kept[counts.columns], counts.ranks, exceeded)
        n_categories = np.where(is_kept, np.maximum(counts.n_values, 1), 1 + np.isfinite(thresholds).sum(axis=1))
        pooled = self._pool_rare(categories, n_categories.astype(np.int32), counts, is_many)
        return *pooled, is_many | (~is_kept & (n_categories > MANY_CATEGORIES))

    def _pool_rare(
        self, categories: Integers, n_categories: Codes, counts: ValueCounts, is_many: Mask
    ) -> tuple[Integers, Codes]:
        """Return the same with categories of fewer than min_rows rows, in columns of many, as their columns' last."""
        is_rare = is_many[counts.columns] & (counts.counts < self.min_rows)
        if not is_rare.any():
            return categories, n_categories
        n_rare = np.bincount(counts.columns, is_rare, len(n_categories)).astype(np.int32)
        n_before: Integers = np.cumsum(~is_rare) - ~is_rare
        of_column = np.concatenate([n_before, [0]])[counts.starts[:-1]]
        n_frequent = (counts.n_values - n_rare).astype(np.int32)
        numbered = np.where(is_rare, n_frequent[counts.columns], n_before - of_column[counts.columns])
        has_rare = n_rare > 0
        pooled = np.where(has_rare[counts.columns], numbered, categories)
        return pooled, np.where(has_rare, n_frequent + 1, n_categories).astype(np.int32)

    def thresholds(self, mean: Floats, spread: Floats, lowest: Floats, highest: Floats, columns: Indices) -> Floats:
        """Return the thresholds of each column, ascending: a value's category is the number of them it exceeds.

        columns : their indices, for an error
        """
        with np.errstate(invalid="ignore", over="ignore"):  # a column never observed has no range, and no thresholds
            if self.discretize == "width":
                shares = np.arange(1, self.n_bins) / self.n_bins
                edges: Floats = lowest[:, None] + (highest - lowest)[:, None] * shares
                return edges
            reach = float(self.factor) * spread
            overflowing = np.flatnonzero((lowest <= highest) & ~np.isfinite(mean + reach))
            if len(overflowing):
                raise OverflowingColumn(int(columns[overflowing[0]]))
            if self.discretize == "mean":
                return mean[:, None].copy()
            # A value equal to the lower limit is within: it exceeds the number just before.
            return np.column_stack([np.nextafter(mean - reach, -np.inf), mean + reach])

    def _encode_sparse(self, rows: CategoricalRows) -> tuple[CategoryColumns, Mask]:
        """Return columns that are mostly zero as lists of the rows in other categories; never dense."""
        matrix = sparse.csc_matrix(sparse.vstack([chunk.values for chunk in rows.chunks], format="csc"))
        columns = np.arange(rows.n_features)
        counts, of_entry, of_zero = ValueCounts.of_sparse(matrix)
        is_text = np.isin(columns, rows.categorical_columns)
        categories, n_categories, is_many = self.categorize(counts, is_text, columns)
        column_of_entry = np.repeat(columns, np.diff(matrix.indptr))
        is_missing = of_entry < 0
        has_missing = np.bincount(column_of_entry[is_missing], minlength=len(columns)) > 0
        missing_code = np.full(len(columns), _MISSING_CODE)
        if self.missing == "state":
            missing_code = n_categories
            n_categories = n_categories + has_missing.astype(np.int32)
        # An index of -1 reads the 0 that is appended.
        padded = np.append(categories, 0)
        listed = padded[of_entry]
        listed[is_missing] = missing_code[column_of_entry[is_missing]]
        n_categories = np.append(n_categories, len(rows.classes)).astype(np.int32)
        is_complete = np.append(~has_missing | (self.missing == "state"), True)
        encoded = CategoryColumns(n_categories, is_complete, np.append(columns >= 0, False), rows.n_rows)
        starts, row_numbers = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        encoded.list(columns, starts, row_numbers, listed.astype(np.uint16), padded[of_zero].astype(np.int32))
        return encoded, is_many

    def _quantiles(self, counts: ValueCounts) -> Floats:
        thresholds = counts.lower_quantiles(np.arange(1, self.n_bins) / self.n_bins)
        is_repeated = np.zeros(thresholds.shape, dtype=bool)
        is_repeated[:, 1:] = thresholds[:, 1:] == thresholds[:, :-1]
        thresholds[is_repeated | (thresholds >= counts.highest[:, None])] = np.inf
        thresholds.sort(axis=1)
        return thresholds


class EncodedColumns(NamedTuple):
    """The categories of some rows in some columns.

    codes : (len(columns), n_rows) unsigned; the largest number of the type where the category is missing
    first_codes : the code of each column's first category
    """

    columns: Indices
    codes: NDArray[np.uint8] | NDArray[np.uint16]
    first_codes: Integers

    @classmethod
    def of_class(cls, classes: Sequence[Hashable], codes: Codes, index: int) -> EncodedColumns:
        """Return the class of each row, in the order of the labels, as the column of this index."""
        ranks = np.argsort(sort_classes(classes))[codes].astype(np.uint16)
        return cls(np.array([index]), ranks[None], np.zeros(1, dtype=np.int64))

    def fill(self, encoded: CategoryColumns) -> None:
        """Fill in the next rows of these columns."""
        encoded.fill(self.columns, self.codes, self.first_codes, thread_count())


class FittedDiscretizer:
    """The categories of each column, as learned from its values.

    Byte columns of few values stay as they are, other bytes are looked up, and floats are compared with thresholds.

    n_categories : (n_columns,) the number of categories of each column
    is_complete : (n_columns,) whether every row is in one
    is_many : (n_columns,) whether it has more than 10 categories, rare ones counted before they are pooled
    base : (n_columns,) the value that a byte of 0 must stand for so that all values of a byte column fit
    """

    def __init__(self, discretizer: Discretizer, values: ColumnValues) -> None:
        self.discretizer = discretizer
        self.float_columns = values.float_columns
        self.n_categories: Codes = np.ones(values.n_features, dtype=np.int32)
        self.is_many: Mask = np.zeros(values.n_features, dtype=bool)
        self._has_missing_category: Mask = (values.missing > 0) & (discretizer.missing == "state")
        self.is_complete: Mask = (values.missing == 0) | self._has_missing_category
        columns = np.arange(values.n_features)
        self._is_text: Mask = np.isin(columns, values.categorical_columns)
        self._lowest, highest = values.value_range
        self.base: Integers = np.where(self._lowest == ByteTable.NO_VALUE, 0, self._lowest)
        is_byte = ~np.isin(columns, self.float_columns)
        span = highest - self._lowest + 1
        is_kept = is_byte & self._keeps_bytes(span)
        self._kept: Indices = np.flatnonzero(is_kept)
        self.n_categories[is_kept] = span[is_kept]
        self._looked_up: Indices = np.flatnonzero(is_byte & ~is_kept)
        self._categories_of_bytes = self._fit_bytes(values.byte_counts(self._looked_up))
        #: By position among the float columns, where thresholds come from the distinct values of that column alone.
        self._own_thresholds: dict[int, Floats] = {}
        #: The category of each number of own thresholds exceeded, where rare ones are pooled.
        self._pooled: dict[int, Integers] = {}
        self._thresholds: Floats = np.zeros((len(self.float_columns), 1))
        self._n_thresholds: Codes = np.zeros(len(self.float_columns), dtype=np.int32)
        if len(self.float_columns):
            self._fit_floats(values)
        self.n_categories[self._has_missing_category] += 1

    def only(self, columns: range) -> Self:
        """Return the same for consecutive columns, which are numbered from 0 on."""
        own = copy(self)
        for name in ("n_categories", "is_complete", "is_many", "base", "_has_missing_category", "_is_text", "_lowest"):
            setattr(own, name, getattr(self, name)[columns.start : columns.stop])
        first = columns.start
        kept, looked_up, floats = (
            np.flatnonzero((indices >= first) & (indices < columns.stop))
            for indices in (self._kept, self._looked_up, self.float_columns)
        )
        own._kept, own._looked_up = self._kept[kept] - first, self._looked_up[looked_up] - first
        own._categories_of_bytes = self._categories_of_bytes[looked_up]
        own.float_columns = self.float_columns[floats] - first
        own._thresholds, own._n_thresholds = self._thresholds[floats], self._n_thresholds[floats]
        old_positions = dict(enumerate(floats.tolist()))
        own._own_thresholds = {
            new: self._own_thresholds[old] for new, old in old_positions.items() if old in self._own_thresholds
        }
        own._pooled = {new: self._pooled[old] for new, old in old_positions.items() if old in self._pooled}
        return own

    def allocate(self, n_classes: int, n_rows: int, n_targets: int = 1) -> CategoryColumns:
        """Return columns to be filled with the categories of rows, with the class, or several, as one more."""
        n_categories = np.append(self.n_categories, np.full(n_targets, n_classes)).astype(np.int32)
        is_listed = np.zeros(len(n_categories), dtype=bool)
        return CategoryColumns(n_categories, np.append(self.is_complete, np.ones(n_targets, bool)), is_listed, n_rows)

    def encode(self, table: ByteTable | None, values: NDArray[np.floating]) -> Iterator[EncodedColumns]:
        """Yield the categories of rows, some columns at a time.

        table : the byte columns; None where there are none
        values : rows by float columns
        """
        if table is not None and len(self._kept):
            columns = self._kept
            codes = table.codes if len(columns) == len(table.codes) else table.codes[columns]
            yield EncodedColumns(columns, codes, (self._lowest - table.base)[columns])
        if table is not None and len(self._looked_up):
            yield self._look_up(table)
        if len(self.float_columns):
            yield self._compare(values)

    def _keeps_bytes(self, span: Integers) -> Mask:
        """Which byte columns hold their categories as they stand; integers that no row holds do no harm."""
        discretize = self.discretizer.discretize
        otherwise = FewValues.LIMIT if discretize == "auto" else 0
        # Of more integers the counts decide which are rare.
        as_they_are = MANY_CATEGORIES if self.discretizer.min_rows else _NARROW_RANGE
        widest = np.where(self._is_text | (discretize is None), as_they_are, otherwise)
        is_kept: Mask = (span > 0) & (span <= widest) & ~self._has_missing_category
        return is_kept

    def _fit_bytes(self, byte_counts: Integers) -> NDArray[np.uint8]:
        """Return the category of each integer from the lowest on, for the columns that are looked up."""
        columns, lowest = self._looked_up, self._lowest[self._looked_up]
        counts = ValueCounts.of_table(byte_counts, np.where(byte_counts.any(axis=1), lowest, 0))
        categories, n_categories, self.is_many[columns] = self.discretizer.categorize(
            counts, self._is_text[columns], columns
        )
        if n_categories.max(initial=0) >= ByteTable.MISSING - 1:
            categories, n_categories = _without_empty(categories, counts)
        self.n_categories[columns] = n_categories
        categories_of_bytes = np.full((len(columns), 256), ByteTable.MISSING, dtype=np.uint8)
        categories_of_bytes[np.nonzero(byte_counts)] = categories
        return categories_of_bytes

    def _fit_floats(self, values: ColumnValues) -> None:
        """Find the thresholds of each float column."""
        columns, discretize = self.float_columns, self.discretizer.discretize
        has_own = self._is_text[columns] | (discretize in (None, "frequency"))
        is_few = np.zeros(len(columns), dtype=bool)
        if discretize == "auto":
            few = values.few_values()
            is_few = few.counts > 0
            self._thresholds, self._n_thresholds = few.values, np.maximum(few.counts - 1, 0)
        to_cut = np.flatnonzero(~has_own & ~is_few)
        if len(to_cut):
            moments = values.float_moments()
            mean, spread = moments.mean_and_spread()
            lowest, highest = moments.lowest[to_cut], moments.highest[to_cut]
            found = self.discretizer.thresholds(mean[to_cut], spread[to_cut], lowest, highest, columns[to_cut])
            width = max(found.shape[1], self._thresholds.shape[1])
            self._thresholds = np.pad(self._thresholds, ((0, 0), (0, width - self._thresholds.shape[1])))
            self._thresholds[to_cut, : found.shape[1]] = found
            self._n_thresholds[to_cut] = np.where(highest > lowest, found.shape[1], 0)
        self.n_categories[columns] = self._n_thresholds + 1
        self.is_many[columns] = ~is_few & (self._n_thresholds >= MANY_CATEGORIES)
        for index in np.flatnonzero(has_own & ~is_few).tolist():
            column, counts = columns[[index]], values.values_of(index)
            categories, n_categories, self.is_many[column] = self.discretizer.categorize(
                counts, self._is_text[column], column
            )
            is_pooled = bool((categories[1:] < categories[:-1]).any())
            self._own_thresholds[index] = counts.values[:-1][is_pooled | (categories[1:] > categories[:-1])]
            self.n_categories[column] = n_categories if is_pooled else len(self._own_thresholds[index]) + 1
            if is_pooled:
                self._pooled[index] = categories

    def _look_up(self, table: ByteTable) -> EncodedColumns:
        columns = self._looked_up
        tables = shift(self._categories_of_bytes, (self._lowest - table.base)[columns], ByteTable.MISSING)
        last = self.n_categories[columns] - 1
        tables[:, ByteTable.MISSING] = np.where(self._has_missing_category[columns], last, ByteTable.MISSING)
        codes = np.empty((len(columns), table.codes.shape[1]), dtype=np.uint8)
        for index, column in enumerate(columns):
            np.take(tables[index], table.codes[column], out=codes[index])
        return EncodedColumns(columns, codes, np.zeros(len(columns), dtype=np.int64))

    def _compare(self, values: NDArray[np.floating]) -> EncodedColumns:
        columns = self.float_columns
        dtype = np.uint8 if self.n_categories[columns].max() < ByteTable.MISSING else np.uint16
        missing = np.iinfo(dtype).max
        codes = np.empty((len(columns), len(values)), dtype=dtype)
        encode_columns(values, self._thresholds, self._n_thresholds, codes, thread_count())
        for index, thresholds in self._own_thresholds.items():
            column = values[:, index].astype(np.float64)
            exceeded = np.searchsorted(thresholds, column)
            if index in self._pooled:
                # NaN exceeds all thresholds, and is missing below.
                exceeded = self._pooled[index][exceeded]
            codes[index] = np.where(np.isnan(column), missing, exceeded)
        for index in np.flatnonzero(self._has_missing_category[columns]).tolist():
            codes[index][codes[index] == missing] = self.n_categories[columns[index]] - 1
        return EncodedColumns(columns, codes, np.zeros(len(columns), dtype=np.int64))


def _without_empty(categories: Integers, counts: ValueCounts) -> tuple[Integers, Codes]:
    """Return the categories renumbered without those that no value is in."""
    keys = counts.columns * (int(categories.max(initial=0)) + 1) + categories
    distinct, index = np.unique(keys, return_inverse=True)
    columns = distinct // (int(categories.max(initial=0)) + 1)
    n_categories = np.bincount(columns, minlength=len(counts.n_values))
    first = np.cumsum(n_categories) - n_categories
    return index - first[counts.columns], np.maximum(n_categories, 1).astype(np.int32)
