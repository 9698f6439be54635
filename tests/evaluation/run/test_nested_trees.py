"""Decision trees of nested subsets: the trees of scikit-learn, to the last split."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from fewest._core import nested_tree_classes
from fewest.evaluation.run.classifiers import to_classifier


def table(kind, random):
    """Rows and classes: as they come, or with what trees may stumble over."""
    n_rows, n_columns, n_classes = (int(random.integers(*limits)) for limits in ((2, 120), (1, 20), (2, 8)))
    X, codes = random.normal(size=(n_rows, n_columns)), random.integers(0, n_classes, n_rows)
    if kind == "ties":
        X = np.round(X)
    elif kind == "constant and equal columns":
        X[:, ::2] = 1.0
        X[:, -1] = X[:, 0]
    elif kind == "close values":
        X = np.round(X) * 1e-7
    elif kind == "extreme scales":
        X *= 10.0 ** random.integers(-30, 30, n_columns)
    elif kind == "few of a class":
        codes = np.where(np.arange(n_rows) == 0, 3, codes % 2)
    elif kind == "one class":
        codes = np.full(n_rows, 2)
    return X, codes.astype(np.int32)


KINDS = (
    "usual", "ties", "constant and equal columns", "close values", "extreme scales", "few of a class", "one class",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:.*single label")
def test_they_predict_as_scikit_learns_trees(kind):
    tree, random = to_classifier("tree"), np.random.default_rng(KINDS.index(kind))
    for _ in range(40):
        X, codes = table(kind, random)
        test = np.vstack([X, random.normal(size=(30, X.shape[1])) * np.abs(X).max(axis=0)])
        ends = sorted({1, X.shape[1], int(random.integers(1, X.shape[1] + 1))})
        found = tree.predict_nested(X, codes, test, ends)
        for end, own in zip(ends, found, strict=True):
            peer = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X[:, :end], codes)
            np.testing.assert_array_equal(own, peer.predict(test[:, :end]))


def test_a_tree_worked_by_hand():
    # The first column at 1.5 leaves 4 bits, any other threshold of both columns 5.5; the second at 3 leaves none then.
    X = np.array([[0, 5], [1, 1], [2, 1], [3, 5], [4, 1], [5, 5]], dtype=float)
    codes = np.array([0, 0, 1, 2, 1, 2], dtype=np.int32)
    test = np.array([[1.4, 9.0], [1.6, 2.9], [1.6, 3.1], [9.0, 0.0]])
    (found,) = to_classifier("tree").predict_nested(X, codes, test, [2])
    assert found.tolist() == [0, 1, 2, 1]


def test_a_subset_is_as_if_alone():
    random = np.random.default_rng(0)
    X, codes = random.normal(size=(80, 9)), random.integers(0, 3, 80).astype(np.int32)
    tree = to_classifier("tree")
    together = tree.predict_nested(X, codes, X + 0.1, [2, 5, 9])
    for end, own in zip((2, 5, 9), together, strict=True):
        np.testing.assert_array_equal(own, tree.predict_nested(X[:, :end], codes, X[:, :end] + 0.1, [end])[0])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"codes": np.array([0, 1, 2], dtype=np.int32)}, "no such class"),
        ({"ends": np.array([3], dtype=np.int64)}, "ends"),
        ({"asked": np.zeros((1, 3), dtype=np.float32)}, "shape"),
    ],
)
def test_what_does_not_fit_is_refused(change, reason):
    inputs = {
        "columns": np.zeros((2, 3), dtype=np.float32), "codes": np.array([0, 1, 1], dtype=np.int32),
        "asked": np.zeros((1, 2), dtype=np.float32), "ends": np.array([2], dtype=np.int64), "n_classes": 2, "state": 1,
        "predicted": np.zeros((1, 1), dtype=np.int32),
    }  # fmt: skip
    with pytest.raises(ValueError, match=reason):
        nested_tree_classes(**{**inputs, **change})
