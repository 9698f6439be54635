"""How sure one can be of the class on a set of columns, by estimated densities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.objectives import SubsetObjective, column_indices
from fewest.parameters import check_choice, check_count, check_positive
from fewest.statistics.prepared_rows import PreparedRows, order_by_label, reject_missing_values
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale
from fewest.threads import one_blas_thread, shared_out

DENSITIES = ("parzen", "neighbors")
#: Distances between so many pairs of rows are kept at a time.
_PAIRS_AT_ONCE = 1 << 20
#: Squared distances within this share of each other are ties.
_TIE = 1e-12


class BayesErrorObjective(SubsetObjective):
    """The worth of any set of columns, from the distances between a run of rows and all rows at a time."""

    is_additive = False

    def __init__(self, rows: Rows, criterion: BayesError) -> None:
        self.criterion = criterion
        self.n_columns = rows.n_features
        self.is_observed = rows.is_observed
        self.varies: Mask = rows.moments.highest > rows.moments.lowest
        # In the order of their classes: then the rows of a class are a slice.
        prepared = PreparedRows(rows, *order_by_label(rows))
        prepared.scale_by_moments(criterion.scale)
        self.values, self.weights, self.codes = prepared.values, prepared.weights, prepared.codes
        ends = np.cumsum(np.bincount(self.codes, minlength=len(rows.classes)))
        self._classes = [slice(first, end) for first, end in pairwise([0, *ends.tolist()])]
        self._class_weights = np.bincount(self.codes, self.weights, minlength=len(rows.classes))
        self._is_plain = bool((self.weights == 1).all())
        #: How much of a row is itself: the rest of its weight is other rows that are like it.
        self._self = np.minimum(self.weights, 1.0)
        #: The weight of the other rows of a row's class; without any, the row is no target.
        self._fellows = self._class_weights[self.codes] - self._self
        self._is_target = (self._fellows > 0) & ((np.bincount(self.codes)[self.codes] > 1) | (self.weights > 1))

    def score_features(self) -> Floats:
        """The worth of each column on its own; NaN where it was never observed."""
        alone = self.score_subsets([[column] for column in range(self.n_columns)])
        return np.where(self.is_observed, alone, np.nan)

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What each of these columns adds to those selected; NaN where it was never observed."""
        return np.where(self.is_observed[among], super().score_additions(selected, among), np.nan)

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        worths = np.empty(len(subsets))

        def score(place: int) -> None:
            worths[place] = self.score_subset(subsets[place])

        shared_out([partial(score, place) for place in range(len(subsets))])
        return worths

    def score_subset(self, subset: Sequence[int]) -> float:
        """The mean difference between the posterior of a row's own class and that of the others."""
        columns = column_indices(subset, self.n_columns)
        columns = columns[self.varies[columns]]
        if len(columns) == 0 or not self._is_target.any():
            return 0.0
        table = np.ascontiguousarray(self.values[:, columns])
        total = 0.0
        with one_blas_thread():
            for block, squared in self._distances(table):
                if self.criterion.density == "parzen":
                    shares = self._by_kernel(block, squared, self._sharpness(table))
                else:
                    shares = self._by_neighbors(block, squared, len(columns))
                # p(c) p(x|c): what a class has of N cancels, but for a row's own class, which is without that row.
                rows, own = np.arange(len(shares)), self.codes[block]
                shares[rows, own] *= self._class_weights[own] / np.maximum(self._fellows[block], np.finfo(float).tiny)
                everything = shares.sum(axis=1)
                difference = 2 * shares[rows, own] / np.where(everything > 0, everything, 1.0) - 1
                weights = np.where(self._is_target[block], self.weights[block], 0.0)
                total += float(weights @ np.where(weights > 0, difference, 0.0))
        return total / float(self.weights[self._is_target].sum())

    def _sharpness(self, table: Floats) -> float:
        """1 / 2 width^2, at most 4 over the mean squared distance between two rows."""
        n = self.weights.sum()
        mean = self.weights @ table / n
        scatter = float((self.weights @ (table - mean) ** 2).sum())
        most = 4 / (2 * scatter / max(n - 1, 1)) if scatter > 0 else np.inf
        return float(min(0.5 / self.criterion.width**2, most))

    def _distances(self, table: Floats) -> Iterator[tuple[slice, Floats]]:
        """A run of rows, and their squared distances to all; a row that is but one is infinitely far from itself."""
        # Imported here: to read the parameters nobody should have to wait for it.
        from scipy.spatial.distance import cdist

        n_rows = len(table)
        step = max(1, _PAIRS_AT_ONCE // n_rows)
        for first in range(0, n_rows, step):
            block = slice(first, min(first + step, n_rows))
            squared: Floats = cdist(table[block], table, "sqeuclidean")
            alone = np.flatnonzero(self.weights[block] <= 1)
            squared[alone, alone + first] = np.inf
            yield block, squared

    def _by_kernel(self, block: slice, squared: Floats, sharpness: float) -> Floats:
        """The sum of the kernels to each class's rows, in units of that to the nearest row of all: one term is 1, so
        that no sum over all classes is 0, however far away a row lies."""
        nearest = squared.min(axis=1, keepdims=True)
        squared -= np.where(np.isfinite(nearest), nearest, 0.0)
        squared *= -sharpness
        kernels = np.exp(squared, out=squared)
        sums = np.column_stack([kernels[:, members] @ self.weights[members] for members in self._classes])
        rows, own = np.arange(len(sums)), self.codes[block]
        # Of a row with copies one is itself; its kernel is 1, since nothing is nearer.
        sums[rows, own] -= np.where(self.weights[block] > 1, self._self[block], 0.0)
        return np.maximum(sums, 0.0)

    def _by_neighbors(self, block: slice, squared: Floats, n_columns: int) -> Floats:
        """The weight within the k-th neighbour's distance in each class over that distance to the power of |S|, in
        units of the largest; where distances are 0, the weight at them, and nothing for the other classes."""
        n_block, n_classes = len(squared), len(self._classes)
        radius, within = np.empty((n_block, n_classes)), np.zeros((n_block, n_classes))
        for c, members in enumerate(self._classes):
            if members.start == members.stop:
                radius[:, c] = np.inf
                continue
            is_own = self.codes[block] == c
            k = self.criterion.n_neighbors
            if self._is_plain:
                n_others = members.stop - members.start - is_own
                radius[:, c], within[:, c] = _nearest(squared[:, members], n_others, k)
                continue
            weights = np.broadcast_to(self.weights[members], (n_block, members.stop - members.start)).copy()
            own = np.flatnonzero(is_own)
            weights[own, own + block.start - members.start] -= self._self[block][own]
            radius[:, c], within[:, c] = _nearest_by_weight(squared[:, members], weights, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_share = np.log(within) - 0.5 * n_columns * np.log(radius)
            log_share[(within == 0) | np.isinf(radius)] = -np.inf
            largest = log_share.max(axis=1, keepdims=True)
            shares = np.exp(log_share - np.where(np.isfinite(largest), largest, 0.0))
        return np.where(np.isposinf(largest), np.where(radius == 0, within, 0.0), shares)


@dataclass(frozen=True)
class BayesError:
    """How sure one can be of the class of a row that is left out, on a set of columns: for any search.

    mean_n [p(y_n) p(x_n|y_n) - sum_{c != y_n} p(c) p(x_n|c)] / sum_c p(c) p(x_n|c), which lies in [-1, 1]: 1 where the
    classes lie apart; half of 1 less it is the error of a class drawn by its posterior, at most twice the Bayes error.
    p(c) = N_c / N; p(x_n|c) is estimated without row n itself, on the columns of the set:

    - "parzen": the mean over the rows of c of exp(-eta |x_n - x|^2), eta = 1 / 2 width^2, but at most 4 over the mean
      squared distance between two rows on these columns: in many columns a narrow kernel would see nobody. The terms
      of a row are taken in units of its largest, so that 0/0 cannot arise, however far away the row lies;
    - "neighbors": m / (N_c r^|S|), r the distance of the k-th nearest row of c and m how many lie within it: k, or more
      where there are ties. A class of fewer than k rows is taken whole. Where r = 0 for some classes, x_n belongs to
      one of these, each with the weight of its rows that are equal to x_n.

    A set without a column that varies is worth 0. A class of one row is no target. A row of weight 2 is the row twice.

    density : "parzen" or "neighbors"
    width : of the kernel, in units of the scaled columns
    n_neighbors : k
    scale : as in ScatterTrace

    Needs Rows, without gaps. Every set costs a run over all pairs of rows; distances are kept a run of rows at a time.
    The paper on Bayes error and Relief, Eqs. 7, 8 and 13.
    """

    density: str = "parzen"
    width: float = 0.5
    n_neighbors: int = 5
    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
    )

    def __post_init__(self) -> None:
        check_choice("density", self.density, DENSITIES)
        check_positive("width", self.width)
        check_count("n_neighbors", self.n_neighbors, 1)
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> BayesErrorObjective:
        reject_missing_values(rows, "BayesError compares complete rows", "or drop these columns")
        return BayesErrorObjective(rows, self)


def _nearest(squared: Floats, n_others: Indices, k: int) -> tuple[Floats, Floats]:
    """For each row, the squared distance of the k-th of so many others, or of the last; and how many lie within it."""
    last = np.minimum(k, n_others) - 1
    places = np.unique(np.maximum(last, 0))
    radius = np.partition(squared, places, axis=1)[np.arange(len(squared)), np.maximum(last, 0)]
    within = np.count_nonzero(squared <= radius[:, None] * (1 + _TIE), axis=1)
    return radius, np.where(n_others > 0, within, 0).astype(np.float64)


def _nearest_by_weight(squared: Floats, weights: Floats, k: int) -> tuple[Floats, Floats]:
    """For each row, the squared distance within which a weight of k lies, or all there is; and the weight within it."""
    available = weights.sum(axis=1)
    order = np.argsort(squared, axis=1, kind="stable")
    so_far = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    place = (so_far < (np.minimum(k, available) * (1 - _TIE))[:, None]).sum(axis=1)
    place = np.minimum(place, squared.shape[1] - 1)[:, None]
    radius = np.take_along_axis(squared, np.take_along_axis(order, place, axis=1), axis=1)
    within = np.where(squared <= radius * (1 + _TIE), weights, 0.0).sum(axis=1)
    return radius[:, 0], np.where(available > 0, within, 0.0)
