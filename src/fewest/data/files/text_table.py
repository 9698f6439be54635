"""Tables of text that are read whole: spreadsheets, and text files whose samples are columns."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import date, datetime, time
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from fewest.arrays import Floats
from fewest.data.block import Block
from fewest.data.categories import ColumnCategories, TextSource
from fewest.data.column_choice import ReadingRequest
from fewest.data.column_kinds import CATEGORY, ColumnReading, reading_of_column
from fewest.data.files.regular_file import check_size
from fewest.data.files.table_file import PathLike, assign_roles, refuse_name_of_row, without_dates
from fewest.data.files.text_file import fit_header, open_text_file
from fewest.data.frame import check_names
from fewest.data.labels import Target
from fewest.data.text_numbers import NumberFormat
from fewest.errors import FewestError, InvalidInput, InvalidParameter, MissingDependency, UnreadableFile
from fewest.memory import STORED_ROWS, check_memory

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

EXCEL_SUFFIXES = (".xlsx", ".xlsm")
#: The number of rows that a sheet of Excel can have.
_MOST_ROWS = 1 << 20
#: What a field takes as text, about.
_BYTES_A_FIELD = 64
_ADVICE = "Write it as Parquet, or as CSV with a sample a line, which is read a block at a time."


class TextTable(TextSource):
    """Columns of text in memory, read as those of a text file are, but with every row looked at.

    names, columns : the names, and the texts of each column; the latter are taken one at a time
    where : what to call the table in errors
    request : the parameters of scan; target and weight are names of columns
    """

    is_in_memory = True

    def __init__(self, names: Sequence[str], columns: Iterable[list[str]], where: str, request: ReadingRequest) -> None:
        choice, marks = request.choice, request.marks
        roles = assign_roles(check_names(names, where), request, where)
        as_categories, features = choice.as_categories(names, where), set(roles.features)
        readings: dict[str, ColumnReading] = {}
        texts: dict[str, list[str]] = {}
        numbers: dict[str, Floats] = {}
        for name, column in zip(names, columns, strict=True):
            if name not in features and name not in (roles.target, roles.weight):
                continue
            if name == roles.target:
                labels = np.array(column, dtype=object)
                continue
            reading = ColumnReading(CATEGORY) if name in as_categories else reading_of_column(column, marks)
            readings[name] = reading
            if reading.is_numeric and not reading.is_ambiguous:
                numbers[name] = (reading.format or NumberFormat()).numbers(column)
            else:
                texts[name] = column
        readings = choice.settle(readings)
        names_of_features, self.left_out = without_dates(roles.features, readings, where)
        super().__init__(names_of_features, readings, where)
        for name in [name for name in texts if readings[name].is_numeric]:
            numbers[name] = (readings[name].format or NumberFormat()).numbers(texts.pop(name))
        if roles.weight is not None and roles.weight not in numbers:
            raise InvalidInput(f"The weight {roles.weight!r} of {where} is not a column of numbers. Name another.")
        weights = None if roles.weight is None else numbers.pop(roles.weight)
        self.target = Target(labels, weights, name=roles.target, drop_unlabelled=request.drop_unlabelled)
        self.columns_at_once, self.n_rows = self.n_features, len(labels)
        self._codes = ColumnCategories({name: f"Column {name!r}{self._of_where}" for name in self.text_columns})
        self._values = np.empty((self.n_rows, self.n_features), order="F")
        for position, name in enumerate(self.feature_names):
            if name in numbers:
                self._values[:, position] = numbers.pop(name)
            else:
                self._values[:, position] = self._codes.numbers(name, texts.pop(name))

    def with_text_as_codes(self) -> Self:
        if self._categories is not None or not self.text_columns:
            return self
        coded = copy(self)
        coded._categories = self._codes
        return coded

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        names = self.feature_names if columns is None else [self.feature_names[column] for column in columns]
        self._refuse_text(names)
        values = self._values if columns is None else self._values[:, np.asarray(columns, dtype=np.intp)]
        yield self.target.block(values, slice(0, len(values)), columns)


def read_transposed(path: PathLike, request: ReadingRequest, name: str | None = None) -> TextTable:
    """A text file whose first column names the columns, and whose first line names the rows, as gene tables come."""
    where = str(path) if name is None else name
    file, header = open_text_file(Path(path), where, request.sep, request.encoding)
    header = fit_header(header, list(islice(file.rows(None), 100)))
    n_fields = len(header.cells)
    names = []
    for line, fields in file.rows(n_fields):
        file.refuse_undecoded("".join(fields), line)
        names.append(fields[0].strip())
    _check_size(n_fields - 1, len(names), where)
    columns = (fields[1:] for _, fields in file.rows(n_fields))
    table = _turned(header.cells, names, columns, where, request)
    table.notes = file.notes
    return table


def read_excel(path: PathLike, request: ReadingRequest, name: str | None = None) -> TextTable:
    """The first sheet of an Excel workbook that holds anything. Its first row names the columns."""
    where = str(path) if name is None else name
    with _sheet_of(Path(path), where) as sheet:
        rows = _rows_of(sheet, where)
    if not rows:
        raise UnreadableFile(f"{where} is empty. The first row of its first sheet must name the columns.")
    cells, *rows = rows
    if not rows:
        raise InvalidInput(f"{where} has column names but no rows. Give a table with at least two.")
    if request.transpose:
        columns = (row[1:] for row in rows)
        return _turned(cells, [row[0] for row in rows], columns, where, request)
    filled = [position for position in range(len(cells)) if cells[position] or any(row[position] for row in rows)]
    names = [cells[position] or f"Unnamed: {position}" for position in filled]
    refuse_name_of_row(request.target, names, (row[0] for row in rows), where)
    texts = ([row[position] for row in rows] for position in filled)
    return TextTable(names, texts, where, request)


def _turned(
    cells: Sequence[str], names: Sequence[str], columns: Iterable[list[str]], where: str, request: ReadingRequest
) -> TextTable:
    """The table whose rows were columns: the names of its rows are kept under the name of the corner, as no feature."""
    if len(cells) < 2 or not names:
        raise InvalidInput(f"{where} has no samples to turn into rows: its first line names {len(cells)} column(s).")
    corner = cells[0] or "sample"
    if corner in names:
        corner = f"{corner} (row)"
    if request.target is not None and request.target == cells[0]:
        raise InvalidParameter(
            f"{request.target!r} names the rows of {where} once it is turned. Name one of its rows as target."
        )
    table = TextTable(names, columns, where, request)
    table.row_arrays = {corner: np.array(cells[1:], dtype=object)}
    return table


def _check_size(n_rows: int, n_columns: int, where: str) -> None:
    what = f"{where} is read whole, and its {n_rows:,} rows of {n_columns:,} columns take"
    check_memory(8.0 * n_rows * n_columns, STORED_ROWS, what, _ADVICE)


@contextmanager
def _sheet_of(path: Path, where: str) -> Iterator[Worksheet]:
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise MissingDependency("Reading Excel files needs openpyxl: pip install 'fewest[excel]'") from None
    try:
        with zipfile.ZipFile(path) as packed:
            n_bytes = sum(member.file_size for member in packed.infolist())
        check_size(n_bytes, f"{where} is read whole and takes, unpacked,")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            yield book.worksheets[0]
        finally:
            book.close()
    except FewestError:
        raise
    except OSError as error:
        raise UnreadableFile(f"{where} cannot be read: {error.strerror or error}.") from None
    except Exception as error:
        raise UnreadableFile(f"{where} is not a whole Excel workbook. Save it again as .xlsx.") from error


def _rows_of(sheet: Worksheet, where: str) -> list[list[str]]:
    """The rows of a sheet as text, all of one length, without those that are empty."""
    rows, n_fields = [], 0
    # The size that the sheet declares may be wrong, and rows of empty cells would be made up to it.
    sheet.reset_dimensions()
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > _MOST_ROWS:
            raise UnreadableFile(f"{where} has more than {_MOST_ROWS:,} rows, which no sheet has. Save it again.")
        row = [_text(value) for value in cells]
        if any(row):
            rows.append(row)
            n_fields += len(row)
            check_memory(
                float(_BYTES_A_FIELD * n_fields), STORED_ROWS, f"{where} is read whole, and its rows take", _ADVICE
            )
    width = max(chain([0], (max((i for i, text in enumerate(row) if text), default=-1) + 1 for row in rows)))
    return [row[:width] + [""] * (width - len(row)) for row in rows]


def _text(value: object) -> str:
    """A cell as a text file would have it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)
