"""Distances between the distributions of the classes: under other labels, and their p-values (Kolmogorov-Smirnov)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from fewest._core import SortedColumns, distribution_distances, kolmogorov_tails
from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.methods.thresholds.sorted_columns import StoredColumns, integer_weights
from fewest.objectives import ColumnScores, CombinesScores
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: Up to this product of the sizes of two samples p-values are exact.
_MOST_EXACT = 1_000_000


class PermutedDistances:
    """The distance between the distributions of the classes in each column, whatever the labels.

    is_kept : keep the sorted columns, so that labels can be given more than once
    """

    def __init__(self, rows: Rows, *, is_kept: bool = False) -> None:
        sorted_chunks = StoredColumns(rows).sorted_chunks()
        self._sorted: Iterable[tuple[slice, SortedColumns]] = list(sorted_chunks) if is_kept else sorted_chunks
        self._n_columns, self._n_classes = rows.n_features, len(rows.classes)
        self._counts = integer_weights(rows.weights)
        self._feature_of = rows.moments.feature_of

    def of_labels(self, codes: Codes, counts: Integers) -> Floats:
        """Return the distance of each column under these labels; NaN where it has no value."""
        distances = np.full(self._n_columns, np.nan)
        for columns, ordered in self._sorted:
            distribution_distances(ordered, codes, counts, self._n_classes, distances[columns], thread_count())
        return distances

    def __call__(self, codes: Codes, features: Indices) -> Floats:
        """Return the distance of each feature: (n_permutations, n_features)."""
        distances = np.array([self.of_labels(labels, self._counts) for labels in codes])
        if self._feature_of is not None:
            distances = ColumnGroups(self._feature_of).highest(distances)
        return np.asarray(distances[:, features])


class KolmogorovScores(ColumnScores):
    """Distances between two classes in columns of numbers, with their p-values.

    sizes : (2, n_columns) the rows of both classes with a value
    test : the name of the test that p_values() makes
    """

    test: ClassVar[str] = "Kolmogorov-Smirnov test"

    def __init__(self, distances: Floats, sizes: Integers) -> None:
        super().__init__(distances)
        self._sizes = sizes

    @classmethod
    def of(cls, distances: Floats, rows: Rows) -> ColumnScores:
        """Return distances that have p-values where there are two classes, and weights are numbers of rows."""
        present = np.flatnonzero(rows.moments.class_counts > 0)
        if len(present) != 2 or not np.array_equal(rows.weights, np.rint(rows.weights)):
            return ColumnScores(distances)
        return cls(distances, np.rint(rows.moments.weight[present]).astype(np.int64))

    def grouped(self, groups: CombinesScores) -> ColumnScores:  # type: ignore[override]
        """Return one score a feature; the largest of several distances has no such p-value."""
        return ColumnScores(self.scores, self.combines).grouped(groups)

    def p_values(self) -> Floats:
        """Return the probability of such a distance between two samples of one distribution.

        Exact where columns have no ties and the product of the sizes is at most a million, otherwise asymptotic; with
        ties it is too large.
        """
        first, second = self._sizes
        farthest = np.rint(np.nan_to_num(self.scores) * first * second).astype(np.int64)
        cases, which = np.unique(np.stack([first, second, farthest]), axis=1, return_inverse=True)
        first, second, farthest = (np.ascontiguousarray(line) for line in cases)
        tails = np.ones(cases.shape[1])
        is_exact = first * second <= _MOST_EXACT
        found = np.empty(int(np.count_nonzero(is_exact)))
        kolmogorov_tails(first[is_exact], second[is_exact], farthest[is_exact], found, thread_count())
        tails[is_exact] = found
        if not is_exact.all():
            from scipy.stats import kstwo  # slow to import

            m, n = first[~is_exact].astype(np.float64), second[~is_exact].astype(np.float64)
            tails[~is_exact] = kstwo.sf(farthest[~is_exact] / (m * n), np.rint(m * n / (m + n)))
        return np.asarray(np.clip(tails[np.ravel(which)], 0.0, 1.0))
