"""Objectives on subsets of columns that are computed from sums of a kernel over pairs of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fewest._core import kernel_sums, subset_kernel_ladder, subset_kernel_sums
from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.errors import OverflowingColumn
from fewest.methods.kernels.gaussian_sums import ClassPairSum, RowPairSum
from fewest.methods.kernels.width_search import LAST_STEP, best_widths, eta_at
from fewest.objectives import SubsetObjective, column_indices
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.statistics.class_moments import origin_and_unit
from fewest.statistics.prepared_rows import PreparedRows, content_order, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows
from fewest.threads import thread_count

#: Numbers that are transposed at a time.
_NUMBERS_AT_ONCE = 1 << 21
#: The least number of rows of a class in a sample on which steps are taken.
_MIN_DRAWN = 16
#: Squares of larger ranges, summed, would overflow.
_MAX_RANGE = 1e150


class KernelRows(PreparedRows):
    """Complete rows ordered by content and scaled, all columns, with the weights of a sample.

    The rows of a sample weigh as much as all rows of their class, and pairs of them as much as all pairs: a sum over
    the sample estimates that over the table without bias.

    columns : (n_columns, n_rows) the scaled values; a constant column is zero
    class_weight : the weight of each class in the table
    mean_distances : the mean squared difference between two rows, of each column
    drawn_share : the share of the weight of each class that was drawn; 1 where all rows are used
    """

    def __init__(self, rows: Rows | StratifiedRows, scale: str | None, *, centred: bool = True) -> None:
        """centred : shift each column to its mean, which keeps more digits of distances"""
        advice = "drop these columns, or evaluate each column alone (mode='individual')"
        reject_missing_values(rows, "a kernel compares complete rows", advice)
        varying = varying_columns(rows, scale)
        with np.errstate(over="ignore", invalid="ignore"):
            is_far = ~((rows.moments.highest - rows.moments.lowest)[varying] < _MAX_RANGE)
        if scale is None and is_far.any():
            raise OverflowingColumn(int(varying[is_far][0]))
        order, ranks = content_order(rows)
        super().__init__(rows, order, ranks, layout="F")
        self.scale_by_moments(scale)
        self._weigh(rows, ranks)
        n = float(self.weights.sum())
        self.mean_distances: Floats = np.zeros(rows.n_features)
        self.values[:, np.delete(np.arange(rows.n_features), varying)] = 0.0
        for j in varying:
            column = self.columns[j]
            about_mean = column - self.weights @ column / n
            self.mean_distances[j] = 2.0 * (self.weights @ np.square(about_mean)) / max(n - 1.0, 1.0)
            if centred:
                column[:] = about_mean

    def _weigh(self, rows: Rows | StratifiedRows, ranks: Indices) -> None:
        drawn, n_classes = self.weights, int(self.codes.max()) + 1
        of_class = np.bincount(self.codes, drawn, n_classes).astype(np.float64)
        squares = np.bincount(self.codes, np.square(drawn), n_classes).astype(np.float64)
        self.class_weight: Floats = of_class
        observed = np.flatnonzero(rows.is_observed)
        if isinstance(rows, StratifiedRows) and len(observed):
            # Observed columns have no missing values here, and so the weight of all rows.
            self.class_weight = rows.moments.weight[np.argsort(ranks)[:n_classes], observed[0]]
        self.drawn_share: Floats = np.divide(of_class, self.class_weight, out=np.ones(n_classes), where=of_class > 0)
        times = 1.0 / self.drawn_share[self.codes]
        self.weights = drawn * times
        self._self_weights: Floats = np.square(drawn) * times
        # For pairs of different rows of a class: their weight in the table over that of the weighted rows drawn.
        of_all = np.square(self.class_weight) - squares / self.drawn_share
        of_drawn = np.square(self.class_weight) - squares / np.square(self.drawn_share)
        several = (of_drawn > 0) & (self.drawn_share < 1)
        self._same_class: Floats = np.divide(of_all, of_drawn, out=np.ones(n_classes), where=several)

    def pair_sum(self, one: ClassPairSum) -> RowPairSum:
        """Return the sum over pairs of these rows; for a sample, the unbiased estimate of that over all rows."""
        factors = one.factors
        diagonal = self._self_weights * np.diagonal(factors)[self.codes]
        np.fill_diagonal(factors, np.diagonal(factors) * self._same_class)
        return RowPairSum(factors, diagonal, one.constant, one.power)

    def some_rows(self, n_rows: int) -> Indices | None:
        """Return about this number of rows, spread over those of every class; None where a third are fewer."""
        n = len(self.codes)
        if n < 3 * n_rows:
            return None
        drawn = []
        for c, of_class in enumerate(np.bincount(self.codes).tolist()):
            members = np.flatnonzero(self.codes == c)
            n_drawn = min(of_class, max(_MIN_DRAWN, round(n_rows * of_class / n)))
            drawn.append(members[(np.arange(n_drawn) * of_class) // max(n_drawn, 1)])
        return np.sort(np.concatenate(drawn))

    def weights_of_some(self, rows: Indices) -> Floats:
        """Return weights with which these rows weigh as much as all of their class."""
        of_class = np.bincount(self.codes, self.weights)
        of_some = np.bincount(self.codes[rows], self.weights[rows], len(of_class))
        times = np.divide(of_class, of_some, out=np.ones(len(of_class)), where=of_some > 0)
        return self.weights[rows] * times[self.codes[rows]]

    def pair_sum_of_some(self, one: RowPairSum, rows: Indices) -> RowPairSum:
        """Return the estimate of a sum over pairs from these rows, with those weights."""
        of_class, squares, of_some = (
            np.bincount(codes, weights, len(one.factors))
            for codes, weights in (
                (self.codes, self.weights),
                (self.codes, np.square(self.weights)),
                (self.codes[rows], np.square(self.weights_of_some(rows))),
            )
        )
        # Pairs of a row with itself, of which some rows have a larger share, are known: the kernel is 1.
        of_drawn = np.square(of_class) - of_some
        is_known = of_drawn > 0
        times = np.divide(np.square(of_class) - squares, of_drawn, out=np.ones(len(of_class)), where=is_known)
        factors = one.factors.copy()
        np.fill_diagonal(factors, np.diagonal(factors) * times)
        constant = one.constant + float(one.diagonal.sum())
        return RowPairSum(factors, np.zeros(len(rows)), constant, one.power)


class GroupedKernel(GroupedObjective):
    """The same on features: a kernel on the columns of some features, which have one width and one weight each."""

    def widths(self) -> Floats:
        """Return eta at which the best column of each feature has its value."""
        scores, widths = self.of_columns.score_features(), self.of_columns.widths()
        is_best = np.nan_to_num(scores, nan=-np.inf) >= np.repeat(
            np.nan_to_num(self.score_features(), nan=-np.inf), self.groups.sizes
        )
        return self.groups.highest(np.where(is_best, widths, -np.inf))

    def width_of(self, subset: Sequence[int]) -> float:
        """Return eta at which the subset of features has its value."""
        return float(self.of_columns.width_of(self.groups.columns_of(subset).tolist()))

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """Return no bounds: the value of a feature of several columns is that of all of them together."""
        return np.full(self.n_columns, np.inf)

    def score_weights_among(self, weights: Floats, among: Indices) -> tuple[float, Floats]:
        """Return the value with these weights of features, and its gradient in those of `among`."""
        value, gradient = self.of_columns.score_weights_among(
            self.column_weights(weights), self.groups.columns_of(among.tolist())
        )
        sizes = self.groups.sizes[among]
        return float(value), np.add.reduceat(gradient, np.cumsum(sizes) - sizes) if len(among) else np.empty(0)

    def on_sample(self) -> GroupedKernel | None:
        """Return about the same objective from some of the rows; None where these are not a small part."""
        sample = self.of_columns.on_sample()
        return None if sample is None else GroupedKernel(sample, self.groups)

    def start_value(self) -> float:
        """Return the value at start_weights()."""
        return float(self.of_columns.start_value())

    def sampling_error(self, weights: Floats) -> tuple[float, float]:
        """Return the standard error of tr S_B with these weights of features, and tr S_B."""
        error, value = self.of_columns.sampling_error(self.column_weights(weights))
        return float(error), float(value)


class KernelObjective(SubsetObjective):
    """The value of any subset from sums of a kernel, with the width of the kernel at which it is highest."""

    def __init__(self, rows: Rows | StratifiedRows) -> None:
        self.n_columns = rows.n_features
        self.is_observed: Mask = rows.is_observed

    def grouped(self, groups: ColumnGroups) -> GroupedKernel:
        """Return the objective on features."""
        return GroupedKernel(self, groups)

    @abstractmethod
    def class_pair_sums(self, class_weight: Floats) -> Sequence[ClassPairSum]:
        """Return what is summed where the classes have these total weights: (..., n_classes)."""

    @abstractmethod
    def value(self, sums: Sequence[Floats]) -> Floats:
        """Return the value from the sums, element by element."""

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
        #: By subset: the value with each column that was added to it, and eta there.
        self._found: dict[tuple[int, ...], dict[int, tuple[float, float]]] = {}

    @cached_property
    def rows(self) -> KernelRows:
        return KernelRows(self._statistic, self._scale)

    @cached_property
    def pair_sums(self) -> list[RowPairSum]:
        """What is summed over all pairs of rows."""
        return [self.rows.pair_sum(one) for one in self.class_pair_sums(self.rows.class_weight)]

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """Return the value of each subset; those that differ in their last column only are computed together."""
        values, by_first = np.zeros(len(subsets)), defaultdict[tuple[int, ...], list[tuple[int, int]]](list)
        for i, subset in enumerate(subsets):
            if columns := column_indices(subset, self.n_columns).tolist():
                by_first[tuple(columns[:-1])].append((columns[-1], i))
        for first, additions in by_first.items():
            last, which = np.array(additions, dtype=np.intp).T
            values[which] = self._best_additions(np.array(first, dtype=np.intp), last)[0]
        return values

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, added, raises the value; NaN for a constant column, which comes last."""
        chosen = column_indices(selected, self.n_columns)
        return self._gains_of(chosen, among, self._best_additions(chosen, among)[0])

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, removed, raises the value; NaN for a constant column, which goes first."""
        chosen = column_indices(selected, self.n_columns)
        distances = self.rows.mean_distances[chosen]
        without = np.array([distances[chosen != column].sum() for column in among])
        return self._gains_of(chosen, among, self._best(chosen, among, -1.0, without)[0])

    def _gains_of(self, chosen: Indices, among: Indices, values: Floats) -> Floats:
        gains = values - self.score_subset(chosen.tolist())
        return np.where(self.rows.mean_distances[among] > 0, gains, np.nan)

    def _best_additions(self, selected: Indices, among: Indices) -> tuple[Floats, Floats]:
        """Return the value with each of these columns added, and eta there; those of the last two subsets are kept."""
        key = tuple(selected.tolist())
        found = self._found.pop(key, {})
        self._found = {**dict(list(self._found.items())[-1:]), key: found}
        unknown = np.array([column for column in among.tolist() if column not in found], dtype=np.intp)
        if len(unknown):
            distances = self.rows.mean_distances
            best = self._best(selected, unknown, 1.0, distances[selected].sum() + distances[unknown])
            found.update(zip(unknown.tolist(), zip(*best, strict=True), strict=True))
        values, etas = np.array([found[column] for column in among.tolist()]).reshape(-1, 2).T
        return values, etas

    def _best_of_subset(self, subset: Sequence[int]) -> tuple[float, float]:
        columns = column_indices(subset, self.n_columns)
        if len(columns) == 0:
            return 0.0, 0.0
        # The last column in addition to the others.
        value, eta = self._best_additions(columns[:-1], columns[-1:])
        return float(value[0]), float(eta[0])

    def _best(self, selected: Indices, among: Indices, sign: float, mean_distance: Floats) -> tuple[Floats, Floats]:
        """Return the value of each subset at its best eta, and eta there."""
        values, etas = np.zeros(len(among)), np.zeros(len(among))
        varying = np.flatnonzero(mean_distance > 0)
        distance = mean_distance[varying]
        rows, sums, n_steps = self.rows, self.pair_sums, LAST_STEP + 1
        is_squared = np.array([one.power == 2 for one in sums])
        factors = np.stack([one.factors for one in sums])
        constants = np.array([one.diagonal.sum() + one.constant for one in sums])

        def arguments(which: Indices) -> tuple[Floats, Indices, Indices, float, Codes, Floats, Floats]:
            return rows.columns, selected, among[which], sign, rows.codes, rows.weights, factors

        def evaluate(eta: Floats, which: Indices) -> Floats:
            found = np.empty((len(which), len(sums)))
            subset_kernel_sums(*arguments(varying[which]), eta, is_squared, found, thread_count())
            return self.value(list((constants + 2.0 * found).T))

        # The square of a kernel is the kernel two steps further; the compiled function takes an even number of steps.
        ladder = np.empty((len(varying), len(sums), n_steps + 2 + n_steps % 2))
        first_eta = eta_at(np.zeros(len(varying)), distance)
        subset_kernel_ladder(*arguments(varying), first_eta, ladder, thread_count())
        steps = [slice(2 * (one.power - 1), 2 * (one.power - 1) + n_steps) for one in sums]
        grid = [constants[f] + 2.0 * ladder[:, f, here] for f, here in enumerate(steps)]
        values[varying], etas[varying] = best_widths(self.value(grid), distance, evaluate)
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
            sums = self.class_pair_sums(class_weight[which])
            some = table if len(which) == len(table) else table[which]
            # For each power: the sums within each class, and of each class with all rows.
            found = {one.power: np.zeros((2, len(which), class_weight.shape[1])) for one in sums}
            for power, (same, every) in found.items():
                width = np.sqrt(0.5 / (power * eta))
                kernel_sums(some, rows.codes, weights, moments.lowest[which], width, same, every, thread_count())
            return self.value([one.value(*found[one.power]) for one in sums])

        every = np.arange(len(columns))
        steps = np.arange(LAST_STEP + 1.0)
        grid = [evaluate(eta_at(np.full(len(columns), step), mean_distance), every) for step in steps]
        return best_widths(np.column_stack(grid), mean_distance, evaluate)
