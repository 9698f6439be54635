"""The Bayes error of a subset of columns, from nonparametric density estimates (DoC of Yang and Hu)."""

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
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows, order_by_label, reject_missing_values
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread, run_on_threads

DENSITIES = ("parzen", "neighbors")
#: The number of distances between rows that are stored at a time.
_CHUNK_PAIRS = 1 << 20
#: Squared distances within this share of each other are ties.
_TIE = 1e-12


class BayesErrorObjective(SubsetObjective):
    """The posterior difference of any subset of columns, computed in chunks of rows against all rows."""

    def __init__(self, rows: Rows, criterion: BayesError, chunk_pairs: int = _CHUNK_PAIRS) -> None:
        self.criterion, self.chunk_pairs = criterion, chunk_pairs
        self.n_columns = rows.n_features
        self.is_observed = rows.is_observed
        self.varies: Mask = rows.moments.highest > rows.moments.lowest
        # Sorted by class, so that the rows of a class are a slice.
        prepared = PreparedRows(rows, *order_by_label(rows))
        prepared.scale_by_moments(criterion.scale)
        self.values, self.weights, self.codes = prepared.values, prepared.weights, prepared.codes
        ends = np.cumsum(np.bincount(self.codes, minlength=len(rows.classes)))
        self._classes = [slice(first, end) for first, end in pairwise([0, *ends.tolist()])]
        self._class_weights = np.bincount(self.codes, self.weights, minlength=len(rows.classes))
        self._is_unweighted = bool((self.weights == 1).all())
        # The weight of the row itself; the rest stands for equal rows. Without other rows of its class it is skipped.
        self._self_weight = np.minimum(self.weights, 1.0)
        self._other_weight = self._class_weights[self.codes] - self._self_weight
        is_alone = (np.bincount(self.codes)[self.codes] == 1) & (self.weights <= 1)
        self._is_evaluated = (self._other_weight > 0) & ~is_alone

    def score_features(self) -> Floats:
        """Return the value of each column alone; NaN for a column without a value."""
        return self.score_additions([], np.arange(self.n_columns))

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the gain of adding each of these columns; NaN for a column without a value."""
        return np.where(self.is_observed[among], super().score_additions(selected, among), np.nan)

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        values = np.empty(len(subsets))

        def score(i: int) -> None:
            values[i] = self.score_subset(subsets[i])

        run_on_threads([partial(score, i) for i in range(len(subsets))])
        return values

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the mean over rows of the posterior of their class less that of the other classes."""
        columns = column_indices(subset, self.n_columns)
        columns = columns[self.varies[columns]]
        if len(columns) == 0 or not self._is_evaluated.any():
            return 0.0
        table = np.ascontiguousarray(self.values[:, columns])
        total = 0.0
        with one_blas_thread():
            for chunk, squared in self._squared_distances(table):
                if self.criterion.density == "parzen":
                    joint = self._kernel_sums(chunk, squared, self._kernel_exponent(table))
                else:
                    joint = self._neighbour_densities(chunk, squared, len(columns))
                # p(c) p(x|c) up to a factor: the class sizes cancel, except in a row's own class, which lacks the row.
                rows, own = np.arange(len(joint)), self.codes[chunk]
                others = np.maximum(self._other_weight[chunk], np.finfo(float).tiny)
                joint[rows, own] *= self._class_weights[own] / others
                evidence = joint.sum(axis=1)
                difference = 2 * joint[rows, own] / np.where(evidence > 0, evidence, 1.0) - 1
                weights = np.where(self._is_evaluated[chunk], self.weights[chunk], 0.0)
                total += float(weights @ np.where(weights > 0, difference, 0.0))
        return total / float(self.weights[self._is_evaluated].sum())

    def _kernel_exponent(self, table: Floats) -> float:
        """Return 1 / 2 width^2, at most 4 over the mean squared distance between two rows."""
        n = self.weights.sum()
        mean = self.weights @ table / n
        scatter = float((self.weights @ (table - mean) ** 2).sum())
        largest = 4 / (2 * scatter / max(n - 1, 1)) if scatter > 0 else np.inf
        # Not the square, which may be too large for a float; nor zero, times which the infinite distance is none.
        return float(max(min(0.5 / self.criterion.width / self.criterion.width, largest), np.finfo(np.float64).tiny))

    def _squared_distances(self, table: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield chunks of rows with their squared distances to all; infinite between a single row and itself."""
        # Imported late: reading the parameters need not wait for it.
        from scipy.spatial.distance import cdist

        n_rows = len(table)
        step = max(1, self.chunk_pairs // n_rows)
        for first in range(0, n_rows, step):
            chunk = slice(first, min(first + step, n_rows))
            squared: Floats = cdist(table[chunk], table, "sqeuclidean")
            single = np.flatnonzero(self.weights[chunk] <= 1)
            squared[single, single + first] = np.inf
            yield chunk, squared

    def _kernel_sums(self, chunk: slice, squared: Floats, exponent: float) -> Floats:
        """Return the kernel sum over each class's rows, divided by the largest kernel: the total is then never 0."""
        nearest = squared.min(axis=1, keepdims=True)
        squared -= np.where(np.isfinite(nearest), nearest, 0.0)
        squared *= -exponent
        kernels = np.exp(squared, out=squared)
        sums = np.column_stack([kernels[:, members] @ self.weights[members] for members in self._classes])
        rows, own = np.arange(len(sums)), self.codes[chunk]
        # One of the equal rows is the row itself; its kernel is 1, since nothing is nearer.
        sums[rows, own] -= np.where(self.weights[chunk] > 1, self._self_weight[chunk], 0.0)
        return np.maximum(sums, 0.0)

    def _neighbour_densities(self, chunk: slice, squared: Floats, n_columns: int) -> Floats:
        """Return, by class, the weight within the k-th neighbour's distance r over r^|S|, in units of the largest."""
        n_rows, k = len(squared), self.criterion.n_neighbors
        radius, within = np.full((n_rows, len(self._classes)), np.inf), np.zeros((n_rows, len(self._classes)))
        for c, members in enumerate(self._classes):
            n_members = members.stop - members.start
            if n_members == 0:
                continue
            is_own = self.codes[chunk] == c
            if self._is_unweighted:
                radius[:, c], within[:, c] = _nearest(squared[:, members], n_members - is_own, k)
                continue
            weights = np.broadcast_to(self.weights[members], (n_rows, n_members)).copy()
            own = np.flatnonzero(is_own)
            weights[own, own + chunk.start - members.start] -= self._self_weight[chunk][own]
            radius[:, c], within[:, c] = _nearest_by_weight(squared[:, members], weights, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_density = np.log(within) - 0.5 * n_columns * np.log(radius)
            log_density[(within == 0) | np.isinf(radius)] = -np.inf
            largest = log_density.max(axis=1, keepdims=True)
            densities = np.exp(log_density - np.where(np.isfinite(largest), largest, 0.0))
        # Where distances are 0 only the weights at them count.
        return np.where(np.isposinf(largest), np.where(radius == 0, within, 0.0), densities)


@dataclass(frozen=True)
class BayesError:
    """Score subsets of columns by the estimated posterior of each row's class, with the row left out.

    mean_n [p(y_n) p(x_n|y_n) - sum_{c != y_n} p(c) p(x_n|c)] / sum_c p(c) p(x_n|c) lies in [-1, 1]; it is 1 where the
    classes are separated. (1 - value) / 2 is the error of a class drawn from its posterior, at most twice the Bayes
    error: the discriminative optimal criterion (DoC) of the paper with nonparametric densities. p(c) = N_c / N;
    p(x_n|c) is estimated without row n, on the columns of the subset.

    Parameters
    ----------
    density : {"parzen", "neighbors"}, default="parzen"
        "parzen" is the mean over the rows of c of exp(-eta |x_n - x|^2), eta = 1 / 2 width^2, but at most 4 over the
        mean squared distance between two rows. "neighbors" is m / (N_c r^|S|), r the distance of the k-th nearest row
        of c and m the number of rows within it: k, or more with ties.
    width : float, default=0.5
        The kernel width in units of the scaled columns.
    n_neighbors : int, default=5
        The number k of neighbours; of a class with fewer rows, all.
    scale : {"std", "range", "symmetric"} or None, default="std"
        The scaling of the columns.

    See Also
    --------
    ParzenMargin : Kernel densities of single columns, in time linear in the rows.

    Notes
    -----
    Where r = 0 for some classes, x_n belongs to one of these, each with the weight of its rows that equal x_n. A
    subset without a column that varies has the value 0. A class of one row is not evaluated. A row of weight 2 equals
    the row twice. Needs Rows without missing values. Each subset costs O(N^2 |S|), with distances stored in chunks.

    References
    ----------
    Yang, Hu, 2012. Discriminative Feature Selection by Nonparametric Bayes Error Minimization (Eqs. 7, 8 and 13).
    https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest import BayesError, FeatureSelector, GreedyForward, scan
    >>> FeatureSelector(BayesError(), GreedyForward(lazy=False), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'alcohol', 'color_intensity')
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
    """Return each row's squared distance to the k-th of n_others other rows, or the last, and the number within it."""
    last = np.maximum(np.minimum(k, n_others) - 1, 0)
    radius = np.partition(squared, np.unique(last), axis=1)[np.arange(len(squared)), last]
    within = np.count_nonzero(squared <= radius[:, None] * (1 + _TIE), axis=1)
    return radius, np.where(n_others > 0, within, 0).astype(np.float64)


def _nearest_by_weight(squared: Floats, weights: Floats, k: int) -> tuple[Floats, Floats]:
    """Return each row's squared distance within which a weight of k lies, or all of it, and the weight within it."""
    available = weights.sum(axis=1)
    order = np.argsort(squared, axis=1, kind="stable")
    cumulative = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    kth = (cumulative < (np.minimum(k, available) * (1 - _TIE))[:, None]).sum(axis=1)
    kth = np.minimum(kth, squared.shape[1] - 1)[:, None]
    radius = np.take_along_axis(squared, np.take_along_axis(order, kth, axis=1), axis=1)
    within = np.where(squared <= radius * (1 + _TIE), weights, 0.0).sum(axis=1)
    return radius[:, 0], np.where(available > 0, within, 0.0)
