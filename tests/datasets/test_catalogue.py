"""Data sets by name."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from fewest import datasets
from fewest.errors import InvalidInput, InvalidParameter


def test_names_lists_real_data_sets_and_then_generated_ones() -> None:
    assert datasets.names() == ["iris", "wine", "breast-cancer", "digits", "synthetic-1", "52-features", "toy-xyz"]


@pytest.mark.parametrize("name", datasets.names())
def test_every_name_loads_a_data_set_of_that_name(name: str) -> None:
    dataset = datasets.load(name)
    assert dataset.name == name
    assert dataset.X.dtype == np.float64
    assert dataset.X.ndim == 2
    assert dataset.X.flags.c_contiguous
    assert np.isfinite(dataset.X).all()
    assert dataset.y.shape == (len(dataset.X),)
    assert len(set(dataset.feature_names)) == len(dataset.feature_names) == dataset.X.shape[1]
    assert all(type(feature) is str for feature in dataset.feature_names)
    assert dataset.target_name not in dataset.feature_names
    assert len(np.unique(dataset.y)) >= 2


@pytest.mark.parametrize("name", datasets.names())
def test_loading_twice_gives_the_same_data(name: str) -> None:
    once, again = datasets.load(name), datasets.load(name)
    np.testing.assert_array_equal(once.X, again.X)
    np.testing.assert_array_equal(once.y, again.y)


@pytest.mark.parametrize("name", datasets.names())
def test_an_underscore_may_stand_for_the_hyphen(name: str) -> None:
    assert datasets.load(name.replace("-", "_")).name == name


def test_options_reach_the_generator() -> None:
    loaded = datasets.load("52-features", n_rows=30, n_noise=4, shuffle=True, seed=7)
    made = datasets.fifty_two_features(n_rows=30, n_noise=4, shuffle=True, seed=7)
    np.testing.assert_array_equal(loaded.X, made.X)
    assert loaded.truth == made.truth


def test_an_unknown_name_is_refused_with_the_nearest_and_all_others() -> None:
    with pytest.raises(InvalidInput, match="no data set named 'brest_cancer'") as caught:
        datasets.load("brest_cancer")
    assert "did you mean 'breast-cancer'?" in str(caught.value)
    assert all(name in str(caught.value) for name in datasets.names())


def test_a_name_near_to_none_is_refused_without_a_guess() -> None:
    with pytest.raises(InvalidInput, match="no data set named 'qqqq'") as caught:
        datasets.load("qqqq")
    assert "did you mean" not in str(caught.value)


def test_an_option_that_a_generator_does_not_take_is_refused_with_those_it_takes() -> None:
    with pytest.raises(InvalidParameter, match="'toy-xyz' must be one of n_rows, seed, got 'rows' instead"):
        datasets.load("toy-xyz", rows=10)


def test_a_real_data_set_takes_no_options() -> None:
    with pytest.raises(InvalidParameter, match="'wine' takes no options, got 'seed'"):
        datasets.load("wine", seed=1)


def test_a_data_set_prints_as_one_short_line() -> None:
    assert repr(datasets.load("synthetic-1")) == "Dataset(target_name='target', name='synthetic-1', truth=(0, 1))"


def test_importing_reads_no_data_set() -> None:
    program = "import sys, fewest.datasets; sys.exit('sklearn.datasets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "shape", "class_counts"),
    [
        ("iris", (150, 4), {"setosa": 50, "versicolor": 50, "virginica": 50}),
        ("wine", (178, 13), {"class_0": 59, "class_1": 71, "class_2": 48}),
        ("breast-cancer", (569, 30), {"benign": 357, "malignant": 212}),
    ],
)
def test_a_row_is_labelled_with_the_name_of_its_class(
    name: str, shape: tuple[int, int], class_counts: dict[str, int]
) -> None:
    dataset = datasets.load(name)
    assert dataset.X.shape == shape
    values, counts = np.unique(dataset.y, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == class_counts


def test_a_digit_is_labelled_with_itself() -> None:
    dataset = datasets.load("digits")
    assert dataset.X.shape == (1797, 64)
    assert np.unique(dataset.y).tolist() == list(range(10))


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("iris", "sepal length (cm)", "petal width (cm)"),
        ("wine", "alcohol", "proline"),
        ("breast-cancer", "mean radius", "worst fractal dimension"),
        ("digits", "pixel_0_0", "pixel_7_7"),
    ],
)
def test_columns_have_the_names_that_scikit_learn_gives(name: str, first: str, last: str) -> None:
    names = datasets.load(name).feature_names
    assert (names[0], names[-1]) == (first, last)


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "digits"])
def test_nobody_knows_which_columns_of_a_real_data_set_matter(name: str) -> None:
    assert datasets.load(name).truth is None


def test_changing_a_loaded_table_does_not_change_the_next_one() -> None:
    datasets.load("iris").X[:] = 0.0
    assert datasets.load("iris").X.min() > 0.0
