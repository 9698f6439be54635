"""The margin of Relief with each side weighed by the class shares."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.methods.relief.mean_margins import MarginObjective
from fewest.methods.relief.neighbour_rows import ComparesRows
from fewest.statistics.rows import Rows


@dataclass(frozen=True)
class MapMargin(ComparesRows):
    """The margin of Relief with each side weighed by the class shares: p_y |x_n - M| - (1 - p_y) |x_n - H|.

    H is the nearest other row of the class, M the nearest of any other class; ties and gaps as in HitMissMargin.
    MAP-Relief of the Bayes error paper, faithful to it. It counts the prior twice: the nearest row is of some class
    with the prior's chance already. With rare classes it comes near -|x_n - H|, which says how densely a column lies,
    whatever the labels.

    Needs Rows. Every row is compared with all: N^2 D, in little memory.
    """

    def bind(self, rows: Rows) -> MarginObjective:
        ready = self.ready(rows)
        return MarginObjective(ready.mean_margins(self.metric, 1, None, 1 - ready.shares, ready.shares))
