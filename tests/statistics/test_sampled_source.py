"""A sample of any source is the same rows, whatever the kind of file, the blocks and the order of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import scan
from fewest.data.source import _DerivedSource
from fewest.errors import InvalidInput
from fewest.statistics.sampled_source import SampledSource, sample_rows
from fewest.statistics.stratified_rows import StratifiedRows

N_ROWS = 2000


@pytest.fixture(params=[5, 70], ids=["5 columns", "70 columns"])
def frame(request):
    """Numbers and texts with missing values and copies; files of 70 columns are read in groups of columns."""
    random = np.random.default_rng(request.param)
    frame = pd.DataFrame(random.normal(size=(N_ROWS, request.param)).round(2)).add_prefix("c")
    frame = frame.mask(random.random(frame.shape) < 0.02)
    frame["c1"] = random.choice(["red", "green", "blue", None], N_ROWS)
    frame["c3"] = random.integers(0, 3, N_ROWS)
    frame.iloc[random.integers(0, N_ROWS, 300)] = frame.iloc[7].to_list()
    return frame.assign(label=random.choice(["x", "y", "z"], N_ROWS, p=[0.5, 0.45, 0.05]))


def drawn_rows(source, size=150, seed=0):
    """The rows drawn, with the texts and the labels that the codes stand for, in an order of their own."""
    sample = sample_rows(source.with_text_as_codes(), size, seed)
    assert isinstance(sample, SampledSource)
    (block,) = sample.blocks()
    values = block.dense_values.astype(object)
    texts = set(sample.text_columns)
    for position, name in enumerate(sample.feature_names or ()):
        if name in texts:
            known = sample.categories_of(name)
            values[:, position] = ["" if code != code else known[int(code)] for code in block.dense_values[:, position]]
    values[values != values] = "missing"
    labels = [block.classes[code] for code in block.codes]
    rows = sorted(
        (str(label), *map(str, row), float(weight))
        for label, row, weight in zip(labels, values.tolist(), block.row_weights, strict=True)
    )
    assert sample.n_rows == len(rows) == block.n_rows
    return rows


def parquet_folder(frame, folder, n_files=3, row_group_size=64):
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        table = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=row_group_size)
    return scan(folder, "label")


def csv_file(frame, path):
    frame.to_csv(path, index=False)
    return scan(path, "label")


def arrow_file(frame, path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    return scan(path, "label")


def test_every_kind_of_file_and_order_of_rows_gives_the_same_sample(frame, tmp_path):
    expected = drawn_rows(scan(frame, "label"))
    order = np.random.default_rng(0).permutation(N_ROWS)
    by_class = np.argsort(frame["label"].to_numpy(), kind="stable")
    others = [
        parquet_folder(frame, tmp_path / "a"),
        parquet_folder(frame.iloc[order], tmp_path / "b", n_files=5, row_group_size=17),
        parquet_folder(frame.iloc[by_class], tmp_path / "c", n_files=1),
        csv_file(frame, tmp_path / "a.csv"),
        csv_file(frame.iloc[by_class[::-1]], tmp_path / "b.csv"),
        arrow_file(frame.iloc[order], tmp_path / "a.arrow"),
        scan(frame.iloc[order], "label"),
    ]
    for other in others:
        assert drawn_rows(other) == expected


def test_arrays_give_the_sample_of_files_with_the_same_columns(tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(N_ROWS, 40)) * (random.random((N_ROWS, 40)) < 0.3) + 0.0
    y = random.choice(["x", "y"], N_ROWS)
    expected = drawn_rows(scan(X, y))
    frame = pd.DataFrame(X).add_prefix("c").assign(label=y)
    order = random.permutation(N_ROWS)
    narrow = X.astype(np.float32)
    others = [
        scan(np.asfortranarray(X[order]), y[order]),
        scan(sparse.csr_array(X), y),
        scan(sparse.csc_array(X[order]), y[order]),
        parquet_folder(frame.iloc[order], tmp_path / "a"),
        csv_file(frame, tmp_path / "a.csv"),
    ]
    for other in others:
        assert drawn_rows(other) == expected
    assert drawn_rows(scan(narrow, y)) == drawn_rows(scan(narrow.astype(np.float64), y))


def test_weights_go_with_their_rows(frame, tmp_path):
    weighted = frame.assign(times=np.random.default_rng(2).integers(0, 4, N_ROWS))
    expected = drawn_rows(scan(weighted, "label", weight="times"))
    assert {row[-1] for row in expected} == {1.0, 2.0, 3.0}
    folder = tmp_path / "rows"
    parquet_folder(weighted.iloc[::-1], folder)
    assert drawn_rows(scan(folder, "label", weight="times")) == expected


def test_every_class_is_there_in_proportion_and_another_seed_draws_others(frame):
    source = scan(frame, "label")
    rows = drawn_rows(source, size=100)
    counts = frame["label"].value_counts()
    for label in "xyz":
        assert sum(row[0] == label for row in rows) == round(100 * counts[label] / N_ROWS)
    # A class with less than two rows in proportion has two.
    assert sum(row[0] == "z" for row in drawn_rows(source, size=20)) == 2
    assert drawn_rows(source, size=100, seed=1) != rows


def test_rows_that_are_no_more_than_the_sample_are_the_source_itself(frame, tmp_path):
    for source in (scan(frame, "label"), csv_file(frame, tmp_path / "a.csv"), parquet_folder(frame, tmp_path / "a")):
        source = source.with_text_as_codes()
        assert sample_rows(source, N_ROWS, 0) is source


class _Counted(_DerivedSource):
    """Another source whose values are counted as they are read."""

    def __init__(self, source):
        super().__init__(source)
        self.n_values = 0

    def group_blocks(self, groups):
        for g, block in self.source.group_blocks(groups):
            self.n_values += block.values.size
            yield g, block


def test_the_rows_are_read_once_and_in_groups_of_columns_twice(frame, tmp_path):
    n_values = frame.shape[0] * (frame.shape[1] - 1)
    once = _Counted(csv_file(frame, tmp_path / "a.csv").with_text_as_codes())
    sample_rows(once, 100, 0)
    assert once.n_values == n_values
    in_groups = _Counted(parquet_folder(frame, tmp_path / "a").with_text_as_codes())
    sample_rows(in_groups, 100, 0)
    assert in_groups.n_values == n_values * (2 if in_groups.columns_at_once < in_groups.n_features else 1)


def test_it_knows_all_rows_and_which_of_them_it_has(frame, tmp_path):
    source = parquet_folder(frame, tmp_path / "a").with_text_as_codes()
    sample = sample_rows(source, 200, 0)
    assert sample.of_all.counts_by_class() == frame["label"].value_counts().sort_index().to_dict()
    assert sample.of_all.fingerprint() == source.collect(StratifiedRows(10)).fingerprint()
    assert sample.share == pytest.approx(0.1, abs=0.002)
    (block,) = sample.blocks()
    assert_array_equal(block.all_row_numbers(), np.arange(sample.n_rows))
    assert_array_equal(block.dense_values[:, 2], frame["c2"].to_numpy()[sample.row_numbers])
    # A sample of a sample knows the same rows.
    again = sample_rows(sample, 50, 0)
    (block,) = again.blocks()
    assert again.of_all is sample.of_all
    assert_array_equal(block.dense_values[:, 2], frame["c2"].to_numpy()[again.row_numbers])


def test_a_sample_that_does_not_fit_is_refused_before_anything_is_read(frame, tmp_path):
    source = _Counted(csv_file(frame, tmp_path / "a.csv").with_text_as_codes())
    with pytest.raises(
        InvalidInput, match=r"A sample of 1,000,000,000 rows of \d+ columns takes .* at most [\d,]+ rows"
    ):
        sample_rows(source, 10**9, 0)
    assert source.n_values == 0
