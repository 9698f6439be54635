"""How far apart the distributions of the classes lie in a feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest._core import distribution_distances
from fewest.arrays import Floats
from fewest.methods.thresholds.sorted_columns import KeptColumns, codes_by_label, whole_counts
from fewest.statistics.rows import Rows
from fewest.threads import thread_count


class DistributionDistanceObjective:
    """One distance a column."""

    is_additive = False

    def __init__(self, distances: Floats) -> None:
        self.distances = distances

    def score_features(self) -> Floats:
        """The distance of each column, from 0 to 1; NaN where nothing was observed."""
        return self.distances


@dataclass(frozen=True)
class DistributionDistance:
    """The largest difference between the distribution functions of the classes, over all thresholds.

    sup_t |F_1(t) - F_2(t)| for two classes, F_c(t) the share of the rows of class c that are at most t. For more: the
    mean over the classes c, by their share in the rows, of sup_t |F_c(t) - F_others(t)|. 0 where the column is constant
    or only one class has values, 1 where a threshold divides two classes.

    A column's distance is that of its observed rows. A row of weight 2 is the row twice; weights may be fractions.
    Counts are whole numbers, so that neither the order of rows nor threads change a bit, and columns that order the
    rows alike tie.

    Needs Rows; each column is sorted once, a few at a time. In a sparse column only what is not zero is.
    Blind to redundancy and to what features say only together. Order alone matters: no scale has an effect. It gives no
    p-values: the asymptotic ones are up to twice too large in the tail for some hundred rows, and ties make them larger
    still.
    The statistic of Kolmogorov and Smirnov, a baseline of the kernel class separability paper.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> DistributionDistanceObjective:
        codes, counts = codes_by_label(rows), whole_counts(rows.weights)
        distances = np.full(rows.n_features, np.nan)
        for columns, ordered in KeptColumns(rows).sorted():
            distribution_distances(ordered, codes, counts, len(rows.classes), distances[columns], thread_count())
        return DistributionDistanceObjective(distances)
