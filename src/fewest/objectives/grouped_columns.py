"""Columns that are taken or left as one: the indicators of a column of text are one feature.

A `ColumnGroups` says which feature each column belongs to. `group_columns` turns an objective on columns into one on
features, on which every search runs as it does on columns. What is proved of it is proved of features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.protocols import Objective


class ColumnGroups:
    """The feature that each column belongs to.

    feature_of : (n_columns,) ascending; every feature has at least one column
    n_features : the number of features
    firsts : (n_features,) the first column of each feature
    sizes : (n_features,) the number of columns of each feature
    """

    def __init__(self, feature_of: Indices) -> None:
        self.feature_of = feature_of
        self.sizes: Indices = np.bincount(feature_of)
        self.n_features = len(self.sizes)
        self.firsts: Indices = np.cumsum(self.sizes) - self.sizes

    def columns_of(self, features: Sequence[int] | Indices) -> Indices:
        """Return the columns of these features, one feature after the other."""
        parts = [np.arange(self.firsts[f], self.firsts[f] + self.sizes[f]) for f in features]
        return np.concatenate([np.empty(0, dtype=np.intp), *parts])

    def sums(self, values: Floats, axis: int = -1) -> Floats:
        """Return the sums over the columns of each feature."""
        return np.asarray(np.add.reduceat(values, self.firsts, axis=axis))

    def highest(self, values: Floats) -> Floats:
        """Return the highest value of the columns of each feature; NaN where all are."""
        return np.asarray(np.fmax.reduceat(values, self.firsts, axis=-1))

    @property
    def degrees(self) -> Indices:
        """The degrees of freedom of each feature: one less than its indicators, and one for a column."""
        return np.maximum(self.sizes - 1, 1)

    def combine(self, scores: Floats, how: str) -> Floats:
        """Return the score of each feature from those of its columns.

        how : the highest ("max"), the "sum", the "norm", or the sum by degree of freedom ("mean")
        """
        if how == "max":
            return self.highest(scores)
        is_none = np.isnan(self.highest(scores))
        known = np.nan_to_num(scores, nan=0.0)
        of_several = np.sqrt(self.sums(np.square(known))) if how == "norm" else self.sums(known)
        of_several = of_several / self.degrees if how == "mean" else of_several
        # The score of a feature of one column keeps its bits.
        combined = np.where(self.sizes == 1, scores[..., self.firsts], of_several)
        return np.where(is_none, np.nan, combined)


@runtime_checkable
class Groupable(Protocol):
    """An objective that knows its own form on features."""

    def grouped(self, groups: ColumnGroups) -> Objective: ...


def group_columns(objective: Objective, groups: ColumnGroups) -> Objective:
    """Return the objective on features; the same where it is on features already."""
    if objective.n_columns == groups.n_features:
        return objective
    return objective.grouped(groups) if isinstance(objective, Groupable) else GroupedObjective(objective, groups)


class GroupedObjective(Objective):
    """An objective on features, from one on columns.

    - A feature on its own has the highest score of its columns.
    - A subset has the value of all its features' columns together, where columns in subsets have one.
    - Otherwise a feature in addition to others has the highest value of its columns in addition to all of theirs.
    - The columns of a feature have one weight.

    Whatever else is asked for is that of the objective on columns.
    """

    def __init__(self, objective: Objective, groups: ColumnGroups) -> None:
        #: It has whichever capabilities the search asks for, which check_fit has checked.
        self.of_columns: Any = objective
        self.groups = groups
        self.n_columns = groups.n_features

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.of_columns, name)

    def grouped(self, groups: ColumnGroups) -> Objective:
        """Return the objective on groups of these features, from the one on columns."""
        return group_columns(self.of_columns, ColumnGroups(groups.feature_of[self.groups.feature_of]))

    def score_features(self) -> Floats:
        return self.groups.highest(self.of_columns.score_features())

    def score_subset(self, subset: Sequence[int]) -> float:
        return float(self.of_columns.score_subset(self._columns(subset)))

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """Return the value of each subset of features."""
        if not hasattr(self.of_columns, "score_subsets"):
            return np.array([self.score_subset(subset) for subset in subsets])
        return np.asarray(self.of_columns.score_subsets([self._columns(subset) for subset in subsets]))

    @property
    def is_observed(self) -> Mask:
        """Which features hold a value."""
        is_observed: Mask = self.of_columns.is_observed[self.groups.firsts]
        return is_observed

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the value of each of these features in addition to those selected."""
        columns = self._columns(selected)
        is_one = self.groups.sizes[among] == 1
        if not hasattr(self.of_columns, "score_subset") or is_one.all():
            members = self.groups.columns_of(among)
            scores = self.of_columns.score_additions(columns, members)
            starts = np.cumsum(self.groups.sizes[among]) - self.groups.sizes[among]
            return np.asarray(np.fmax.reduceat(scores, starts)) if len(among) else np.empty(0)
        values = np.empty(len(among))
        if is_one.any():
            values[is_one] = self.of_columns.score_additions(columns, self.groups.firsts[among[is_one]])
        others = [self.score_subset([*selected, feature]) for feature in among[~is_one].tolist()]
        values[~is_one] = np.array(others) - self.score_subset(selected)
        return values

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each of these features, removed, raises the value of those selected."""
        is_one = self.groups.sizes[among] == 1
        values = np.empty(len(among))
        if is_one.any():
            firsts = self.groups.firsts[among[is_one]]
            values[is_one] = self.of_columns.score_removals(self._columns(selected), firsts)
        if not is_one.all():
            without = [[f for f in selected if f != feature] for feature in among[~is_one].tolist()]
            values[~is_one] = np.array([self.score_subset(subset) for subset in without]) - self.score_subset(selected)
        return values

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """Return an upper bound of each feature's value: the highest of its columns'."""
        return self.groups.highest(self.of_columns.bound_additions(self._columns(selected)))

    def start_weights(self) -> Floats:
        """Return one weight a feature, and whatever else is tuned with them."""
        weights = self.of_columns.start_weights()
        n = len(self.groups.feature_of)
        return np.concatenate([self.groups.highest(weights[:n]), weights[n:]])

    def score_weights(self, weights: Floats) -> tuple[float, Floats]:
        """Return the value where all columns of a feature have its weight, and its gradient."""
        value, gradient = self.of_columns.score_weights(self.column_weights(weights))
        n = len(self.groups.feature_of)
        return value, np.concatenate([self.groups.sums(gradient[:n]), gradient[n:]])

    def column_weights(self, weights: Floats) -> Floats:
        """Return the weight of each column, and whatever else is tuned with them."""
        p = self.groups.n_features
        return np.concatenate([weights[:p][self.groups.feature_of], weights[p:]])

    def _columns(self, features: Sequence[int]) -> list[int]:
        columns: list[int] = self.groups.columns_of(list(features)).tolist()
        return columns
