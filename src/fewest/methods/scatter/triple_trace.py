"""The objective of degree 3: scatter of products of up to three features."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidParameter, OverflowingColumn
from fewest.objectives import column_indices, subsets_by_size
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.parameters import check_choice
from fewest.protocols import Objective
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows

MOST_COLUMNS = 60
KERNELS = ("inhomogeneous", "homogeneous")

#: The products of this number of rows stay in the cache.
_ROWS_AT_ONCE = 128
#: Subsets that are evaluated at a time.
_SUBSETS_AT_ONCE = 512
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class CubicCoefficients:
    """T_gamma = between - gamma * total of every product of up to three scaled columns.

    theta1, theta2, theta3 : (p,), (p, p), (p, p, p) of x_j, of x_j * x_k and of x_j * x_k * x_l, in any order of the
        indices, which may be equal; 0 where the product does not vary
    ratio2, ratio3 : (p, p), (p, p, p) between / total, which is how large gamma may be with theta still not negative;
        1 where the product does not vary
    """

    theta1: Floats
    theta2: Floats
    theta3: Floats
    ratio2: Floats
    ratio3: Floats


class CubicObjective(Objective):
    """The value of a subset under the cubic kernel, as a polynomial in the indicators of its columns.

    theta : (p,) theta_j, NaN where the column was never observed
    theta_pairs : (p, p) theta_jl, with theta_jj on the diagonal
    exact_gamma : up to this gamma no score of a pair or triple is negative, so that minimum cuts are exact; 1 where no
        product of different columns varies
    """

    def __init__(self, coefficients: CubicCoefficients, is_observed: Mask, is_homogeneous: bool) -> None:
        self.coefficients, self.is_homogeneous = coefficients, is_homogeneous
        self.theta: Floats = np.where(is_observed, coefficients.theta1, np.nan)
        self.theta_pairs = coefficients.theta2
        p = self.n_columns = len(self.theta)
        i, j, k = np.ogrid[:p, :p, :p]
        self._are_distinct = (i != j) & (j != k) & (i != k)
        self.exact_gamma = float(coefficients.ratio3[(i != j) | (j != k)].min(initial=1.0))
        if not is_homogeneous:
            ratios = coefficients.ratio2[~np.eye(p, dtype=bool)]
            self.exact_gamma = float(ratios.min(initial=self.exact_gamma))

    def grouped(self, groups: ColumnGroups) -> CubicObjective:
        """Return the objective on features: T of products is summed over all columns of theirs."""
        known = self.coefficients

        def summed(table: Floats) -> Floats:
            for axis in range(table.ndim):
                table = groups.sums(table, axis=axis)
            return table

        p, thetas = groups.n_features, (summed(known.theta1), summed(known.theta2), summed(known.theta3))
        is_observed = ~np.isnan(groups.highest(self.theta))
        coefficients = CubicCoefficients(*thetas, ratio2=np.ones((p, p)), ratio3=np.ones((p, p, p)))
        grouped = CubicObjective(coefficients, is_observed, self.is_homogeneous)
        # Sums of numbers that are not negative are not.
        grouped.exact_gamma = self.exact_gamma
        return grouped

    def score_features(self) -> Floats:
        """Return the value of each column alone; NaN where nothing was observed."""
        cubes = np.einsum("jjj->j", self.coefficients.theta3) / 3
        if not self.is_homogeneous:
            cubes = self.coefficients.theta1 + np.diagonal(self.coefficients.theta2) + cubes
        return np.where(np.isnan(self.theta), np.nan, cubes)

    def score_pairs(self) -> Floats:
        """Return (p, p) the value of two columns beyond their own; 0 on the diagonal."""
        squares = np.einsum("jjl->jl", self.coefficients.theta3)
        pairs: Floats = squares + squares.T
        if not self.is_homogeneous:
            pairs = 2 * self.coefficients.theta2 + pairs
        np.fill_diagonal(pairs, 0.0)
        return pairs

    def score_triples(self) -> Floats:
        """Return (p, p, p) the value of three columns beyond their pairs; 0 where two indices agree."""
        return np.where(self._are_distinct, 2 * self.coefficients.theta3, 0.0)

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the sum of the scores of the columns, pairs and triples of a subset."""
        columns = column_indices(subset, len(self.theta))
        value = self.coefficients.theta3[np.ix_(columns, columns, columns)].sum() / 3
        if not self.is_homogeneous:
            value += self.coefficients.theta1[columns].sum() + self.coefficients.theta2[np.ix_(columns, columns)].sum()
        return float(value)

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """Return the value of each subset."""
        values, known = np.empty(len(subsets)), self.coefficients
        for which, columns in subsets_by_size(subsets, _SUBSETS_AT_ONCE):
            i, j, k = columns[:, :, None, None], columns[:, None, :, None], columns[:, None, None, :]
            values[which] = known.theta3[i, j, k].sum(axis=(1, 2, 3)) / 3
            if not self.is_homogeneous:
                values[which] += known.theta1[columns].sum(axis=1)
                values[which] += known.theta2[columns[:, :, None], columns[:, None, :]].sum(axis=(1, 2))
        return values

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value."""
        return ~np.isnan(self.theta)

    @property
    def is_monotone(self) -> bool:
        """Whether no column lowers the value of a subset."""
        tables = np.nan_to_num(self.score_features(), nan=0.0), self.score_pairs(), self.score_triples()
        return all(not table.min(initial=0.0) < 0 for table in tables)


def cubic_objective(rows: Rows, gamma: float, scale: str | None, kernel: str) -> CubicObjective:
    """Return the cubic objective with the kernel s + s^2 + s^3/3 ("inhomogeneous") or s^3/3 ("homogeneous")."""
    check_choice("kernel", kernel, KERNELS)
    return CubicObjective(cubic_coefficients(rows, gamma, scale), rows.is_observed, kernel == "homogeneous")


def check_cubic_columns(n_columns: int) -> None:
    """Raise where there are more columns than the cubic form can handle."""
    if n_columns > MOST_COLUMNS:
        raise InvalidParameter(
            f"There are {n_columns} columns, and the cubic form is for at most {MOST_COLUMNS} (its paper calls it "
            f"unsuitable beyond). Use degree=2, or choose {MOST_COLUMNS} columns first, such as by FisherMarkov()."
        )


def cubic_coefficients(rows: Rows, gamma: float, scale: str | None) -> CubicCoefficients:
    """Return T_gamma of every product of up to three scaled columns, each over the rows that have all its columns.

    A constant column counts as zero. The number of products grows with the cube of the number of columns, so there
    may be at most 60.
    """
    check_cubic_columns(rows.n_features)
    check_scale(scale)
    between, total, indices = _scatter_of_products(rows, scale)
    # A little less, so that between - ratio * total is not negative after rounding either.
    ratio = np.divide((1 - 4 * _EPS) * between, total, out=np.ones_like(total), where=total > 0)
    theta, ratio = (_in_every_order(of_product, indices) for of_product in (between - gamma * total, ratio))
    return CubicCoefficients(theta[0, 0, 1:], theta[0, 1:, 1:], theta[1:, 1:, 1:], ratio[0, 1:, 1:], ratio[1:, 1:, 1:])


def _scatter_of_products(rows: Rows, scale: str | None) -> tuple[Floats, Floats, Indices]:
    """Return the scatter between the classes and in total, over the weight, and the columns of every product.

    The table has a first column of ones, so that a product of three of its columns is one of up to three.
    """
    # Columns are multiplied and rows added in an order that their values decide: another order changes no bit.
    columns = _canonical_columns(rows)
    prepared = PreparedRows(rows, rows.canonical_order(columns), columns=np.array(columns, dtype=np.intp))
    prepared.scale_by_moments(scale)
    values, weights = np.column_stack([np.ones(rows.n_rows), prepared.values]), prepared.weights
    class_ends = np.cumsum(rows.moments.class_counts[sort_classes(rows.classes)])

    # Overflow is found among the sums.
    with np.errstate(over="ignore", invalid="ignore"):
        sums = _ProductSums(values)
        for first, end in pairwise([0, *class_ends.tolist()]):
            for start in range(first, end, _ROWS_AT_ONCE):
                run = slice(start, min(start + _ROWS_AT_ONCE, end))
                sums.add(values[run], weights[run])
            sums.end_class()
        between, total = sums.between_and_total()
    indices = _indices(len(columns))
    overflowing = np.flatnonzero(~np.isfinite(between + total))
    if len(overflowing):
        factors = indices[:, overflowing[0]]
        largest = factors[np.argmax(np.nan_to_num(np.abs(values[:, factors])).max(axis=0))]
        raise OverflowingColumn(columns[largest - 1])
    return between, total, np.array([0, *(column + 1 for column in columns)])[indices]


def _canonical_columns(rows: Rows) -> list[int]:
    """Return the columns in an order that their contents decide; equal columns in any order."""
    moments = rows.moments
    hashes = [hashlib.sha256(column.tobytes()).digest() for column in rows.values.T]
    # The hash depends on the order of the rows; it matters only where the rest is equal.
    keys = list(zip(moments.lowest, moments.highest, moments.missing, hashes, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


class _ProductSums:
    """Scatter of all products of three columns, from runs of rows that come class by class.

    Sums run about one of each product's values, so that an offset of the columns costs no digits; the classes' means
    are merged one after the other, so that the memory does not grow with their number. Row is added to row: a matrix
    product would depend on a column's position and the number of threads.
    """

    def __init__(self, values: Floats) -> None:
        width = values.shape[1]
        self.width = width
        self.n_pairs = width * (width + 1) // 2
        self.starts = np.cumsum([0, *(_n_pairs(last) for last in range(1, width))])
        n_products = int(self.starts[-1])
        self.pivot = self._middle_values(values)
        # Of the current class, of the classes before it, and of all.
        self.class_weight, self.class_sum = np.zeros((2, n_products))
        self.weight, self.mean, self.between = np.zeros((3, n_products))
        self.squares = np.zeros(n_products)
        room = (_ROWS_AT_ONCE, self.n_pairs)
        self._pairs, self._products, self._pairs_seen, self._seen = (np.empty(room) for _ in range(4))

    def add(self, values: Floats, weights: Floats) -> None:
        """Add rows of the current class."""
        n = len(values)
        is_missing = np.isnan(values)
        seen = 1.0 - is_missing
        pairs_seen = _pairs(seen, self._pairs_seen[:n]) if is_missing.any() else None
        values = np.where(is_missing, 0.0, values)
        pairs = _pairs(values, self._pairs[:n])
        are_ones = bool((weights == 1.0).all())
        for last, (start, end) in enumerate(pairwise(self.starts), 1):
            products_of_last, pivot = slice(start, end), self.pivot[start:end]
            products, products_seen = self._products[:n, : end - start], self._seen[:n, : end - start]
            np.multiply(pairs[:, : end - start], values[:, last, None], out=products)
            if pairs_seen is None:
                products -= pivot
                self.class_weight[products_of_last] += weights.sum()
            else:
                # Where a value is missing the product is zero, and the pivot is not subtracted.
                np.multiply(pairs_seen[:, : end - start], seen[:, last, None], out=products_seen)
                self.class_weight[products_of_last] += np.einsum("ij,i->j", products_seen, weights)
                products_seen *= pivot
                products -= products_seen
            weighted = products
            if not are_ones:
                weighted = np.multiply(products, weights[:, None], out=products_seen)
            self.class_sum[products_of_last] += np.add.reduce(weighted, axis=0)
            self.squares[products_of_last] += np.einsum("ij,ij->j", weighted, products)

    def end_class(self) -> None:
        """End the current class."""
        weight = self.weight + self.class_weight
        with np.errstate(divide="ignore"):
            difference = np.where(self.class_weight > 0, self.class_sum / self.class_weight - self.mean, 0.0)
            share = np.where(weight > 0, self.class_weight / weight, 0.0)
        self.between += self.weight * share * np.square(difference)
        self.mean += share * difference
        self.weight = weight
        self.class_weight[:] = self.class_sum[:] = 0.0

    def between_and_total(self) -> tuple[Floats, Floats]:
        """Return the scatter over the weight; both are zero where the variance may be all rounding."""
        weight = np.where(self.weight > 0, self.weight, 1.0)
        between, total = self.between / weight, self.squares / weight - np.square(self.mean)
        # A product of three is within two roundings; the difference of two squares has those of their sums.
        noise = np.square(8 * _EPS * self.pivot) + 256 * _EPS * np.square(self.mean)
        # A constant column was set to zero, so a column alone has no noise.
        noise[self.starts[:-1]] = 0.0
        varies = ~((total <= noise) & np.isfinite(total))
        return np.where(varies, between, 0.0), np.where(varies, np.maximum(total, between), 0.0)

    def _middle_values(self, values: Floats) -> Floats:
        """Return the median of each product over a few rows from all over the table."""
        few = values[np.linspace(0, len(values) - 1, min(len(values), 15)).astype(np.intp)]
        pairs = _pairs(few, np.empty((len(few), self.n_pairs)))
        products = [pairs[:, : _n_pairs(last)] * few[:, last, None] for last in range(1, self.width)]
        in_order = np.sort(np.hstack(products), axis=0)  # NaN last
        n_seen = np.count_nonzero(~np.isnan(in_order), axis=0)
        middle: Floats = np.take_along_axis(in_order, np.maximum(n_seen - 1, 0)[None] // 2, axis=0)[0]
        # Where none of these rows has the product, the product of the columns' means.
        is_missing = np.isnan(values)
        means = np.where(is_missing, 0.0, values).sum(axis=0) / np.maximum(len(values) - is_missing.sum(axis=0), 1)
        return np.where(n_seen > 0, middle, means[_indices(self.width - 1)].prod(axis=0))


def _n_pairs(last: int) -> int:
    """Return the number of pairs i <= j with j up to last."""
    return (last + 1) * (last + 2) // 2


def _pairs(values: Floats, out: Floats) -> Floats:
    """Return the products of columns i <= j, by j: those of the first columns come first."""
    for j in range(values.shape[1]):
        np.multiply(values[:, : j + 1], values[:, j, None], out=out[:, _n_pairs(j - 1) : _n_pairs(j)])
    return out


def _indices(p: int) -> Indices:
    """Return the columns i <= j <= k of every product with k > 0; 0 is the column of ones."""
    pair_of = np.array([(i, j) for j in range(p + 1) for i in range(j + 1)], dtype=np.intp).T
    return np.hstack([np.vstack([pair_of[:, : _n_pairs(k)], np.full(_n_pairs(k), k)]) for k in range(1, p + 1)])


def _in_every_order(of_product: Floats, indices: Indices) -> Floats:
    """Return (p + 1, p + 1, p + 1) the number of each product at every order of its three columns."""
    width = int(indices.max()) + 1
    table = np.zeros((width, width, width))
    for i, j, k in permutations(indices):
        table[i, j, k] = of_product
    return table
