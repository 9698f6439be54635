"""Delimited text as the csv module reads it: the header, rows, missing values and numbers."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TextIO, cast

import numpy as np
from numpy.typing import NDArray

from fewest.arrays import Floats
from fewest.errors import InvalidInput, UnreadableFile

MISSING_WORDS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "#N/A")
TRUE_WORDS = ("true", "True", "TRUE")
FALSE_WORDS = ("false", "False", "FALSE")
_NUMBER_OF_WORD = (
    dict.fromkeys(MISSING_WORDS, float("nan")) | dict.fromkeys(TRUE_WORDS, 1.0) | dict.fromkeys(FALSE_WORDS, 0.0)
)

#: The number of a line, and its fields.
Row = tuple[int, list[str]]


@dataclass(frozen=True)
class Header:
    """How a file is laid out.

    cells : the cells of the first line that is not empty, as written
    delimiter : what stands between cells
    n_lines_before : how many empty lines come first
    n_characters : the length of the line
    """

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
    known = _NUMBER_OF_WORD.get(text)
    if known is not None:
        return known
    # float() takes 1_000 for a number; other readers of tables do not.
    if "_" in text:
        raise ValueError(text)
    return float(text)


def column_numbers(rows: list[Row], position: int, name: str, path: Path) -> Floats:
    """The numbers of one column; the error names the line of the first field that is none."""
    try:
        return np.fromiter((to_number(fields[position]) for _, fields in rows), dtype=np.float64, count=len(rows))
    except ValueError:
        line, text = next((line, fields[position]) for line, fields in rows if not _is_number(fields[position]))
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


def _is_number(text: str) -> bool:
    try:
        to_number(text)
    except ValueError:
        return False
    return True


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[:most] + "…"
