"""The Kolmogorov-Smirnov statistic of each column, between each class and the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest._core import distribution_distances
from fewest.methods.thresholds.sorted_columns import StoredColumns, codes_by_label, integer_weights
from fewest.objectives import ColumnScores
from fewest.statistics.rows import Rows
from fewest.threads import thread_count


@dataclass(frozen=True)
class DistributionDistance:
    """Score columns by the largest difference between the classes' distribution functions, over all thresholds.

    sup_t |F_1(t) - F_2(t)| for two classes, F_c(t) the share of the rows of class c with a value of at most t. For
    more: the mean over the classes c, weighted by their share of the rows, of sup_t |F_c(t) - F_others(t)|. It is 0
    for a constant column or where a single class has values, 1 where a threshold separates two classes.

    See Also
    --------
    fewest.KolmogorovSmirnov : The selector with this criterion.

    Notes
    -----
    A column's score uses its observed rows. A row of weight 2 equals the row twice; weights may be fractions. Counts
    are integers, so row order and threads do not change a bit, and columns that order the rows alike tie.

    Needs Rows; each column is sorted once; of a sparse column only the non-zero values. There are no p-values: for
    some hundred rows the asymptotic ones are up to twice too large in the tail, and more with ties.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> ColumnScores:
        """Return the distance of each column, from 0 to 1; NaN for a column without a value."""
        codes, counts = codes_by_label(rows), integer_weights(rows.weights)
        distances = np.full(rows.n_features, np.nan)
        for columns, ordered in StoredColumns(rows).sorted_chunks():
            distribution_distances(ordered, codes, counts, len(rows.classes), distances[columns], thread_count())
        return ColumnScores(distances)
