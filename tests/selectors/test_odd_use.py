"""Odd but right use: every kind of output, rows in parts, pickles and JSON."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut

from fewest import FewestWarning, FisherMarkov, FisherScore, PearsonCorrelation, Selection, scan

from .whole_numbers import EXPECTED, FRAME, NAMES, SELECTOR, X, Y, assert_same


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(
    "table",
    [
        X,
        X.tolist(),
        FRAME,
        pl.from_pandas(FRAME),
        pa.Table.from_pandas(FRAME),
        FRAME.astype("Int64"),
        FRAME.astype(object),
    ],
    ids=["array", "lists", "pandas", "polars", "Arrow", "nullable", "objects"],
)
def test_the_output_is_the_frame_that_was_asked_for(table, kind):
    wanted = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind]
    selector = FisherMarkov(n_features=2).set_output(transform=kind)
    for output in (
        selector.fit_transform(table, Y),
        selector.transform(table),
        selector.fit(table, Y).transform(table),
    ):
        assert isinstance(output, wanted)
        assert list(output.columns) == list(selector.get_feature_names_out())
        assert_array_equal(np.asarray(output, dtype=float), X[:, selector.support_])


def test_the_output_is_an_array_unless_a_frame_is_asked_for():
    for table in (X, FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        assert type(clone(SELECTOR).fit(table, Y).transform(table)) is np.ndarray
    assert clone(SELECTOR).fit(FRAME, Y).transform(FRAME.astype("Int64")).dtype == np.float64


def test_a_frame_keeps_its_index_and_types_in_the_output():
    mixed = FRAME.assign(c=FRAME["c"].astype("Int64")).set_index(np.arange(100, 120))
    output = FisherMarkov(n_features=2).set_output(transform="pandas").fit_transform(mixed, Y)
    assert output.index.tolist() == list(range(100, 120))
    assert str(output["c"].dtype) == "Int64"


def test_another_kind_of_table_with_the_same_names_is_taken():
    fitted = clone(SELECTOR).fit(FRAME, Y)
    for table in (pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        assert_array_equal(fitted.transform(table), X[:, fitted.support_])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.transform(X)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        clone(SELECTOR).fit(X, Y).transform(FRAME)


def test_columns_without_names_are_numbered_and_names_may_be_given():
    fitted = clone(SELECTOR).fit(X, Y)
    support = np.flatnonzero(fitted.support_)
    assert fitted.get_feature_names_out().tolist() == [f"x{j}" for j in support]
    assert fitted.get_feature_names_out(NAMES).tolist() == [NAMES[j] for j in support]
    assert not hasattr(clone(SELECTOR).fit(pd.DataFrame(X), Y), "feature_names_in_")
    assert clone(SELECTOR).fit(pd.DataFrame(X), Y).selection_.features == EXPECTED.selection_.features
    named = clone(SELECTOR).fit(FRAME, Y)
    assert named.selection_.features == tuple(NAMES[j] for j in named.selection_.indices)
    assert named.get_feature_names_out(NAMES).tolist() == [NAMES[j] for j in support]


def test_inverse_transform_puts_the_columns_back_among_zeros():
    fitted = clone(SELECTOR).fit(X, Y)
    expected = np.where(fitted.support_, X, 0.0)
    chosen = X[:, fitted.support_]
    assert_array_equal(fitted.inverse_transform(chosen), expected)
    assert_array_equal(fitted.inverse_transform(chosen[0]), expected[:1])
    assert_array_equal(fitted.inverse_transform(FRAME.loc[:, fitted.support_]), expected)
    assert_array_equal(fitted.inverse_transform(pl.DataFrame(chosen)), expected)
    assert fitted.inverse_transform(chosen.astype(np.float32)).dtype == np.float32
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert_array_equal(fitted.inverse_transform(kind(chosen)).toarray(), expected)
    assert fitted.inverse_transform(chosen[:0]).shape == (0, 4)


@pytest.mark.parametrize("rows_at_once", [1, 3, 10])
def test_rows_may_come_in_parts_of_any_size_and_kind(rows_at_once):
    kinds = [np.asarray, sparse.csr_array, np.asfortranarray, lambda part: part.astype(np.int8)]
    selector = clone(SELECTOR)
    for number, first in enumerate(range(0, 20, rows_at_once)):
        part = slice(first, first + rows_at_once)
        selector.partial_fit(kinds[number % len(kinds)](X[part]), Y[part])
        assert hasattr(selector, "support_") == (Y[part][-1] == 1)
    assert_same(selector)


def test_parts_may_be_frames_and_sources_of_the_same_columns():
    selector = clone(SELECTOR).partial_fit(scan(FRAME[:5], Y[:5])).partial_fit(FRAME[5:12], Y[5:12])
    selector.partial_fit(scan(pl.from_pandas(FRAME[12:]), Y[12:]))
    assert_same(selector)
    assert selector.feature_names_in_.tolist() == NAMES


def test_parts_may_have_weights_and_a_class_of_no_weight_does_not_count():
    selector = clone(SELECTOR).partial_fit(X, Y, 1 - Y)
    assert not hasattr(selector, "support_")
    assert_allclose(selector.partial_fit(X[10:], Y[10:]).scores_, EXPECTED.scores_, rtol=1e-12)


def test_fitting_again_forgets_the_columns_seen_before():
    selector = clone(SELECTOR).fit(FRAME, Y)
    assert_same(selector.fit(X, Y))
    assert not hasattr(selector, "feature_names_in_")
    assert selector.fit(X[:, :3], Y).n_features_in_ == 3
    assert_same(selector.fit(scan(FRAME, Y)))
    assert selector.feature_names_in_.tolist() == NAMES
    assert_same(selector.fit(scan(X, Y)))
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize("selector", [SELECTOR, FisherMarkov(n_features="auto"), FisherMarkov(beta="null")])
def test_a_fitted_selector_survives_pickling_and_a_clone_is_not_fitted(selector):
    fitted = clone(selector).fit(FRAME, Y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.selection_ == fitted.selection_
    assert_array_equal(again.transform(FRAME), fitted.transform(FRAME))
    copied = clone(fitted)
    assert copied.get_params() == selector.get_params()
    assert not hasattr(copied, "support_")


def test_a_pickled_selector_goes_on_where_it_stopped():
    half = clone(SELECTOR).partial_fit(X[:10], Y[:10])
    assert_same(pickle.loads(pickle.dumps(half)).partial_fit(X[10:], Y[10:]))


def test_infinite_scores_survive_json():
    perfect = np.c_[Y, X]
    selection = FisherScore(n_features=2).fit(perfect, Y).selection_
    assert selection.scores[0] == np.inf
    text = selection.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert Selection.from_json(text) == selection
    assert Selection.from_json(text.encode()) == selection


def test_parameters_of_any_kind_survive_json():
    from sklearn.neighbors import KNeighborsClassifier

    selector = FisherMarkov(
        n_features="auto", estimator=KNeighborsClassifier(3), cv=LeaveOneOut(), gamma=np.float32(0.25)
    )
    selection = selector.fit(X, Y).selection_
    assert Selection.from_json(selection.to_json()) == selection
    assert selection.provenance.parameters["gamma"] == 0.25
    assert selection.provenance.parameters["estimator"] == "KNeighborsClassifier(n_neighbors=3)"


@pytest.mark.parametrize(
    "name", ["", " ", "a\nb", "\x1b[31mred", "naïve ☃", "x" * 500, '"quoted", with comma', "\u202eback"]
)
def test_a_column_may_have_any_name(name):
    frame = pd.DataFrame(X, columns=["first", "second", name, "fourth"])
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        fitted = clone(SELECTOR).fit(table, Y)
        assert name in fitted.selection_.features
        assert Selection.from_json(fitted.selection_.to_json()) == fitted.selection_


@pytest.mark.parametrize(
    "table",
    [
        np.full((20, 3), 1e-300),
        np.c_[np.full(20, np.nan), X],
        X * 1e150,
        np.full((20, 2), 2.0),
        sparse.csr_array((20, 3)),
    ],
    ids=["tiny", "gaps", "huge", "constant", "empty"],
)
@pytest.mark.parametrize("selector", [FisherMarkov, FisherScore, PearsonCorrelation])
@pytest.mark.parametrize("n_features", [1, "auto"])
def test_numpy_never_warns(table, selector, n_features):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FewestWarning)
        selector(n_features=n_features).fit(table, Y)
