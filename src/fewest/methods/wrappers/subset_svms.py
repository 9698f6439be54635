"""Cross-validated errors of linear SVMs on many subsets of few columns, solved exactly and on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fewest._core import subset_svms
from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.selectors.estimators.evaluator import ImputingScaler

#: Of more columns second derivatives take longer than LinearSVC does.
MAX_COLUMNS = 50
#: Values that are scaled at once, and rows of subsets whose errors are kept at once.
_VALUES_AT_ONCE, _ROWS_AT_ONCE = 1 << 20, 1 << 22
#: Subsets between two steps of a progress bar.
_SUBSETS_AT_ONCE = 256


class _Scalers(NamedTuple):
    """How each fold scales each column, (n_folds, n_columns): (value * factor - centre) / unit."""

    centre: Floats
    unit: Floats
    factor: Floats


class SubsetSVMs:
    """Linear SVMs on standardized columns, as StandardizedSVM, for cross-validation on subsets of columns.

    Each is solved by Newton's method to the minimum, but for rounding. A fold scales a column once for all subsets.

    Parameters
    ----------
    values : array of shape (n_stored, n_columns), float64 in C order
    order : the row of `values` that each row is
    labels : the class of each row, from 0
    weights : by row, the penalty of its squared hinge loss, above 0
    tests : the test rows of each fold
    """

    def __init__(self, values: Floats, order: Indices, labels: Codes, weights: Floats, tests: Sequence[Mask]) -> None:
        self._values, self._order = values, order.astype(np.int64)
        self._labels, self._weights, self._tests = labels, np.ascontiguousarray(weights), tests
        self._folds: Codes = np.argmax(tests, axis=0).astype(np.int32)
        self._scalers: _Scalers | None = None

    def misclassified(self, subsets: Sequence[Sequence[int]], n_threads: int) -> Iterator[list[Mask | None]]:
        """Yield, by some subsets of equal size after the other, which rows are misclassified; None where unsolved."""
        if self._scalers is None:
            self._scalers = self._fit_scalers()
        n_rows = len(self._order)
        n_at_once = max(1, min(_SUBSETS_AT_ONCE, _ROWS_AT_ONCE // n_rows))
        for first in range(0, len(subsets), n_at_once):
            columns = np.array(subsets[first : first + n_at_once], dtype=np.int64)
            is_wrong = np.zeros((len(columns), n_rows), dtype=np.uint8)
            is_solved = np.zeros(len(columns), dtype=bool)
            rows = self._values, self._order, self._labels, self._weights, self._folds
            subset_svms(*rows, *self._scalers, columns, is_wrong, is_solved, n_threads)
            yield [line.view(bool) if own else None for line, own in zip(is_wrong, is_solved, strict=True)]

    def _fit_scalers(self) -> _Scalers:
        shape = len(self._tests), self._values.shape[1]
        found = _Scalers(np.zeros(shape), np.ones(shape), np.ones(shape))
        n_at_once = max(1, _VALUES_AT_ONCE // len(self._order))
        for first in range(0, shape[1], n_at_once):
            group = slice(first, first + n_at_once)
            values = self._values[:, group][self._order]
            for k, test in enumerate(self._tests):
                scaler = ImputingScaler.fit(values[~test], self._weights[~test])
                found.centre[k, group], found.unit[k, group] = scaler.centre, scaler.unit
                found.factor[k, group] = 1.0 if scaler.factors is None else scaler.factors
        return found
