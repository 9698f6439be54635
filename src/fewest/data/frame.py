"""Rows of a pandas, polars or pyarrow table in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
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
from fewest.data.categories import ColumnCategories, NotANumber, TextSource, is_time
from fewest.data.column_kinds import (
    BOOLEAN,
    CATEGORY,
    DATE,
    EMPTY,
    OTHER,
    PLAIN,
    ColumnReading,
    NumberMarks,
    reading_of_texts,
    resolve_commas,
)
from fewest.data.labels import Target, is_missing
from fewest.data.text_numbers import NumberFormat
from fewest.errors import FewestError, InvalidInput, InvalidType
from fewest.memory import CHUNK

Frame: TypeAlias = nw.DataFrame[IntoDataFrame]
Column: TypeAlias = nw.Series[IntoSeries]
Numbers: TypeAlias = NDArray[np.number]

#: How tables of other libraries are read into memory, by the library and the name of their type.
_TO_MEMORY = {
    ("duckdb", "DuckDBPyRelation"): "df() or to_arrow_table()",
    ("pyarrow", "RecordBatchReader"): "read_all()",
    ("pyarrow", "Dataset"): "to_table()",
    ("pyarrow", "Scanner"): "to_table()",
    ("polars", "LazyFrame"): "collect()",
    ("narwhals", "LazyFrame"): "collect()",
    ("dask", "DataFrame"): "compute()",
    ("dask_expr", "DataFrame"): "compute()",
    ("ibis", "Table"): "to_pyarrow()",
    ("pyspark", "DataFrame"): "toPandas()",
}
#: Those of them that cannot be read a second time, so that scan refuses them.
_READ_ONCE = {("pyarrow", "RecordBatchReader"), ("pyarrow", "Scanner")}
#: Rows of a column of text that may show that it holds categories.
_ROWS_INSPECTED_FIRST = 1000
#: Where more than one column of this number is taken out of a frame, all are gone through.
_LISTED_AGAIN = 10


class FrameSource(TextSource):
    """A table with named columns, with the class of each row. Numbers and booleans become floats a block at a time."""

    is_in_memory = True
    block_bytes = CHUNK

    def __init__(
        self, frame: IntoDataFrame, target: Target, readings: Mapping[str, ColumnReading] | None = None
    ) -> None:
        """readings : how columns are read that do not hold plain numbers; what the columns show, by default"""
        self.frame: Frame = nw.from_native(frame, eager_only=True)
        if not self.frame.columns:
            raise InvalidInput("The table has no feature columns. Give at least one.")
        self.target = target
        target.check_length(len(self.frame))
        names = check_names(self.frame.columns)
        super().__init__(names, resolve_commas(find_readings(self.frame, names)) if readings is None else readings)
        self.columns_at_once = self.n_features
        self.n_rows = len(self.frame)

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
        coded = set(() if categories is None else filter(categories.__contains__, names))
        numbers = [position for position, name in enumerate(names) if name not in coded and name not in self._formats]
        if len(numbers) == len(names):
            return to_floats(frame)
        values = np.empty(frame.shape, dtype=np.float64, order="F")
        if numbers:
            values[:, numbers] = to_floats(frame[:, numbers])
        texts = [position for position, name in enumerate(names) if name in coded or name in self._formats]
        for position, column in _columns_at(frame, texts):
            name = names[position]
            if categories is not None and name in coded:
                values[:, position] = _category_numbers(column, name, categories)
            else:
                values[:, position] = _text_numbers(column, name, self._formats[name])
        return values


def is_frame(data: object) -> TypeGuard[IntoDataFrame]:
    """Whether this is a table in memory of a library that narwhals knows.

    Raises where two columns have one name, and where the table is not in memory yet.
    """
    refuse_lazy(data)
    try:
        return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        for names in ("column_names", "columns"):
            check_names(getattr(data, names, ()))
        raise


def refuse_lazy(data: object) -> None:
    """Raise where this is a table that is not in memory yet, such as a relation of DuckDB."""
    for kind in library_types(data):
        if how := _TO_MEMORY.get(kind):
            advice = "Call" if kind in _READ_ONCE else "Read it with scan(X, target), or call"
            raise InvalidType(f"X must be a table in memory, got a lazy one. {advice} its {how} first.")


def library_types(data: object) -> list[tuple[str, str]]:
    """The library and the name of the type of an object, and of those that it inherits from."""
    return [(kind.__module__.partition(".")[0].strip("_"), kind.__name__) for kind in type(data).__mro__]


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


def find_readings(
    frame: Frame, names: Sequence[str], marks: NumberMarks | None = None, as_categories: Set[str] = frozenset()
) -> dict[str, ColumnReading]:
    """How the columns of a frame are read, under these names, but for those of plain numbers.

    as_categories : columns whose values are categories, whatever they look like
    """
    types = list(frame.schema.values())
    by_type = [_reading_of_type(dtype) for dtype in types]
    # A column is taken out of the frame only where its type does not say all: there may be many.
    undecided = _columns_at(frame, [position for position, reading in enumerate(by_type) if reading is None])
    readings = {}
    for position, name in enumerate(names):
        reading = by_type[position]
        try:
            if reading is None:
                reading = _reading_of_column(next(undecided)[1], types[position], marks)
        except FewestError:
            raise
        except Exception as error:  # what objects raise when they are compared or converted is up to them
            what = f"Column {name!r} holds objects that cannot be read ({type(error).__name__}: {error})."
            raise InvalidInput(f"{what} Convert it to numbers or text, or leave it out.") from None
        if name in as_categories and reading.kind != OTHER:
            reading = ColumnReading(CATEGORY)
        if reading != PLAIN:
            readings[name] = reading
    return readings


def _columns_at(frame: Frame, positions: Sequence[int]) -> Iterator[tuple[int, Column]]:
    """The columns at these positions, ascending, with their positions."""
    if len(positions) * _LISTED_AGAIN < frame.shape[1]:
        return ((position, frame[:, position]) for position in positions)
    # Each that is asked for by its position would list the names of all.
    requested = set(positions)
    return ((position, column) for position, column in enumerate(frame.iter_columns()) if position in requested)


def _reading_of_type(dtype: nw.dtypes.DType) -> ColumnReading | None:
    return ColumnReading(BOOLEAN) if dtype == nw.Boolean else PLAIN if dtype.is_numeric() else None


def _reading_of_column(column: Column, dtype: nw.dtypes.DType, marks: NumberMarks | None) -> ColumnReading:
    if column.null_count() == len(column):
        return ColumnReading(EMPTY)
    if dtype.is_temporal():
        return ColumnReading(DATE)
    if dtype in (nw.Categorical, nw.Enum):
        return ColumnReading(DATE if _are_times(column) else CATEGORY)
    if dtype not in (nw.String, nw.Object, nw.Unknown):
        return ColumnReading(OTHER, held=f"values of type {getattr(column.to_native(), 'dtype', dtype)}")
    if _holds_only_numbers(column):
        are_booleans = all(isinstance(value, bool | np.bool_) or is_missing(value) for value in column.to_list())
        return ColumnReading(BOOLEAN) if are_booleans else PLAIN
    return _reading_of_objects(column, marks)


def _reading_of_objects(column: Column, marks: NumberMarks | None) -> ColumnReading:
    """How a column of text, or of Python's own objects, is read."""
    native_type = str(getattr(column.to_native(), "dtype", column.dtype))
    if native_type.startswith("period"):
        return ColumnReading(DATE)
    if column.dtype not in (nw.String, nw.Object):
        return ColumnReading(OTHER, held=f"values of type {native_type}")
    if native_type == "object" or column.dtype == nw.Object:
        examples = {type(value): value for value in column.to_list() if value is not None}.values()
        if any(is_time(value) and not is_missing(value) for value in examples):
            return ColumnReading(DATE)
        if not all(isinstance(value, str | Real | Decimal) or is_missing(value) for value in examples):
            # Such as tuples; lists and bytes are refused when they are read.
            return ColumnReading(CATEGORY)
    # What is a category by its first rows stays one; only other columns are looked at to the end.
    if len(column) > _ROWS_INSPECTED_FIRST:
        first = _reading_of_values(column.head(_ROWS_INSPECTED_FIRST), marks)
        if first.kind == CATEGORY:
            return first
    return _reading_of_values(column, marks)


def _reading_of_values(column: Column, marks: NumberMarks | None) -> ColumnReading:
    try:
        distinct = dict.fromkeys(column.to_list())
    except Exception:  # no hash, such as that of Decimal("sNaN"): refused by name when it is read
        return ColumnReading(CATEGORY)
    return reading_of_texts((str(value) for value in distinct if not is_missing(value)), marks)


def _are_times(column: Column) -> bool:
    """Whether the categories of a column are points or spans of time."""
    return any(map(is_time, column.drop_nulls().head(1).to_list()))


def _text_numbers(column: Column, name: str, how: NumberFormat) -> Floats:
    """The numbers that the texts of a column stand for, NaN where one is missing."""
    try:
        values = column.to_list()
        return how.numbers(
            [value if type(value) is str else "" if is_missing(value) else str(value) for value in values]
        )
    except ValueError as error:
        raise NotANumber(str(error), name, "the table") from None


def _is_number(dtype: nw.dtypes.DType) -> bool:
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _holds_only_numbers(column: Column) -> bool:
    """Whether a column whose type does not say so, and that holds a value, holds only numbers and missing values."""
    # narwhals takes objects for text where the first hundred are missing.
    if column.dtype not in (nw.Object, nw.Unknown) and str(getattr(column.to_native(), "dtype", "")) != "object":
        return False
    values = np.asarray(column.to_native())
    if values.dtype != object:
        return values.dtype.kind in "biuf"
    return all(isinstance(value, Real | Decimal) or is_missing(value) for value in values)


def _category_numbers(column: Column, name: str, categories: ColumnCategories) -> Floats:
    """The codes of a column's values, NaN where one is missing."""
    if str(getattr(column.to_native(), "type", "")) == "string_view":
        # Arrow cannot filter its newest type for text.
        column = column.cast(nw.String)
    is_known = ~column.is_null()
    # Without those that are missing: they would make floats of integers, and whole ones of 64 bits are not all floats.
    known = column.filter(is_known)
    # Arrays of text of polars are NumPy's, all as wide as the longest and without null characters at the end.
    values = known.to_list() if known.implementation.is_polars() else known.to_numpy().tolist()
    numbers = np.full(len(column), np.nan)
    numbers[is_known.to_numpy()] = categories.numbers(name, values)
    return numbers


def _numbers(column: Column) -> Numbers:
    if _is_number(column.dtype):
        return column.cast(nw.Float64).to_numpy()
    values = np.asarray(column.to_native())
    if values.dtype.kind in "biuf":
        return values
    try:
        return np.fromiter(map(to_number, values.astype(object)), np.float64, len(values))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"Column {column.name!r} holds objects that cannot be made numbers: {error}.") from None
