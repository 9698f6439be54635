"""Rows of a pandas, polars or pyarrow table in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import TypeAlias, TypeGuard

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame, IntoSeries
from numpy.typing import NDArray

from fewest.arrays import Floats
from fewest.data.array import to_number
from fewest.data.block import Block
from fewest.data.categories import DATES, TEXT, ColumnCategories, TextSource, not_categories
from fewest.data.labels import Target, is_missing
from fewest.errors import InvalidInput
from fewest.memory import CHUNK

Frame: TypeAlias = nw.DataFrame[IntoDataFrame]
Column: TypeAlias = nw.Series[IntoSeries]
Numbers: TypeAlias = NDArray[np.number]


class FrameSource(TextSource):
    """A table with named columns, with the class of each row. Numbers and booleans become floats a block at a time."""

    is_in_memory = True
    block_bytes = CHUNK

    def __init__(self, frame: IntoDataFrame, target: Target) -> None:
        self.frame: Frame = nw.from_native(frame, eager_only=True)
        if not self.frame.columns:
            raise InvalidInput("The table has no feature columns. Give at least one.")
        self.target = target
        target.check_length(len(self.frame))
        names = check_names(self.frame.columns)
        held = {}
        for name, position, dtype in zip(names, range(len(names)), self.frame.schema.values(), strict=True):
            if not (_is_number(dtype) or _holds_only_numbers(self.frame[:, position])):
                held[name] = _held_by(self.frame[:, position])
        super().__init__(names, held)
        self.columns_at_once = self.n_features

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        names = self.feature_names if columns is None else [self.feature_names[column] for column in columns]
        self._refuse_text(names)
        frame = self.frame if columns is None else self.frame[:, [int(column) for column in columns]]
        step = max(1, self.block_bytes // (8 * max(len(frame.columns), 1)))
        for first in range(0, len(frame), step):
            rows = slice(first, min(first + step, len(frame)))
            yield self.target.block(self._values(frame[rows], names), rows, columns)

    def _values(self, frame: Frame, names: Sequence[str]) -> Numbers:
        """The numbers of a frame whose columns have these names, text by the codes of its categories."""
        categories = self._categories
        texts = [position for position, name in enumerate(names) if categories is not None and name in categories]
        if categories is None or not texts:
            return to_floats(frame)
        values = np.empty(frame.shape, dtype=np.float64, order="F")
        numbers = [position for position, name in enumerate(names) if name not in categories]
        if numbers:
            values[:, numbers] = to_floats(frame[:, numbers])
        for position in texts:
            values[:, position] = _category_numbers(frame[:, position], names[position], categories)
        return values


def is_frame(data: object) -> TypeGuard[IntoDataFrame]:
    """Whether this is a table in memory of a library that narwhals knows; raises where two columns have one name."""
    try:
        return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        for names in ("column_names", "columns"):
            check_names(getattr(data, names, ()))
        raise


def check_names(names: Sequence[object], where: str = "The table") -> list[str]:
    """Column names as strings, each once."""
    as_text = [str(name) for name in names]
    twice = sorted(name for name, count in Counter(as_text).items() if count > 1)
    if twice:
        what = f"{where} has more than one column named {', '.join(map(repr, twice[:5]))}."
        raise InvalidInput(f"{what} Rename them: a feature is reported by its name.")
    return as_text


def to_floats(frame: Frame) -> Numbers:
    """The numbers of a frame, missing ones as NaN; float32 where every column is, otherwise float64."""
    # NumPy has no integers of 128 bits, and polars would rather raise than round them.
    wide = (nw.Int128, nw.UInt128)
    if not (frame.implementation.is_polars() and any(dtype in wide for dtype in frame.schema.values())):
        values = frame.to_numpy()
        if values.dtype in (np.float32, np.float64):
            return values
        if values.dtype.kind in "biu":  # no missing value: they would have made it float or object
            return values.astype(np.float64)
    out = np.empty(frame.shape, dtype=np.float64, order="F")
    for position, column in enumerate(frame.iter_columns()):
        out[:, position] = _numbers(column)
    return out


def _is_number(dtype: nw.dtypes.DType) -> bool:
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _holds_only_numbers(column: Column) -> bool:
    """Whether a column whose type does not say so holds nothing but numbers and missing values."""
    if column.null_count() == len(column):
        return True
    # narwhals takes objects for text where the first hundred are missing.
    if column.dtype not in (nw.Object, nw.Unknown) and str(getattr(column.to_native(), "dtype", "")) != "object":
        return False
    values = np.asarray(column.to_native())
    if values.dtype != object:
        return values.dtype.kind in "biuf"
    return all(isinstance(value, Real | Decimal) or is_missing(value) for value in values)


def _held_by(column: Column) -> str:
    """What a column holds instead of numbers: TEXT where its values may be categories, otherwise words for an error."""
    if column.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return TEXT
    if column.dtype.is_temporal():
        return DATES
    return f"values of type {getattr(column.to_native(), 'dtype', column.dtype)}"


def _category_numbers(column: Column, name: str, categories: ColumnCategories) -> Floats:
    """The codes of a column's values, NaN where one is missing."""
    if str(getattr(column.to_native(), "type", "")) == "string_view":
        # Arrow cannot filter its newest type for text.
        column = column.cast(nw.String)
    is_known = ~column.is_null()
    # Without those that are missing: they would make floats of integers, and whole ones of 64 bits are not all floats.
    known = column.filter(is_known)
    if known.implementation.is_polars():
        # Its arrays of text are NumPy's, all as wide as the longest and without null characters at the end.
        values = known.to_list()
    else:
        array = known.to_numpy()
        if array.dtype.kind in "mM":
            raise not_categories(name, DATES)
        values = array.tolist()
    numbers = np.full(len(column), np.nan)
    numbers[is_known.to_numpy()] = categories.numbers(name, values)
    return numbers


def _numbers(column: Column) -> Numbers:
    if _is_number(column.dtype):
        return column.cast(nw.Float64).to_numpy()
    values = np.asarray(column.to_native())
    if values.dtype.kind in "biuf":
        return values
    return np.fromiter(map(to_number, values.astype(object)), np.float64, len(values))
