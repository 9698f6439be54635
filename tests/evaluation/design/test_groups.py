"""Rows of one group are never both training and test rows: in splits, folds, inner folds and tuning."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import fewest.evaluation.run.trial as trial_module
from fewest import AutoSelector, SplitColumn, compare, scan
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.groups import Groups
from fewest.evaluation.design.resampling import GivenSplits, LeaveOneOut, RandomSplits, RepeatedFolds, assign_folds
from fewest.evaluation.run.classifiers import Classifier, TunedClassifier

FAST = {"classifiers": ["nb"], "outer": 3, "inner": 3, "sizes": [1, 3]}


def patients(n_patients=24, n_visits=4, n_columns=8, noise=0.02, seed=0):
    """Visits of one patient are nearly copies; classes are of patients, and no column knows them."""
    random = np.random.default_rng(seed)
    X = np.repeat(random.normal(size=(n_patients, n_columns)), n_visits, axis=0)
    X += noise * random.normal(size=X.shape)
    y = np.repeat(random.permutation(np.arange(n_patients) % 2), n_visits)
    return X, y, np.repeat([f"p{number}" for number in range(n_patients)], n_visits)


@st.composite
def grouped_rows(draw):
    """Classes and groups, every class in two groups or more."""
    n_classes = draw(st.integers(2, 3))
    rows = draw(st.lists(st.tuples(st.integers(0, n_classes - 1), st.integers(0, 9)), min_size=1, max_size=60))
    rows += [(code, group) for code in range(n_classes) for group in (10 + 2 * code, 11 + 2 * code)]
    codes, groups = map(np.array, zip(*rows, strict=True))
    return codes.astype(np.int32), Groups.of(groups.tolist(), "'t'")


@given(grouped_rows(), st.sampled_from([RandomSplits(3), RandomSplits(3, 0.9), RepeatedFolds(3), LeaveOneOut()]))
@settings(max_examples=60, deadline=None)
def test_no_group_is_on_both_sides_and_all_rows_are_on_one(rows, resampling):
    codes, groups = rows
    for train, test in resampling.splits(codes, 0, groups):
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(codes)))
        assert len(test) > 0
        assert not np.intersect1d(groups.codes[train], groups.codes[test]).size
        assert len(np.unique(codes[train])) >= 2
        if not isinstance(resampling, RepeatedFolds):
            assert set(codes[train]) == set(codes)


def test_groups_of_one_row_are_dealt_out_as_evenly_as_rows():
    codes = np.repeat([0, 1, 2], [40, 17, 3]).astype(np.int32)
    alone = Groups.of(list(range(60)), "'t'")
    folds = assign_folds(codes, 5, np.random.default_rng(0), alone)
    for code in range(3):
        counts = np.bincount(folds[codes == code], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert np.ptp(np.bincount(folds)) <= 2
    for _, test in RandomSplits(5).splits(codes, 0, alone):
        assert_array_equal(np.bincount(codes[test]), [10, 4, 1])


def test_whole_groups_are_dealt_out_largest_first_to_the_fold_that_has_least_of_their_classes():
    # a: 4 rows of class 0; b: 3 of class 0; c: 2 of class 0 and 1 of class 1; d: 2 of class 1; e: 1 of class 0.
    names = list("aaaabbbcccdde")
    codes = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0], dtype=np.int32)
    folds = Groups.of(names, "'t'").assign_folds(codes, 2, np.random.default_rng(0))
    # By size a, then b and c in either order. a goes to fold 0 and b to fold 1, as does c before or after it, since
    # there is less of class 0; d then goes to fold 0, where there is none of class 1, and e to the fewest of class 0.
    assert_array_equal(folds, [0] * 4 + [1] * 3 + [1] * 3 + [0] * 2 + [0])


def test_the_last_group_of_a_class_does_not_join_all_others_of_it():
    # a goes to fold 0, b and c to fold 1. For d, 20 * 6 / 34^2 in fold 0 is more than 8 * 6 / 34^2 + 19 / 20^2 in
    # fold 1, but all rows of class 1 would be there.
    names = list("a" * 20 + "b" * 19 + "c" * 8 + "d" * 7)
    codes = np.array([0] * 20 + [1] * 19 + [0] * 8 + [0] * 6 + [1], dtype=np.int32)
    folds = Groups.of(names, "'t'").assign_folds(codes, 2, np.random.default_rng(0))
    assert_array_equal(folds, [0] * 20 + [1] * 27 + [0] * 7)


def test_random_splits_differ_and_take_about_the_share_of_each_class():
    _, y, names = patients(n_patients=40, n_visits=5)
    groups = Groups.of(names.tolist(), "'t'")
    splits = RandomSplits(30).splits(y.astype(np.int32), 0, groups)
    for _, test in splits:
        assert_array_equal(np.bincount(y[test]), [25, 25])
    assert len({tuple(test) for _, test in splits}) == 30
    assert set(np.concatenate([groups.codes[test] for _, test in splits])) == set(range(40))


def test_every_class_is_tested_though_its_groups_are_too_large():
    # Once some of the small groups are taken, either of the large ones is more of class 0 than is asked for.
    codes = np.array([0] * 10 + ([0] * 20 + [1]) * 2, dtype=np.int32)
    groups = Groups.of([*range(10), *["large"] * 21, *["other"] * 21], "'t'")
    for train, test in RandomSplits(20).splits(codes, 0, groups):
        assert (codes[train] == 1).sum() == (codes[test] == 1).sum() == 1


def test_leaving_one_out_leaves_out_a_group():
    X, y, names = patients(n_patients=8)
    found = compare("fisher-score", X, y, groups=names, **{**FAST, "outer": "loo"})
    assert found.settings["outer"] == "leave one group out"
    assert len(found.tables[0].methods[0].trials) == 8
    assert found.tables[0].n_test == 4


class Spy(Classifier):
    """Remembers its training rows and test rows, by their first column."""

    name = description = "spy"

    def __init__(self, seen):
        self.seen = seen

    def predict(self, train, codes, test):
        self.seen.append((train[:, 0].round(9).tolist(), test[:, 0].round(9).tolist()))
        return np.zeros(len(test), dtype=np.int32)

    def tuning_candidates(self):
        return (self, Spy(self.seen))


@pytest.mark.parametrize("tune", [False, True])
def test_inner_folds_and_tuning_keep_groups_whole(tune, monkeypatch):
    _, y, names = patients(n_patients=12)
    # Without a scale each row can be recognised by its only column, and is the only one with that value.
    X = np.arange(len(y), dtype=float)[:, None]
    seen, inner = [], []
    spy = Spy(seen)
    prepared, splits = trial_module._prepare, trial_module.inner_splits

    def unscaled(table, train, test, columns, scale):
        _, _, ends = prepared(table, train, test, columns, scale)
        return table.columns(train, columns), table.columns(test, columns), ends

    def remembered(*arguments):
        inner.extend(splits(*arguments))
        return inner

    monkeypatch.setattr(trial_module, "_prepare", unscaled)
    monkeypatch.setattr(trial_module, "inner_splits", remembered)
    monkeypatch.setattr("fewest.evaluation.run.classifiers.to_classifier", lambda one: one)
    # Two sizes, so that there is something to choose.
    X = np.hstack([X, X])
    options = dict(classifiers=[spy], outer=2, inner=3, sizes=[1, 2], leak=False, tune=tune, check=False)
    compare("fisher-score", X, y, groups=names, **options)
    assert len(inner) == 9  # of all rows and of two splits
    assert len(seen) > (60 if tune else 15)
    for train, test in seen:
        assert not set(names[np.array(train, dtype=int)]) & set(names[np.array(test, dtype=int)])
    # The same without groups does mix them, so that the spy can see it.
    seen.clear()
    compare("fisher-score", X, y, **options)
    assert any(set(names[np.array(a, dtype=int)]) & set(names[np.array(b, dtype=int)]) for a, b in seen)


def test_copies_of_rows_promise_too_much_unless_they_are_groups():
    X, y, names = patients(n_visits=8)
    settings = {"classifiers": ["knn"], "outer": 10, "inner": 3, "sizes": [2, 8]}
    apart, together = (compare("fisher-score", X, y, **settings, groups=groups) for groups in (None, names))
    promised, honest = (one.summary.tables[0].methods[0].results["knn"] for one in (apart, together))
    # No column knows the class: the true error is one half.
    assert promised.high < 0.2
    assert honest.low < 0.5 < honest.high
    assert honest.error > 0.4
    assert together.summary.setup.groups == "group"
    assert together.summary.setup.inner == "3-fold cross-validation, rows of one group kept together"
    # What selecting before splitting would have promised is evaluated on whole groups too.
    assert together.optimism["table"]["fisher-score"]["knn"] is not None
    json.dumps(together.summary.to_dict(), allow_nan=False)


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "npz", "mat", "pandas", "polars", "pyarrow", "text"])
def test_a_named_column_is_the_same_as_its_values_and_no_feature(kind, tmp_path):
    X, y, names = patients()
    numbers = np.unique(names, return_inverse=True)[1]
    frame = pd.DataFrame(X, columns=[f"c{column}" for column in range(8)])
    frame.insert(3, "patient", names if kind == "text" else numbers)
    expected = compare("fisher-score", X, y, groups=numbers, **FAST)
    whole = frame.assign(label=y)
    path = tmp_path / f"t.{'csv' if kind == 'text' else kind}"
    if kind in ("csv", "text"):
        whole.to_csv(path, index=False)
    elif kind == "parquet":
        whole.to_parquet(path)
    elif kind == "feather":
        whole.to_feather(path)
    elif kind == "npz":
        np.savez(path, X=X, y=y, patient=names)
    elif kind == "mat":
        from scipy.io import savemat

        savemat(path, {"X": X, "Y": y, "patient": numbers[:, None], "other": np.eye(3)})
    if path.exists():
        found = compare(
            "fisher-score", scan(path, None if kind in ("npz", "mat") else "label"), groups="patient", **FAST
        )
    else:
        if kind == "polars":
            frame = pytest.importorskip("polars").DataFrame(frame.to_dict("list"))
        elif kind == "pyarrow":
            frame = pytest.importorskip("pyarrow").table(frame.to_dict("list"))
        found = compare("fisher-score", frame, y, groups="patient", **FAST)
    table = found.tables[0]
    assert "patient" not in table.feature_names
    assert table.n_columns == 8
    assert table.fingerprint == expected.tables[0].fingerprint
    paths, known = ([trial["path"] for trial in one.tables[0].methods[0].trials] for one in (found, expected))
    assert paths == known
    assert found.settings["outer"].endswith("rows of one patient kept together")


def test_rows_without_a_label_are_left_out_of_the_groups_too(tmp_path):
    X, y, names = patients()
    labels = np.array(["a", "b"])[y].astype(object)
    kept = np.arange(len(y)) % 7 != 0
    labels[~kept] = ""
    np.savez(tmp_path / "t.npz", X=X, y=np.where(kept, y, np.nan), patient=names)
    frame = pd.DataFrame(X).add_prefix("c").assign(label=labels, patient=names)
    frame.to_csv(tmp_path / "t.csv", index=False)
    expected = compare("fisher-score", X[kept], y[kept], groups=names[kept], **FAST).tables[0].methods[0].trials
    for name, target in (("t.npz", None), ("t.csv", "label")):
        source = scan(tmp_path / name, target, drop_unlabelled=True)
        found = compare("fisher-score", source, groups="patient", **FAST).tables[0].methods[0].trials
        assert [trial["path"] for trial in found] == [trial["path"] for trial in expected]


def test_several_tables_have_groups_by_name_or_one_name_for_all():
    X, y, names = patients()
    frame = pd.DataFrame(X).add_prefix("c").assign(patient=names)
    tables = {"one": (frame, y), "two": (frame.iloc[::-1], y[::-1])}
    by_name = compare("fisher-score", tables, groups="patient", **FAST)
    by_table = compare("fisher-score", tables, groups={"two": "patient"}, **FAST)
    assert [table.n_columns for table in by_name.tables] == [8, 8]
    assert [table.n_columns for table in by_table.tables] == [8, 8]
    assert by_table.tables[0].data.set_aside == ("patient",)
    allowed = compare("fisher-score", tables, groups={"two": "patient"}, allow=["patient"], **FAST)
    assert [table.n_columns for table in allowed.tables] == [9, 8]
    paths = [[trial["path"] for trial in one.tables[1].methods[0].trials] for one in (by_name, by_table)]
    assert paths[0] == paths[1]
    with pytest.raises(InvalidParameter, match="'three', which is no table: one, two"):
        compare("fisher-score", tables, groups={"three": names}, **FAST)
    with pytest.raises(InvalidParameter, match="With several tables"):
        compare("fisher-score", tables, groups=names, **FAST)


def test_groups_and_splits_make_a_trial_another_one(tmp_path):
    X, y, names = patients()
    other = np.roll(names, 2)
    folder = tmp_path / "work"

    def counted(**settings):
        compare("fisher-score", X, y, **{**FAST, **settings}, resume=folder)
        return len(list(folder.iterdir()))

    first = counted(groups=names)
    assert counted(groups=names) == first
    second = counted(groups=other)
    # Three splits, each one trial and all features; and the selections on all rows and in their inner folds.
    assert second == first + 8
    third = counted(outer=[(np.arange(0, 96, 2), np.arange(1, 96, 2))])
    assert third == second + 4  # one split, and all rows without groups
    assert counted(outer=[(np.arange(1, 96, 2), np.arange(0, 96, 2))]) == third + 2
    # The same split with other groups has other inner folds.
    blocks = [(np.arange(48), np.arange(48, 96))]
    fourth = counted(outer=blocks, groups=names)
    assert counted(outer=blocks, groups=np.repeat(np.arange(48), 2)) == fourth + 4


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        (np.zeros(96), r"All rows of 'table' are of one group \(0\)"),
        ([None, float("nan")] + ["a", "b"] * 47, r"no value in 2 of 96 rows \(first: row 0\)"),
        (np.arange(95), "95 values, and 'table' has 96 rows"),
        (np.ones((96, 2)), r"the shape \(96, 2\)"),
        ([[1, 2]] * 95 + [[3]], "1d array|single value"),
        ("patient", "have no names. Give the groups as an array"),
    ],
)
def test_groups_that_mean_nothing_are_refused(groups, says):
    X, y, _ = patients()
    with pytest.raises(InvalidInput, match=says):
        compare("fisher-score", X, y, groups=groups, **FAST)


def test_columns_that_cannot_be_groups_are_refused_by_name():
    X, y, names = patients()
    frame = pd.DataFrame(X).add_prefix("c").assign(patient=names, day=pd.Timestamp("2020-01-01"))
    with pytest.raises(InvalidInput, match=r"no column 'patent'.*did you mean 'patient'.*to be the groups"):
        compare("fisher-score", frame, y, groups="patent", **FAST)
    with pytest.raises(InvalidInput, match=r"The groups of 'table' cannot be read\. Column 'day' holds dates"):
        compare("fisher-score", frame.drop(columns="patient"), y, groups="day", **FAST)
    with pytest.raises(InvalidInput, match="no feature in 'table' in addition to 'patient'"):
        compare("fisher-score", frame[["patient"]], y, groups="patient", **FAST)


def test_a_class_in_one_group_is_named():
    X, y, names = patients()
    names = np.where(y == 1, "everyone", names)
    with pytest.raises(InvalidInput, match="The class '1' of 'table' lies in the group 'everyone' alone"):
        compare("fisher-score", X, y, groups=names, **FAST)


def test_a_size_that_cannot_be_chosen_on_whole_groups_is_refused():
    X, y, _ = patients()
    sites = np.arange(96) % 2
    with pytest.raises(InvalidInput, match=r"size cannot be chosen.*of 1 group\(s\)"):
        compare("fisher-score", X, y, groups=sites, **{**FAST, "outer": "loo"})
    found = compare("fisher-score", X, y, groups=sites, **{**FAST, "outer": "loo", "sizes": [2]})
    assert len(found.tables[0].methods[0].trials) == 2


def test_folds_that_leave_one_class_to_learn_from_are_refused():
    # Either of the first two groups has nearly all of a class, and the last the rest of both.
    names = list("a" * 9 + "b" * 9 + "c" * 2)
    codes = np.array([0] * 9 + [1] * 9 + [0, 1], dtype=np.int32)
    with pytest.raises(InvalidInput, match="cannot be assigned to 2 folds"):
        RepeatedFolds(2).splits(codes, 0, Groups.of(names, "'t'"))
    assert len(RepeatedFolds(3).splits(codes, 0, Groups.of(names, "'t'"))) == 3


def test_given_splits_must_keep_groups_whole():
    _, y, names = patients()
    groups = Groups.of(names.tolist(), "'t'")
    with pytest.raises(InvalidInput, match="training rows and test rows of the group 'p12'"):
        GivenSplits([(np.arange(50), np.arange(50, 96))]).splits(y.astype(np.int32), 0, groups)
    X, _, _ = patients()
    fold = np.arange(96) % 2
    with pytest.raises(InvalidInput, match=r"rows of the group 'p\d+'"):
        compare("fisher-score", X, y, groups=names, **{**FAST, "outer": SplitColumn(fold, "folds")})


def test_a_tuned_classifier_is_known_by_the_same_name():
    tuned = TunedClassifier(Spy([]))
    groups = Groups.of(["a", "b"], "'t'")
    assert tuned.with_groups(groups).name == tuned.name
    assert tuned.with_groups(groups).groups is groups


def test_a_method_that_cross_validates_by_itself_is_given_the_groups():
    X, y, groups = patients()
    seen = []

    class Spy(AutoSelector):
        def fit(self, X, y=None, sample_weight=None, groups=None):
            seen.append((X.n_rows, groups))
            return super().fit(X, y, sample_weight, groups)

    compare(Spy(cv=2), X, y, groups=groups, **FAST)
    assert len(seen) > 3
    for n_rows, own in seen:
        assert len(own) == n_rows
        assert set(np.unique(own, return_counts=True)[1]) == {4}  # whole patients
