"""AutoSelector: method and size chosen together by the same folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from fewest import MRMR, AutoSelector, FisherScore, ReliefF, Wrapper, compare, scan
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter
from fewest.selectors.registry import method_by_name
from fewest.selectors.sizes.size import first_unless_better


@pytest.fixture(scope="module")
def product():
    """The class is the sign of a product of two columns, neither of which tells anything alone."""
    X = np.random.default_rng(0).normal(size=(300, 12))
    return X, (X[:, 3] * X[:, 7] > 0).astype(int)


@pytest.fixture(scope="module")
def redundant():
    """Two columns and noisy copies of the first: neighbours take the copies, mRMR the other."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 10))
    X[:, 0] += 1.5 * y
    X[:, 1] += 1.3 * y
    X[:, 2:8] = X[:, [0]] + 0.05 * X[:, 2:8]
    return X, y


@pytest.mark.parametrize("n_features", ["auto", 2, 0.5, None])
def test_it_selects_as_the_chosen_candidate_alone(product, redundant, n_features):
    for X, y in (product, redundant, load_wine(return_X_y=True)):
        fitted = AutoSelector(n_features=n_features).fit(X, y)
        chosen = fitted.selector_.name
        alone = method_by_name(chosen)(n_features=n_features).fit(X, y)
        assert fitted.selection_.indices == alone.selection_.indices
        assert fitted.selection_.scores == pytest.approx(alone.selection_.scores)
        assert getattr(fitted, "size_curve_", None) == getattr(alone, "size_curve_", None)
        assert fitted.notes_[0].startswith(f"{chosen} chosen among mrmr and relieff by cross-validation")


@pytest.mark.parametrize(
    ("leasts", "index"),
    [
        ([(0.3, 0.02), (0.29, 0.0)], 0),  # lower, but not by a standard error
        ([(0.3, 0.02), (0.27, 0.0)], 1),
        ([(0.3, 0.02), (0.27, 0.05), (0.25, 0.0)], 1),  # the third is within that of the second
        ([(0.3, 0.0), (0.3, 0.0)], 0),
        ([(0.2, 0.1)], 0),
    ],
)
def test_the_first_is_chosen_unless_another_is_better_by_more_than_a_standard_error(leasts, index):
    assert first_unless_better(leasts) == index


def test_the_candidates_may_come_in_another_order(product):
    X, y = product
    fitted = AutoSelector(["relieff", "mrmr"], n_features="auto").fit(X, y)
    assert list(fitted.candidate_errors_) == ["relieff", "mrmr"]
    assert fitted.selector_.name == "relieff"


def test_errors_are_those_of_the_candidates_alone(product):
    X, y = product
    fitted = AutoSelector(n_features="auto").fit(X, y)
    for kind in (MRMR, ReliefF):
        curve = kind(n_features="auto").fit(X, y).size_curve_
        assert fitted.candidate_errors_[kind.name] == min(error for error, _ in curve.values())
    # At a number of features it is the error there.
    curve = ReliefF(n_features="auto").fit(X, y).size_curve_
    assert AutoSelector(n_features=2).fit(X, y).candidate_errors_["relieff"] == curve[2][0]


def test_it_sees_what_columns_tell_together_and_what_they_repeat(product, redundant):
    assert sorted(AutoSelector(n_features="auto").fit(*product).selection_.indices) == [3, 7]
    chosen = AutoSelector(n_features=2).fit(*redundant).selection_
    assert 1 in chosen.indices
    assert len(set(chosen.indices) - {1} - {0, 2, 3, 4, 5, 6, 7}) == 0


def test_other_candidates_may_be_given(product):
    X, y = product
    fitted = AutoSelector([FisherScore(), ReliefF(n_neighbors=3), "relieff"], n_features="auto").fit(X, y)
    assert list(fitted.candidate_errors_) == ["fisher-score", "relieff", "relieff #2"]
    assert AutoSelector(["fisher-score"], n_features=3).fit(X, y).notes_ == FisherScore(n_features=3).fit(X, y).notes_


@pytest.mark.parametrize("candidates", ["mrmr", [], 3, [MRMR], ["mrmr", "auto"], ["mmrm"]])
def test_what_is_no_list_of_selectors_is_refused(product, candidates):
    with pytest.raises(InvalidParameter, match=r"candidate|There is no method 'mmrm'"):
        AutoSelector(candidates).fit(*product)


def test_a_candidate_that_decides_the_size_itself_is_refused(product):
    with pytest.raises(InvalidParameter, match="chooses its own number of features"):
        AutoSelector([Wrapper()], n_features="auto").fit(*product)


def test_a_candidate_that_cannot_take_the_data_drops_out_with_a_note(product):
    X, y = product
    weights = np.where(np.arange(300) < 30, 2, 1)
    fitted = AutoSelector(n_features="auto").fit(X, y, sample_weight=weights)
    assert fitted.selector_.name == "mrmr"
    assert any(note.startswith("relieff is left out: sample_weight is refused") for note in fitted.notes_)
    with pytest.raises(InvalidInput, match="one class"):
        AutoSelector().fit(X, np.zeros(300))


def test_text_missing_values_and_sparse_tables_are_taken(product):
    X, y = product
    frame = pd.DataFrame(X[:, 2:9], columns=list("abcdefg"))
    frame["kind"] = np.where(y == 1, "red", np.where(X[:, 0] > 0, "green", "blue"))
    frame.iloc[::7, 0] = np.nan
    assert AutoSelector(n_features="auto").fit(frame, y).selection_.features == ("kind",)
    as_sparse = sparse.csr_array(np.where(np.abs(X) < 0.3, 0.0, X))
    fitted = AutoSelector(n_features="auto").fit(as_sparse, y)
    assert sorted(fitted.selection_.indices) == [3, 7]


def test_a_stream_gives_the_same_answer(product, tmp_path, monkeypatch):
    X, y = product
    pd.DataFrame(X).rename(columns=str).assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    expected = AutoSelector(n_features="auto").fit(X, y)
    found = AutoSelector(n_features="auto").fit(scan(tmp_path / "t.csv", "label"))
    assert found.selection_.indices == expected.selection_.indices
    assert found.size_curve_ == expected.size_curve_
    for kind in (AutoSelector, MRMR, ReliefF):
        monkeypatch.setattr(kind, "_stream_bytes", 3000)
    long = AutoSelector(n_features="auto").fit(scan(tmp_path / "t.csv", "label"))
    assert sorted(long.selection_.indices) == [3, 7]


def test_neighbours_are_sought_in_a_sample_of_many_rows(product, monkeypatch):
    X, y = product
    monkeypatch.setattr("fewest.methods.relief.selectors._MOST_ROWS", 200)
    fitted = AutoSelector(n_features="auto").fit(X, y)
    assert sorted(fitted.selection_.indices) == [3, 7]
    # Its errors are not those of the size, which is chosen on all rows where the method can take them.
    assert "by cross-validation on a sample of 200 rows: " in fitted.notes_[0]
    assert fitted.notes_[1] == "by a sample of 200 of 300 rows, every class in proportion"
    assert fitted.selection_.provenance.n_rows == 300
    assert fitted.selection_.provenance.fingerprint == MRMR().fit(X, y).selection_.provenance.fingerprint
    order = np.random.default_rng(2).permutation(300)
    assert AutoSelector(n_features="auto").fit(X[order], y[order]).size_curve_ == fitted.size_curve_


def test_a_candidate_without_limits_selects_on_all_rows(redundant, monkeypatch):
    X, y = redundant
    monkeypatch.setattr("fewest.methods.relief.selectors._MOST_ROWS", 100)
    fitted = AutoSelector(["mrmr", "relieff"], n_features=2).fit(X, y)
    if fitted.selector_.name == "mrmr":
        assert fitted.selection_.indices == MRMR(n_features=2).fit(X, y).selection_.indices
    alone = AutoSelector(["mrmr"], n_features="auto").fit(X, y)
    assert alone.size_curve_ == MRMR(n_features="auto").fit(X, y).size_curve_


def test_it_works_in_compare_and_in_a_pipeline(product):
    X, y = product
    found = compare(["auto", "mrmr"], X, y, classifiers=["knn"], sizes=[2, 4], outer=2, inner=2, leak=False)
    errors = {row["method"]: row["error"] for row in found.table}
    assert errors["auto"] < 0.2 < errors["mrmr"]
    model = make_pipeline(AutoSelector(n_features="auto"), GaussianNB()).fit(X, y)
    assert_array_equal(np.flatnonzero(model[0].support_), [3, 7])


def test_its_answer_goes_with_the_contents_alone():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::3], y[::3]
    order, columns = np.random.default_rng(4).permutation(len(X)), np.random.default_rng(5).permutation(30)
    expected = AutoSelector(n_features="auto", max_features=8).fit(X, y)
    found = clone(expected).fit(X[np.ix_(order, columns)], np.where(y[order] == 1, "a", "b"))
    assert columns[list(found.selection_.indices)].tolist() == list(expected.selection_.indices)
    assert found.candidate_errors_ == expected.candidate_errors_


def test_warnings_of_the_chosen_candidate_come_once(product):
    X, y = product
    X = np.column_stack([X, np.full(300, np.nan)])
    with pytest.warns(FewestWarning, match="hold no value at all") as caught:
        AutoSelector(n_features=2).fit(X, y)
    assert len(caught) == 1
