import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from fewest.selectors.estimators.evaluator import ImputingScaler, StandardizedSVM, misclassified, seeded

NAN = float("nan")


def test_the_scaler_fills_missing_values_with_means_of_training_rows():
    rows = np.array([[1.0, 5.0], [3.0, NAN], [NAN, 5.0]])
    scaler = ImputingScaler.fit(rows)
    assert scaler.transform(rows).tolist() == [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    assert ImputingScaler.fit(np.full((2, 1), NAN)).transform(np.array([[7.0], [NAN]])).tolist() == [[7.0], [0.0]]


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 41.0)])
def test_the_scaler_agrees_with_scikit_learn(weights):
    rows = np.random.default_rng(0).normal(3.0, 2.0, size=(40, 3))
    rows[3, 1] = NAN
    expected = np.nan_to_num(StandardScaler().fit(rows, sample_weight=weights).transform(rows))
    np.testing.assert_allclose(ImputingScaler.fit(rows, weights).transform(rows), expected, atol=1e-12)
    ranges = MinMaxScaler().fit(rows).data_range_
    np.testing.assert_array_equal(ImputingScaler.fit(rows, scale="range").unit, ranges)
    np.testing.assert_array_equal(ImputingScaler.fit(rows, scale=None).unit, np.full(3, ranges.max()))


def test_rows_of_other_classes_than_the_only_one_trained_on_are_misclassified():
    X, labels = np.zeros((2, 1)), np.zeros(2, dtype=np.int32)
    wrong = misclassified(KNeighborsClassifier(), X, labels, np.ones(2), X, np.array([0, 1], dtype=np.int32))
    assert wrong.tolist() == [False, True]


def test_a_seed_is_given_only_where_there_is_none():
    from sklearn.linear_model import LogisticRegression

    assert seeded(LogisticRegression(), 3).random_state == 3
    assert seeded(LogisticRegression(random_state=1), 3).random_state == 1
    assert str(seeded(None, 3)) == "a linear SVM"


@pytest.mark.parametrize("degree", [2, np.inf])
def test_products_of_columns_are_seen_by_kernels_of_higher_degree(degree):
    X = np.random.default_rng(0).choice([-1.0, 1.0], size=(60, 2))
    labels = (X[:, 0] * X[:, 1] > 0).astype(np.int32)
    assert not misclassified(StandardizedSVM(degree), X, labels, np.ones(60), X, labels).any()
    assert misclassified(StandardizedSVM(), X, labels, np.ones(60), X, labels).any()
