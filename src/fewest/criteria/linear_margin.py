"""The weights of a linear support vector machine, on all columns or on those that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fewest._core import LinearMachines
from fewest.criteria.machine_rows import FitsMachines, MachineRows, check_positive
from fewest.errors import InvalidInput
from fewest.statistics import Rows
from fewest.threads import one_blas_thread, thread_count

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

#: What the matrices of all machines may take together.
_MEMORY = 4 << 30
#: A bound is a little wider than it has to be, by more than rounding.
_ROUNDING = 1e-12


class LinearMarginObjective:
    """The weights of machines on any set of columns.

    Sets that lose columns one after the other are followed: the machines are solved anew from where they stood. Since
    a weight w_j = x_j . c moves no more than |x_j| times as far as the coefficients c of the rows, weights that were
    known once bound those of now.
    """

    is_additive = False

    def __init__(self, rows: MachineRows, penalty: float) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self._costs = penalty * rows.weights
        self._lengths = np.zeros(self.n_columns)
        self._lengths[rows.places] = np.sqrt((rows.columns**2).sum(axis=1))
        #: Where each column that varies stands among those of the rows, and then among those of the machines, or -1.
        self._of_rows: Places = np.full(self.n_columns, -1, dtype=np.int64)
        self._of_rows[rows.places] = np.arange(len(rows.places))
        self._of_machines: Places
        self._n_in_machines: int
        self._machines: LinearMachines
        self._n_threads = thread_count()
        self._selected: NDArray[np.intp] | None = None
        self._is_left: NDArray[np.bool_]
        #: How far the coefficients of the rows have moved so far, and how far they had when each weight was known last.
        self._moved: float
        self._known_at: Floats
        self._known: Floats
        self._start_with(np.ones(self.n_columns, dtype=np.bool_))

    def score_features(self) -> Floats:
        """The norm over the machines of each column's weight; NaN for a column without a value."""
        every = np.arange(self.n_columns)
        return self.score_members(every, every)

    def score_members(self, selected: NDArray[np.intp], among: NDArray[np.intp]) -> Floats:
        """The same for these columns, on machines that know none but those selected."""
        self._follow(selected)
        places = self._of_machines[among]
        scores = np.empty(len(among))
        if places.min(initial=0) >= 0:
            self._machines.norms(places, scores)
        else:
            varying = np.flatnonzero(places >= 0)
            norms = np.empty(len(varying))
            self._machines.norms(places[varying], norms)
            scores = np.where(self.rows.is_observed[among], 0.0, np.nan)
            scores[varying] = norms
        self._known[among], self._known_at[among] = scores, self._moved
        return scores

    def bound_members(self, selected: NDArray[np.intp]) -> Floats:
        """No weight of those selected is smaller than this; NaN for a column without a value."""
        self._follow(selected)
        if self._n_in_machines < len(self._costs):
            return self.score_members(selected, selected)  # the unknowns are the weights, and at hand
        bounds = self._moved - self._known_at
        bounds *= self._lengths
        np.subtract(self._known, bounds, out=bounds)
        bounds -= _ROUNDING * np.abs(self._known)
        return bounds[selected]

    @property
    def residual(self) -> float:
        """By how much the conditions of the optimum are missed."""
        return self._machines.residual()

    def _follow(self, selected: NDArray[np.intp]) -> None:
        """Solve the machines on these columns."""
        if selected is self._selected:
            return
        self._selected = selected
        wanted = np.zeros(self.n_columns, dtype=np.bool_)
        wanted[selected] = True
        gone = np.flatnonzero(self._is_left > wanted)
        if np.count_nonzero(self._is_left) - len(gone) < np.count_nonzero(wanted):
            self._start_with(wanted)
        elif 2 * len(selected) <= self._n_in_machines:
            # From the columns themselves, before rounding adds up to more than their products have digits.
            coefficients = np.empty(self.rows.signs.shape)
            self._machines.coefficients(coefficients)
            self._make_machines(wanted, coefficients)
        else:
            places = self._of_machines[gone]
            self._machines.drop(places[places >= 0])
        self._moved += self._machines.solve(self._n_threads)
        self._is_left = wanted

    def _start_with(self, wanted: NDArray[np.bool_]) -> None:
        """Machines on these columns, from nothing."""
        self._make_machines(wanted, None)
        self._machines.solve(self._n_threads)
        self._is_left = wanted
        self._known = np.where(self.rows.is_observed, 0.0, np.nan)
        self._known_at = np.zeros(self.n_columns)
        self._moved = 0.0

    def _make_machines(self, wanted: NDArray[np.bool_], coefficients: Floats | None) -> None:
        inside = np.flatnonzero(wanted & (self._of_rows >= 0))
        # In the order of the rows' columns, which their values decide.
        inside = inside[np.argsort(self._of_rows[inside])]
        self._of_machines = np.full(self.n_columns, -1, dtype=np.int64)
        self._of_machines[inside] = np.arange(len(inside))
        self._n_in_machines = len(inside)
        columns = self.rows.columns[self._of_rows[inside]]
        self._machines = machines_on(columns, self._costs, self.rows.signs, coefficients)


@dataclass(frozen=True)
class LinearMargin(FitsMachines):
    """How much each column weighs in a linear support vector machine.

    min 1/2 (|w|^2 + b^2) + C sum_i max(0, 1 - y_i (w . x_i + b))^2, solved to rounding; the score is |w_j|, with more
    than two classes the norm over the machines of each class against the rest.

    Needs Rows, without gaps. A matrix of rows by rows or of columns by columns, whichever is smaller, is kept a
    machine. Copies of a column share its weight. The machine of scikit-learn's LinearSVC with its defaults.
    """

    C: float = 1.0

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_features", "score_members", "bound_members"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("C", self.C)

    def bind(self, rows: Rows) -> LinearMarginObjective:
        check_room(rows)
        return LinearMarginObjective(MachineRows.of(rows, self.scale), float(self.C))


def machines_on(columns: Floats, costs: Floats, signs: Floats, coefficients: Floats | None = None) -> LinearMachines:
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
    return LinearMachines(columns, costs, signs, gram, start)


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
