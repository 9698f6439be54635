"""A data set: a table, the class of each of its rows, and the columns known to matter; and its random numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats
from fewest.parameters import check_count


# Compared by identity: == between arrays is an array, not an answer.
@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with the class of each row, as `load` and the generators return it.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        The values, float64.
    y : array of shape (n_rows,)
        The label of each row.
    feature_names : list of str
        The name of each column.
    target_name : str
        The name of the label.
    name : str
        The name under which `load` finds it.
    truth : tuple of int, default=None
        The columns known to carry the class, ascending; None where nobody knows.

    See Also
    --------
    load : The data set of a name.

    Examples
    --------
    >>> from fewest.datasets import load
    >>> wine = load("wine")
    >>> wine.X.shape, wine.target_name, wine.feature_names[:3]
    ((178, 13), 'target', ['alcohol', 'malic_acid', 'ash'])
    """

    X: Floats = field(repr=False)
    y: NDArray[np.generic] = field(repr=False)
    feature_names: list[str] = field(repr=False)
    target_name: str
    name: str
    truth: tuple[int, ...] | None = None


def random_stream(seed: object, purpose: str) -> np.random.Generator:
    """The random numbers of a seed for one purpose: probes added to a table must not repeat its own noise."""
    entropy = check_count("seed", seed, at_least=0)
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(crc32(purpose.encode()),)))
