"""Rows of comma- or tab-separated text."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats
from fewest.data.block import Block
from fewest.data.categories import TEXT
from fewest.data.files.arrow_batch import read_batch
from fewest.data.files.table_file import PathLike, SequentialFile, assign_roles, has_pyarrow, import_pyarrow
from fewest.data.frame import check_names
from fewest.data.labels import check_weights
from fewest.errors import InvalidInput, UnreadableFile

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab")
#: The least number of rows that decide whether a column holds numbers or text.
_MIN_ROWS_INSPECTED = 100
MISSING_WORDS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "#N/A")
TRUE_WORDS = ("true", "True", "TRUE")
FALSE_WORDS = ("false", "False", "FALSE")
_NUMBER_OF_WORD = (
    dict.fromkeys(MISSING_WORDS, float("nan")) | dict.fromkeys(TRUE_WORDS, 1.0) | dict.fromkeys(FALSE_WORDS, 0.0)
)

#: The number of a line, and its fields.
Row = tuple[int, list[str]]


class DelimitedSource(SequentialFile):
    """A text file of rows, one a line, whose first line names the columns; packed with gzip or not.

    A column holds numbers when each field of its first rows (100 or more) is a number, true or false (1 and 0), or
    missing: empty, NA, N/A, NaN, nan, null, NULL, None, ? or #N/A. A later field that is none of these is an error.
    The target is text as written, 0 and 1 too; there the same words mean that the row has no label.

    A first column without a name names the rows and is no feature; any other is called "Unnamed: 3" by its position.
    Memory: some blocks of 2 MB of text. Without pyarrow the result is the same and reading takes many times as long.

    target, weight, drop_unlabelled : as in scan, the first two names of columns
    """

    #: The number of fields that decide whether columns hold numbers or text.
    fields_inspected = 400_000
    values_at_once = 1 << 18
    bytes_at_once = 1 << 21

    def __init__(self, path: PathLike, target: object, weight: object = None, drop_unlabelled: bool = False) -> None:
        self.path = Path(path)
        is_tabbed = self.path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
        self._header = read_header(self.path, "\t" if is_tabbed else None)
        _refuse_numbers_as_names(self._header.cells, target, str(path))
        given = [cell or f"Unnamed: {position}" for position, cell in enumerate(self._header.cells)]
        names = check_names(given, str(path))
        self._positions = {name: position for position, name in enumerate(names)}
        roles = assign_roles(names, target, weight, str(path))
        n_rows = max(_MIN_ROWS_INSPECTED, self.fields_inspected // len(names))
        first_rows = list(islice(read_rows(self.path, self._header), n_rows))
        if not first_rows:
            raise InvalidInput(f"{path} has column names but no rows. Give a table with at least two.")
        held = {name: TEXT for name in names if name != roles.target and not self._holds_numbers(name, first_rows)}
        super().__init__(str(path), roles, held, drop_unlabelled)
        self._columns_with_sound_quotes: set[str] = set()
        self._booleans = {name for name in names if self._holds_booleans(name, first_rows)}

    def _read(self, names: list[str]) -> Iterator[Block]:
        if not has_pyarrow():
            yield from self._read_plainly(names, 0)
            return
        pyarrow = import_pyarrow("text")
        first_row, dtype = 0, np.dtype(np.float64)
        try:
            for batch in self._arrow_batches(names):
                yield read_batch(batch, names, self.roles, self._labels, first_row, dtype, self._categories)
                first_row += batch.num_rows
        except (pyarrow.ArrowException, OSError):
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
            deque(read_rows(self.path, self._header), maxlen=0)
            self._columns_with_sound_quotes.update(self._positions)
        self._columns_with_sound_quotes.update(texts)

    def _arrow_batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        pyarrow = import_pyarrow("text")
        arrow_csv = import_pyarrow("text", "pyarrow.csv")
        types = {name: pyarrow.bool_() if name in self._booleans else pyarrow.float64() for name in names}
        types |= {name: pyarrow.string() for name in names if name in self._held}
        types[self.roles.target] = pyarrow.string()
        if self.roles.weight is not None:
            types[self.roles.weight] = pyarrow.float64()
        read = arrow_csv.ReadOptions(
            use_threads=False,
            # A line must fit in a block, and may be some times as long as the names above it.
            block_size=max(self.bytes_at_once, 16 * self._header.n_characters),
            column_names=list(self._positions),
            skip_rows=self._header.n_lines_before,
            skip_rows_after_names=1,
        )
        parse = arrow_csv.ParseOptions(delimiter=self._header.delimiter, newlines_in_values=True)
        convert = arrow_csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=list(MISSING_WORDS),
            strings_can_be_null=True,
            true_values=[*TRUE_WORDS, "1"],
            false_values=[*FALSE_WORDS, "0"],
        )
        with pyarrow.input_stream(str(self.path), compression="gzip" if is_packed(self.path) else None) as stream:
            yield from arrow_csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=convert)

    def _read_plainly(self, names: list[str], first_row: int) -> Iterator[Block]:
        """The same with the csv module."""
        remaining = read_rows(self.path, self._header, first_row)
        n_rows = max(1, self.values_at_once // len(self._positions))
        while rows := list(islice(remaining, n_rows)):
            values = np.empty((len(rows), len(names)), order="F")
            for position, name in enumerate(names):
                if self._categories is not None and name in self._categories:
                    texts = column_texts(rows, self._positions[name], self.path)
                    values[:, position] = self._categories.numbers(name, texts.tolist())
                else:
                    values[:, position] = column_numbers(rows, self._positions[name], name, self.path)
            labels = column_texts(rows, self._positions[self.roles.target], self.path)
            codes, kept = self._labels.encode_rows(labels, first_row)
            weights = None
            if self.roles.weight is not None:
                numbers = column_numbers(rows, self._positions[self.roles.weight], self.roles.weight, self.path)
                weights = check_weights(numbers, len(rows), first_row)
            yield self._labels.block(values, codes, kept, weights, first_row)
            first_row += len(rows)

    def _holds_numbers(self, name: str, rows: list[Row]) -> bool:
        try:
            column_numbers(rows, self._positions[name], name, self.path)
        except InvalidInput:
            return False
        return True

    def _holds_booleans(self, name: str, rows: list[Row]) -> bool:
        words = {fields[self._positions[name]] for _, fields in rows}.difference(MISSING_WORDS)
        return bool(words) and words.issubset(TRUE_WORDS + FALSE_WORDS)


def _refuse_numbers_as_names(cells: list[str], target: object, where: str) -> None:
    """Raise where the first line is a row: the target is not in it, and most of it are numbers."""
    if target is None or target in cells:
        return
    if 2 * sum(map(is_number, cells)) > len(cells):
        raise InvalidInput(
            f"There is no column {target!r} in {where}, whose first line holds numbers ({', '.join(cells[:3])}, ...). "
            "Put a line with the names of the columns before it."
        )


@dataclass(frozen=True)
class Header:
    """The first line of a file that is not empty: its cells as written, and the number of empty lines before it."""

    cells: list[str]
    delimiter: str
    n_lines_before: int
    n_characters: int


def read_header(path: Path, delimiter: str | None) -> Header:
    """The first line that is not empty; without a delimiter, the one of comma, semicolon and tab that it uses most."""
    with open_text(path) as file:
        n_lines_before = 0
        line = file.readline()
        while line and not line.strip("\r\n"):
            n_lines_before += 1
            line = file.readline()
        if not line:
            raise UnreadableFile(f"{path} is empty. Its first line must name the columns.")
        refuse_undecoded(line, path, n_lines_before + 1)
        if delimiter is None:
            outside_quotes = "".join(line.split('"')[::2])
            delimiter = max(",;\t", key=outside_quotes.count)
        try:
            # A name may run over more than one line, in quotes.
            cells = next(csv.reader(chain([line], file), delimiter=delimiter, strict=True))
        except csv.Error as error:
            raise UnreadableFile(f"{path}: the line of column names cannot be read ({error}).") from None
    return Header(cells, delimiter, n_lines_before, len(line))


def read_rows(path: Path, header: Header, first_row: int = 0) -> Iterator[Row]:
    """Every row below the header, from first_row on, with the number of its line; empty lines are passed over."""
    with open_text(path) as file:
        lines = csv.reader(file, delimiter=header.delimiter, strict=True)
        # The header itself is row -1.
        row = -1
        try:
            for fields in lines:
                if not fields:
                    continue
                if len(fields) != len(header.cells):
                    raise UnreadableFile(
                        f"{path}, line {lines.line_num}: {len(fields)} fields, but the first line names "
                        f"{len(header.cells)} columns. Mend the line; a field that holds {header.delimiter!r} must "
                        "stand in quotes."
                    )
                if row >= first_row:
                    yield lines.line_num, fields
                row += 1
        except csv.Error as error:
            raise UnreadableFile(
                f"{path}, line {lines.line_num}: {error}. Is a quotation mark left open, or not doubled in a quote?"
            ) from None


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """The file as text, unpacked if need be; bytes that are not UTF-8 are kept, for refuse_undecoded to find."""
    try:
        opener = gzip.open if is_packed(path) else open
        with opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            yield cast(TextIO, file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableFile(f"{path} is not a whole gzip file: {error}. Write it again.") from None
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from None


def is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def to_number(text: str) -> float:
    """The number that a field stands for, NaN where it is missing; ValueError where it is neither."""
    if text in _NUMBER_OF_WORD:
        return _NUMBER_OF_WORD[text]
    # float() takes 1_000 for a number; other readers of tables do not.
    if "_" in text:
        raise ValueError(text)
    return float(text)


def column_numbers(rows: list[Row], position: int, name: str, path: Path) -> Floats:
    """The numbers of one column; the error names the line of the first field that is none."""
    try:
        return np.fromiter((to_number(fields[position]) for _, fields in rows), dtype=np.float64, count=len(rows))
    except ValueError:
        line, text = next((line, fields[position]) for line, fields in rows if not is_number(fields[position]))
    refuse_undecoded(text, path, line)
    raise InvalidInput(
        f"{path}, line {line}: column {name!r} holds {_shortened(text)!r}, which is not a number, though its first "
        "rows hold numbers. Mend the field, or leave it empty if the value is missing."
    )


def column_texts(rows: list[Row], position: int, path: Path) -> NDArray[np.object_]:
    """The fields of one column as written, None where one is missing."""
    for line, fields in rows:
        if not fields[position].isascii():
            refuse_undecoded(fields[position], path, line)
    texts = (None if fields[position] in MISSING_WORDS else fields[position] for _, fields in rows)
    return np.fromiter(texts, dtype=object, count=len(rows))


def refuse_undecoded(text: str, path: Path, line: int) -> None:
    """Raise where the text holds bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        byte = ord(text[error.start]) - 0xDC00
        raise UnreadableFile(
            f"{path}, line {line}: the byte 0x{byte:02x} is not UTF-8 text. Save the file with UTF-8 encoding."
        ) from None


def is_number(text: str) -> bool:
    """Whether a field is a number or missing."""
    try:
        to_number(text)
    except ValueError:
        return False
    return True


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[:most] + "…"
