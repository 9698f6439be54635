"""Mean decrease in impurity of each column in a random forest, whatever the order of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.methods.wrappers.cross_validated_error import repeated_rows
from fewest.objectives import ColumnScores
from fewest.parameters import check_count
from fewest.statistics.rows import Rows


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
    Needs Rows; the trees split missing values on their own. Copies of a column share a gain.
    """

    n_trees: int = 100
    random_state: int = 0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def __post_init__(self) -> None:
        check_count("n_trees", self.n_trees, 1)
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
        # One zero, so that equal values are equal to the bit; trees use float32.
        columns = np.ascontiguousarray(rows.values[order][:, varying].T.astype(np.float32)) + np.float32(0.0)
        copies: dict[bytes, list[int]] = {}
        for index, column in enumerate(columns):
            copies.setdefault(column.tobytes(), []).append(index)
        groups = [copies[content] for content in sorted(copies)]
        forest = RandomForestClassifier(self.n_trees, random_state=self.random_state)
        forest.fit(columns[[group[0] for group in groups]].T, labels, weights)
        for group, gain in zip(groups, forest.feature_importances_, strict=True):
            gains[varying[group]] = gain / len(group)
        return ColumnScores(gains, combines="mean")
