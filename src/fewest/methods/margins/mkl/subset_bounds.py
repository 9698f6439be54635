"""Lower bounds of w of subsets of columns, from the SVMs of other subsets."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.constraints import ColumnConstraints
from fewest.methods.margins.mkl.mkl_program import MklSolution
from fewest.searches.constrained_sums import largest_sum

#: The number of subsets whose lower bounds are kept.
_MAX_CUTS = 60


class SubsetBounds:
    """Lower bounds of w from earlier subsets: a constant minus the sum of the squared projections of the columns."""

    def __init__(self) -> None:
        self._constants: list[float] = []
        self._squares: list[Floats] = []

    def add(self, solution: MklSolution, columns: Indices) -> None:
        squares = solution.squared_projections
        self._constants = [*self._constants[-_MAX_CUTS:], solution.bound + float(squares[columns].sum())]
        self._squares = [*self._squares[-_MAX_CUTS:], squares]

    def add_relaxed(self, relaxed: MklSolution, size: int) -> None:
        """Add the bound that the relaxed program of a size gives."""
        squares = relaxed.squared_projections
        highest = np.sort(squares)[max(len(squares) - size, 0) :]
        self._constants = [*self._constants[-_MAX_CUTS:], relaxed.bound + float(highest.sum())]
        self._squares = [*self._squares[-_MAX_CUTS:], squares]

    def least(self, size: int, constraints: ColumnConstraints) -> float:
        """A lower bound of w of all subsets up to a size that constraints allow."""
        return max(
            constant - largest_sum(squares, size, constraints)
            for constant, squares in zip(self._constants, self._squares, strict=True)
        )

    def bounds(self, columns: Indices, leaving: Indices, entering: Indices) -> Floats:
        """A lower bound of w after each exchange."""
        squares = np.array(self._squares)
        constants = np.array(self._constants) - squares[:, columns].sum(axis=1)
        return np.asarray((constants[:, None] + squares[:, leaving] - squares[:, entering]).max(axis=0))
