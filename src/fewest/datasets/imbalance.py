"""Unequal classes, made by hiding rows of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest.arrays import Codes, Indices
from fewest.data.labels import ClassLabels, sort_classes
from fewest.datasets.random_stream import random_stream
from fewest.errors import InvalidInput, InvalidParameter
from fewest.parameters import check_not_negative


def hide_class(y: Any, share: float = 0.8, label: Any = None, seed: int = 0) -> Indices:
    """The rows that are left when a share of the rows of one class is hidden, chosen at random.

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

    References
    ----------
    Yang and Hu, Discriminative feature selection by nonparametric Bayes error minimization, Section 5.1: 80 % of the
    minority class is hidden.
    """
    check_not_negative("share", share, below=1)
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise InvalidInput(f"y must be one label a row, got an array of shape {labels.shape} instead.")
    random = random_stream(seed, "hide-class")
    encoder = ClassLabels()
    codes = encoder.encode(labels)
    classes = encoder.values
    if len(classes) < 2:
        raise InvalidInput(f"y must have at least two classes, got {len(classes)} instead: {classes}.")
    rows = np.flatnonzero(codes == _choose_class(classes, codes, label))
    n_hidden = min(round(float(share) * len(rows)), len(rows) - 1)
    is_kept = np.ones(len(labels), dtype=bool)
    is_kept[random.permutation(rows)[:n_hidden]] = False
    return np.flatnonzero(is_kept)


def _choose_class(classes: list[Any], codes: Codes, label: Any) -> int:
    """The code of the class named, or of the smallest."""
    if label is None:
        # min keeps the first of equals, so a tie goes to the first in order and not in appearance.
        return min(sort_classes(classes), key=lambda code: int(np.count_nonzero(codes == code)))
    if label not in classes:
        in_order = ", ".join(repr(classes[code]) for code in sort_classes(classes))
        raise InvalidParameter(f"label must be a class of y ({in_order}), got {label!r} instead.")
    return classes.index(label)
