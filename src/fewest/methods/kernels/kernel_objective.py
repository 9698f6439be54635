"""Objectives on subsets of columns that are computed from sums of a kernel over pairs of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.methods.kernels.gaussian_sums import ClassPairSum, RowPairSum, SubsetGaussianSums, column_sums
from fewest.methods.kernels.kernel_rows import KernelRows
from fewest.methods.kernels.width_search import LAST_STEP, best_widths, eta_at
from fewest.objectives import SubsetObjective, column_indices
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import origin_and_unit
from fewest.statistics.stratified_rows import StratifiedRows

#: Numbers that are transposed at a time.
_NUMBERS_AT_ONCE = 1 << 21


class KernelMeasure(Protocol):
    """A value computed from sums of a kernel over pairs of rows."""

    def pair_sums(self, class_weight: Floats) -> Sequence[ClassPairSum]:
        """Return what is summed where the classes have these total weights: (..., n_classes)."""
        ...

    def value(self, sums: Sequence[Floats]) -> Floats:
        """Return the value from the sums, element by element."""
        ...


class KernelObjective(SubsetObjective):
    """The value of any subset by a measure, with the width of the kernel at which it is highest."""

    measure: KernelMeasure

    def __init__(self, rows: Rows | StratifiedRows) -> None:
        self.n_columns = rows.n_features
        self.is_observed: Mask = rows.is_observed

    def score_features(self) -> Floats:
        """Return the value of each column alone; 0 for a constant column, NaN for one without a value."""
        return self._columns_alone[0]

    def widths(self) -> Floats:
        """Return eta at which each column alone has its value; 0 where the kernel has no width to choose."""
        return self._columns_alone[1]

    def score_subset(self, subset: Sequence[int]) -> float:
        """Return the value of a subset; 0 for one in which no column varies."""
        return self._best_of_subset(subset)[0]

    def width_of(self, subset: Sequence[int]) -> float:
        """Return eta at which the subset has its value, for the scaled columns; 0 where no column varies."""
        return self._best_of_subset(subset)[1]

    @cached_property
    @abstractmethod
    def _columns_alone(self) -> tuple[Floats, Floats]:
        """The value of each column alone, and eta there."""

    @abstractmethod
    def _best_of_subset(self, subset: Sequence[int]) -> tuple[float, float]:
        """Return the value of a subset, and eta there."""


class GaussianObjective(KernelObjective):
    """The value of any subset at the best eta of exp(-eta |x - z|^2).

    eta is searched from 2^-10 to 2^10 over the mean squared distance between two rows, in steps of the root of two, and
    then between the steps. Single columns are summed on grids, in time linear in the rows; subsets over all pairs of
    rows, none of which are kept. Missing values: a single column uses the rows that have it, subsets reject them.
    """

    def __init__(self, rows: Rows | StratifiedRows, scale: str | None) -> None:
        super().__init__(rows)
        self._statistic = rows
        self._scale = scale

    @property
    def n_rows(self) -> int:
        """The number of rows used, or drawn."""
        return len(self._statistic.codes)

    @cached_property
    def rows(self) -> KernelRows:
        return KernelRows(self._statistic, self._scale)

    @cached_property
    def pair_sums(self) -> list[RowPairSum]:
        """What is summed over all pairs of rows."""
        return [self.rows.pair_sum(one) for one in self.measure.pair_sums(self.rows.class_weight)]

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, added, raises the value; NaN for a constant column, which comes last."""
        chosen = column_indices(selected, self.n_columns)
        distances = self.rows.mean_distances
        values = self._best(chosen, among, 1.0, distances[chosen].sum() + distances[among])[0]
        return np.where(distances[among] > 0, values - self.score_subset(selected), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, removed, raises the value; NaN for a constant column, which goes first."""
        chosen = column_indices(selected, self.n_columns)
        distances = self.rows.mean_distances[chosen]
        without = np.array([distances[chosen != column].sum() for column in among])
        values = self._best(chosen, among, -1.0, without)[0]
        return np.where(self.rows.mean_distances[among] > 0, values - self.score_subset(selected), np.nan)

    def _best_of_subset(self, subset: Sequence[int]) -> tuple[float, float]:
        columns = column_indices(subset, self.n_columns)
        if len(columns) == 0:
            return 0.0, 0.0
        # The last column in addition to the others.
        distance = self.rows.mean_distances[columns].sum(keepdims=True)
        value, eta = self._best(columns[:-1], columns[-1:], 1.0, distance)
        return float(value[0]), float(eta[0])

    def _best(self, selected: Indices, among: Indices, sign: float, mean_distance: Floats) -> tuple[Floats, Floats]:
        """Return the value of each subset at its best eta, and eta there."""
        values, etas = np.zeros(len(among)), np.zeros(len(among))
        varying = np.flatnonzero(mean_distance > 0)
        distance = mean_distance[varying]
        rows, measure = self.rows, self.measure
        sums = SubsetGaussianSums(
            rows.columns, rows.codes, rows.weights, self.pair_sums, selected, among[varying], sign
        )
        grid = measure.value(sums.on_grid(eta_at(np.zeros(len(varying)), distance), LAST_STEP + 1))
        values[varying], etas[varying] = best_widths(
            grid, distance, lambda eta, which: measure.value(sums.at(eta, which))
        )
        return values, etas

    @cached_property
    def _columns_alone(self) -> tuple[Floats, Floats]:
        rows = self._statistic
        if isinstance(rows, StratifiedRows):
            among = np.arange(self.n_columns)
            values, etas = self._best(among[:0], among, 1.0, self.rows.mean_distances)
            return np.where(self.is_observed, values, np.nan), etas
        unit = origin_and_unit(rows.moments, self._scale)[1]
        values = np.where(self.is_observed, 0.0, np.nan)
        etas = np.zeros(self.n_columns)
        step = max(1, _NUMBERS_AT_ONCE // max(len(rows.codes), 1))
        for first in range(0, self.n_columns, step):
            varying = first + np.flatnonzero(unit[first : first + step] > 0)
            if len(varying):
                values[varying], eta = self._best_of_columns(rows, varying)
                etas[varying] = eta * np.square(unit[varying])
        return values, etas

    def _best_of_columns(self, rows: Rows, columns: Indices) -> tuple[Floats, Floats]:
        """Return the value of each of these columns alone, and eta there for the unscaled column."""
        table = np.ascontiguousarray(rows.values[:, columns].T)
        weights = None if (rows.weights == 1.0).all() else np.ascontiguousarray(rows.weights)
        moments = rows.moments.only(columns)
        class_weight = np.ascontiguousarray(moments.weight.T)
        between, within, total = moments.between_and_within()
        mean_distance = 2.0 * (between + within) * total / np.maximum(total - 1.0, 1.0)

        def evaluate(eta: Floats, which: Indices) -> Floats:
            sums = self.measure.pair_sums(class_weight[which])
            some = table if len(which) == len(table) else table[which]
            lowest, n_classes = moments.lowest[which], class_weight.shape[1]
            of_power = {
                power: column_sums(some, rows.codes, weights, lowest, power * eta, n_classes)
                for power in {one.power for one in sums}
            }
            return self.measure.value([one.value(*of_power[one.power]) for one in sums])

        every = np.arange(len(columns))
        steps = np.arange(LAST_STEP + 1.0)
        grid = [evaluate(eta_at(np.full(len(columns), step), mean_distance), every) for step in steps]
        return best_widths(np.column_stack(grid), mean_distance, evaluate)
