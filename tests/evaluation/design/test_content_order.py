"""The order of rows and columns, the spelling of labels and the way in change nothing of a comparison."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fewest import compare
from fewest.data.scan import scan
from fewest.evaluation.design.labelled_tables import Table, to_tables
from fewest.evaluation.design.resampling import GivenSplits, splits_of
from fewest.evaluation.design.split_column import SplitColumn

METHODS = ("mrmr", "relieff")
OPTIONS = {"classifiers": ["svm", "knn", "nb", "tree"], "outer": 3, "inner": 3, "sizes": [1, 2, 4], "n_jobs": 1}


def table(seed=0):
    """Numbers, whole numbers, text and missing values, and three classes of which two are alike."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, 90)
    frame = pd.DataFrame(
        random.normal(size=(90, 5)) + codes[:, None] * [1.5, 1.0, 0.0, 0.0, 0.3], columns=list("abcde")
    )
    frame["count"] = random.poisson(2, 90)
    frame["city"] = np.where(random.random(90) < 0.7, np.array(["Bonn", "Graz", "Linz"])[codes], "Wien")
    frame.loc[::11, "c"] = np.nan
    return frame, codes


def answer(found):
    """All that was found, by the names of features and with classes in the order of their numbers of rows."""
    table = found.summary.tables[0]
    best = table.recommended
    names = found.tables[0].feature_names
    return {
        "sentence": best.sentence,
        "by": (best.method, best.classifier),
        "features": sorted((one.name, one.frequency) for one in best.features),
        "methods": [(one.name, one.nested, one.results.keys(), one.curves) for one in table.methods],
        "all": (table.without_selection, table.all_features),
        "leak": table.leak,
        "paths": [
            [sorted(names[c] for c in trial["path"][1]) for trial in one.trials] for one in found.tables[0].methods
        ],
        "recalls": sorted(one.recall for one in table.confusion.recalls),
    }


@pytest.fixture(scope="module")
def expected():
    return answer(compare(METHODS, *table(), **OPTIONS))


def shuffled(frame, codes):
    order = np.random.default_rng(1).permutation(len(codes))
    return frame.iloc[order], codes[order]


def reordered(frame, codes):
    return frame[["city", "e", "c", "count", "a", "d", "b"]], codes


def spelled(frame, codes):
    return frame, np.array(["zero", "a one", "2nd"])[codes]


def all_at_once(frame, codes):
    return spelled(*reordered(*shuffled(frame, codes)))


@pytest.mark.parametrize("change", [shuffled, reordered, spelled, all_at_once])
def test_order_and_spelling_change_nothing(change, expected):
    assert answer(compare(METHODS, *change(*table()), **OPTIONS)) == expected


def test_the_way_in_changes_nothing(expected, tmp_path):
    frame, codes = table()
    frame.assign(label=codes).to_csv(tmp_path / "t.csv", index=False)
    frame.assign(label=codes).to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert answer(compare(METHODS, {"table": scan(tmp_path / name, "label")}, **OPTIONS)) == expected


def test_classes_are_shown_in_the_order_of_the_labels():
    frame, codes = table()
    found = compare("mrmr", frame, np.array(["b", "c", "a"])[codes], **{**OPTIONS, "classifiers": ["nb"]})
    summary = found.summary.tables[0]
    assert [one.name for one in summary.classes] == ["a", "b", "c"]
    assert [one.count for one in summary.classes] == np.bincount(codes)[[2, 0, 1]].tolist()
    assert [one.name for one in summary.confusion.recalls] == ["a", "b", "c"]
    plain = compare("mrmr", frame, codes, **{**OPTIONS, "classifiers": ["nb"]}).summary.tables[0].confusion
    moved = np.array(plain.counts)[np.ix_([2, 0, 1], [2, 0, 1])]
    assert summary.confusion.counts == moved.tolist()
    assert np.array(plain.counts).sum(axis=1).tolist() == (3 * np.round(np.bincount(codes) / 4)).astype(int).tolist()


def test_given_splits_count_rows_as_they_were_given():
    frame, codes = table()
    rows = np.arange(90)
    (first,) = to_tables(frame, codes)
    for train, test in ([rows[:60], rows[60:]], [rows < 60, rows >= 60]):
        ((found, tested),) = splits_of(first, GivenSplits([(train, test)]), 0).pairs
        assert sorted(first.row_numbers[found]) == rows[:60].tolist()
        assert sorted(first.row_numbers[tested]) == rows[60:].tolist()
    (marked,) = to_tables(frame, codes, marks=np.where(rows < 60, "train", "test"))
    ((found, tested),) = splits_of(marked, SplitColumn("part"), 0).pairs
    assert sorted(marked.row_numbers[tested]) == rows[60:].tolist()
    assert found.tolist() == sorted(found)


def test_dense_and_sparse_values_have_one_order():
    random = np.random.default_rng(3)
    X, y = random.poisson(0.4, (40, 9)).astype(float), random.integers(0, 2, 40)
    dense, thin = (to_tables(one, y)[0] for one in (X, sparse.csr_array(X)))
    assert dense.row_numbers.tolist() == thin.row_numbers.tolist()
    assert dense.columns_by_content == thin.columns_by_content
    assert isinstance(thin, Table)


def test_groups_keep_their_splits_in_any_order_of_rows():
    frame, codes = table()
    groups = np.array([f"p{i}" for i in np.arange(90) // 3])
    order = np.random.default_rng(5).permutation(90)
    options = {**OPTIONS, "classifiers": ["nb"], "leak": False}
    one = answer_of_groups(frame, codes, groups, options)
    assert answer_of_groups(frame.iloc[order], codes[order], groups[order], options) == one


def answer_of_groups(frame, codes, groups, options):
    found = compare("mrmr", frame, codes, groups=groups, **options).summary.tables[0]
    return found.recommended.sentence, found.methods[0].nested, found.methods[0].curves
