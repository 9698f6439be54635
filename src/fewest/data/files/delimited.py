"""Rows of comma- or tab-separated text."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fewest.data.categories import TEXT
from fewest.data.files.arrow_batch import read_batch
from fewest.data.files.column_roles import assign_roles
from fewest.data.files.delimited_text import (
    FALSE_WORDS,
    MISSING_WORDS,
    TRUE_WORDS,
    Row,
    column_numbers,
    column_texts,
    is_packed,
    read_header,
    read_rows,
    to_number,
)
from fewest.data.files.optional import has_pyarrow, import_pyarrow
from fewest.data.files.table_file import RowBatch, SequentialFile
from fewest.data.frame import check_names
from fewest.data.labels import check_weights
from fewest.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab")
#: The least number of rows from which numbers are told from text.
_MIN_ROWS_INSPECTED = 100


class DelimitedSource(SequentialFile):
    """A text file of rows, one a line, whose first line names the columns; packed with gzip or not.

    A column holds numbers when each field of its first rows (100 or more) is a number, true or false (1 and 0), or
    missing: empty, NA, N/A, NaN, nan, null, NULL, None, ? or #N/A. A later field that is none of these is an error.
    The target is text as written, 0 and 1 too; there the same words mean that the row has no label.

    A first column without a name, as pandas and R write it, names the rows and is no feature; any other column
    without a name is called "Unnamed: 3" after its position.

    Memory: some blocks of 2 MB of text. Without pyarrow the result is the same and reading takes many times as long.

    Parameters
    ----------
    path : str or path
    target : str
        The column of labels.
    weight : str, optional
        The column of sample weights.
    drop_unlabelled : bool
        Leave out rows without a label instead of refusing them.
    """

    #: The number of fields from which numbers are told from text.
    fields_inspected = 400_000
    values_at_once = 1 << 18
    bytes_at_once = 1 << 21

    def __init__(
        self,
        path: str | os.PathLike[str],
        target: object,
        weight: object = None,
        drop_unlabelled: bool = False,
    ) -> None:
        self.path = Path(path)
        is_tabbed = self.path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
        self._header = read_header(self.path, "\t" if is_tabbed else None)
        _refuse_numbers_as_names(self._header.cells, target, str(path))
        names = check_names(
            [cell or f"Unnamed: {position}" for position, cell in enumerate(self._header.cells)], str(path)
        )
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

    def _read(self, names: list[str]) -> Iterator[RowBatch]:
        if not has_pyarrow():
            yield from self._read_plainly(names, 0)
            return
        pyarrow = import_pyarrow("text")
        first_row = 0
        try:
            for batch in self._arrow_batches(names):
                yield read_batch(
                    batch, names, self.roles, self._labels, first_row, np.dtype(np.float64), self._categories
                )
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
        csv = import_pyarrow("text", "pyarrow.csv")
        types = {name: pyarrow.bool_() if name in self._booleans else pyarrow.float64() for name in names}
        types |= {name: pyarrow.string() for name in names if name in self._held}
        types[self.roles.target] = pyarrow.string()
        if self.roles.weight is not None:
            types[self.roles.weight] = pyarrow.float64()
        read = csv.ReadOptions(
            use_threads=False,
            # A line must fit in a block, and may be some times as long as the names above it.
            block_size=max(self.bytes_at_once, 16 * self._header.n_characters),
            column_names=list(self._positions),
            skip_rows=self._header.n_lines_before,
            skip_rows_after_names=1,
        )
        parse = csv.ParseOptions(delimiter=self._header.delimiter, newlines_in_values=True)
        convert = csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=list(MISSING_WORDS),
            strings_can_be_null=True,
            true_values=[*TRUE_WORDS, "1"],
            false_values=[*FALSE_WORDS, "0"],
        )
        with pyarrow.input_stream(str(self.path), compression="gzip" if is_packed(self.path) else None) as stream:
            yield from csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=convert)

    def _read_plainly(self, names: list[str], first_row: int) -> Iterator[RowBatch]:
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
            yield RowBatch(values, codes, kept, weights)
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
    n_numbers = 0
    for cell in cells:
        try:
            to_number(cell)
        except ValueError:
            continue
        n_numbers += 1
    if 2 * n_numbers > len(cells):
        raise InvalidInput(
            f"There is no column {target!r} in {where}, whose first line holds numbers ({', '.join(cells[:3])}, ...). "
            "Put a line with the names of the columns before it."
        )
