"""Arrow's columns as numbers, codes of categories and class codes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Codes, Floats, Mask
from fewest.data.block import Block
from fewest.data.categories import ColumnCategories, NotANumber, as_numbers
from fewest.data.column_kinds import BOOLEAN, CATEGORY, DATE, EMPTY, NUMBER, OTHER, ColumnReading
from fewest.data.files.table_file import ColumnRoles, import_pyarrow
from fewest.data.labels import MISSING, ClassLabels, check_weights
from fewest.data.text_numbers import NumberFormat
from fewest.errors import InvalidInput, UnreadableFile

if TYPE_CHECKING:
    import pyarrow as pa

TEXT = "text"
#: Up to this number of rows it takes longer to look at a column than to copy it.
_SHORT_COLUMNS = 16_384
_NO_FORMATS: Mapping[str, NumberFormat] = MappingProxyType({})

#: Gives each of some values its code.
_Encode = Callable[[list[Hashable]], Codes]


def kind_of(arrow_type: pa.DataType) -> str:
    """What a type stands for: columns of one kind may be read as one, whatever their widths."""
    types = import_pyarrow("Arrow data", "pyarrow.types")
    if types.is_null(arrow_type):
        return EMPTY
    if any(
        is_such(arrow_type) for is_such in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    ):
        return NUMBER
    if types.is_dictionary(arrow_type):
        # Numbers kept as categories are names: their order and distance mean nothing.
        return TEXT
    is_text = types.is_string(arrow_type) or types.is_large_string(arrow_type) or _is_string_view(types, arrow_type)
    return TEXT if is_text else str(arrow_type)


def reading_of_types(arrow_types: Iterable[pa.DataType]) -> ColumnReading | None:
    """How a column of these types is read; None where it holds text, whose values decide."""
    types = import_pyarrow("Arrow data", "pyarrow.types")
    known = list(arrow_types)
    for arrow_type in known:
        value_type = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
        if types.is_temporal(value_type):
            return ColumnReading(DATE)
        if not is_number(kind_of(value_type)) and kind_of(value_type) != TEXT:
            return ColumnReading(OTHER, held=f"values of type {arrow_type}")
    if any(map(types.is_dictionary, known)):
        return ColumnReading(CATEGORY)
    if any(kind_of(arrow_type) == TEXT for arrow_type in known):
        return None
    if all(map(types.is_null, known)):
        return ColumnReading(EMPTY)
    return ColumnReading(BOOLEAN if all(types.is_boolean(t) or types.is_null(t) for t in known) else NUMBER)


def distinct_texts(column: pa.Array) -> list[str]:
    """The distinct texts of a column, without missing ones."""
    pyarrow = import_pyarrow("Arrow data")
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _is_string_view(pyarrow.types, column.type):
        column = column.cast(pyarrow.large_string())
    return [text for text in column.unique().to_pylist() if text is not None]


def validated(batches: Iterable[pa.RecordBatch], where: str) -> Iterator[pa.RecordBatch]:
    """The record batches of a file, each checked; raises for the first column that is damaged.

    Arrow believes the lengths, offsets, indices of dictionaries and text that a file holds: what points outside its
    buffers would end the process when it is used. The check does not read numbers, only where they lie.
    """
    pyarrow = import_pyarrow("Arrow data")
    for batch in batches:
        try:
            texts = [k for k, kind in enumerate(batch.schema.types) if pyarrow.types.is_string(kind)]
            plain = {k for k in texts if _is_plain_text(batch.column(k))}
            others = [k for k in range(batch.num_columns) if k not in plain]
            (batch.select(others) if plain else batch).validate(full=True)
        except (pyarrow.ArrowException, OSError) as error:
            raise _damaged(batch, where, error) from error
        yield batch


def _is_plain_text(column: pa.Array) -> bool:
    """Whether all values lie within their buffer, are there, and are ASCII: as Arrow's check would find, but sooner."""
    validity, offsets, text = column.buffers()
    end = column.offset + len(column) + 1
    if validity is not None or offsets is None or text is None or offsets.size < 4 * end:
        return False
    ends = np.frombuffer(offsets, dtype=np.int32, count=end)[column.offset :]
    if not (ends[0] >= 0 and ends[-1] <= text.size and (ends[1:] >= ends[:-1]).all()):
        return False
    return bool((np.frombuffer(text, dtype=np.uint8)[ends[0] : ends[-1]] < 128).all())


def _damaged(batch: pa.RecordBatch, where: str, error: Exception) -> UnreadableFile:
    """The error that names the first column of a batch that is damaged."""
    pyarrow = import_pyarrow("Arrow data")
    place = ""
    for position, name in enumerate(batch.schema.names):
        try:
            batch.column(position).validate(full=True)
        except (pyarrow.ArrowException, OSError) as found:
            place, error = f" in column {name!r}", found
            break
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return UnreadableFile(f"{where} is damaged{place}: {reason}. Copy or write it again.")


def is_number(kind: str) -> bool:
    return kind in (NUMBER, EMPTY)


def float_type(arrow_types: Sequence[pa.DataType]) -> np.dtype[np.floating]:
    """float32 where every column is exactly that, otherwise float64."""
    types = import_pyarrow("Arrow data", "pyarrow.types")
    return np.dtype(np.float32 if all(types.is_float32(t) for t in arrow_types) else np.float64)


class RowLabels(NamedTuple):
    """The class and the weight of rows.

    kept : the rows that have a label, where some have none
    """

    codes: NDArray[np.signedinteger]
    kept: Mask | None
    weights: Floats | None

    def block(self, values: NDArray[np.floating], labels: ClassLabels, first_row: int) -> Block:
        """The block of these rows with these values."""
        return labels.block(values, self.codes.astype(np.int32, copy=False), self.kept, self.weights, first_row)

    def rows(self, first: int, last: int) -> RowLabels:
        """The labels of the rows from first on, before last."""
        kept = None if self.kept is None else self.kept[first:last]
        return RowLabels(self.codes[first:last], kept, None if self.weights is None else self.weights[first:last])

    @classmethod
    def joined(cls, parts: Sequence[RowLabels]) -> RowLabels:
        """The labels of all rows of the parts, one part after the other."""
        weights = [part.weights for part in parts if part.weights is not None]
        kept = [np.ones(len(part.codes), dtype=np.bool_) if part.kept is None else part.kept for part in parts]
        return cls(
            np.concatenate([part.codes for part in parts]),
            np.concatenate(kept) if any(part.kept is not None for part in parts) else None,
            np.concatenate(weights) if weights else None,
        )


def read_batch(
    batch: pa.RecordBatch,
    names: Sequence[str],
    roles: ColumnRoles,
    labels: ClassLabels,
    first_row: int,
    dtype: np.dtype[np.floating],
    categories: ColumnCategories | None = None,
    formats: Mapping[str, NumberFormat] = _NO_FORMATS,
    where: str = "",
    of_rows: RowLabels | None = None,
) -> Block:
    """The named features of a record batch, with the class and weight of each row; text as codes of categories.

    formats : how the numbers of columns of text are written
    of_rows : the classes and weights, where they are known; the batch need not hold them then
    """
    pyarrow = import_pyarrow("Arrow data")
    positions = {name: position for position, name in enumerate(batch.schema.names)}
    read = [positions[name] for name in names]
    has_categories = categories is not None and any(name in categories for name in names)
    # Long columns are copied as fast one by one, and not into memory that Arrow keeps for a while.
    is_short = batch.num_rows <= _SHORT_COLUMNS
    if is_short and not has_categories and _are_all(pyarrow, batch, read, dtype):
        values = _all_at_once(batch, read)
    else:
        # Column by column: Arrow stores columns, and a copy along memory is several times as fast as one across it.
        values = np.empty((batch.num_rows, len(names)), dtype=dtype, order="F")
        for position, name in enumerate(names):
            column = batch.column(read[position])
            if categories is not None and name in categories:
                values[:, position] = _category_numbers(pyarrow, column, partial(categories.encode, name))
            elif name in formats and _is_text(column):
                values[:, position] = _text_numbers(pyarrow, column, formats[name], name, where)
            else:
                _copy_numbers(pyarrow, column, values[:, position])
    if of_rows is None:
        of_rows = read_labels(batch, roles, labels, first_row, formats, where)
    return of_rows.block(values, labels, first_row)


def read_labels(
    batch: pa.RecordBatch,
    roles: ColumnRoles,
    labels: ClassLabels,
    first_row: int,
    formats: Mapping[str, NumberFormat] = _NO_FORMATS,
    where: str = "",
) -> RowLabels:
    """The class and weight of each row of a record batch."""
    pyarrow = import_pyarrow("Arrow data")
    positions = {name: position for position, name in enumerate(batch.schema.names)}
    codes, kept = _encode(pyarrow, labels, batch.column(positions[roles.target]), first_row)
    if roles.weight is None:
        return RowLabels(codes, kept, None)
    column = batch.column(positions[roles.weight])
    if roles.weight in formats and _is_text(column):
        numbers = _text_numbers(pyarrow, column, formats[roles.weight], roles.weight, where)
    else:
        numbers = np.empty(batch.num_rows)
        _copy_numbers(pyarrow, column, numbers)
    return RowLabels(codes, kept, check_weights(numbers, batch.num_rows, first_row))


def _are_all(pyarrow: ModuleType, batch: pa.RecordBatch, columns: list[int], dtype: np.dtype[np.floating]) -> bool:
    """Whether these columns hold numbers of this type, which Arrow puts together by itself."""
    types, own = batch.schema.types, pyarrow.from_numpy_dtype(dtype)
    is_possible = batch.num_rows > 0 and len(columns) > 0 and _has_tensors(pyarrow)
    return is_possible and all(types[column].equals(own) for column in columns)


@cache
def _has_tensors(pyarrow: ModuleType) -> bool:
    """Whether this version of Arrow can put the columns of a batch together, one behind the other."""
    return int(pyarrow.__version__.split(".")[0]) >= 18


def _all_at_once(batch: pa.RecordBatch, columns: list[int]) -> NDArray[np.floating]:
    """These columns as one array, NaN where a value is missing: a fraction of the time of one column at a time."""
    numbers: NDArray[np.floating] = batch.select(columns).to_tensor(null_to_nan=True, row_major=False).to_numpy()
    return numbers


def _copy_numbers(pyarrow: ModuleType, column: pa.Array, numbers: NDArray[np.floating]) -> None:
    """Write one number a row, NaN where it is missing."""
    if pyarrow.types.is_null(column.type):
        numbers[:] = np.nan
        return
    if pyarrow.types.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    numbers[:] = _view(pyarrow, column)
    if column.null_count:
        numbers[~_bits(column.buffers()[0], column)] = np.nan


def _category_numbers(pyarrow: ModuleType, column: pa.Array, encode: _Encode) -> Floats:
    """The codes of a column of text or categories, NaN where one is missing."""
    if pyarrow.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return as_numbers(_encode_categories(pyarrow, column, encode))


def _text_numbers(pyarrow: ModuleType, column: pa.Array, how: NumberFormat, name: str, where: str) -> Floats:
    """The numbers that the texts of a column stand for, NaN where one is missing."""
    if _is_string_view(pyarrow.types, column.type):
        column = column.cast(pyarrow.large_string())
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    texts = column.dictionary.to_pylist()
    try:
        known = how.numbers(["" if text is None else text for text in texts])
    except ValueError as error:
        raise NotANumber(str(error), name, where) from None
    numbers: Floats = np.append(known, np.nan)[_view(pyarrow, column.indices)]
    if column.indices.null_count:
        numbers[~_bits(column.indices.buffers()[0], column.indices)] = np.nan
    return numbers


def _is_text(column: pa.Array) -> bool:
    return kind_of(column.type) == TEXT


def _view(pyarrow: ModuleType, column: pa.Array) -> NDArray[np.generic]:
    """The integers, floats or booleans in Arrow's memory; whatever lies there where one is missing."""
    # Not Array.to_numpy: it imports pandas, which takes longer than reading many a file.
    if pyarrow.types.is_boolean(column.type):
        return _bits(column.buffers()[1], column)
    dtype = column.type.to_pandas_dtype()
    if len(column) == 0:
        return np.empty(0, dtype)
    # Counted: what pads the end of a buffer need not be a whole number of values.
    numbers = np.frombuffer(column.buffers()[1], dtype=dtype, count=column.offset + len(column))
    return numbers[column.offset :]


def _bits(packed: pa.Buffer | None, column: pa.Array) -> Mask:
    """The bits of a column's bitmap, one a row."""
    n_bits = column.offset + len(column)
    bits = np.unpackbits(np.frombuffer(packed or b"", dtype=np.uint8), bitorder="little", count=n_bits)
    return bits[column.offset :].view(np.bool_)


def _encode(pyarrow: ModuleType, labels: ClassLabels, column: pa.Array, first_row: int) -> tuple[Codes, Mask | None]:
    def encode(values: list[Hashable]) -> Codes:
        return labels.encode(_as_objects(values))

    types = pyarrow.types
    if types.is_dictionary(column.type):
        values = column.dictionary
        if column.null_count == 0 and values.null_count == 0 and not types.is_floating(values.type):
            return labels.labelled(_encode_categories(pyarrow, column, encode), first_row)
        column = column.dictionary_decode()
    if column.null_count:
        return labels.encode_rows(_as_objects(column.to_pylist()), first_row)
    if types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type):
        return labels.encode_rows(_view(pyarrow, column), first_row)
    try:
        return labels.labelled(_encode_categories(pyarrow, column.dictionary_encode(), encode), first_row)
    except pyarrow.ArrowNotImplementedError:
        raise InvalidInput(
            f"The target {labels.name!r} holds values of type {column.type}, which cannot be classes. "
            "Name a column of text or whole numbers."
        ) from None


def _encode_categories(pyarrow: ModuleType, column: pa.Array, encode: _Encode) -> Codes:
    """The code of every row, MISSING where it has no category; categories are encoded as they first appear."""
    indices = _view(pyarrow, column.indices)
    if not column.indices.null_count:
        return _code_indices(pyarrow, indices, column.dictionary, encode)
    is_known = _bits(column.indices.buffers()[0], column.indices)
    codes = np.full(len(indices), MISSING, dtype=np.int32)
    codes[is_known] = _code_indices(pyarrow, indices[is_known], column.dictionary, encode)
    return codes


def _code_indices(pyarrow: ModuleType, indices: NDArray[np.generic], categories: pa.Array, encode: _Encode) -> Codes:
    # Written from the last row to the first, so that each category is left with the first of its rows.
    first_rows = np.full(len(categories), -1, dtype=np.intp)
    first_rows[indices[::-1]] = np.arange(len(indices) - 1, -1, -1)
    # A category that no row has must not become a class or get a code.
    present = np.flatnonzero(first_rows >= 0)
    present = present[np.argsort(first_rows[present])].astype(np.int64)
    if _is_string_view(pyarrow.types, categories.type):
        categories = categories.cast(pyarrow.large_string())
    codes: Codes = np.full(len(categories), MISSING, dtype=np.int32)
    # Not pyarrow.array: it imports pandas, as Array.to_numpy does.
    taken = pyarrow.Array.from_buffers(pyarrow.int64(), len(present), [None, pyarrow.py_buffer(present)])
    codes[present] = encode(categories.take(taken).to_pylist())
    return np.asarray(codes[indices])


def _is_string_view(types: ModuleType, arrow_type: pa.DataType) -> bool:
    # Older versions of pyarrow do not know it.
    return hasattr(types, "is_string_view") and bool(types.is_string_view(arrow_type))


def _as_objects(values: list[Hashable]) -> NDArray[np.generic]:
    """An array of these very objects; np.array would turn lists into a table and text into fixed widths."""
    return np.fromiter(values, dtype=object, count=len(values))
