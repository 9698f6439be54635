"""Keys of values: what a stored trial is found by."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest import MRMR, FeatureSelector, FewestWarning, FisherScore, ReliefF, compare
from fewest.criteria import ScatterRatio
from fewest.evaluation.run.classifiers import to_classifiers
from fewest.evaluation.run.value_keys import NoKey, key_of
from fewest.metrics import to_metric
from fewest.searches import IndividualRanking

from ...fuzz.stored_cases import without_times

#: Longer than what NumPy prints in full: the middle is shown as an ellipsis.
LONG = np.arange(5000.0)
CHANGED = np.where(LONG == 2500, -1.0, LONG)


def score(X, y):
    return np.arange(X.shape[1], dtype=float)


class Threshold(ClassifierMixin, BaseEstimator):
    """Predict class 1 where a row's number in a list of signs is above zero: parameters that print alike."""

    def __init__(self, signs=None):
        self.signs = signs

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return ((X[:, 0] * self.signs[2500]) > 0).astype(int)


class OrderOfColumns(BaseEstimator):
    """Select by given scores."""

    def __init__(self, scores=None, k=1):
        self.scores = scores
        self.k = k

    def fit(self, X, y):
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[np.argsort(-self.scores[2500 : 2500 + X.shape[1]])[: self.k]] = True
        return self

    def get_support(self):
        return self.support_


SAME = {
    "numbers": lambda: [1, 2.5, "text", None, True, b"bytes", np.float32(1.5)],
    "array": lambda: LONG.copy(),
    "array of objects": lambda: np.array(["a", None, 3], dtype=object),
    "sparse": lambda: sparse.random_array((20, 30), density=0.1, rng=np.random.default_rng(0), format="csr"),
    "estimator": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=2.0, class_weight={0: 1, 1: 3})),
    "selector": lambda: FeatureSelector(ScatterRatio(), IndividualRanking(), n_features=3),
    "function": lambda: SelectKBest(score),
    "partial": lambda: partial(mutual_info_classif, random_state=0),
    "scorer": lambda: to_metric(make_scorer(fbeta_score, beta=2)),
    "generator": lambda: np.random.default_rng(5),
    "classifiers": lambda: to_classifiers(["svm", "knn", "nb", "rf"]),
    "set": lambda: {"one", "two", "three", "four"},
    "ufunc": lambda: np.sqrt,
    "pattern": lambda: re.compile("a+"),
}


@pytest.mark.parametrize("name", SAME)
def test_equal_values_have_one_key(name):
    assert key_of(SAME[name]()) == key_of(SAME[name]())


def test_no_two_of_these_values_have_one_key():
    others = [
        1, 1.0, True, "1", None, [1], (1,), {1}, {1: 2}, {2: 1}, b"1", np.int32(1), np.int64(1), np.array(1),
        np.array([1]), np.array([[1]]), np.array([1], dtype=object), LONG, CHANGED, LONG.reshape(2, -1),
        LONG.astype("f4"), LONG.view(np.int64), -0.0, 0.0, float("nan"), float("inf"),
        sparse.csr_array(np.eye(3)), sparse.csc_array(np.eye(3)), sparse.csr_array(np.eye(3)[::-1]),
        Threshold(LONG), Threshold(CHANGED), make_pipeline(Threshold(LONG)), make_pipeline(Threshold(CHANGED)),
        SelectKBest(f_classif), SelectKBest(score), SelectKBest(partial(score, 1)), SelectKBest(partial(score, 2)),
        MRMR(), MRMR(n_bins=4), ReliefF(), FisherScore(), Threshold, score, np.sqrt, np.exp,
        make_scorer(fbeta_score, beta=1), make_scorer(fbeta_score, beta=2),
    ]  # fmt: skip
    keys = [key_of(one) for one in others]
    assert len(set(keys)) == len(keys)


def test_the_key_is_the_same_in_another_process():
    code = (
        "import numpy as np\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from fewest import MRMR\n"
        "from fewest.evaluation.run.value_keys import key_of\n"
        "print(key_of([MRMR(n_bins=4), LogisticRegression(class_weight={'a': 2}), {'x', 'y', 'z'}, np.arange(2000)]))\n"
    )
    commands = [[sys.executable, "-c", code]] * 2
    keys = {subprocess.run(one, capture_output=True, text=True, check=True).stdout for one in commands}
    assert len(keys) == 1


def test_what_was_fitted_before_is_the_same_method():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    for one in (FisherScore(), RandomForestClassifier(5, random_state=0)):
        before = key_of(one)
        assert key_of(one.fit(X, y)) == before


class _Cell:
    pass


def holding_itself():
    content = []
    content.append(content)
    return content


def nested():
    content = []
    for _ in range(100_000):
        content = [content]
    return content


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: lambda X, y: X, "<lambda>.*define it at the top of a module"),
        (lambda: (one for one in range(3)), "generator cannot be stored"),
        (holding_itself, "holds itself"),
        (nested, "nested too deeply"),
        (lambda: SelectKBest(lambda X, y: X), "<lambda>"),
        (lambda: type("Odd", (_Cell,), {})(), "Odd.*define it"),
    ],
)
def test_what_has_no_key_is_said(make, says):
    with pytest.raises(NoKey, match=says):
        key_of(make())


# compare(..., resume=...)

FAST = {"sizes": [1], "outer": 2, "inner": 2, "leak": False}


def two_classes():
    random = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    return random.normal(size=(60, 3)) + np.array([1.0, 0.0, -1.0]) * y[:, None], y


def test_methods_and_classifiers_whose_parameters_print_alike_are_resumed_apart(tmp_path):
    X, y = two_classes()
    up, down = np.ones(5000), np.where(np.arange(5000) == 2500, -1.0, 1.0)
    assert repr(Threshold(up)) == repr(Threshold(down))
    for signs in (up, down):
        found = compare("fisher-score", X, y, classifiers=[Threshold(signs)], **FAST, resume=tmp_path / "work")
        fresh = compare("fisher-score", X, y, classifiers=[Threshold(signs)], **FAST)
        assert without_times(found.to_json()) == without_times(fresh.to_json())
    for first in (LONG, LONG[::-1].copy()):
        method = OrderOfColumns(first)
        found = compare(method, X, y, classifiers=["nb"], **FAST, resume=tmp_path / "work")
        fresh = compare(method, X, y, classifiers=["nb"], **FAST)
        assert without_times(found.to_json()) == without_times(fresh.to_json())


def test_groups_are_part_of_the_selection_on_all_rows(tmp_path):
    X, y = two_classes()
    settings = {**FAST, "sizes": [1, 2], "classifiers": ["nb"]}
    for groups in (np.arange(60) // 2, np.arange(60) // 5):
        found = compare("fisher-score", X, y, groups=groups, **settings, resume=tmp_path)
        fresh = compare("fisher-score", X, y, groups=groups, **settings)
        assert without_times(found.to_json()) == without_times(fresh.to_json())


def test_what_cannot_be_keyed_is_not_resumed_and_says_so(tmp_path):
    X, y = two_classes()
    methods = [SelectKBest(lambda X, y: X.mean(axis=0)), "fisher-score"]
    with pytest.warns(FewestWarning, match=r"method 'SelectKBest\(<lambda>\)', resume stores no results.*define it at"):
        compare(methods, X, y, classifiers=["nb"], **FAST, resume=tmp_path)
    # The other method, and all features in two splits.
    assert len(list(tmp_path.iterdir())) == 4 + 2
    with pytest.warns(FewestWarning, match="With the metric, resume stores no results"):
        compare("fisher-score", X, y, metric=lambda model, X, y: 0.5, classifiers=["nb"], **FAST, resume=tmp_path / "b")
    assert list((tmp_path / "b").iterdir()) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(methods, X, y, classifiers=["nb"], **FAST)
