"""What every source obeys: the same rows, columns, fingerprints and selected features from every format."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from pyarrow import feather
from scipy import sparse
from scipy.io import savemat

from fewest import MRMR, FisherMarkov, scan
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.rows import Rows

from ..data.engines.batch_forms import FORMS

N_ROWS, N_COLUMNS = 120, 6
NAMES = [f"x{j}" for j in range(N_COLUMNS)]
LABELS = np.array(["left", "right", "up"])[np.random.default_rng(0).integers(0, 3, N_ROWS)]
# Eighths, none of them zero: exact as text, in float32 and in sparse matrices alike.
SHIFTS = 8 * (LABELS == "up")[:, None] * np.array([1, 0, 2, 0, 3, 0])
VALUES = (np.random.default_rng(1).integers(1, 40, (N_ROWS, N_COLUMNS)) + SHIFTS) / 8
TABLE = pa.table({**dict(zip(NAMES, VALUES.T, strict=True)), "label": LABELS})


def csv_text(separator=","):
    lines = [separator.join([*(repr(float(x)) for x in row), label]) for row, label in zip(VALUES, LABELS, strict=True)]
    return "\n".join([separator.join([*NAMES, "label"]), *lines, ""])


def written(folder, name, write):
    write(folder / name)
    return scan(folder / name, "label")


def parquet_folder(folder):
    (folder / "parts").mkdir()
    for part in range(3):
        pq.write_table(TABLE.slice(part * 40, 40), folder / "parts" / f"{part}.parquet", row_group_size=17)
    return scan(folder / "parts", "label")


def arrow_file(path):
    with pa.ipc.new_file(path, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=11)


SOURCES = {
    "array": lambda _: scan(VALUES, LABELS),
    "array in Fortran order": lambda _: scan(np.asfortranarray(VALUES), LABELS),
    "array of float32": lambda _: scan(VALUES.astype(np.float32), LABELS),
    "array of objects": lambda _: scan(VALUES.astype(object), LABELS),
    "every second of twice the rows": lambda _: scan(np.repeat(VALUES, 2, axis=0)[::2], LABELS),
    "list": lambda _: scan(VALUES.tolist(), LABELS.tolist()),
    "csr": lambda _: scan(sparse.csr_array(VALUES), LABELS),
    "csc": lambda _: scan(sparse.csc_matrix(VALUES), LABELS),
    "coo": lambda _: scan(sparse.coo_array(VALUES), LABELS),
    "pandas": lambda _: scan(TABLE.to_pandas(), "label"),
    "polars": lambda _: scan(pl.from_arrow(TABLE), "label"),
    "pyarrow": lambda _: scan(TABLE, "label"),
    "frame and labels": lambda _: scan(pd.DataFrame(VALUES, columns=NAMES), LABELS),
    "csv": lambda folder: written(folder, "t.csv", lambda path: path.write_text(csv_text())),
    "tsv.gz": lambda folder: written(
        folder, "t.tsv.gz", lambda path: path.write_bytes(gzip.compress(csv_text("\t").encode()))
    ),
    "parquet": lambda folder: written(folder, "t.parquet", lambda path: pq.write_table(TABLE, path)),
    "parquet folder": parquet_folder,
    "feather": lambda folder: written(folder, "t.feather", lambda path: feather.write_feather(TABLE, path)),
    "arrow": lambda folder: written(folder, "t.arrow", arrow_file),
    "npz": lambda folder: written(
        folder, "t.npz", lambda path: np.savez(path, X=VALUES, label=LABELS, feature_names=np.array(NAMES))
    ),
    "mat": lambda folder: written(
        folder, "t.mat", lambda path: savemat(path, {"X": VALUES, "label": LABELS.astype(object)[:, None]})
    ),
    **{name: lambda folder, form=form: scan(form(TABLE, folder), "label") for name, form in FORMS.items()},
}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    return SOURCES[request.param](tmp_path)


def rows_of(source, columns=None):
    blocks = list(source.blocks(columns))
    values = np.vstack([block.dense_values for block in blocks])
    return values, np.concatenate([np.array(block.classes)[block.codes] for block in blocks])


def test_it_gives_the_same_rows_in_the_same_order_every_time(source):
    for _ in range(2):
        values, labels = rows_of(source)
        assert_array_equal(values, VALUES)
        assert_array_equal(labels, LABELS)
    assert source.n_features == N_COLUMNS
    assert source.feature_names in (None, NAMES)
    assert list(source.text_columns) == []


def test_row_numbers_count_the_rows_of_the_source(source):
    numbers = np.concatenate([block.all_row_numbers() for block in source.blocks()])
    assert_array_equal(numbers, np.arange(N_ROWS))


@pytest.mark.parametrize("columns", [[3], [4, 1], range(2, 5)])
def test_columns_are_read_by_number(source, columns):
    assert_array_equal(rows_of(source, columns)[0], VALUES[:, columns])
    chosen = source.only(columns)
    assert_array_equal(rows_of(chosen)[0], VALUES[:, columns])
    assert chosen.feature_names in (None, [NAMES[column] for column in columns])


@pytest.mark.parametrize("columns_at_once", [1, 4, N_COLUMNS])
def test_fingerprint_and_moments_are_the_same_however_many_columns_are_read_at_once(source, columns_at_once):
    expected = scan(VALUES, LABELS).collect(ClassMoments())
    source.columns_at_once = columns_at_once
    moments = source.collect(ClassMoments())
    assert moments.fingerprint() == expected.fingerprint()
    assert moments.counts_by_class() == expected.counts_by_class()
    assert_array_equal(moments.lowest, expected.lowest)


def test_stored_rows_are_the_rows(source):
    rows = source.collect(Rows())
    assert_array_equal(rows.values, VALUES)
    assert_array_equal(np.array(rows.classes)[rows.codes], LABELS)


@pytest.mark.parametrize("selector", [FisherMarkov(n_features=3), MRMR(n_features=3)], ids=repr)
def test_it_gives_the_same_support(source, selector):
    expected = selector.fit(VALUES, LABELS).selection_
    found = selector.fit(source).selection_
    assert found.indices == expected.indices
    assert found.provenance.fingerprint == expected.provenance.fingerprint
