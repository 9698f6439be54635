"""What sets of features are worth by a Gaussian kernel on them, each at the width that suits it best."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fewest._core import kernel_sums, subset_kernel_ladder, subset_kernel_sums
from fewest.arrays import Floats, Indices, Mask
from fewest.methods.kernels.class_form import ClassForm
from fewest.methods.kernels.kernel_rows import KernelRows
from fewest.methods.kernels.width_search import LAST_PLACE, best_places, width_at
from fewest.objectives import SubsetObjective, column_indices
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import origin_and_unit
from fewest.statistics.stratified_rows import StratifiedRows
from fewest.threads import thread_count

#: Numbers that are put in the order of columns at a time.
_AT_ONCE = 1 << 21
#: More rungs than the ladder has, for the squares of kernels; an even number.
_N_RUNGS = LAST_PLACE + 4


class KernelSubsets(SubsetObjective):
    """The worth of any set of columns, at the best of all widths of exp(-eta |x - z|^2).

    A subclass says what it adds up over the pairs of rows (forms) and what that is worth (worth).

    eta runs from 2^-10 to 2^10 over the mean squared distance between two rows, in steps of the root of two, and then
    between the steps. Columns one by one are summed on grids, in time that grows with the rows; sets over all pairs of
    rows, of which nothing is kept. Gaps: a column by itself goes by the rows that have it, sets refuse them.
    """

    is_additive = False

    def __init__(self, rows: Rows | StratifiedRows, scale: str | None) -> None:
        self._given = rows
        self.scale = scale
        self.n_columns = rows.n_features
        self.is_observed: Mask = rows.is_observed

    @property
    def n_rows(self) -> int:
        """How many rows are gone by."""
        return len(self._given.codes)

    @abstractmethod
    def forms(self, class_weight: Floats) -> Sequence[ClassForm]:
        """What is added up, where the classes weigh so much: (..., n_classes)."""

    @abstractmethod
    def worth(self, sums: Sequence[Floats]) -> Floats:
        """What the sums of the forms are worth, element by element."""

    @cached_property
    def rows(self) -> KernelRows:
        return KernelRows(self._given, self.scale)

    @cached_property
    def whole_forms(self) -> Sequence[ClassForm]:
        """The forms of all rows."""
        return self.forms(self.rows.class_weight)

    def score_features(self) -> Floats:
        """What each column is worth by itself; 0 for one that does not vary, NaN for one without a value."""
        return self._columns_one_by_one[0]

    def score_subset(self, subset: Sequence[int]) -> float:
        """What a set is worth; 0 for one in which nothing varies."""
        return float(self._best_of_set(subset)[0])

    def width_of(self, subset: Sequence[int]) -> float:
        """eta at which that is reached, for the scaled columns; 0 where nothing varies."""
        return float(self._best_of_set(subset)[1])

    def widths(self) -> Floats:
        """eta of each column by itself."""
        return self._columns_one_by_one[1]

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What each of these columns adds to those selected; NaN for one that does not vary, so that it comes last."""
        chosen = column_indices(selected, self.n_columns)
        mean_distance = self.rows.spread[chosen].sum() + self.rows.spread[among]
        worths = self._best(chosen, among, 1.0, mean_distance)[0]
        return np.where(self.rows.spread[among] > 0, worths - self.score_subset(selected), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """What those selected gain by losing each of these columns; NaN for one that does not vary: it goes first."""
        chosen = column_indices(selected, self.n_columns)
        spread = self.rows.spread[chosen]
        mean_distance = np.array([spread[chosen != column].sum() for column in among])
        worths = self._best(chosen, among, -1.0, mean_distance)[0]
        return np.where(self.rows.spread[among] > 0, worths - self.score_subset(selected), np.nan)

    def _best_of_set(self, subset: Sequence[int]) -> tuple[float, float]:
        columns = column_indices(subset, self.n_columns)
        if len(columns) == 0:
            return 0.0, 0.0
        # The last column beside the others.
        worth, eta = self._best(columns[:-1], columns[-1:], 1.0, self.rows.spread[columns].sum(keepdims=True))
        return float(worth[0]), float(eta[0])

    def _best(self, selected: Indices, among: Indices, sign: float, mean_distance: Floats) -> tuple[Floats, Floats]:
        """The worth of each set at its best width, and eta there."""
        worths, etas = np.zeros(len(among)), np.zeros(len(among))
        varying = np.flatnonzero(mean_distance > 0)
        mean_distance = mean_distance[varying]
        rows, forms = self.rows, self.whole_forms
        tables = np.stack([rows.table(form) for form in forms])
        is_squared = np.array([form.sharpness == 2 for form in forms])
        constants = np.array([rows.diagonal(form).sum() + form.constant for form in forms])
        columns = np.ascontiguousarray(among[varying], dtype=np.int64)
        chosen = np.ascontiguousarray(selected, dtype=np.int64)

        def evaluate(places: Floats, which: Indices) -> Floats:
            sums = np.empty((len(which), len(forms)))
            eta = width_at(places, mean_distance[which])
            subset_kernel_sums(
                rows.columns, chosen, columns[which], sign, rows.codes, rows.weights, tables, eta, is_squared, sums,
                thread_count(),
            )  # fmt: skip
            return self.worth(list((constants + 2.0 * sums).T))

        sums = np.empty((len(varying), len(forms), _N_RUNGS))
        first = width_at(np.zeros(len(varying)), mean_distance)
        subset_kernel_ladder(
            rows.columns, chosen, columns, sign, rows.codes, rows.weights, tables, first, sums, thread_count()
        )
        ladders = []
        for f, form in enumerate(forms):
            # The square of a kernel is two rungs up.
            skipped = 2 * (form.sharpness - 1)
            ladders.append(constants[f] + 2.0 * sums[:, f, skipped : skipped + LAST_PLACE + 1])
        places, worths[varying] = best_places(self.worth(ladders), evaluate)
        etas[varying] = width_at(places, mean_distance)
        return worths, etas

    @cached_property
    def _columns_one_by_one(self) -> tuple[Floats, Floats]:
        given = self._given
        if isinstance(given, StratifiedRows):
            among = np.arange(self.n_columns)
            worths, etas = self._best(among[:0], among, 1.0, self.rows.spread)
            return np.where(self.is_observed, worths, np.nan), etas
        unit = origin_and_unit(given.moments, self.scale)[1]
        worths = np.where(self.is_observed, 0.0, np.nan)
        etas = np.zeros(self.n_columns)
        weights = None if (given.weights == 1.0).all() else np.ascontiguousarray(given.weights)
        step = max(1, _AT_ONCE // max(len(given.codes), 1))
        for first in range(0, self.n_columns, step):
            varying = first + np.flatnonzero(unit[first : first + step] > 0)
            if len(varying):
                columns = _Columns(given, varying, weights)
                worths[varying], eta = self._best_of_columns(columns)
                etas[varying] = eta * np.square(unit[varying])
        return worths, etas

    def _best_of_columns(self, columns: _Columns) -> tuple[Floats, Floats]:
        def evaluate(places: Floats, which: Indices) -> Floats:
            forms = self.forms(columns.class_weight[which])
            eta = width_at(places, columns.mean_distance[which])
            sums = {power: columns.sums(power * eta, which) for power in {form.sharpness for form in forms}}
            return self.worth([form.of_sums(*sums[form.sharpness]) for form in forms])

        everywhere = np.arange(len(columns.mean_distance))
        rungs = [evaluate(np.full(len(everywhere), float(rung)), everywhere) for rung in range(LAST_PLACE + 1)]
        places, worths = best_places(np.column_stack(rungs), evaluate)
        return worths, width_at(places, columns.mean_distance)


class _Columns:
    """A few columns as they are, for sums of kernels on grids."""

    def __init__(self, rows: Rows, columns: Indices, weights: Floats | None) -> None:
        self._values = np.ascontiguousarray(rows.values[:, columns].T)
        self._codes, self._weights = rows.codes, weights
        moments = rows.moments.only(columns)
        self._origin = moments.lowest
        self.class_weight: Floats = np.ascontiguousarray(moments.weight.T)
        between, within, total = moments.between_and_within()
        self.mean_distance: Floats = 2.0 * (between + within) * total / np.maximum(total - 1.0, 1.0)

    def sums(self, eta: Floats, which: Indices) -> tuple[Floats, Floats]:
        """The kernels within each class and of each class with all rows, columns by classes."""
        own = np.zeros((len(which), self.class_weight.shape[1]))
        every = np.zeros_like(own)
        values = self._values if len(which) == len(self._values) else self._values[which]
        kernel_sums(
            values, self._codes, self._weights, self._origin[which], np.sqrt(0.5 / eta), own, every, thread_count()
        )
        return own, every
