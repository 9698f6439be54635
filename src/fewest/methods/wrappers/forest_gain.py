"""Mean decrease in impurity of each column in a random forest, whatever the order of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats
from fewest.methods.wrappers.cross_validated_error import repeated_rows
from fewest.objectives import ColumnScores
from fewest.parameters import check_count, legacy_seed
from fewest.statistics.rows import Rows

#: More trees than anybody waits for.
_MOST_TREES = 100_000
#: Trees use float32, and to scikit-learn values that differ by less than 1e-7 are equal. A column of a range between
#: these, no farther from zero than this number of ranges, keeps enough digits.
_NARROWEST, _WIDEST, _FARTHEST = 1e-3, 1e30, 1024.0


@dataclass(frozen=True)
class ForestGain:
    """Score columns by the mean decrease in impurity in a random forest; the scores add up to 1.

    Parameters
    ----------
    n_trees : int, default=100
        The number of trees.
    random_state : int, default=0
        The seed of the rows of each tree and the columns tried at each split.

    See Also
    --------
    fewest.ForestImportance : The selector with this criterion, and its reference.

    Notes
    -----
    Needs Rows; the trees split missing values on their own. Copies of a column share a gain. The trees use float32: a
    column that would lose digits by that, far from zero or of an extreme range, is given to them as ranks.
    """

    n_trees: int = 100
    random_state: int = 0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def __post_init__(self) -> None:
        check_count("n_trees", self.n_trees, 1, at_most=_MOST_TREES)
        check_count("random_state", self.random_state, 0)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> ColumnScores:
        # Imported late, so that reading the parameters does not wait for scikit-learn.
        from sklearn.ensemble import RandomForestClassifier

        order, labels, weights = repeated_rows(rows, self.random_state)
        gains, moments = np.where(rows.is_observed, 0.0, np.nan), rows.moments
        varying = np.flatnonzero((moments.highest > moments.lowest) | (moments.missing > 0) & rows.is_observed)
        if len(varying) == 0:
            return ColumnScores(gains, combines="mean")
        # One zero, so that equal values are equal to the bit.
        columns = _as_float32(rows.values[order][:, varying]) + np.float32(0.0)
        copies: dict[bytes, list[int]] = {}
        for index, column in enumerate(columns):
            copies.setdefault(column.tobytes(), []).append(index)
        groups = [copies[content] for content in sorted(copies)]
        forest = RandomForestClassifier(self.n_trees, random_state=legacy_seed(self.random_state))
        forest.fit(columns[[group[0] for group in groups]].T, labels, weights)
        for group, gain in zip(groups, forest.feature_importances_, strict=True):
            gains[varying[group]] = gain / len(group)
        return ColumnScores(gains, combines="mean")


def _as_float32(values: Floats) -> NDArray[np.float32]:
    """The columns, a line each, in float32; those that would lose digits as ranks, which split in the same way."""
    lowest, highest = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    with np.errstate(over="ignore"):
        span = highest - lowest
        columns = np.ascontiguousarray(values.T.astype(np.float32))
    farthest = np.maximum(np.abs(lowest), np.abs(highest))
    for column in np.flatnonzero(~((span >= _NARROWEST) & (farthest <= _WIDEST) & (farthest <= _FARTHEST * span))):
        is_there = ~np.isnan(values[:, column])
        columns[column, is_there] = np.unique(values[is_there, column], return_inverse=True)[1]
    return columns
