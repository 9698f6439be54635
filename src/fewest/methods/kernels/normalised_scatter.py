"""Kernel class separability by any kernel, normalised, and with a weight for every column by the Laplacian."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.kernels.gaussian_sums import GaussianSums
from fewest.methods.kernels.kernel_functions import KernelFunction, row_blocks, undefined_kernel
from fewest.methods.kernels.kernel_objective import KernelRows
from fewest.methods.kernels.laplacian_sums import LaplacianSums
from fewest.methods.kernels.scatter_objective import ScatterObjective, WeightedScatterObjective
from fewest.methods.kernels.width_search import LAST_STEP, best_widths, eta_at
from fewest.objectives import column_indices
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows
from fewest.threads import one_blas_thread

if TYPE_CHECKING:
    from fewest.methods.kernels.kernel_separability import KernelScatter

#: Numbers of a block of the kernel's matrix, which is never kept as a whole.
_MAX_NUMBERS = 1 << 22


class NormalisedScatterObjective(ScatterObjective):
    """The value of any subset by k(x, z) / sqrt(k(x, x) k(z, z)); 0 where k(x, x) or k(z, z) is 0.

    The width of the Laplacian is searched as that of the Gaussian, by the mean distance between two rows.
    """

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows)
        self.criterion = criterion
        self.rows = KernelRows(rows, criterion.scale, centred=False)
        self.class_weight = self.rows.class_weight
        self._kernel, self._parameters = criterion.kernel, dict(criterion.kernel_params or {})
        self._searches_width = self._kernel == "laplacian" and self._parameters.get("gamma") is None
        self._pair_sums = self.class_pair_sums(self.class_weight)
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, added, raises the value; NaN for a constant column, which comes last."""
        return np.where(self.rows.mean_distances[among] > 0, super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return by how much each column, removed, raises the value; NaN for a constant column, which goes first."""
        return np.where(self.rows.mean_distances[among] > 0, super().score_removals(selected, among), np.nan)

    @cached_property
    def _columns_alone(self) -> tuple[Floats, Floats]:
        values, etas = np.array([self._best_of_subset([column]) for column in range(self.n_columns)]).T
        return np.where(self.is_observed, values, np.nan), etas

    def _best_of_subset(self, subset: Sequence[int]) -> tuple[float, float]:
        columns = column_indices(subset, self.n_columns)
        columns = columns[self.rows.mean_distances[columns] > 0]
        key = tuple(columns.tolist())
        if key not in self._known:
            self._known[key] = self._best(columns) if len(columns) else (0.0, 0.0)
        return self._known[key]

    def _best(self, columns: Indices) -> tuple[float, float]:
        table = np.ascontiguousarray(self.rows.columns[columns].T)
        if not self._searches_width:
            return float(self.value(list(self._sums(table, np.ones(1))))[0]), 0.0
        n = float(self.rows.weights.sum())
        total = sum(
            float(self.rows.weights[here] @ -np.log(block) @ self.rows.weights)
            for here, block in self._blocks(table, gamma=1.0 / table.shape[1])
        )
        mean_distance = np.array([total * table.shape[1] / max(n * (n - 1.0), 1.0)])

        def values(gammas: Floats) -> Floats:
            return self.value(list(self._sums(table, gammas)))

        grid = values(eta_at(np.arange(LAST_STEP + 1.0), mean_distance))[None, :]
        value, gamma = best_widths(grid, mean_distance, lambda gammas, which: values(gammas))
        return float(value[0]), float(gamma[0])

    def _sums(self, table: Floats, gammas: Floats) -> Floats:
        """Return (n_sums, n_gammas), the pair sums at each gamma; gammas is [1] where none is searched."""
        codes, weights = self.rows.codes, self.rows.weights
        totals = np.zeros((len(self._pair_sums), len(gammas)))
        totals += np.array([[one.constant] for one in self._pair_sums])
        # At gamma = 1 the kernel of rows far apart would underflow, so it is a power of the kernel at another gamma.
        unit = 1.0 / table.shape[1] if self._searches_width else 1.0
        with one_blas_thread():
            for here, block in self._blocks(table, gamma=unit):
                for f, one in enumerate(self._pair_sums):
                    factor = one.factors[codes[here]][:, codes] * weights[here][:, None] * weights
                    for g, gamma in enumerate(gammas):
                        powered = block if not self._searches_width else block ** (gamma / unit)
                        totals[f, g] += float(np.vdot(factor, powered))
        if not np.isfinite(totals).all():
            raise undefined_kernel(self._kernel)
        return totals

    def _blocks(self, table: Floats, gamma: float) -> Iterator[tuple[slice, Floats]]:
        """Yield the normalised kernel between consecutive rows and all rows."""
        parameters = {**self._parameters, "gamma": gamma} if self._searches_width else self._parameters
        evaluate = KernelFunction(self._kernel, parameters, self.n_columns)
        blocks = row_blocks(len(table), _MAX_NUMBERS)
        diagonal = np.concatenate([np.diagonal(evaluate(table[block], table[block])) for block in blocks])
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(diagonal > 0, 1.0 / np.sqrt(diagonal), np.where(np.isnan(diagonal), np.nan, 0.0))
        for block in blocks:
            yield block, evaluate(table[block], table) * scale[block][:, None] * scale


class LaplacianScatterObjective(NormalisedScatterObjective, WeightedScatterObjective):
    """The value of columns, of subsets and of weighted columns, by exp(-sum_f eta_f |x_f - z_f|)."""

    _sums_type: ClassVar[type[GaussianSums]] = LaplacianSums

    @cached_property
    def column_distances(self) -> Floats:
        weights, distances = self.rows.weights, np.zeros(self.n_columns)
        n = float(weights.sum())
        for j in np.flatnonzero(self.rows.mean_distances > 0):
            order = np.argsort(self.rows.columns[j], kind="stable")
            column, of_row = self.rows.columns[j][order], weights[order]
            column = column - column[0]
            # A value is above each before it by the difference: all pairs from running sums.
            before, total_before = np.cumsum(of_row) - of_row, np.cumsum(of_row * column) - of_row * column
            distances[j] = 2.0 * float(of_row @ (column * before - total_before)) / max(n * (n - 1.0), 1.0)
        return distances
