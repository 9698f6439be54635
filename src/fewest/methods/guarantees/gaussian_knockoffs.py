"""Gaussian knockoffs of second order: copies of columns with their means and covariances."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from fewest.arrays import Floats, Indices
from fewest.memory import COLUMN_PAIRS, check_memory
from fewest.threads import one_blas_thread

CONSTRUCTIONS = ("auto", "mvr", "equicorrelated")
#: Up to this number of columns "auto" is "mvr", whose sweeps then take a few seconds.
MOST_MVR_COLUMNS = 500
#: Arrays of columns by columns that are held at a time.
_N_ARRAYS = 5
#: The least eigenvalue of a correlation matrix that is inverted.
_LEAST_EIGENVALUE = 0.01
#: Of the largest equicorrelated distance: at the largest itself a matrix is singular.
_OF_LARGEST = 0.99
#: Added to the variances of what is drawn, of which the columns have 1.
_JITTER = 1e-10
#: Sweeps over the columns, and the change of distances, which are at most 2, below which they end.
_MOST_SWEEPS, _LEAST_CHANGE = 50, 1e-3


def check_covariance(n_columns: int) -> None:
    """Raise, before any data are read, where the covariances of the columns take too much memory."""
    check_memory(
        8.0 * _N_ARRAYS * n_columns**2,
        COLUMN_PAIRS,
        f"Gaussian knockoffs need the covariances of all pairs of columns, and those of {n_columns:,} columns take",
        "Use kind='permuted' (--set kind=permuted), whose copies need none, or choose columns first, such as by "
        "FisherScore(n_features=1000).",
    )


@dataclass(frozen=True)
class GaussianCopies:
    """What copies of rows are drawn with.

    Copies have the means and covariances of the columns, among themselves and with each other column; a column and its
    own copy are as far apart as the construction can make them. Rows are taken to be independent draws of a Gaussian.

    powers : of two, by which columns are divided, so that those of extreme sizes have a variance
    mean, deviation : of the columns in these units
    solved, root : see conditional()
    shrinkage : by how much the correlations were shrunk towards zero
    """

    powers: Indices
    mean: Floats
    deviation: Floats
    solved: Floats
    root: Floats
    shrinkage: float

    @classmethod
    def of(cls, parts: Callable[[], Iterable[Floats]], construction: str) -> GaussianCopies:
        """Return what is needed of the rows.

        parts : gives all rows, some at a time, without constant columns; it is called three times
        construction : "equicorrelated": one distance for all columns; "mvr": the distances that make a column hardest
            to reconstruct from the others and the copies; "auto": by the number of columns
        """
        with one_blas_thread():
            largest = np.max([np.abs(part).max(axis=0) for part in parts()], axis=0)
            powers = np.frexp(largest)[1]
            n_rows, total = 0, np.zeros(len(powers))
            for part in parts():
                n_rows += len(part)
                total += np.ldexp(part, -powers).sum(axis=0)
            mean = total / n_rows
            products = np.zeros((len(powers), len(powers)))
            for part in parts():
                centred = np.ldexp(part, -powers) - mean
                products += centred.T @ centred
            deviation = np.sqrt(np.diagonal(products) / n_rows)
            unit = np.where(deviation > 0, deviation, 1.0)
            correlation, shrinkage = shrunk(products / n_rows / np.outer(unit, unit))
            use_mvr = construction == "mvr" or (construction == "auto" and len(powers) <= MOST_MVR_COLUMNS)
            distances = mvr_distances(correlation) if use_mvr else equicorrelated_distances(correlation)
            solved, root = conditional(correlation, distances)
            return cls(powers, mean, deviation, solved, root, shrinkage)

    def draw(self, part: Floats, noise: Floats) -> Floats:
        """Return copies of some rows, from standard normal noise of the same shape."""
        with one_blas_thread():
            standard = np.ldexp(part, -self.powers) - self.mean
            np.divide(standard, self.deviation, out=standard, where=self.deviation > 0)
            copies = standard - standard @ self.solved + noise @ self.root.T
            with np.errstate(over="ignore"):
                copies = np.ldexp(self.mean + self.deviation * copies, self.powers)
            limit = np.finfo(float).max
            return np.clip(copies, -limit, limit)


def shrunk(correlation: Floats) -> tuple[Floats, float]:
    """Return (1 - a) C + a I of correlations C, and the least a with which eigenvalues are at least 0.01.

    No more than that, as Ledoit and Wolf's would be: with correlations shrunk further, a column that correlates with a
    relevant one scores higher than its copy, and the false discovery rate is lost.
    """
    least = max(0.0, _least_eigenvalue(correlation))
    shrinkage = (_LEAST_EIGENVALUE - least) / (1 - least) if least < _LEAST_EIGENVALUE else 0.0
    correlation = correlation * (1 - shrinkage)
    correlation[np.diag_indices(len(correlation))] = 1.0
    return correlation, shrinkage


def _least_eigenvalue(matrix: Floats) -> float:
    return float(linalg.eigvalsh(matrix, subset_by_index=[0, 0])[0])


def equicorrelated_distances(correlation: Floats) -> Floats:
    """Return s = min(1, 2 least eigenvalue) for every column; the covariance of a column and its copy is 1 - s."""
    least = _least_eigenvalue(correlation)
    return np.full(len(correlation), _OF_LARGEST * min(1.0, 2 * least))


def mvr_distances(correlation: Floats) -> Floats:
    """Return the distances s that minimise trace((2 C - diag s)^-1) + sum 1 / s_j, by coordinate descent.

    That is half the trace of the inverse of the joint covariance of columns and copies, up to a constant: the variances
    of a column given all others are then large (Spector and Janson 2022, minimum variance-based reconstructability).
    In one coordinate d = (1 - r s_j) / (r + M_jj) is to be added, with M = (2 C - diag s)^-1 and r = |M e_j|.
    Costs a matrix product a sweep.
    """
    distances = equicorrelated_distances(correlation)
    for _ in range(_MOST_SWEEPS):
        before = distances.copy()
        # Anew in every sweep, so that rounding does not add up.
        inverse = linalg.inv(2 * correlation - np.diag(distances))
        for j in range(len(distances)):
            column = inverse[:, j].copy()
            length = float(np.sqrt(column @ column))
            change = (1 - length * distances[j]) / (length + column[j])
            distances[j] += change
            inverse += np.outer(column, column * (change / (1 - change * column[j])))
        # Not by the loss, of which nearly equal columns may have nearly all.
        if np.abs(distances - before).max() < _LEAST_CHANGE:
            break
    return distances


def conditional(correlation: Floats, distances: Floats) -> tuple[Floats, Floats]:
    """Return C^-1 S and L: given standardized columns x, copies are x - x C^-1 S + noise L', L L' = 2 S - S C^-1 S."""
    solved = linalg.solve(correlation, np.diag(distances), assume_a="pos")
    spread = 2 * np.diag(distances) - distances[:, None] * solved
    spread = (spread + spread.T) / 2
    # Positive definite but for rounding, where columns are copies of each other. By no eigenvectors: a last digit may
    # turn these round.
    spread[np.diag_indices(len(spread))] += _JITTER
    return np.asarray(solved), np.asarray(linalg.cholesky(spread, lower=True))
