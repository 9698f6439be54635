"""The linear program of a machine whose weights cost their absolute values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from fewest.errors import InvalidInput
from fewest.threads import one_blas_thread

Floats = NDArray[np.float64]

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

    def _solve_with(self, inside: NDArray[np.intp], costs: Floats, prices: Floats) -> tuple[Floats, Floats, Floats]:
        """The solution with these columns, and what a unit of slack is worth in each row."""
        n_rows, n_inside = len(costs), len(inside)
        columns = sparse.csc_array(-self._columns[inside].T)
        matrix = sparse.hstack(
            [columns, -columns, sparse.csc_array(-self._signs[:, None]), -sparse.eye_array(n_rows)], format="csc"
        )
        lower = np.zeros(matrix.shape[1])
        lower[2 * n_inside] = -np.inf
        found = linprog(
            np.concatenate([prices[inside], prices[inside], [0.0], costs]),
            A_ub=matrix,
            b_ub=-np.ones(n_rows),
            bounds=np.column_stack([lower, np.full(len(lower), np.inf)]),
            method="highs",
        )
        if found.status != 0:
            raise InvalidInput(
                f"The linear program of these columns was not solved ({found.message}) Use scale='std', or other costs."
            )
        weights = np.zeros(len(self._columns))
        weights[inside] = found.x[:n_inside] - found.x[n_inside : 2 * n_inside]
        return weights, np.maximum(found.x[2 * n_inside + 1 :], 0.0), -np.asarray(found.ineqlin.marginals)
