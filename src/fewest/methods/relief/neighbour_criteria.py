"""The criteria of Relief, ReliefF and MAP-Relief: mean margins between rows and their nearest neighbours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest._core import neighbour_margins, weighted_margins
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.methods.relief.permuted_margins import NeighbourRule, PermutedMargins
from fewest.objectives import ColumnScores
from fewest.parameters import check_choice, check_count, check_flag
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.class_moments import check_scale, origin_and_unit
from fewest.statistics.prepared_rows import PreparedRows, content_order, order_by_label, varying_columns
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

METRICS = ("l1", "l2")
#: Neighbours of a large class, as a multiple of those asked for, are no more than this: what they cost is bounded.
_MOST_TIMES = 8
#: Of a class that is larger by less than this factor no more neighbours are taken: it would cost, and gain nothing.
_LEAST_TIMES = 1.5
#: The neighbours of a small class are at most one in this number of its rows: those of others remain near.
_LEAST_ROWS_EACH = 4


class NeighbourRows(PreparedRows):
    """Rows in one unit of length, sorted by class, over the columns that vary.

    values : (n_rows, n_varying) in C order, in units of `unit`, the longest range of all; a category is its code
    class_ends : the end of each class in the rows
    is_categorical : whether a column holds categories, whose difference is 0 or 1; None where all are numbers and none
        is missing
    queries : the rows whose margins are averaged
    shares : the share of each class in the rows
    """

    def __init__(self, rows: Rows, scale: str | None, n_queries: int | None, seed: int) -> None:
        _check_weights_and_classes(rows)
        varying = varying_columns(rows, scale)
        super().__init__(rows, *order_by_label(rows), varying)
        is_categorical = np.isin(varying, list(rows.categorical_columns))
        # Counted from the lowest value, so that columns far from zero keep their digits.
        lowest, highest = self.moments.lowest[varying], self.moments.highest[varying]
        length = np.where(is_categorical, 1.0, origin_and_unit(self.moments, scale)[1][varying])
        # One unit for all columns: in it no difference is above 1 or too small to square.
        spans = np.where(is_categorical, 1.0, (highest - lowest) / length)
        self.unit = float(spans.max(initial=0.0)) or 1.0
        self.values -= np.where(is_categorical, 0.0, lowest)
        self.values /= np.where(is_categorical, 1.0, length * self.unit)
        is_plain = not is_categorical.any() and not self.moments.missing[varying].any()
        self.is_categorical: Mask | None = None if is_plain else is_categorical
        counts = np.bincount(self.codes, minlength=len(rows.classes))
        self.class_ends: Integers = np.cumsum(counts).astype(np.int64)
        self.shares: Floats = counts / max(rows.n_rows, 1)
        self.queries = _draw_queries(rows, self.order, n_queries, seed)

    def sort_columns(self) -> Indices:
        order = super().sort_columns()
        if self.is_categorical is not None:
            self.is_categorical = self.is_categorical[order]
        return order

    def restricted(self, columns: Indices) -> NeighbourRows:
        """Return the same rows over those of these columns that vary, in the same unit."""
        is_kept = np.isin(self.varying, columns)
        rows = copy(self)
        rows.varying = self.varying[is_kept]
        rows.values = np.ascontiguousarray(self.values[:, is_kept])
        rows.is_categorical = None if self.is_categorical is None else self.is_categorical[is_kept]
        return rows

    def mean_margins(self, metric: str, rule: NeighbourRule) -> Floats:
        """Return, by column, the mean over the queries of f_M mean |x - M| - f_H mean |x - H| over the nearest rows."""
        k = np.broadcast_to(np.minimum(rule.n_neighbors, len(self.values)), len(self.shares)).astype(np.int64)
        sums, counts = self._sums_and_counts()
        factors = rule.class_shares, rule.hit_factors, rule.miss_factors
        neighbour_margins(*self.table(), k, metric == "l2", *factors, sums, counts, thread_count())
        return self.mean(sums, counts)

    def mean_weighted_margins(
        self, metric: str, width: float, weights: Floats, may_be_rough: bool = False
    ) -> tuple[Floats, bool]:
        """Return the mean margins against all rows, weighted by exp(-distance / width) under these column weights.

        Where they may be rough, tables of numbers with many rows are compared in float32, to about 1e-7; the second
        result is whether they were.
        """
        sums, counts = self._sums_and_counts()
        is_rough = weighted_margins(
            *self.table(), weights, width / self.unit, metric == "l2", may_be_rough, sums, counts, thread_count()
        )
        return self.mean(sums, counts), is_rough

    def table(self) -> tuple[Floats, Integers, Mask | None, float, Integers]:
        """Return values, class_ends, is_categorical, how much two categories differ, and queries."""
        return self.values, self.class_ends, self.is_categorical, 1 / self.unit, self.queries

    def _sums_and_counts(self) -> tuple[Floats, Integers]:
        return np.empty(self.values.shape[1]), np.empty(self.values.shape[1], dtype=np.int64)

    def mean(self, sums: Floats, counts: Integers) -> Floats:
        """Return the mean margins of all columns: 0 for a constant column, NaN where there is no margin."""
        return self.expand(np.divide(self.unit * sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


class MarginObjective(ColumnScores):
    """The mean margin of each column, and which columns of a subset have the least among these (TuRF)."""

    def __init__(self, rows: NeighbourRows, scores: Floats, margins: Callable[[NeighbourRows], Floats]) -> None:
        super().__init__(scores)
        self.rows, self.margins = rows, margins

    def least_members(self, subset: Indices, n: int) -> Indices:
        """Return the n columns of the subset with the least margins, the neighbours found over the subset."""
        scores = self.scores
        if len(subset) < self.n_columns:
            scores = self.margins(self.rows.restricted(subset))
        # A column without a value goes first, of equal ones the highest.
        own = np.nan_to_num(scores[subset], nan=-np.inf)
        return subset[np.lexsort((-subset, own))[:n]]


@dataclass(frozen=True)
class NeighbourCriterion:
    """The parameters of criteria that compare rows with their neighbours.

    Parameters
    ----------
    metric : {"l1", "l2"}, default="l1"
        The metric of distances over all columns.
    scale : {"std", "range", "symmetric"} or None, default="range"
        The scaling of the columns; categories differ by 0 or 1.
    n_queries : int or None, default=None
        The number of rows whose margins are averaged, drawn evenly from the classes; None for all. Each is compared
        with all rows.
    random_state : int, default=0
        The seed of that draw.
    """

    metric: str = "l1"
    scale: str | None = "range"
    n_queries: int | None = None
    random_state: int = 0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "least_members"})
    scores_jointly: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        compose_docstring(cls)

    def __post_init__(self) -> None:
        check_choice("metric", self.metric, METRICS)
        check_scale(self.scale)
        if self.n_queries is not None:
            check_count("n_queries", self.n_queries, 1, end=" or None")
        check_count("random_state", self.random_state, 0)

    def statistic(self) -> Rows:
        return Rows()

    def prepare(self, rows: Rows) -> NeighbourRows:
        """Return the rows scaled and sorted by class."""
        return NeighbourRows(rows, self.scale, self.n_queries, self.random_state)


class NearestRowsCriterion(NeighbourCriterion):
    """A criterion by the nearest rows, whose margins are found under many permutations of the labels at a time."""

    @abstractmethod
    def rule(self, prepared: NeighbourRows) -> NeighbourRule:
        """Return which neighbours count, and how much."""

    def bind(self, rows: Rows) -> MarginObjective:
        prepared = self.prepare(rows)
        return MarginObjective(prepared, self._margins(prepared), self._margins)

    def permutation_rows(self) -> Rows:
        """Return an empty statistic of the rows whose labels are permuted."""
        return Rows()

    def permutation_scorer(self, rows: Rows) -> PermutedMargins | None:
        """Return what scores columns under permuted labels; None where rows are not all complete numbers."""
        prepared = self.prepare(rows)
        return PermutedMargins.of(rows, prepared, self.rule(prepared), self.metric)

    def _margins(self, prepared: NeighbourRows) -> Floats:
        return prepared.mean_margins(self.metric, self.rule(prepared))


@dataclass(frozen=True)
class HitMissMargin(NearestRowsCriterion):
    """Score columns by how much farther the nearest rows of other classes are than those of the same class.

    The score is the mean over the rows n of m_n. A hit H is another row of the row's class, a miss M a row of another.

    Parameters
    ----------
    n_neighbors : int, default=10
        The number k of nearest hits and misses; of a class with at most k rows all count.
    by_class : bool, default=True
        True, ReliefF: m_n = sum over classes c other than y of p_c / (1 - p_y) times the mean |x_n - M| over the k
        nearest rows of class c, less the mean |x_n - H| over the k nearest hits. False, Relief with n_neighbors=1: the
        misses are the k nearest rows of any other class.
    printed : bool, default=False
        Leave out 1 / (1 - p_y), as the paper prints it.
    balance : bool, default=True
        Weight the rows of class y by 1 - p_y, and take more neighbours from larger classes: then the expected score of
        every column is 0 if the labels are independent of it, however unequal the classes. Has no effect with `printed`
        or without `by_class`.

    See Also
    --------
    fewest.Relief, fewest.ReliefF : The selectors with this criterion, and their references.

    Notes
    -----
    Neighbours are found over all columns. Those as far as the k-th, within 1e-12, share what is left of k equally. A
    row alone in its class has no margin, but is a miss of others. With missing values, distances run over the columns
    observed in both rows, scaled to the number of all columns; a margin needs a value of the row, of a hit and of a
    miss. Needs Rows. Every row is compared with all, O(N^2 D), without an N x N array.

    Examples
    --------
    >>> from fewest import FeatureSelector, HitMissMargin, IndividualRanking, scan
    >>> selector = FeatureSelector(HitMissMargin(n_neighbors=5), IndividualRanking(), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('od280/od315_of_diluted_wines', 'flavanoids', 'proline')
    """

    n_neighbors: int = 10
    by_class: bool = True
    printed: bool = False
    balance: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n_neighbors", self.n_neighbors, 1)
        check_flag("by_class", self.by_class)
        check_flag("printed", self.printed)
        check_flag("balance", self.balance)

    def rule(self, prepared: NeighbourRows) -> NeighbourRule:
        ones, shares = np.ones(len(prepared.shares)), prepared.shares
        n_neighbors = int(min(self.n_neighbors, len(prepared.values)))
        if self.balance and self.by_class and not self.printed:
            counts = np.diff(prepared.class_ends, prepend=0)
            factors = balanced_factors(counts)
            miss_factors = factors / np.where(shares < 1, 1 - shares, 1.0)
            k = balanced_neighbours(counts, n_neighbors)
            return NeighbourRule(k, shares, factors, miss_factors)
        miss_factors = 1 / np.where(shares < 1, 1 - shares, 1.0) if self.by_class and not self.printed else ones
        class_shares = shares if self.by_class else None
        return NeighbourRule(n_neighbors, class_shares, ones, miss_factors)


@dataclass(frozen=True)
class MapMargin(NearestRowsCriterion):
    """Score columns by the margin of Relief with class shares as weights (M-Relief).

    The mean over rows of p_y |x_n - M| - (1 - p_y) |x_n - H|: H is the nearest other row of the class, M the nearest
    row of any other class, p_y the share of the row's class; ties and missing values as in HitMissMargin.

    See Also
    --------
    fewest.MAPRelief : The selector with this criterion, and its reference.

    Notes
    -----
    It counts the prior twice: the class of the nearest row already follows the prior. With rare classes it approaches
    -|x_n - H|, the density of a column whatever the labels. Every row is compared with all, O(N^2 D).

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, MapMargin, scan
    >>> FeatureSelector(MapMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'alcohol', 'color_intensity')
    """

    def rule(self, prepared: NeighbourRows) -> NeighbourRule:
        return NeighbourRule(1, None, 1 - prepared.shares, prepared.shares)


def balanced_factors(counts: Integers) -> Floats:
    """Return the weight of a row of each class under which margins have an expectation of 0 with shuffled labels.

    The nearest of many rows are nearer than those of few, so that rows of a large class have positive margins whatever
    the labels, and rows of a small one negative margins. With the weights 1 - p_y two classes y and c count
    p_y p_c [miss of y in c - hit in c + miss of c in y - hit in y], where what the sizes cause cancels. In units of
    their mean, so that classes of equal size have weights of 1.
    """
    counts = counts.astype(np.int64)
    others = counts.sum() - counts
    return np.asarray(counts.sum() * others / max(int(counts @ others), 1))


def balanced_neighbours(counts: Integers, n_neighbors: int) -> Integers:
    """Return how many rows of each class are its nearest, so that these are as near in classes of any size.

    Of n rows the mean of the k nearest is at about (k + 1) / 2n of their distribution: k + 1 grows with the class. This
    is not needed for an expectation of 0, but makes margins more exact where classes are very unequal.
    """
    smallest = max(int(counts[counts > 0].min()), _LEAST_ROWS_EACH * (n_neighbors + 1))
    times = np.minimum(counts / smallest, _MOST_TIMES)
    # Classes of about the same size have the same number.
    times[times < _LEAST_TIMES] = 1.0
    return np.asarray(np.rint((n_neighbors + 1) * times).astype(np.int64) - 1)


def unit_weights(margins: Floats) -> Floats:
    """Return the unit vector w >= 0 with the largest w . margins: their positive part divided by its length.

    Where no margin is positive it is the unit vector of the largest. A column without a margin (NaN) has weight 0.
    """
    known = np.nan_to_num(margins, nan=-np.inf)
    positive = np.clip(known, 0.0, None)
    largest = positive.max(initial=0.0)
    if largest > 0:
        # Scaled first, so that no square underflows or overflows.
        positive = positive / largest
        return np.asarray(positive / np.sqrt(positive @ positive))
    weights = np.zeros(len(margins))
    if len(margins):
        weights[int(np.argmax(known))] = 1.0
    return weights


def _check_weights_and_classes(rows: Rows) -> None:
    """Raise where rows are weighted or no row has both a hit and a miss."""
    if not np.all(rows.weights == 1):
        raise InvalidInput(
            "sample_weight is refused: the nearest rows are the same whatever they weigh, so a weight is not a "
            "repetition here. Leave it out, or repeat rows."
        )
    counts = np.bincount(rows.codes, minlength=1)
    if np.count_nonzero(counts) < 2 or counts.max() < 2:
        raise InvalidInput(
            f"There are {rows.n_rows} row(s) of {np.count_nonzero(counts)} class(es): a margin needs another row of "
            "the same class and one of another class. Give at least two classes, one of them with two rows."
        )


def _draw_queries(rows: Rows, order: Indices, n_queries: int | None, seed: int) -> Integers:
    """Return positions among the ordered rows, drawn evenly from the classes by the seed and the rows' values."""
    if n_queries is None or n_queries >= rows.n_rows:
        return np.arange(rows.n_rows, dtype=np.int64)
    drawn, _ = content_order(rows, seed=int(seed))
    position = np.empty(rows.n_rows, dtype=np.int64)
    position[order] = np.arange(rows.n_rows)
    return np.sort(position[drawn[np.arange(n_queries) * rows.n_rows // n_queries]])
