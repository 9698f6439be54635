"""Rows of Parquet files: one, a folder, a glob or a list."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias, TypeVar

import numpy as np

from fewest.data.block import Block
from fewest.data.column_choice import ReadingRequest
from fewest.data.column_kinds import EMPTY
from fewest.data.files.arrow_batch import TEXT, RowLabels, float_type, kind_of, read_batch, read_labels, validated
from fewest.data.files.arrow_kinds import TextSample, find_readings
from fewest.data.files.regular_file import check_regular_file
from fewest.data.files.table_file import PathLike, TableFile, assign_roles, import_pyarrow, is_index
from fewest.data.frame import check_names
from fewest.errors import InvalidInput, InvalidType, UnreadableFile
from fewest.protocols import Statistic

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData, ParquetFile

T = TypeVar("T")
S = TypeVar("S", bound=Statistic)
#: What stands for Parquet files: a path, a folder, a glob, or a list of paths.
Paths: TypeAlias = PathLike | Iterable[PathLike]

PARQUET_SUFFIXES = (".parquet", ".pq", ".parq")
#: Every column that is being read holds a page of its own, packed and unpacked: some megabytes.
_COLUMNS_AT_ONCE = 16
_READERS_AT_ONCE = 4
_READ_BUFFER_BYTES = 65536
#: Where columns are read in groups, the classes of at most this number of rows are read once for all groups.
_MOST_LABELS = 1 << 24
_MAGIC = b"PAR1"
#: Encodings of text that Arrow decodes as text alone; some writers change to one where a dictionary grows too large.
_DELTA_TEXT = {"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"}
_ROWS_OF_SAMPLE, _PLACES_OF_SAMPLE = 4096, 8


class ParquetSource(TableFile):
    """Parquet files of the same columns, read as one table, never whole.

    The files' columns may come in any order, and be integer here and float there; but no file may lack a column of
    another, or hold text where another holds numbers.

    Memory: the pages of 16 columns and blocks of at most 32,768 rows, whatever the size of the files. A statistic
    in which columns meet reads all columns at once and holds the pages of all: write such files with small pages.

    data : a path, a folder, a glob or a list of paths; the files of a folder or glob are read in order of name
    request : the parameters of scan; target and weight are names of columns
    """

    rows_at_once = 32768
    values_at_once = 1 << 21

    def __init__(self, data: Paths, request: ReadingRequest) -> None:
        import_pyarrow("Parquet")
        self.paths = find_parquet_files(data)
        n_more = len(self.paths) - 1
        where = str(self.paths[0]) + (f" (and {n_more} more file{'s' if n_more > 1 else ''})" if n_more else "")
        columns = _CommonColumns()
        self.n_rows = 0
        for path in self.paths:
            with open_parquet(path) as file:
                columns.add(file.schema_arrow, str(path))
                self.n_rows += _declared_rows(file, path)
        roles = assign_roles(columns.names, request, where)
        if self.n_rows == 0:
            raise InvalidInput(f"{where} has column names but no rows. Give a table with at least two.")
        types = {name: columns.types_of([name]) for name in roles.read_with(roles.features)}
        readings = find_readings(types, roles, request, self._sample, where)
        super().__init__(where, roles, readings, request.drop_unlabelled, _COLUMNS_AT_ONCE)
        self.readers_at_once = _READERS_AT_ONCE
        self._end = self.n_rows
        self._dtype = float_type(columns.types_of(self.roles.features))
        # Text stays the small numbers as which Parquet stores it.
        is_text = all(kind_of(arrow_type) == TEXT for arrow_type in columns.types_of([roles.target]))
        self._as_categories = [roles.target] if is_text else []
        self._row_labels: RowLabels | None = None

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        collected = super().collect(statistic, is_part=is_part)
        # What Arrow has freed it keeps for a second; the next pass needs other memory by then.
        import_pyarrow("Parquet").default_memory_pool().release_unused()
        return collected

    def first_rows(self, n_rows: int) -> Self:
        first = copy(self)
        first.n_rows = first._end = min(n_rows, self._end)
        return first

    def _sample(self, names: list[str]) -> TextSample:
        """Rows of the named columns: the first of row groups all over the files, then all from the first on."""
        read = {"batch_size": _ROWS_OF_SAMPLE, "columns": names, "use_threads": False}
        for path in _spread(self.paths, _PLACES_OF_SAMPLE):
            with open_parquet(path) as file:
                groups = _spread(range(file.num_row_groups), max(1, _PLACES_OF_SAMPLE // len(self.paths)))
                for group in groups:
                    first = islice(file.iter_batches(row_groups=[group], **read), 1)
                    yield from validated(first, str(path))
        for path in self.paths:
            with open_parquet(path) as file:
                yield from validated(file.iter_batches(**read), str(path))

    def _read_groups(self, names: Sequence[list[str]]) -> Iterator[tuple[int, Block]]:
        # File by file, so that each is opened once: for a file with many columns that alone takes milliseconds.
        file_start = 0
        categories = self._categories
        texts = [] if categories is None else [name for name in self.text_columns if name in categories]
        texts += self._formats
        known = self._known_labels()
        for path in self.paths:
            if file_start >= self._end:
                break
            with open_parquet(path, [*(self._as_categories if known is None else ()), *texts]) as file:
                for g, group in enumerate(names):
                    first_row = file_start
                    columns = self.roles.read_with(group) if known is None or not group else group
                    for batch in self._batches(file, columns, path):
                        batch = batch.slice(0, self._end - first_row)
                        last_row = first_row + batch.num_rows
                        block = read_batch(
                            batch, group, self.roles, self._labels, first_row, self._dtype, categories, self._formats,
                            self.where, None if known is None else known.rows(first_row, last_row),
                        )  # fmt: skip
                        yield g, block
                        first_row = last_row
                        if first_row >= self._end:
                            break
                    if first_row < self._end and first_row - file_start != file.metadata.num_rows:
                        raise _wrong_rows(path, file.metadata.num_rows, first_row - file_start)
                file_start += file.metadata.num_rows

    def _known_labels(self) -> RowLabels | None:
        """The class and the weight of every row, read once; None where rows are many, or all columns read at once."""
        if self._row_labels is None and self.columns_at_once < self.n_features and self._end <= _MOST_LABELS:
            # Two readers may both come here at first: they find the same.
            self._row_labels = self._read_labels()
        return self._row_labels

    def _read_labels(self) -> RowLabels:
        parts: list[RowLabels] = []
        first_row = 0
        for path in self.paths:
            if first_row >= self._end:
                break
            with open_parquet(path, [*self._as_categories, *self._formats]) as file:
                file_start = first_row
                for batch in self._batches(file, self.roles.read_with([]), path):
                    part = read_labels(batch, self.roles, self._labels, first_row, self._formats, self.where)
                    # A byte a row, mostly.
                    narrow = np.min_scalar_type(-1 - len(self._labels.values))
                    parts.append(part._replace(codes=part.codes.astype(narrow)))
                    first_row += batch.num_rows
                if first_row - file_start != file.metadata.num_rows:
                    raise _wrong_rows(path, file.metadata.num_rows, first_row - file_start)
        return RowLabels.joined(parts)

    def _batches(self, file: ParquetFile, columns: list[str], path: Path) -> Iterator[pa.RecordBatch]:
        # Arrow's own threads and buffers would hold the pages of many more rows than these.
        n_rows = self._rows_of_batch(len(columns))
        return validated(file.iter_batches(batch_size=n_rows, columns=columns, use_threads=False), str(path))


class _CommonColumns:
    """The columns that all files share, with every Arrow type of each and the file in which it was first met."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._first_file = ""
        self._types: dict[str, dict[pa.DataType, str]] = {}

    def add(self, schema: pa.Schema, file: str) -> None:
        """Add a file; raises where its columns are not those of the files before."""
        names = check_names(schema.names, file)
        if not self._first_file:
            self.names = names
            self._first_file = file
            self._types = {name: {} for name in names if not is_index(name)}
        self._check_names(names, file)
        for name, arrow_type in zip(names, schema.types, strict=True):
            known = self._types.get(name)
            if known is not None and arrow_type not in known:
                self._check_kind(name, arrow_type, file)
                known[arrow_type] = file

    def types_of(self, names: Sequence[str]) -> list[pa.DataType]:
        return [arrow_type for name in names for arrow_type in self._types[name]]

    def _check_names(self, names: list[str], file: str) -> None:
        present = set(names)
        lacking = [(name, file, self._first_file) for name in self._types if name not in present]
        added = [name for name in names if name not in self._types and not is_index(name)]
        for name, without, having in [*lacking, *((name, self._first_file, file) for name in added)]:
            raise InvalidInput(
                f"{without} lacks the column {name!r}, which {having} has. Files that are read together must have the "
                "same columns."
            )

    def _check_kind(self, name: str, arrow_type: pa.DataType, file: str) -> None:
        kind = kind_of(arrow_type)
        for other_type, other_file in self._types[name].items():
            if EMPTY not in (kind, kind_of(other_type)) and kind != kind_of(other_type):
                raise InvalidInput(
                    f"Column {name!r} is {arrow_type} in {file} but {other_type} in {other_file}. "
                    "Give it one type in all files."
                )


def _spread(places: Sequence[T], most: int) -> list[T]:
    """At most this number of the places, from the first to the last."""
    if len(places) <= most:
        return list(places)
    return [places[round(i * (len(places) - 1) / max(most - 1, 1))] for i in range(most)]


def find_parquet_files(data: Paths) -> list[Path]:
    """The files that a path, a folder, a glob or a list of paths stands for."""
    if isinstance(data, str | os.PathLike):
        return _files_of(os.fspath(data))
    paths = list(data)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidType(f"A list of files must hold paths, got {type(path).__name__} instead.")
    files = [file for path in paths for file in _files_of(os.fspath(path))]
    if not files:
        raise UnreadableFile("The list of Parquet files is empty. Give at least one path.")
    return files


def _files_of(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        # Names with a leading underscore or dot are what writers leave with the data, such as _SUCCESS.
        visible = [file for file in path.iterdir() if file.is_file() and file.name[0] not in "._"]
        files = sorted(file for file in visible if file.suffix.lower() in PARQUET_SUFFIXES)
        if not files:
            raise UnreadableFile(
                f"The folder {name} holds no Parquet files (*.parquet). For files in the folders below it, give a "
                f"glob: '{path / '**' / '*.parquet'}'."
            )
        return files
    if path.exists():
        check_regular_file(path)
        return [path]
    if glob.has_magic(name):
        matches = sorted(Path(match) for match in glob.glob(name, recursive=True) if os.path.isfile(match))
        if not matches:
            raise UnreadableFile(f"No file matches {name!r}. Check the folder and the pattern.")
        return matches
    raise UnreadableFile(f"There is no file {name!r}. Check the path.")


@contextmanager
def open_parquet(path: Path, as_categories: Sequence[str] = ()) -> Iterator[ParquetFile]:
    """A Parquet file; what Arrow says against it, while it is open, becomes one sentence."""
    pyarrow = import_pyarrow("Parquet")
    parquet = import_pyarrow("Parquet", "pyarrow.parquet")
    try:
        metadata = parquet.read_metadata(path) if as_categories else None
        categories = [] if metadata is None else _decoded_as_categories(metadata, as_categories)
        with parquet.ParquetFile(
            path, metadata=metadata, buffer_size=_READ_BUFFER_BYTES, pre_buffer=False, read_dictionary=categories
        ) as file:
            yield file
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(_what_is_wrong(path, error)) from error


def _decoded_as_categories(metadata: FileMetaData, names: Sequence[str]) -> list[str]:
    """Those of the named columns that Arrow can read as categories: no row group holds text of a delta encoding."""
    requested = set(names)
    leaves = [(leaf, name) for leaf, name in enumerate(metadata.schema.names) if name in requested]
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    plain = {name for leaf, name in leaves if any(_DELTA_TEXT.intersection(g.column(leaf).encodings) for g in groups)}
    return [name for name in names if name not in plain]


def _declared_rows(file: ParquetFile, path: Path) -> int:
    """The number of rows that a file declares; raises where its row groups declare another."""
    metadata = file.metadata
    lengths = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    if min(lengths, default=0) < 0 or sum(lengths) != metadata.num_rows:
        raise _wrong_rows(path, metadata.num_rows, sum(lengths))
    return int(metadata.num_rows)


def _wrong_rows(path: Path, declared: int, found: int) -> UnreadableFile:
    what = f"it declares {declared:,} rows and holds {found:,}"
    return UnreadableFile(f"{path} is a damaged Parquet file: {what}. Copy or write it again.")


def _what_is_wrong(path: Path, error: Exception) -> str:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    try:
        with path.open("rb") as file:
            starts = file.read(len(_MAGIC))
            file.seek(-min(len(_MAGIC), os.fstat(file.fileno()).st_size), os.SEEK_END)
            ends = file.read()
    except OSError as failure:
        return f"{path} cannot be read: {failure.strerror}."
    if not starts:
        return f"{path} is empty, not a Parquet file. Write it again."
    if starts != _MAGIC:
        return f"{path} is not a Parquet file, whatever its name says. Rename it, or write it again."
    if ends != _MAGIC:
        return f"{path} is a Parquet file cut short: its end is missing. Copy or write it again."
    return f"{path} is a damaged Parquet file: {reason}"
