"""Unequal classes, made by hiding rows of one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from contextlib import suppress

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Indices
from fewest.datasets.dataset import random_stream
from fewest.errors import InvalidInput, InvalidParameter
from fewest.parameters import check_not_negative


def hide_class(y: ArrayLike, share: float = 0.8, label: Hashable = None, seed: int = 0) -> Indices:
    """Return the rows that are left when a share of the rows of one class is hidden, chosen at random.

    Use the answer on the table and on the labels: `rows = hide_class(y)`, then `X[rows]` and `y[rows]`.

    Parameters
    ----------
    y : array-like
        The label of each row, of at least two classes. Rows without a label stay.
    share : float, default=0.8
        How much of the class to hide, from 0 up to but not including 1. Of a class of m rows the nearest whole number
        to share · m is hidden, but never the last row: the class stays a class.
    label : default=None
        Which class; None for the smallest, and of several as small the one first in order.
    seed : int, default=0
        The same seed hides the same rows.

    Returns
    -------
    ndarray of int
        The rows to keep, ascending.

    See Also
    --------
    add_probes : Columns that are independent of the class.

    References
    ----------
    Yang, Hu 2012, Discriminative Feature Selection by Nonparametric Bayes Error Minimization, Section 5.1: 80 % of the
    minority class is hidden. https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest.datasets import hide_class, load
    >>> iris = load("iris")
    >>> rows = hide_class(iris.y, share=0.8)
    >>> X, y = iris.X[rows], iris.y[rows]
    >>> len(rows)
    110
    """
    check_not_negative("share", share, below=1)
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise InvalidInput(f"y must be one label a row, got an array of shape {labels.shape} instead.")
    random = random_stream(seed, "hide-class")
    values: list[Hashable] = labels.tolist()
    counts = Counter(value for value in values if _is_label(value))
    if any(isinstance(value, float) and not value.is_integer() for value in counts):
        raise InvalidInput("The labels look like a continuous quantity, not like classes. Cut it into classes first.")
    if len(counts) < 2:
        raise InvalidInput(f"y must have at least two classes, got {len(counts)} instead: {list(counts)}.")
    hidden = _choose_class(counts, label)
    rows = np.array([row for row, value in enumerate(values) if _is_label(value) and value == hidden], dtype=np.intp)
    n_hidden = min(round(float(share) * len(rows)), len(rows) - 1)
    is_kept = np.ones(len(labels), dtype=bool)
    is_kept[random.permutation(rows)[:n_hidden]] = False
    return np.flatnonzero(is_kept)


def _choose_class(counts: Counter[Hashable], label: Hashable) -> Hashable:
    """The class named, or the smallest; of several as small the first in order."""
    in_order: list[Hashable] = sorted(counts, key=lambda value: (type(value).__name__, str(value)))
    with suppress(TypeError):  # labels of different types cannot be compared
        in_order = np.sort(np.fromiter(counts, dtype=object, count=len(counts))).tolist()
    if label is None:
        return min(in_order, key=counts.__getitem__)
    if label not in counts:
        names = ", ".join(map(repr, in_order))
        raise InvalidParameter(f"label must be a class of y ({names}), got {label!r} instead.")
    return label


def _is_label(value: Hashable) -> bool:
    """Whether a label is there: a missing one is None, NaN or NaT, which differ from themselves, or pandas' NA."""
    is_itself = value == value
    return value is not None and isinstance(is_itself, bool | np.bool_) and bool(is_itself)
