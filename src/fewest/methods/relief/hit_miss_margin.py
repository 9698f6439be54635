"""How much farther rows are from their nearest rows of other classes than from those of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.methods.relief.mean_margins import MarginObjective
from fewest.methods.relief.neighbour_rows import ComparesRows
from fewest.parameters import check_count, check_flag
from fewest.statistics.rows import Rows


@dataclass(frozen=True)
class HitMissMargin(ComparesRows):
    """How much farther, in each column, rows are from their nearest rows of other classes than from those of their own.

    by_class=False : m_n = mean |x_n - M| - mean |x_n - H|, H the k nearest hits (other rows of the class), M the k
        nearest misses (rows of any other class). Relief, with n_neighbors=1.
    by_class=True : m_n = sum over classes c other than y of p_c/(1-p_y) mean over the k nearest of class c
        - mean over the k nearest hits. ReliefF; printed=True leaves out 1/(1-p_y), as the Bayes error paper prints it.

    The score is the mean of m_n. Neighbours are found by all columns. Those as far as the k-th, within 1e-12, share
    what is left of k equally, so that no order of the rows matters. Of a class with no more than k rows all count.
    A row alone in its class has no margin, but is a miss of others. Distances between rows with gaps run over the
    columns that both have, times all columns over those; a margin needs a value of the row, of a hit and of a miss.

    Needs Rows. Every row is compared with all: N^2 D, in little memory. Blind to redundancy.
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
        ready = self.ready(rows)
        ones = np.ones(len(ready.shares))
        if not self.by_class:
            return MarginObjective(ready.mean_margins(self.metric, self.n_neighbors, None, ones, ones))
        grown = ones if self.printed else 1 / np.where(ready.shares < 1, 1 - ready.shares, 1.0)
        return MarginObjective(ready.mean_margins(self.metric, self.n_neighbors, ready.shares, ones, grown))
