"""What a comparison is in Python: its features, its selector, what it prints and what a notebook shows."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from fewest import MRMR, Comparison, FeatureSelector, FewestError, FisherMarkov, Wrapper, compare
from fewest.criteria import ScatterRatio
from fewest.searches import IndividualRanking
from fewest.selectors.adapters.without_columns import ChosenBefore, WithoutColumns

FAST = {"classifiers": ["nb"], "sizes": [1, 2, 3], "outer": 3, "inner": 2, "leak": False}


def a_table(seed=0, n_rows=90):
    """Columns of which the first two separate three classes together."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % 3)
    X = pd.DataFrame(rng.normal(size=(n_rows, 6)), columns=["height", "width", "a", "b", "c", "d"])
    X["height"] += 3.0 * (y == 1)
    X["width"] += 3.0 * (y == 2)
    return X, np.array(["u", "v", "w"])[y]


@pytest.fixture(scope="module")
def found():
    return compare(["mrmr", FisherMarkov()], *a_table(), **FAST)


def test_the_features_are_those_that_are_recommended(found):
    assert sorted(found.features) == ["height", "width"]
    assert found.features == tuple(feature.name for feature in found.summary.tables[0].recommended.features)


def test_the_selector_is_the_recommended_method_as_it_was_fitted_on_all_rows(found):
    X, y = a_table()
    selector = found.selector()
    anew = clone(selector).fit(X, y)
    for one in (selector, anew):
        assert tuple(one.selection_.features) == found.features
        assert one.get_feature_names_out().tolist() == ["height", "width"]
        assert one.transform(X).shape == (90, 2)
    assert_array_equal(selector.support_, anew.support_)
    assert_array_equal(selector.ranking_, anew.ranking_)
    assert_array_equal(selector.scores_, anew.scores_)
    assert selector.selection_.provenance.fingerprint == anew.selection_.provenance.fingerprint
    assert selector.selection_.certificate.words == anew.selection_.certificate.words


def test_the_selector_selects_anew_in_every_fold_of_a_pipeline(found):
    X, y = a_table()
    scores = cross_val_score(make_pipeline(found.selector(), GaussianNB()), X, y, cv=3)
    assert scores.mean() > 0.85


@pytest.mark.parametrize("method", ["mrmr(criterion=quotient, n_bins=4)", MRMR("quotient", n_bins=4), "RFE(step=2)"])
def test_json_gives_back_the_selector_with_its_parameters(method):
    X, y = a_table()
    found = compare(method, X, y, **FAST)
    other = Comparison.from_json(found.to_json())
    assert other.methods is None
    assert other.features == found.features
    before, after = found.selector(), other.selector()
    assert repr(after) == repr(before)
    assert_array_equal(after.transform(X), before.transform(X))
    assert_array_equal(clone(after).fit(X, y).transform(X), before.transform(X))


@pytest.mark.parametrize(
    "method", [Wrapper(GaussianNB()), FeatureSelector(ScatterRatio(), IndividualRanking()), RFE(LinearSVC())]
)
def test_from_json_a_method_with_objects_can_transform_but_not_be_fitted_anew(method):
    X, y = a_table()
    found = compare([method], X, y, **FAST)
    assert_array_equal(clone(found.selector()).fit(X, y).transform(X), found.selector().transform(X))
    selector = Comparison.from_json(found.to_json()).selector()
    assert isinstance(selector, ChosenBefore)
    assert_array_equal(selector.transform(X), found.selector().transform(X))
    assert_array_equal(selector.get_support(), found.selector().get_support())
    with pytest.raises(FewestError, match="cannot be fitted anew"):
        selector.fit(X, y)


def test_columns_that_are_no_features_are_in_the_table_that_the_selector_takes():
    X, y = a_table()
    X.insert(1, "patient", [f"p{number % 30}" for number in range(90)])
    found = compare(["mrmr"], X, y, groups="patient", **FAST)
    selector = found.selector()
    assert isinstance(selector, WithoutColumns)
    assert_array_equal(selector.transform(X), X[["height", "width"]])
    assert selector.get_feature_names_out().tolist() == ["height", "width"]
    anew = clone(selector).fit(X, y)
    assert anew.selection_.features == selector.selection_.features == found.features
    assert [X.columns[column] for column in anew.selection_.indices] == list(found.features)
    assert_array_equal(Comparison.from_json(found.to_json()).selector().transform(X), selector.transform(X))
    with pytest.raises(FewestError, match="All columns are left out"):
        WithoutColumns(MRMR(), tuple(X.columns)).fit(X, y)


def test_arrays_have_no_names_to_check():
    X, y = a_table()
    found = compare(["mrmr"], X.to_numpy(), y, **FAST)
    assert sorted(found.features) == ["x0", "x1"]
    assert_array_equal(found.selector().transform(X.to_numpy()), X.to_numpy()[:, :2])


def test_noise_has_no_features_and_no_selector():
    rng = np.random.default_rng(1)
    found = compare(["fisher-score"], rng.normal(size=(60, 5)), np.arange(60) % 2, **FAST)
    assert found.features == ()
    assert "nothing beats guessing" in repr(found)
    with pytest.raises(FewestError, match="No features of 'table' were found that beat guessing"):
        found.selector()


def test_of_several_tables_one_is_asked_for():
    both = compare(["mrmr"], {"first": a_table(0), "second": a_table(1)}, **FAST)
    assert sorted(both.of("second").features) == ["height", "width"]
    assert repr(both) == "<Comparison of 1 method on 2 tables>"
    with pytest.raises(FewestError, match=r"2 tables, with features of their own. Ask for one of them: .of\('first'\)"):
        both.features
    with pytest.raises(FewestError, match=r"no table 'frst' \(did you mean 'first'\?\)"):
        both.of("frst")


def test_it_is_one_line_in_an_interactive_session(found):
    line = re.sub(r"[0-9.]+ %", "… %", repr(found))
    assert re.fullmatch(r"<Comparison of 2 methods on table: 2 of 6 features by [\w-]+, (… % error)>", line)


def test_a_notebook_shows_the_sections_of_the_page_without_a_script(found):
    shown = found._repr_html_()
    assert re.fullmatch(r'<iframe sandbox="" srcdoc="[^"]*" title="[^"]*" style="[^"]*"></iframe>', shown)
    page = unescape(shown.split('srcdoc="')[1].split('" title')[0])
    assert page.startswith("<!doctype html>")
    assert "<script" not in page.replace('<script type="application/json">', "")
    for text in ("Which features?", "How many?", "Which method?", "height", "<svg"):
        assert text in page
    assert "How was it made?" not in page


def test_a_notebook_shows_several_tables_as_one():
    both = compare(["fisher-score"], {"<b>1": a_table(0), "second": a_table(1)}, **FAST)
    page = unescape(both._repr_html_())
    assert "&lt;b&gt;1" in page
    assert "<b>1" not in page


def test_columns_that_the_data_check_sets_aside_are_never_selected_later_either():
    X, y = a_table()
    X.insert(0, "id", [f"C-{number}" for number in range(90)])
    found = compare(["mrmr"], X, y, **FAST)
    selector = found.selector()
    assert selector.left_out == ("id",)
    assert clone(selector).fit(X, y).get_feature_names_out().tolist() == ["height", "width"]
    assert_array_equal(selector.transform(X), X[["height", "width"]])
