"""What can be asked again and again for Arrow record batches: relations, datasets, lazy frames, ibis tables, functions.

Each library is recognised by the names of its types, so that none is imported before one of its objects is given.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fewest.data.files.table_file import import_pyarrow
from fewest.data.frame import library_types
from fewest.errors import FewestError, InvalidInput, InvalidType, MissingDependency

if TYPE_CHECKING:
    import pyarrow as pa

#: How DuckDB names what nobody named, such as unnamed_relation_1f0c7f6b8a3d2e45.
_MADE_UP = re.compile(r".*_[0-9a-f]{8,}")
#: Older versions have no batches, or end them at an error without a word.
_OLDEST_POLARS = [1, 37]
#: Batches and files that pyarrow reads ahead; by default 16 and 4, many times the memory of what is used.
_READ_AHEAD = {"batch_readahead": 2, "fragment_readahead": 1}
_READ_BUFFER_BYTES = 65536
#: The longest text of an engine's error that is repeated.
_LONGEST = 300


class RepeatableBatches(ABC):
    """Record batches of named columns, read from the first again whenever they are asked for.

    where : what to call them in errors
    columns_at_once : how many are best read in one pass; one over fewer executes a query once more, one over more takes
        more memory of the engine
    has_one_schema : all batches have the types of the schema; otherwise those of the first
    """

    where: str
    columns_at_once = 256
    has_one_schema = True

    def __init__(self, given: Any) -> None:
        self._given = given

    @abstractmethod
    def schema(self) -> pa.Schema:
        """The columns, without reading rows where that is possible."""

    def count(self) -> int | None:
        """The number of rows, where it is known without reading them."""
        return None

    @abstractmethod
    def batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        """All rows of the named columns at least, about n_rows at a time."""


def find_batches(data: object) -> RepeatableBatches | None:
    """Return the batches that an object can be asked for; None where it is no such object.

    Raises where it can be read only once.
    """
    for known in library_types(data):
        if known in _KINDS:
            reading, kind = _KINDS[known]
            import_pyarrow(reading)
            with engine_errors(kind.where):
                return kind(data)
    if ("duckdb", "DuckDBPyConnection") in library_types(data):
        raise InvalidType("Rows must come from a relation, got a connection of DuckDB. Give connection.sql(query).")
    if isinstance(data, Iterator) or ("pyarrow", "Scanner") in library_types(data):
        raise InvalidType(
            f"A {type(data).__name__} can be read only once, and rows are read more than once. Give a function that "
            "makes it anew, such as scan(lambda: make_reader(), target)."
        )
    if callable(data) and not isinstance(data, type):
        import_pyarrow("record batches")
        return BatchFunction(data)
    return None


@contextmanager
def engine_errors(where: str) -> Iterator[None]:
    """Turn what an engine raises into one error that names what was read."""
    try:
        yield
    except (FewestError, MemoryError, Warning):
        raise
    except BaseException as error:
        # What Rust panics with is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        # The first paragraph: DuckDB repeats the query after it.
        reason = " ".join(str(error).partition("\n\n")[0].split())
        reason = reason if len(reason) <= _LONGEST else f"{reason[: _LONGEST - 1]}…"
        what = f"{type(error).__name__}: {reason}".rstrip(": .")
        raise InvalidInput(f"{where} cannot be read ({what}). Mend the query, or what it reads.") from error


class DuckDBRelation(RepeatableBatches):
    """A relation of DuckDB, whose query is executed in every pass."""

    where = "DuckDB relation"

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        if not _MADE_UP.fullmatch(name := str(given.alias)):
            self.where = f"DuckDB relation {name!r}"
        self._positions = {name: position for position, name in enumerate(given.columns, start=1)}

    def schema(self) -> pa.Schema:
        with self._reader(self._given.limit(0), 1) as reader:
            # By the relation's own names: DuckDB renames what differs by case alone.
            return import_pyarrow("DuckDB relations").schema(zip(self._given.columns, reader.schema.types, strict=True))

    def count(self) -> int | None:
        # Of another relation that would execute the query.
        if str(self._given.type) != "TABLE_RELATION":
            return None
        return int(self._given.aggregate("count(*)").fetchall()[0][0])

    def batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        pyarrow = import_pyarrow("DuckDB relations")
        # By position: names that differ by case alone are one to DuckDB, and none needs quotes.
        columns = ", ".join(f"#{self._positions[name]} AS c{i}" for i, name in enumerate(names))
        with self._reader(self._given.project(columns), n_rows) as reader:
            for batch in reader:
                yield pyarrow.RecordBatch.from_arrays(batch.columns, names=names)

    @staticmethod
    def _reader(relation: Any, n_rows: int) -> Any:
        # Not __arrow_c_stream__, for which older versions hold all rows. Asked of the type: columns are attributes too.
        for method in ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader"):
            if hasattr(type(relation), method):
                # A result that stays open would keep the connection from running another query.
                return closing(getattr(relation, method)(n_rows))
        raise MissingDependency("Reading relations in batches needs a newer DuckDB: pip install -U duckdb")


class ArrowDataset(RepeatableBatches):
    """A dataset of pyarrow: files of any format that it knows, with its partitions and filters."""

    where = "dataset"
    # Files are read a column at a time, so that a pass over fewer costs no more.
    columns_at_once = 32

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        files = getattr(given, "files", [])
        n_more = len(files) - 1
        more = f" (and {n_more} more file{'s' if n_more > 1 else ''})" if n_more > 0 else ""
        if files:
            self.where = f"dataset {files[0]}{more}"
        self._is_parquet = getattr(getattr(given, "format", None), "default_extname", "") == "parquet"

    def schema(self) -> pa.Schema:
        return self._given.schema

    def count(self) -> int | None:
        # Only Parquet stores it, and a filter leaves out some.
        is_filtered = bool(getattr(self._given, "_scan_options", None))
        return int(self._given.count_rows()) if self._is_parquet and not is_filtered else None

    def batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        library = import_pyarrow("datasets", "pyarrow.dataset")
        options = None
        if self._is_parquet:
            # Otherwise row groups are read whole.
            options = library.ParquetFragmentScanOptions(
                pre_buffer=False, use_buffered_stream=True, buffer_size=_READ_BUFFER_BYTES
            )
        # As expressions: a name may hold the points and brackets that stand for nested fields.
        columns = {name: library.field(name) for name in names}
        scanner = self._given.scanner(
            columns=columns, batch_size=n_rows, fragment_scan_options=options, **_READ_AHEAD
        )  # fmt: skip
        yield from scanner.to_batches()


class PolarsLazyFrame(RepeatableBatches):
    """A LazyFrame of polars, whose query is executed by the streaming engine in every pass."""

    where = "LazyFrame"

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self._polars = polars = import_module("polars")
        version = [int(part) for part in re.findall(r"\d+", polars.__version__)[:2]]
        if version < _OLDEST_POLARS:
            raise MissingDependency(
                f"Reading a LazyFrame needs polars 1.37 or newer, got {polars.__version__}: pip install -U polars"
            )
        schema = dict(given.collect_schema())
        # Arrow has no integers of 128 bits.
        wide = [name for name, dtype in schema.items() if str(dtype) in ("Int128", "UInt128")]
        self._frame = given.with_columns(self._columns(wide).cast(polars.Float64)) if wide else given
        self._schema = schema | dict.fromkeys(wide, polars.Float64)

    def schema(self) -> pa.Schema:
        return self._polars.DataFrame(schema=self._schema).to_arrow().schema

    def batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        chosen = self._frame.select(self._columns(names))
        for frame in chosen.collect_batches(chunk_size=n_rows, maintain_order=True):
            yield from frame.to_arrow().to_batches()

    def _columns(self, names: list[str]) -> Any:
        # Not pl.col, to which * and ^...$ stand for other names.
        return self._polars.selectors.by_name(*names)


class IbisTable(RepeatableBatches):
    """A table of ibis, whose expression its backend executes in every pass."""

    where = "ibis table"

    def schema(self) -> pa.Schema:
        return self._given.schema().to_pyarrow()

    def batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with _closed(self._given.select(list(names)).to_pyarrow_batches(chunk_size=n_rows)) as reader:
            yield from reader


class BatchFunction(RepeatableBatches):
    """A function without arguments that returns a RecordBatchReader, or record batches one after the other."""

    has_one_schema = False

    def __init__(self, given: Callable[[], object]) -> None:
        super().__init__(given)
        name = getattr(given, "__name__", type(given).__name__)
        self.where = f"{name}()"
        self._returned: object = None

    def schema(self) -> pa.Schema:
        returned = self._call()
        with _closed(returned):
            if hasattr(returned, "read_next_batch"):
                return returned.schema
            first = next(iter(returned), None)
        if first is None:
            raise InvalidInput(f"{self.where} returned no record batches. Return one at least, with the columns.")
        return self._checked(first).schema

    def batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with _closed(self._call()) as returned:
            for batch in returned:
                yield self._checked(batch)

    def _call(self) -> Any:
        returned = self._given()
        if isinstance(returned, Iterator) and returned is self._returned:
            raise InvalidInput(
                f"{self.where} returned the same {type(returned).__name__} again, which can be read only once. "
                "Make a new one in the function."
            )
        self._returned = returned
        if isinstance(returned, str | bytes) or not isinstance(returned, Iterable):
            raise self._no_batches(returned)
        return returned

    def _checked(self, batch: object) -> pa.RecordBatch:
        if not isinstance(batch, import_pyarrow("record batches").RecordBatch):
            raise self._no_batches(self._returned)
        return batch

    def _no_batches(self, returned: object) -> InvalidType:
        return InvalidType(
            f"{self.where} returned {type(returned).__name__}, not record batches. Return a pyarrow.RecordBatchReader "
            "(a table has to_reader()), or an iterable of pyarrow.RecordBatch."
        )


def _closed(reader: Any) -> Any:
    """A context that gives a reader and closes it, where it can be closed."""
    return closing(reader) if hasattr(reader, "close") else nullcontext(reader)


#: What is read by which class, and how that is called where pyarrow is missing, by library and type.
_KINDS: dict[tuple[str, str], tuple[str, type[RepeatableBatches]]] = {
    ("duckdb", "DuckDBPyRelation"): ("DuckDB relations", DuckDBRelation),
    ("pyarrow", "Dataset"): ("datasets", ArrowDataset),
    ("polars", "LazyFrame"): ("a LazyFrame", PolarsLazyFrame),
    ("ibis", "Table"): ("ibis tables", IbisTable),
}
