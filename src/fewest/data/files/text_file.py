"""Text files of rows and fields: how they are packed, encoded and separated, and their rows."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from fewest.display.formatting import counted
from fewest.errors import InvalidParameter, UnreadableFile

if TYPE_CHECKING:
    from _csv import Reader

#: The number of a line, and its fields.
Row = tuple[int, list[str]]

#: The separators that are looked for, and the names that others may be given by.
_SEPARATORS = (",", ";", "\t", "|")
_NAMED_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
#: Bytes at the beginning of a file, and lines of them, that show its encoding and separator.
BYTES_INSPECTED, _LINES_INSPECTED = 1 << 20, 20
#: Places of a large file, and bytes at each, that show the same.
_PLACES_INSPECTED, _BYTES_AT_PLACE = 16, 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Characters of a line at most: a file without line ends, such as one of zeros, is no table.
MAX_LINE = 1 << 27
#: How Python calls UTF-8 where a byte order mark is passed over.
_UTF_8 = "utf-8-sig"


@dataclass(frozen=True)
class TextFile:
    """A text file, and how its fields are separated.

    name : what to call it in errors
    encoding : as Python calls it; utf-8-sig for UTF-8
    is_guessed : the encoding was found out from bytes that are not UTF-8
    separator : between fields; empty where it has not been found out yet
    """

    path: Path
    name: str
    encoding: str
    is_guessed: bool = False
    separator: str = ""

    @property
    def is_packed(self) -> bool:
        return is_packed(self.path)

    @property
    def is_utf_8(self) -> bool:
        return self.encoding == _UTF_8

    @property
    def notes(self) -> list[str]:
        """What was found out about the encoding that somebody should know."""
        if not self.is_guessed:
            return []
        how = f"{self.name} is not UTF-8 text and was read as {self.encoding}."
        return [f"{how} If names look wrong, give its encoding (--encoding)."]

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """The file as text, unpacked if need be; bytes that are not UTF-8 are kept, for refuse_undecoded to find."""
        errors = "surrogateescape" if self.is_utf_8 else "strict"
        try:
            opener = gzip.open if self.is_packed else open
            with opener(self.path, "rt", encoding=self.encoding, errors=errors, newline="") as file:
                yield cast(TextIO, file)
        except UnicodeError as error:
            raise UnreadableFile(f"{self.name} is not {self.encoding} text: {error}. Give its encoding.") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise UnreadableFile(f"{self.name} is not a whole gzip file: {error}. Write it again.") from None
        except OSError as error:
            raise UnreadableFile(f"{self.name} cannot be read: {error.strerror or error}.") from None

    def refuse_undecoded(self, text: str, line: int) -> None:
        """Raise where the text holds bytes that are not UTF-8."""
        if text.isascii():
            return
        try:
            text.encode()
        except UnicodeEncodeError as error:
            byte = ord(text[error.start]) - 0xDC00
            raise UnreadableFile(
                f"{self.name}, line {line}: the byte 0x{byte:02x} is not UTF-8 text. Give the encoding of the file, "
                "such as encoding='latin-1' (--encoding latin-1), or save it with UTF-8 encoding."
            ) from None

    def lines(self, file: TextIO) -> Iterator[str]:
        """The lines of the opened file; raises for one that is too long, before it is read."""
        number = 0
        while line := file.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE and line[-1] not in "\r\n":
                raise UnreadableFile(
                    f"{self.name}, line {number}: more than {MAX_LINE:,} characters. Is it a text file with rows?"
                )
            yield line

    def rows(self, n_fields: int | None, first_row: int = 0) -> Iterator[Row]:
        """Every row below the header, from first_row on, with the number of its line; empty lines are passed over.

        n_fields : the number of fields that every row must have
        """
        with self.open() as file:
            lines = csv_rows(self.lines(file), self.separator)
            # The header itself is row -1.
            row = -1
            try:
                for fields in lines:
                    if not fields:
                        continue
                    if row >= first_row:
                        if n_fields is not None and len(fields) != n_fields:
                            raise self._wrong_length(lines.line_num, len(fields), n_fields)
                        yield lines.line_num, fields
                    row += 1
            except csv.Error as error:
                raise UnreadableFile(
                    f"{self.name}, line {lines.line_num}: {error}. Is a quotation mark left open, or not doubled in a "
                    "quote?"
                ) from None

    def _wrong_length(self, line: int, n_fields: int, n_columns: int) -> UnreadableFile:
        fields, columns = counted(n_fields, "field"), counted(n_columns, "column")
        advice = f"Mend the line; a field that holds {self.separator!r} must stand in quotes."
        if n_columns == 1:
            advice = "If lines stand above the names of the columns, such as a title or comments, take them out."
        return UnreadableFile(f"{self.name}, line {line}: {fields}, but the first line names {columns}. {advice}")


@dataclass(frozen=True)
class Header:
    """The first line of a file that is not empty: its cells, and the number of empty lines before it."""

    cells: list[str]
    n_lines_before: int
    n_characters: int


def csv_rows(lines: Iterable[str], separator: str, is_strict: bool = True) -> Reader:
    """The fields of each line, by Python's csv module; several spaces are one separator."""
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ", strict=is_strict)


def is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def open_text_file(path: Path, name: str, sep: str | None, encoding: str | None) -> tuple[TextFile, Header]:
    """A text file with its encoding and separator, given or found out, and its header."""
    if encoding is None:
        file = TextFile(path, name, *_find_encoding(_start_of(path, name)))
        if file.is_utf_8 and not _is_utf_8_all_over(path):
            file = replace(file, encoding="cp1252", is_guessed=True)
    else:
        file = TextFile(path, name, _checked_encoding(encoding))
    with file.open() as text:
        remaining = file.lines(text)
        n_lines_before, first = 0, next(remaining, "")
        while first and not first.strip("\r\n"):
            n_lines_before += 1
            first = next(remaining, "")
        if not first:
            raise UnreadableFile(f"{name} is empty. Its first line must name the columns.")
        file.refuse_undecoded(first, n_lines_before + 1)
        lines = [first, *islice(remaining, _LINES_INSPECTED)]
        if sep is None:
            is_tabbed = path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
            sep = "\t" if is_tabbed and "\t" in first else _sniff(lines)
    file = replace(file, separator=_checked_separator(sep))
    with file.open() as text:
        try:
            # A name may run over more than one line, in quotes.
            cells = next(fields for fields in csv_rows(file.lines(text), file.separator) if fields)
        except (csv.Error, StopIteration) as error:
            raise UnreadableFile(f"{name}: the line of column names cannot be read ({error}).") from None
    return file, Header([cell.strip() for cell in cells], n_lines_before, len(first))


def fit_header(header: Header, rows: Sequence[Row]) -> Header:
    """The header with as many cells as the first rows have fields, where one can tell what it lacks or has too many.

    R writes the names of rows under no name, so that the header is one short; spreadsheets write empty cells at the
    end.
    """
    if not rows:
        return header
    cells = list(header.cells)
    (shortest, *_), longest = sorted(len(fields) for _, fields in rows), max(len(fields) for _, fields in rows)
    while len(cells) > longest and not cells[-1]:
        cells.pop()
    if shortest == longest == len(cells) + 1:
        ends_empty = all(not fields[-1].strip() for _, fields in rows)
        cells = [*cells, ""] if ends_empty else ["", *cells]
    return replace(header, cells=cells)


def rows_from_all_over(file: TextFile, n_fields: int) -> Iterator[list[str]]:
    """Rows that can be read from places in the middle of a large file.

    A place where some row has another number of fields is passed over: it may be in the middle of a quotation.
    """
    if file.encoding.startswith(("utf-16", "utf-32")):
        return
    for piece in _pieces_from_all_over(file.path):
        lines = re.split("\r\n|\n|\r", piece.decode(file.encoding, "replace"))[1:-1]
        try:
            rows = [fields for fields in csv_rows(lines, file.separator) if fields]
        except csv.Error:
            continue
        if all(len(fields) == n_fields for fields in rows):
            yield from rows


def _pieces_from_all_over(path: Path) -> Iterator[bytes]:
    """Pieces of a large file that is not packed, up to its end."""
    if is_packed(path):
        return
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if size <= 2 * _BYTES_AT_PLACE * _PLACES_INSPECTED:
            return
        for place in range(1, _PLACES_INSPECTED + 1):
            file.seek(size * place // _PLACES_INSPECTED - _BYTES_AT_PLACE)
            yield file.read(_BYTES_AT_PLACE)


def _is_utf_8_all_over(path: Path) -> bool:
    for piece in _pieces_from_all_over(path):
        text = piece.decode("utf-8", "surrogateescape")
        # A character may be cut at either end.
        if not text.isascii() and not _is_decoded(text[3:-3]):
            return False
    return True


def _is_decoded(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _start_of(path: Path, name: str) -> bytes:
    try:
        if is_packed(path):
            with gzip.open(path) as file:
                return file.read(BYTES_INSPECTED)
        with path.open("rb") as file:
            return file.read(BYTES_INSPECTED)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableFile(f"{name} is not a whole gzip file: {error}. Write it again.") from None
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read: {error.strerror or error}.") from None


def _find_encoding(start: bytes) -> tuple[str, bool]:
    """The encoding of a text that starts so, and whether it was guessed: UTF-8, UTF-16, UTF-32, or one byte each."""
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return (_UTF_8, False) if encoding == "utf-8" else (encoding, False)
    zeros = [start[offset:4096:2].count(0) for offset in (0, 1)]
    if max(zeros) > 3 * min(len(start), 4096) // 8 and min(zeros) < max(zeros) // 4:
        return ("utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"), True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
        return _UTF_8, False
    except UnicodeDecodeError:
        pass
    try:
        start.decode("cp1252")
        return "cp1252", True
    except UnicodeDecodeError:
        return "latin-1", True


def _checked_encoding(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        raise InvalidParameter(
            f"There is no encoding {encoding!r}. Known are utf-8, utf-16, latin-1, cp1252 and Python's other codecs."
        ) from None
    return _UTF_8 if name in ("utf-8", _UTF_8) else name


def _checked_separator(sep: str) -> str:
    character = _NAMED_SEPARATORS.get(sep.lower(), sep) if isinstance(sep, str) else ""
    if len(character) != 1 or character in '"\r\n':
        raise InvalidParameter(f"sep must be one character, or tab or space; got {sep!r} instead.")
    return character


def _sniff(lines: Sequence[str]) -> str:
    """The separator that divides the first lines into the largest number of fields, the same in each."""
    best, most = ",", 0
    outside_quotes = "".join(lines[0].split('"')[::2])
    for separator in (*_SEPARATORS, " "):
        if separator not in outside_quotes or (separator == " " and most):
            continue
        # A quotation may go on in the next line; the last line may be cut.
        try:
            rows = [len(fields) for fields in csv_rows(lines, separator, is_strict=False) if fields]
        except csv.Error:
            continue
        n_fields = rows[0]
        agrees = all(n in (n_fields, n_fields + 1) for n in rows[1:-1]) and n_fields + (len(rows) > 1) > 1
        # Fields in one line alone separate less than those in which all lines agree.
        score = 1000 * n_fields if agrees else n_fields
        if separator == " " and not agrees:
            continue
        if score > most:
            best, most = separator, score
    return best
