"""Text and categories as the codes of their values: the same from every format, in every pass."""

from __future__ import annotations

import decimal
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import FisherMarkov, scan
from fewest.data.array import ArraySource
from fewest.data.files.arrow_file import ArrowFileSource
from fewest.data.files.delimited import DelimitedSource
from fewest.data.files.parquet import ParquetSource
from fewest.data.frame import FrameSource
from fewest.data.labels import Target
from fewest.data.source import ProgressSource
from fewest.errors import InvalidInput
from fewest.statistics.class_moments import ClassMoments

from .small_table import rows_of
from .text_tables import COLUMNS, DATA, EXPECTED, MISSING_TEXT, NAMES, arrow_table, pandas_frame, write


@pytest.fixture(params=DATA)
def data(request, tmp_path, monkeypatch):
    made = DATA[request.param](tmp_path)
    if request.param.endswith("without pyarrow"):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    return made


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(FrameSource, "block_bytes", 8 * 5 * 3)
    monkeypatch.setattr(ParquetSource, "rows_at_once", 2)
    monkeypatch.setattr(ArrowFileSource, "rows_at_once", 2)
    monkeypatch.setattr(DelimitedSource, "values_at_once", 12)
    monkeypatch.setattr(DelimitedSource, "bytes_at_once", 64)


def test_every_format_gives_the_same_codes(data):
    source = scan(data, "label").with_text_as_codes()
    assert source.feature_names == NAMES
    assert source.text_columns == ["kind", "size"]
    values, labels, numbers = rows_of(source)
    assert_array_equal(values, EXPECTED)
    assert labels == COLUMNS["label"]
    assert numbers == list(range(8))


@pytest.mark.usefixtures("small_blocks")
def test_blocks_passes_and_chosen_columns_do_not_matter(data):
    source = scan(data, "label").with_text_as_codes()
    # The last column first: a code depends on the rows of its own column alone.
    assert_array_equal(rows_of(source, [2, 4])[0], EXPECTED[:, [2, 4]])
    # A block of text is some times as long as the line of names.
    assert len(list(source.blocks())) > 1 or isinstance(source, DelimitedSource)
    for _ in range(2):
        assert_array_equal(rows_of(source)[0], EXPECTED)
    chosen = source.only([4, 2, 0])
    assert chosen.text_columns == ["kind", "size"]
    assert_array_equal(rows_of(chosen)[0], EXPECTED[:, [4, 2, 0]])
    assert_array_equal(rows_of(chosen, [1])[0], EXPECTED[:, [2]])


@pytest.mark.usefixtures("small_blocks")
def test_a_dictionary_outlives_the_pass_that_made_it(data):
    source = scan(data, "label").with_text_as_codes()
    next(source.blocks())
    assert_array_equal(rows_of(source)[0], EXPECTED)
    # A pass that has read all but is begun again, beside another.
    for first, second in zip(source.blocks(), source.only([0, 2]).blocks(), strict=False):
        assert_array_equal(first.values[0, [0, 2]], EXPECTED[first.row_number(0), [0, 2]])
        assert_array_equal(second.values[0], EXPECTED[second.row_number(0), [0, 2]])


def test_the_original_goes_on_refusing_text(data):
    source = scan(data, "label")
    coded = source.with_text_as_codes()
    assert coded is not source
    for _ in range(2):
        assert_array_equal(rows_of(coded)[0], EXPECTED)
        with pytest.raises(
            InvalidInput, match=r"Column 'kind'.* holds text, categories or dates, not numbers \(as do 1"
        ):
            list(source.blocks())
        assert_array_equal(rows_of(source, [1, 3, 4])[0], EXPECTED[:, [1, 3, 4]])
    with pytest.raises(
        InvalidInput, match=r"FisherMarkov needs numbers, and 2 column\(s\) hold text, .*'kind', 'size'"
    ):
        FisherMarkov().partial_fit(source)


def test_chosen_columns_and_codes_may_come_in_either_order(data):
    source = scan(data, "label")
    coded = source.only([2, 3]).with_text_as_codes()
    assert coded.text_columns == ["size"]
    assert_array_equal(rows_of(coded)[0], EXPECTED[:, [2, 3]])
    assert coded.with_text_as_codes().text_columns == ["size"]
    assert_array_equal(rows_of(coded.with_text_as_codes())[0], EXPECTED[:, [2, 3]])
    numbers = source.only([1, 3])
    assert numbers.with_text_as_codes() is numbers


def test_a_source_without_text_is_itself(data):
    labels = COLUMNS["label"]
    for source in (
        ArraySource(EXPECTED, Target(labels)),
        scan(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "y"]),
        scan(pl.DataFrame({"a": [True, None]}), ["x", "y"]),
    ):
        assert source.with_text_as_codes() is source
        watched = ProgressSource(source, None)
        assert watched.with_text_as_codes() is watched
    coded = scan(data, "label").with_text_as_codes()
    assert coded.with_text_as_codes() is coded


def test_statistics_are_of_the_codes_however_columns_are_grouped(data):
    source = scan(data, "label").with_text_as_codes()
    expected = ArraySource(EXPECTED, Target(COLUMNS["label"])).collect(ClassMoments())
    for columns_at_once in (5, 2, 1):
        source.columns_at_once = columns_at_once
        found = source.collect(ClassMoments())
        assert found.classes == expected.classes
        assert_allclose(found.mean, expected.mean, rtol=1e-12)
        assert_allclose(found.scatter, expected.scatter, rtol=1e-12, atol=1e-12)


def test_a_coded_source_pickles_with_its_codes(data):
    source = scan(data, "label").with_text_as_codes()
    next(source.blocks())
    assert_array_equal(rows_of(pickle.loads(pickle.dumps(source)))[0], EXPECTED)


@pytest.mark.parametrize("form", ["pandas", "csv", "parquet", "arrow"])
@pytest.mark.usefixtures("small_blocks")
def test_weights_and_rows_without_label_stay_with_their_rows(form, tmp_path):
    columns = COLUMNS | {"label": ["b", None, "a", "b", "a", None, "b", "a"], "w": [1.0, 2, 3, 4, 5, 6, 7, 8]}
    source = scan(write(form, columns, tmp_path), "label", weight="w", drop_unlabelled=True).with_text_as_codes()
    kept = [0, 2, 3, 4, 6, 7]
    values, labels, numbers = rows_of(source, [0, 3, 2])
    expected = EXPECTED[kept][:, [0, 3, 2]]
    # What a left out row alone holds has its number all the same.
    assert_array_equal(values, expected)
    assert (labels, numbers) == (["b", "a", "b", "a", "b", "a"], kept)
    assert np.concatenate([block.weights for block in source.blocks()]).tolist() == [1, 3, 4, 5, 7, 8]


def test_a_frame_still_comes_in_one_block_that_says_so():
    source = scan(pandas_frame(object, "category"), "label").with_text_as_codes()
    assert [block.is_all for block in source.blocks()] == [True]
    assert [block.is_all for block in source.only([0]).blocks()] == [True]


def test_progress_is_shown_over_coded_text_too():
    class Ledger:
        done = 0

        def add_task(self, what, total, shown):
            self.what = what
            return 0

        def update(self, task, advance, shown):
            self.done += advance

        def remove_task(self, task):
            pass

    ledger = Ledger()
    source = ProgressSource(scan(arrow_table(), "label"), ledger).with_text_as_codes()
    assert source.text_columns == ["kind", "size"]
    source.collect(ClassMoments())
    assert (ledger.what, ledger.done) == ("reading", 40)
    assert_array_equal(rows_of(source.only([2]))[0], EXPECTED[:, [2]])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_values_of_several_types_are_distinct_and_every_missing_one_is_missing(missing):
    values = ["1", missing, 1, 1.0, np.int64(1), 0.5, decimal.Decimal("0.5"), float("inf"), "", ("a", 1), missing]
    source = scan(pd.DataFrame({"a": pd.Series(values, dtype=object)}), ["x", "y"] * 5 + ["x"]).with_text_as_codes()
    assert source.text_columns == ["a"]
    assert_array_equal(rows_of(source)[0][:, 0], [0, MISSING_TEXT, 1, 1, 1, 2, 2, 3, MISSING_TEXT, 4, MISSING_TEXT])


def test_rows_of_one_index_are_rows_of_their_own():
    rows = pandas_frame(object, "category")
    rows.index = [7, 7, 7, 0, 0, 7, 1, 1]
    assert_array_equal(rows_of(scan(rows, "label").with_text_as_codes())[0], EXPECTED)


def test_objects_of_polars_are_told_apart():
    column = pl.Series("a", ["1", None, 1, float("nan"), "1", "x"], dtype=pl.Object)
    source = scan(pl.DataFrame([column]), list("xyxyxy")).with_text_as_codes()
    assert_array_equal(rows_of(source)[0][:, 0], [0, MISSING_TEXT, 1, MISSING_TEXT, 0, 2])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([7, 2, None, 7, 2**60, 2**60 + 1], dtype="Int64").astype("category"),
        pl.Series(["7", "2", None, "7", "x", "x\0"]),
        pa.array([7, 2, None, 7, 2**60, 2**60 + 1]).dictionary_encode(),
        pa.array([0.5, -1.5, np.nan, 0.5, 1e300, np.inf]).dictionary_encode(),
    ],
    ids=["pandas", "polars", "pyarrow int", "pyarrow float"],
)
def test_numbers_as_categories_and_near_copies_are_names(column, tmp_path):
    library = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)
    source = scan(library({"a": column}), list("xyxyxy")).with_text_as_codes()
    expected = [0, 1, MISSING_TEXT, 0, 2, 3]
    assert source.text_columns == ["a"]
    assert_array_equal(rows_of(source)[0][:, 0], expected)
    if library is pa.table:
        path = write("arrow", {"a": column, "label": list("xyxyxy")}, tmp_path)
        assert_array_equal(rows_of(scan(path, "label").with_text_as_codes())[0][:, 0], expected)


def test_numbers_among_objects_stay_numbers_however_late_they_come():
    late = pd.Series([None] * 150 + [2.5, 7], dtype=object)
    source = scan(pd.DataFrame({"a": late}), ["x", "y"] * 76)
    assert source.text_columns == []
    assert_array_equal(rows_of(source)[0][-3:, 0], [MISSING_TEXT, 2.5, 7])


def test_text_without_a_value_in_one_file_is_missing_there(tmp_path):
    pq.write_table(pa.table({"a.b": pa.nulls(2), "label": ["x", "y"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a.b": ["v", "u"], "label": ["x", "y"]}), tmp_path / "2.parquet")
    empty = pa.array([None, None], pa.string()).dictionary_encode()
    pq.write_table(pa.table({"a.b": empty, "label": ["x", "y"]}), tmp_path / "3.parquet")
    source = scan(tmp_path, "label").with_text_as_codes()
    assert_array_equal(rows_of(source)[0][:, 0], [MISSING_TEXT, MISSING_TEXT, 0, 1, MISSING_TEXT, MISSING_TEXT])
