"""Parquet files that are refused: one sentence, which names the file and the column."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from fewest.data.column_choice import ReadingRequest
from fewest.data.files.parquet import ParquetSource
from fewest.errors import (
    InvalidInput,
    InvalidParameter,
    InvalidType,
    MissingDependency,
    UnreadableFile,
)

from ..small_table import COLUMNS, part, rows_of


def test_a_file_that_lacks_a_column_is_named(folder):
    pq.write_table(pa.table(part(slice(2, 4), ("width", "flag", "label"))), folder / "2.parquet")
    with pytest.raises(InvalidInput) as error:
        ParquetSource(folder, ReadingRequest("label"))
    assert str(error.value) == (
        f"{folder / '2.parquet'} lacks the column 'count', which {folder / '1.parquet'} has. Files that are read "
        "together must have the same columns."
    )


def test_a_file_with_a_column_too_many_is_named(folder):
    pq.write_table(pa.table(part(slice(2, 4)) | {"more": [1, 2]}), folder / "2.parquet")
    with pytest.raises(InvalidInput, match=r"1.parquet lacks the column 'more', which .*2.parquet has"):
        ParquetSource(folder, ReadingRequest("label"))


def test_a_column_that_is_number_here_and_text_there_is_named(folder):
    pq.write_table(pa.table(part(slice(4, 6)) | {"count": ["one", "two"]}), folder / "3.parquet")
    with pytest.raises(InvalidInput) as error:
        ParquetSource(folder, ReadingRequest("label"))
    assert str(error.value) == (
        f"Column 'count' is string in {folder / '3.parquet'} but int64 in {folder / '1.parquet'}. "
        "Give it one type in all files."
    )


def test_a_target_is_required_and_looked_up(write):
    path = write(COLUMNS)
    with pytest.raises(InvalidParameter, match=r"Name the target: one of the 4 columns of .*rows.parquet, for example"):
        ParquetSource(path, ReadingRequest(None))
    with pytest.raises(InvalidInput, match=r"no column 'lable' \(did you mean 'label'\?\)"):
        ParquetSource(path, ReadingRequest("lable"))
    with pytest.raises(InvalidType, match=r"The target of .* must be a name, got list instead"):
        ParquetSource(path, ReadingRequest(["x", "y"]))


def test_names_that_come_twice_are_refused(write):
    path = write(pa.table([[1.0], [2.0], ["x"]], names=["a", "a", "label"]))
    with pytest.raises(InvalidInput, match=r"rows.parquet has more than one column named 'a'"):
        ParquetSource(path, ReadingRequest("label"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: b"", "is empty, not a Parquet file."),
        (lambda content: b"a,b\n1,2\n", "is not a Parquet file, whatever its name says."),
        (lambda content: content[:-100], "is a Parquet file cut short: its end is missing. Copy or write it again."),
        (lambda content: content[:4] + b"\xff" * 400 + content[404:], "is a damaged Parquet file: "),
    ],
    ids=["empty", "text", "cut short", "damaged"],
)
def test_a_damaged_file_is_named_in_one_sentence(write, damage, message):
    path = write({"a": np.arange(1000.0), "label": ["x", "y"] * 500})
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UnreadableFile) as error:
        list(ParquetSource(path, ReadingRequest("label")).blocks())
    assert str(error.value).startswith(f"{path} {message}")
    assert "\n" not in str(error.value)


def test_no_files_at_all_are_refused(tmp_path):
    with pytest.raises(UnreadableFile, match=r"The folder .* holds no Parquet files \(\*.parquet\). .*give a glob"):
        ParquetSource(tmp_path, ReadingRequest("label"))
    with pytest.raises(UnreadableFile, match=r"No file matches '.*part-\*.parquet'. Check the folder and the pattern."):
        ParquetSource(tmp_path / "part-*.parquet", ReadingRequest("label"))
    with pytest.raises(UnreadableFile, match=r"There is no file '.*none.parquet'"):
        ParquetSource(tmp_path / "none.parquet", ReadingRequest("label"))
    with pytest.raises(UnreadableFile, match=r"The list of Parquet files is empty"):
        ParquetSource([], ReadingRequest("label"))
    with pytest.raises(InvalidType, match=r"A list of files must hold paths, got int instead"):
        ParquetSource([1], ReadingRequest("label"))


def test_files_without_rows_are_refused(write):
    empty = {"a": pa.array([], pa.float64()), "label": pa.array([], pa.string())}
    with pytest.raises(InvalidInput, match=r"rows.parquet has column names but no rows\."):
        ParquetSource(write(empty), ReadingRequest("label"))
    write(empty, "rows/1.parquet")
    path = write({"a": [1.0, 2.0], "label": ["x", "y"]}, "rows/2.parquet")
    assert_array_equal(rows_of(ParquetSource(path.parent, ReadingRequest("label")))[0], [[1], [2]])


def test_a_file_that_may_not_be_read_is_named(write, monkeypatch):
    path = write(COLUMNS)

    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(pq, "ParquetFile", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableFile, match=r"rows.parquet cannot be read: Permission denied."):
        ParquetSource(path, ReadingRequest("label"))


def test_without_pyarrow_the_extra_is_named(write, monkeypatch):
    path = write(COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency) as error:
        ParquetSource(path, ReadingRequest("label"))
    assert str(error.value) == "Reading Parquet needs pyarrow: pip install 'fewest[parquet]'"
