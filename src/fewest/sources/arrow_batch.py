"""Arrow's columns as numbers and class codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidInput
from fewest.labels import MISSING
from fewest.sources.columns import ColumnRoles
from fewest.sources.optional import import_pyarrow
from fewest.sources.table_file import RowBatch
from fewest.sources.target import Labels, check_weights

NUMBER = "number"
TEXT = "text"
#: A column without any value, which fits every other kind.
EMPTY = "empty"


def kind_of(arrow_type: Any) -> str:
    """What a type stands for: columns of one kind may be read as one, whatever their widths."""
    types = import_pyarrow("Arrow data", "pyarrow.types")
    if types.is_null(arrow_type):
        return EMPTY
    if (
        types.is_integer(arrow_type)
        or types.is_floating(arrow_type)
        or types.is_boolean(arrow_type)
        or types.is_decimal(arrow_type)
    ):
        return NUMBER
    if types.is_dictionary(arrow_type):
        # Numbers kept as categories are names: their order and distance mean nothing.
        return TEXT
    is_text = types.is_string(arrow_type) or types.is_large_string(arrow_type)
    return TEXT if is_text else str(arrow_type)


def is_number(kind: str) -> bool:
    return kind in (NUMBER, EMPTY)


def float_type(arrow_types: Sequence[Any]) -> np.dtype[Any]:
    """float32 where every column is exactly that, otherwise float64."""
    types = import_pyarrow("Arrow data", "pyarrow.types")
    return np.dtype(np.float32 if all(types.is_float32(t) for t in arrow_types) else np.float64)


def read_batch(
    batch: Any, names: Sequence[str], roles: ColumnRoles, labels: Labels, first_row: int, dtype: np.dtype[Any]
) -> RowBatch:
    """The named features of a record batch, with the class and the weight of each row."""
    pyarrow = import_pyarrow("Arrow data")
    # Column by column: Arrow stores columns, and a copy along memory is several times as fast as one across it.
    values = np.empty((batch.num_rows, len(names)), dtype=dtype, order="F")
    positions = {name: position for position, name in enumerate(batch.schema.names)}
    for place, name in enumerate(names):
        _copy_numbers(pyarrow, batch.column(positions[name]), values[:, place])
    codes, kept = _encode(pyarrow, labels, batch.column(positions[roles.target]), first_row)
    weights = None
    if roles.weight is not None:
        numbers = np.empty(batch.num_rows)
        _copy_numbers(pyarrow, batch.column(positions[roles.weight]), numbers)
        weights = check_weights(numbers, batch.num_rows, first_row)
    return RowBatch(values, codes, kept, weights)


def _copy_numbers(pyarrow: Any, column: Any, numbers: NDArray[Any]) -> None:
    """Write one number a row, NaN where it is missing."""
    if pyarrow.types.is_null(column.type):
        numbers[:] = np.nan
        return
    if pyarrow.types.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    numbers[:] = _view(pyarrow, column)
    if column.null_count:
        numbers[~_bits(column.buffers()[0], column)] = np.nan


def _view(pyarrow: Any, column: Any) -> NDArray[Any]:
    """The integers, floats or booleans in Arrow's memory; whatever lies there where one is missing."""
    # Not Array.to_numpy: it imports pandas, which takes longer than reading many a file.
    if pyarrow.types.is_boolean(column.type):
        return _bits(column.buffers()[1], column)
    numbers = np.frombuffer(column.buffers()[1] or b"", dtype=column.type.to_pandas_dtype())
    return numbers[column.offset : column.offset + len(column)]


def _bits(packed: Any, column: Any) -> NDArray[np.bool_]:
    """The bits of a column's bitmap, one a row."""
    n_bits = column.offset + len(column)
    bits = np.unpackbits(np.frombuffer(packed or b"", dtype=np.uint8), bitorder="little", count=n_bits)
    return bits[column.offset :].view(np.bool_)


def _encode(
    pyarrow: Any, labels: Labels, column: Any, first_row: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
    types = pyarrow.types
    if types.is_dictionary(column.type):
        values = column.dictionary
        if column.null_count == 0 and values.null_count == 0 and not types.is_floating(values.type):
            return _encode_categories(pyarrow, labels, column, first_row), None
        column = column.dictionary_decode()
    if column.null_count:
        return labels.encode(_as_objects(column.to_pylist()), first_row)
    if types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type):
        return labels.encode(_view(pyarrow, column), first_row)
    try:
        return _encode_categories(pyarrow, labels, column.dictionary_encode(), first_row), None
    except pyarrow.ArrowNotImplementedError:
        raise InvalidInput(
            f"The target {labels.name!r} holds values of type {column.type}, which cannot be classes. "
            "Name a column of text or whole numbers."
        ) from None


def _encode_categories(pyarrow: Any, labels: Labels, column: Any, first_row: int) -> NDArray[np.int32]:
    """Codes of a column without missing labels: Arrow has hashed the rows, only the categories are left to look up."""
    places = _view(pyarrow, column.indices)
    # A category that no row has must not become a class.
    is_present = np.zeros(len(column.dictionary), dtype=bool)
    is_present[places] = True
    present = np.flatnonzero(is_present)
    codes: NDArray[np.int32] = np.full(len(is_present), MISSING, dtype=np.int32)
    codes[present], _ = labels.encode(
        _as_objects([column.dictionary[int(place)].as_py() for place in present]), first_row
    )
    of_rows: NDArray[np.int32] = codes[places]
    return of_rows


def _as_objects(values: list[Any]) -> NDArray[Any]:
    """An array of these very objects; np.array would turn lists into a table and text into fixed widths."""
    return np.fromiter(values, dtype=object, count=len(values))
