"""Rows that turn out to be many are summarised in the same read, as if they had never been kept."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest import MRMR, scan
from fewest.data.block import Block
from fewest.data.files.delimited import DelimitedSource
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.selectors.selector import Selector
from fewest.statistics.rows_or_summary import RowsOrSummary

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 120).astype(np.int32)
COLUMNS = {
    "bytes": lambda: RNG.integers(0, 3, (120, 4)).astype(float),
    "bytes in the first blocks alone": lambda: np.column_stack([np.where(np.arange(120) < 60, Y, Y + 0.5)] * 3),
    "floats": lambda: RNG.normal(size=(120, 5)),
    "both, some missing": lambda: np.column_stack([
        RNG.normal(size=120), np.where(RNG.random(120) < 0.3, np.nan, Y), np.full(120, np.nan), np.arange(120) * 1000,
    ]),
    "integers": lambda: RNG.integers(-5, 400, (120, 3)),
}  # fmt: skip
WEIGHTS = {"none": None, "whole, some zero": RNG.integers(0, 3, 120).astype(float)}


def blocks_of(X, weights):
    for rows in np.array_split(np.arange(120), 7):
        of_rows = None if weights is None else weights[rows]
        yield Block(X[rows], Y[rows], ["a", "b", "c"], of_rows, int(rows[0]))


def collected(statistic, X, weights):
    for block in blocks_of(X, weights):
        statistic.update(block)
    return statistic


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("n_bytes", [1, 200, 1500])
def test_the_summary_is_that_of_all_rows_wherever_they_stop_fitting(name, weights, n_bytes):
    X, of_rows = COLUMNS[name](), WEIGHTS[weights]
    read = collected(RowsOrSummary(CategoricalRows(n_bytes), ColumnSummary()), X, of_rows)
    assert n_bytes > 200 or read.rows is None
    expected = collected(ColumnSummary(), X, of_rows)
    assert read.n_rows == expected.n_rows
    assert read.fingerprint() == expected.fingerprint()
    assert read.counts_by_class() == expected.counts_by_class()
    found = read.summary()
    assert_array_equal(found.class_weights, expected.class_weights)
    one, other = Discretizer().fit(found), Discretizer().fit(expected)
    for attribute in ("n_categories", "float_columns", "_thresholds", "_n_thresholds"):
        assert_array_equal(getattr(one, attribute), getattr(other, attribute))


def test_rows_that_fit_are_kept():
    X = COLUMNS["floats"]()
    read = collected(RowsOrSummary(CategoricalRows(), ColumnSummary()), X, None)
    assert read.rows is not None
    assert_array_equal(np.concatenate([chunk.values for chunk in read.rows.chunks]), X)


def test_a_text_file_whose_rows_do_not_fit_is_read_twice(tmp_path, monkeypatch):
    X = np.round(RNG.normal(size=(120, 6)) + Y[:, None] * (np.arange(6) < 3), 3)
    path = tmp_path / "rows.csv"
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X, Y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,e,f,label", *lines]))
    in_memory = MRMR(n_features=3).fit(scan(path, "label"))
    n_reads = 0
    read = DelimitedSource._read

    def counted(self, names):
        nonlocal n_reads
        n_reads += len(names) == 6
        return read(self, names)

    monkeypatch.setattr(DelimitedSource, "_read", counted)
    monkeypatch.setattr(DelimitedSource, "bytes_at_once", 1000)
    monkeypatch.setattr(Selector, "_stream_bytes", 1000)
    streamed = MRMR(n_features=3).fit(scan(path, "label"))
    assert_array_equal(streamed.scores_, in_memory.scores_)
    assert n_reads == 2
