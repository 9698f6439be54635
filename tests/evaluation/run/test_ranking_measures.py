"""Rankings of true columns and probes."""

import numpy as np
import pytest
from sklearn import metrics

from fewest.errors import InvalidInput
from fewest.evaluation.run.ranking_measures import mean_roc_curve, roc_curve, scores_of_order, top_shares

from ...reference import evaluation as reference


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


def test_true_columns_among_the_first():
    found = top_shares([[0, 1, 5], [5, 0, 1], [1, 0], [7, 8], [3]], [0, 1], 9)
    assert (found.one, found.all) == (3 / 5, 2 / 5)
    assert top_shares([[0, 1, 5], [5, 0, 1]], [0, 1, 5], 9).all == 1


def test_without_resamples_or_true_columns_nothing_is_among_the_first():
    for orders, true in (([], [0]), ([[0]], [])):
        with pytest.raises(InvalidInput, match="At least one resample and one true column"):
            top_shares(orders, true, 3)
    with pytest.raises(InvalidInput, match="The order of resample 1 holds a column twice"):
        top_shares([[0], [1, 1]], [0], 3)
    with pytest.raises(InvalidInput, match="The order of resample 0 holds 3"):
        top_shares([[3]], [0], 3)
