"""Errors of predictions, and true columns against probes."""

import numpy as np
import pytest
from sklearn import metrics

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.run.measures import (
    balanced_error,
    confusion,
    error,
    macro_f1,
    mean_roc_curve,
    micro_f1,
    on_top,
    roc_curve,
    scores_of_order,
)

from ..reference import evaluation as reference

ALL = [error, balanced_error, macro_f1, micro_f1]


def test_an_example_by_hand():
    """Class 0: 3 of 4 right; class 1: 1 of 2; class 2 is never there but said once."""
    truth, predicted = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 2]
    assert confusion(truth, predicted, 3).tolist() == [[3, 1, 0], [0, 1, 1], [0, 0, 0]]
    assert error(truth, predicted, 3) == 2 / 6
    assert balanced_error(truth, predicted, 3) == (1 / 4 + 1 / 2) / 2
    assert macro_f1(truth, predicted, 3) == pytest.approx((6 / 7 + 2 / 4 + 0) / 3)
    assert micro_f1(truth, predicted, 3) == 4 / 6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_they_agree_with_scikit_learn(seed, weighted):
    random = np.random.default_rng(seed)
    truth, predicted = random.integers(0, 4, (2, 30))
    weights = random.random(30) if weighted else None
    given = {"sample_weight": weights}
    assert error(truth, predicted, 4, weights) == pytest.approx(metrics.zero_one_loss(truth, predicted, **given))
    balanced = 1 - metrics.balanced_accuracy_score(truth, predicted, **given)
    assert balanced_error(truth, predicted, 4, weights) == pytest.approx(balanced)
    macro = metrics.f1_score(truth, predicted, average="macro", **given)
    assert macro_f1(truth, predicted, 4, weights) == pytest.approx(macro)
    micro = metrics.f1_score(truth, predicted, average="micro", **given)
    assert micro_f1(truth, predicted, 4, weights) == pytest.approx(micro)


@pytest.mark.parametrize("measure", ALL)
def test_a_row_of_weight_two_is_the_row_twice_and_of_weight_nought_not_there(measure):
    random = np.random.default_rng(0)
    truth, predicted = random.integers(0, 3, (2, 40))
    times = random.integers(0, 3, 40)
    repeated = measure(np.repeat(truth, times), np.repeat(predicted, times), 3)
    assert measure(truth, predicted, 3, times) == pytest.approx(repeated, rel=1e-14)


@pytest.mark.parametrize("measure", ALL)
def test_the_order_of_rows_changes_no_bit(measure):
    random = np.random.default_rng(1)
    truth, predicted = random.integers(0, 3, (2, 200))
    weights = random.random(200) * 10.0 ** random.integers(-8, 8, 200)
    turned = random.permutation(200)
    assert measure(truth, predicted, 3, weights) == measure(truth[turned], predicted[turned], 3, weights[turned])


@pytest.mark.parametrize("measure", ALL)
def test_classes_nobody_has_or_says_change_nothing(measure):
    truth, predicted = [0, 1, 1, 0], [0, 1, 0, 0]
    assert measure(truth, predicted, 2) == measure(truth, predicted, 9)


def test_all_right_and_all_wrong():
    assert [measure([0, 1, 2], [0, 1, 2], 3) for measure in ALL] == [0, 0, 1, 1]
    assert [measure([0, 1, 2], [1, 2, 0], 3) for measure in ALL] == [1, 1, 0, 0]
    assert [measure([0], [0], 1) for measure in ALL] == [0, 0, 1, 1]


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize(
    ("truth", "predicted", "weights", "message"),
    [
        ([], [], None, "no rows"),
        ([0, 1], [0], None, "truth has 2, predicted has 1"),
        ([0, 3], [0, 1], None, r"truth holds 3 \(at 1\), but must lie between 0 and 2"),
        ([0, 1], [0, -1], None, r"predicted holds -1 \(at 1\)"),
        ([0.0, np.nan], [0, 1], None, "truth must be whole numbers"),
        ([0, 1], [0, 1], [1.0, np.nan], r"weights holds nan \(at 1\)"),
        ([0, 1], [0, 1], [1.0, -1.0], "must not be negative"),
        ([0, 1], [0, 1], [0.0, 0.0], "not all of them 0"),
        ([0, 1], [0, 1], [1.0], "truth has 2, weights has 1"),
    ],
)
def test_what_is_no_prediction_is_refused(measure, truth, predicted, weights, message):
    with pytest.raises(InvalidInput, match=message):
        measure(truth, predicted, 3, weights)


def test_there_is_at_least_one_class():
    with pytest.raises(InvalidParameter, match="n_classes must be a whole number of at least 1, got 0"):
        error([0], [0], 0)


def test_a_curve_by_hand():
    """True at 3 and 1, probes at 2, 1 and 0: of six pairs 3 + 1 are won and one tied."""
    found = roc_curve([3, 2, 1, 1, 0], [True, False, True, False, False])
    assert found.auc == 4.5 / 6
    assert found.true_share.tolist() == [0, 0.5, 0.5, 1, 1]
    assert found.probe_share.tolist() == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])


@pytest.mark.parametrize("seed", range(6))
def test_the_curve_is_the_share_of_pairs_and_scikit_learns(seed):
    random = np.random.default_rng(seed)
    scores = random.integers(0, 8, 30) / 8
    is_true = np.arange(30) < random.integers(1, 30)
    found = roc_curve(scores, is_true)
    assert found.auc == pytest.approx(reference.auc(scores, is_true), rel=1e-14)
    under = np.diff(found.probe_share) @ (found.true_share[1:] + found.true_share[:-1]) / 2
    assert found.auc == pytest.approx(under, rel=1e-12)
    probes, true, _ = metrics.roc_curve(is_true, scores, drop_intermediate=False)
    assert found.probe_share == pytest.approx(probes)
    assert found.true_share == pytest.approx(true)


def test_the_mean_of_curves_by_hand():
    first = roc_curve([3, 2, 1], [True, False, False])
    late = roc_curve([2, 3, 1], [True, False, False])
    assert first.height(np.array([0.0, 1.0]), "left").tolist() == [0, 1]
    assert late.height(np.array([0.0, 0.25, 0.5, 1.0])).tolist() == [0, 0, 1, 1]
    assert late.height(np.array([0.5]), "left").tolist() == [0]
    assert mean_roc_curve([first, late]) == [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    # All tie: a straight line needs no more than its ends.
    assert mean_roc_curve([roc_curve([1, 1, 1], [True, False, True])]) == [(0, 0), (1, 1)]


@pytest.mark.parametrize("most", [12, 10**6])
def test_the_mean_of_curves_has_the_mean_area(most):
    random = np.random.default_rng(0)
    is_true = np.arange(60) < 15
    curves = [roc_curve(random.integers(0, 25, 60) + 8 * is_true, is_true) for _ in range(20)]
    x, y = np.array(mean_roc_curve(curves, most)).T
    assert len(x) <= most
    under = np.diff(x) @ (y[1:] + y[:-1]) / 2
    assert under == pytest.approx(np.mean([curve.auc for curve in curves]), abs=1e-12 if most > 12 else 5e-3)
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    inner = slice(1, -1)
    low, high = (np.mean([curve.height(x[inner], side) for curve in curves], axis=0) for side in ("left", "right"))
    assert np.all((low - 1e-12 <= y[inner]) & (y[inner] <= high + 1e-12))


def test_scores_may_be_infinite_and_all_ties_are_a_half():
    assert roc_curve([np.inf, np.inf, 0, -np.inf], [True, False, True, False]).auc == (1.5 + 1) / 4
    assert roc_curve([1, 1, 1], [True, False, False]).auc == 0.5


def test_columns_in_the_order_taken_have_scores():
    assert scores_of_order([2, 0], 4).tolist() == [1, 0, 2, 0]
    assert scores_of_order([], 2).tolist() == [0, 0]
    ranking = np.array([2, 3, 1, 3])
    is_true = [False, False, True, True]
    assert roc_curve(-ranking, is_true).auc == roc_curve(scores_of_order([2, 0], 4), is_true).auc == 2.5 / 4
    with pytest.raises(InvalidInput, match="order holds a column twice"):
        scores_of_order([1, 1], 3)


@pytest.mark.parametrize(
    ("scores", "is_true", "message"),
    [
        ([1.0, np.nan], [True, False], r"scores holds NaN \(at 1\).*ranking_"),
        ([1.0, 2.0], [True, True], "A true column and a probe are needed at least, got 2 and 0"),
        ([1.0, 2.0], [False, False], "got 0 and 2"),
        ([1.0], [True, False], "scores has 1, is_true has 2"),
        ([], [], "is_true is empty"),
        ([[1.0]], [True], "1 dimension"),
        (["a"], [True], "array of numbers"),
    ],
)
def test_what_is_no_ranking_is_refused(scores, is_true, message):
    with pytest.raises(InvalidInput, match=message):
        roc_curve(scores, is_true)


def test_true_columns_on_top():
    found = on_top([[0, 1, 5], [5, 0, 1], [1, 0], [7, 8], [3]], [0, 1], 9)
    assert (found.one, found.all, found.n_top, found.n_resamples) == (3 / 5, 2 / 5, 2, 5)
    assert found.each == {0: 3 / 5, 1: 2 / 5}
    assert found.sentence() == ("among the first 2: at least one true column in 60 % of 5 resamples, all 2 in 40 %")
    assert on_top([[0, 1, 5], [5, 0, 1]], [0, 1], 9, n_top=3).all == 1


def test_what_has_no_top_is_refused():
    for orders, true, n_top in (([], [0], None), ([[0]], [], None), ([[0]], [0], 0)):
        with pytest.raises(InvalidInput, match="A resample, a true column and a place on top"):
            on_top(orders, true, 3, n_top)
    with pytest.raises(InvalidInput, match="The order of resample 1 holds a column twice"):
        on_top([[0], [1, 1]], [0], 3)
    with pytest.raises(InvalidInput, match="The order of resample 0 holds 3"):
        on_top([[3]], [0], 3)
