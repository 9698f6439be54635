"""Missing numbers in a comparison: filled with means of the training rows, where a method takes no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

import fewest.evaluation.run.trial as trial
from fewest import FeatureSelector, SVMWeights, TwoStage, compare, scan
from fewest.criteria import LinearMargin
from fewest.data.complete_rows import column_means, completed, count_missing, fill
from fewest.evaluation.design.labelled_tables import to_tables
from fewest.evaluation.summary.text import to_text
from fewest.searches import RecursiveElimination

NAN = np.nan


def complete(values, categorical):
    filled = values.copy()
    fill(filled, column_means([values], categorical))
    return filled


def test_missing_values_become_the_means_of_their_columns_by_hand():
    values = np.array([[1.0, NAN, 0.0, NAN], [NAN, NAN, NAN, 4.0], [4.0, NAN, 2.0, NAN]])
    # The second column has no value, and becomes a constant; the third holds codes of categories.
    assert count_missing(values, [2]) == 3
    expected = [[1.0, 0.0, 0.0, 4.0], [2.5, 0.0, NAN, 4.0], [4.0, 0.0, 2.0, 4.0]]
    assert_array_equal(complete(values, [2]), expected)
    assert np.isnan(values).sum() == 7  # the rows given are as they were


def test_what_a_sparse_matrix_does_not_store_is_zero():
    dense = np.array([[NAN, 0.0, 3.0], [0.0, NAN, 0.0], [6.0, NAN, NAN]])
    rows = sparse.csr_matrix(dense)
    assert count_missing(rows, []) == 4
    filled = complete(rows, [])
    assert filled.nnz == rows.nnz
    assert_array_equal(filled.toarray(), [[3.0, 0.0, 3.0], [0.0, 0.0, 0.0], [6.0, 0.0, 1.5]])
    assert_array_equal(rows.toarray(), dense)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(5))
def test_sparse_and_dense_agree(seed, dtype):
    random = np.random.default_rng(seed)
    values = np.where(random.random((9, 7)) < 0.5, 0.0, random.normal(size=(9, 7))).astype(dtype)
    values[random.random((9, 7)) < 0.3] = NAN
    values[:, 2] = NAN
    codes = [4]
    filled, of_sparse = complete(values, codes), complete(sparse.csr_matrix(values), codes)
    assert (filled.dtype, of_sparse.dtype) == (dtype, dtype)
    np.testing.assert_allclose(filled, of_sparse.toarray(), rtol=1e-6)
    assert count_missing(values, codes) == count_missing(sparse.csr_matrix(values), codes)


def test_means_are_over_all_parts():
    parts = [np.array([[1.0, 2.0], [NAN, 4.0]]), np.array([[4.0, NAN]]), np.array([[4.0, 6.0]])]
    assert_array_equal(column_means(parts, []), [3.0, 4.0])
    # Sparse parts may have no missing value where others have one.
    sparse_parts = [sparse.csr_matrix(part) for part in parts]
    assert_array_equal(column_means(sparse_parts, []), [3.0, 4.0])


def test_large_numbers_do_not_overflow():
    column = np.array([[1.6e308], [1.6e308], [NAN]])
    assert complete(column, [])[2, 0] == 1.6e308


@pytest.fixture(scope="module")
def table():
    """Two drivers, one of them with missing values, a column of text with missing values, and noise."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    frame = pd.DataFrame(random.normal(size=(80, 4)), columns=["height", "weight", "age", "rate"])
    frame["height"] += 3 * y
    frame["weight"] += 3 * y
    frame.loc[random.random(80) < 0.2, "height"] = NAN
    frame["colour"] = np.where(random.random(80) < 0.1, None, random.choice(["red", "blue"], 80))
    return frame, y


def test_methods_that_take_complete_rows_stay_in_a_comparison_and_it_is_said(table):
    frame, y = table
    methods = ["svm-weights", "mrmr"]
    found = compare(methods, frame, y, classifiers="nb", outer=3, inner=3, sizes=[1, 2])
    (summary,) = found.summary.tables
    assert [(one.name, one.failed) for one in summary.methods] == [("svm-weights", None), ("mrmr", None)]
    n_missing = int(frame["height"].isna().sum())
    sentence = f"svm-weights takes complete rows only; there {n_missing} missing values were filled with column"
    assert summary.filled_note is not None
    assert summary.filled_note.startswith(sentence)
    assert f"note: {sentence}" in to_text(found.summary)
    assert sentence in found.to_html()


def test_a_complete_table_says_nothing_of_filling(table):
    frame, y = table
    complete_table = frame.drop(columns="height")
    found = compare(["svm-weights"], complete_table, y, classifiers="nb", outer=3, sizes=[1])
    assert found.summary.tables[0].filled_note is None


def test_means_are_those_of_the_training_rows(table, monkeypatch):
    frame, y = table
    seen = []
    real = trial.completed

    def spied(source, **options):
        seen.append(source.n_rows)
        return real(source, **options)

    monkeypatch.setattr(trial, "completed", spied)
    compare(["svm-weights"], frame, y, classifiers="nb", outer=3, inner=2, sizes=[2], leak=False)
    # All rows for the answer, and the training rows of three splits.
    assert set(seen) == {80, 60}
    assert seen.count(60) == 3


@pytest.mark.parametrize(
    "selector",
    [
        FeatureSelector(LinearMargin(), RecursiveElimination(), n_features=2),
        TwoStage(SVMWeights()),
        TwoStage("fisher-score", SVMWeights()),
    ],
)
def test_selectors_made_of_parts_are_filled_for_too(selector, table):
    frame, y = table
    found = compare([selector], frame, y, classifiers="nb", outer=2, sizes=[2], size=2, leak=False)
    assert found.tables[0].methods[0].failed is None
    assert found.summary.tables[0].filled_note is not None


def test_missing_values_are_counted_in_the_rows_that_are_selected_on(table):
    (own,) = to_tables(*table)
    assert not own.is_complete
    of_rows = [own.n_missing(np.array([row])) for row in range(80)]
    # A single row has no other value of its column.
    assert of_rows == [0] * 80
    assert own.n_missing(np.arange(80)) == int(table[0]["height"].isna().sum())


def test_the_recommended_selector_takes_the_table_that_it_is_recommended_on(table):
    frame, y = table
    found = compare("svm-weights", frame, y, classifiers="nb", outer=3, sizes=[2], size=2)
    selector = found.selector()
    chosen = selector.get_feature_names_out().tolist()
    assert selector.transform(frame).shape == (80, 2)
    assert clone(selector).fit(frame, y).get_feature_names_out().tolist() == chosen
    assert selector.selection_.verify(frame, y)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_a_sparse_table_of_either_form_is_filled_and_stays_as_it_is(form):
    dense = np.array([[NAN, 0.0, 3.0], [0.0, NAN, 0.0], [6.0, NAN, NAN], [0.0, 1.0, 0.0]])
    given = sparse.csc_matrix(dense).asformat(form)
    (block,) = completed(scan(given, [0, 1, 0, 1])).blocks()
    expected = dense.copy()
    for column in range(3):
        expected[np.isnan(dense[:, column]), column] = np.nanmean(dense[:, column])
    np.testing.assert_allclose(block.values.toarray(), expected)
    assert_array_equal(given.toarray(), dense)
