"""Numbers become categories, by thresholds of the training rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.criteria import Discretizer
from fewest.data.block import Block
from fewest.errors import InvalidInput, InvalidParameter
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows


def encode_rows(rows, **parameters):
    """The category of each row in each column, and the number of categories of each."""
    fitted = Discretizer(**parameters).fit(rows)
    codes = np.full((rows.n_features, rows.n_rows), -1)
    end = 0
    for chunk in rows.chunks:
        start, end = end, end + len(chunk.codes)
        for part in fitted.encode(chunk.table, chunk.values):
            missing = part.codes == np.iinfo(part.codes.dtype).max
            codes[part.columns, start:end] = np.where(missing, 255, part.codes.astype(int) - part.first_codes[:, None])
    assert (codes >= 0).all()
    return codes, fitted.n_categories


def encoded(X, text=(), **parameters):
    X = np.asarray(X, dtype=float)
    rows = CategoricalRows()
    rows.update(Block(X, (np.arange(len(X)) % 2).astype(np.int32), [0, 1], categorical_columns=text))
    return encode_rows(rows, **parameters)


def codes_of(column, **parameters):
    codes, n_categories = encoded(np.asarray(column, dtype=float)[:, None], **parameters)
    return codes[0].tolist(), int(n_categories[0])


def test_five_values_worked_by_hand():
    # Mean 4, sd with n - 1: sqrt((9 + 4 + 1 + 4 + 4 ... )): 1, 2, 3, 6, 8 has squares 9 4 1 4 16 = 34, sd = 2.9155.
    column = [1.0, 2.0, 3.0, 6.0, 8.0]
    assert codes_of(column, discretize="mean") == ([0, 0, 0, 1, 1], 2)
    assert codes_of(column, discretize="sigma") == ([0, 1, 1, 1, 2], 3)
    assert codes_of(column, discretize="sigma", factor=0.5) == ([0, 0, 1, 2, 2], 3)
    assert codes_of(column, discretize="width", n_bins=2) == ([0, 0, 0, 1, 1], 2)
    assert codes_of(column, discretize="frequency", n_bins=2) == ([0, 0, 0, 1, 1], 2)


def test_the_thresholds_of_sigma_are_strict_on_both_sides():
    # Mean 0, sd 1 with n - 1: exactly at a threshold is within.
    column = [-1.0, 0.0, 1.0]
    assert codes_of(column, discretize="sigma") == ([1, 1, 1], 3)
    assert codes_of(column, discretize="sigma", factor=0.999) == ([0, 1, 2], 3)


def test_auto_keeps_few_integers_and_cuts_the_rest():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.integers(0, 10, 100), rng.integers(0, 11, 100), rng.normal(size=100), rng.integers(0, 2, 100)]
    )
    X[:11, 1] = np.arange(11)
    X[:10, 0] = np.arange(10)
    codes, n_categories = encoded(X)
    assert n_categories.tolist() == [10, 3, 3, 2]
    assert_array_equal(codes[0], X[:, 0])
    assert_array_equal(codes[1:3], encoded(X[:, 1:3], discretize="sigma")[0])


def test_none_keeps_every_column():
    column = [0.5, 2.25, 0.5, -1.0, 2.25]
    assert codes_of(column, discretize=None) == ([1, 2, 1, 0, 2], 3)
    many = np.arange(300.0) / 7
    codes, n_categories = encoded(many[:, None], discretize=None, min_rows=0)
    assert codes[0].tolist() == list(range(300))
    assert n_categories[0] == 300


def test_text_always_stays_as_it_is():
    X = np.column_stack([np.arange(12.0), np.arange(12.0)])
    for discretize in ("auto", "mean", "sigma", "width", "frequency", None):
        codes, n_categories = encoded(X, text=[1], discretize=discretize, min_rows=0)
        assert n_categories[1] == 12
        assert codes[1].tolist() == list(range(12))


@pytest.mark.parametrize("discretize", ["auto", None, "mean", "sigma", "width", "frequency"])
def test_a_constant_column_has_one_category_and_an_empty_one_none_but_missing(discretize):
    X = np.column_stack([np.full(6, 0.1), np.full(6, np.nan)])
    codes, n_categories = encoded(X, discretize=discretize)
    assert n_categories.tolist() == [1, 2]
    assert set(codes[0].tolist()) == {0}
    assert set(codes[1].tolist()) == {1}
    codes, n_categories = encoded(X, discretize=discretize, missing="pairwise")
    assert set(codes[1].tolist()) == {255}


def test_a_missing_value_is_a_category_or_left_out():
    column = [0.0, np.nan, 1.0, 0.0]
    assert codes_of(column) == ([0, 2, 1, 0], 3)
    assert codes_of(column, missing="pairwise") == ([0, 255, 1, 0], 2)


def test_thresholds_are_those_of_the_training_rows():
    rows = CategoricalRows()
    rows.update(Block(np.array([[0.0], [10.0], [100.5]]), np.zeros(3, np.int32), [0, 1], np.array([1.0, 1.0, 0.0])))
    codes, _ = encode_rows(rows, discretize="mean")
    assert codes.tolist() == [[0, 1]]  # the mean is 5: the row of weight zero is not there


def test_a_column_of_too_many_values_is_refused():
    with pytest.raises(InvalidInput, match="Column 0 has 65,001 distinct values, more than 65,000 categories"):
        encoded(np.arange(65_001.0)[:, None] / 3, discretize=None)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"discretize": "median"}, "discretize must be one of 'auto', None, 'mean', 'sigma', 'width', 'frequency'"),
        ({"missing": "drop"}, "missing must be one of 'state', 'pairwise', got 'drop'"),
        ({"n_bins": 1}, "n_bins must be a whole number from 2 to 1000, got 1"),
        ({"n_bins": 2.5}, "n_bins must be a whole number from 2 to 1000"),
        ({"factor": -1}, "factor must be a finite number of at least 0"),
        ({"factor": np.nan}, "factor must be a finite number of at least 0"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        Discretizer(**parameters)


@pytest.mark.parametrize("discretize", ["auto", None, "mean", "sigma", "width", "frequency"])
def test_rows_in_parts_are_encoded_as_at_once(discretize):
    rng = np.random.default_rng(3)
    columns = [
        rng.integers(0, 3, 90), rng.normal(size=90), 100 * rng.integers(0, 4, 90), rng.integers(0, 40, 90),
        np.where(np.arange(90) < 60, np.nan, 7.0), np.where(np.arange(90) == 80, 0.5, rng.integers(0, 3, 90)),
        np.concatenate([np.zeros(45), np.arange(45) % 6 - 3]), np.full(90, np.nan),
        np.concatenate([np.arange(9) * 50.0, np.full(72, 1e7), np.arange(9) * 50.0 + 1]),
    ]  # fmt: skip
    X = np.column_stack(columns)
    at_once, in_parts, classes = CategoricalRows(), CategoricalRows(), np.arange(90, dtype=np.int32) % 2
    at_once.update(Block(X, classes, [0, 1]))
    for rows in (slice(0, 30), slice(30, 31), slice(31, 90)):
        in_parts.update(Block(np.asfortranarray(X[rows]), classes[rows], [0, 1]))
    expected, n_expected = encode_rows(at_once, discretize=discretize)
    codes, n_categories = encode_rows(in_parts, discretize=discretize)
    for column in range(X.shape[1]):
        # Integers that no row holds may be listed or not: the same rows are together either way.
        pairs = set(zip(codes[column].tolist(), expected[column].tolist(), strict=True))
        assert len(pairs) == len(set(codes[column].tolist())) == len(set(expected[column].tolist()))
        assert codes[column].max() < n_categories[column]
    assert (n_categories[[1, 7]] == n_expected[[1, 7]]).all()


@pytest.mark.parametrize("offset", [0, 1000], ids=["bytes", "floats"])
def test_rare_categories_of_many_are_pooled_into_the_last(offset):
    # 0 and 3 have five rows, 1 has four, 2 has six, and 4 to 11 one each.
    column = [0] * 5 + [1] * 4 + [2] * 6 + [3] * 5 + list(range(4, 12))
    codes = np.where(np.array(column) == 11, 11 + offset, column)[:, None]
    found, n_categories = encoded(codes, text=[0])
    assert found[0].tolist() == [0] * 5 + [3] * 4 + [1] * 6 + [2] * 5 + [3] * 8
    assert n_categories[0] == 4
    # Up to ten categories nothing is rare.
    assert encoded(codes[:-2], text=[0])[1][0] == 10
    # Numbers that are cut into bins are not pooled.
    assert codes_of(np.arange(40.0) / 7, discretize="width", n_bins=20)[1] == 20


def test_an_identifier_is_one_category():
    codes, n_categories = encoded(np.random.default_rng(0).permutation(400)[:, None], text=[0])
    assert n_categories[0] == 1
    assert set(codes[0].tolist()) == {0}
