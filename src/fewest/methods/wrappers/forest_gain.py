"""What a forest of decision trees gains by each feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Mask
from fewest.methods.wrappers.cross_validated_error import repetitions_of
from fewest.parameters import check_count
from fewest.statistics.content_order import content_order
from fewest.statistics.rows import Rows


class ForestGainObjective:
    """One gain a column."""

    is_additive = False

    def __init__(self, gains: Floats) -> None:
        self._gains = gains

    def score_features(self) -> Floats:
        """The gain of each column; NaN where nothing was observed."""
        return self._gains


@dataclass(frozen=True)
class ForestGain:
    """What a forest of decision trees gains by each feature: the mean decrease in impurity, all of them adding up to 1.

    Rows and columns are given to scikit-learn's forest in an order that their contents decide, so that no other order
    matters; copies of a column are one, and share its gain evenly.

    n_trees : how many
    random_state : which rows each tree sees, and which columns at each branch

    Needs Rows; gaps are a branch of their own. Columns of many values gain more than they are worth.
    """

    n_trees: int = 100
    random_state: int = 0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})

    def __post_init__(self) -> None:
        check_count("n_trees", self.n_trees, 1)
        check_count("random_state", self.random_state, 0)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> ForestGainObjective:
        # Imported here: to read the parameters nobody should have to wait for scikit-learn.
        from sklearn.ensemble import RandomForestClassifier

        counts, weights = repetitions_of(rows.weights)
        order, ranks = content_order(rows, counts, weights, self.random_state)
        # A row that counts twice is there twice, and may be drawn twice.
        order = np.repeat(order, counts[order])
        gains = np.where(rows.is_observed, 0.0, np.nan)
        varying = np.flatnonzero((rows.moments.highest > rows.moments.lowest) | _has_gaps(rows))
        if len(varying) == 0:
            return ForestGainObjective(gains)
        # One zero, so that what is equal is equal to the bit; trees see float32.
        columns = np.ascontiguousarray(rows.values[order][:, varying].T.astype(np.float32)) + np.float32(0.0)
        kinds: dict[bytes, list[int]] = {}
        for place, column in enumerate(columns):
            kinds.setdefault(column.tobytes(), []).append(place)
        keys = sorted(kinds)
        table = columns[[kinds[key][0] for key in keys]].T
        forest = RandomForestClassifier(self.n_trees, random_state=self.random_state)
        forest.fit(table, ranks[rows.codes[order]], weights[order])
        for key, gain in zip(keys, forest.feature_importances_, strict=True):
            gains[varying[kinds[key]]] = gain / len(kinds[key])
        return ForestGainObjective(gains)


def _has_gaps(rows: Rows) -> Mask:
    """Which columns have both a value and a gap."""
    return (rows.moments.missing > 0) & rows.is_observed
