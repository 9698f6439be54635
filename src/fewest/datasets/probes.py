"""Columns without information, added to see which method selects them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Floats
from fewest.datasets.dataset import random_stream
from fewest.errors import InvalidInput, InvalidParameter
from fewest.parameters import check_count

_VARIANCE = 20.0


def add_probes(
    X: ArrayLike, n: int, kind: Literal["normal", "permuted", "uniform"] = "normal", seed: int = 0
) -> Floats:
    """Add n columns that are independent of the class to the right of a table.

    Parameters
    ----------
    X : array-like of numbers, rows by columns
        Left as it is; missing values stay missing.
    n : int
        How many columns to add. More of them leave the earlier ones as they are.
    kind : {"normal", "permuted", "uniform"}, default="normal"
        "normal": mean 0, variance 20. "uniform": the same mean and variance, on [-√60, √60]. "permuted": the columns
        of X in turn, each with its own rows in a random order, so that a probe is distributed as a real column is.
    seed : int, default=0
        The same seed adds the same columns; another call with the same seed adds them once more.

    Returns
    -------
    ndarray of float64
        X in the first columns, the probes after it.

    See Also
    --------
    hide_class : Unequal classes.

    References
    ----------
    Yang, Hu 2012, Discriminative Feature Selection by Nonparametric Bayes Error Minimization, Section 5.1, which adds
    50 normal probes to each data set. https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest.datasets import add_probes, load
    >>> add_probes(load("wine").X, 50).shape
    (178, 63)
    """
    table = _as_table(X)
    n = check_count("n", n, at_least=0)
    random = random_stream(seed, f"probes: {kind}")
    n_rows, n_columns = table.shape
    if kind == "normal":
        probes = np.sqrt(_VARIANCE) * random.standard_normal((n, n_rows))
    elif kind == "uniform":
        half_width = np.sqrt(3.0 * _VARIANCE)
        probes = random.uniform(-half_width, half_width, (n, n_rows))
    elif kind == "permuted":
        if n > 0 and n_columns == 0:
            raise InvalidInput("X has no columns to permute. Use kind='normal' or kind='uniform'.")
        permuted = [random.permutation(table[:, position % n_columns]) for position in range(n)]
        probes = np.reshape(permuted, (n, n_rows))
    else:
        raise InvalidParameter(f"kind must be 'normal', 'permuted' or 'uniform', got {kind!r} instead.")
    return np.ascontiguousarray(np.column_stack([table, probes.T]))


def _as_table(X: ArrayLike) -> Floats:
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(
            "X must be a dense table of numbers. Encode text as numbers, and call toarray() on a sparse matrix."
        ) from None
    if table.ndim != 2:
        raise InvalidInput(f"X must be rows by columns, got an array of shape {table.shape} instead.")
    return table
