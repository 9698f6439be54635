"""Column generation for the relaxed program: the best kernel weights of any size, solved on the columns that matter."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from fewest.arrays import Indices
from fewest.methods.margins.mkl.active_set import ActiveSet, polish, predict_active_set
from fewest.methods.margins.mkl.fixed_subset import solve_svms
from fewest.methods.margins.mkl.interior_point import InteriorPointMethod
from fewest.methods.margins.mkl.kernel_weight_newton import KernelWeightNewton
from fewest.methods.margins.mkl.mkl_program import MklProgram, MklSolution, certified_solution, initial_alpha

#: A duality gap within this share of the value is closed; by Newton's method, whose last step leaves hardly any.
_CLOSED, _CLOSED_BY_NEWTON = 1e-12, 1e-13
#: Above this gap a warm start is repeated from the default start.
_NEARLY_CLOSED = 1e-8
#: Up to this number of columns all are used from the start.
_ALL_COLUMNS = 600
#: With more: the number of columns to start with, and at least how many for each that is to be selected.
_START_COLUMNS, _START_COLUMNS_EACH = 250, 6
#: The same for Newton's method, which uses all columns up to 1.3 times these.
_START_NEWTON_COLUMNS, _START_NEWTON_COLUMNS_EACH = 160, 3
#: The tolerance to which the program is solved before columns are added, and how often that is done at most.
_ROUGH, _MAX_ROUGH_ROUNDS = 1e-2, 12
#: The number of failures in a row after which the active set of the last size is no longer tried.
_MAX_FAILURES = 2
#: Up to this number of columns, fewer than rows, several SVMs are solved by Newton's method in the kernel weights.
_NEWTON_COLUMNS = 600
#: A squared projection exceeds another from this relative difference on.
_LARGER = 1e-10

Method: TypeAlias = InteriorPointMethod | KernelWeightNewton


class ColumnGeneration:
    """Solve the relaxed program for one size after another, each from the solution of the last.

    Most columns of a wide table have kernel weight 0. The program is solved on the columns with the largest
    projections; columns outside whose projections exceed those of columns with 0 < p < 1 are added until there are
    none: the solution is then that of all columns.
    """

    def __init__(self, program: MklProgram) -> None:
        self.program = program
        #: The columns that the last solution was computed on.
        self.working_columns: Indices = np.empty(0, dtype=np.intp)
        self._last: MklSolution | None = None
        #: The active set of the last solution, over all columns, and how often in a row it did not lead to the next.
        self._active: ActiveSet | None = None
        self._n_failures = 0

    def solve(self, size: int) -> MklSolution:
        """The best kernel weights of this size."""
        program = self.program
        if size >= program.n_columns:
            return solve_svms(program)
        columns, near = self._first_columns(size), self._last
        solution = self._from_last_active_set(columns, size)
        for _ in range(_MAX_ROUGH_ROUNDS):
            if solution is not None:
                break
            # A rough solution already shows which columns are missing.
            method = self._method(columns, size, near)
            method.run(_ROUGH)
            rough = self._over_all(columns, size, method.solution())
            more = self._missing(columns, rough, size, 0.0)
            if len(more) == 0:
                solution = self._over_all(columns, size, self._solve_with(method, columns, size))
                break
            near, columns = rough, self._with_missing(columns, more, rough, size)
        while solution is None or len(more := self._missing(columns, solution, size, _LARGER)):
            if solution is not None:
                columns = np.union1d(columns, more)
                near = solution if self._is_newton(len(columns)) else near
            method = self._method(columns, size, near)
            solution = self._over_all(columns, size, self._solve_with(method, columns, size))
        self._last, self.working_columns = solution, columns
        return solution

    def _missing(self, columns: Indices, solution: MklSolution, size: int, tolerance: float) -> Indices:
        """Columns outside whose squared projections exceed the size-th largest of the working columns."""
        squares = solution.squared_projections
        level = float(np.partition(squares[columns], len(columns) - size)[len(columns) - size])
        is_larger = squares > level * (1 + tolerance)
        is_larger[columns] = False
        more = np.flatnonzero(is_larger)
        return more[np.argsort(-squares[more], kind="stable")[: max(_START_COLUMNS // 2, 2 * size)]]

    def _with_missing(self, columns: Indices, more: Indices, rough: MklSolution, size: int) -> Indices:
        """The working columns and those missing.

        For Newton's method columns of kernel weight 0 are left out beyond the number of a start, those with the
        smallest projections first: few columns have a weight, and a step costs the cube of the columns.
        """
        joined = np.union1d(columns, more)
        if not self._is_newton(len(joined)):
            return joined
        needed = np.union1d(np.flatnonzero(rough.kernel_weights), more)
        others = np.setdiff1d(joined, needed)
        order = np.argsort(-rough.squared_projections[others], kind="stable")
        return np.union1d(needed, others[order[: max(self._n_start(size) - len(needed), 0)]])

    def _is_newton(self, n_columns: int) -> bool:
        """Whether the program on this number of columns is solved by Newton's method in the kernel weights."""
        n_svms, n_rows = self.program.signs.shape
        return bool(n_svms > 1 and n_columns <= min(_NEWTON_COLUMNS, n_rows - 1))

    def _n_start(self, size: int) -> int:
        """The number of columns to start with; all columns where there are few more."""
        n_newton = max(_START_NEWTON_COLUMNS, _START_NEWTON_COLUMNS_EACH * size)
        if self._is_newton(min(2 * n_newton, self.program.n_columns)):
            return n_newton if self.program.n_columns > 1.3 * n_newton else self.program.n_columns
        n_start = max(_START_COLUMNS, _START_COLUMNS_EACH * size)
        return n_start if self.program.n_columns > max(_ALL_COLUMNS, 3 * n_start) else self.program.n_columns

    def _first_columns(self, size: int) -> Indices:
        n_columns, n_start = self.program.n_columns, self._n_start(size)
        if n_start == n_columns:
            return np.arange(n_columns)
        last = self._last
        projections = self.program.projections(initial_alpha(self.program, size)) if last is None else last.projections
        order = np.argsort(-np.square(projections).sum(axis=0), kind="stable")
        if last is not None:
            taken = np.flatnonzero(last.kernel_weights > 0)
            return np.union1d(taken, order[: max(n_start // 2, len(taken) + size)])
        return np.sort(order[:n_start])

    def _part(self, columns: Indices) -> MklProgram:
        return self.program if len(columns) == self.program.n_columns else self.program.with_columns(columns)

    def _method(self, columns: Indices, size: int, near: MklSolution | None) -> Method:
        start = None if near is None else replace(near, kernel_weights=near.kernel_weights[columns])
        part = self._part(columns)
        return (KernelWeightNewton if self._is_newton(len(columns)) else InteriorPointMethod)(part, size, start)

    def _over_all(self, columns: Indices, size: int, found: MklSolution) -> MklSolution:
        """The solution on these columns as one of all columns, with value and bound."""
        kernel_weights = np.zeros(self.program.n_columns)
        kernel_weights[columns] = found.kernel_weights
        return certified_solution(self.program, size, kernel_weights, found.alpha, found.intercepts)

    def _from_last_active_set(self, columns: Indices, size: int) -> MklSolution | None:
        """The solution by polishing the active set of the last size; None where that does not close the gap."""
        if self._active is None or self._last is None or self._n_failures > _MAX_FAILURES:
            return None
        signs = np.where(self._last.projections[0, columns] < 0, -1.0, 1.0)
        is_full, is_partial = self._active.is_full[columns], self._active.is_partial[columns]
        last_active = replace(self._active, is_full=is_full, is_partial=is_partial)
        polished = polish(self._part(columns), size, last_active, signs)
        if polished is None or polished[0].duality_gap > _CLOSED:
            self._n_failures += 1
            return None
        self._n_failures = 0
        self._remember(polished[1], columns)
        return self._over_all(columns, size, polished[0])

    def _solve_with(self, method: Method, columns: Indices, size: int) -> MklSolution:
        """The optimum from the current point of the method; from the default start where the gap is not closed."""
        best = self._run_to_optimum(method, columns, size)
        if best.duality_gap > _NEARLY_CLOSED:
            again = self._run_to_optimum(InteriorPointMethod(method.program, size), columns, size)
            best = again if again.duality_gap < best.duality_gap else best
        return best

    def _run_to_optimum(self, method: Method, columns: Indices, size: int) -> MklSolution:
        program = method.program
        best: MklSolution | None = None
        if isinstance(method, KernelWeightNewton) or len(program.signs) > 1:
            method.run(_CLOSED_BY_NEWTON if isinstance(method, KernelWeightNewton) else 1e-10)
            return method.solution()
        for tolerance in (1e-5, 1e-8, 1e-11):
            method.run(tolerance)
            found = method.solution()
            best = found if best is None or found.duality_gap < best.duality_gap else best
            signs = np.where(found.projections[0] < 0, -1.0, 1.0)
            polished = polish(program, size, predict_active_set(method.point, program.caps), signs)
            if polished is not None and polished[0].duality_gap < best.duality_gap:
                best = polished[0]
                self._remember(polished[1], columns)
            if best.duality_gap <= _CLOSED:
                break
        assert best is not None
        return best

    def _remember(self, active: ActiveSet, columns: Indices) -> None:
        is_full, is_partial = np.zeros((2, self.program.n_columns), dtype=bool)
        is_full[columns], is_partial[columns] = active.is_full, active.is_partial
        self._active = replace(active, is_full=is_full, is_partial=is_partial)
