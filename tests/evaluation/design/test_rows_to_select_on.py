"""Methods select on some rows, classifiers are trained on others, and a third part is tested."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from fewest import FisherScore, compare
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.groups import Groups
from fewest.evaluation.design.rows_to_select_on import RowsToSelectOn

FAST = {"classifiers": ["nb"], "inner": 3, "n_jobs": 1}


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_drawn_of_every_class_in_proportion(seed):
    random = np.random.default_rng(seed)
    codes = random.permutation(np.repeat([0, 1, 2], random.integers(2, 30, 3))).astype(np.int32)
    rows = np.sort(random.choice(len(codes), len(codes) - random.integers(0, 2), replace=False))
    counts = np.bincount(codes[rows], minlength=3)
    if counts.min() < 2:
        return
    n = int(random.integers(3, len(rows) - 2))
    select, train = RowsToSelectOn(n).draw(rows, codes, None, seed, 0, "t")
    assert len(select) == n
    assert sorted([*select, *train]) == rows.tolist()
    taken = np.bincount(codes[select], minlength=3)
    assert taken.min() >= 1
    assert (counts - taken).min() >= 1
    assert (np.abs(taken - n * counts / len(rows)) < 2).all()
    again, _ = RowsToSelectOn(n).draw(rows, codes, None, seed, 0, "t")
    other, _ = RowsToSelectOn(n).draw(rows, codes, None, seed, 1, "t")
    assert again.tolist() == select.tolist()
    assert len(rows) < 10 or other.tolist() != select.tolist()


def test_groups_are_on_one_side():
    codes = np.tile([0, 1], 30).astype(np.int32)
    groups = Groups.of([row // 6 for row in range(60)], "'t'")
    select, train = RowsToSelectOn(0.4).draw(np.arange(60), codes, groups, 0, 0, "t")
    assert not set(groups.codes[select]) & set(groups.codes[train])
    assert len(select) == 24


def test_a_trial_selects_trains_and_tests_on_three_parts():
    """Against the same done by hand with scikit-learn."""
    X, y = load_iris(return_X_y=True)
    random = np.random.default_rng(0)
    X = np.column_stack([X, random.normal(size=(150, 6))])
    select, train, test = np.split(random.permutation(150), [12, 70])
    found = compare("fisher-score", X, y, outer=[(select, train, test)], sizes=[2], scale="std", **FAST)
    trial = found.tables[0].methods[0].trials[0]
    chosen = list(FisherScore(n_features=2).fit(X[select], y[select]).selection_.indices)
    assert trial["path"] == [chosen]
    scaled = (X[:, chosen] - X[train][:, chosen].mean(axis=0)) / X[train][:, chosen].std(axis=0)
    predicted = GaussianNB(var_smoothing=0.01).fit(scaled[train], y[train]).predict(scaled[test])
    assert trial["results"]["nb"]["loss"] == [np.mean(predicted != y[test])]
    assert trial["leaked"] is None
    # The recommendation selects on the same share of all rows.
    whole = found.tables[0].methods[0].whole
    assert len(whole["path"][0]) == 2


def test_selection_rows_drawn_from_the_training_rows_leave_the_test_rows_as_they_are():
    X, y = load_iris(return_X_y=True)
    options = {**FAST, "sizes": [1, 2, 4], "outer": 4, "test_share": 0.4}
    plain = compare(["fisher-score", "relieff"], X, y, **options)
    found = compare(["fisher-score", "relieff"], X, y, select_rows=0.25, **options)
    assert (plain.tables[0].n_train, plain.tables[0].n_test) == (90, 60)
    # 22 or 23 of 90 rows to select on.
    assert (found.tables[0].n_train, found.tables[0].n_test) == (68, 60)
    assert found.settings["outer"].endswith(
        "0.4 of it to test; methods select on 0.25 of the training rows, and classifiers are trained on the others"
    )
    assert "select on 0.25 of the training rows" in found.to_html()
    again = compare(["fisher-score", "relieff"], X, y, select_rows=0.25, **{**options, "n_jobs": 2})
    assert [m.errors("nb").tolist() for m in again.tables[0].methods] == [
        m.errors("nb").tolist() for m in found.tables[0].methods
    ]


def test_a_resumed_comparison_keeps_rows_to_select_on_apart(tmp_path):
    X, y = load_iris(return_X_y=True)
    options = {**FAST, "sizes": [1, 3], "outer": 2, "resume": tmp_path}
    runs = [compare("fisher-score", X, y, select_rows=n, **options) for n in (None, 10, 20, 10, None)]
    paths = [run.tables[0].methods[0].trials[0] for run in runs]
    assert paths[1] == paths[3]
    assert paths[0] == paths[4]
    assert paths[0]["results"] != paths[1]["results"] != paths[2]["results"]


@pytest.mark.parametrize("wrong", [1, 0, 1.0, -3, "ten", True, [1, 2], np.nan])
def test_amounts_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InvalidParameter, match="select_rows must be a whole number of at least 2, a share"):
        RowsToSelectOn.of(wrong)


def test_splits_without_enough_rows_to_select_on_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match=r"asks for 113 of the 114 training rows.*leaves 1 to train on"):
        compare("fisher-score", X, y, select_rows=113, outer=2, **FAST)
    for select, says in (([0, 1, 2], "rows of two classes to select on"), ([0, 60, 99], "also a training row")):
        with pytest.raises(InvalidInput, match=says):
            compare("fisher-score", X, y, outer=[(select, np.arange(40, 110), np.arange(110, 150))], **FAST)
    with pytest.raises(InvalidParameter, match="triples of"):
        compare("fisher-score", X, y, outer=[([0], [1], [2], [3])], **FAST)
    with pytest.raises(InvalidParameter, match="is for random splits"):
        compare("fisher-score", X, y, outer="loo", test_share=0.5, **FAST)
