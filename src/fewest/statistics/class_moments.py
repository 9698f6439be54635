"""Weight, mean and scatter of every column in every class."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._core import add_dense_rows, add_sparse_rows, merge_moments, scatter
from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.data.labels import label_texts, sort_classes
from fewest.errors import ChangedData, InfiniteValue, InvalidInput
from fewest.parameters import check_choice
from fewest.threads import thread_count

SCALES = ("std", "range", "symmetric", None)

T = TypeVar("T", bound=np.generic)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class ClassMoments:
    """Weight, mean and second central moment of each column in each class, from one read of the rows.

    A mean is kept as a value of the column plus a difference, and sums run about that value: a column that lies
    1e8 from zero keeps its digits. A column's moments are those of its observed rows (not NaN); a row of weight 2 is
    the row twice, one of weight 0 is not there. Memory: four numbers a class and column. Cost: one read of the rows.

    Parameters
    ----------
    n_features : int, default=None
        The number of columns; None to take it from the first block.

    Attributes
    ----------
    classes : list
        The labels, in the order of the tables' rows.
    class_counts : array of shape (n_classes,)
        Rows in each class, those of weight zero left out.
    weight, mean, scatter : arrays of shape (n_classes, n_features)
        Total weight of the observed values, their mean, and the weighted sum of squared differences from it.
    lowest, highest : arrays of shape (n_features,)
        The range of each column; infinite where nothing was observed.
    missing : array of shape (n_features,)
        The number of values that are NaN.
    feature_of : array of shape (n_features,) or None
        The feature that each column is part of, where some are indicators of a category.

    See Also
    --------
    Rows : The rows themselves.

    Examples
    --------
    >>> from fewest import scan
    >>> from fewest.statistics import ClassMoments
    >>> moments = scan("iris").collect(ClassMoments())
    >>> moments.mean.round(2)
    array([[5.01, 3.43, 1.46, 0.25],
           [5.94, 2.77, 4.26, 1.33],
           [6.59, 2.97, 5.55, 2.03]])
    """

    is_columnwise = True
    takes_integers = False

    def __init__(self, n_features: int | None = None) -> None:
        self.classes: list[Hashable] = []
        self.class_counts: Integers = np.zeros(0, dtype=np.int64)
        self._keys: Hashes = np.zeros(0, dtype=np.uint64)
        self._allocate(n_features or 0)
        #: None until the first rows come.
        self._n_features = n_features

    @classmethod
    def of_classes(cls, classes: Iterable[Hashable]) -> Self:
        """Moments of no rows, which know the classes."""
        own = cls()
        own._add_classes(list(classes))
        own._n_features = None
        return own

    def _allocate(self, n_features: int) -> None:
        self._n_features = n_features
        self._tables: Floats = np.zeros((4, 0, n_features))
        #: A hash a column, the same for columns of the same values in the same classes.
        self.checksums: Hashes = np.zeros(n_features, dtype=np.uint64)
        self._extent: Floats = np.repeat([[np.inf], [-np.inf]], n_features, axis=1)
        self.missing: Integers = np.zeros(n_features, dtype=np.int64)
        self.feature_of: Indices | None = None

    @property
    def n_features(self) -> int:
        return self._n_features or 0

    @property
    def n_rows(self) -> int:
        return int(self.class_counts.sum())

    @property
    def weight(self) -> Floats:
        return np.asarray(self._tables[0])

    @property
    def mean(self) -> Floats:
        return np.asarray(self._tables[1] + self._tables[2])

    @property
    def scatter(self) -> Floats:
        return np.asarray(self._tables[3])

    @property
    def lowest(self) -> Floats:
        return np.asarray(self._extent[0])

    @property
    def highest(self) -> Floats:
        return np.asarray(self._extent[1])

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value at all."""
        return np.asarray(self.weight.sum(axis=0) > 0)

    def empty(self) -> Self:
        return type(self)()

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        if self._n_features is None:
            self._allocate(block.values.shape[1])
        self.feature_of = block.feature_of if self.feature_of is None else self.feature_of
        indices = self._add_classes(block.classes)
        codes = block.codes if np.array_equal(indices, np.arange(len(indices))) else indices[block.codes]
        counted = codes if block.weights is None else codes[block.weights > 0]
        self.class_counts += np.bincount(counted, minlength=len(self.classes))
        arrays = (codes, block.weights, *self._arrays(), thread_count())
        if sparse.issparse(block.values):
            lines = block.values
            is_finite = add_sparse_rows(lines.data, lines.indices, lines.indptr, lines.format == "csc", *arrays)
        else:
            is_finite = add_dense_rows(block.values, *arrays)
        if not is_finite:
            raise _infinite_value(block)

    def merge(self, other: Self) -> None:
        if other._n_features is None:
            return
        if self._n_features is None:
            self._allocate(other.n_features)
        if self.n_features != other.n_features:
            raise InvalidInput(f"Moments of {self.n_features} and of {other.n_features} columns cannot be merged.")
        self.feature_of = other.feature_of if self.feature_of is None else self.feature_of
        indices = self._add_classes(other.classes)
        self.class_counts[indices] += other.class_counts
        merge_moments(*self._arrays(), *other._arrays(), indices)

    def join(self, parts: Sequence[Self]) -> Self:
        joined, first = self.empty(), parts[0]
        joined.classes, joined.class_counts, joined._keys = list(first.classes), first.class_counts.copy(), first._keys
        joined._n_features = sum(part.n_features for part in parts)
        joined._tables = np.concatenate([part._tables for part in parts], axis=2)
        joined.checksums = np.concatenate([part.checksums for part in parts])
        joined._extent = np.concatenate([part._extent for part in parts], axis=1)
        joined.missing = np.concatenate([part.missing for part in parts])
        if all(part.feature_of is not None for part in parts):
            joined.feature_of = np.concatenate([part.feature_of for part in parts if part.feature_of is not None])
        return joined

    def only(self, columns: Indices) -> ClassMoments:
        """The moments of these columns alone."""
        chosen = ClassMoments()
        chosen.classes, chosen.class_counts, chosen._keys = self.classes, self.class_counts, self._keys
        chosen._n_features = len(columns)
        chosen._tables, chosen._extent = (np.take(t, columns, axis=-1) for t in (self._tables, self._extent))
        chosen.checksums, chosen.missing = self.checksums[columns], self.missing[columns]
        chosen.feature_of = None if self.feature_of is None else self.feature_of[columns]
        return chosen

    def between_and_within(self) -> tuple[Floats, Floats, Floats]:
        """Scatter between and within the classes, both over the total weight, and that weight, per column."""
        between, within, total_weight = np.empty((3, self.n_features))
        order = np.array(sort_classes(self.classes), dtype=np.int32)
        scatter(*self._arrays(), order, between, within, total_weight, thread_count())
        return between, within, total_weight

    def mean_and_spread(self) -> tuple[Floats, Floats]:
        """The mean of each column over all classes, and its standard deviation over n - 1."""
        between, within, weight = self.between_and_within()
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.nansum(self.weight * self.mean, axis=0) / weight
            return mean, np.sqrt((between + within) * weight / np.maximum(weight - 1, 1))

    def counts_by_class(self) -> dict[str, int]:
        """Rows in each class, in the order of the labels."""
        texts = label_texts(self.classes)
        return {texts[c]: int(self.class_counts[c]) for c in sort_classes(self.classes)}

    def fingerprint(self) -> str:
        """A hash of labels and values: the same for any order of rows, split into blocks, storage and float width."""
        return fingerprint_of(self.checksums, self.missing, self.counts_by_class())

    def keys_of(self, classes: Iterable[Hashable]) -> Hashes:
        """The factor that each class has in the checksums."""
        return np.array([_key(label) for label in classes], dtype=np.uint64)

    def _arrays(self) -> tuple[Floats, Hashes, Hashes, Floats, Integers]:
        return self._tables, self._keys, self.checksums, self._extent, self.missing

    def _add_classes(self, classes: Iterable[Hashable]) -> Codes:
        """The row of the tables of each of these classes; a new class gets a new row."""
        known = {value: c for c, value in enumerate(self.classes)}
        indices = np.array([known.setdefault(value, len(known)) for value in classes], dtype=np.int32)
        n_new = len(known) - len(self.classes)
        if n_new:
            self.classes = list(known)
            self.class_counts = _with_zeros(self.class_counts, n_new, axis=0)
            self._tables = _with_zeros(self._tables, n_new, axis=1)
            self._keys = self.keys_of(self.classes)
        return indices


class WithMoments:
    """Base of statistics that collect class moments in addition to their own."""

    def __init__(self, moments: ClassMoments | None = None) -> None:
        """moments : of the same rows, where they are known beforehand"""
        self.moments = ClassMoments() if moments is None else moments
        self._are_shared = False

    def add_moments(self, block: Block) -> None:
        """Add a block to the moments, unless they are those of another statistic, which adds it."""
        if not self._are_shared:
            self.moments.update(block)

    def share_moments_of(self, other: WithMoments) -> None:
        """Take the moments of another statistic for these: every block comes to the other first."""
        self.moments, self._are_shared = other.moments, True

    @property
    def n_features(self) -> int:
        return self.moments.n_features

    @property
    def classes(self) -> list[Hashable]:
        """The labels, in the order of their codes."""
        return self.moments.classes

    def class_indices(self, labels: Sequence[Hashable]) -> Codes:
        """Return the index of each label among the classes; raises where one is new."""
        indices = {label: index for index, label in enumerate(self.classes)}
        if not indices.keys() >= set(labels):
            raise ChangedData
        return np.array([indices[label] for label in labels], dtype=np.int32)

    @property
    def n_rows(self) -> int:
        return self.moments.n_rows

    @property
    def is_observed(self) -> Mask:
        return self.moments.is_observed

    def counts_by_class(self) -> dict[str, int]:
        return self.moments.counts_by_class()

    def fingerprint(self) -> str:
        return self.moments.fingerprint()

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("This statistic needs all columns at once: is_columnwise is False.")


def check_scale(scale: str | None) -> None:
    check_choice("scale", scale, SCALES)


def origin_and_unit(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats]:
    """The scaled column is (x - origin) / unit; the unit is 0 where the column is constant or was never observed.

    "std" : mean and standard deviation
    "range", "symmetric" : the range becomes [0, 1], [-1, 1]
    None : the data as they are

    The indicators of a column of text have one unit, as in shared_units.
    """
    origin, unit = _own_origin_and_unit(moments, scale)
    feature_of = moments.feature_of
    if feature_of is None:
        return origin, unit
    if scale == "symmetric":
        # The centre of all categories, not the middle of each indicator.
        n_indicators = np.bincount(feature_of)[feature_of]
        origin = np.where(n_indicators > 1, 1.0 / n_indicators, origin)
    return origin, shared_units(unit, feature_of, scale)


def _own_origin_and_unit(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats]:
    """The same, each column having its own unit."""
    varies = moments.highest > moments.lowest
    lowest, highest = np.where(varies, moments.lowest, 0.0), np.where(varies, moments.highest, 0.0)
    if scale is None:
        return np.zeros(len(varies)), varies.astype(np.float64)
    if scale == "std":
        between, within, total_weight = moments.between_and_within()
        mean = np.zeros(len(varies))
        np.divide((moments.weight * moments.mean).sum(axis=0), total_weight, out=mean, where=varies)
        return mean, np.where(varies, np.sqrt(between + within), 0.0)
    half = highest / 2 - lowest / 2
    return (lowest, 2 * half) if scale == "range" else (lowest + half, half)


def shared_units(units: Floats, feature_of: Indices, scale: str | None) -> Floats:
    """The units of columns, with one for all indicators of a column of text: however many there are, they are one.

    feature_of : the feature that each column is part of

    "std" : together they have the variance of one column
    "range" : different categories are as far apart as the ends of a range
    "symmetric" : the categories are the corners of a regular simplex at a distance of 1 from its centre
    """
    sizes = np.bincount(feature_of)
    is_indicator = sizes[feature_of] > 1
    if scale is None or not is_indicator.any():
        return units
    if scale == "std":
        lengths = np.sqrt(np.bincount(feature_of, np.square(units)))
    else:
        # Two rows of different categories differ in two indicators.
        lengths = np.zeros(len(sizes))
        np.maximum.at(lengths, feature_of, units)
        lengths *= np.sqrt(2.0) if scale == "range" else 2 * np.sqrt(1 - 1 / np.maximum(sizes, 1))
    return np.where(is_indicator, lengths[feature_of], units)


def origin_of(moments: ClassMoments, scale: str | None) -> Floats:
    """The origin of each scaled column."""
    return origin_and_unit(moments, scale)[0]


def fingerprint_of(checksums: Hashes, missing: Integers, class_counts: Mapping[str, int]) -> str:
    """A hash of the checksums and missing values of columns and of the sizes of classes."""
    # A sum with an odd factor a column, modulo 2**64, so that the order of columns matters.
    factors = np.arange(1, len(checksums) + 1, dtype=np.uint64) * _GOLDEN | np.uint64(1)
    digest = hashlib.sha256(f"{checksums @ factors}\x1f{missing.astype(np.uint64) @ factors}".encode())
    for label, count in class_counts.items():
        digest.update(f"\x1e{label}\x1f{count}".encode(errors="surrogatepass"))
    return digest.hexdigest()[:16]


def _key(label: Hashable) -> int:
    """An odd number that depends on the label alone."""
    digest = hashlib.sha256(str(label).encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little") | 1


def _with_zeros(table: NDArray[T], count: int, axis: int) -> NDArray[T]:
    """The table with this number of zeros behind it; zeros that nobody writes to take no memory."""
    shape = list(table.shape)
    shape[axis] += count
    grown = np.zeros(shape, dtype=table.dtype)
    grown[(slice(None),) * axis + (slice(0, table.shape[axis]),)] = table
    return grown


def _infinite_value(block: Block) -> InvalidInput:
    """The error for the first value, by column and then by row, that cannot be squared and summed."""
    largest = 1.0 if block.weights is None else max(1.0, float(block.weights.max(initial=0.0)))
    limit = np.sqrt(np.finfo(np.float64).max / max(block.n_rows, 1) / largest) / 4
    if sparse.issparse(block.values):
        entries = block.values.tocoo()
        at = np.flatnonzero(np.abs(entries.data) > limit)
        at = at[np.lexsort((entries.row[at], entries.col[at]))]
        found = [(entries.data[i], entries.row[i], entries.col[i]) for i in at[:1]]
    else:
        columns = (block.values[:, j].astype(np.float64) for j in range(block.values.shape[1]))
        large = ((j, column, np.flatnonzero(np.abs(column) > limit)) for j, column in enumerate(columns))
        found = [(column[rows[0]], rows[0], j) for j, column, rows in large if len(rows)][:1]
    value, row, column = found[0]
    return InfiniteValue(float(value), block.row_number(int(row)), block.column_number(int(column)))
