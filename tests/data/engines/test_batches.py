"""Whatever can be asked again for record batches gives the answers of the table in memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from functools import cache

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import (
    MRMR,
    ChiSquare,
    FisherMarkov,
    FisherScore,
    MaxRelevance,
    ParzenRelief,
    PearsonCorrelation,
    check_data,
    scan,
)
from fewest.data.engines.batches import BatchSource
from fewest.errors import InvalidParameter, MissingDependency
from fewest.selectors.selector import Selector

from ..small_table import COLUMNS, NAMES, WEIGHTS, assert_is_the_small_table, rows_of
from .batch_forms import CONNECTION, FORMS, Table, duckdb_table, parquet_folder, reader_function

COUNTED = [MRMR(n_features=5), MaxRelevance(n_features=5), ChiSquare(n_features=5)]
SUMMED = [
    FisherMarkov(n_features=5),
    FisherMarkov(n_features=5, degree=2),
    FisherScore(n_features=5),
    PearsonCorrelation(n_features=5),
    ParzenRelief(n_features=5),
]
BY_VALIDATION = [kind(n_features="auto", max_features=6, cv=3) for kind in (MRMR, FisherScore)]
SELECTORS = [*COUNTED, *SUMMED, *BY_VALIDATION]


def mixed_table(n_rows=400, seed=0):
    """Numbers, booleans, text, text of numbers and missing values, with a whole number of copies as the weight."""
    random = np.random.default_rng(seed)
    label = random.integers(0, 3, n_rows)
    values = random.normal(size=(n_rows, 6)) + np.outer(label, [1.5, 0.0, 0.7, 0.0, 0.3, 0.1])
    values[random.random(values.shape) < 0.05] = np.nan
    columns = {f"x{j}": pa.array(values[:, j], from_pandas=True) for j in range(6)}
    columns["count"] = random.poisson(2 + label)
    columns["flag"] = (random.random(n_rows) < 0.3 + 0.2 * label).tolist()
    towns = np.array(["Oslo", "Rom", "Bern", "Łódź"])
    columns["town"] = [None if random.random() < 0.1 else towns[(k + random.integers(2)) % 4] for k in label]
    columns["price"] = [f"€ {price / 4:.2f}" for price in random.integers(1, 90, n_rows) + 20 * label]
    columns["copies"] = random.integers(0, 4, n_rows)
    columns["label"] = np.array(["low", "middle", "high"])[label]
    return pa.table(columns)


MIXED = mixed_table()


@pytest.fixture(params=FORMS)
def form(request, tmp_path):
    return lambda table: FORMS[request.param](table, tmp_path)


@pytest.fixture(params=["kept", "read twice in groups of columns"])
def reading(request, monkeypatch):
    """How a stream is read: its rows are kept, or are too many."""
    if request.param != "kept":
        monkeypatch.setattr(Selector, "_stream_bytes", 1000)
        monkeypatch.setattr(BatchSource, "rows_at_once", 64)
    return request.param


def read(data, reading="kept", **options):
    source = scan(data, "label", **options)
    assert isinstance(source, BatchSource)
    if reading.endswith("columns"):
        source.columns_at_once = 4
    return source


def test_the_small_table_with_weights_and_missing_labels(form):
    table = pa.table(COLUMNS | {"w": WEIGHTS})
    source = read(form(table), weight="w")
    assert source.feature_names == NAMES
    for _ in range(2):
        assert_is_the_small_table(source, weights=WEIGHTS)
    lacking = pa.table(COLUMNS | {"label": ["b", "a", None, "b", "a", "c"]})
    assert_is_the_small_table(read(form(lacking), drop_unlabelled=True), rows=[0, 1, 3, 4, 5])


#: Of each kind one, for what takes time.
KINDS = ["DuckDB relation", "dataset of files", "LazyFrame of files", "ibis table", "function that returns batches"]


@cache
def fitted_in_memory(selector, weight=None):
    """The selector, by its text, fitted to the table in memory."""
    return next(one for one in SELECTORS if repr(one) == selector).fit(scan(MIXED, "label", weight=weight))


@pytest.mark.parametrize("weight", [None, "copies"])
@pytest.mark.parametrize("form", KINDS, indirect=True)
def test_answers_are_those_of_the_table(form, reading, weight):
    source = read(form(MIXED), reading, weight=weight)
    for selector in [*COUNTED, *SUMMED]:
        expected, found = fitted_in_memory(repr(selector), weight), selector.fit(source)
        assert found.selection_.features == expected.selection_.features
        assert found.selection_.provenance.fingerprint == expected.selection_.provenance.fingerprint
        # Counts are whole numbers; sums of floats are rounded in the order of the batches.
        within = 0.0 if selector in COUNTED else 1e-12
        assert_allclose(found.scores_, expected.scores_, rtol=within, atol=within)


@pytest.mark.parametrize("selector", BY_VALIDATION, ids=repr)
@pytest.mark.parametrize("form", KINDS, indirect=True)
def test_a_size_by_cross_validation_is_that_of_the_table(form, selector):
    expected, found = fitted_in_memory(repr(selector)).selection_, selector.fit(read(form(MIXED))).selection_
    assert found.features == expected.features
    assert found.provenance.notes == expected.provenance.notes


@pytest.mark.parametrize("selector", BY_VALIDATION, ids=repr)
@pytest.mark.parametrize("form", KINDS, indirect=True)
def test_a_size_by_cross_validation_of_a_long_stream_is_that_of_the_files(form, selector, monkeypatch, tmp_path):
    monkeypatch.setattr(Selector, "_stream_bytes", 1000)
    monkeypatch.setattr(BatchSource, "rows_at_once", 64)
    expected = selector.fit(scan(parquet_folder(MIXED, tmp_path), "label")).selection_
    found = selector.fit(read(form(MIXED), "in groups of columns")).selection_
    assert found.features == expected.features
    assert found.provenance.notes == expected.provenance.notes


def test_columns_in_and_out(form):
    data = form(MIXED)
    assert read(data, columns=["x0:x3", "town"]).feature_names == ["x0", "x1", "x2", "x3", "town"]
    assert read(data, drop="x*", id_column="count").feature_names == ["flag", "town", "price", "copies"]
    kinds = read(data, categories="count")
    assert dict(zip(kinds.feature_names, kinds.column_kinds, strict=True))["count"] == "category"
    assert list(kinds.numbers_as_text) == ["price"]
    with pytest.raises(InvalidParameter, match=r"sep is for text files, and .* is none. Leave it out."):
        scan(data, "label", sep=",")
    with pytest.raises(InvalidParameter, match=r"feature_names are for arrays"):
        scan(data, "label", feature_names=["a"])


def test_check_data_takes_them(form):
    assert check_data(form(MIXED), target="label").n_rows == MIXED.num_rows


def test_a_lazy_frame_of_narwhals_is_the_one_in_it():
    assert_is_the_small_table(read(nw.from_native(pl.LazyFrame(COLUMNS))))


@pytest.mark.parametrize(
    "names", [['a"b', "a,b", "x'y"], ["a.b", "a[0]", ".c"], ["*", "^a.*$", "ab"], ["#1", "c0", "é ß"]]
)
def test_odd_names_are_names(form, names):
    values = np.arange(1.0, 31.0).reshape(10, 3)
    table = pa.table({**dict(zip(names, values.T, strict=True)), "label": [0, 1] * 5})
    source = read(form(table))
    assert source.feature_names == names
    for columns in ([0, 1, 2], [1], [2, 0]):
        assert_array_equal(rows_of(source, columns)[0], values[:, columns])


def test_names_that_differ_by_case_are_two():
    """DuckDB renames the second where a table has both, but not the columns of a query."""
    source = read(duckdb.sql("SELECT range AS a, 9 - range AS A, range % 2 AS label FROM range(10)"))
    assert source.feature_names == ["a", "A"]
    assert_array_equal(rows_of(source, [1])[0][:, 0], 9.0 - np.arange(10))


def failing_column(kind, table, folder):
    """The table with a column "bad" that cannot be read."""
    if kind == "DuckDB":
        given = CONNECTION.from_arrow(table)
        return given.project("*, CASE WHEN count >= 0 THEN error('this is bad') END AS bad")
    if kind == "polars":

        def refuse(column):
            raise ValueError("this is bad")

        return pl.from_arrow(table).lazy().with_columns(bad=pl.col("x0").map_batches(refuse, return_dtype=pl.Float64))
    path = folder / "t.parquet"
    pq.write_table(table.append_column("bad", table["x0"]), path, use_dictionary=False)
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = group.column(group.num_columns - 1)
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset : chunk.data_page_offset + 60] = b"\xff" * 60
    path.write_bytes(content)
    return ds.dataset(path)


@pytest.mark.parametrize("kind", ["DuckDB", "polars", "dataset"])
def test_only_the_columns_that_are_asked_for_are_read(kind, tmp_path):
    source = read(failing_column(kind, MIXED, tmp_path))
    good = [column for column, name in enumerate(source.feature_names) if name != "bad"]
    expected = MRMR(n_features=4).fit(scan(MIXED, "label")).selection_
    assert MRMR(n_features=4).fit(source.only(good)).selection_.features == expected.features
    with pytest.raises(ValueError, match=r"cannot be read|is damaged"):
        list(source.with_text_as_codes().blocks())


def test_ibis_is_asked_for_the_columns():
    table = Table(MIXED)
    list(read(table).blocks([2, 1]))
    # The first column shows whether the rows keep their order.
    assert table.selected[-1] == ["x2", "x1", "x0", "label"]


def test_the_real_ibis():
    ibis = pytest.importorskip("ibis")
    table = ibis.polars.connect({"t": pl.from_arrow(MIXED).lazy()}).table("t")
    expected = MRMR(n_features=5).fit(scan(MIXED, "label")).selection_
    assert MRMR(n_features=5).fit(read(table)).selection_.features == expected.features


def test_the_number_of_rows_is_known_where_it_is_stored(tmp_path):
    files = ds.dataset(parquet_folder(MIXED, tmp_path))
    assert read(duckdb_table(MIXED)).n_rows == 400
    assert read(files).n_rows == 400
    assert read(files.filter(ds.field("count") > 2)).n_rows is None
    assert read(duckdb_table(MIXED).filter("count > 2")).n_rows is None


def test_a_filter_is_applied(tmp_path):
    files = ds.dataset(parquet_folder(MIXED, tmp_path))
    chosen = MIXED.filter(ds.field("count") > 2)
    for data in (files.filter(ds.field("count") > 2), duckdb_table(MIXED).filter("count > 2")):
        assert_array_equal(rows_of(read(data), [0, 6])[0], rows_of(scan(chosen, "label"), [0, 6])[0])


def test_blocks_are_small_however_large_the_batches(form, monkeypatch):
    monkeypatch.setattr(BatchSource, "rows_at_once", 50)
    source = read(form(MIXED), drop=["town"])
    sizes = [block.n_rows for block in source.blocks()]
    assert max(sizes) <= 50
    assert sum(sizes) == 400


def test_a_batch_of_a_reader_is_cut(monkeypatch):
    monkeypatch.setattr(BatchSource, "values_at_once", 120)
    source = read(reader_function(MIXED, 400), columns=["x0", "x1"])
    assert {block.n_rows for block in source.blocks()} == {40}


def test_a_duckdb_connection_is_free_when_rows_are_read_no_further():
    connection = duckdb.connect()
    connection.register("given", mixed_table(20_000))
    source = read(connection.sql("FROM given"))
    blocks = source.only([0]).blocks()
    next(blocks)
    del blocks
    gc.collect()
    assert connection.execute("SELECT 1").fetchall() == [(1,)]
    with pytest.raises(ValueError, match=r"no column 'x9'"):
        scan(connection.sql("FROM given"), "x9")
    assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_types_that_arrow_lacks_or_names_otherwise():
    frame = pl.LazyFrame(
        {
            "wide": pl.Series([1, 2, None, 4], dtype=pl.Int128),
            "colour": pl.Series(["red", "blue", "red", None], dtype=pl.Enum(["blue", "red"])),
            "town": pl.Series(["Rom", "Rom", "Oslo", "Bern"], dtype=pl.Categorical),
            "price": pl.Series([1.5, 2.5, 3.5, None]).cast(pl.Decimal(10, 2)),
            "label": [0, 1, 0, 1],
        }
    )
    found, expected = (read_as_codes(data) for data in (frame, frame.collect()))
    assert found.column_kinds == expected.column_kinds == ["number", "category", "category", "number"]
    assert_array_equal(rows_of(found)[0], rows_of(expected)[0])


def read_as_codes(data):
    return scan(data, "label").with_text_as_codes()


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    relation = CONNECTION.from_arrow(MIXED)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for data, what in (
        (relation, "DuckDB relations"),
        (pl.LazyFrame(COLUMNS), "a LazyFrame"),
        (Table(None), "ibis tables"),
        (reader_function(MIXED), "record batches"),
    ):
        with pytest.raises(MissingDependency, match=rf"Reading {what} needs pyarrow: pip install 'fewest\[parquet\]'"):
            scan(data, "label")


def test_an_old_polars_is_named(monkeypatch):
    monkeypatch.setattr(pl, "__version__", "1.36.1")
    with pytest.raises(MissingDependency, match=r"needs polars 1.37 or newer, got 1.36.1: pip install -U polars"):
        scan(pl.LazyFrame(COLUMNS), "label")


def test_an_old_duckdb_is_asked_by_its_name_for_a_reader():
    class DuckDBPyRelation:
        __module__ = "duckdb"
        alias, columns, type = "t", list(COLUMNS), "QUERY_RELATION"
        table = pa.table(COLUMNS)

        def limit(self, _):
            return self

        def project(self, columns):
            own = DuckDBPyRelation()
            positions = [int(part.strip(" #").partition(" ")[0]) - 1 for part in columns.split(",")]
            own.table = self.table.select(positions)
            return own

        def fetch_record_batch(self, n_rows):
            return self.table.to_reader(n_rows)

    assert_is_the_small_table(read(DuckDBPyRelation()))


def test_no_engine_is_imported_for_other_data():
    program = (
        "import sys, fewest; fewest.scan([[1.0], [2.0]], [0, 1]);"
        "print(sorted({'duckdb', 'polars', 'ibis', 'pyarrow'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"
