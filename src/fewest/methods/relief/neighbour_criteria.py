"""The criteria of Relief, ReliefF, MAP-Relief and Iterative Relief: mean margins between rows and their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest._core import neighbour_margins, weighted_margins
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.objectives import ColumnScores
from fewest.parameters import check_choice, check_count, check_flag, check_positive
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.class_moments import check_scale, origin_and_unit
from fewest.statistics.prepared_rows import PreparedRows, content_order, order_by_label, varying_columns
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

METRICS = ("l1", "l2")
#: Iterative Relief has converged when the weight vector changes by less than this.
_TOLERANCE = 1e-6
#: As long as it changes by more, rounds may be run in float32: what that loses shrinks with every later change.
_ROUGH = 1e-4
#: Of a smaller width not even one over it, in units of the longest range, might be a finite number.
_LEAST_WIDTH = 1e-100


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

    def mean_margins(
        self, metric: str, n_neighbors: int, class_shares: Floats | None, hit_factors: Floats, miss_factors: Floats
    ) -> Floats:
        """Return, by column, the mean over the queries of f_M mean |x - M| - f_H mean |x - H| over the nearest rows.

        class_shares : the weights of the classes' own nearest misses; None takes the nearest misses of any class
        hit_factors, miss_factors : f_H and f_M of each class
        """
        k = min(int(n_neighbors), len(self.values))
        sums, counts = self._sums_and_counts()
        rule = k, metric == "l2", class_shares, hit_factors, miss_factors
        neighbour_margins(*self._rows(), *rule, sums, counts, thread_count())
        return self._mean(sums, counts)

    def mean_weighted_margins(
        self, metric: str, width: float, weights: Floats, may_be_rough: bool = False
    ) -> tuple[Floats, bool]:
        """Return the mean margins against all rows, weighted by exp(-distance / width) under these column weights.

        Where they may be rough, tables of numbers with many rows are compared in float32, to about 1e-7; the second
        result is whether they were.
        """
        sums, counts = self._sums_and_counts()
        is_rough = weighted_margins(
            *self._rows(), weights, width / self.unit, metric == "l2", may_be_rough, sums, counts, thread_count()
        )
        return self._mean(sums, counts), is_rough

    def _rows(self) -> tuple[Floats, Integers, Mask | None, float, Integers]:
        return self.values, self.class_ends, self.is_categorical, 1 / self.unit, self.queries

    def _sums_and_counts(self) -> tuple[Floats, Integers]:
        return np.empty(self.values.shape[1]), np.empty(self.values.shape[1], dtype=np.int64)

    def _mean(self, sums: Floats, counts: Integers) -> Floats:
        """Return the mean margins of all columns: 0 for a constant column, NaN where there is no margin."""
        return self.expand(np.divide(self.unit * sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


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

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})
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


@dataclass(frozen=True)
class HitMissMargin(NeighbourCriterion):
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

    See Also
    --------
    fewest.Relief, fewest.ReliefF : The selectors with this criterion, and their references.

    Notes
    -----
    Neighbours are found over all columns. Those as far as the k-th, within 1e-12, share what is left of k equally. A
    row alone in its class has no margin, but is a miss of others. With missing values, distances run over the columns
    observed in both rows, scaled to the number of all columns; a margin needs a value of the row, of a hit and of a
    miss. Needs Rows. Every row is compared with all, O(N^2 D), without an N x N array.
    """

    n_neighbors: int = 10
    by_class: bool = True
    printed: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n_neighbors", self.n_neighbors, 1)
        check_flag("by_class", self.by_class)
        check_flag("printed", self.printed)

    def bind(self, rows: Rows) -> ColumnScores:
        prepared = self.prepare(rows)
        ones, shares = np.ones(len(prepared.shares)), prepared.shares
        miss_factors = 1 / np.where(shares < 1, 1 - shares, 1.0) if self.by_class and not self.printed else ones
        class_shares = shares if self.by_class else None
        return ColumnScores(prepared.mean_margins(self.metric, self.n_neighbors, class_shares, ones, miss_factors))


@dataclass(frozen=True)
class MapMargin(NeighbourCriterion):
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
    """

    def bind(self, rows: Rows) -> ColumnScores:
        prepared = self.prepare(rows)
        return ColumnScores(prepared.mean_margins(self.metric, 1, None, 1 - prepared.shares, prepared.shares))


class IterativeMarginObjective(ColumnScores):
    """The margins of the last round, the number of rounds and whether the weights converged."""

    def __init__(self, margins: Floats, n_rounds: int, has_converged: bool) -> None:
        super().__init__(margins)
        self.n_rounds = n_rounds
        self.has_converged = has_converged


@dataclass(frozen=True)
class IterativeMargin(NeighbourCriterion):
    """Score columns by margins against all rows, near ones counting more, under weights that the margins update.

    With f(t) = exp(-t / width) of the distance t = sum_d w_d |u_d| ("l2": the root of sum_d w_d u_d^2), each round is

    v = mean_n (1 - o_n) [mean |x_n - M| over the misses, weighted by f - mean |x_n - H| over the hits, weighted by f],
    o_n = sum of f over the misses / sum of f over all, w <- positive part of v over its length,

    from equal weights until w changes by less than 1e-6. The scores are the last v.

    Parameters
    ----------
    width : float, default=0.5
        The width of f, in units of a weighted distance.
    max_rounds : int, default=200
        The largest number of rounds.

    See Also
    --------
    fewest.IterativeRelief : The selector with this criterion, and its reference.

    Notes
    -----
    Missing values and rows alone in their class as in HitMissMargin; the weight of a missing column goes to those
    observed in both rows. Needs Rows. Every round compares every row with all: O(N^2 D).
    """

    width: float = 0.5
    max_rounds: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("width", self.width, at_least=_LEAST_WIDTH)
        check_count("max_rounds", self.max_rounds, 1)

    def bind(self, rows: Rows) -> IterativeMarginObjective:
        prepared = self.prepare(rows)
        # An order that the values decide makes distances the same to the bit for any order of the columns.
        prepared.sort_columns()
        n_columns = len(prepared.varying)
        weights = np.full(n_columns, 1 / np.sqrt(max(n_columns, 1)))
        margins = prepared.expand(np.full(n_columns, np.nan))
        n_rounds, has_converged = 0, n_columns == 0
        # As long as weights change much, few digits of them are enough; what is returned is of the last, exact round.
        may_be_rough = self.max_rounds > 1
        while not has_converged and n_rounds < self.max_rounds:
            margins, is_rough = prepared.mean_weighted_margins(self.metric, float(self.width), weights, may_be_rough)
            before, weights = weights, unit_weights(margins[prepared.varying])
            n_rounds += 1
            change = float(np.linalg.norm(weights - before))
            has_converged = change < _TOLERANCE and not is_rough
            may_be_rough &= change > _ROUGH and n_rounds + 1 < self.max_rounds
        return IterativeMarginObjective(margins, n_rounds, has_converged)


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
