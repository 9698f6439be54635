"""What the columns of Arrow and Parquet files hold: by their types, and by the first rows of columns of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from fewest.data.column_choice import ReadingRequest
from fewest.data.column_kinds import CATEGORY, EMPTY, OTHER, ColumnReading, reading_of_texts
from fewest.data.files.arrow_batch import distinct_texts, kind_of, reading_of_types
from fewest.data.files.table_file import ColumnRoles
from fewest.data.labels import refuse_quantities_in_text

if TYPE_CHECKING:
    import pyarrow as pa

#: Record batches from some places of a file or of several.
TextSample: TypeAlias = "Iterable[pa.RecordBatch]"
#: The least number of rows, and the number of fields, that decide what columns of text hold.
_MIN_ROWS_INSPECTED, _FIELDS_INSPECTED = 100, 400_000


def find_readings(
    types: Mapping[str, Sequence[pa.DataType]],
    roles: ColumnRoles,
    request: ReadingRequest,
    sample: Callable[[list[str]], TextSample],
    where: str,
) -> dict[str, ColumnReading]:
    """How the features and the weight are read; raises where the target is text that holds quantities.

    types : the types of each column, more than one where files differ
    sample : gives some rows of the named columns
    """
    as_categories = request.choice.as_categories(list(types), where)
    known = {name: reading_of_types(types[name]) for name in roles.read_with(roles.features)}
    readings = {name: one for name, one in known.items() if one is not None and name != roles.target}
    for name in as_categories.intersection(known):
        one = known[name]
        if one is None or one.kind != OTHER:
            readings[name] = ColumnReading(CATEGORY)
    unread = [name for name, one in known.items() if one is None and name not in readings]
    texts, are_all = _first_texts(unread, sample) if unread else ({}, True)
    if roles.target in texts:
        refuse_quantities_in_text(texts.pop(roles.target))
    for name, found in texts.items():
        reading = reading_of_texts(found, request.marks)
        # Rows to come may have values, and what was written as text is text.
        readings[name] = ColumnReading(CATEGORY) if reading.kind == EMPTY and not are_all else reading
    return request.choice.settle(readings)


def _first_texts(names: list[str], sample: Callable[[list[str]], TextSample]) -> tuple[dict[str, list[str]], bool]:
    """The distinct texts of the rows that are looked at, by column, and whether these are all rows."""
    n_rows = max(_MIN_ROWS_INSPECTED, _FIELDS_INSPECTED // len(names))
    texts: dict[str, list[str]] = {name: [] for name in names}
    for batch in sample(names):
        positions = {name: position for position, name in enumerate(batch.schema.names)}
        for name in names:
            column = batch.column(positions[name]).slice(0, n_rows)
            if kind_of(column.type) == "text":
                texts[name] += distinct_texts(column)
        n_rows -= batch.num_rows
        if n_rows <= 0:
            return texts, False
    return texts, True
