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

    def __init__(self, n_columns: int) -> None:
        self._n_added = 0
        self._constants = np.empty(_MAX_CUTS + 1)
        self._squares = np.empty((_MAX_CUTS + 1, n_columns))

    def add(self, solution: MklSolution, columns: Indices) -> None:
        """Add the bound of a subset, in the place of the oldest."""
        squares = solution.squared_projections
        self._add(solution.bound + float(squares[columns].sum()), squares)

    def add_relaxed(self, relaxed: MklSolution, size: int) -> None:
        """Add the bound that the relaxed program of a size gives."""
        squares = relaxed.squared_projections
        highest = np.sort(squares)[max(len(squares) - size, 0) :]
        self._add(relaxed.bound + float(highest.sum()), squares)

    def least(self, size: int, constraints: ColumnConstraints) -> float:
        """A lower bound of w of all subsets up to a size that constraints allow."""
        return max(
            float(constant) - largest_sum(squares, size, constraints)
            for constant, squares in zip(*self._known(), strict=True)
        )

    def bounds(self, columns: Indices, leaving: Indices, entering: Indices) -> Floats:
        """A lower bound of w after each exchange."""
        constants, squares = self._known()
        constants = constants - squares[:, columns].sum(axis=1)
        return np.asarray((constants[:, None] + squares[:, leaving] - squares[:, entering]).max(axis=0))

    def _add(self, constant: float, squares: Floats) -> None:
        index = self._n_added % len(self._constants)
        self._constants[index], self._squares[index] = constant, squares
        self._n_added += 1

    def _known(self) -> tuple[Floats, Floats]:
        return self._constants[: self._n_added], self._squares[: self._n_added]
