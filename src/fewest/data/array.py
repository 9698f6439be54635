"""Rows of a NumPy array or a SciPy sparse matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Floats
from fewest.data.block import Block
from fewest.data.labels import Target, is_missing, shown
from fewest.data.source import Source
from fewest.data.sparse_matrix import Array, Matrix, checked_sparse, is_sparse
from fewest.errors import InvalidInput, InvalidType
from fewest.memory import CHUNK, MOST_COLUMNS

#: What float32 holds without loss; anything else that is not a float becomes float64.
_EXACT_IN_FLOAT32 = frozenset(np.dtype(t) for t in ("bool", "int8", "uint8", "int16", "uint16", "float16"))


class ArraySource(Source):
    """A two-dimensional array of numbers, with the class of each row.

    float32, float64, integers, CSR and CSC are handed on as they are; other types are converted a block at a time.
    """

    text_columns: Sequence[str] = ()
    is_in_memory = True
    block_bytes = CHUNK

    def __init__(
        self,
        values: object,
        target: Target,
        feature_names: Sequence[str] | None = None,
        row_arrays: Mapping[str, NDArray[np.generic]] | None = None,
    ) -> None:
        self.values: Matrix = _canonical(values) if is_sparse(values) else np.asarray(without_mask(values))
        if self.values.dtype.kind == "c":
            raise InvalidInput("Complex data not supported: split each column into its real and imaginary part.")
        if self.values.dtype.kind in "mM":
            raise InvalidType("Dates and durations are not numbers. Convert them, for example to days, first.")
        if self.values.dtype == bool and not is_sparse(self.values):
            self.values = self.values.view(np.uint8)
        check_columns(int(self.values.shape[1]))
        self.target = target
        target.check_length(self.values.shape[0])
        self.feature_names = feature_names
        self.n_features = int(self.values.shape[1])
        self.columns_at_once = self.n_features
        self.row_arrays = row_arrays or {}

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        n_rows = self.values.shape[0]
        if columns is None and _is_readable(self.values) and self.target.keeps_all_rows():
            yield self.target.block(self.values, slice(0, n_rows))
            return
        step = max(1, self.block_bytes // (8 * max(self.n_features if columns is None else len(columns), 1)))
        for first in range(0, n_rows, step):
            rows = slice(first, min(first + step, n_rows))
            values = self.values[rows] if columns is None else _columns(self.values[rows], columns)
            yield self.target.block(self._numbers(values, columns), rows, columns)

    def _numbers(self, values: Matrix, columns: Sequence[int] | None) -> Matrix:
        if _is_readable(values):
            return values
        if values.dtype in _EXACT_IN_FLOAT32:
            return values.astype(np.float32)
        try:
            return _to_float64(values)
        except Exception:  # what objects raise when they are made numbers is up to them
            return self._numbers_one_by_one(values, columns)

    def _numbers_one_by_one(self, values: Array, columns: Sequence[int] | None) -> Floats:
        """Objects as numbers, NaN where one is missing; the error names the first column that holds anything else."""
        numbers = np.empty(values.shape)
        for position in range(values.shape[1]):
            for row, value in enumerate(values[:, position].tolist()):
                try:
                    numbers[row, position] = to_number(value)
                except (TypeError, ValueError) as error:
                    column = position if columns is None else columns[position]
                    name = column if self.feature_names is None else self.feature_names[column]
                    raise (_NotANumber if isinstance(error, TypeError) else InvalidInput)(
                        f"Column {name!r} holds {shown(value)}, which is not a number (argument must be a string or a "
                        "number). Encode text as numbers or drop the column."
                    ) from None
        return numbers


def check_columns(n_columns: int) -> None:
    """Raise where a table has more columns than can be scored one by one; a sparse matrix may declare any number."""
    if n_columns > MOST_COLUMNS:
        raise InvalidInput(
            f"X has {n_columns:,} columns, and at most {MOST_COLUMNS:,} are allowed. Leave out those without an entry, "
            "such as by X[:, np.unique(X.indices)] of a CSR matrix, or hash names to fewer columns."
        )


class _NotANumber(InvalidInput, InvalidType):
    """An object that no conversion makes a number: wrong by its value and by its type."""


def to_number(value: Any) -> float:
    """An object as a number: NaN where it is missing, infinite where it is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")
    except Exception as error:
        if is_missing(value):
            return float("nan")
        if isinstance(error, TypeError | ValueError):
            raise
        raise TypeError(str(error)) from error


def _to_float64(values: Matrix) -> Matrix:
    # What float64 cannot hold becomes infinite, and is refused by name where it is summed.
    with np.errstate(over="ignore"):
        return values.astype(np.float64)


def _is_readable(values: Matrix) -> bool:
    """Whether the core reads these as they lie: native numbers, at whole multiples of their size from each other."""
    if is_sparse(values):
        return _is_native_float(values.dtype)
    is_native = _is_native_float(values.dtype) or (values.dtype.kind in "iu" and values.dtype.isnative)
    return is_native and all(stride % values.itemsize == 0 for stride in values.strides)


def _is_native_float(dtype: np.dtype[np.generic]) -> bool:
    return dtype in (np.dtype(np.float32), np.dtype(np.float64)) and dtype.isnative


def _columns(values: Matrix, columns: Sequence[int]) -> Matrix:
    if isinstance(columns, range) and columns.step == 1:
        return values[:, columns.start : columns.stop]
    return values[:, np.asarray(columns, dtype=np.intp)]


def without_mask(values: object) -> object:
    """Masked numbers as NaN; everything else as it is."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "biuf":
        return np.where(np.ma.getmaskarray(values), np.nan, values.data)
    return values


def _canonical(values: sparse.csr_matrix) -> sparse.csr_matrix:
    """CSR or CSC with each entry stored once, its indices in order; other formats become CSR. Never densified."""
    values = checked_sparse(values)
    if values.dtype.kind not in "biufc":
        raise InvalidType(f"A sparse matrix must hold numbers, got {values.dtype} instead.")
    if not values.has_canonical_format:
        values = values.copy()
        values.sum_duplicates()
    if not _is_native_float(values.dtype) and values.dtype.kind in "biuf":
        values = values.astype(np.float32) if values.dtype in _EXACT_IN_FLOAT32 else _to_float64(values)
    return values
