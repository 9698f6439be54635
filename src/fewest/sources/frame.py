"""Rows of a pandas, polars or pyarrow table in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidInput
from fewest.labels import is_missing
from fewest.protocols import Block, Source
from fewest.sources.array import to_number
from fewest.sources.target import Target

_BLOCK_BYTES = 1 << 25


class FrameSource(Source):
    """A table with named columns, with the class of each row. Numbers and booleans become floats a block at a time."""

    def __init__(self, frame: Any, target: Target) -> None:
        self.frame: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        if not self.frame.columns:
            raise InvalidInput("The table has no feature columns. Give at least one.")
        self.target = target
        target.check_length(len(self.frame))
        self.feature_names = check_names(self.frame.columns)
        self.n_features = len(self.feature_names)
        self.columns_at_once = self.n_features
        self.text_columns = [
            self.feature_names[position]
            for position, dtype in enumerate(self.frame.schema.values())
            if not (_is_number(dtype) or _holds_only_numbers(self.frame[:, position]))
        ]

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        frame = self.frame if columns is None else self.frame[:, [int(column) for column in columns]]
        step = max(1, _BLOCK_BYTES // (8 * max(len(frame.columns), 1)))
        for first in range(0, len(frame), step):
            rows = slice(first, min(first + step, len(frame)))
            yield self.target.block(to_floats(frame[rows]), rows, columns)


def is_frame(data: Any) -> bool:
    """Whether this is a table in memory of a library that narwhals knows; raises where two columns have one name."""
    try:
        return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        check_names(data.column_names if hasattr(data, "column_names") else data.columns)
        raise


def check_names(names: Sequence[Any], where: str = "The table") -> list[str]:
    """Column names as strings, each once."""
    as_text = [str(name) for name in names]
    seen: set[str] = set()
    twice = sorted({name for name in as_text if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
    if twice:
        raise InvalidInput(
            f"{where} has more than one column named {', '.join(map(repr, twice[:5]))}. Rename them: a feature is "
            "reported by its name."
        )
    return as_text


def to_floats(frame: nw.DataFrame[Any]) -> NDArray[Any]:
    """The numbers of a frame, missing ones as NaN; float32 where every column is, otherwise float64."""
    # NumPy has no integers of 128 bits, and polars would rather raise than round them.
    has_wide_integers = frame.implementation.is_polars() and any(
        dtype in (nw.Int128, nw.UInt128) for dtype in frame.schema.values()
    )
    if not has_wide_integers:
        values = frame.to_numpy()
        if values.dtype in (np.float32, np.float64):
            return values
        if values.dtype.kind in "biu":  # no missing value: they would have made it float or object
            return values.astype(np.float64)
    out = np.empty(frame.shape, dtype=np.float64, order="F")
    for position, column in enumerate(frame.iter_columns()):
        out[:, position] = _numbers(column)
    return out


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _holds_only_numbers(column: nw.Series[Any]) -> bool:
    """Whether a column whose type does not say so holds nothing but numbers and gaps."""
    if column.null_count() == len(column):
        return True
    if column.dtype not in (nw.Object, nw.Unknown):
        return False
    values = np.asarray(column.to_native())
    if values.dtype != object:
        return values.dtype.kind in "biuf"
    return all(isinstance(value, Real | Decimal) or is_missing(value) for value in values)


def _numbers(column: nw.Series[Any]) -> NDArray[Any]:
    if _is_number(column.dtype):
        return column.cast(nw.Float64).to_numpy()
    values = np.asarray(column.to_native())
    if values.dtype.kind in "biuf":
        return values
    return np.fromiter(map(to_number, values.astype(object)), np.float64, len(values))
