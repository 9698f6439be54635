"""Which method is recommended, and that its error counts the choice."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from fewest import compare
from fewest.evaluation.results import MethodResult, TableResult
from fewest.evaluation.summary.recommendation import recommend


def trial(errors, inner, chosen):
    """A split with 10 test rows: how many are wrong at each size, the errors of the inner folds, and their choice."""
    confusion = [[[5, 0], [wrong, 5 - wrong]] for wrong in errors]
    return {
        "path": [[0], [0, 1]],
        "results": {"nb": {"confusion": confusion, "inner": inner, "chosen": chosen, "wrong": "0" * 10}},
        "leaked": None,
        "seconds": {"select": 0.0, "classify": 0.0},
    }


def table(**trials):
    whole = {"path": [[0], [0, 1]]}
    methods = tuple(MethodResult(name, {}, whole, tuple(own)) for name, own in trials.items())
    return TableResult("t", 40, ("a", "b"), (20, 20), ("x", "y"), "", (1, 2), 30, 10, methods, ())


def test_the_choice_is_made_inside_each_split():
    # In the first split the inner folds are for a (0.1 at size 1), in the second for b (0.0 at size 2): 4 and 3 of 10.
    found = recommend(
        table(
            a=[trial([4, 4], [0.1, 0.1], 0), trial([0, 0], [0.4, 0.4], 0)],
            b=[trial([2, 1], [0.3, 0.2], 1), trial([5, 3], [0.2, 0.0], 1)],
        ),
        ["nb"],
    )
    # Fixed beforehand both err in 0.2: fewer features decide.
    assert (found.method, found.columns) == ("a", (0,))
    assert found.n_pairs == 2
    assert_allclose(found.fixed.error, 0.2)
    assert_allclose(found.estimate.error, 0.35)


def test_of_pairs_that_promise_the_same_fewer_features_are_taken_and_then_the_first():
    found = recommend(
        table(
            a=[trial([1, 2], [0.2, 0.1], 1), trial([0, 0], [0.1, 0.1], 0)],
            b=[trial([3, 4], [0.1, 0.1], 0), trial([5, 5], [0.1, 0.1], 0)],
        ),
        ["nb"],
    )
    assert_allclose(found.estimate.error, (0.3 + 0.0) / 2)


def test_the_size_is_the_middle_of_those_chosen_inside_the_splits():
    small, large = trial([1, 1], [0.1, 0.1], 0), trial([1, 1], [0.1, 0.1], 1)
    for chosen, size in (([small, large, large], 2), ([large, small], 1), ([large, small, small], 1)):
        assert len(recommend(table(a=chosen), ["nb"]).columns) == size
    assert len(recommend(table(a=[small]), ["nb"], size=7).columns) == 2


def test_without_inner_folds_or_without_a_choice_the_error_is_that_of_the_pair():
    found = recommend(table(a=[trial([1], None, 0)] * 2, b=[trial([2], None, 0)] * 2), ["nb"])
    assert found.chosen is None
    assert_allclose(found.estimate.error, 0.1)
    alone = recommend(table(a=[trial([1], None, 0)] * 2), ["nb"])
    assert alone.chosen is not None
    assert_allclose(alone.estimate.error, 0.1)


def test_on_noise_the_best_of_many_is_no_better_than_chance():
    errors, flattering = [], []
    for seed in range(6):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(40, 30)), np.repeat([0, 1], 20)
        methods = ["fisher-score", "max-relevance", "relieff"]
        best = compare(
            methods, X, y, classifiers=["nb", "knn", "discrete-nb"], sizes=[1, 4, 16], outer=8, inner=3, leak=False
        )
        found = best.summary.tables[0].recommended
        errors.append(found.error)
        flattering.append(found.fixed_error)
        assert "The best of 9 pairs" in found.choice
        assert found.choice in str(best)
    assert abs(np.mean(errors) - 0.5) < 3 * np.std(errors, ddof=1) / np.sqrt(6)
    assert np.mean(flattering) < np.mean(errors) - 0.03


def test_with_one_size_there_are_inner_folds_only_where_a_method_or_classifier_is_chosen():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 8)), np.repeat([0, 1], 15)
    for methods, classifiers, n_pairs in (
        ("fisher-score", "nb", 1),
        ("fisher-score", ["nb", "knn"], 2),
        (["fisher-score", "relieff"], "nb", 2),
    ):
        found = compare(methods, X, y, classifiers=classifiers, sizes=3, outer=3, leak=False)
        is_judged = found.tables[0].methods[0].trials[0]["results"]["nb"]["inner"] is not None
        assert is_judged == (n_pairs > 1)
        choice = found.summary.tables[0].recommended.choice
        assert choice is None if n_pairs == 1 else "The best of 2 pairs" in choice and "includes" in choice


def test_where_splits_are_too_small_to_choose_inside_the_error_is_called_optimistic():
    # Each class has two rows, one to learn from: inner folds would learn from one class.
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    found = compare("fisher-score", X, y, classifiers=["nb", "knn"], sizes=1, outer=2, leak=False)
    assert "optimistic" in found.summary.tables[0].recommended.choice


def test_what_is_proved_is_proved_of_the_features_recommended():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 12))
    X[:, :2] += 2 * y[:, None]
    found = compare("fisher-markov", X, y, classifiers="nb", outer=3, leak=False, size=2).summary.tables[0]
    assert found.recommended.certificate.startswith("proved optimal: no other 2 features have")
    assert found.methods[0].certificate.startswith("proved optimal: no other 12 features have")


def test_scores_that_are_only_an_order_are_not_drawn():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 8)), np.repeat([0, 1], 15)
    table = compare(["svm-rfe", "relieff"], X, y, classifiers="nb", outer=2, leak=False).summary.tables[0]
    by_order, by_score = table.methods
    assert by_order.column_scores is None
    assert len(by_score.column_scores) == 8
