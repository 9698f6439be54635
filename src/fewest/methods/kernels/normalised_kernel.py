"""What sets of features are worth by any kernel on them, normalised."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.errors import InvalidInput
from fewest.methods.kernels.class_form import ClassForm
from fewest.methods.kernels.kernel_functions import WIDTH_FROM_COLUMNS, Kernel, kernel_function
from fewest.methods.kernels.kernel_rows import KernelRows
from fewest.methods.kernels.width_search import LAST_PLACE, best_places, width_at
from fewest.objectives import SubsetObjective, column_indices
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread

_ROWS_AT_ONCE = 512
_NUMBERS_AT_ONCE = 1 << 22


class NormalisedKernelSubsets(SubsetObjective):
    """The worth of any set of columns by k(x, z) / sqrt(k(x, x) k(z, z)); a row without length has the kernel 0.

    A subclass says what it adds up over the pairs of rows (forms) and what that is worth (worth). The width of the
    Laplacian is found as that of the Gaussian is, by the mean distance between two rows. K is made a run of rows at a
    time and never kept.
    """

    is_additive = False

    def __init__(
        self, rows: Rows, scale: str | None, kernel: str | Kernel, parameters: Mapping[str, Any] | None
    ) -> None:
        self.rows = KernelRows(rows, scale, centred=False)
        self.n_columns = rows.n_features
        self.is_observed: Mask = rows.is_observed
        self._kernel = kernel
        self._parameters = dict(parameters or {})
        self._seeks_width = kernel == "laplacian" and self._parameters.get("gamma") is None
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    @abstractmethod
    def forms(self, class_weight: Floats) -> Sequence[ClassForm]:
        """What is added up, where the classes weigh so much."""

    @abstractmethod
    def worth(self, sums: Sequence[Floats]) -> Floats:
        """What the sums of the forms are worth."""

    @cached_property
    def whole_forms(self) -> Sequence[ClassForm]:
        return self.forms(self.rows.class_weight)

    def score_features(self) -> Floats:
        """What each column is worth by itself; 0 for one that does not vary, NaN for one without a value."""
        worths = np.array([self.score_subset([column]) for column in range(self.n_columns)])
        return np.where(self.is_observed, worths, np.nan)

    def score_subset(self, subset: Sequence[int]) -> float:
        """What a set is worth; 0 for one in which nothing varies."""
        return self._best(subset)[0]

    def width_of(self, subset: Sequence[int]) -> float:
        """The kernel's gamma at which that is reached; 0 where it is not looked for."""
        return self._best(subset)[1]

    def widths(self) -> Floats:
        """The same of each column by itself."""
        return np.array([self.width_of([column]) for column in range(self.n_columns)])

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What each of these columns adds to those selected; NaN for one that does not vary, so that it comes last."""
        return np.where(self.rows.spread[among] > 0, super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """What those selected gain by losing each of these columns; NaN for one that does not vary: it goes first."""
        return np.where(self.rows.spread[among] > 0, super().score_removals(selected, among), np.nan)

    def _best(self, subset: Sequence[int]) -> tuple[float, float]:
        columns = column_indices(subset, self.n_columns)
        columns = columns[self.rows.spread[columns] > 0]
        key = tuple(columns.tolist())
        if key not in self._known:
            self._known[key] = self._found(columns) if len(columns) else (0.0, 0.0)
        return self._known[key]

    def _found(self, columns: Indices) -> tuple[float, float]:
        table = np.ascontiguousarray(self.rows.columns[columns].T)
        if not self._seeks_width:
            return float(self.worth(list(self._sums(table, np.ones(1))))[0]), 0.0
        n = float(self.rows.weights.sum())
        total = sum(
            float(self.rows.weights[here] @ -np.log(block) @ self.rows.weights)
            for here, block in self._blocks(table, gamma=1.0 / table.shape[1])
        )
        mean_distance = np.array([total * table.shape[1] / max(n * (n - 1.0), 1.0)])

        def values(places: Floats) -> Floats:
            return self.worth(list(self._sums(table, width_at(places, mean_distance))))

        place, worth = best_places(values(np.arange(LAST_PLACE + 1.0))[None, :], lambda places, which: values(places))
        return float(worth[0]), float(width_at(place, mean_distance)[0])

    def _sums(self, table: Floats, widths: Floats) -> Floats:
        """(n_forms, n_widths): the forms, where the kernel is taken to each of these powers of itself at gamma = 1."""
        codes, weights = self.rows.codes, self.rows.weights
        totals = np.zeros((len(self.whole_forms), len(widths)))
        totals += np.array([[form.constant] for form in self.whole_forms])
        # At gamma = 1 the kernel of rows far apart would underflow, so it is taken in a unit of its own.
        unit = 1.0 / table.shape[1] if self._seeks_width else 1.0
        with one_blas_thread():
            for here, block in self._blocks(table, gamma=unit):
                for f, form in enumerate(self.whole_forms):
                    factor = form.table[codes[here]][:, codes] * weights[here][:, None] * weights
                    for w, width in enumerate(widths):
                        powered = block if not self._seeks_width else block ** (width / unit)
                        totals[f, w] += float(np.vdot(factor, powered))
        if not np.isfinite(totals).all():
            raise InvalidInput(
                f"The kernel {self._kernel!r} is infinite or undefined on some rows. Scale the columns "
                "(scale='symmetric'), or choose other kernel_params."
            )
        return totals

    def _blocks(self, table: Floats, gamma: float) -> Iterator[tuple[slice, Floats]]:
        """The normalised kernel between a run of rows and all rows."""
        evaluate = kernel_function(self._kernel)
        parameters = dict(self._parameters)
        if self._seeks_width:
            parameters["gamma"] = gamma
        elif self._kernel in WIDTH_FROM_COLUMNS and parameters.get("gamma") is None:
            parameters["gamma"] = 1.0 / self.n_columns
        n_rows = len(table)
        step = max(1, min(_ROWS_AT_ONCE, _NUMBERS_AT_ONCE // n_rows))
        runs = [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]
        own = np.concatenate([np.diagonal(evaluate(table[run], table[run], **parameters)) for run in runs])
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(own > 0, 1.0 / np.sqrt(own), np.where(np.isnan(own), np.nan, 0.0))
        for run in runs:
            block = evaluate(table[run], table, **parameters) * scale[run][:, None] * scale
            yield run, block
