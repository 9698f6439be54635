"""Linear SVMs with hinge loss and an L1 or a concave penalty: linear programs, by a simplex method or by HiGHS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from fewest._core import HingeSimplex
from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.margins.linear_svms import score_below
from fewest.threads import one_blas_thread, run_on_threads

#: Up to this many numbers in all programs HiGHS solves them; above, a simplex method that is many times faster.
_SMALL = 20_000
#: The number of columns that are added to the program at a time.
_COLUMNS_AT_ONCE = 100
#: The tolerance of reduced costs, relative to the penalty: that of the solver.
_TOLERANCE = 1e-7
#: Weights below this share of the largest are the solver's rounding.
_ROUNDING = 1e-9
#: C grows by this factor, at most this number of times.
_GROWTH, _MAX_DOUBLINGS = 2.0, 10
#: A total hinge loss below this is none: a larger C changes nothing.
_NO_LOSS = 1e-7
#: A linear program of the concave penalty that gains less than this is the last.
_CONVERGED = 1e-6
#: Every one of them lowers the value, so that this number is never reached.
_MAX_PROGRAMS = 100


class HingeProgram:
    """min sum_j penalty_j |w_j| + sum_i cost_i max(0, 1 - sign_i (w . x_i + b)), solved exactly.

    Each solution starts from the last one. Of several optimal ones the solver decides, alike for the same columns.

    columns : (n_columns, n_rows)
    signs : (n_rows,), 1 or -1
    rows : (n_rows, n_columns), the same numbers, for the simplex method; None to use HiGHS
    """

    def __init__(self, columns: Floats, signs: Floats, rows: Floats | None) -> None:
        self._columns, self.signs = columns, signs
        self.n_columns = len(columns)
        self._simplex = None if rows is None else HingeSimplex(columns, rows, signs)
        #: The columns that HiGHS has got.
        self._is_in = np.zeros(len(columns), dtype=bool)

    def solve(self, costs: Floats, penalties: Floats) -> tuple[Floats, Floats]:
        """The weights of the columns, and the hinge losses of the rows."""
        weights, losses = np.empty(len(penalties)), np.empty(len(costs))
        if self._simplex is not None and self._simplex.solve(costs, penalties, weights, losses):
            return weights, losses
        # Also where rounding errors are too large for the simplex method.
        return self._solve_by_highs(costs, penalties)

    def _solve_by_highs(self, costs: Floats, penalties: Floats) -> tuple[Floats, Floats]:
        """The same by column generation: most columns of a wide table have weight zero, and the program is solved on
        some; columns with a negative reduced cost are added until there are none, and stay for the next program."""
        columns = self._columns * self.signs
        if not self._is_in.any():
            multipliers = costs * (1 - self.signs * np.average(self.signs, weights=costs))
            self._add_columns(columns, multipliers, np.zeros(len(penalties)))
        while True:
            weights, losses, multipliers = self._solve_on(columns, np.flatnonzero(self._is_in), costs, penalties)
            if not self._add_columns(columns, multipliers, penalties + _TOLERANCE * np.maximum(penalties, 1.0)):
                break
        weights[np.abs(weights) <= _ROUNDING * np.abs(weights).max(initial=0.0)] = 0.0
        return weights, losses

    def _add_columns(self, columns: Floats, multipliers: Floats, penalties: Floats) -> bool:
        """Add the columns of the most negative reduced costs; whether there are any."""
        with one_blas_thread():
            gains = np.abs(columns @ multipliers) - penalties
        candidates = np.flatnonzero((gains > 0) & ~self._is_in)
        self._is_in[candidates[np.argsort(-gains[candidates], kind="stable")][:_COLUMNS_AT_ONCE]] = True
        return len(candidates) > 0

    def _solve_on(
        self, columns: Floats, inside: Indices, costs: Floats, penalties: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The weights, losses and dual multipliers of the rows, with these columns alone."""
        solve = _solve_dual if len(costs) > len(inside) else _solve_primal
        own, intercept, multipliers = solve(columns[inside], self.signs, costs, penalties[inside])
        weights = np.zeros(len(columns))
        weights[inside] = own
        with one_blas_thread():
            losses = 1.0 - own @ columns[inside] - intercept * self.signs
        return weights, np.maximum(losses, 0.0), multipliers


class HingePrograms:
    """The programs of several SVMs on the same columns. Copies of a column are one column, and each has its weight.

    columns : (n_columns, n_rows), with copies next to each other
    signs : (n_svms, n_rows)
    """

    def __init__(self, columns: Floats, signs: Floats) -> None:
        is_first = np.ones(len(columns), dtype=bool)
        is_first[1:] = (columns[1:] != columns[:-1]).any(axis=1)
        distinct = np.ascontiguousarray(columns if is_first.all() else columns[is_first])
        rows = np.ascontiguousarray(distinct.T) if distinct.size * len(signs) > _SMALL else None
        self.n_columns = len(distinct)
        self.programs = [HingeProgram(distinct, own, rows) for own in signs]
        #: The distinct column of each column.
        self.distinct = np.cumsum(is_first) - 1

    def solve_each(self, solve: Callable[[HingeProgram], tuple[Floats, float]]) -> tuple[Floats, float]:
        """The norms of the weights over the programs, by column, and the sum of the losses; on all threads."""
        found: list[tuple[Floats, float]] = [(np.empty(0), 0.0)] * len(self.programs)

        def solve_one(k: int) -> None:
            found[k] = solve(self.programs[k])

        run_on_threads([partial(solve_one, k) for k in range(len(found))])
        norms = np.sqrt(sum(weights**2 for weights, _ in found))
        return norms[self.distinct], sum(loss for _, loss in found)


def l1_svm_path(columns: Floats, signs: Floats, row_weights: Floats, C: float) -> tuple[Floats, Floats]:
    """The norms of the weights of SVMs with an L1 penalty, and scores that also rank the columns of weight zero.

    C doubles until there is no loss, every column has entered, or C has grown a thousandfold. Columns that enter score
    below all that entered before.
    """
    programs = HingePrograms(columns, signs)
    penalties = np.ones(programs.n_columns)
    first, scores = np.zeros(len(columns)), np.zeros(len(columns))
    for step in range(_MAX_DOUBLINGS + 1 if len(columns) else 0):
        costs = C * _GROWTH**step * row_weights

        def solve(program: HingeProgram, costs: Floats = costs) -> tuple[Floats, float]:
            weights, losses = program.solve(costs, penalties)
            return weights, float(losses.sum())

        norms, loss = programs.solve_each(solve)
        entered = np.flatnonzero((norms > 0) & (scores == 0))
        if step == 0:
            first, scores = norms, norms.copy()
        elif len(entered):
            score_below(scores, entered, norms[entered])
        if scores.all() or loss <= _NO_LOSS:
            break
    return first, scores


def concave_svm_weights(
    columns: Floats, signs: Floats, row_weights: Floats, suppression: float, steepness: float
) -> Floats:
    """The norms of the weights of SVMs with a concave penalty, by successive linearization from w = 0 on."""
    if len(columns) == 0:
        return np.zeros(0)

    def linearize(program: HingeProgram) -> tuple[Floats, float]:
        of_class = [row_weights[program.signs == sign].sum() for sign in (-1.0, 1.0)]
        costs = (1 - suppression) * row_weights / np.where(program.signs > 0, of_class[1], of_class[0])
        weights = np.zeros(program.n_columns)
        loss = float(costs.sum())  # at w = 0 and b = 0 every row has a hinge loss of one
        for _ in range(_MAX_PROGRAMS):
            penalties = suppression * steepness * np.exp(-steepness * weights)
            found, losses = program.solve(costs, penalties)
            last_weights, last_loss = weights, loss
            weights, loss = np.abs(found), float(costs @ losses)
            if last_loss - loss + float(penalties @ (last_weights - weights)) < _CONVERGED:
                break
        return weights, loss

    return HingePrograms(columns, signs).solve_each(linearize)[0]


def _solve_primal(columns: Floats, signs: Floats, costs: Floats, penalties: Floats) -> tuple[Floats, float, Floats]:
    """Weights, intercept and multipliers from the primal program, which has one constraint a row."""
    n_columns, n_rows = columns.shape
    lines = sparse.csc_array(-columns.T)
    matrix = sparse.hstack([lines, -lines, sparse.csc_array(-signs[:, None]), -sparse.eye_array(n_rows)], format="csc")
    lowest = np.zeros(matrix.shape[1])
    lowest[2 * n_columns] = -np.inf
    bounds = np.column_stack([lowest, np.full(len(lowest), np.inf)])
    objective = np.concatenate([penalties, penalties, [0.0], costs])
    found = _solved(objective, A_ub=matrix, b_ub=-np.ones(n_rows), bounds=bounds)
    weights = found.x[:n_columns] - found.x[n_columns : 2 * n_columns]
    return weights, float(found.x[2 * n_columns]), -np.asarray(found.ineqlin.marginals)


def _solve_dual(columns: Floats, signs: Floats, costs: Floats, penalties: Floats) -> tuple[Floats, float, Floats]:
    """The same from the dual: max sum a, |sum_i a_i sign_i x_ij| <= penalty_j, sum_i a_i sign_i = 0, 0 <= a <= cost."""
    n_columns, n_rows = columns.shape
    blocks = [[sparse.csc_array(columns), -sparse.eye_array(n_columns)], [sparse.csc_array(signs[None, :]), None]]
    bounds = np.column_stack([np.append(np.zeros(n_rows), -penalties), np.append(costs, penalties)])
    objective = np.concatenate([-np.ones(n_rows), np.zeros(n_columns)])
    matrix = sparse.block_array(blocks, format="csc")
    found = _solved(objective, A_eq=matrix, b_eq=np.zeros(n_columns + 1), bounds=bounds)
    weights = -np.asarray(found.eqlin.marginals)
    return weights[:-1], float(weights[-1]), found.x[:n_rows]


def _solved(objective: Floats, **program: object) -> OptimizeResult:
    found = linprog(objective, method="highs", **program)
    if found.status != 0:
        # These programs have solutions; where penalties are as small as its tolerances, presolve may deny that.
        found = linprog(objective, method="highs", options={"presolve": False}, **program)
    if found.status != 0:
        problem = f"The linear program of these columns was not solved ({found.message})"
        raise InvalidInput(f"{problem} Use scale='std', or other costs.")
    return found
