"""Arrow files, Feather and Arrow streams."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import feather

from fewest.data.column_choice import ReadingRequest
from fewest.data.files.arrow_batch import validated
from fewest.data.files.arrow_file import ArrowFileSource
from fewest.errors import InvalidInput, MissingDependency, UnreadableFile

from ..small_table import COLUMNS, NAMES, NUMBERS, WEIGHTS, assert_is_the_small_table, rows_of


def write_ipc(table, path, chunk_rows=None):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=chunk_rows)


def write_stream(table, path, chunk_rows=None):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=chunk_rows)


def write_feather(table, path, chunk_rows=None):
    feather.write_feather(table, str(path), chunksize=chunk_rows)


@pytest.fixture(params=[write_ipc, write_stream, write_feather], ids=["file", "stream", "feather"])
def write(request, tmp_path):
    def write(columns, chunk_rows=None):
        path = tmp_path / "rows.arrow"
        request.param(pa.table(columns), path, chunk_rows)
        return path

    return write


def test_files_streams_and_feather_are_read(write):
    source = ArrowFileSource(write(COLUMNS), ReadingRequest("label"))
    assert source.feature_names == NAMES
    assert_is_the_small_table(source)
    assert_array_equal(rows_of(source)[0], NUMBERS)


def test_a_file_knows_its_rows_and_a_stream_does_not(tmp_path):
    for write, n_rows in ((write_ipc, 6), (write_feather, 6), (write_stream, None)):
        write(pa.table(COLUMNS), tmp_path / "rows.arrow", 4)
        assert ArrowFileSource(tmp_path / "rows.arrow", ReadingRequest("label")).n_rows == n_rows


def test_batches_groups_of_columns_and_blocks_of_any_size_give_the_same(write, monkeypatch):
    monkeypatch.setattr(ArrowFileSource, "rows_at_once", 3)
    source = ArrowFileSource(write(COLUMNS, chunk_rows=4), ReadingRequest("label"))
    source.columns_at_once = 2
    assert_is_the_small_table(source)
    assert [block.n_rows for block in source.blocks()] == [3, 1, 2]
    assert_array_equal(rows_of(source, [2, 0])[0], NUMBERS[:, [2, 0]])
    first, again = rows_of(source), rows_of(source)
    assert_array_equal(first[0], again[0])
    assert first[1:] == again[1:] == (COLUMNS["label"], list(range(6)))


def test_a_class_may_first_appear_in_a_later_block(write):
    blocks = list(ArrowFileSource(write(COLUMNS, chunk_rows=2), ReadingRequest("label")).blocks())
    assert list(blocks[0].classes) == ["b", "a"]
    assert list(blocks[-1].classes) == ["b", "a", "c"]


def test_missing_numbers_are_found_in_every_slice(write, monkeypatch):
    monkeypatch.setattr(ArrowFileSource, "rows_at_once", 7)
    numbers = [None if row % 5 == 0 else row for row in range(40)]
    flags = [None if row % 3 == 0 else row % 2 == 0 for row in range(40)]
    values, _, _ = rows_of(
        ArrowFileSource(write({"a": numbers, "b": flags, "label": ["x", "y"] * 20}), ReadingRequest("label"))
    )
    assert_array_equal(values[:, 0], [np.nan if number is None else number for number in numbers])
    assert_array_equal(values[:, 1], [np.nan if flag is None else flag for flag in flags])


def test_categories_as_labels_and_as_a_column(write):
    labels = pa.array(COLUMNS["label"]).dictionary_encode()
    grades = pa.array([3, 1, 2, 2, 1, 3]).dictionary_encode()
    source = ArrowFileSource(
        write(COLUMNS | {"label": labels, "kind": labels, "grade": grades}), ReadingRequest("label")
    )
    assert source.text_columns == ["kind", "grade"]
    assert rows_of(source, [0])[1] == COLUMNS["label"]
    with pytest.raises(InvalidInput, match=r"Column 'kind' of .*rows.arrow holds text, .*\(as do 1 more\)"):
        list(source.blocks())


def test_labels_may_be_dropped_and_rows_weighed(write):
    path = write(COLUMNS | {"label": ["b", "a", None, "b", "a", "c"], "w": WEIGHTS})
    with pytest.raises(InvalidInput, match=r"no label in 1 of 6 rows of the target 'label' \(first: row 2\)"):
        list(ArrowFileSource(path, ReadingRequest("label", "w")).blocks())
    source = ArrowFileSource(path, ReadingRequest("label", "w", drop_unlabelled=True))
    assert_is_the_small_table(source, weights=WEIGHTS, rows=[0, 1, 3, 4, 5])


def test_a_file_without_rows_is_refused(write):
    path = write({"a": pa.array([], pa.float64()), "label": pa.array([], pa.string())})
    with pytest.raises(InvalidInput, match=r"rows.arrow has column names but no rows\."):
        list(ArrowFileSource(path, ReadingRequest("label")).blocks())


def test_a_target_that_is_no_column_is_refused(write):
    with pytest.raises(InvalidInput, match=r"no column 'labell' \(did you mean 'label'\?\) in .*rows.arrow"):
        ArrowFileSource(write(COLUMNS), ReadingRequest("labell"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty, not an Arrow file."),
        (b"a,b\n1,2\n", "is not a whole Arrow file or stream, whatever its name says."),
        (b"FEA1" + b"\0" * 100, "is in the first version of Feather. Write it again in the second."),
        (b"ARROW1\0\0" + b"\0" * 100, "is an Arrow file cut short or damaged. Copy or write it again."),
    ],
    ids=["empty", "text", "feather 1", "damaged"],
)
def test_what_is_no_arrow_file_is_refused(tmp_path, content, message):
    path = tmp_path / "rows.feather"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as error:
        ArrowFileSource(path, ReadingRequest("label"))
    assert str(error.value) == f"{path} {message}"


def test_a_file_cut_short_is_refused(write):
    path = write({"a": np.arange(1000.0), "label": ["x", "y"] * 500})
    path.write_bytes(path.read_bytes()[:-600])
    with pytest.raises(
        UnreadableFile, match=r"rows.arrow is (an Arrow file cut short|not a whole Arrow file or stream)"
    ):
        list(ArrowFileSource(path, ReadingRequest("label")).blocks())


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match=r"none.arrow cannot be read: No such file or directory."):
        ArrowFileSource(tmp_path / "none.arrow", ReadingRequest("label"))


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match=r"Reading Arrow files needs pyarrow: pip install 'fewest\[parquet\]'"):
        ArrowFileSource(tmp_path / "rows.arrow", ReadingRequest("label"))


@pytest.mark.parametrize(
    ("offsets", "text", "is_whole"),
    [
        ([0, 1, 3], b"abc", True),
        ([1, 1, 3], b"abc", True),
        ([0, 2, 4], "éü".encode(), True),
        ([0, 1, 4], "éü".encode(), False),  # within a character
        ([0, 1, 2], b"a\xff", False),
        ([0, 4, 3], b"abc", False),
    ],
)
def test_text_that_points_outside_its_buffer_or_is_no_text_is_refused(offsets, text, is_whole):
    buffers = [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(text)]
    batch = pa.record_batch({"x": pa.array([1.0, 2.0]), "town": pa.Array.from_buffers(pa.string(), 2, buffers)})
    if is_whole:
        assert list(validated([batch], "t.arrow")) == [batch]
        return
    with pytest.raises(UnreadableFile, match=r"t.arrow is damaged in column 'town'"):
        list(validated([batch], "t.arrow"))
