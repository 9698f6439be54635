"""The class of each row, and its weight."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Mask
from fewest.data.block import Block
from fewest.data.labels import MISSING, ClassLabels
from fewest.errors import InvalidInput

#: Up to here a float64 counts every one.
_LARGEST_TOTAL = 2.0**53
#: Several readers may meet a new class at once.
_ONE_AT_A_TIME = Lock()


class Labels:
    """Codes of labels that come a block at a time, with one rule for those that are missing."""

    def __init__(self, name: str | None = None, drop_unlabelled: bool = False) -> None:
        self.name = name
        self.drop_unlabelled = drop_unlabelled
        self._labels = ClassLabels()

    @property
    def classes(self) -> Sequence[Any]:
        return self._labels.values

    def encode(self, labels: NDArray[Any], first_row: int = 0) -> tuple[Codes, Mask | None]:
        """The codes, and which rows to keep (None: all)."""
        with _ONE_AT_A_TIME:
            codes = self._labels.encode(labels)
        is_missing = codes == MISSING
        if not is_missing.any():
            return codes, None
        if self.drop_unlabelled:
            return codes, ~is_missing
        rows = np.flatnonzero(is_missing)
        where = "y" if self.name is None else f"the target {self.name!r}"
        how = "scan(X, y, drop_unlabelled=True)" if self.name is None else "drop_unlabelled=True (--drop-unlabelled)"
        raise InvalidInput(
            f"Input y contains NaN or no label in {len(rows)} of {len(labels)} rows of {where} (first: row "
            f"{first_row + int(rows[0])}). Fill the labels in, or leave those rows out with {how}."
        )


class Target:
    """The labels and weights of rows that are in memory."""

    def __init__(
        self,
        labels: Any,
        weights: Any = None,
        *,
        name: str | None = None,
        drop_unlabelled: bool = False,
    ) -> None:
        self.labels = as_labels(labels)
        self._encoder = Labels(name, drop_unlabelled)
        self._encoded: tuple[Codes, Mask | None] | None = None
        self.weights = None if weights is None else check_weights(weights, len(self.labels))

    @property
    def classes(self) -> Sequence[Any]:
        return self._encoder.classes

    def check_length(self, n_rows: int) -> None:
        if len(self.labels) != n_rows:
            raise InvalidInput(
                f"X has {n_rows} rows but y has {len(self.labels)} labels (inconsistent numbers of samples). "
                "Give one label a row."
            )

    def keeps_all_rows(self) -> bool:
        """Whether every row has a label."""
        return self._encode()[1] is None

    def block(self, values: Any, rows: slice, columns: Sequence[int] | None = None) -> Block:
        """The block of these rows, whose values are given; rows without a label are left out of it."""
        codes, kept = self._encode()
        weights = None if self.weights is None else self.weights[rows]
        is_all = rows == slice(0, len(codes))
        block = Block(values, codes[rows], self.classes, weights, rows.start, columns=columns, is_all=is_all)
        return block if kept is None else block.take(np.flatnonzero(kept[rows]))

    def _encode(self) -> tuple[Codes, Mask | None]:
        if self._encoded is None:
            self._encoded = self._encoder.encode(self.labels)
        return self._encoded


def as_labels(labels: Any) -> NDArray[Any]:
    """Labels as an array of the values that they are."""
    if isinstance(labels, np.ma.MaskedArray):
        # What lies under the mask is not meant; a row without a label is.
        is_masked = np.ma.getmaskarray(labels)
        labels = np.array(labels.data, dtype=object)
        labels[is_masked] = None
    try:
        array = np.asarray(labels)
    except ValueError:
        raise InvalidInput("y should be a 1d array of labels, one a row; got lists of different lengths.") from None
    if array.ndim == 1 and array.dtype.kind in "US" and not hasattr(labels, "dtype"):
        # Of a list that holds some text NumPy makes text of everything: 1 becomes "1", and a gap a class named "nan".
        array = np.fromiter(labels, dtype=object, count=len(array))
    return array


def check_weights(weights: Any, n_rows: int, first_row: int = 0) -> Floats:
    """Weights as float64, one a row, finite and not negative."""
    try:
        if getattr(getattr(weights, "dtype", None), "kind", None) == "c":
            raise TypeError
        checked = np.asarray(weights, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidInput(
            f"sample_weight must be real numbers, one a row; got {type(weights).__name__} that holds something else."
        ) from None
    if checked.ndim == 0:
        checked = np.full(n_rows, float(checked))
    if checked.ndim != 1:
        raise InvalidInput(f"Sample weights must be 1D array or scalar, one number a row, got shape {checked.shape}.")
    if len(checked) != n_rows:
        raise InvalidInput(f"sample_weight has {len(checked)} numbers for {n_rows} rows. Give one a row.")
    wrong = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if len(wrong):
        raise InvalidInput(
            f"sample_weight must be finite and not negative, got {checked[wrong[0]]} in row {first_row + wrong[0]}. "
            "Mend it, or leave the row out."
        )
    with np.errstate(over="ignore"):
        total = checked.sum()
    if total > _LARGEST_TOTAL:
        raise InvalidInput(f"The weights add up to {total:.3g}. A weight is how often a row counts; scale them down.")
    return checked
