"""Linear SVMs with hinge loss and an L1 or a concave penalty: linear programs, by column generation and HiGHS."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.methods.margins.linear_svms import score_below
from fewest.threads import one_blas_thread

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
    """min sum_j penalty_j |w_j| + sum_i cost_i max(0, 1 - sign_i (w . x_i + b)), solved exactly by HiGHS.

    Most columns of a wide table have weight zero: the program is solved on some, and columns with a negative reduced
    cost are added until there are none. They stay for the next costs or penalties. Copies of a column are one column to
    the program, and each has its weight. Of several optimal solutions HiGHS decides, alike for the same columns.

    columns : (n_columns, n_rows), with copies next to each other
    signs : (n_rows,), 1 or -1
    """

    def __init__(self, columns: Floats, signs: Floats) -> None:
        self._is_first = np.ones(len(columns), dtype=bool)
        self._is_first[1:] = (columns[1:] != columns[:-1]).any(axis=1)
        self._columns = columns[self._is_first] * signs
        self._signs = signs
        self._is_in = np.zeros(len(self._columns), dtype=bool)

    def solve(self, costs: Floats, penalties: Floats) -> tuple[Floats, Floats]:
        """The weights of the columns, and the hinge losses of the rows."""
        penalties = penalties[self._is_first]
        if not self._is_in.any():
            multipliers = costs * (1 - self._signs * np.average(self._signs, weights=costs))
            self._add_columns(multipliers, np.zeros(len(penalties)))
        while True:
            weights, losses, multipliers = self._solve_on(np.flatnonzero(self._is_in), costs, penalties)
            if not self._add_columns(multipliers, penalties + _TOLERANCE * np.maximum(penalties, 1.0)):
                break
        weights[np.abs(weights) <= _ROUNDING * np.abs(weights).max(initial=0.0)] = 0.0
        return weights[np.cumsum(self._is_first) - 1], losses

    def _add_columns(self, multipliers: Floats, penalties: Floats) -> bool:
        """Add the columns of the most negative reduced costs; whether there are any."""
        with one_blas_thread():
            gains = np.abs(self._columns @ multipliers) - penalties
        candidates = np.flatnonzero((gains > 0) & ~self._is_in)
        self._is_in[candidates[np.argsort(-gains[candidates], kind="stable")][:_COLUMNS_AT_ONCE]] = True
        return len(candidates) > 0

    def _solve_on(self, inside: Indices, costs: Floats, penalties: Floats) -> tuple[Floats, Floats, Floats]:
        """The weights, losses and dual multipliers of the rows, with these columns alone."""
        solve = _solve_dual if len(costs) > len(inside) else _solve_primal
        own, intercept, multipliers = solve(self._columns[inside], self._signs, costs, penalties[inside])
        weights = np.zeros(len(self._columns))
        weights[inside] = own
        with one_blas_thread():
            losses = 1.0 - own @ self._columns[inside] - intercept * self._signs
        return weights, np.maximum(losses, 0.0), multipliers


def l1_svm_path(columns: Floats, signs: Floats, row_weights: Floats, C: float) -> tuple[Floats, Floats]:
    """The norms of the weights of SVMs with an L1 penalty, and scores that also rank the columns of weight zero.

    C doubles until there is no loss, every column has entered, or C has grown a thousandfold. Columns that enter score
    below all that entered before.
    """
    programs = [HingeProgram(columns, own) for own in signs]
    penalties = np.ones(len(columns))
    first, scores = np.zeros(len(columns)), np.zeros(len(columns))
    for step in range(_MAX_DOUBLINGS + 1 if len(columns) else 0):
        found = [program.solve(C * _GROWTH**step * row_weights, penalties) for program in programs]
        norms = np.sqrt(sum(weights**2 for weights, _ in found))
        entered = np.flatnonzero((norms > 0) & (scores == 0))
        if step == 0:
            first, scores = norms, norms.copy()
        elif len(entered):
            score_below(scores, entered, norms[entered])
        if scores.all() or sum(float(losses.sum()) for _, losses in found) <= _NO_LOSS:
            break
    return first, scores


def concave_svm_weights(
    columns: Floats, signs: Floats, row_weights: Floats, suppression: float, steepness: float
) -> Floats:
    """The norms of the weights of SVMs with a concave penalty, by successive linearization from w = 0 on."""
    squares = np.zeros(len(columns))
    for own in signs if len(columns) else ():
        of_class = [row_weights[own == sign].sum() for sign in (-1.0, 1.0)]
        costs = (1 - suppression) * row_weights / np.where(own > 0, of_class[1], of_class[0])
        program = HingeProgram(columns, own)
        weights = np.zeros(len(columns))
        loss = float(costs.sum())  # at w = 0 and b = 0 every row has a hinge loss of one
        for _ in range(_MAX_PROGRAMS):
            penalties = suppression * steepness * np.exp(-steepness * weights)
            found, losses = program.solve(costs, penalties)
            last_weights, last_loss = weights, loss
            weights, loss = np.abs(found), float(costs @ losses)
            if last_loss - loss + float(penalties @ (last_weights - weights)) < _CONVERGED:
                break
        squares += weights**2
    return np.sqrt(squares)


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
        problem = f"The linear program of these columns was not solved ({found.message})"
        raise InvalidInput(f"{problem} Use scale='std', or other costs.")
    return found
