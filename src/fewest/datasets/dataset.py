"""A table, the class of each of its rows, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from fewest.arrays import Floats


# Compared by identity: == between arrays is an array, not an answer.
@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with their classes.

    X : float64, rows by columns
    y : the label of each row
    feature_names : the name of each column
    target_name : the name of the label
    name : what `load` knows it by
    truth : the columns known to carry the class, ascending; None where nobody knows
    """

    X: Floats = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    feature_names: list[str] = field(repr=False)
    target_name: str
    name: str
    truth: tuple[int, ...] | None = None
