"""Linear SVMs with squared hinge loss, on nested subsets and on rescaled columns, solved to double precision."""

from __future__ import annotations

import numpy as np

from fewest._core import LinearSVMs
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput
from fewest.threads import one_blas_thread, thread_count

#: Weights that differ by less are ties.
TIE = 1e-12
#: The shares of columns left at which SVMs are solved anew, where their unknowns are those of rows or of columns.
_RENEWED_ROWS, _RENEWED_COLUMNS = 0.5, 0.75
#: The share of the sum of squares of all columns at which they are solved anew too: products of rows have the rounding
#: errors of the columns that were taken out of them.
_RENEWED_SQUARES = 1e-3
#: Elimination goes on by rows until there are this number of times fewer columns.
_FEWER_COLUMNS = 3
#: Up to this number of columns SVMs that rounding errors leave unsolved by rows are solved by columns.
_MOST_BY_COLUMNS = 2000
#: Up to this number of columns of very different sizes are solved by columns, anew for every subset. They are where the
#: sum of squares of one is this number of times that of another, and its rounding errors this share of the penalty.
_FEW_COLUMNS, _UNEQUAL, _MOST_ROUNDING = 500, 1e6, 1e-8
#: Rescaling ends when no share changes by more than this, or after this number of SVMs.
_CONVERGED, _MAX_RESCALINGS = 1e-6, 30
#: A scaling factor below this share of the largest drops its column.
_MIN_FACTOR = 1e-10
#: Below this largest factor no column matters, and squares would underflow.
_ALL_ZERO = 1e-140


class NestedLinearSvms:
    """Linear SVMs on subsets of columns; where columns are dropped they are solved from the last solution.

    columns : (n_columns, n_rows), copied unless in C order, or in Fortran order where there are more rows than columns
    costs : (n_rows,), the penalty of the squared hinge loss of each row
    signs : (n_svms, n_rows), 1 or -1
    numbers : (n_columns,), the column numbers that decide ties
    """

    def __init__(self, columns: Floats, costs: Floats, signs: Floats, numbers: Indices) -> None:
        self._columns, self._costs, self._signs = columns, costs, signs
        self._numbers = numbers.astype(np.int64)
        #: The sum of squares of each column, of those of the compiled SVMs, and of those that are left of these.
        self._squares: Floats = np.einsum("ij,ij->i", columns, columns)
        self._n_threads = thread_count()
        self._is_in: Mask
        #: Whether the unknowns of the compiled SVMs are those of rows.
        self._by_rows: bool
        #: The columns of the compiled SVMs, some dropped by now, their numbers, and each column's position among them.
        self._compiled_columns: Integers
        self._compiled_numbers: Integers
        self._position: Integers
        self.compiled: LinearSVMs
        self._solve_anew(np.ones(len(columns), dtype=bool))

    def weight_norms(self) -> Floats:
        """The norm over the SVMs on all columns of each column's weights."""
        self._solve(np.ones(len(self._columns), dtype=bool))
        return weight_norms(self.compiled, len(self._columns))

    def weight_norms_on(self, subset: Indices) -> Floats:
        """The norm over the SVMs on a subset of each of its columns' weights."""
        is_in = np.zeros(len(self._columns), dtype=bool)
        is_in[subset] = True
        self._solve(is_in)
        return weight_norms(self.compiled, len(self._compiled_columns))[self._position[subset]]

    def smallest(self, subset: Indices, count: int) -> Indices:
        """The columns of the smallest weights in the SVMs on a subset, ascending; of ties the highest number first."""
        is_in = np.zeros(len(self._columns), dtype=bool)
        is_in[subset] = True
        self._solve(is_in)
        positions = np.empty(count, dtype=np.int64)
        self.compiled.least(self._compiled_numbers, TIE, positions)
        return self._compiled_columns[positions]

    def _solve(self, is_in: Mask) -> None:
        """Solve the SVMs on these columns."""
        dropped = np.flatnonzero(self._is_in > is_in)
        n_in = np.count_nonzero(is_in)
        share = _RENEWED_ROWS if self._by_rows else _RENEWED_COLUMNS
        if np.count_nonzero(self._is_in) - len(dropped) < n_in:
            self._solve_anew(is_in)
        elif len(dropped) and self._loses_digits(self._is_in):
            self._solve_anew(is_in, coefficients_of(self.compiled, self._signs))
        elif (
            n_in <= share * len(self._compiled_columns)
            or self._squares_left - self._squares[dropped].sum() <= _RENEWED_SQUARES * self._squares_compiled
        ):
            # From the columns themselves, before rounding errors of the updated products accumulate.
            start = coefficients_of(self.compiled, self._signs)
            del self.compiled  # and its copy of columns, before the next is made
            self._solve_anew(is_in, start)
        elif len(dropped):
            self.compiled.drop(self._position[dropped])
            if self.compiled.solve(self._n_threads):
                self._is_in = is_in
                self._squares_left -= float(self._squares[dropped].sum())
            else:
                self._solve_anew(is_in)

    def _solve_anew(self, is_in: Mask, start: Floats | None = None) -> None:
        self._is_in = is_in
        self._compiled_columns = np.flatnonzero(is_in)
        with np.errstate(over="ignore"):  # what overflows is refused below
            self._squares_compiled = self._squares_left = float(self._squares[is_in].sum())
        self._compiled_numbers = self._numbers[self._compiled_columns]
        self._position = np.cumsum(is_in) - 1
        columns = self._columns
        if len(self._compiled_columns) < len(columns):
            columns = _take_columns(columns, self._compiled_columns)
        # While columns are eliminated few rows have a loss, and products of rows stay the faster ones for longer.
        n_columns, n_rows = columns.shape
        is_faster = n_rows <= (_FEWER_COLUMNS if start is not None and self._by_rows else 1) * n_columns
        self._by_rows = is_faster and not self._loses_digits(is_in)
        self.compiled = solve_linear_svms(columns, self._costs, self._signs, start, by_rows=self._by_rows)

    def _loses_digits(self, is_in: Mask) -> bool:
        """Whether rounding errors of large columns would change the weights of small ones; False for many columns."""
        if np.count_nonzero(is_in) > _FEW_COLUMNS:
            return False
        squares = self._squares[is_in & (self._squares > 0)]
        if len(squares) == 0:
            return False
        largest = float(squares.max())
        rounding = float(np.finfo(float).eps) * largest * 2 * float(self._costs.max(initial=0.0))
        return rounding > _MOST_ROUNDING and largest > _UNEQUAL * float(squares.min())


def _take_columns(columns: Floats, subset: Indices) -> Floats:
    """(len(subset), n_rows) some columns, in the memory order that they have."""
    return columns[subset] if columns.flags.c_contiguous else np.take(columns.T, subset, axis=1).T


def solve_linear_svms(
    columns: Floats, costs: Floats, signs: Floats, start: Floats | None = None, *, by_rows: bool
) -> LinearSVMs:
    """Solve linear SVMs with squared hinge loss and a penalized intercept, one for each line of signs.

    start : (n_svms, n_rows), the coefficients of a similar problem: the rows where they are zero have no loss at first
    by_rows : whether the unknowns are coefficients of rows, not weights of columns: best where rows are fewer
    """
    table = np.ascontiguousarray(columns if by_rows else columns.T)
    gram = np.empty((0, 0))
    with np.errstate(over="ignore"), one_blas_thread():
        if not np.isfinite(np.vdot(table, table) * costs.max(initial=0.0)):
            problem = "Products of rows overflow: input contains a value too large, or C is."
            raise InvalidInput(f"{problem} Use scale='std', or a smaller C.")
        if by_rows:
            gram = table.T @ table + 1.0
    svms = LinearSVMs(table, costs, signs, gram, np.zeros(signs.shape) if start is None else start)
    if not svms.solve(thread_count()):
        if start is not None:
            return solve_linear_svms(columns, costs, signs, by_rows=by_rows)
        if by_rows and len(columns) <= _MOST_BY_COLUMNS:
            # Products of columns keep more digits of small ones.
            return solve_linear_svms(columns, costs, signs, by_rows=False)
        problem = (
            "The linear SVMs cannot be solved in double precision: columns differ too much in size, or C is too large."
        )
        raise InvalidInput(f"{problem} Use scale='std', or a smaller C.")
    return svms


def coefficients_of(svms: LinearSVMs, signs: Floats) -> Floats:
    """(n_svms, n_rows) the coefficients with which the rows add up to the weights; zero for a row without loss."""
    coefficients = np.empty(signs.shape)
    svms.coefficients(coefficients)
    return coefficients


def weight_norms(svms: LinearSVMs, n_columns: int) -> Floats:
    """The norm over the SVMs of each column's weights."""
    norms = np.empty(n_columns)
    svms.norms(norms)
    return norms


def rescaled_svm_shares(columns: Floats, signs: Floats, costs: Floats) -> tuple[Floats, Floats]:
    """The shares of columns that are repeatedly multiplied by their SVM weights, and scores that rank all columns.

    A column whose factor falls below 1e-10 of the largest is dropped, with share 0, and scores below later ones.
    """
    left = np.arange(len(columns))
    factors = np.ones(len(left))
    shares = factors / max(len(left), 1)
    dropped: list[tuple[Indices, Floats]] = []
    coefficients = None
    for _ in range(_MAX_RESCALINGS if len(left) else 0):
        scaled = _take_columns(columns, left)
        scaled *= factors[:, None]
        svms = solve_linear_svms(scaled, costs, signs, coefficients, by_rows=len(costs) <= len(left))
        coefficients = coefficients_of(svms, signs)
        factors = factors * weight_norms(svms, len(left))
        del svms, scaled  # before the next copy of columns is made
        largest = float(factors.max())
        if largest < _ALL_ZERO:
            break
        last_shares, shares = shares, factors / factors.sum()
        change = float(np.abs(shares - last_shares).max())
        stays = factors >= _MIN_FACTOR * largest
        if not stays.all():
            dropped.append((left[~stays], shares[~stays]))
            left, factors, shares = left[stays], factors[stays], shares[stays]
        if change < _CONVERGED:
            break
    final = np.zeros(len(columns))
    final[left] = shares
    scores = final.copy()
    for out, last in reversed(dropped):
        # A column that never had a weight scores zero, like a constant one.
        score_below(scores, out[last > 0], last[last > 0])
    return final, scores


def score_below(scores: Floats, columns: Indices, weights: Floats) -> None:
    """Set positive scores of these columns below all positive scores, in the order of their weights."""
    least = min(scores[scores > 0].min(initial=np.inf), 1.0)
    _, ranks = np.unique(np.round(weights / max(weights.max(initial=0.0), TIE), 12), return_inverse=True)
    scores[columns] = least * (ranks + 1) / (len(weights) + 1)
