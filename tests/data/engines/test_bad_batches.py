"""Batches that cannot be used are refused in one sentence that names where they come from; odd ones are read."""

from __future__ import annotations

import re

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from numpy.testing import assert_array_equal

from fewest import MRMR, ChiSquare, FisherScore, ParzenRelief, scan
from fewest.errors import FewestError, InvalidInput, InvalidType
from fewest.selectors.selector import Selector

from ..small_table import rows_of
from .batch_forms import CONNECTION, Table, parquet_folder, reader_function

RANDOM = np.random.default_rng(0)
LABELS = np.arange(600) // 200
NUMBERS = {f"x{j}": RANDOM.normal(size=600) + LABELS * (j == 1) for j in range(6)}
TABLE = pa.table({**NUMBERS, "label": LABELS})


def batch(**columns):
    return pa.RecordBatch.from_pydict(columns)


def rows_from(*batches):
    """A function that gives these batches."""

    def rows():
        return iter(batches)

    return rows


def refused(data, says, use=lambda source: list(source.with_text_as_codes().blocks()), error=FewestError, **options):
    """Assert that one sentence says why the data cannot be used."""
    with pytest.raises(error, match=says) as caught:
        use(scan(data, "label", **options))
    assert "\n" not in str(caught.value)
    assert "This is a bug" not in str(caught.value)


FIRST = batch(a=[1.0, 2.0], b=["u", "v"], label=[0, 1])


class TestWhatCanBeReadOnlyOnce:
    @pytest.mark.parametrize(
        "data",
        [
            TABLE.to_reader(),
            iter(TABLE.to_batches()),
            (one for one in TABLE.to_batches()),
            ds.dataset(TABLE).scanner(),
        ],
        ids=["RecordBatchReader", "list_iterator", "generator", "Scanner"],
    )
    def test_it_is_refused_by_name(self, data):
        refused(data, rf"^A {type(data).__name__} can be read only once, .*scan\(lambda: make_reader\(\), target\)\.$")

    def test_a_connection_is_no_relation(self):
        connection = duckdb.connect()
        refused(
            connection.execute("SELECT 1 AS label"), r"got a connection of DuckDB\. Give connection\.sql\(query\)\.$"
        )

    def test_a_function_that_returns_one_reader_for_all_passes(self):
        reader = TABLE.to_reader(50)
        says = r"^<lambda>\(\) returned the same RecordBatchReader again, which can be read only once\. Make a new one"
        refused(lambda: reader, says)


class TestFunctions:
    @pytest.mark.parametrize("returned", [None, 3, "rows.csv", TABLE, [1, 2]], ids=lambda value: type(value).__name__)
    def test_what_returns_no_batches(self, returned):
        def load():
            return returned

        what = type(returned).__name__
        refused(
            load,
            rf"^load\(\) returned {what}, not record batches\. Return a pyarrow\.RecordBatchReader",
            error=InvalidType,
        )

    def test_what_returns_nothing(self):
        refused(rows_from(), r"^rows\(\) returned no record batches\. Return one at least, with the columns\.$")

    def test_what_needs_arguments(self):
        def load(path):
            return TABLE.to_reader()

        refused(load, r"^load\(\) cannot be read \(TypeError: .*missing 1 required positional argument: 'path'\)")

    def test_what_has_no_name(self):
        class Rows:
            def __call__(self):
                return TABLE.to_reader()

        assert_array_equal(rows_of(scan(Rows(), "label"), [0])[0][:, 0], NUMBERS["x0"])
        refused(Rows(), r"There is no column 'y' in Rows\(\) to be the weight", weight="y")

    def test_fit_refuses_a_function(self):
        with pytest.raises(
            InvalidType, match=r"^X must be a table, got a function\. To read .* use scan\(X, target\)\.$"
        ):
            FisherScore(n_features=1).fit(reader_function(TABLE), LABELS)


class TestTwelveBadInputs:
    """Those of every engine, as far as batches can have them."""

    def test_empty_batches_are_passed_over(self):
        empty = FIRST.slice(0, 0)
        source = scan(rows_from(empty, FIRST, empty, FIRST, empty), "label").with_text_as_codes()
        assert_array_equal(rows_of(source)[0], [[1, 0], [2, 1]] * 2)

    def test_no_rows_at_all(self):
        refused(
            rows_from(FIRST.slice(0, 0)), r"^rows\(\) has column names but no rows\. Give a table with at least two\.$"
        )
        refused(TABLE.slice(0, 0).to_reader, r"^to_reader\(\) has column names but no rows\.")
        refused(pl.LazyFrame({"a": [], "label": []}), r"^LazyFrame has column names but no rows\.")

    def test_a_class_that_appears_in_one_batch_only(self):
        data = rows_from(FIRST, FIRST, batch(a=[7.0], b=["u"], label=[5]))
        assert rows_of(scan(data, "label").with_text_as_codes())[1] == [0, 1, 0, 1, 5]
        assert FisherScore(n_features=1).fit(scan(data, "label")).selection_.provenance.class_counts["5"] == 1

    def test_columns_in_another_order(self):
        other = batch(label=[1], b=["v"], more=[3], a=[4.0])
        assert_array_equal(rows_of(scan(rows_from(FIRST, other), "label").with_text_as_codes())[0][2], [4, 1])

    def test_a_column_that_one_batch_lacks(self):
        other = batch(b=["v"], label=[1])
        says = r"^Column 'a' is not in batch 2 of rows\(\)\. Give every batch the same columns\.$"
        refused(rows_from(FIRST, other), says, error=InvalidInput)

    def test_a_column_that_one_batch_has_twice(self):
        other = pa.RecordBatch.from_arrays([pa.array([1.0])] * 3, names=["a", "a", "label"])
        refused(rows_from(FIRST, other), r"^batch 2 of rows\(\) has more than one column named 'a'", columns="a")

    @pytest.mark.parametrize("column", [["3"], [[1.0]], pa.array([1], pa.date32())], ids=["text", "list", "date"])
    def test_another_type_in_one_batch(self, column):
        other = batch(a=column, b=["v"], label=[1])
        says = (
            rf"^Column 'a' is {re.escape(str(other.schema.types[0]))} in batch 3 of rows\(\), but double before\. Give"
        )
        refused(rows_from(FIRST, FIRST, other), says, error=InvalidInput)

    def test_numbers_in_a_column_of_text(self):
        refused(
            rows_from(FIRST, batch(a=[1.0], b=[3], label=[1])),
            r"^Column 'b' is int64 in batch 2 of rows\(\), but string",
        )

    def test_text_where_the_first_batch_has_no_type(self):
        first = batch(a=pa.nulls(2), b=["u", "v"], label=[0, 1])
        refused(
            rows_from(first, batch(a=["x"], b=["u"], label=[0])), r"^Column 'a' is string in batch 2 .* but null before"
        )

    def test_numbers_where_the_first_batch_has_no_type(self):
        first = batch(a=pa.nulls(2), label=[0, 1])
        source = scan(rows_from(first, batch(a=[2.5], label=[0])), "label")
        assert_array_equal(rows_of(source)[0][:, 0], [np.nan, np.nan, 2.5])

    def test_other_numbers_and_no_values_are_read(self):
        others = batch(a=pa.array([3], pa.int8()), b=["v"], label=[1]), batch(a=[None], b=[None], label=[1])
        small = batch(a=pa.array([0.5], pa.float32()), b=["u"], label=[0])
        exact = batch(a=[0.1], b=pa.array(["v"]).dictionary_encode(), label=[1])
        source = scan(rows_from(small, *others, exact), "label").with_text_as_codes()
        assert_array_equal(rows_of(source)[0], [[0.5, 0], [3, 1], [np.nan, np.nan], [0.1, 1]])

    def test_missing_labels_in_one_batch(self):
        data = rows_from(FIRST, batch(a=[3.0, 4.0], b=["u", "v"], label=[None, 0]))
        refused(data, r"no label in 1 of 2 rows of the target 'label' \(first: row 2\)", error=InvalidInput)
        kept = scan(data, "label", drop_unlabelled=True)
        assert_array_equal(rows_of(kept, [0])[0][:, 0], [1, 2, 4])

    def test_text_that_differs_by_batch(self):
        batches = [batch(b=[f"t{i}", f"t{i + 1}"], label=[0, 1]) for i in range(50)]
        coded = [batch.set_column(0, "b", batch.column(0).dictionary_encode()) for batch in batches]
        for data in (rows_from(*batches), rows_from(*coded)):
            source = scan(data, "label").with_text_as_codes()
            assert_array_equal(rows_of(source)[0][:, 0], np.repeat(np.arange(51), 2)[1:-1])
            assert source.categories_of("b") == [f"t{i}" for i in range(51)]

    def test_a_weight_that_is_none(self):
        data = rows_from(batch(a=[1.0, 2.0], w=[1.0, 1.0], label=[0, 1]), batch(a=[1.0], w=[-1.0], label=[0]))
        refused(data, r"sample_weight must be finite and not negative, got -1\.0 in row 2", weight="w")

    def test_an_infinite_value_is_named_with_its_row(self):
        data = rows_from(FIRST, batch(a=[np.inf], b=["u"], label=[0]))
        refused(data, r"^Column 'a' holds infinity \(row 2\)", FisherScore(n_features=1).fit)

    def test_a_target_that_is_no_column(self):
        refused(
            Table(TABLE), r"There is no column 'x9' in ibis table to be the weight\. Its columns are 'x0'", weight="x9"
        )
        with pytest.raises(InvalidType, match=r"The target of LazyFrame must be a name, got list instead\."):
            scan(pl.LazyFrame(NUMBERS), LABELS.tolist())

    def test_two_columns_of_one_name(self):
        refused(
            CONNECTION.sql("SELECT 1 AS a, 2 AS a, 3 AS label"), r"^DuckDB relation has more than one column named 'a'"
        )


class TestErrorsOfEngines:
    def test_a_query_of_duckdb_that_fails_in_mid_stream(self):
        connection = duckdb.connect()
        connection.register("given", TABLE)
        query = connection.sql(
            "SELECT range AS a, CASE WHEN range = 90000 THEN error('no such row') END AS b, range % 2 AS label "
            "FROM range(100000)"
        )
        refused(
            query, r"^DuckDB relation cannot be read \(\w+: .*no such row.*\)\. Mend the query, or what it reads\.$"
        )
        assert connection.execute("SELECT 1").fetchall() == [(1,)]

    def test_a_connection_that_is_closed(self):
        connection = duckdb.connect()
        relation = connection.sql("SELECT range AS a, range % 2 AS label FROM range(10)")
        source = scan(relation, "label")
        connection.close()
        says = r"^DuckDB relation cannot be read \(ConnectionException: .*closed\)\. Mend the query"
        with pytest.raises(InvalidInput, match=says):
            FisherScore(n_features=1).fit(source)
        refused(relation, says)

    def test_a_table_that_is_dropped_meanwhile(self):
        connection = duckdb.connect()
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS FROM given").fetchall()
        source = scan(connection.table("t"), "label")
        connection.execute("DROP TABLE t").fetchall()
        with pytest.raises(InvalidInput, match=r"^DuckDB relation 't' cannot be read \(\w*CatalogException: .* t "):
            list(source.blocks())

    def test_files_that_are_gone(self, tmp_path):
        folder = parquet_folder(TABLE, tmp_path)
        sources = [scan(pl.scan_parquet(folder / "*.parquet"), "label"), scan(ds.dataset(folder), "label")]
        for path in folder.iterdir():
            path.unlink()
        for source, where in zip(sources, ("LazyFrame", f"dataset {folder}/0.parquet (and 2 more files)"), strict=True):
            with pytest.raises(InvalidInput, match=rf"^{re.escape(where)} cannot be read \(\w+: .*\)"):
                list(source.blocks())
        refused(pl.scan_parquet(folder / "*.parquet"), r"^LazyFrame cannot be read")

    def test_a_function_that_raises_in_mid_stream(self):
        def rows():
            yield FIRST
            raise OSError("the line was cut")

        refused(rows, r"^rows\(\) cannot be read \(OSError: the line was cut\)\. Mend the query, or what it reads\.$")

    def test_a_panic_of_rust_is_an_error_and_an_interrupt_none(self):
        class PanicException(BaseException):
            pass

        def rows(error):
            yield FIRST
            raise error

        refused(lambda: rows(PanicException("not yet implemented")), r"cannot be read \(PanicException: not yet impl")
        with pytest.raises(KeyboardInterrupt):
            list(scan(lambda: rows(KeyboardInterrupt()), "label").with_text_as_codes().blocks())

    def test_long_messages_are_cut(self):
        def rows():
            yield FIRST
            raise OSError("no " * 1000)

        with pytest.raises(InvalidInput) as caught:
            rows_of(scan(rows, "label").with_text_as_codes())
        assert len(str(caught.value)) < 450


def changing(*tables):
    """A function that gives one table after the other, the last again and again."""
    calls = []

    def rows():
        calls.append(None)
        return tables[min(len(calls), len(tables)) - 1].to_reader(100)

    return rows


def shuffled_in_classes(table, seed):
    order = np.concatenate([np.random.default_rng(seed).permutation(200) + first for first in (0, 200, 400)])
    return table.take(order)


class TestRowsThatChange:
    SAYS = r"^rows\(\) gave other rows, or the same in another order, when it was read again: "

    @pytest.mark.parametrize(
        ("second", "what"),
        [
            (TABLE.slice(0, 500), "500 rows came, and 600 before"),
            (pa.concat_tables([TABLE, TABLE]), "more than 600 rows came"),
            (TABLE.set_column(6, "label", pa.array(LABELS[::-1])), "other values in the labels"),
            (TABLE.set_column(4, "x4", TABLE["x3"]), "other values in column 'x4'"),
            (shuffled_in_classes(TABLE, 0), "other values in column 'x0'"),
            (TABLE.slice(0, 300).take(np.r_[1, 0, 2:300].tolist()), "300 rows came, and 600 before"),
        ],
        ids=["fewer", "more", "labels", "one column", "order", "fewer in another order"],
    )
    def test_a_second_pass_that_differs(self, second, what):
        source = scan(changing(TABLE, TABLE, second), "label")
        list(source.blocks())
        with pytest.raises(InvalidInput, match=self.SAYS + re.escape(what) + r"\. Sort them by a key"):
            list(source.blocks())

    def test_a_weight_that_differs(self):
        weights = pa.array(np.ones(600))
        tables = [TABLE.append_column("w", column) for column in (weights, weights, pa.array(np.r_[2.0, np.ones(599)]))]
        source = scan(changing(*tables), "label", weight="w")
        list(source.blocks())
        with pytest.raises(InvalidInput, match=self.SAYS + "other values in the weights"):
            list(source.blocks())

    def test_other_batches_of_the_same_rows_do_not_matter(self):
        sizes = iter([600, 7, 100, 599, 600, 33])
        source = scan(lambda: TABLE.to_reader(next(sizes)), "label")
        first = rows_of(source)[0]
        for columns in (range(6), [3, 1], [0], range(6)):
            assert_array_equal(rows_of(source, columns)[0], first[:, columns])

    def test_a_pass_that_is_not_finished_is_not_compared(self):
        source = scan(changing(TABLE, TABLE, TABLE.slice(300), TABLE), "label")
        list(source.blocks())
        next(source.blocks())
        list(source.blocks())

    def test_groups_of_columns_in_another_order_of_rows(self):
        """Labels alone would not show it: the rows are sorted by class."""
        source = scan(changing(*(shuffled_in_classes(TABLE, seed) for seed in range(5))), "label")
        source.columns_at_once = 2
        with pytest.raises(InvalidInput, match=self.SAYS + "other values in column 'x0'"):
            FisherScore(n_features=2).fit(source)

    def test_a_query_without_an_order(self):
        data = CONNECTION.sql("SELECT random() AS a, range % 2 AS label FROM range(1000)")
        source = scan(data, "label")
        list(source.blocks())
        with pytest.raises(InvalidInput, match=r"^DuckDB relation gave other rows, .*: other values in column 'a'"):
            list(source.blocks())

    @pytest.mark.parametrize("selector", [MRMR, ChiSquare, ParzenRelief], ids=lambda kind: kind.__name__)
    @pytest.mark.parametrize("change", ["values", "text", "class"])
    def test_a_method_that_reads_twice_is_not_lost_in_them(self, selector, change, monkeypatch):
        """It may meet what the first pass had not before the pass is complete and can be compared."""
        monkeypatch.setattr(Selector, "_stream_bytes", 1000)
        towns = np.array(["Rom", "Oslo"])[LABELS % 2]
        first = TABLE.append_column("town", pa.array(towns)).append_column("few", pa.array(LABELS % 2))
        other = {
            "values": lambda: first.set_column(8, "few", pa.array(LABELS * 7 - 3)).set_column(
                0, "x0", pa.array(NUMBERS["x0"] * 9)
            ),
            "text": lambda: first.set_column(7, "town", pa.array(np.char.add(towns, "!"))),
            "class": lambda: first.set_column(6, "label", pa.array(LABELS + 1)),
        }[change]()
        # The schema, the first texts, the first pass; Parzen-Relief tries to keep the rows before that.
        n_before = 4 if selector is ParzenRelief else 3
        source = scan(changing(*[first] * n_before, other), "label")
        with pytest.raises(InvalidInput, match=r"gave other rows|changed between the first and the second pass"):
            selector(n_features=2).fit(source)
