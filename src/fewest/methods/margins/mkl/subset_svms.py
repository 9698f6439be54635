"""SVMs on subsets of a table's columns: fits, relaxations and exchanges, each solved once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fewest import _core
from fewest.arrays import Floats, Indices, Mask
from fewest.methods.margins.mkl.column_generation import ColumnGeneration
from fewest.methods.margins.mkl.factorizations import DiagonalPlusProduct
from fewest.methods.margins.mkl.fixed_subset import CLOSED, estimate_exchange_gains, solve_svms
from fewest.methods.margins.mkl.mkl_program import MklProgram, MklSolution, certified_solution
from fewest.threads import one_blas_thread


class SubsetSvms:
    """Solve the SVMs of any subset and the relaxed program of any size, in the column indices of a table.

    program : the program of the columns that vary; other columns add nothing to a subset
    varying : the indices of these columns in the table
    is_observed : which columns of the table hold a value
    """

    def __init__(self, program: MklProgram, varying: Indices, is_observed: Mask) -> None:
        self.program = program
        self.varying = varying
        self.is_observed = is_observed
        self.n_columns, self.n_svms = len(is_observed), len(program.signs)
        self.relaxation = ColumnGeneration(program)
        self._relaxed: dict[int, MklSolution] = {}
        self._fitted: dict[tuple[int, ...], MklSolution] = {}
        self._position = np.full(self.n_columns, -1, dtype=np.intp)
        self._position[varying] = np.arange(len(varying))

    def relax(self, size: int) -> MklSolution:
        """Solve the relaxed program: the best kernel weights of this size."""
        if size not in self._relaxed:
            with one_blas_thread():
                self._relaxed[size] = self._over_all(self.relaxation.solve(size))
        return self._relaxed[size]

    def fit(self, subset: Sequence[int] | Indices, near: MklSolution | None = None) -> MklSolution:
        """Solve the SVMs on a subset; `near`, the SVMs on a similar subset, is a warm start."""
        start = None if near is None else (near.alpha, near.intercepts)
        return self._over_all(self._fit(self._positions(subset), start))

    def value(self, subset: Sequence[int] | Indices) -> float:
        """Return w of a subset without keeping its SVMs."""
        positions = self._positions(subset)
        known = self._fitted.get(tuple(positions.tolist()))
        if known is not None:
            return known.value
        with one_blas_thread():
            return solve_svms(self.program.with_columns(positions)).value

    def exchange_gains(self, subset: Indices, others: Indices) -> Floats:
        """Estimate by how much w falls when each column of the subset is exchanged for each of the others."""
        gains = np.zeros((len(subset), len(others)))
        leaves, enters = self._position[subset] >= 0, self._position[others] >= 0
        own = self._position[subset[leaves]]
        with one_blas_thread():
            at, entering = self._fit(np.sort(own)), self._position[others[enters]]
            gains[np.ix_(leaves, enters)] = estimate_exchange_gains(self.program, own, entering, at)
        return gains

    def first_improving_exchange(
        self, subset: Indices, leaving: Indices, entering: Indices, bounds: Floats, limit: float, max_tries: int
    ) -> tuple[int, MklSolution] | None:
        """Find the first exchange of two columns after which w is below the limit: its index, and the SVMs after it.

        leaving, entering : the exchanges, by columns of the table; those of columns that do not vary are skipped
        bounds : a lower bound of w after each exchange
        max_tries : exchanges to solve for at most
        """
        inside, program = self._positions(subset), self.program
        leaves, enters = self._position[leaving], self._position[entering]
        usable = np.flatnonzero((leaves >= 0) & (enters >= 0))
        start = self._fit(inside)
        alpha, intercepts = start.alpha.copy(), start.intercepts.copy()
        index = _core.first_better_exchange(
            program.columns.T, program.signs, program.caps, program.ridges, inside,
            np.searchsorted(inside, leaves[usable]), enters[usable], bounds[usable], limit, max_tries,
            alpha, intercepts,
        )  # fmt: skip
        if index == len(usable):
            return None
        chosen = int(usable[index])
        after = np.sort(np.append(inside[inside != leaves[chosen]], enters[chosen]))
        if self.n_svms > 1:
            # Those after the exchange are solved already; to solve one once more takes no time.
            ones = np.ones(len(after))
            with one_blas_thread():
                found = certified_solution(program.with_columns(after), len(after), ones, alpha, intercepts)
                if found.duality_gap <= CLOSED:
                    self._keep(after, found)
        return chosen, self._over_all(self._fit(after, (alpha, intercepts)))

    def theorem_bound(self, size: int) -> float:
        """The paper's Theorem 6: the ratio of w after rounding the relaxed solution to the least w is at most this.

        1 / (1 - the largest eigenvalue of M^-1/2 B M^-1/2), M = K(p) + tau I, B = K(p) over columns with 0 < p < 1.
        """
        kernel_weights = self.relax(size).kernel_weights[self.varying]
        taken, is_partial = np.flatnonzero(kernel_weights > 0), (kernel_weights > 0) & (kernel_weights < 1)
        if not is_partial.any():
            return 1.0
        columns, ridges = self.program.columns, self.program.ridges
        partial = columns[:, is_partial] * np.sqrt(kernel_weights[is_partial])
        with one_blas_thread():
            matrix = DiagonalPlusProduct(columns[:, taken], ridges, kernel_weights[taken], len(taken) < len(ridges))
            share = float(np.linalg.eigvalsh(partial.T @ matrix.solve(partial))[-1])
        return 1 / (1 - share) if share < 1 else np.inf

    def _positions(self, subset: Sequence[int] | Indices) -> Indices:
        """The positions of the subset among the columns that vary, ascending; columns that do not are left out."""
        positions = np.sort(self._position[np.asarray(subset, dtype=np.intp)])
        return positions[positions >= 0]

    def _fit(self, positions: Indices, start: tuple[Floats, Floats] | None = None) -> MklSolution:
        key = tuple(positions.tolist())
        if key not in self._fitted:
            with one_blas_thread():
                self._keep(positions, solve_svms(self.program.with_columns(positions), start))
        return self._fitted[key]

    def _keep(self, positions: Indices, found: MklSolution) -> None:
        """Keep the SVMs on a subset, with the projections of all columns."""
        kernel_weights = np.zeros(self.program.n_columns)
        kernel_weights[positions] = 1.0
        projections = self.program.projections(found.alpha)
        kept = replace(found, kernel_weights=kernel_weights, projections=projections)
        self._fitted[tuple(positions.tolist())] = kept

    def _over_all(self, found: MklSolution) -> MklSolution:
        """The solution in the columns of the table."""
        if len(self.varying) == self.n_columns:
            return found
        kernel_weights, projections = np.zeros(self.n_columns), np.zeros((len(found.projections), self.n_columns))
        kernel_weights[self.varying], projections[:, self.varying] = found.kernel_weights, found.projections
        return replace(found, kernel_weights=kernel_weights, projections=projections)
