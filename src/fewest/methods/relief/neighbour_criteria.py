"""The criteria of Relief, ReliefF, MAP-Relief and Iterative Relief: mean margins between rows and their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.relief.mean_margins import MarginObjective, unit_weights
from fewest.methods.relief.neighbours import NeighbourRows
from fewest.parameters import check_choice, check_count, check_flag, check_positive
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.class_moments import check_scale
from fewest.statistics.rows import Rows

METRICS = ("l1", "l2")
#: Iterative Relief has converged when the weight vector changes by less than this.
_TOLERANCE = 1e-6


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

    def bind(self, rows: Rows) -> MarginObjective:
        prepared = self.prepare(rows)
        ones, shares = np.ones(len(prepared.shares)), prepared.shares
        miss_factors = 1 / np.where(shares < 1, 1 - shares, 1.0) if self.by_class and not self.printed else ones
        class_shares = shares if self.by_class else None
        return MarginObjective(prepared.mean_margins(self.metric, self.n_neighbors, class_shares, ones, miss_factors))


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

    def bind(self, rows: Rows) -> MarginObjective:
        prepared = self.prepare(rows)
        return MarginObjective(prepared.mean_margins(self.metric, 1, None, 1 - prepared.shares, prepared.shares))


class IterativeMarginObjective(MarginObjective):
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
        check_positive("width", self.width)
        check_count("max_rounds", self.max_rounds, 1)

    def bind(self, rows: Rows) -> IterativeMarginObjective:
        prepared = self.prepare(rows)
        # An order that the values decide makes distances the same to the bit for any order of the columns.
        prepared.sort_columns()
        n_columns = len(prepared.varying)
        weights = np.full(n_columns, 1 / np.sqrt(max(n_columns, 1)))
        margins = prepared.expand(np.full(n_columns, np.nan))
        n_rounds, has_converged = 0, n_columns == 0
        while not has_converged and n_rounds < self.max_rounds:
            margins = prepared.mean_weighted_margins(self.metric, float(self.width), weights)
            before, weights = weights, unit_weights(margins[prepared.varying])
            n_rounds += 1
            has_converged = bool(np.linalg.norm(weights - before) < _TOLERANCE)
        return IterativeMarginObjective(margins, n_rounds, has_converged)
