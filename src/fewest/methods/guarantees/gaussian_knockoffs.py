"""Gaussian knockoffs of second order: copies of columns with their means and covariances."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from fewest.arrays import Floats
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
#: Sweeps over the columns, and the relative change of the loss below which they end.
_MOST_SWEEPS, _LEAST_GAIN = 50, 1e-4


def check_covariance(n_columns: int) -> None:
    """Raise, before any data are read, where the covariances of the columns take too much memory."""
    check_memory(
        8.0 * _N_ARRAYS * n_columns**2,
        COLUMN_PAIRS,
        f"Gaussian knockoffs need the covariances of all pairs of columns, and those of {n_columns:,} columns take",
        "Use kind='permuted' (--set kind=permuted), whose copies need none, or choose columns first, such as by "
        "FisherScore(n_features=1000).",
    )


def gaussian_knockoffs(values: Floats, construction: str, seed: int) -> tuple[Floats, float]:
    """Return a copy of each column, and by how much the correlations were shrunk towards zero.

    Copies have the means and covariances of the columns, among themselves and with each other column; a column and its
    own copy are as far apart as `construction` can make them. Rows are taken to be independent draws of a Gaussian.

    values : rows by columns, none of them constant
    construction : "equicorrelated": one distance for all columns; "mvr": the distances that make a column hardest to
        reconstruct from the others and the copies (see mvr_distances)
    """
    with one_blas_thread():
        # In units of a power of two, so that columns of extreme sizes have a variance.
        powers = np.frexp(np.abs(values).max(axis=0))[1]
        near_one = np.ldexp(values, -powers)
        mean, deviation = near_one.mean(axis=0), near_one.std(axis=0)
        standard = np.divide(near_one - mean, deviation, out=np.zeros_like(near_one), where=deviation > 0)
        correlation, shrinkage = shrunk_correlation(standard)
        use_mvr = construction == "mvr" or (construction == "auto" and values.shape[1] <= MOST_MVR_COLUMNS)
        distances = mvr_distances(correlation) if use_mvr else equicorrelated_distances(correlation)
        noise = np.random.default_rng([seed, 1]).standard_normal(values.shape)
        copies = sample_knockoffs(standard, correlation, distances, noise)
        with np.errstate(over="ignore"):
            copied = np.ldexp(mean + deviation * copies, powers)
        largest = np.finfo(float).max
        return np.clip(copied, -largest, largest), shrinkage


def shrunk_correlation(standard: Floats) -> tuple[Floats, float]:
    """Return (1 - a) C + a I of standardized columns with correlations C, and the least a with eigenvalues of 0.01.

    No more than that, as Ledoit and Wolf's would be: with correlations shrunk further, a column that correlates with a
    relevant one scores higher than its copy, and the false discovery rate is lost.
    """
    n_rows, n_columns = standard.shape
    correlation = standard.T @ standard / n_rows
    least = max(0.0, _least_eigenvalue(correlation))
    shrinkage = max(0.0, (_LEAST_EIGENVALUE - least) / (1 - least)) if least < _LEAST_EIGENVALUE else 0.0
    correlation *= 1 - shrinkage
    correlation[np.diag_indices(n_columns)] = 1.0
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
    loss = np.inf
    for _ in range(_MOST_SWEEPS):
        # Anew in every sweep, so that rounding does not add up.
        inverse = linalg.inv(2 * correlation - np.diag(distances))
        new = float(np.trace(inverse) + np.sum(1 / distances))
        if new > loss * (1 - _LEAST_GAIN):
            break
        loss = new
        for j in range(len(distances)):
            column = inverse[:, j].copy()
            length = float(np.sqrt(column @ column))
            change = (1 - length * distances[j]) / (length + column[j])
            distances[j] += change
            inverse += np.outer(column, column * (change / (1 - change * column[j])))
    return distances


def sample_knockoffs(standard: Floats, correlation: Floats, distances: Floats, noise: Floats) -> Floats:
    """Return rows of X - X C^-1 S + noise L', with L L' = 2 S - S C^-1 S: the copies given the columns."""
    solved = linalg.solve(correlation, np.diag(distances), assume_a="pos")
    spread = 2 * np.diag(distances) - distances[:, None] * solved
    spread = (spread + spread.T) / 2
    # Positive definite but for rounding, where columns are copies of each other. By no eigenvectors: a last digit may
    # turn these round.
    spread[np.diag_indices(len(spread))] += _JITTER
    root = linalg.cholesky(spread, lower=True)
    return np.asarray(standard - standard @ solved + noise @ root.T)
