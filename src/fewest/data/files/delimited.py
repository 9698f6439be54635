"""Rows of comma-, semicolon- or tab-separated text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats
from fewest.data.block import Block
from fewest.data.categories import NotANumber
from fewest.data.column_choice import ReadingRequest
from fewest.data.column_kinds import (
    BOOLEAN,
    CATEGORY,
    NUMBER,
    PLAIN,
    ColumnReading,
    reading_of_column,
)
from fewest.data.files.arrow_batch import read_batch
from fewest.data.files.table_file import (
    ColumnRoles,
    PathLike,
    SequentialFile,
    assign_roles,
    has_pyarrow,
    import_pyarrow,
    refuse_name_of_row,
)
from fewest.data.files.text_file import Row, fit_header, open_text_file, rows_from_all_over
from fewest.data.frame import check_names
from fewest.data.labels import check_weights, refuse_quantities_in_text
from fewest.data.text_numbers import (
    FALSE_WORDS,
    MISSING_WORDS,
    NO_WORDS,
    TRUE_WORDS,
    YES_WORDS,
    NumberFormat,
    is_missing_word,
)
from fewest.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
#: The least number of rows that decide what a column holds.
_MIN_ROWS_INSPECTED = 100
#: Bytes of text that Arrow is given at a time at most.
_MAX_BLOCK = 1 << 30
_PLAIN = NumberFormat()
_DECIMAL_COMMA = NumberFormat(decimal=",")


class DelimitedSource(SequentialFile):
    """A text file of rows, one a line, whose first line names the columns; packed with gzip or not.

    What a column holds is decided by its first rows (100 or more) and, in a large file that is not packed, by rows from
    all over it: numbers (also 1,234.50, 34,09, 12 % and € 5 where a column agrees), booleans (true, false, yes, no),
    dates, or categories. A later field that is no number in a column of numbers is an error. Missing are MISSING_WORDS,
    and among numbers and dates a dash or a point too.

    A first column without a name names the rows and is no feature; any other is called "Unnamed: 3" by its position, or
    passed over where it is empty. Memory: some blocks of 2 MB of text. Without pyarrow the result is the same and
    reading takes many times as long.

    request : the parameters of scan; target and weight are names of columns
    name : what to call the file in errors; its path by default
    """

    #: The number of fields that decide what columns hold.
    fields_inspected = 400_000
    values_at_once = 1 << 18
    bytes_at_once = 1 << 21

    def __init__(self, path: PathLike, request: ReadingRequest, name: str | None = None) -> None:
        where = str(path) if name is None else name
        self._file, header = open_text_file(Path(path), where, request.sep, request.encoding)
        self._header = fit_header(header, list(islice(self._file.rows(None), _MIN_ROWS_INSPECTED)))
        _refuse_numbers_as_names(self._header.cells, request.target, where)
        names = [cell or f"Unnamed: {position}" for position, cell in enumerate(self._header.cells)]
        self._positions = {column: position for position, column in enumerate(check_names(names, where))}
        rows = self._inspected_rows()
        texts = {column: [fields[position] for fields in rows] for column, position in self._positions.items()}
        # Spreadsheets write cells without a name and without content at the end of every row.
        filled = [column for column, cell in zip(names, self._header.cells, strict=True) if cell or any(texts[column])]
        refuse_name_of_row(request.target, names, (fields[0] for fields in rows), where)
        roles = assign_roles(filled, request, where)
        refuse_quantities_in_text(text for text in dict.fromkeys(texts[roles.target]) if not is_missing_word(text))
        readings = self._find_readings(texts, roles, request, where)
        super().__init__(where, roles, readings, request.drop_unlabelled)
        self.notes = self._file.notes
        if not self._file.is_packed:
            n_characters = sum(len(field) + 1 for fields in rows for field in fields)
            self.n_rows_about = Path(path).stat().st_size * len(rows) // n_characters
        self._columns_with_sound_quotes: set[str] = set()
        numeric = {column: reading for column, reading in readings.items() if reading.is_numeric}
        # Numbers in a form that Arrow does not read.
        self._as_text = {column for column, reading in numeric.items() if not self._is_native(reading, texts[column])}

    def _inspected_rows(self) -> list[list[str]]:
        """The fields of the first rows and, of a large file, of rows from all over it."""
        n_fields = len(self._header.cells)
        n_rows = max(_MIN_ROWS_INSPECTED, self.fields_inspected // n_fields)
        first_rows = list(islice(self._file.rows(n_fields), n_rows))
        if not first_rows:
            raise InvalidInput(f"{self._file.name} has column names but no rows. Give a table with at least two.")
        if self._file.is_utf_8:
            for line, fields in first_rows:
                self._file.refuse_undecoded("".join(fields), line)
        rows = [fields for _, fields in first_rows]
        return rows if len(rows) < n_rows else [*rows, *rows_from_all_over(self._file, n_fields)]

    def _find_readings(
        self, texts: Mapping[str, list[str]], roles: ColumnRoles, request: ReadingRequest, where: str
    ) -> dict[str, ColumnReading]:
        """How features and weight are read, by the texts of the rows that were looked at."""
        as_categories, marks = request.choice.as_categories(list(texts), where), request.marks
        columns = [column for column in roles.read_with(roles.features) if column != roles.target]
        readings = request.choice.settle(
            {
                column: ColumnReading(CATEGORY) if column in as_categories else reading_of_column(texts[column], marks)
                for column in columns
            }
        )
        self._decimal_mark = _decimal_mark(readings, texts)
        if self._decimal_mark == ",":
            plain = {column: reading for column, reading in readings.items() if _is_plain(reading)}
            readings |= {column: replace(reading, format=_DECIMAL_COMMA) for column, reading in plain.items()}
        return readings

    def _read(self, names: list[str]) -> Iterator[Block]:
        # Arrow takes two spaces for a separator with nothing before it.
        if not has_pyarrow() or self._file.separator == " ":
            yield from self._read_plainly(names, 0)
            return
        pyarrow = import_pyarrow("text")
        first_row, dtype = 0, np.dtype(np.float64)
        try:
            for batch in self._arrow_batches(names):
                yield read_batch(
                    batch,
                    names,
                    self.roles,
                    self._labels,
                    first_row,
                    dtype,
                    self._categories,
                    self._formats,
                    self.where,
                )
                first_row += batch.num_rows
        except (pyarrow.ArrowException, OSError, UnicodeError, NotANumber):
            # Arrow refuses some files that can be read, and says too little of those that cannot.
            yield from self._read_plainly(names, first_row)
            return
        self._check_quotes(names)

    def _check_quotes(self, names: list[str]) -> None:
        """Raise where a quotation mark is left open: Arrow goes on to the next one, or to the end, over many lines."""
        texts = {self.roles.target: self._labels.values}
        if self._categories is not None:
            texts |= {name: self._categories.values(name) for name in names if name in self._categories}
        unread = [values for name, values in texts.items() if name not in self._columns_with_sound_quotes]
        if any("\n" in str(text) or "\r" in str(text) for values in unread for text in values):
            deque(self._file.rows(len(self._positions)), maxlen=0)
            self._columns_with_sound_quotes.update(self._positions)
        self._columns_with_sound_quotes.update(texts)

    def _arrow_batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        pyarrow = import_pyarrow("text")
        arrow_csv = import_pyarrow("text", "pyarrow.csv")
        types = {name: self._arrow_type(name) for name in [*names, *filter(None, [self.roles.weight])]}
        types[self.roles.target] = pyarrow.string()
        read = arrow_csv.ReadOptions(
            use_threads=False,
            # A line must fit in a block, and may be some times as long as the names above it.
            block_size=min(max(self.bytes_at_once, 16 * self._header.n_characters), _MAX_BLOCK),
            column_names=list(self._positions),
            skip_rows=self._header.n_lines_before,
            skip_rows_after_names=1,
            encoding="utf8" if self._file.is_utf_8 else self._file.encoding,
        )
        parse = arrow_csv.ParseOptions(delimiter=self._file.separator, newlines_in_values=True)
        convert = arrow_csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=list(MISSING_WORDS),
            strings_can_be_null=True,
            true_values=[*TRUE_WORDS, *YES_WORDS, "1"],
            false_values=[*FALSE_WORDS, *NO_WORDS, "0"],
            decimal_point=self._decimal_mark,
        )
        with pyarrow.input_stream(str(self._file.path), compression="gzip" if self._file.is_packed else None) as stream:
            yield from arrow_csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=convert)

    def _arrow_type(self, name: str) -> pa.DataType:
        pyarrow = import_pyarrow("text")
        reading = self._readings.get(name, PLAIN)
        if not reading.is_numeric or name in self._as_text:
            return pyarrow.string()
        return pyarrow.bool_() if reading.kind == BOOLEAN else pyarrow.float64()

    def _is_native(self, reading: ColumnReading, texts: Sequence[str]) -> bool:
        """Whether Arrow reads the numbers of a column as they are written in its first rows."""
        if reading.kind == BOOLEAN:
            return {*texts} <= {*TRUE_WORDS, *FALSE_WORDS, *YES_WORDS, *NO_WORDS, *MISSING_WORDS}
        how = reading.format
        if how is None or reading.kind != NUMBER:
            return True
        if how not in (_PLAIN, _DECIMAL_COMMA) or how.decimal != self._decimal_mark:
            return False
        return all(text in MISSING_WORDS or is_float(text.replace(how.decimal, ".")) for text in dict.fromkeys(texts))

    def _read_plainly(self, names: list[str], first_row: int) -> Iterator[Block]:
        """The same with the csv module."""
        remaining = self._file.rows(len(self._positions), first_row)
        n_rows = max(1, self.values_at_once // len(self._positions))
        while rows := list(islice(remaining, n_rows)):
            values = np.empty((len(rows), len(names)), order="F")
            for position, name in enumerate(names):
                if self._categories is not None and name in self._categories:
                    values[:, position] = self._categories.numbers(name, self._texts(rows, name).tolist())
                else:
                    values[:, position] = self._numbers(rows, name)
            codes, kept = self._labels.encode_rows(self._texts(rows, self.roles.target), first_row)
            weights = None
            if self.roles.weight is not None:
                weights = check_weights(self._numbers(rows, self.roles.weight), len(rows), first_row)
            yield self._labels.block(values, codes, kept, weights, first_row)
            first_row += len(rows)

    def _numbers(self, rows: list[Row], name: str) -> Floats:
        """The numbers of one column; the error names the line of the first field that is none."""
        position, how = self._positions[name], self._formats.get(name, _PLAIN)
        try:
            return how.numbers([fields[position] for _, fields in rows])
        except ValueError as error:
            wrong = str(error)
        line = next(line for line, fields in rows if fields[position].strip() == wrong.strip())
        self._file.refuse_undecoded(wrong, line)
        raise NotANumber(wrong, name, f"{self.where}, line {line}")

    def _texts(self, rows: list[Row], name: str) -> NDArray[np.object_]:
        """The fields of one column as written, None where one is missing."""
        position = self._positions[name]
        if self._file.is_utf_8:
            for line, fields in rows:
                if not fields[position].isascii():
                    self._file.refuse_undecoded(fields[position], line)
        texts = (None if fields[position] in MISSING_WORDS else fields[position] for _, fields in rows)
        return np.fromiter(texts, dtype=object, count=len(rows))


def _is_plain(reading: ColumnReading) -> bool:
    return reading.kind == NUMBER and reading.format in (None, _PLAIN)


def _decimal_mark(readings: Mapping[str, ColumnReading], texts_of: Mapping[str, Sequence[str]]) -> str:
    """A comma where numbers of the table have it and none has a point; otherwise a point."""
    if not any(one.format == _DECIMAL_COMMA for one in readings.values()):
        return "."
    plain = (texts_of[name] for name, one in readings.items() if _is_plain(one))
    return "." if any("." in text for text in chain.from_iterable(plain)) else ","


def _refuse_numbers_as_names(cells: list[str], target: object, where: str) -> None:
    """Raise where the first line is a row: the target is not in it, and most of it are numbers."""
    if target is None or target in cells:
        return
    if 2 * sum(map(is_float, cells)) > len(cells):
        raise InvalidInput(
            f"There is no column {target!r} in {where}, whose first line holds numbers ({', '.join(cells[:3])}, ...). "
            "Put a line with the names of the columns before it."
        )


def is_float(text: str) -> bool:
    """Whether a program would read this text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text
