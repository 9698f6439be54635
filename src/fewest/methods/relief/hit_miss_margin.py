"""Relief, ReliefF and MAP-Relief: mean margins from the nearest hits and misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.methods.relief.mean_margins import MarginObjective
from fewest.methods.relief.neighbours import NeighbourRows
from fewest.parameters import check_choice, check_count, check_flag
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale

METRICS = ("l1", "l2")


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
    fewest.Relief, fewest.ReliefF : The selectors with this criterion.
    MapMargin : Hits and misses weighted by the class shares.

    Notes
    -----
    Neighbours are found over all columns. Those as far as the k-th, within 1e-12, share what is left of k equally, so
    that row order does not matter. A row alone in its class has no margin, but is a miss of others. With missing
    values, distances run over the columns observed in both rows, scaled to the number of all columns; a margin needs a
    value of the row, of a hit and of a miss.

    Needs Rows. Every row is compared with all, O(N^2 D), without an N x N array. Cannot see redundancy.
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
    HitMissMargin : Relief and ReliefF, which weight both sides equally.

    Notes
    -----
    It counts the prior twice: the class of the nearest row already follows the prior. With rare classes it approaches
    -|x_n - H|, the density of a column whatever the labels. Every row is compared with all, O(N^2 D).
    """

    def bind(self, rows: Rows) -> MarginObjective:
        prepared = self.prepare(rows)
        return MarginObjective(prepared.mean_margins(self.metric, 1, None, 1 - prepared.shares, prepared.shares))
