"""Candidates by one selector, features among them by another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from fewest import MRMR, FisherMarkov, FisherScore, MaxRelevance, TwoStage, Wrapper, scan
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter

from ...nearest_means import NearestMeans
from ...reference.wrappers import candidate_size


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(cancer):
    stages = MRMR(cv=StratifiedKFold(4), max_features=20), Wrapper(NearestMeans(), cv=3)
    return TwoStage(*stages).fit(*cancer)


def test_candidate_errors_are_those_of_selecting_anew_in_every_fold_by_hand(fitted, cancer):
    X, y = cancer
    errors = np.zeros((4, 20))
    for k, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
        ranked = MRMR(n_features=20).fit(X[train], y[train]).selection_.indices
        for size in range(1, 21):
            model = NearestMeans().fit(X[train][:, ranked[:size]], y[train])
            errors[k, size - 1] = np.mean(model.predict(X[test][:, ranked[:size]]) != y[test])
    assert list(fitted.candidate_errors_) == list(range(1, 21))
    np.testing.assert_allclose(list(fitted.candidate_errors_.values()), errors.mean(axis=0), rtol=1e-12)
    n_candidates = candidate_size(np.round(errors.mean(axis=0), 12).tolist())
    assert fitted.candidates_.tolist() == list(MRMR(n_features=n_candidates).fit(X, y).selection_.indices)


def test_the_second_stage_sees_the_candidates_alone_in_their_order(fitted, cancer):
    X, y = cancer
    alone = Wrapper(NearestMeans(), cv=3).fit(X[:, fitted.candidates_], y)
    assert fitted.selection_.indices == tuple(fitted.candidates_[list(alone.selection_.indices)].tolist())
    assert fitted.selection_.scores == alone.selection_.scores
    assert fitted.selection_.value == alone.selection_.value
    assert fitted.selection_.path[2] == tuple(fitted.candidates_[list(alone.selection_.path[2])].tolist())
    assert fitted.second_.n_features_in_ == len(fitted.candidates_) == fitted.first_.n_features_


def test_it_has_what_every_selector_has(fitted, cancer):
    X, y = cancer
    assert fitted.transform(X).shape == (569, fitted.n_features_)
    assert fitted.scores_.shape == fitted.support_.shape == fitted.ranking_.shape == (30,)
    assert fitted.selection_.provenance.fingerprint == MRMR().fit(X, y).selection_.provenance.fingerprint
    assert fitted.selection_.provenance.method == "two-stage"
    first, second = fitted.notes_
    assert first.startswith(f"first stage (mrmr): {len(fitted.candidates_)} chosen by 4-fold cross-validation of Near")
    assert second.startswith("second stage (wrapper): error ")


def test_no_fold_sees_its_own_test_rows():
    # Labels without any signal: candidates chosen on all rows would seem to separate the classes.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 1000)), np.repeat([0, 1], 30)
    fitted = TwoStage(MRMR(max_features=15), Wrapper(NearestMeans())).fit(X, y)
    assert min(fitted.candidate_errors_.values()) > 0.3
    assert np.mean(list(fitted.candidate_errors_.values())) > 0.4
    leaky = MRMR(n_features=15).fit(X, y).transform(X)
    errors = [
        np.mean(NearestMeans().fit(leaky[train], y[train]).predict(leaky[test]) != y[test])
        for train, test in StratifiedKFold(5).split(X, y)
    ]
    assert np.mean(errors) < 0.25


def test_a_number_of_features_is_kept_and_there_are_candidates_enough(cancer):
    fitted = TwoStage(n_features=12, estimator=NearestMeans(), cv=3, max_features=5).fit(*cancer)
    assert fitted.n_features_ == 12 == len(fitted.candidates_)
    assert max(fitted.candidate_errors_) == 5
    assert "12 features are asked for, so there are as many candidates" in fitted.notes_
    assert TwoStage(n_features=0.1, estimator=NearestMeans()).fit(*cancer).n_features_ == 3


def test_a_first_stage_with_a_size_or_a_threshold_decides_the_candidates(cancer):
    fitted = TwoStage(FisherScore(n_features=6), Wrapper(NearestMeans())).fit(*cancer)
    assert set(fitted.candidates_) == set(FisherScore(n_features=6).fit(*cancer).selection_.indices)
    assert fitted.candidate_errors_ == {}
    by_beta = TwoStage(FisherMarkov(beta=0.5), Wrapper(NearestMeans())).fit(*cancer)
    assert set(by_beta.candidates_) == set(FisherMarkov(beta=0.5).fit(*cancer).selection_.indices)
    with (
        pytest.raises(InvalidInput, match="took no features, so there are no candidates"),
        pytest.warns(FewestWarning, match="No features were selected"),
    ):
        TwoStage(FisherMarkov(beta=5.0)).fit(*cancer)


def test_any_two_selectors_fit_and_names_do_too(cancer):
    fitted = TwoStage(MaxRelevance(n_features=10), FisherMarkov(n_features=3)).fit(*cancer)
    assert fitted.n_features_ == 3
    assert fitted.selection_.is_optimal is False  # it is the best of the candidates, not of all columns
    assert fitted.selection_.bound is None
    assert np.count_nonzero(~np.isnan(fitted.scores_)) == 10
    named = TwoStage("max-relevance", "fisher-markov", n_features=3, max_features=5).fit(*cancer)
    assert named.first_.name == "max-relevance"


def test_the_given_selectors_are_never_written_to(cancer):
    first, second = MRMR(), Wrapper(NearestMeans())
    selector = TwoStage(first, second, n_features=2, cv=2)
    before = repr(selector)
    clone(selector).fit(*cancer)
    selector.fit(*cancer)
    assert repr(selector) == before
    assert not hasattr(first, "support_")
    assert first.cv == 5


def test_text_frames_and_files_give_the_same(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.choice(["yes", "no"], 150)
    kind = np.where(rng.random(150) < 0.8, np.where(y == "yes", "red", "blue"), "grey")
    frame = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd")).assign(kind=kind)
    frame["d"] += 1.5 * (y == "yes")
    selector = TwoStage(cv=3)
    expected = clone(selector).fit(frame, y)
    assert {"kind", "d"} <= set(expected.selection_.features)
    frame.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    frame.assign(label=y).to_parquet(tmp_path / "t.parquet", row_group_size=40)
    for name in ("t.csv", "t.parquet"):
        found = clone(selector).fit(scan(tmp_path / name, "label"))
        assert found.selection_.features == expected.selection_.features
        assert found.candidate_errors_ == expected.candidate_errors_
    assert TwoStage(second=FisherScore(), n_features=2).fit(frame, y).selection_.features == ("kind", "d")


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ((MRMR, None), r"first must be a selector such as MRMR\(\), the name of a method, or None, got <class"),
        ((GaussianNB(), None), r"first must be a selector such as MRMR\(\).*got GaussianNB\(\) instead"),
        ((None, 3), r"second must be a selector such as Wrapper\(\).*got 3 instead"),
        (("mrm", None), r"There is no method 'mrm' \(did you mean 'mrmr'\?\)"),
        ((None, Wrapper(direction="up")), "direction must be one of"),
        ((MRMR(criterion="product"), None), "criterion must be one of"),
    ],
    ids=repr,
)
def test_what_is_no_selector_is_refused_before_the_data_are_looked_at(stages, message):
    with pytest.raises(InvalidParameter, match=message):
        TwoStage(*stages).fit(None, None)


def test_what_both_stages_notice_is_noted_once(cancer):
    X, y = cancer
    X = np.column_stack([X[:, :3], np.full(569, np.nan)])
    with pytest.warns(FewestWarning, match="hold no value at all") as caught:
        fitted = TwoStage(n_features=4, estimator=NearestMeans()).fit(X, y)
    assert len(caught) == 1
    assert sum("hold no value at all" in note for note in fitted.notes_) == 1


def test_rows_cannot_come_in_parts():
    assert not hasattr(TwoStage(), "partial_fit")
