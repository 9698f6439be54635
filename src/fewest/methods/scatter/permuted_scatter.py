"""The scatter between the classes of all columns, under many permutations of the labels at a time."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.statistics.rows import Rows

#: Values of a table that is copied, in units of its columns' deviations.
_MOST_VALUES = 1 << 27


class PermutedScatter:
    """The share of the variance that the classes explain, by feature: between / total.

    With centred columns x and labels c it is sum_c (sum of x over class c)^2 / n_c / sum x^2, where only the sums
    depend on the labels: a product of the indicators of classes with the table. A column of text is its indicators.

    columns : (n_columns, n_rows) centred, of unit scatter; 0 where a value is missing
    is_known : (n_columns, n_rows) which values are not missing; None where none is
    groups : which columns are one feature; None where each is
    """

    def __init__(self, rows: Rows) -> None:
        feature_of = rows.moments.feature_of
        self.groups = None if feature_of is None else ColumnGroups(feature_of)
        self.columns: Floats = np.array(rows.values.T, order="C")
        is_missing = np.isnan(self.columns)
        self.is_known: Mask | None = ~is_missing if is_missing.any() else None
        self.columns[is_missing] = 0.0
        n_known = np.maximum((~is_missing).sum(axis=1), 1)
        # Twice, so that columns far from zero keep their digits.
        for _ in range(2):
            self.columns -= (self.columns.sum(axis=1) / n_known)[:, None]
            self.columns[is_missing] = 0.0
        totals = np.square(self.columns).sum(axis=1)
        totals[rows.moments.lowest == rows.moments.highest] = 0.0
        if self.groups is not None:
            totals = self.groups.sums(totals)[self.groups.feature_of]
        self.columns /= np.sqrt(np.where(totals > 0, totals, np.inf))[:, None]
        self._n_classes = len(rows.classes)

    def __call__(self, codes: Codes, features: Indices) -> Floats:
        """Return the share of the variance that the labels explain: (n_permutations, n_features)."""
        among = features if self.groups is None else self.groups.columns_of(features)
        columns = self.columns if len(among) == len(self.columns) else self.columns[among]
        known = None if self.is_known is None else self.is_known[among]
        # Whole columns take part in every product: a number of rows is then one of all columns.
        is_partial = None if known is None else np.flatnonzero(~known.all(axis=1))
        partial = None if known is None or is_partial is None else known[is_partial].astype(np.float64)
        explained = np.zeros((len(among), len(codes)))
        rest = np.zeros_like(explained)
        rest_known = None if partial is None else np.repeat(partial.sum(axis=1)[:, None], len(codes), axis=1)
        for c in range(self._n_classes):
            is_last = c == self._n_classes - 1
            indicators = (codes == c).astype(np.float64).T
            counts = indicators.sum(axis=0)
            # The sums of all classes are 0: that of the last is what the others leave.
            sums = -rest if is_last else columns @ indicators
            weights = np.broadcast_to(np.where(counts > 0, 1 / np.maximum(counts, 1), 0.0), explained.shape)
            if partial is not None and rest_known is not None:
                of_partial = rest_known if is_last else partial @ indicators
                weights = weights.copy()
                weights[is_partial] = np.where(of_partial > 0.5, 1 / np.maximum(of_partial, 1), 0.0)
                rest_known -= of_partial if not is_last else 0.0
            if not is_last:
                rest += sums
            explained += np.square(sums) * weights
        return (explained if self.groups is None else self._by_feature(explained, features)).T

    def _by_feature(self, explained: Floats, features: Indices) -> Floats:
        assert self.groups is not None
        sizes = self.groups.sizes[features]
        return np.asarray(np.add.reduceat(explained, np.cumsum(sizes) - sizes, axis=0))


class ScoresByScatter:
    """Base of criteria whose scores of a column grow with the scatter between the classes, the rest being the same."""

    def permutation_rows(self) -> Rows:
        """Return an empty statistic of the rows whose labels are permuted."""
        return Rows()

    def permutation_scorer(self, rows: Rows) -> PermutedScatter | None:
        """Return what scores columns under permuted labels; None where there are too many values."""
        return PermutedScatter(rows) if rows.n_rows * rows.n_features <= _MOST_VALUES else None
