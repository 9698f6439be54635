"""Rows of an Arrow file: Feather or IPC, the file format or the stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fewest.data.column_choice import ReadingRequest
from fewest.data.files.arrow_batch import float_type, validated
from fewest.data.files.arrow_kinds import find_readings
from fewest.data.files.record_batches import RecordBatches
from fewest.data.files.table_file import PathLike, assign_roles, import_pyarrow
from fewest.data.frame import check_names
from fewest.errors import UnreadableFile

if TYPE_CHECKING:
    import pyarrow as pa

ARROW_SUFFIXES = (".arrow", ".feather", ".ipc", ".arrows")
_COLUMNS_AT_ONCE = 40
_FILE_MAGIC = b"ARROW1"
_FEATHER_1_MAGIC = b"FEA1"


class ArrowFileSource(RecordBatches):
    """An Arrow IPC file, which is also Feather, or an Arrow stream: recognised by their first bytes, not by their name.

    Memory: 40 columns of a record batch of the file; a whole batch of a stream, to be written in small ones.

    request : the parameters of scan; target and weight are names of columns
    """

    rows_at_once = 16384
    values_at_once = 1 << 20

    def __init__(self, path: PathLike, request: ReadingRequest) -> None:
        self.path = Path(path)
        with _open(self.path) as reader:
            schema, names = reader.schema, reader.schema.names
            # A stream does not say, nor does an old version of pyarrow.
            self.n_rows = reader.count_rows() if hasattr(reader, "count_rows") else None
        self._positions = {name: position for position, name in enumerate(check_names(names, str(path)))}
        roles = assign_roles(list(self._positions), request, str(path))
        types = dict(zip(self._positions, schema.types, strict=True))
        readings = find_readings({name: [types[name]] for name in types}, roles, request, self._sample, str(path))
        super().__init__(str(path), roles, readings, request.drop_unlabelled, _COLUMNS_AT_ONCE)
        self._dtype = float_type([types[name] for name in self.roles.features])

    def _batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with _open(self.path, [self._positions[name] for name in names]) as reader:
            if hasattr(reader, "num_record_batches"):
                batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
                yield from validated(batches, str(self.path))
            else:
                yield from validated(reader, str(self.path))


@contextmanager
def _open(path: Path, fields: list[int] | None = None) -> Iterator[pa.RecordBatchFileReader]:
    """A reader of these columns, by position; what Arrow says against the file becomes one sentence."""
    pyarrow = import_pyarrow("Arrow files")
    ipc = import_pyarrow("Arrow files", "pyarrow.ipc")
    options = ipc.IpcReadOptions(use_threads=False, included_fields=fields)
    starts = b""
    try:
        with path.open("rb") as file:
            starts = file.read(len(_FILE_MAGIC))
        # Not a memory map: its pages would count as memory of this process.
        with pyarrow.OSFile(str(path)) as file:
            opened = ipc.open_file if starts == _FILE_MAGIC else ipc.open_stream
            with opened(file, options=options) as reader:
                yield reader
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(_what_is_wrong(path, starts, error)) from error


def _what_is_wrong(path: Path, starts: bytes, error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{path} cannot be read: {error.strerror}."
    if starts == _FILE_MAGIC:
        return f"{path} is an Arrow file cut short or damaged. Copy or write it again."
    if starts.startswith(_FEATHER_1_MAGIC):
        return f"{path} is in the first version of Feather. Write it again in the second."
    if not starts:
        return f"{path} is empty, not an Arrow file."
    return f"{path} is not a whole Arrow file or stream, whatever its name says."
