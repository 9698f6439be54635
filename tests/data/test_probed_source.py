"""Columns of noise beside those of a source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fewest import MRMR, FisherScore, compare, scan
from fewest.data.derived.probed_source import probed
from fewest.datasets import add_probes, load
from fewest.errors import InvalidInput, InvalidParameter

LABELS = np.arange(80) % 2
X = np.random.default_rng(0).normal(size=(80, 4)) + LABELS[:, None] * [1.5, 1.0, 0.0, 0.5]


def values_of(source, columns=None):
    return np.vstack([np.asarray(block.dense_values) for block in source.blocks(columns)])


@pytest.mark.parametrize("way", ["array", "float32", "sparse", "frame", "csv"])
def test_probes_are_those_of_add_probes_whatever_the_source(way, tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    if way == "csv":
        frame.assign(label=LABELS).to_csv(tmp_path / "t.csv", index=False)
        source = scan(tmp_path / "t.csv", "label", probes=6)
    else:
        data = {"array": X, "float32": X.astype(np.float32), "sparse": sparse.csr_matrix(X), "frame": frame}[way]
        source = scan(data, LABELS, probes=6)
    expected = add_probes(X, 6)
    assert source.n_features == 10
    assert list(source.feature_names)[4:] == [f"probe{n}" for n in range(1, 7)]
    found = values_of(source)
    assert_array_equal(found[:, 4:], expected[:, 4:])
    np.testing.assert_allclose(found[:, :4], X, rtol=1e-6)
    for columns in ([5, 0, 9, 2], [7], [4, 5], [1]):
        assert_array_equal(values_of(source, columns), found[:, columns])
    assert_array_equal(values_of(source.only([9, 1])), found[:, [9, 1]])
    fitted = FisherScore(n_features=3).fit(source)
    assert fitted.selection_.indices == FisherScore(n_features=3).fit(found, LABELS).selection_.indices


def test_text_stays_text_and_names_do_not_collide():
    frame = pd.DataFrame({"probe": np.where(LABELS, "u", "v"), "b": X[:, 0]})
    source = scan(frame, LABELS, probes=2)
    assert source.feature_names == ["probe", "b", "probe_1", "probe_2"]
    assert set(MRMR(n_features=2).fit(source).selection_.features) == {"probe", "b"}


def test_the_columns_of_the_table_are_true_against_the_probes():
    options = {"classifiers": ["nb"], "outer": 3, "inner": 2, "sizes": [1, 2, 4, 8], "n_jobs": 1}
    found = compare(["fisher-score"], X, LABELS, probes=20, **options)
    assert found.tables[0].truth == (0, 1, 2, 3)
    assert found.tables[0].n_columns == 24
    by_hand = compare(["fisher-score"], add_probes(X, 20), LABELS, truth=[0, 1, 2, 3], **options)
    one, other = (one.summary.tables[0].methods[0].truth for one in (found, by_hand))
    assert one == other
    trials, chosen = found.tables[0].methods[0].trials, found.tables[0].methods[0].chosen("nb")
    subsets = [set(trial["path"][size]) for trial, size in zip(trials, chosen, strict=True)]
    assert one.precision == np.mean([len(own & {0, 1, 2, 3}) / len(own) for own in subsets])
    assert one.recall == np.mean([len(own & {0, 1, 2, 3}) / 4 for own in subsets])
    row = next(row for row in found.table if row["method"] == "fisher-score" and row["classifier"] == "inner folds")
    assert (row["auc"], row["precision"], row["recall"]) == (one.auc, one.precision, one.recall)
    assert "precision" in str(found)
    assert "Precision" in found.to_html()
    again = compare(["fisher-score"], X, LABELS, probes=20, seed=1, **options)
    assert again.tables[0].fingerprint != found.tables[0].fingerprint


def test_a_generated_data_set_hands_on_its_true_columns():
    options = {"classifiers": ["nb"], "outer": 2, "inner": 2, "sizes": [2], "n_jobs": 1}
    data = load("52-features", n_rows=60, shuffle=True)
    found = compare("fisher-score", data, **options)
    assert found.tables[0].truth == data.truth
    assert compare("fisher-score", scan("52-features"), **options).tables[0].truth == (0, 1)
    # Of toy-xyz all columns are true, and so none can come first; with probes they can.
    assert compare("fisher-score", load("toy-xyz"), **options).tables[0].truth is None
    assert compare("fisher-score", load("toy-xyz"), probes=5, **options).tables[0].truth == (0, 1, 2)
    assert compare("fisher-score", data, truth=["x5"], **options).tables[0].truth == (data.feature_names.index("x5"),)
    assert compare("fisher-score", load("wine"), **options).tables[0].truth is None
    with pytest.raises(InvalidInput, match="has its own labels"):
        compare("fisher-score", data, data.y, **options)


@pytest.mark.parametrize("wrong", [-1, 1.5, "many"])
def test_numbers_of_probes_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InvalidParameter, match="probes must be a whole number of at least 0"):
        scan(X, LABELS, probes=wrong)
    assert probed(scan(X, LABELS), 0).n_features == 4
