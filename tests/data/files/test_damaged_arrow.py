"""Arrow and Parquet files whose bytes point outside of what they hold: refused by column, never read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fewest import MRMR, FisherMarkov, check_data
from fewest.data.scan import scan
from fewest.errors import UnreadableFile

N_ROWS = 6
LABELS = list("uvuvuv")


def buffers(dtype, values):
    return pa.py_buffer(np.array(values, dtype=dtype))


def text_array(offsets, content):
    return pa.Array.from_buffers(pa.string(), N_ROWS, [None, buffers(np.int32, offsets), pa.py_buffer(content)])


def coded(indices):
    codes = pa.array(indices, pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(["x", "y"]), safe=False)


DAMAGED = {
    "an index beyond the dictionary": coded([0, 1, 0, 1, 7, 0]),
    "an index far beyond the dictionary": coded([0, 1, 0, 1, 2**30, 0]),
    "a negative index": coded([0, 1, 0, 1, -3, 0]),
    "offsets beyond the text": text_array([0, 1, 2, 2**30, 4, 5, 6], b"abcdef"),
    "offsets that go back": text_array([0, 1, 2, 1, 4, 5, 6], b"abcdef"),
    "bytes that are no text": text_array([0, 1, 2, 3, 4, 5, 6], b"ab\xff\xfeef"),
}


def write_arrow(path, batch, is_stream=False):
    opened = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with opened(path, batch.schema) as writer:
        writer.write_batch(batch)
    return path


def batch_of(**columns):
    return pa.RecordBatch.from_arrays([*columns.values()], names=[*columns])


USES = {
    "fit": lambda path, target: FisherMarkov().fit(scan(path, target)),
    "categories": lambda path, target: MRMR(n_features=1).fit(scan(path, target)),
    "check": lambda path, target: check_data(path, target=target),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("is_stream", [False, True], ids=["file", "stream"])
@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_column_of_an_arrow_file_is_refused_by_name(name, is_stream, use, tmp_path):
    numbers = pa.array([1.0, 5.0, 2.0, 6.0, 1.5, 7.0])
    batch = batch_of(width=numbers, city=DAMAGED[name], label=pa.array(LABELS))
    path = write_arrow(tmp_path / "rows.arrow", batch, is_stream)
    with pytest.raises(UnreadableFile, match=r"rows\.arrow is damaged in column 'city': .*\. Copy or write it"):
        USES[use](path, "label")


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_target_is_refused_by_name(name, tmp_path):
    path = write_arrow(tmp_path / "rows.arrow", batch_of(width=pa.array(np.arange(6.0)), label=DAMAGED[name]))
    with pytest.raises(UnreadableFile, match=r"rows\.arrow is damaged in column 'label'"):
        FisherMarkov().fit(scan(path, "label"))


def test_what_is_damaged_in_columns_that_are_not_read_does_no_harm(tmp_path):
    batch = batch_of(width=pa.array(np.arange(6.0)), city=DAMAGED["a negative index"], label=pa.array(LABELS))
    path = write_arrow(tmp_path / "rows.arrow", batch)
    fitted = FisherMarkov().fit(scan(path, "label", drop="city"))
    assert fitted.selection_.features == ("width",)


@pytest.mark.parametrize("role", ["city", "label"])
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}], ids=["dictionary", "plain"])
def test_text_in_parquet_that_is_no_text_is_refused_by_name(role, options, tmp_path):
    columns = {"width": pa.array(np.arange(6.0)), "city": pa.array(LABELS[::-1]), "label": pa.array(LABELS)}
    columns[role] = DAMAGED["bytes that are no text"]
    pq.write_table(pa.Table.from_batches([batch_of(**columns)]), tmp_path / "rows.parquet", **options)
    with pytest.raises(UnreadableFile, match=rf"rows\.parquet is damaged in column '{role}': Invalid UTF8"):
        MRMR(n_features=1).fit(scan(tmp_path / "rows.parquet", "label"))


def test_a_column_name_that_is_no_text_is_refused(tmp_path):
    path = write_arrow(tmp_path / "rows.arrow", batch_of(wxyz=pa.array(np.arange(6.0)), label=pa.array(LABELS)))
    content = path.read_bytes()
    assert content.count(b"wxyz") >= 2
    path.write_bytes(content.replace(b"wxyz", b"w\xff\xfez"))
    with pytest.raises(UnreadableFile, match=r"rows\.arrow is an Arrow file cut short or damaged"):
        scan(path, "label")
