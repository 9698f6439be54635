"""Linear SVMs of nested subsets: at the optimum, as scikit-learn's, and the same on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from fewest._core import nested_svm_decisions
from fewest.evaluation.run import classifiers
from fewest.evaluation.run.classifiers import to_classifier


def decisions(train, codes, test, ends, cost=1.0, n_threads=1):
    columns, asked = (np.ascontiguousarray(np.vstack([np.ones(len(rows)), rows.T])) for rows in (train, test))
    n_classes = int(codes.max()) + 1
    found = np.empty((len(ends), len(test), 1 if n_classes == 2 else n_classes))
    nested_svm_decisions(
        columns, codes.astype(np.int32), asked, np.array(ends, dtype=np.int64) + 1, n_classes, cost, found, n_threads
    )
    return found


def weights_of(train, codes, end, ends, cost):
    """The weights, the intercept first: decision values of no column, and of each alone."""
    n_columns = train.shape[1]
    asked = np.vstack([np.zeros(n_columns), np.eye(n_columns)])
    values = decisions(train, codes, asked, ends, cost)[ends.index(end)]
    return np.vstack([values[:1], values[1 : end + 1] - values[0]])


def gradient(rows, signs, weights, cost):
    """Of 1/2 |w|^2 + cost sum_i max(0, 1 - sign_i x_i w)^2."""
    slack = np.maximum(0.0, 1 - signs * (rows @ weights))
    return weights - 2 * cost * (rows.T @ (slack * signs))


def tables():
    random = np.random.default_rng(0)
    for n_rows, n_columns, n_classes in ((60, 7, 2), (90, 12, 4), (12, 30, 2), (15, 40, 3), (200, 5, 3)):
        codes = random.permutation(np.arange(n_rows) % n_classes)
        X = random.normal(size=(n_rows, n_columns)) + 0.6 * random.normal(size=(n_classes, n_columns))[codes]
        yield f"{n_rows}x{n_columns}x{n_classes}", X, codes
    X, codes = random.normal(size=(50, 8)), random.permutation(np.arange(50) % 2)
    yield "constant", np.column_stack([X[:, :3], np.zeros(50), np.full(50, 3.0), X[:, 3:]]), codes
    yield "copies", np.column_stack([X, X, X[:, ::-1]]), codes
    yield "scales", X * 10.0 ** np.arange(-4, 4), codes
    yield "one row of a class", X, np.where(np.arange(50) == 7, 2, codes)
    yield "separated", np.column_stack([X, 5.0 * codes - 2.5]), codes
    yield "equal rows", np.repeat(X[:5], 10, axis=0), codes


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(
    ("name", "X", "codes"), list(tables()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_subset_is_at_its_optimum(name, X, codes, cost):
    n_columns = X.shape[1]
    ends = sorted({1, 2, n_columns // 2, n_columns})
    n_classes = int(codes.max()) + 1
    for end in ends:
        weights = weights_of(X, codes, end, ends, cost)
        rows = np.column_stack([np.ones(len(X)), X[:, :end]])
        for svm, own in enumerate(weights.T):
            signs = np.where(codes == (1 if n_classes == 2 else svm), 1.0, -1.0)
            # Relative to the gradient at zero weights, column by column.
            scale = 2 * cost * np.abs(rows).sum(axis=0) + 1
            assert np.abs(gradient(rows, signs, own, cost) / scale).max() < 1e-9


def test_it_is_the_svm_of_scikit_learn(monkeypatch):
    random = np.random.default_rng(1)
    codes = random.permutation(np.arange(150) % 3).astype(np.int32)
    X = random.normal(size=(150, 10)) + random.normal(size=(3, 10))[codes]
    test, ends = random.normal(size=(40, 10)), [1, 4, 10]
    for n_classes in (2, 3):
        kept = codes < n_classes
        ours = decisions(X[kept], codes[kept], test, ends)
        for index, end in enumerate(ends):
            theirs = LinearSVC(dual=False, tol=1e-10, max_iter=10**5).fit(X[kept, :end], codes[kept])
            known = theirs.decision_function(test[:, :end]).reshape(len(test), -1)
            np.testing.assert_allclose(ours[index], known, atol=1e-6)
    # Where there are too many rows and columns, it is that of scikit-learn itself.
    svm = to_classifier("svm")
    exact = svm.predict_nested(X, codes, test, ends)
    monkeypatch.setattr(classifiers, "_MOST_UNKNOWNS", 4)
    np.testing.assert_array_equal(svm.predict_nested(X, codes, test, ends), exact)
    monkeypatch.setattr(classifiers, "_MOST_UNKNOWNS", 0)
    np.testing.assert_array_equal(svm.predict_nested(X, codes, test, ends), exact)


@pytest.mark.parametrize("n_columns", [6, 60])
def test_threads_change_no_bit(n_columns):
    random = np.random.default_rng(2)
    codes = random.permutation(np.arange(45) % 5)
    X, test = random.normal(size=(45, n_columns)) + codes[:, None], random.normal(size=(20, n_columns))
    first = decisions(X, codes, test, [1, 3, n_columns])
    for n_threads in (2, 3, 8):
        assert decisions(X, codes, test, [1, 3, n_columns], n_threads=n_threads).tobytes() == first.tobytes()


def test_classes_and_scores_agree_and_classes_may_be_missing():
    random = np.random.default_rng(3)
    for present in ((1, 3), (0, 2, 3)):
        codes = np.array(present, dtype=np.int32)[random.permutation(np.arange(60) % len(present))]
        X, test = random.normal(size=(60, 5)) + codes[:, None], random.normal(size=(30, 5)) + 1
        svm = to_classifier("svm")
        classes = svm.predict_nested(X, codes, test, [1, 5])
        assert set(np.unique(classes)) <= set(present)
        for response in ("scores", "probabilities"):
            found = svm.respond(X, codes, test, [1, 5], response, 5)
            np.testing.assert_array_equal(found.classes, classes)
            if response == "scores":
                np.testing.assert_array_equal(found.scores.argmax(axis=2), classes)
            else:
                np.testing.assert_allclose(found.scores.sum(axis=2), 1.0)


def test_what_cannot_be_solved_is_refused():
    X, codes = np.ones((4, 3)), np.array([0, 1, 0, 1])
    columns = np.ascontiguousarray(np.vstack([np.ones(4), X.T]))
    for ends, n_classes in (([4], 2), ([2, 1], 2), ([3], 1)):
        found = np.empty((len(ends), 4, 1))
        at = np.array(ends, dtype=np.int64) + 1
        with pytest.raises(ValueError):
            nested_svm_decisions(columns, codes.astype(np.int32), columns, at, n_classes, 1.0, found, 1)
