"""Parquet files: one, a folder, a glob, a list."""

from __future__ import annotations

import datetime
import decimal
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import MRMR, scan
from fewest.data.column_choice import ReadingRequest
from fewest.data.files.parquet import ParquetSource
from fewest.errors import (
    InfiniteValue,
    InvalidInput,
)
from fewest.statistics.class_moments import ClassMoments

from ..small_table import COLUMNS, NAMES, NUMBERS, WEIGHTS, assert_is_the_small_table, part, rows_of


def test_one_file_is_read(write):
    source = ParquetSource(write(COLUMNS), ReadingRequest("label"))
    assert source.feature_names == NAMES
    assert source.n_features == 3
    assert source.n_rows == 6
    assert list(source.text_columns) == []
    assert_is_the_small_table(source)
    values, labels, numbers = rows_of(source)
    assert_array_equal(values, NUMBERS)
    assert labels == COLUMNS["label"]
    assert numbers == list(range(6))


def test_a_folder_a_glob_and_a_list_are_one_table(folder):
    (folder / "_SUCCESS").write_text("")
    (folder / "_hidden.parquet").write_text("not Parquet")
    (folder / "notes.txt").write_text("not Parquet")
    files = [folder / f"{number}.parquet" for number in (1, 2, 3)]
    for data in (folder, str(folder), f"{folder}/[0-9].parquet", files, [str(file) for file in files]):
        source = ParquetSource(data, ReadingRequest("label"))
        assert_is_the_small_table(source)
        assert_array_equal(rows_of(source)[0], NUMBERS)
    assert_array_equal(rows_of(ParquetSource(files[::-1], ReadingRequest("label")))[0], NUMBERS[[4, 5, 2, 3, 0, 1]])


def test_columns_are_read_in_groups_and_joined(folder):
    source = ParquetSource(folder, ReadingRequest("label"))
    assert source.columns_at_once == 16
    source.columns_at_once = 2
    assert_is_the_small_table(source)
    assert_array_equal(rows_of(source, [2, 0])[0], NUMBERS[:, [2, 0]])


@pytest.mark.parametrize("n_classes", [3, 128, 300])
@pytest.mark.parametrize("n_unlabelled", [0, 40])
def test_labels_are_read_once_for_all_groups_of_columns(write, n_classes, n_unlabelled):
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(700) % n_classes)
    labels = [None if row < n_unlabelled else f"class {code}" for row, code in enumerate(codes)]
    columns = {f"c{j}": rng.normal(size=700) for j in range(40)}
    path = write({**columns, "label": labels, "times": rng.integers(0, 3, 700)}, row_group_size=64)

    def read(columns_at_once):
        source = ParquetSource(path, ReadingRequest("label", "times", drop_unlabelled=True))
        source.columns_at_once, source.rows_at_once = columns_at_once, 50
        return source.collect(ClassMoments()), source.first_rows(333).collect(ClassMoments())

    for grouped, together in zip(read(8), read(40), strict=True):
        assert grouped.classes == together.classes
        assert grouped.fingerprint() == together.fingerprint()
        for name in ("class_counts", "weight", "checksums"):
            assert_array_equal(getattr(grouped, name), getattr(together, name))
        assert_allclose(grouped.mean, together.mean, rtol=1e-12, atol=1e-15)
    source = ParquetSource(path, ReadingRequest("label", drop_unlabelled=True))
    source.collect(ClassMoments())
    assert source._known_labels().codes.dtype == (np.int8 if n_classes < 128 else np.int16)


def test_a_row_without_label_is_refused_where_columns_are_read_in_groups(write):
    path = write({**{f"c{j}": np.arange(6.0) for j in range(40)}, "label": ["a", "b", None, "a", "b", "a"]})
    with pytest.raises(InvalidInput, match=r"no label in 1 of 6 rows of the target 'label' \(first: row 2\)"):
        ParquetSource(path, ReadingRequest("label")).collect(ClassMoments())


def test_reading_again_gives_the_same_rows(folder, monkeypatch):
    monkeypatch.setattr(ParquetSource, "rows_at_once", 1)
    source = ParquetSource(folder, ReadingRequest("label"))
    first, again = rows_of(source), rows_of(source)
    assert_array_equal(first[0], again[0])
    assert first[1:] == again[1:] == (COLUMNS["label"], list(range(6)))


def test_a_class_may_first_appear_in_a_later_block(folder):
    source = ParquetSource(folder, ReadingRequest("label"))
    blocks = list(source.blocks())
    assert list(blocks[0].classes) == ["b", "a"]
    assert list(blocks[-1].classes) == ["b", "a", "c"]
    assert list(next(source.blocks()).classes) == ["b", "a", "c"]


def test_a_source_pickles(folder):
    assert_is_the_small_table(pickle.loads(pickle.dumps(ParquetSource(folder, ReadingRequest("label")))))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([1, None, 3], pa.int8()), [1, np.nan, 3]),
        (pa.array([1, None, 2**60], pa.uint64()), [1, np.nan, 2.0**60]),
        (pa.array([0.5, None, np.nan], pa.float16()), [0.5, np.nan, np.nan]),
        (pa.array([True, None, False]), [1, np.nan, 0]),
        (pa.array([None, None, None]), [np.nan, np.nan, np.nan]),
        (pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-2.50")]), [1.25, np.nan, -2.5]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_every_kind_of_number_is_read_and_what_is_missing_is_nan(write, column, expected):
    source = ParquetSource(write({"a": column, "label": ["x", "y", "x"]}), ReadingRequest("label"))
    assert list(source.text_columns) == []
    assert_array_equal(rows_of(source)[0][:, 0], expected)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["u", "v"]),
        pa.array(["u", "v"]).dictionary_encode(),
        pa.array([[1, 2], [3]]),
        pa.array([b"u", b"v"]),
    ],
    ids=lambda column: str(column.type),
)
def test_every_other_column_is_text_and_refused_by_name(write, column):
    source = ParquetSource(write({"a": [1.0, 2.0], "b": column, "label": ["x", "y"]}), ReadingRequest("label"))
    assert source.text_columns == ["b"]
    assert_array_equal(rows_of(source, [0])[0], [[1], [2]])
    with pytest.raises(
        InvalidInput, match=r"Column 'b' of .*rows.parquet holds text, categories or dates, not numbers"
    ):
        list(source.blocks([1]))


def test_float32_stays_float32_only_where_all_columns_are(write):
    single = pa.array([0.5, 1.5], pa.float32())
    assert (
        next(ParquetSource(write({"a": single, "label": ["x", "y"]}), ReadingRequest("label")).blocks()).values.dtype
        == np.float32
    )
    mixed = ParquetSource(write({"a": single, "b": [1, 2], "label": ["x", "y"]}), ReadingRequest("label"))
    assert next(mixed.blocks([0])).values.dtype == np.float64


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pa.array([2, 1, 2]), [2, 1, 2]),
        (pa.array([True, False, True]), [True, False, True]),
        (pa.array([1.0, 2.0, 1.0]), [1, 2, 1]),
        (pa.array([7, 5, 7]).dictionary_encode(), [7, 5, 7]),
        (
            pa.array([datetime.date(2024, 1, day) for day in (1, 2, 1)]),
            [datetime.date(2024, 1, day) for day in (1, 2, 1)],
        ),
        (pa.array([b"u", b"v", b"u"]), [b"u", b"v", b"u"]),
        (pa.array(["u", "v", "u"], pa.large_string()), ["u", "v", "u"]),
        (pa.DictionaryArray.from_arrays([2, 0, 2], ["u", "unused", "v"]), ["v", "u", "v"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_labels_of_every_type_are_told_apart(write, labels, expected):
    source = ParquetSource(write({"a": [1.0, 2.0, 3.0], "label": labels}), ReadingRequest("label"))
    assert rows_of(source)[1] == expected
    assert set(next(source.blocks()).classes) == set(expected)


def test_labels_that_cannot_be_classes_are_refused(write):
    path = write({"a": [1.0, 2.0], "label": [[1], [2]], "amount": [0.5, 0.25]})
    with pytest.raises(InvalidInput, match=r"The target 'label' holds values of type list.* which cannot be classes"):
        list(ParquetSource(path, ReadingRequest("label")).blocks([0]))
    with pytest.raises(InvalidInput, match="continuous"):
        list(ParquetSource(path, ReadingRequest("amount")).blocks([0]))


@pytest.mark.parametrize("as_category", [False, True])
def test_a_row_without_label_is_refused_or_dropped(write, as_category):
    labels = pa.array(["b", "a", None, "b", "a", "c"])
    path = write(COLUMNS | {"label": labels.dictionary_encode() if as_category else labels})
    with pytest.raises(InvalidInput, match=r"no label in 1 of 6 rows of the target 'label' \(first: row 2\)"):
        list(ParquetSource(path, ReadingRequest("label")).blocks())
    source = ParquetSource(path, ReadingRequest("label", drop_unlabelled=True))
    assert_is_the_small_table(source, rows=[0, 1, 3, 4, 5])
    assert rows_of(source)[2] == [0, 1, 3, 4, 5]


def test_missing_labels_do_not_turn_integers_into_floats(write):
    source = ParquetSource(
        write({"a": [1.0, 2.0, 3.0], "label": [1, None, 2]}), ReadingRequest("label", drop_unlabelled=True)
    )
    assert [type(label) for label in rows_of(source)[1]] == [int, int]


def test_a_table_without_any_label_is_refused(write):
    path = write({"a": [1.0, 2.0], "label": pa.array([None, None], pa.string())})
    with pytest.raises(InvalidInput, match=r"No row of .* has a label in 'label'. Name another target."):
        list(ParquetSource(path, ReadingRequest("label", drop_unlabelled=True)).blocks())


def test_a_weight_column_weighs_and_is_no_feature(write):
    source = ParquetSource(write(COLUMNS | {"w": WEIGHTS}), ReadingRequest("label", "w"))
    assert source.feature_names == NAMES
    assert_is_the_small_table(source, weights=WEIGHTS)
    wrong = ParquetSource(write(COLUMNS | {"w": [1, 1, 1, -2, 1, 1]}), ReadingRequest("label", "w"))
    with pytest.raises(InvalidInput, match=r"not negative, got -2.0 in row 3"):
        list(wrong.blocks())


def test_an_infinite_value_is_named_by_column_and_row(folder):
    pq.write_table(pa.table(part(slice(4, 6)) | {"width": [0.0, np.inf]}), folder / "3.parquet")
    with pytest.raises(InfiniteValue, match=r"Column 'width' holds infinity \(row 5\)"):
        ParquetSource(folder, ReadingRequest("label")).collect(ClassMoments())


def test_names_with_dots_and_prefixes_of_names_are_told_apart(write):
    source = ParquetSource(write({"a.b": [1.0, 2.0], "a": [3.0, 4.0], "label": ["x", "y"]}), ReadingRequest("label"))
    assert_array_equal(rows_of(source, [0])[0], [[1], [2]])
    assert_array_equal(rows_of(source, [1])[0], [[3], [4]])
    assert_array_equal(rows_of(source)[0], [[1, 3], [2, 4]])


def test_an_index_that_pandas_has_written_is_no_feature(write):
    path = write({"a": [1.0, 2.0], "label": ["x", "y"], "__index_level_0__": ["r1", "r2"]}, "rows/1.parquet")
    write({"a": [3.0], "label": ["x"]}, "rows/2.parquet")
    assert ParquetSource(path.parent, ReadingRequest("label")).feature_names == ["a"]


def test_a_column_without_any_value_fits_every_type(folder):
    pq.write_table(pa.table(part(slice(0, 2)) | {"count": pa.nulls(2)}), folder / "1.parquet")
    values = rows_of(ParquetSource(folder, ReadingRequest("label")))[0]
    assert_array_equal(values[:2, 1], [np.nan, np.nan])
    assert_array_equal(values[3:, 1], NUMBERS[3:, 1])


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_text_of_a_delta_encoding_is_read(write, encoding):
    """Arrow cannot decode such text as categories; labels and columns of text are read as text then."""
    columns = {
        "width": [float(n % 7) for n in range(60)],
        "kind": ["low", "high", "mid"] * 20,
        "label": list("ab") * 30,
    }
    plain = write(columns, "plain.parquet", row_group_size=20)
    encodings = dict.fromkeys(("kind", "label"), encoding)
    deltas = write(columns, "deltas.parquet", row_group_size=20, use_dictionary=False, column_encoding=encodings)
    expected, found = ParquetSource(plain, ReadingRequest("label")), ParquetSource(deltas, ReadingRequest("label"))
    assert list(found.text_columns) == list(expected.text_columns) == ["kind"]
    assert rows_of(found.only([0]))[1] == columns["label"]
    chosen = [MRMR(n_features=2).fit(source).selection_ for source in (expected, found)]
    assert chosen[0].scores == chosen[1].scores
    # A file of each in one table: the categories are the same.
    both = ParquetSource([plain, deltas], ReadingRequest("label"))
    assert rows_of(both.only([0]))[1] == columns["label"] * 2
    assert MRMR(n_features=2).fit(both).selection_.indices == chosen[0].indices


@pytest.mark.parametrize("as_dictionary", [False, True])
def test_words_for_a_missing_label_are_missing_whatever_the_column_is(tmp_path, as_dictionary):
    labels = pa.array(["u", "NA", "v", "u", "NA", "v"])
    table = pa.table(
        {"x": [1.0, 9.0, 2.0, 1.5, 9.0, 2.5], "label": labels.dictionary_encode() if as_dictionary else labels}
    )
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    with pytest.raises(InvalidInput, match=r"no label in 2 of 6 rows of the target 'label' \(first: row 1\)"):
        list(scan(path, target="label").blocks())
    (block,) = scan(path, target="label", drop_unlabelled=True).blocks()
    assert_array_equal(block.values[:, 0], [1.0, 2.0, 1.5, 2.5])
    assert [block.classes[code] for code in block.codes] == ["u", "v", "u", "v"]
