"""Selectors on a sample of the rows: parameters, folds, groups, weights, and the error that is due to the sample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import KFold

from fewest import (
    MRMR,
    AutoSelector,
    ChiSquare,
    FisherMarkov,
    InformationGain,
    KolmogorovSmirnov,
    MaxRelevance,
    ParzenRelief,
    Relief,
    ReliefF,
    SVMWeights,
    TwoStage,
    Wrapper,
    scan,
)
from fewest.errors import InvalidInput, InvalidParameter, TooManyRows
from fewest.statistics.stratified_rows import StratifiedRows

from ..nearest_means import NearestMeans


def table(n_rows, seed=0):
    random = np.random.default_rng(seed)
    y = random.choice(3, n_rows, p=[0.5, 0.3, 0.2])
    return random.normal(size=(n_rows, 5)) + y[:, None] * [2, 1, 0.5, 0, 0], y


def sampled_rows(X, y, size, seed=0):
    """The rows that a sample has, in its order."""
    drawn = scan(X, y).collect(StratifiedRows(size, seed))
    return drawn.values, np.array(drawn.classes)[drawn.codes]


@pytest.mark.parametrize("sample", [3, 0, -5, 2.5, "many", True])
def test_the_size_of_a_sample_is_checked(sample):
    for selector in (ReliefF(sample=sample), AutoSelector(sample=sample), TwoStage(sample=sample)):
        with pytest.raises(InvalidParameter, match="sample must be a whole number of at least 4 or None, got "):
            selector.fit(*table(50))


def test_folds_are_drawn_from_the_rows_of_the_sample():
    X, y = table(3000)
    found = ReliefF(n_features="auto", sample=300).fit(X, y)
    rows, labels = sampled_rows(X, y, 300)
    alone = ReliefF(n_features="auto").fit(rows, labels)
    assert found.size_curve_ == alone.size_curve_
    assert_array_equal(found.scores_, alone.scores_)
    assert found.notes_[0] == "by a sample of 300 of 3,000 rows, every class in proportion"
    assert "5-fold cross-validation" in found.notes_[1]
    assert alone.selection_.provenance.n_rows == 300
    assert_array_equal(ReliefF(n_features="auto", sample=300, cv=KFold(3)).fit(X, y).support_.shape, (5,))


def test_folds_given_by_row_numbers_are_refused():
    X, y = table(100)
    folds = [(np.arange(50), np.arange(50, 100)), (np.arange(50, 100), np.arange(50))]
    with pytest.raises(InvalidParameter, match="cv holds numbers of rows, and sample=20 leaves out most"):
        Wrapper(NearestMeans(), cv=folds, sample=20).fit(X, y)
    with pytest.raises(InvalidParameter, match="cv holds numbers of rows"):
        TwoStage(cv=folds, sample=20).fit(X, y)


@pytest.mark.parametrize(
    "selector",
    [
        ReliefF(n_features="auto", max_features=3),
        Wrapper(NearestMeans(), cv=3),
        TwoStage(MRMR(), Wrapper(NearestMeans()), cv=3, estimator=NearestMeans()),
        AutoSelector(n_features="auto", cv=3, max_features=3),
    ],
    ids=lambda selector: selector.name,
)
def test_groups_stay_together_in_the_folds_of_a_sample(selector):
    X, y = table(1200)
    groups = np.random.default_rng(1).integers(0, 40, 1200)
    selector = clone(selector).set_params(sample=200)
    found = clone(selector).fit(X, y, groups=groups)
    # The names of groups mean nothing; in which group a row is does.
    renamed = clone(selector).fit(X, y, groups=[f"patient {group}" for group in groups])
    assert_array_equal(found.scores_, renamed.scores_)
    order = np.random.default_rng(2).permutation(1200)
    assert_array_equal(clone(selector).fit(X[order], y[order], groups=groups[order]).scores_, found.scores_)
    with pytest.raises(InvalidInput, match="groups has 100 values"):
        clone(selector).fit(X, y, groups=groups[:100])


def test_groups_change_the_folds_of_a_sample():
    X, y = table(1200)
    leaking = ReliefF(n_features="auto", sample=200).fit(X, y)
    grouped = ReliefF(n_features="auto", sample=200).fit(X, y, groups=np.arange(1200) // 300)
    assert leaking.size_curve_ != grouped.size_curve_


def test_weights_go_with_their_rows():
    X, y = table(2000)
    weights = np.random.default_rng(1).integers(0, 3, 2000).astype(float)
    found = KolmogorovSmirnov(sample=300).fit(X, y, sample_weight=weights)
    drawn = FisherMarkov(sample=300, n_features=2).fit(X, y, sample_weight=weights)
    assert drawn.selection_.provenance.n_rows == np.count_nonzero(weights)
    rows = scan(X, y, weight=weights).collect(StratifiedRows(300))
    labels = np.array(rows.classes)[rows.codes]
    assert_array_equal(found.scores_, KolmogorovSmirnov().fit(rows.values, labels, sample_weight=rows.weights).scores_)


def test_adding_rows_to_a_sample_is_refused():
    X, y = table(100)
    assert not hasattr(ReliefF(sample=20), "partial_fit")
    with pytest.raises(AttributeError) as refused:
        FisherMarkov(sample=20, n_features=2).partial_fit(X, y)
    assert "sample=20 needs all rows at once" in str(refused.value.__cause__)
    # Nor can rows be added to what a sample gave.
    fitted = FisherMarkov(sample=20, n_features=2).fit(X, y).set_params(sample=None)
    assert not hasattr(fitted, "partial_fit")


def test_a_frame_knows_its_rows_and_is_refused_before_it_is_converted():
    X, y = table(100)
    source = scan(pd.DataFrame(X).add_prefix("c"), y)
    assert source.n_rows == 100
    source.n_rows = 10**9
    source.blocks = None
    for selector in (ReliefF(), MRMR(), ParzenRelief()):
        with pytest.raises(TooManyRows, match="1,000,000,000 of 5 columns take"):
            selector.fit(source)


def test_another_seed_draws_other_rows():
    X, y = table(2000)
    first, second = (ReliefF(sample=200, random_state=seed).fit(X, y).scores_ for seed in range(2))
    assert_array_equal(first, ReliefF(sample=200).fit(X, y).scores_)
    assert not np.array_equal(first, second)


def test_text_is_sampled_by_what_it_says():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 1500)
    colours = np.array(["red", "green", "blue"])
    frame = pd.DataFrame({"colour": colours[(random.integers(0, 2, 1500) + y)], "size": random.normal(size=1500)})
    order = random.permutation(1500)
    for selector in (MRMR(n_features=2, sample=200), SVMWeights(n_features=2, sample=200), ReliefF(sample=200)):
        found = clone(selector).fit(frame, y)
        assert found.selection_.features[0] == "colour"
        again = clone(selector).fit(frame.iloc[order], y[order])
        assert_allclose(again.scores_, found.scores_, rtol=1e-12)


@pytest.mark.parametrize(
    "selector",
    [Relief(), ReliefF(), KolmogorovSmirnov(), SVMWeights(), MaxRelevance(density="parzen"), InformationGain()],
    ids=lambda selector: selector.name,
)
def test_the_error_that_is_stated_is_the_spread_of_the_scores_over_samples(selector):
    X, y = table(20_000)
    scores, errors = [], []
    for seed in range(60):
        found = clone(selector).set_params(n_features=2, sample=300, random_state=seed).fit(X, y)
        scores.append(found.scores_[:3])
        errors.append(np.square(found.sampling_error_[:3]))
    # Of the columns that share information with the class. A spread of 60 is itself known to 9 %.
    ratio = np.sqrt(np.mean(errors, axis=0)) / np.std(scores, axis=0, ddof=1)
    assert 0.8 < np.exp(np.log(ratio).mean()) < 1.25, ratio


def test_the_error_is_stated_in_a_note_and_only_for_a_sample():
    X, y = table(1000)
    found = ReliefF(n_features=2, sample=200).fit(X, y)
    taken = np.sqrt(np.mean(np.square(found.sampling_error_[list(found.selection_.indices)])))
    assert found.notes_ == (
        "by a sample of 200 of 1,000 rows, every class in proportion",
        f"the scores of the features taken have a standard error of about {taken:.2g} that is due to the sample",
    )
    whole = ReliefF(n_features=2).fit(X, y)
    assert whole.notes_ == ()
    assert_array_equal(whole.sampling_error_, 0.0)
    everything = ReliefF(n_features=2, sample=1000).fit(X, y)
    assert everything.notes_ == ("the sample holds all rows",)
    assert_array_equal(everything.sampling_error_, 0.0)


def test_an_error_that_is_not_known_is_not_stated():
    X, y = table(1000)
    drawn = ReliefF(n_features=2, sample=200, n_queries=50).fit(X, y)
    assert np.isnan(drawn.sampling_error_).all()
    assert drawn.notes_ == ("by a sample of 200 of 1,000 rows, every class in proportion",)
    # Half of this sample has one row of each class: no row has another of its class.
    few = Relief(n_features=2, sample=4).fit(X[y < 2], y[y < 2])
    assert np.isnan(few.sampling_error_).all()


def test_chi_square_grows_with_the_rows_and_states_no_error():
    found = ChiSquare(n_features=2, sample=200).fit(*table(1000))
    assert not hasattr(found, "sampling_error_")
