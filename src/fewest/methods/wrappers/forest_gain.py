"""Mean decrease in impurity of each column in a random forest, whatever the order of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats, Indices
from fewest.methods.wrappers.cross_validated_error import repeated_rows
from fewest.objectives import ColumnScores
from fewest.parameters import check_count, legacy_seed
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: More trees than anybody waits for.
_MOST_TREES = 100_000
#: Trees use float32, and to scikit-learn values that differ by less than 1e-7 are equal. A column of a range between
#: these, no farther from zero than this number of ranges, keeps enough digits.
_NARROWEST, _WIDEST, _FARTHEST = 1e-3, 1e30, 1024.0
#: Trees that are grown before their gains are taken have at most this number of rows in all, but for one batch.
_ROWS_OF_TREES = 1_000_000
#: Columns that are copied in float64 at once, and values at the start of columns that are compared first.
_COLUMNS_AT_ONCE, _COMPARED_FIRST = 16, 64


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

    Examples
    --------
    >>> from fewest import FeatureSelector, ForestGain, IndividualRanking, scan
    >>> FeatureSelector(ForestGain(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'color_intensity', 'od280/od315_of_diluted_wines')
    """

    n_trees: int = 100
    random_state: int = 0

    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})
    scores_jointly: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("n_trees", self.n_trees, 1, at_most=_MOST_TREES)
        check_count("random_state", self.random_state, 0)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> ColumnScores:
        order, labels, weights = repeated_rows(rows, self.random_state)
        gains, moments = np.where(rows.is_observed, 0.0, np.nan), rows.moments
        varying = np.flatnonzero((moments.highest > moments.lowest) | (moments.missing > 0) & rows.is_observed)
        if len(varying) == 0:
            return ColumnScores(gains, combines="mean")
        columns = _as_float32(rows.values, order, varying)
        groups = _equal_columns(columns)
        if [group[0] for group in groups] != list(range(len(columns))):
            columns = columns[[group[0] for group in groups]]
        found = _mean_importances(columns.T, labels, weights, self.n_trees, legacy_seed(self.random_state))
        for group, gain in zip(groups, found, strict=True):
            gains[varying[group]] = gain / len(group)
        return ColumnScores(gains, combines="mean")


def _mean_importances(values: NDArray[np.float32], labels: Indices, weights: Floats, n_trees: int, seed: int) -> Floats:
    """Return the feature_importances_ of scikit-learn's forest, grown on all cores, few trees in memory at once."""
    # Imported late, so that reading the parameters does not wait for scikit-learn.
    from sklearn.ensemble import RandomForestClassifier

    # Each tree has a seed of its own: how many grow at once, and on how many threads, changes nothing.
    n_threads = thread_count()
    n_at_once = max(2 * n_threads, _ROWS_OF_TREES // len(values))
    forest = RandomForestClassifier(random_state=seed, n_jobs=n_threads, warm_start=True)
    importances: list[Floats] = []
    for n_before in range(0, n_trees, n_at_once):
        n_grown = min(n_before + n_at_once, n_trees)
        forest.set_params(n_estimators=n_grown).fit(values, labels, weights)
        new = forest.estimators_[n_before:]
        importances += [tree.feature_importances_ for tree in new if tree.tree_.node_count > 1]
        # To go on the forest needs the number of its trees alone.
        forest.estimators_ = [None] * n_grown
    if not importances:
        return np.zeros(values.shape[1])
    mean: Floats = np.mean(importances, axis=0, dtype=np.float64)
    return np.asarray(mean / np.sum(mean))


def _as_float32(values: Floats, order: Indices, varying: Indices) -> NDArray[np.float32]:
    """These columns, a line each, in float32; those that would lose digits as ranks, which split in the same way."""
    columns = np.empty((len(varying), len(order)), dtype=np.float32)
    for first in range(0, len(varying), _COLUMNS_AT_ONCE):
        group = slice(first, first + _COLUMNS_AT_ONCE)
        exact = np.ascontiguousarray(values[:, varying[group]][order].T)
        lowest, highest = np.fmin.reduce(exact, axis=1), np.fmax.reduce(exact, axis=1)
        with np.errstate(over="ignore"):
            span = highest - lowest
            columns[group] = exact
        farthest = np.maximum(np.abs(lowest), np.abs(highest))
        for i in np.flatnonzero(~((span >= _NARROWEST) & (farthest <= _WIDEST) & (farthest <= _FARTHEST * span))):
            is_there = ~np.isnan(exact[i])
            columns[first + i, is_there] = np.unique(exact[i, is_there], return_inverse=True)[1]
    # One zero, so that equal values are equal to the bit.
    columns += np.float32(0.0)
    return columns


def _equal_columns(columns: NDArray[np.float32]) -> list[list[int]]:
    """Return the columns in the order of their bytes, those with equal ones together."""
    # The first values differ but for columns with few distinct ones: no second copy of all.
    by_start: dict[bytes, list[int]] = {}
    for index, column in enumerate(columns):
        by_start.setdefault(column[:_COMPARED_FIRST].tobytes(), []).append(index)
    groups: list[list[int]] = []
    for start in sorted(by_start):
        by_content: dict[bytes, list[int]] = {}
        for index in by_start[start]:
            content = columns[index].tobytes() if len(by_start[start]) > 1 else b""
            by_content.setdefault(content, []).append(index)
        groups += [by_content[content] for content in sorted(by_content)]
    return groups
