"""The weights of a linear support vector machine, on all columns or on those that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest._core import LinearSVMs
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.methods.margins.machine_rows import TIE, PaysForSlack, one_versus_rest_signs, svm_rows
from fewest.statistics.prepared_rows import PreparedRows
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread, thread_count

#: What the matrices of all machines may take together.
_MEMORY = 4 << 30


class LinearMarginObjective:
    """The weights of machines on any set of columns.

    Sets that lose columns one after the other are followed: the machines are solved anew from where they stood.
    """

    is_additive = False

    def __init__(self, rows: PreparedRows, penalty: float) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self._costs = penalty * rows.weights
        self._signs = one_versus_rest_signs(rows.codes)
        self._n_threads = thread_count()
        #: Where each column that varies stands among those of the rows, or -1.
        self._of_rows: Integers = np.full(self.n_columns, -1, dtype=np.int64)
        self._of_rows[rows.varying] = np.arange(len(rows.varying))
        self._is_left: Mask
        #: The columns of the machines, some dropped by now, and where each column of the table stands among them.
        self._columns: Integers
        self._of_machines: Integers
        self._machines: LinearSVMs
        self._start_with(self._of_rows >= 0)

    def score_features(self) -> Floats:
        """The norm over the machines of each column's weight; NaN for a column without a value."""
        self._follow(self._of_rows >= 0)
        norms = np.empty(len(self._columns))
        self._machines.norms(norms)
        scores = np.where(self.rows.is_observed, 0.0, np.nan)
        scores[self._columns] = norms
        return scores

    def least_members(self, selected: Indices, count: int) -> Indices:
        """Those of the selected that weigh least in machines which know no others, the least first; of ties, weights
        within 1e-12, the highest column. Before them come columns without a value, and those that do not vary."""
        wanted = np.zeros(self.n_columns, dtype=np.bool_)
        wanted[selected] = True
        first = np.flatnonzero(wanted & (self._of_rows < 0))[::-1]
        if len(first):
            first = first[np.argsort(self.rows.is_observed[first], kind="stable")][:count]
            wanted &= self._of_rows >= 0
        if len(first) == count:
            return first
        self._follow(wanted)
        places = np.empty(count - len(first), dtype=np.int64)
        self._machines.least(self._columns, TIE, places)
        return np.concatenate([first, self._columns[places]])

    @property
    def residual(self) -> float:
        """By how much the conditions of the optimum are missed."""
        return self._machines.residual()

    def _follow(self, wanted: Mask) -> None:
        """Solve the machines on these columns."""
        gone = np.flatnonzero(self._is_left > wanted)
        n_left, n_wanted = np.count_nonzero(self._is_left), np.count_nonzero(wanted)
        if n_left - len(gone) < n_wanted:
            self._start_with(wanted)
        elif 2 * n_wanted <= len(self._columns):
            # From the columns themselves, before rounding adds up to more than their products have digits.
            coefficients = np.empty(self._signs.shape)
            self._machines.coefficients(coefficients)
            self._start_with(wanted, coefficients)
        elif len(gone):
            self._machines.drop(self._of_machines[gone])
            self._machines.solve(self._n_threads)
            self._is_left = wanted

    def _start_with(self, wanted: Mask, coefficients: Floats | None = None) -> None:
        """Machines on these columns, from coefficients of machines on more, or from nothing."""
        self._is_left = wanted
        columns = np.flatnonzero(wanted)
        # In the order of the rows' columns, which their values decide.
        self._columns = columns[np.argsort(self._of_rows[columns])]
        self._of_machines = np.full(self.n_columns, -1, dtype=np.int64)
        self._of_machines[self._columns] = np.arange(len(columns))
        values = self.rows.columns[self._of_rows[self._columns]]
        self._machines = machines_on(values, self._costs, self._signs, coefficients)
        self._machines.solve(self._n_threads)


@dataclass(frozen=True)
class LinearMargin(PaysForSlack):
    """How much each column weighs in a linear support vector machine.

    min 1/2 (|w|^2 + b^2) + C sum_i max(0, 1 - y_i (w . x_i + b))^2, solved to rounding; the score is |w_j|, with more
    than two classes the norm over the machines of each class against the rest.

    Needs Rows, without gaps. A matrix of rows by rows or of columns by columns, whichever is smaller, is kept a
    machine. Copies of a column share its weight. The machine of scikit-learn's LinearSVC with its defaults.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "least_members"})

    def bind(self, rows: Rows) -> LinearMarginObjective:
        check_room(rows)
        return LinearMarginObjective(svm_rows(rows, self.scale), float(self.C))


def machines_on(columns: Floats, costs: Floats, signs: Floats, coefficients: Floats | None = None) -> LinearSVMs:
    """Machines on these columns, to be solved: on the products of rows, or on columns where these are fewer."""
    columns = np.ascontiguousarray(columns)
    n_columns, n_rows = columns.shape
    gram = np.empty((0, 0))
    with np.errstate(over="ignore"), one_blas_thread():
        if not np.isfinite(np.vdot(columns, columns) * costs.max(initial=0.0)):
            raise InvalidInput(
                "Products of rows overflow: input contains a value too large, or C is. Use scale='std', or a smaller C."
            )
        if n_rows <= n_columns:
            gram = columns.T @ columns + 1.0
    start = np.zeros(signs.shape) if coefficients is None else coefficients
    return LinearSVMs(columns, costs, signs, gram, start)


def check_room(rows: Rows) -> None:
    """Raise where the matrices of the machines take more memory than is allowed."""
    n_classes = np.count_nonzero(np.bincount(rows.codes, minlength=1))
    n_machines = n_classes if n_classes > 2 else 1
    side = min(rows.n_rows, rows.n_features + 1)
    needed = 8 * side**2 * (n_machines + 1)
    if needed > _MEMORY:
        raise InvalidInput(
            f"{n_machines} machine(s) on {rows.n_rows:,} rows of {rows.n_features:,} columns keep {needed / 2**30:.1f} "
            f"GiB of products; {_MEMORY / 2**30:.0f} GiB are allowed. Choose columns first, such as by "
            "FisherMarkov(n_features=1000), or give fewer rows."
        )
