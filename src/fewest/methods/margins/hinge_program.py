"""The linear program of a machine whose weights cost their absolute values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.threads import one_blas_thread

#: So many columns are let into the program at a time.
_AT_ONCE = 100
#: A column whose price is exceeded by no more than this share stays out; as exact as the solver is.
_ALLOWED = 1e-7
#: Weights below this share of the largest are the solver's rounding.
_NOTHING = 1e-9


class HingeProgram:
    """min sum_j price_j |w_j| + sum_i cost_i max(0, 1 - sign_i (w . x_i + b)), solved exactly by HiGHS.

    Most columns of a wide table have no weight, so the program is solved with some of them, those are let in whose
    price is exceeded by what they would spare, and it is solved again, until there are none: then it is solved for all.
    The columns stay in when other prices or costs are asked for. Copies of a column are one column, and each is given
    its weight. Where several solutions are equally good HiGHS decides, the same way for the same columns.
    """

    def __init__(self, columns: Floats, signs: Floats) -> None:
        """columns : (n_columns, n_rows), copies side by side"""
        is_new = np.ones(len(columns), dtype=bool)
        is_new[1:] = (columns[1:] != columns[:-1]).any(axis=1)
        #: Which of the distinct columns each is.
        self._which = np.cumsum(is_new) - 1
        self._columns = columns[is_new] * signs
        self._signs = signs
        self._is_in = np.zeros(len(self._columns), dtype=bool)

    def solve(self, costs: Floats, prices: Floats) -> tuple[Floats, Floats]:
        """The weights of the columns, and the slack of the rows."""
        is_new = np.diff(self._which, prepend=-1) > 0
        prices = prices[is_new]
        if not self._is_in.any():
            self._let_in(costs * (1 - self._signs * np.average(self._signs, weights=costs)), np.zeros(len(prices)))
        while True:
            weights, slack, worth = self._solve_with(np.flatnonzero(self._is_in), costs, prices)
            if not self._let_in(worth, prices + _ALLOWED * np.maximum(prices, 1.0)):
                break
        weights[np.abs(weights) <= _NOTHING * np.abs(weights).max(initial=0.0)] = 0.0
        return weights[self._which], slack

    def _let_in(self, worth: Floats, prices: Floats) -> bool:
        """Let in columns that would spare more than they cost, those first that would most; whether there were any."""
        with one_blas_thread():
            spared = np.abs(self._columns @ worth) - prices
        able = np.flatnonzero((spared > 0) & ~self._is_in)
        self._is_in[able[np.argsort(-spared[able], kind="stable")][:_AT_ONCE]] = True
        return len(able) > 0

    def _solve_with(self, inside: Indices, costs: Floats, prices: Floats) -> tuple[Floats, Floats, Floats]:
        """The solution with these columns, and what a unit of slack is worth in each row."""
        solve = _solve_dual if len(costs) > len(inside) else _solve_primal
        own, intercept, worth = solve(self._columns[inside], self._signs, costs, prices[inside])
        weights = np.zeros(len(self._columns))
        weights[inside] = own
        with one_blas_thread():
            slack = 1.0 - own @ self._columns[inside] - intercept * self._signs
        return weights, np.maximum(slack, 0.0), worth


def _solve_primal(columns: Floats, signs: Floats, costs: Floats, prices: Floats) -> tuple[Floats, float, Floats]:
    """Weights, intercept and the worth of slack, from a program with one constraint a row."""
    n_columns, n_rows = columns.shape
    lines = sparse.csc_array(-columns.T)
    matrix = sparse.hstack([lines, -lines, sparse.csc_array(-signs[:, None]), -sparse.eye_array(n_rows)], format="csc")
    lowest = np.zeros(matrix.shape[1])
    lowest[2 * n_columns] = -np.inf
    found = _solved(
        np.concatenate([prices, prices, [0.0], costs]),
        A_ub=matrix,
        b_ub=-np.ones(n_rows),
        bounds=np.column_stack([lowest, np.full(len(lowest), np.inf)]),
    )
    weights = found.x[:n_columns] - found.x[n_columns : 2 * n_columns]
    return weights, float(found.x[2 * n_columns]), -np.asarray(found.ineqlin.marginals)


def _solve_dual(columns: Floats, signs: Floats, costs: Floats, prices: Floats) -> tuple[Floats, float, Floats]:
    """The same from the dual program, which has one constraint a column: max sum a, where what a spares in a column is
    within its price, the classes have as much of a, and no row more than its slack costs."""
    n_columns, n_rows = columns.shape
    matrix = sparse.block_array(
        [[sparse.csc_array(columns), -sparse.eye_array(n_columns)], [sparse.csc_array(signs[None, :]), None]],
        format="csc",
    )
    found = _solved(
        np.concatenate([-np.ones(n_rows), np.zeros(n_columns)]),
        A_eq=matrix,
        b_eq=np.zeros(n_columns + 1),
        bounds=np.column_stack([np.append(np.zeros(n_rows), -prices), np.append(costs, prices)]),
    )
    weights = -np.asarray(found.eqlin.marginals)
    return weights[:-1], float(weights[-1]), found.x[:n_rows]


def _solved(prices: Floats, **program: Any) -> Any:
    found = linprog(prices, method="highs", **program)
    if found.status != 0:
        raise InvalidInput(
            f"The linear program of these columns was not solved ({found.message}) Use scale='std', or other costs."
        )
    return found
