"""Real data sets that come with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.datasets import load


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
    dataset = load(name)
    assert dataset.X.shape == shape
    values, counts = np.unique(dataset.y, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == class_counts


def test_a_digit_is_labelled_with_itself() -> None:
    dataset = load("digits")
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
    names = load(name).feature_names
    assert (names[0], names[-1]) == (first, last)


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "digits"])
def test_nobody_knows_which_columns_of_a_real_data_set_matter(name: str) -> None:
    assert load(name).truth is None


def test_changing_a_loaded_table_does_not_change_the_next_one() -> None:
    load("iris").X[:] = 0.0
    assert load("iris").X.min() > 0.0
